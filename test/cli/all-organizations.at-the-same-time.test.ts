import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Transport } from '../../src/wire/transport.ts'
import { ALL, ENV, FILES, NAMES, services } from '../support/organizations.ts'
import { aDirectory, run } from '../support/program.ts'

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
    .flatMap(line => /\/organizations\/([^/]+)/.exec(line)?.[1] ?? [])
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
    expect.stringContaining('4 organizations: 2 with changes, 2 failed'),
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
  const steps = [...stdout.matchAll(/\bsetpoint (plan|apply) \w+ {3}(\S+) @|Apply this plan\?/g)]
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
