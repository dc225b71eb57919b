import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SetSeed } from '../../src/sandbox/index.ts'
import { aPlace, type Place } from '../support/place.ts'

const VALUE = 'correct-horse-battery'
const ENV = { env: { SETPOINT_SECRET_PW: VALUE, SETPOINT_SECRET_PIN: '4711' } }

/** A secret of the run as a whole value, inside another value, and a short one. */
const READABLE: SetSeed[] = [
  {
    name: 'a',
    variables: [
      { key: 'PLAIN', value: 'plain', category: 'env' },
      { key: 'OLD', value: VALUE, category: 'env' },
      { key: 'URL', value: `postgres://db/${VALUE}`, category: 'env' },
      { key: 'PIN', value: '4711', category: 'env' },
      { key: 'PINS', value: '47110', category: 'env' },
    ],
  },
]

const FILES = { 'setpoint.yaml': 'organization: acme\n' }

/** Every file of the repository. */
const textIn = ({ cwd }: Place): string =>
  readdirSync(cwd, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    .join('\n')

const omitted = (stderr: string): string[] =>
  [...stderr.matchAll(/(env\/\w+) of "a"[\s\S]*?It contains a secret that this run knows\./g)].map(
    ([, key = '']) => key,
  )

describe('a secret of the environment that the service shows in clear', () => {
  test.each([
    ['export', ['export', '--out', 'sets']],
    ['export of a named organization', ['export', 'acme', '--out', 'sets']],
  ])(
    'is not written by %s: the value stays in the service, with a warning, and a plan has no changes',
    async (_, argv) => {
      const place = await aPlace(FILES, { sets: READABLE })
      const { code, stdout, stderr } = await place.setpoint(argv, ENV)
      expect(code).toBe(0)
      expect(stdout + stderr + textIn(place)).not.toContain(VALUE)
      expect(omitted(stderr)).toEqual(['env/OLD', 'env/PIN', 'env/URL'])
      expect(stderr).toContain(
        'warning looks-like-a-secret\n  env/OLD of "a" is written without its value (external: true).',
      )
      const text = textIn(place)
      expect(text).toMatch(/OLD:\n +external: true\n/)
      expect(text).toContain('PLAIN: plain')
      expect(text).toContain('PINS: "47110"')
      expect(text).not.toContain('[secret')
      expect((await place.setpoint(['plan', '--detailed-exitcode'], ENV)).code).toBe(0)
    },
  )

  test('is not written by init', async () => {
    const place = await aPlace({}, { sets: READABLE })
    place.write({ 'repo/.gitkeep': '' })
    const { code, stdout, stderr } = await place.setpoint(['init', 'acme', '-C', 'repo'], ENV)
    expect([code, stdout]).toEqual([0, expect.stringContaining('1 set, 0 changes')])
    expect(stderr + textIn(place)).not.toContain(VALUE)
    expect(omitted(stderr)).toEqual(['env/OLD', 'env/PIN', 'env/URL'])
  })

  test('is not written by export --update, also where the file accepts its look; nothing else of the file changes', async () => {
    const file = `# Not ${VALUE} here.
variableSets:
  a:
    env:
      PLAIN: old
      URL: { value: "postgres://db/first", accept: [looks-like-a-secret] }
`
    const place = await aPlace({ ...FILES, 'sets/a.yaml': file }, { sets: READABLE })
    const { code, stderr } = await place.setpoint(['export', '--update', 'a'], ENV)
    expect(code).toBe(0)
    const text = readFileSync(join(place.cwd, 'sets/a.yaml'), 'utf8')
    expect(text.split(VALUE)).toHaveLength(2)
    expect(text).toContain(`# Not ${VALUE} here.`)
    expect(text).toContain('PLAIN: plain')
    expect(text).not.toContain('first')
    expect(omitted(stderr).toSorted()).toEqual(['env/OLD', 'env/PIN', 'env/URL'])
    const again = await place.setpoint(['plan', '--detailed-exitcode'], ENV)
    expect(again.code).toBe(0)
  })

  test('in a name, a description or a key leaves the set out, and does not change it', async () => {
    const sets = [
      { name: 'described', description: `the key is ${VALUE}` },
      { name: 'keyed', variables: [{ key: `K_${VALUE}`, value: '1', category: 'env' }] },
      { name: VALUE },
      { name: 'fine' },
    ]
    const place = await aPlace(FILES, { sets })
    const { code, stdout, stderr } = await place.setpoint(['export', '--out', 'sets'], ENV)
    expect([code, stdout]).toEqual([
      0,
      'sets: 1 set, 0 variables in 1 new file.\n.setpoint-schemas: 5 schemas for editors.\n',
    ])
    expect(
      stderr.match(/is left out\. It contains a secret that this run knows, outside of a value\./g),
    ).toHaveLength(3)
    expect(stderr + textIn(place)).not.toContain(VALUE)
  })

  test('in a description stops export --update of that set', async () => {
    const place = await aPlace(
      { ...FILES, 'sets/a.yaml': 'variableSets: { a: {} }\n' },
      { sets: [{ name: 'a', description: `the key is ${VALUE}` }] },
    )
    const { code, stderr } = await place.setpoint(['export', '--update', 'a'], ENV)
    expect(code).toBe(1)
    expect(stderr).toContain(
      '"a" cannot be updated in place: its description or a name contains a secret that this run knows.',
    )
    expect(stderr + textIn(place)).not.toContain(VALUE)
  })

  test('is no secret if the files of the repository have it in clear', async () => {
    const place = await aPlace(
      { ...FILES, 'sets/b.yaml': 'variableSets: { b: { env: { REGION: eu-central-1 } } }\n' },
      { sets: [{ name: 'a', variables: [{ key: 'REGION', value: 'eu-central-1', category: 'env' }] }] },
    )
    const env = { SETPOINT_SECRET_REGION: 'eu-central-1' }
    const { stdout, stderr } = await place.setpoint(['export', '--only', 'a'], { env })
    expect([stdout, stderr]).toEqual([expect.stringContaining('REGION: eu-central-1'), ''])
  })

  test('is not written by a snapshot, which says what it omits', async () => {
    const files = `variableSets:
  a:
    env: { PLAIN: plain, URL: other, OLD: other, PIN: other, PINS: "47110" }
  d: {}
`
    const sets = [...READABLE, { name: 'd', description: `the key is ${VALUE}` }]
    const place = await aPlace({ ...FILES, 'sets/a.yaml': files }, { sets })
    const { code, stderr } = await place.setpoint(['snapshot', '--out', 'snapshot.json'], ENV)
    expect(code).toBe(0)
    expect(stderr + textIn(place)).not.toContain(VALUE)
    expect(omitted(stderr)).toEqual(['env/OLD', 'env/PIN', 'env/URL'])
    expect(stderr).toContain('sets/a.yaml:2:3  warning looks-like-a-secret')
    expect(stderr).toMatch(
      /The snapshot hides a part of "d" \(varset-\w+\): its name, its description or a key contains/,
    )
    expect(stderr).toContain('omits 3 readable values')
    const variables = JSON.parse(readFileSync(join(place.cwd, 'snapshot.json'), 'utf8')).sets[0].variables
    expect(
      variables.map(({ key, value }: { key: string; value: object }) => [key, Object.keys(value)[0]]),
    ).toEqual([
      ['env/OLD', 'withheld'],
      ['env/PIN', 'withheld'],
      ['env/PINS', 'text'],
      ['env/PLAIN', 'text'],
      ['env/URL', 'withheld'],
    ])
    expect((await place.setpoint(['plan', '--snapshot', 'snapshot.json'])).code).toBe(0)
  })

  test('is hidden by explain', async () => {
    const place = await aPlace(
      { ...FILES, 'sets/b.yaml': 'variableSets: { b: {} }\n' },
      { sets: READABLE.map(set => ({ ...set, workspaces: ['w'] })) },
    )
    for (const format of ['text', 'json', 'markdown']) {
      const { code, stdout } = await place.setpoint(
        ['explain', 'w', '--from', 'live', '--format', format],
        ENV,
      )
      expect([format, code, stdout.includes('PLAIN'), stdout.includes(VALUE)]).toEqual([
        format,
        0,
        true,
        false,
      ])
    }
  })
})
