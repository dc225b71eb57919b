import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { type Transport, TransportError } from '../../src/wire/transport.ts'
import { ALL, ENV, FILES, NAMES, services } from '../support/organizations.ts'
import { ONE } from '../support/place.ts'
import { aDirectory, run } from '../support/program.ts'

/** Commits everything in a directory. */
function committed(cwd: string): string {
  const git = (...words: string[]): string =>
    execFileSync('git', ['-C', cwd, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...words], {
      encoding: 'utf8',
    }).trim()
  git('init', '-q')
  git('add', '.')
  git('commit', '-qm', 'x')
  return git('rev-parse', 'HEAD')
}

const PATH = process.env.PATH ?? ''

/** A clock that moves by a second with every look. */
function clock(): () => Date {
  let seconds = 0
  return () => new Date(Date.UTC(2026, 0, 1) + 1_000 * seconds++)
}

/** Time that only waiting moves. */
function virtualTime() {
  let now = 0
  const sleep = async (milliseconds: number): Promise<void> => {
    now += milliseconds
  }
  return { elapsed: () => now, sleep }
}

/** The first request gets a 429 with three seconds to wait, and the second one no response. */
function troubled(transport: Transport): Transport {
  let requests = 0
  return async (request, signal) => {
    requests++
    if (requests === 1) return { status: 429, headers: { 'retry-after': '3' }, body: '' }
    if (requests === 2) throw new TransportError('no response', { sent: 'maybe', code: 'ECONNRESET' })
    return await transport(request, signal)
  }
}

test('JSON says when, by which version and of which commit it was made, and how long the run waited', async () => {
  const { transport } = await services()
  const cwd = aDirectory(FILES)
  const commit = committed(cwd)
  const { stdout } = await run(['plan', '-C', 'orgs/acme', '--format', 'json'], {
    cwd,
    env: { ...ENV, PATH },
    io: { transport: troubled(transport), now: clock(), ...virtualTime() },
  })
  const { startedAt, endedAt, waitedMs, ...made } = JSON.parse(stdout).run
  expect(made).toEqual({ version: '0.0.0-test', commit })
  expect(startedAt).toBe('2026-01-01T00:00:00.000Z')
  expect(endedAt > startedAt).toBe(true)
  expect(waitedMs).toBeGreaterThan(3_000)
  expect(waitedMs).toBeLessThan(10_000)
})

test('without Git, and without a repository, there is no commit', async () => {
  const runOf = async (cwd: string): Promise<object> => {
    const { stdout } = await run(['plan', '--sandbox', '--format', 'json'], { cwd, env: { PATH: cwd } })
    return JSON.parse(stdout).run
  }
  const files = { 'setpoint.yaml': 'organization: acme\n', ...ONE }
  expect(await runOf(aDirectory(files))).not.toHaveProperty('commit')
  const cwd = aDirectory(files)
  committed(cwd)
  expect(await runOf(cwd)).not.toHaveProperty('commit')
})

test('two runs of the same plan have equal digests', async () => {
  const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n', ...ONE })
  const now = clock()
  const reportOf = async () =>
    JSON.parse((await run(['plan', '--sandbox', '--format', 'json'], { cwd, io: { now } })).stdout)
  const [one, other] = [await reportOf(), await reportOf()]
  expect(one.digest).toBe(other.digest)
  expect(one.run.startedAt).not.toBe(other.run.startedAt)
})

test('of several organizations, the run has its shard, and each report its own times and waits', async () => {
  const { transport } = await services()
  const cwd = aDirectory(FILES)
  const commit = committed(cwd)
  let first = true
  const slow: Transport = async (request, signal) => {
    if (!first || !request.path.includes('globex')) return await transport(request, signal)
    first = false
    return { status: 429, headers: { 'retry-after': '3' }, body: '' }
  }
  const { stdout } = await run(['plan', ...ALL, '--shard', '1/1', '--format', 'json'], {
    cwd,
    env: { ...ENV, PATH },
    io: { transport: slow, now: clock(), ...virtualTime() },
  })
  const { run: all, parts } = JSON.parse(stdout)
  expect(all).toMatchObject({ commit, shard: '1/1', version: '0.0.0-test' })
  const runs: { startedAt: string; waitedMs: number }[] = parts.map(
    (part: { report: { run: object } }) => part.report.run,
  )
  expect(runs).toEqual(NAMES.map(() => expect.objectContaining({ commit })))
  expect(runs.filter(({ waitedMs }) => waitedMs > 0)).toHaveLength(1)
  expect(all.waitedMs).toBe(runs.reduce((sum, { waitedMs }) => sum + waitedMs, 0))
  expect(new Set(runs.map(({ startedAt }) => startedAt)).size).toBe(NAMES.length)
})
