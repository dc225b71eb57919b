import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.ts'
import { aPlace, ONE } from '../support/place.ts'
import { aDirectory, run } from '../support/program.ts'
import { applied, refused } from '../support/refused.ts'

describe('the connection to the service', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, string>>, readonly string[]])[] = [
    ['a wrong token', { SETPOINT_TOKEN: 'wrong' }, ['(401)', 'Set SETPOINT_TOKEN or TFE_TOKEN.']],
    ['a token with a line break in it', { SETPOINT_TOKEN: 'a\nb' }, ['The token in SETPOINT_TOKEN contains']],
    [
      'plain http to another machine',
      { SETPOINT_ADDRESS: 'http://tfe.example.com' },
      ['error bad-address\n  SETPOINT_ADDRESS uses plain http, which would send the token unencrypted.'],
    ],
    [
      'an address without a scheme',
      { SETPOINT_ADDRESS: 'tfe.example.com' },
      ['error bad-address', 'https://'],
    ],
    [
      'an address with a password, which is not repeated',
      { SETPOINT_ADDRESS: 'https://me:hunter2@tfe.example.com' },
      ['SETPOINT_ADDRESS contains a user name or a password.'],
    ],
  ]

  test.each(cases)('%s', async (_, env, expected) => {
    const place = await aPlace(ONE)
    const { code, stdout, stderr } = await applied(place, env)
    for (const words of expected) expect(stderr).toContain(words)
    expect(stderr).not.toContain('hunter2')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  })

  test('no token', async () => {
    const place = await aPlace(ONE)
    const env = { SETPOINT_ADDRESS: place.url }
    const { code, stderr } = await refused(place, () => run(['apply'], { cwd: place.cwd, env }))
    expect(stderr).toMatch(
      /^error no-token\n {2}There is no token for 127\.0\.0\.1:\d+\.\n {2}Set SETPOINT_TOKEN/,
    )
    expect(code).toBe(1)
  })

  test('an organization that does not exist or is hidden: the message names both causes', async () => {
    const place = await aPlace({ 'setpoint.yaml': 'organization: acne\n', ...ONE })
    const { code, stderr } = await applied(place)
    expect(stderr).toContain('the organization "acne" was not found (404)')
    expect(code).toBe(1)
  })

  test('a read-only token: nothing is written, and the message names both possible causes', async () => {
    const place = await aPlace(ONE)
    place.sandbox.ensure({ tokens: [{ token: 'reader', permission: 'read-variables' }] })
    const { code, stdout } = await applied(place, { SETPOINT_TOKEN: 'reader' })
    expect(stdout).toContain('was not found, or the token lacks the permission (404)')
    expect(code).toBe(1)
  })

  test('a port without a listener', async () => {
    const place = await aPlace(ONE)
    const { code, stderr } = await applied(place, {
      SETPOINT_ADDRESS: `http://127.0.0.1:${await closedPort()}`,
    })
    expect(stderr).toContain('the connection was refused (ECONNREFUSED)')
    expect(code).toBe(1)
  })
})

describe('the embedded sandbox', () => {
  const embedded = (files: Readonly<Record<string, string>>) => aPlace({ ...ONE, ...files })

  test('names its file if it is damaged', async () => {
    const place = await embedded({ '.setpoint/sandbox': 'no journal\n' })
    const { code, stderr } = await run(['plan', '--sandbox'], { cwd: place.cwd })
    expect(stderr).toMatch(
      /^error service-failure\n {2}".*\.setpoint\/sandbox" is not the state of a sandbox/,
    )
    expect(code).toBe(1)
  })

  test('names its file if another run uses it', async () => {
    const place = await embedded({})
    mkdirSync(join(place.cwd, '.setpoint'))
    const other = await createSandbox({ file: join(place.cwd, '.setpoint/sandbox') })
    const { code, stderr } = await run(['plan', '--sandbox'], { cwd: place.cwd })
    await other.close()
    expect(stderr).toContain('.setpoint/sandbox" is in use by process')
    expect(code).toBe(1)
  })

  test('names its file if it cannot be created', async () => {
    const place = await embedded({ '.setpoint': 'a file' })
    const { code, stderr } = await run(['plan', '--sandbox'], { cwd: place.cwd })
    expect(stderr).toMatch(/^error service-failure\n {2}E[A-Z]+: .*\.setpoint/)
    expect(code).toBe(1)
  })

  test('makes what the files name, and says so once', async () => {
    const place = await embedded({
      'sets/a.yaml': 'variableSets: { a: { project: p, workspaces: [w, x] } }\n',
    })
    const first = await run(['plan', '--sandbox'], { cwd: place.cwd })
    expect([first.code, first.stderr]).toEqual([
      0,
      'The sandbox made 2 workspaces and 1 project that the files name. To check names, set SETPOINT_SANDBOX_SEED.\n',
    ])
    const again = await run(['plan', '--sandbox'], { cwd: place.cwd })
    expect([again.code, again.stderr]).toEqual([0, ''])
  })

  test('has the workspaces and projects of a seed, and no others', async () => {
    const place = await embedded({
      'seed.yaml':
        'projects: [{ name: p }]\nworkspaces: [{ name: network-staging, project: p }]\nsets: [{ name: old }]\n',
      'sets/a.yaml': 'variableSets: { a: { workspaces: [netwrok-staging] } }\n',
    })
    const env = { SETPOINT_SANDBOX_SEED: 'seed.yaml' }
    const setpoint = (...argv: string[]) => run([...argv, '--sandbox'], { cwd: place.cwd, env })
    const wrong = await setpoint('plan')
    expect([wrong.code, wrong.stderr]).toEqual([
      1,
      'sets/a.yaml:1:35  error unknown-name\n  There is no workspace "netwrok-staging".\n  Did you mean "network-staging"?\n',
    ])
    place.write({
      'sets/a.yaml': 'variableSets: { a: { workspaces: [network-staging] } }\n',
    })
    expect((await setpoint('apply', '--auto-approve')).code).toBe(0)
    // A seed fills a new sandbox. Later, only its workspaces, projects and Stacks are added.
    place.write({
      'seed.yaml': 'workspaces: [{ name: network-staging }, { name: more }]\nsets: [{ name: old }]\n',
    })
    expect((await setpoint('plan', '--detailed-exitcode')).code).toBe(0)
    expect((await setpoint('explain', 'more')).code).toBe(0)
  })

  test.each([
    ['does not exist', undefined, ', which cannot be read.\n  Write the path of a file that exists.\n'],
    ['is no seed', 'nothing: 1\n', 'nothing: is not known'],
    ['is not YAML', '[', 'The seed cannot be used'],
  ])('reports a seed that %s', async (_, text, said) => {
    const place = await embedded(text === undefined ? {} : { 'seed.yaml': text })
    const env = { SETPOINT_SANDBOX_SEED: 'seed.yaml' }
    const { code, stderr } = await run(['plan', '--sandbox'], { cwd: place.cwd, env })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('error bad-usage\n  SETPOINT_SANDBOX_SEED is "seed.yaml"'),
    ])
    expect(stderr).toContain(said)
  })
})

/** A port that was free a moment ago. */
const closedPort = (): Promise<number> =>
  new Promise(resolve => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })

test.each([
  ['--address', 'https://tfe.example.com'],
  ['--tokens', 'tokens'],
])('%s beside --sandbox is refused, and nothing is written', async (flag, value) => {
  const cwd = aDirectory({
    'setpoint.yaml': 'organization: acme\n',
    'sets/a.yaml': 'variableSets: { a: {} }\n',
    'tokens/acme': 'x',
  })
  expect(await run(['apply', '--auto-approve', '--sandbox', flag, value], { cwd })).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'error bad-usage\n  --sandbox replaces the service.\n  Remove --sandbox, or --address and --tokens.\n',
  })
})
