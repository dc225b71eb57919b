import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aRepository } from '../support/hostile-repository.ts'
import { ALL, ENV, FILES, NAMES, services, tokenOf } from '../support/organizations.ts'
import { aPlace, ONE } from '../support/place.ts'
import { aDirectory, run } from '../support/program.ts'

test('no request of a run over several organizations carries the token of another one', async () => {
  const { seen, transport, sandboxes } = await services()
  const cwd = aDirectory(FILES)
  const setpoint = (...argv: string[]) => run([...argv, ...ALL], { cwd, env: ENV, io: { transport } })
  expect((await setpoint('plan', '--detailed-exitcode')).code).toBe(2)
  expect((await setpoint('apply', '--auto-approve')).code).toBe(0)
  const last = await setpoint('drift', '--verbose')
  expect(last.code).toBe(0)
  expect(last.stderr).toContain('token from SETPOINT_TOKEN_BLUE_LAB')
  expect(last.stdout + last.stderr).not.toContain('canary')
  expect(seen.length).toBeGreaterThan(NAMES.length * 8)
  for (const { token, request } of seen) {
    const [, organization] = /\/organizations\/([^/]+)/.exec(request.path) ?? []
    const isKnown =
      organization === undefined ? sandboxes.has(token) : token === `Bearer ${tokenOf(organization)}`
    expect(isKnown, `${request.method} ${request.path}`).toBe(true)
  }
  expect(new Set(seen.map(({ token }) => token)).size).toBe(NAMES.length)
  for (const sandbox of sandboxes.values())
    expect(sandbox.snapshot().sets?.map(({ name }) => name)).toEqual(expect.arrayContaining(['base']))
})

test('each organization without a token of its own is an error at its place, before any request', async () => {
  const { seen, transport } = await services()
  const { SETPOINT_TOKEN_ACME: _, SETPOINT_TOKEN_GLOBEX: __, ...env } = ENV
  const { code, stdout, stderr } = await run(['plan', ...ALL], {
    cwd: aDirectory({ '.git/HEAD': '', ...FILES }),
    env,
    io: { transport },
  })
  expect({ code, stdout, requests: seen.length }).toEqual({ code: 1, stdout: '', requests: 0 })
  expect(stderr).toBe(
    ['acme', 'globex']
      .map(
        name =>
          `orgs/${name}/setpoint.yaml:2:1  error no-token\n  There is no token for the organization "${name}". It needs its own, because SETPOINT_TOKEN_BLUE_LAB is set.\n  Set SETPOINT_TOKEN_${name.toUpperCase()}. No other token is used while an organization has its own.\n`,
      )
      .join(''),
  )
})

test('one configuration takes the token of its organization too', async () => {
  const { seen, transport } = await services()
  const cwd = aDirectory(FILES)
  const setpoint = (argv: readonly string[], env: Readonly<Record<string, string>> = ENV) =>
    run(argv, { cwd, env, io: { transport } })
  expect((await setpoint(['plan', '-C', 'orgs/blue-lab'])).code).toBe(0)
  expect((await setpoint(['export', 'globex'])).code).toBe(0)
  expect(new Set(seen.map(({ token }) => token))).toEqual(
    new Set([`Bearer ${tokenOf('blue-lab')}`, `Bearer ${tokenOf('globex')}`]),
  )
  const { SETPOINT_TOKEN_BLUE_LAB: _, ...others } = ENV
  const { code, stderr } = await setpoint(['plan', '-C', 'orgs/blue-lab'], others)
  expect([code, stderr]).toEqual([1, expect.stringContaining('Set SETPOINT_TOKEN_BLUE_LAB.')])
})

test('validate and --sandbox need no token of any organization', async () => {
  const cwd = aDirectory(FILES)
  const env = { SETPOINT_TOKEN_OTHER: 'x' }
  expect((await run(['validate', ...ALL], { cwd, env })).code).toBe(0)
  expect((await run(['plan', ...ALL, '--sandbox'], { cwd, env })).code).toBe(0)
})

describe('--tokens DIR', () => {
  /** A directory as the kubelet mounts a secret: each file is a link into `..data`, which is a link to the current version. */
  function mounted(names: readonly string[] = NAMES): string {
    const root = aDirectory()
    mkdirSync(join(root, '..2026_11_23'))
    symlinkSync('..2026_11_23', join(root, '..data'))
    for (const name of names) {
      writeFileSync(join(root, '..data', name), `${tokenOf(name)}\n`)
      symlinkSync(`..data/${name}`, join(root, name))
    }
    return root
  }

  const others = { SETPOINT_SECRET_B: 'b-secret-of-everybody', SETPOINT_TOKEN: 'canary-token-of-nobody' }

  test('has a file for each organization, also as a mounted secret', async () => {
    const { seen, transport } = await services()
    const root = mounted()
    const cwd = aDirectory(FILES)
    const setpoint = (...argv: string[]) =>
      run([...argv, '--tokens', root], { cwd, env: others, io: { transport } })
    const planned = await setpoint('plan', '--verbose', ...ALL)
    expect([planned.code, planned.stderr]).toEqual([0, expect.stringContaining(`token from ${root}/acme\n`)])
    expect(planned.stdout + planned.stderr).not.toContain('canary')
    expect(new Set(seen.map(({ token }) => token)).size).toBe(NAMES.length)
    expect((await setpoint('plan', '-C', 'orgs/globex')).stdout).toContain('   globex/team   ')
  })

  test('and the environment have all tokens together, or what is missing is an error', async () => {
    const { seen, transport } = await services()
    const root = mounted(['globex', 'initech'])
    const cwd = aDirectory({ '.git/HEAD': '', ...FILES })
    const setpoint = (env: Readonly<Record<string, string>>) =>
      run(['plan', '--tokens', root, ...ALL], { cwd, env: { ...others, ...env }, io: { transport } })
    const { code, stderr } = await setpoint({ SETPOINT_TOKEN_BLUE_LAB: tokenOf('blue-lab') })
    expect([code, seen.length, stderr]).toEqual([
      1,
      0,
      `orgs/acme/setpoint.yaml:2:1  error no-token\n  There is no token for the organization "acme". It needs its own, because --tokens is set.\n  Write it to ${root}/acme, or set SETPOINT_TOKEN_ACME. No other token is used while an organization has its own.\n`,
    ])
    const { SETPOINT_TOKEN_ACME = '', SETPOINT_TOKEN_BLUE_LAB = '' } = ENV
    expect((await setpoint({ SETPOINT_TOKEN_ACME, SETPOINT_TOKEN_BLUE_LAB })).code).toBe(0)
  })

  test('takes no file that leads out of it, is no file or has no token, and quotes none', async () => {
    const { transport } = await services()
    const root = mounted([])
    const outside = aDirectory({ token: tokenOf('acme') })
    symlinkSync(join(outside, 'token'), join(root, 'acme'))
    mkdirSync(join(root, 'blue-lab'))
    writeFileSync(join(root, 'globex'), 'canary canary\n')
    writeFileSync(join(root, 'initech'), '')
    const { code, stderr } = await run(['plan', '--tokens', root, ...ALL], {
      cwd: aDirectory(FILES),
      env: others,
      io: { transport },
    })
    expect(code).toBe(1)
    const messages = stderr.split('\n').filter(line => line.startsWith('  The'))
    expect(messages.toSorted()).toEqual([
      `  The token in ${root}/acme is in a file that is a link out of the directory.`,
      `  The token in ${root}/blue-lab is not in a regular file.`,
      `  The token in ${root}/globex contains a space, a line break or another character that is not allowed in a token.`,
      '  There is no token for the organization "initech". It needs its own, because --tokens is set.',
    ])
    expect(stderr).not.toContain('canary')
  })

  test('must be there, and no link of the repository may lead to it', async () => {
    const cwd = aDirectory({ '.git/HEAD': '', ...FILES, 'a-file': '' })
    symlinkSync(mounted(), join(cwd, 'linked'))
    const problemOf = async (directory: string) => {
      const { code, stderr } = await run(['plan', '--tokens', directory, ...ALL], { cwd, env: others })
      expect(code).toBe(1)
      return stderr.split('\n').slice(0, 2)
    }
    const unusable = (directory: string, reason: string) => [
      'error unreadable-file',
      `  --tokens: "${directory}" ${reason}.`,
    ]
    expect(await problemOf('missing')).toEqual([
      'error unreadable-file',
      '  --tokens: The directory does not exist.',
    ])
    expect(await problemOf('a-file')).toEqual(unusable('a-file', 'is not a directory'))
    expect(await problemOf('linked')).toEqual(unusable('linked', 'cannot be used: it is a symbolic link'))
  })

  test('is not read by `file:`, and must not be tracked by Git', async () => {
    const { transport } = await services()
    const cwd = aRepository({ ...FILES, 'tokens/globex': tokenOf('globex') })
    writeFileSync(join(cwd, 'tokens/acme'), tokenOf('acme'))
    const setpoint = (name: string) =>
      run(['plan', '-C', cwd, '--tokens', 'tokens', '--config', `orgs/${name}/setpoint.yaml`], {
        cwd,
        env: { ...others, PATH: process.env.PATH ?? '' },
        io: { transport },
      })
    expect((await setpoint('acme')).code).toBe(0)
    const tracked = await setpoint('globex')
    expect([tracked.code, tracked.stderr]).toEqual([
      1,
      expect.stringContaining('The token comes from "tokens/globex", which Git tracks in this repository'),
    ])
    writeFileSync(
      join(cwd, 'orgs/acme/sets/b.yaml'),
      'variableSets: { b: { env: { X: { file: ../../../tokens/globex } } } }\n',
    )
    const read = await setpoint('acme')
    expect([read.code, read.stderr]).toEqual([1, expect.stringContaining('secret-file')])
    expect(read.stdout + read.stderr).not.toContain('canary')
  })
})

describe('a hint names the place of the token of the organization', () => {
  const cwd = () => aDirectory(FILES)

  test('that the service does not accept', async () => {
    const { transport } = await services()
    const env = { ...ENV, SETPOINT_TOKEN_BLUE_LAB: 'wrong' }
    const { stderr } = await run(['plan', '-C', 'orgs/blue-lab'], { cwd: cwd(), env, io: { transport } })
    expect(stderr).toContain('wrong or expired. Set SETPOINT_TOKEN_BLUE_LAB.')
    const root = aDirectory({ globex: 'wrong' })
    const mounted = await run(['plan', '-C', 'orgs/globex', '--tokens', root], {
      cwd: cwd(),
      env,
      io: { transport },
    })
    expect(mounted.stderr).toContain(`wrong or expired. Set ${root}/globex.`)
  })

  test('that may only read', async () => {
    const place = await aPlace(ONE)
    place.sandbox.ensure({ tokens: [{ token: 'reader', permission: 'read-variables' }] })
    const env = { SETPOINT_ADDRESS: place.url, SETPOINT_TOKEN_ACME: 'reader' }
    const applied = async () => {
      const { code, stdout, stderr } = await run(['apply', '--auto-approve'], { cwd: place.cwd, env })
      expect(code).toBe(1)
      return stdout + stderr
    }
    expect(await applied()).toContain('Next: set SETPOINT_TOKEN_ACME to a valid token that may write, then')
    place.sandbox.ensure({ sets: [{ name: 'a', variables: [] }] })
    expect(await applied()).toContain('Set SETPOINT_TOKEN_ACME to a token that may write.')
  })
})
