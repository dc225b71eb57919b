import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.ts'
import { run } from '../support/program.ts'
import { aPlace, ONE } from './place.ts'
import { applied, refused } from './refused.ts'

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
    expect(stderr).toContain(
      'the organization "acne" was not found, or the token lacks the permission for it (404)',
    )
    expect(code).toBe(1)
  })

  test('a read-only token: nothing is written, and the message names both possible causes', async () => {
    const place = await aPlace(ONE)
    place.sandbox.ensure({ tokens: [{ token: 'reader', permission: 'read-variables' }] })
    const { code, stdout } = await applied(place, { SETPOINT_TOKEN: 'reader' })
    expect(stdout).toContain('was not found, or the token lacks the permission for it (404)')
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
    expect(stderr).toMatch(/^error service-failure\n {2}".*\.setpoint\/sandbox" line 1 is damaged/)
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

  test('creates a project that only a workspace in the directory file names', async () => {
    const place = await embedded({
      'directory.yaml':
        'organization: acme\nworkspaces:\n  w: { id: ws-AAAAAAAAAAAAAAA1, project: p }\nprojects: {}\n',
    })
    const { code, stderr } = await run(['plan', '--sandbox'], { cwd: place.cwd })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
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
