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
