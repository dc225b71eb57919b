import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { start, startShell } from '../support/child.ts'
import { aPlace, ONE, REFUSED, SILENT } from '../support/place.ts'
import { aDirectory, run } from '../support/program.ts'
import { titled } from '../support/skipped.ts'

const REPOSITORY = { 'setpoint.yaml': 'organization: acme\n', ...ONE }
const VERSION = JSON.parse(readFileSync(resolve(import.meta.dirname, '../../package.json'), 'utf8')).version

const HAS_TERRAFORM = spawnSync('terraform', ['version']).status === 0

/** More output than a pipe can hold. */
const MANY = `variableSets:\n  a:\n    env:\n${Array.from({ length: 6000 }, (_, i) => `      KEY_${i}: value of ${i}\n`).join('')}`

describe('the built program', () => {
  test.each(['--version', '-V'])('%s is the version of the package', async flag => {
    const ended = await start([flag], { cwd: aDirectory() }).ended
    expect(ended).toEqual({ code: 0, signal: null, stdout: `${VERSION}\n`, stderr: '' })
  })

  test('plans, applies, and then finds no changes', async () => {
    const cwd = aDirectory(REPOSITORY)
    const planned = await start(['plan', '--sandbox', '--detailed-exitcode'], { cwd }).ended
    const applied = await start(['apply', '--sandbox', '--auto-approve'], { cwd }).ended
    const again = await start(['plan', '--sandbox', '--detailed-exitcode'], { cwd }).ended
    expect([planned.code, applied.code, again.code]).toEqual([2, 0, 0])
    expect(applied.stdout).toContain('Applied: 1 created. Verified by reading the service back.')
    expect([planned.stderr, applied.stderr, again.stderr]).toEqual(['', '', ''])
  })

  test('does not ask for confirmation if stdin is no terminal', async () => {
    const place = await aPlace(ONE)
    const ended = await start(['apply'], { cwd: place.cwd, env: place.env, input: 'yes\n' }).ended
    expect(ended.stderr).toContain('There is no terminal to ask for confirmation.')
    expect({ code: ended.code, live: place.live() }).toEqual({ code: 4, live: [] })
  })

  test('reports a mistake in the arguments on stderr, with exit code 1', async () => {
    const { code, stdout, stderr } = await start(['plna'], { cwd: aDirectory() }).ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('Did you mean plan?')
  })

  test('the demo succeeds and leaves a repository that can be planned', async () => {
    const cwd = aDirectory()
    const { code, stdout, stderr } = await start(['demo'], { cwd }).ended
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('setpoint plan --sandbox -C setpoint-demo')
    const planned = await run(['plan', '--sandbox', '-C', 'setpoint-demo', '--detailed-exitcode'], { cwd })
    expect(planned.code).toBe(0)
    const again = await start(['demo'], { cwd }).ended
    expect(again.stdout).toBe(stdout)
    const path = join(cwd, 'setpoint-demo/sets/payments.yaml')
    const mine = readFileSync(path, 'utf8').replace('replicas: 6', 'replicas: 7')
    writeFileSync(path, mine)
    const before = readFileSync(join(cwd, 'setpoint-demo/.setpoint/sandbox'))
    const changed = await start(['demo'], { cwd }).ended
    expect(changed).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `error file-exists\n  "${cwd}/setpoint-demo" has a file that was changed since: sets/payments.yaml.\n  Choose another directory: setpoint demo DIRECTORY\n`,
    })
    expect(readFileSync(path, 'utf8')).toBe(mine)
    expect(readFileSync(join(cwd, 'setpoint-demo/.setpoint/sandbox'))).toEqual(before)
    const elsewhere = await start(['demo', '.'], { cwd }).ended
    expect(elsewhere.stderr).toMatch(
      /^error file-exists\n {2}".*" exists and is not a demo\.\n {2}Choose another directory: /,
    )
    const inFile = await start(['demo', 'setpoint-demo/setpoint.yaml/x'], { cwd }).ended
    expect(inFile).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `error unwritable-file\n  "${cwd}/setpoint-demo/setpoint.yaml/x" could not be written (ENOTDIR).\n  Choose another directory: setpoint demo DIRECTORY\n`,
    })
    expect(elsewhere.code).toBe(1)
  })
})

describe('output that cannot be written', () => {
  test('a closed pipe: no stack trace, and exit code 1', {
    tags: ['F-80'],
  }, async () => {
    const cwd = aDirectory({ ...REPOSITORY, 'sets/a.yaml': MANY })
    const line = 'set -o pipefail; $SETPOINT plan --sandbox | head -1'
    const { code, stdout, stderr } = await startShell(line, { cwd }).ended
    expect(stdout).toMatch(/^setpoint plan [0-9a-f]{12} .*\n$/)
    expect(stderr).toBe('setpoint: the output could not be written (EPIPE)\n')
    expect(code).toBe(1)
  })

  test('a full disk: it is reported with exit code 1, and the apply is finished', {
    tags: ['F-80'],
  }, async () => {
    const place = await aPlace(ONE)
    const full = openSync('/dev/full', 'w')
    const argv = ['apply', '--auto-approve']
    const { code, stderr } = await start(argv, { cwd: place.cwd, env: place.env, stdout: full }).ended
    closeSync(full)
    expect(stderr).toBe('setpoint: the output could not be written (ENOSPC)\n')
    expect({ code, live: place.live() }).toEqual({ code: 1, live: ['a  env/A=1'] })
  })

  test('a full disk does not hide another exit code', async () => {
    const place = await aPlace(ONE)
    const full = openSync('/dev/full', 'w')
    const { code, stderr } = await start(['drift'], { cwd: place.cwd, env: place.env, stdout: full }).ended
    closeSync(full)
    expect([code, stderr]).toEqual([2, 'setpoint: the output could not be written (ENOSPC)\n'])
  })

  test('a full disk is also reported by --version', async () => {
    const full = openSync('/dev/full', 'w')
    const ended = await start(['--version'], { cwd: aDirectory({}), stdout: full }).ended
    closeSync(full)
    expect(ended).toMatchObject({
      code: 1,
      stderr: 'setpoint: the output could not be written (ENOSPC)\n',
    })
  })

  test('a current directory that was removed is reported', { tags: ['F-82'] }, async () => {
    const place = await aPlace(ONE)
    const line = 'mkdir gone && cd gone && rmdir ../gone && $SETPOINT plan'
    const { code, stderr } = await startShell(line, { cwd: place.cwd, env: place.env }).ended
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'setpoint: the current directory no longer exists\n',
    })
  })

  test('works for a user without a home directory, as in a container', async () => {
    const place = await aPlace(ONE)
    // Simulates Node's error if HOME is not set and the user id has no entry.
    const noHome = join(place.cwd, 'no-home.cjs')
    writeFileSync(noHome, 'require("node:os").homedir = () => { throw new Error("uv_os_homedir: ENOENT") }\n')
    const env = { ...place.env, NODE_OPTIONS: `--require ${noHome}` }
    const { code, stdout, stderr } = await start(['plan'], { cwd: place.cwd, env }).ended
    expect({ code, stderr, planned: stdout.includes('+ a') }).toEqual({ code: 0, stderr: '', planned: true })
  })

  test('a closed stdout does not hide that an apply failed', async () => {
    const place = await aPlace(
      {
        'sets/a.yaml': `variableSets: { ${REFUSED}, b: {} }\n`,
      },
      SILENT,
    )
    const child = start(['apply', '--auto-approve'], { cwd: place.cwd, env: place.env })
    child.process.stdout?.destroy()
    const { code, stderr } = await child.ended
    expect(stderr).toBe('setpoint: the output could not be written (EPIPE)\n')
    expect({ code, live: place.live() }).toEqual({ code: 3, live: ['b'] })
  })
})

/** `NAME=value NAME=value`, as the sandbox prints where it is. */
const variablesIn = (line: string): Record<string, string> =>
  Object.fromEntries(line.split(' ').map(word => word.split('=', 2)))

describe('setpoint sandbox', () => {
  test('prints its address and token in one line, serves until a signal, and keeps its data', async () => {
    const cwd = aDirectory({
      ...REPOSITORY,
      'seed.yaml': 'organizations: [{ name: acme }]\nsets: [{ name: theirs }]\n',
    })
    const argv = ['sandbox', '--seed', 'seed.yaml', '--data', 'kept.journal']
    const first = start(argv, { cwd })
    const line = await first.line
    const found = /^SETPOINT_ADDRESS=(http:\/\/127\.0\.0\.1:\d+) SETPOINT_TOKEN=(\S+)$/.exec(line)
    const env = { SETPOINT_ADDRESS: found?.[1] ?? '', SETPOINT_TOKEN: found?.[2] ?? '' }
    const applied = await run(['apply', '--auto-approve'], { cwd, env })
    expect(applied.code).toBe(0)
    first.process.kill('SIGTERM')
    expect(await first.ended).toEqual({ code: 143, signal: null, stdout: `${line}\n`, stderr: '' })

    const second = start(argv, { cwd })
    const [address = '', token = ''] = (await second.line).split(' ').map(word => word.replace(/^\w+=/, ''))
    const again = await run(['plan', '--format', 'json'], {
      cwd,
      env: { SETPOINT_ADDRESS: address, SETPOINT_TOKEN: token },
    })
    expect(JSON.parse(again.stdout)).toMatchObject({
      steps: [],
      facts: { observedSets: 2, undeclaredSets: 1 },
    })
    second.process.kill('SIGINT')
    expect((await second.ended).code).toBe(130)
  })

  test('the printed line works in a shell', async () => {
    const cwd = aDirectory(REPOSITORY)
    const line = `
      $SETPOINT sandbox > line & server=$!
      until [ -s line ]; do sleep 0.05; done
      export $(cat line)
      $SETPOINT apply --auto-approve; code=$?
      kill $server; wait $server
      exit $code`
    const { code, stdout } = await startShell(line, { cwd }).ended
    expect(stdout).toContain('Applied: 1 created. Verified by reading the service back.')
    expect(code).toBe(0)
    expect(readFileSync(join(cwd, 'line'), 'utf8')).toMatch(/^SETPOINT_ADDRESS=\S+ SETPOINT_TOKEN=\S+\n$/)
  })

  test.skipIf(!HAS_TERRAFORM)(
    titled('terraform works with it as the documentation says', !HAS_TERRAFORM, 'no terraform on the path'),
    async () => {
      const page = readFileSync(resolve(import.meta.dirname, '../../docs/sandbox.md'), 'utf8')
      const [, main = ''] = /```hcl\n(# main\.tf\n.*?)```/s.exec(page) ?? []
      const [, session = ''] = /```console\n(\$ export TF_CLI.*?)```/s.exec(page) ?? []
      const cwd = aDirectory()
      const server = start(['sandbox', '--terraform-rc', 'sandbox.tfrc'], { cwd })
      const [host = ''] = /127\.0\.0\.1:\d+/.exec(await server.line) ?? []
      writeFileSync(join(cwd, 'main.tf'), main.replace('127.0.0.1:8080', host))
      expect(statSync(join(cwd, 'sandbox.tfrc')).mode & 0o777).toBe(0o600)
      const lines = session.split('\n')
      const printed = lines.filter(line => line !== '' && !line.startsWith('$ '))
      const commands = lines.flatMap(line => (line.startsWith('$ ') ? line.slice(2) : []))
      const ended = await startShell(commands.join(' && '), { cwd, env: { CHECKPOINT_DISABLE: '1' } }).ended
      expect(ended.stdout.split('\n').filter(line => line !== '')).toEqual(printed)
      expect([ended.code, ended.stderr]).toEqual([0, ''])
    },
  )

  test('takes the seed of docs/sandbox.md, which names no organization', async () => {
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/sandbox.md'), 'utf8')
    const [, seed = ''] = /```yaml\n(projects: .*?)```/s.exec(page) ?? []
    expect(seed).not.toContain('organization')
    const cwd = aDirectory({
      'setpoint.yaml': 'organization: acme\n',
      'sets/a.yaml': 'variableSets: { a: { workspaces: [payments-staging], projects: [payments] } }\n',
      'seed.yaml': seed,
    })
    const env = variablesIn(await start(['sandbox', '--seed', 'seed.yaml'], { cwd }).line)
    expect(await start(['plan'], { cwd, env }).ended).toMatchObject({ code: 0, stderr: '' })
  })

  test('a change by hand, as docs/sandbox.md makes it, is drift', async () => {
    const cwd = aDirectory({
      'setpoint.yaml': 'organization: acme\n',
      'sets/a.yaml': 'variableSets: { first-set: { env: { GREETING: hello } } }\n',
    })
    expect((await start(['apply', '--sandbox', '--auto-approve'], { cwd }).ended).code).toBe(0)
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/sandbox.md'), 'utf8')
    const [, command = '', calls = ''] =
      /### Change something by hand.*?```sh\nsetpoint (.*?)\n```.*?```sh\n(.*?)```/s.exec(page) ?? []
    const server = start(command.split(' '), { cwd })
    const env = variablesIn(await server.line)
    const changed = await startShell(calls, { cwd, env }).ended
    expect(changed).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('"key":"ADDED"') })
    server.process.kill('SIGINT')
    await server.ended
    const drift = await start(['drift', '--sandbox'], { cwd }).ended
    expect(drift).toMatchObject({ code: 2, stdout: expect.stringContaining('- env ADDED  1') })
  })

  test('overwrites a Terraform configuration of its own, and no other file', async () => {
    const cwd = aDirectory({ 'mine.tfrc': 'credentials "app.terraform.io" {}\n' })
    const first = start(['sandbox', '--terraform-rc', 'its.tfrc', '--token', 'a"b=manage-workspaces'], {
      cwd,
    })
    const written = async (server: typeof first) => {
      const [host = ''] = /127\.0\.0\.1:\d+/.exec(await server.line) ?? []
      return readFileSync(join(cwd, 'its.tfrc'), 'utf8').replaceAll(host, 'HOST')
    }
    expect(await written(first)).toMatch(
      /^# Written by .*\nhost "HOST" \{\n {2}services = \{\n {4}"tfe.v2" {3}= "http:\/\/HOST\/api\/v2\/"\n.*\ncredentials "HOST" \{\n {2}token = "a\\"b"\n\}\n$/s,
    )
    expect(await written(start(['sandbox', '--terraform-rc', 'its.tfrc'], { cwd }))).toMatch(/^# Written by /)
    for (const [file, fault] of [
      ['mine.tfrc', 'it exists, and is not a file of `setpoint sandbox --terraform-rc` that Setpoint wrote'],
      ['.', 'it exists and is not a file'],
    ] as const) {
      const refused = await start(['sandbox', '--terraform-rc', file], { cwd }).ended
      expect([refused.code, refused.stdout, refused.stderr]).toEqual([
        1,
        '',
        expect.stringContaining(`--terraform-rc "${file}": ${fault}.`),
      ])
    }
    expect(readFileSync(join(cwd, 'mine.tfrc'), 'utf8')).toBe('credentials "app.terraform.io" {}\n')
  })

  test('a run succeeds with latency and a rate limit', async () => {
    const cwd = aDirectory(REPOSITORY)
    const server = start(['sandbox', '--latency', '20ms', '--rate-limit', '2'], { cwd })
    const [address = '', token = ''] = (await server.line).split(' ').map(word => word.replace(/^\w+=/, ''))
    const env = { SETPOINT_ADDRESS: address, SETPOINT_TOKEN: token }
    const { code, stderr } = await start(['apply', '--auto-approve', '--verbose'], { cwd, env }).ended
    expect(code).toBe(0)
    const took = [...stderr.matchAll(/ 200 (\d+) ms\n/g)].map(([, milliseconds]) => Number(milliseconds))
    expect(Math.min(...took)).toBeGreaterThanOrEqual(19)
    expect(took.length).toBeGreaterThan(1)
  })
})
