import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FORMATS, type Format } from '../../src/report/formats.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import type { Transport } from '../../src/wire/transport.ts'
import { FOR_PEOPLE, TELLING } from '../support/formats.ts'
import { ALL, ENV, FILES, NAMES, services } from '../support/organizations.ts'
import { aDirectory, run } from '../support/program.ts'

const ORGANIZATIONS = ['alpha', 'beta', 'delta', 'gamma', 'kappa']
const SANDBOXED = ['--config', 'orgs/*/setpoint.yaml', '--sandbox']

const files = (names: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    names.flatMap(name => [
      [`orgs/${name}/setpoint.yaml`, `organization: ${name}\n`],
      [`orgs/${name}/sets/a.yaml`, `variableSets:\n  ${name}-set: { env: { A: "1" } }\n`],
    ]),
  )

describe('several organizations in one run', () => {
  test('are planned and applied one after the other, with one line each at the end', async () => {
    const cwd = aDirectory(files(['alpha', 'beta']))
    const planned = await run(['plan', ...SANDBOXED, '--detailed-exitcode'], { cwd })
    expect(planned.code).toBe(2)
    expect(planned.stdout).toContain('+ alpha-set')
    expect(planned.stdout).toContain('+ beta-set')
    expect(planned.stdout).toContain('\n\nsetpoint plan   2 organizations\n2 with changes\n')
    expect((await run(['apply', ...SANDBOXED, '--auto-approve'], { cwd })).code).toBe(0)
    const again = await run(['drift', ...SANDBOXED], { cwd })
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('   2 organizations\n2 equal\n')])
  })

  test('are approved by the full digests of their plans', async () => {
    const cwd = aDirectory(files(['alpha', 'beta']))
    const { stdout } = await run(['plan', ...SANDBOXED, '--format', 'json'], { cwd })
    const digests: string[] = JSON.parse(stdout).parts.map(
      (part: { report: { digest: string } }) => part.report.digest,
    )
    const short = digests.map(digest => digest.slice(0, 12)).join(',')
    const refused = await run(['apply', ...SANDBOXED, '--approve', short], { cwd })
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringContaining(`The approval "${digests[0]?.slice(0, 12)}" has 12 of 64 digits`),
    ])
    for (const form of FOR_PEOPLE) {
      const shown = await run(['plan', ...SANDBOXED, '--format', form], { cwd })
      expect(digests.filter(digest => !shown.stdout.includes(digest))).toEqual([])
    }
    const one = await run(['apply', ...SANDBOXED, '--approve', digests[0] ?? ''], { cwd })
    expect(one.code).toBe(3)
    expect((await run(['plan', ...SANDBOXED], { cwd })).stdout).toContain('1 with changes, 1 equal')
    const both = await run(['apply', ...SANDBOXED, '--approve', digests.join(',')], { cwd })
    expect([both.code, both.stdout]).toEqual([
      0,
      expect.stringContaining('setpoint apply   2 organizations\n1 applied, 1 equal'),
    ])
    expect((await run(['plan', ...SANDBOXED], { cwd })).stdout).toContain('2 equal')
  })

  test('are finished by a new review of the organization that stopped halfway', async () => {
    const names = ['alpha', 'beta']
    const sandbox = await createSandbox({ seed: { organizations: names.map(name => ({ name })) } })
    let [writes, isOver] = [0, false]
    // The second write of the second organization fails.
    const { url } = await sandbox.listen({
      faults: {
        matches: ({ method }) => !isOver && method !== 'GET' && ++writes > 3,
        probability: 1,
        faults: [{ kind: 'error', status: 500, commit: 'before' }],
      },
    })
    onTestFinished(() => sandbox.close())
    const sets = (name: string): string =>
      `variableSets:\n${[1, 2].map(n => `  ${name}-${n}: { env: { A: 1 } }\n`).join('')}`
    const more = names.map(name => [`orgs/${name}/sets/a.yaml`, sets(name)])
    const cwd = aDirectory({ ...files(names), ...Object.fromEntries(more) })
    const here = { cwd, env: { SETPOINT_ADDRESS: url, SETPOINT_TOKEN: sandbox.token } }
    const all = ['--config', 'orgs/*/setpoint.yaml']
    const { stdout } = await run(['plan', ...all, '--format', 'json'], here)
    const digests: string[] = JSON.parse(stdout).parts.map(
      (part: { report: { digest: string } }) => part.report.digest,
    )
    const apply = ['apply', ...all, '--approve', digests.join(','), '--concurrency', '1']
    const stopped = await run(apply, here)
    expect(stopped.code).toBe(3)
    isOver = true
    const review = 'setpoint plan --concurrency 1 --config orgs/beta/setpoint.yaml'
    expect(stopped.stderr).toContain(`If this apply stops halfway, the rest needs a new review: ${review}\n`)
    expect(stopped.stdout).toContain(`Next: review what is left, then apply it: ${review}\n`)
    const again = await run(apply, here)
    expect([again.code, again.stderr]).toEqual([4, expect.stringContaining('the rest needs a new review')])
    const left = await run([...review.split(' ').slice(1), '--format', 'json'], here)
    const { digest } = JSON.parse(left.stdout)
    const config = ['--config', 'orgs/beta/setpoint.yaml']
    expect((await run(['apply', ...config, '--approve', digest], here)).code).toBe(0)
    expect((await run(['plan', ...all], here)).stdout).toContain('   2 organizations\n2 equal\n')
  })

  test('count an organization as applied if only its inventory was written', async () => {
    const cwd = aDirectory(files(['alpha', 'beta']))
    expect((await run(['apply', ...SANDBOXED, '--auto-approve'], { cwd })).code).toBe(0)
    writeFileSync(join(cwd, 'orgs/alpha/setpoint.yaml'), 'organization: alpha\nowner: team\n')
    const owned = await run(['apply', ...SANDBOXED, '--auto-approve'], { cwd })
    expect([owned.code, owned.stdout]).toEqual([
      0,
      expect.stringContaining('   2 organizations\n1 applied, 1 equal\n'),
    ])
  })

  test('of one owner and one organization are refused: each would prune the sets of the other', async () => {
    const cwd = aDirectory({
      ...files(['alpha', 'beta']),
      'orgs/alpha/setpoint.yaml': 'organization: acme\nowner: me\nprune: true\n',
      'orgs/beta/setpoint.yaml': 'owner: me\norganization: acme\n',
    })
    expect(await run(['apply', ...SANDBOXED, '--auto-approve'], { cwd })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'orgs/beta/setpoint.yaml:2:1  error owner-in-use\n  The owner "me" of "acme" is also that of orgs/alpha/setpoint.yaml.\n  Give each configuration of an organization an owner of its own.\n',
    })
    writeFileSync(join(cwd, 'orgs/beta/setpoint.yaml'), 'organization: acme\nowner: beta\n')
    expect((await run(['plan', ...SANDBOXED], { cwd })).code).toBe(0)
  })

  test('are reported as failed or refused if nothing was written', async () => {
    const cwd = aDirectory({
      ...files(['alpha', 'beta']),
      'orgs/alpha/sets/a.yaml': 'variableSets:\n  a: { env: { S: { secret: S } } }\n',
    })
    const lastLines = ({ stdout }: { stdout: string }, most = 3): string[] =>
      stdout.trimEnd().split('\n').slice(-most)
    expect(lastLines(await run(['apply', ...SANDBOXED, '--auto-approve'], { cwd }))).toEqual([
      '1 applied, 1 failed',
      expect.stringMatching(
        /^ {2}orgs\/alpha\/setpoint.yaml {2}failed, exit 1; planned: 1 set is created: 1 request {2}[0-9a-f]{64}$/,
      ),
      '  orgs/beta/setpoint.yaml   Applied: 1 created. Verified by reading the service back.',
    ])
    // An equal one is counted, and has a line if everything is requested.
    expect(lastLines(await run(['apply', ...SANDBOXED, '--verbose'], { cwd }), 4)).toEqual([
      '1 equal, 1 refused',
      expect.stringMatching(
        /^ {2}orgs\/alpha\/setpoint.yaml {2}refused; planned: 1 set is created: 1 request {2}[0-9a-f]{64}$/,
      ),
      'Equal',
      '  orgs/beta/setpoint.yaml  No changes. 1 set equal.',
    ])
    expect(lastLines(await run(['apply', ...SANDBOXED], { cwd }), 2)).toEqual([
      '1 equal, 1 refused',
      expect.stringMatching(/^ {2}orgs\/alpha\/setpoint.yaml {2}refused/),
    ])
  })

  test('an organization with mistakes does not stop the others, and determines the exit code', async () => {
    const cwd = aDirectory({
      '.git/HEAD': '',
      ...files(['alpha', 'beta']),
      'orgs/beta/sets/b.yaml': 'variableSets: [\n',
    })
    const planned = await run(['plan', ...SANDBOXED], { cwd })
    expect([planned.code, planned.stderr]).toEqual([1, expect.stringContaining('orgs/beta/sets/b.yaml')])
    expect(planned.stdout).toContain('1 with changes, 1 failed')
    const applied = await run(['apply', ...SANDBOXED, '--auto-approve'], { cwd })
    expect(applied.code).toBe(3)
    expect((await run(['validate', '--config', 'orgs/*/setpoint.yaml'], { cwd })).code).toBe(1)
    await run(['plan', '--config', 'orgs/b*/setpoint.yaml', '--sandbox', '--report', 'html=r.html'], { cwd })
    expect(readFileSync(join(cwd, 'r.html'), 'utf8')).toContain(
      '<title>Plan 1 organization - Setpoint</title>',
    )
  })

  test('write one report in every format', async () => {
    const cwd = aDirectory(files(['alpha', 'beta']))
    const wanted = FORMATS.flatMap(kind => ['--report', `${kind}=report.${kind}`])
    await run(['plan', ...SANDBOXED, ...wanted], { cwd })
    const reportOf = (kind: Format) => readFileSync(join(cwd, `report.${kind}`), 'utf8')
    expect(reportOf('markdown').match(/<!-- setpoint:/g)).toHaveLength(1)
    for (const report of TELLING.map(reportOf)) {
      expect(report).toContain('alpha-set')
      expect(report).toContain('beta-set')
    }
    expect(JSON.parse(reportOf('json')).parts.map((part: { exitCode: number }) => part.exitCode)).toEqual([
      0, 0,
    ])
    expect(JSON.parse(reportOf('gitlab'))).toEqual({ create: 2, update: 0, delete: 0 })
  })

  test('shards cover each organization exactly once', async () => {
    const cwd = aDirectory(files(ORGANIZATIONS))
    for (const n of [1, 2, 3, 4, 7]) {
      const seen: string[] = []
      for (let i = 1; i <= n; i++) {
        const { stdout } = await run(['plan', ...SANDBOXED, '--shard', `${i}/${n}`, '--format', 'json'], {
          cwd,
        })
        seen.push(
          ...JSON.parse(stdout).parts.map(
            (part: { report: { organization: string } }) => part.report.organization,
          ),
        )
      }
      expect(seen.toSorted()).toEqual(ORGANIZATIONS)
    }
  })

  test.each(['0/3', '4/3', '1', 'a/b', '1/0', 'index=3/3', 'index=/3', 'index=-1/3'])(
    '--shard %s is an error',
    async shard => {
      const { code, stderr } = await run(['plan', ...SANDBOXED, '--shard', shard], { cwd: aDirectory() })
      expect([code, stderr]).toEqual([1, expect.stringContaining('Expected I/N')])
    },
  )

  test('no match, a path out of the repository, and --out are errors', async () => {
    const cwd = aDirectory(files(['alpha']))
    for (const config of ['teams/*.yaml', '../*/setpoint.yaml']) {
      const { code, stderr } = await run(['plan', '--sandbox', '--config', config], { cwd })
      expect([code, stderr]).toEqual([1, expect.stringContaining('no-configuration')])
    }
    const out = await run(['plan', ...SANDBOXED, '--out', 'plan.json'], { cwd })
    expect([out.code, out.stderr]).toEqual([1, expect.stringContaining('covers one organization')])
  })

  test('a signal starts no further organization, and the summary says so', async () => {
    const cwd = aDirectory(files(['alpha', 'beta']))
    const stop = new AbortController()
    stop.abort()
    const { code, stdout } = await run(['apply', ...SANDBOXED, '--auto-approve'], { cwd, stop })
    expect([code, stdout]).toEqual([130, expect.stringContaining('2 not started')])
  })
})

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Holds every first request back until all organizations have sent theirs, or nothing more happens. */
function meeting(transport: Transport, many: number) {
  const started = new Set<string>()
  const held: Transport = async (request, signal) => {
    started.add(request.headers.authorization ?? '')
    for (let at = 0; started.size < many && at < 2_000; at++) await turn()
    return await transport(request, signal)
  }
  return { started, held }
}

/** How many requests of different organizations were under way together, at most. */
function overlap(transport: Transport) {
  const under: string[] = []
  let most = 0
  const watched: Transport = async (request, signal) => {
    under.push(request.path.split('/')[4] ?? '')
    await turn()
    most = Math.max(most, new Set(under).size)
    const response = await transport(request, signal)
    under.shift()
    return response
  }
  return { watched, most: () => most }
}

test('organizations with tokens of their own run at the same time, and print as one after the other', async () => {
  const { transport } = await services()
  const cwd = aDirectory(FILES)
  const { held, started } = meeting(transport, NAMES.length)
  const reports = ['--report', 'json=all.json']
  const at = (io: Transport) =>
    run(['plan', ...ALL, ...reports, '--verbose'], { cwd, env: ENV, io: { transport: io, elapsed: () => 0 } })
  const together = await at(held)
  expect([together.code, started.size]).toEqual([0, NAMES.length])
  const json = JSON.parse(readFileSync(join(cwd, 'all.json'), 'utf8'))
  expect(json.parts.map((part: { report: { organization: string } }) => part.report.organization)).toEqual(
    NAMES,
  )
  const alone = []
  for (const name of NAMES)
    alone.push(
      await run(['plan', '--config', `orgs/${name}/setpoint.yaml`, '--verbose'], {
        cwd,
        env: ENV,
        io: { transport, elapsed: () => 0 },
      }),
    )
  expect(together.stdout.startsWith(alone.map(({ stdout }) => stdout).join('\n'))).toBe(true)
  const organizations = together.stderr
    .split('\n')
    .flatMap(line => /\/organizations\/([^/\s]+)/.exec(line)?.[1] ?? [])
  expect(organizations).toEqual(organizations.toSorted())
  expect(new Set(organizations)).toEqual(new Set(NAMES))
  const sorted = (text: string): string[] => text.split('\n').toSorted()
  expect(sorted(together.stderr)).toEqual(sorted(alone.map(({ stderr }) => stderr).join('')))
})

test('organizations with equal tokens run one after the other', async () => {
  const { transport, sandboxes } = await services()
  const byOrganization = new Map(NAMES.map((name, at) => [name, [...sandboxes.values()][at]]))
  const anyToken: Transport = async (request, signal) => {
    const [, name = ''] = /\/organizations\/([^/]+)/.exec(request.path) ?? []
    const authorization = [...sandboxes].find(([, one]) => one === byOrganization.get(name))?.[0] ?? ''
    return await transport({ ...request, headers: { ...request.headers, authorization } }, signal)
  }
  const planned = async (env: Readonly<Record<string, string>>) => {
    const { watched, most } = overlap(anyToken)
    const { code } = await run(['plan', ...ALL], { cwd: aDirectory(FILES), env, io: { transport: watched } })
    return [code, most()]
  }
  const same = Object.fromEntries(Object.keys(ENV).map(name => [name, 'one-token-for-all-of-them']))
  expect(await planned(same)).toEqual([0, 1])
  expect(await planned({ SETPOINT_TOKEN: 'one-token-for-all-of-them' })).toEqual([0, 1])
  expect(await planned({ ...same, SETPOINT_TOKEN_GLOBEX: 'another-token' })).toEqual([0, 2])
})

test('a failure of one does not stop the others, and the exit code is the most severe', async () => {
  const { transport } = await services()
  const cwd = aDirectory({ ...FILES, 'orgs/initech/sets/a.yaml': 'variableSets: [\n' })
  const setpoint = (...argv: string[]) =>
    run([...argv, ...ALL], { cwd, env: { ...ENV, SETPOINT_TOKEN_GLOBEX: 'wrong' }, io: { transport } })
  const planned = await setpoint('plan')
  expect([planned.code, planned.stdout]).toEqual([
    1,
    expect.stringContaining('   4 organizations\n2 with changes, 2 failed\n'),
  ])
  expect(planned.stderr.indexOf('(401)')).toBeLessThan(planned.stderr.indexOf('yaml-syntax'))
  const applied = await setpoint('apply', '--auto-approve')
  expect([applied.code, applied.stdout]).toEqual([3, expect.stringContaining('2 applied, 2 failed')])
})

test('after Ctrl-C no further organization begins, and those under way end as they do alone', async () => {
  const { transport, seen } = await services()
  const stop = new AbortController()
  const stopping: Transport = async (request, signal) => {
    const response = await transport(request, signal)
    if (request.method === 'POST') stop.abort()
    return response
  }
  const cwd = aDirectory(FILES)
  const env = { ...ENV, SETPOINT_TOKEN_BLUE_LAB: ENV.SETPOINT_TOKEN_ACME ?? '' }
  const { code, stdout } = await run(['apply', ...ALL, '--auto-approve'], {
    cwd,
    env,
    stop,
    io: { transport: stopping },
  })
  expect(code).toBe(130)
  expect(stdout).toContain('orgs/blue-lab/setpoint.yaml  not started')
  expect(seen.some(({ request }) => request.path.includes('blue-lab'))).toBe(false)
})

test('questions are asked one after the other, each below its plan', async () => {
  const { transport } = await services()
  const cwd = aDirectory(FILES)
  const { held } = meeting(transport, NAMES.length)
  const { code, stdout } = await run(['apply', ...ALL], {
    cwd,
    env: ENV,
    answers: ['yes', 'no', 'yes', 'yes'],
    io: { transport: held },
  })
  expect(code).toBe(3)
  const steps = [
    ...stdout.matchAll(/\bsetpoint (plan|apply) \w+ {3}([^\s/]+)(?: @|\/\S+| {3})|Apply this plan\?/g),
  ]
  expect(steps.map(([whole, kind, name]) => (kind === undefined ? whole : `${kind} ${name}`))).toEqual([
    ...['plan acme', 'Apply this plan?', 'apply acme'],
    ...['plan blue-lab', 'Apply this plan?'],
    ...['plan globex', 'Apply this plan?', 'apply globex'],
    ...['plan initech', 'Apply this plan?', 'apply initech'],
  ])
})

test('secrets of standard input are read once, for all organizations', async () => {
  const { transport, sandboxes } = await services()
  let reads = 0
  const input = () => ({
    all: async () => {
      reads++
      return '{"B": "from-standard-input"}'
    },
  })
  const { SETPOINT_SECRET_B: _, ...env } = ENV
  const { code } = await run(['apply', ...ALL, '--auto-approve', '--secrets', '-'], {
    cwd: aDirectory(FILES),
    env,
    io: { transport, input },
  })
  expect([code, reads]).toEqual([0, 1])
  for (const sandbox of sandboxes.values())
    expect(JSON.stringify(sandbox.snapshot({ sensitive: true }))).toContain('from-standard-input')
})

test('a secret of one organization that the files of another show in clear stays hidden in the first', async () => {
  const { transport } = await services()
  const files = {
    ...FILES,
    'orgs/acme/sets/a.yaml': 'variableSets: { base: { env: { A: plain-host-name } } }\n',
    'orgs/globex/sets/a.yaml': 'variableSets: { base: { description: x, env: { B: { secret: B } } } }\n',
  }
  const cwd = aDirectory(files)
  const { stdout } = await run(['plan', ...ALL, '--report', 'json=all.json'], {
    cwd,
    env: { ...ENV, SETPOINT_SECRET_B: 'plain-host-name' },
    io: { transport },
  })
  expect(stdout).toContain('A  plain-host-name')
  const [acme] = JSON.parse(readFileSync(join(cwd, 'all.json'), 'utf8')).parts
  expect(stdout).toContain(acme.report.digest)
  expect(JSON.stringify(acme)).toContain('plain-host-name')
})
