import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aPlace, type Place } from '../support/place.ts'

/** A secret that was changed in the service: its value cannot be exported, and the messages must say so. */
const FILES = {
  'setpoint.yaml': 'organization: acme\nowner: net\n',
  'sets/a.yaml': 'variableSets:\n  a:\n    env:\n      KEY: { secret: KEY }\n      REGION: eu\n',
}

async function changeLive({ sandbox }: Place, key: string, attributes: object): Promise<void> {
  const set = sandbox.snapshot().sets?.find(({ name }) => name === 'a')
  const variable = set?.variables?.find(one => one.key === key)
  const { status } = await sandbox.transport({
    method: 'PATCH',
    path: `/api/v2/varsets/${set?.id}/relationships/vars/${variable?.id}`,
    headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data: { type: 'vars', attributes } }),
  })
  expect(status).toBe(200)
}

async function applied(): Promise<Place> {
  const place = await aPlace(FILES)
  expect(
    (await place.setpoint(['apply', '--auto-approve'], { env: { SETPOINT_SECRET_KEY: 'first' } })).code,
  ).toBe(0)
  return place
}

const KEY = { key: 'KEY', category: 'env', value: 'rotated', sensitive: true }

describe('a secret that was changed in the service', () => {
  test('cannot be accepted with --update, which says what to do and exits with 2', async () => {
    const place = await applied()
    await changeLive(place, 'KEY', KEY)
    const drift = await place.setpoint(['drift'])
    expect([drift.code, drift.stdout.match(/^(?:Revert|Accept) .*$/gm)]).toEqual([
      2,
      [
        expect.stringMatching(/^Revert +setpoint apply --only a$/),
        expect.stringMatching(
          /^Accept +by hand: put the value of a\/env\/KEY into its source, and raise its version$/,
        ),
      ],
    ])
    const update = await place.setpoint(['export', '--update', 'a'])
    expect(update).toEqual({
      code: 2,
      stderr: '',
      stdout: `No file differs.
A plan of these sets still has 1 change:
  a: env/KEY is a secret, which the API never returns. Pass its value to the run, then run setpoint apply to write it. If the value in the service is right: put it into its source, and raise its version.
`,
    })
    const right = { env: { SETPOINT_SECRET_KEY: 'rotated' } }
    expect((await place.setpoint(['apply', '--auto-approve'], right)).code).toBe(0)
    expect(place.live().join('\n')).toContain('env/KEY=(rotated)')
    expect((await place.setpoint(['drift'])).code).toBe(0)
  })

  test('is reported by --update, which accepts the other changed value', async () => {
    const place = await applied()
    await changeLive(place, 'KEY', KEY)
    await changeLive(place, 'REGION', { key: 'REGION', category: 'env', value: 'us' })
    const drift = await place.setpoint(['drift'])
    expect(drift.stdout).toMatch(/^Accept +setpoint export --update a$/m)
    const update = await place.setpoint(['export', '--update', 'a'])
    expect([update.code, update.stdout.split('\n').slice(1, 3)]).toEqual([
      2,
      ['  a: ~ env/REGION', 'A plan of these sets still has 1 change:'],
    ])
    expect(readFileSync(join(place.cwd, 'sets/a.yaml'), 'utf8')).toContain('REGION: us')
  })
})

test('the printed commands to revert and to accept drift work with the flags of the run', async () => {
  const sets = (value: string) => ({
    'infra/sets/a.yaml': `variableSets: { a: { env: { A: ${value} } }, a2: { env: { A: ${value} } }, b: { env: { B: ${value} } } }\n`,
  })
  const place = await aPlace({ 'infra/team.yaml': 'organization: acme\nowner: net\n', ...sets('1') })
  const where = ['-C', 'infra', '--config', 'team.yaml', '--address', place.url]
  const setpoint = (...argv: readonly string[]) =>
    place.setpoint(argv, { env: { SETPOINT_ADDRESS: 'https://elsewhere.example' } })
  await setpoint('apply', ...where, '--auto-approve')
  place.change(
    (place.sandbox.snapshot().sets ?? []).map(set => ({
      ...set,
      priority: !set.name.startsWith('setpoint-'),
    })),
  )
  const { stdout } = await setpoint('drift', ...where, '--only', 'a*')
  const [revert = '', accept = ''] = stdout.match(/^(?:Revert|Accept) .*$/gm) ?? []
  const words = (line: string): string[] =>
    line
      .replace(/^\w+ +setpoint /, '')
      .replaceAll("'", '')
      .split(' ')
  expect(words(revert)).toEqual(['apply', ...where, '--only', 'a*'])
  expect(words(accept)).toEqual(['export', ...where, '--update', 'a*'])
  expect((await setpoint(...words(accept))).stdout).toContain('sets/a.yaml')
  expect((await setpoint('drift', ...where, '--only', 'a*')).code).toBe(0)
  place.write(sets('1'))
  expect((await setpoint(...words(revert), '--auto-approve')).code).toBe(0)
  expect((await setpoint('drift', ...where)).stdout).toMatch(/^~ b /m)
})
