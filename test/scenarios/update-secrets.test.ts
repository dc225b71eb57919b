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

test('drift does not suggest --update for a secret that became readable, or a deleted set', async () => {
  const place = await applied()
  place.change([
    {
      name: 'a',
      variables: [
        { key: 'KEY', category: 'env', value: 'readable' },
        { key: 'REGION', category: 'env', value: 'eu' },
      ],
    },
  ])
  place.write({ 'setpoint.yaml': 'organization: acme\n' })
  expect((await place.setpoint(['drift'])).stdout).not.toContain('Accept')
  expect((await place.setpoint(['export', '--update', 'a'])).code).toBe(2)
  place.change([])
  expect((await place.setpoint(['drift'])).stdout).not.toContain('Accept')
  const gone = await place.setpoint(['export', '--update', 'a'])
  expect([gone.code, gone.stdout]).toEqual([
    2,
    `No file differs.
A plan of these sets still has 1 change:
  a: not in the service. If it was deleted for good, remove it from the file. Otherwise setpoint apply creates it.
`,
  ])
})

test('--update exits with 0 if it accepts all changes', async () => {
  const place = await applied()
  await changeLive(place, 'REGION', { key: 'REGION', category: 'env', value: 'us' })
  const update = await place.setpoint(['export', '--update', 'a'])
  expect([update.code, update.stdout]).toEqual([
    0,
    'sets/a.yaml\n  a: ~ env/REGION\nA plan of these sets has nothing to do.\n',
  ])
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

test('if a value comes from a file, drift names the file instead of suggesting a command that fails', async () => {
  const place = await aPlace({
    'setpoint.yaml': 'organization: acme\n',
    'sets/a.yaml': `variableSets:
  a: { env: { CA: { file: ../certs/ca.pem }, REGION: eu } }
  b: { env: { REGION: eu, PASSWORD: hunter2 } }
`,
    'certs/ca.pem': 'old',
  })
  expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
  const live = (place.sandbox.snapshot().sets ?? []).map(set => ({
    ...set,
    variables: (set.variables ?? []).map(one => ({
      ...one,
      ...(one.key === 'CA' ? { value: 'new' } : one.key === 'REGION' ? { value: 'us' } : {}),
    })),
  }))
  place.change(live.filter(({ name }) => name === 'a'))
  const alone = await place.setpoint(['drift', '--only', 'a'])
  expect(alone.stdout.match(/^Accept .*$/gm)).toEqual(['Accept    by hand: values come from certs/ca.pem'])
  expect((await place.setpoint(['export', '--update', 'a'])).stderr).toContain(
    'the value of env/CA comes from the file "certs/ca.pem"; change it there',
  )
  place.change(live)
  const { stdout } = await place.setpoint(['drift'])
  expect(stdout).toMatch(/^Accept +setpoint export --update b\n +by hand: values come from certs\/ca\.pem$/m)
  const update = await place.setpoint(['export', '--update', 'b'])
  expect([update.code, update.stderr.match(/warning looks-like-a-secret/g)]).toEqual([
    0,
    ['warning looks-like-a-secret'],
  ])
})

describe('drift suggests no command that fails', () => {
  const acceptIn = ({ stdout }: { stdout: string }): string[] =>
    [...stdout.matchAll(/^Accept +(.*)$/gm)].map(([, offer = '']) => offer)
  const BY_HAND = 'by hand: values come from certs/ca.pem'
  const CA = { key: 'CA', category: 'env', value: 'new' }
  const REGION = { key: 'REGION', category: 'env', value: 'eu' }
  const FILES_WITH_CA = {
    'sets/a.yaml': 'variableSets:\n  a: { project: p, env: { CA: { file: ../certs/ca.pem }, REGION: eu } }\n',
    'certs/ca.pem': 'old',
  }

  test('for a set of another owner, which is an error until the file has its owner', async () => {
    const sets = [{ name: 'a', variables: [{ ...CA, value: 'old' }, REGION] }]
    const place = await aPlace(FILES_WITH_CA, { sets })
    const { code, stdout, stderr } = await place.setpoint(['drift'])
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('error foreign-set')])
    expect((await place.setpoint(['export', '--update', 'a'])).code).toBe(0)
    expect((await place.setpoint(['drift'])).code).toBe(0)
  })

  test('for a sensitive variable with a value from a file, which must be replaced', async () => {
    const sets = [{ name: 'a', parent: 'p', variables: [{ ...CA, sensitive: true }, REGION] }]
    const place = await aPlace(FILES_WITH_CA, { sets })
    expect(acceptIn(await place.setpoint(['drift']))).toEqual([BY_HAND])
    expect((await place.setpoint(['export', '--update', 'a'])).code).toBe(1)
  })

  test('for a variable of a base that the service does not have', async () => {
    const file = (rest: string): string =>
      `bases:\n  b: { env: { A: 1, B: 2, C: 3 } }\nvariableSets:\n  a: { from: b${rest} }\n`
    const variables = [{ key: 'A', category: 'env', value: '1' }]
    const place = await aPlace({ 'sets/a.yaml': file('') }, { sets: [{ name: 'a', variables }] })
    const byHand = ['by hand: values come from sets/a.yaml']
    // First two variables are missing, then one.
    expect(acceptIn(await place.setpoint(['drift']))).toEqual(byHand)
    place.change([{ name: 'a', variables: [...variables, { key: 'B', category: 'env', value: '2' }] }])
    expect(acceptIn(await place.setpoint(['drift']))).toEqual(byHand)
    expect((await place.setpoint(['export', '--update', 'a'])).code).toBe(1)
  })

  test('but suggests the command for a file of a base, because the set can override the base', async () => {
    const files = {
      'sets/a.yaml':
        'bases:\n  b: { env: { CA: { file: ../certs/ca.pem } } }\nvariableSets:\n  a: { from: b }\n',
      'certs/ca.pem': 'old',
    }
    const place = await aPlace(files, { sets: [{ name: 'a', variables: [CA] }] })
    const [offer = ''] = acceptIn(await place.setpoint(['drift']))
    expect((await place.setpoint(offer.split(' ').slice(1))).code).toBe(0)
    expect((await place.setpoint(['drift'])).code).toBe(0)
  })
})
