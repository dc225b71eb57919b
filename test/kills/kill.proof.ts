import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { resolvedYaml } from '../../src/config/write.ts'
import type { ObservedState, ResolvedState } from '../../src/model/variable-set.ts'
import { createPlan } from '../../src/plan/create.ts'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { listenTo } from '../../src/sandbox/listen.ts'
import type { Transport } from '../../src/wire/transport.ts'
import { expectSection } from '../reliability/page.ts'
import { pairOfStates } from '../support/arbitrary.ts'
import { OPTIONS } from '../support/plans.ts'
import { aDirectory, run } from '../support/program.ts'
import { SOMEWHERE } from '../support/states.ts'
import { aWorld, seedFrom } from '../support/world.ts'

const BIN = resolve(import.meta.dirname, '../../dist/bundle/setpoint.js')
const KILLS = 500
const SECRETS = { SETPOINT_SECRET_S: 'secret-s', SETPOINT_SECRET_T: 'secret-t' }
const HUNG = new Promise<never>(() => {})

interface Pair {
  readonly desired: ResolvedState
  readonly observed: ObservedState
}

/** Pairs of states whose way is long enough to be killed on: at least eight requests. */
function pairs(): Pair[] {
  const long = (pair: Pair) => {
    const { value } = createPlan(pair.desired, pair.observed, OPTIONS)
    return (value?.steps.length ?? 0) >= 8 && value?.diagnostics.length === 0
  }
  return fc.sample(pairOfStates, { numRuns: 8_000, seed: 11 }).map(writable).filter(long)
}

/** What a file can say: the flag `hcl` belongs to readable Terraform variables only. */
const writable = ({ desired, observed }: Pair): Pair => ({
  observed,
  desired: {
    ...desired,
    sets: desired.sets.map(set => ({
      ...set,
      variables: set.variables.map(variable => ({
        ...variable,
        hcl: variable.hcl && 'text' in variable.value && variable.key.startsWith('terraform/'),
      })),
    })),
  },
})

function repository({ desired }: Pair): string {
  const targets = <Id extends string>(ids: readonly Id[] | undefined) =>
    ids?.map(id => ({ id, source: SOMEWHERE }))
  const sets = desired.sets.map(({ workspaces, projects, ...set }) => ({
    ...set,
    ...(workspaces === undefined ? {} : { workspaces: targets(workspaces) ?? [] }),
    ...(projects === undefined ? {} : { projects: targets(projects) ?? [] }),
  }))
  const directory = aDirectory({ 'setpoint.yaml': 'organization: acme\n' })
  mkdirSync(join(directory, 'sets'))
  writeFileSync(join(directory, 'sets/all.yaml'), resolvedYaml({ sets, removed: desired.removed }))
  return directory
}

interface Kill {
  /** Which request of the process, from 1. */
  readonly at: number
  readonly when: 'before' | 'after'
}

interface Ended {
  readonly killed: boolean
  readonly code: number | null
  readonly requests: number
}

/** Serves the sandbox; at the request of `kill` its client is killed, before or after the service acted. */
async function applyOnce(sandbox: Sandbox, cwd: string, kill: Kill | undefined): Promise<Ended> {
  let requests = 0
  let strike: (() => void) | undefined
  const transport: Transport = async (request, signal) => {
    if (strike === undefined || ++requests !== kill?.at) return await sandbox.transport(request, signal)
    if (kill.when === 'after') await sandbox.transport(request, signal)
    strike()
    return await HUNG
  }
  const server = await listenTo(transport, {})
  const env = { ...SECRETS, SETPOINT_ADDRESS: server.url, SETPOINT_TOKEN: sandbox.token }
  const planned = await run(['plan', '--format', 'json'], { cwd, env })
  const argv = ['apply', '--approve', JSON.parse(planned.stdout).digest, '--rate', '10000']
  const child = spawn(process.execPath, [BIN, ...argv], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
    stdio: 'ignore',
  })
  strike = () => child.kill('SIGKILL')
  const ended = await new Promise<Ended>(done => {
    child.once('exit', (code, signal) => done({ code, killed: signal === 'SIGKILL', requests }))
  })
  await server.close()
  return { ...ended, requests }
}

/** One quiet run after whatever happened: done, nothing lost, nothing double, nobody else's set touched. */
async function expectRepair(sandbox: Sandbox, cwd: string, foreign: string): Promise<void> {
  const server = await sandbox.listen()
  const env = { ...SECRETS, SETPOINT_ADDRESS: server.url, SETPOINT_TOKEN: sandbox.token }
  const planned = await run(['plan', '--format', 'json'], { cwd, env })
  const repaired = await run(['apply', '--approve', JSON.parse(planned.stdout).digest, '--rate', '10000'], {
    cwd,
    env,
  })
  const left = await run(['plan', '--detailed-exitcode'], { cwd, env })
  await server.close()
  expect([repaired.code, left.code], `${repaired.stdout}${repaired.stderr}${left.stdout}`).toEqual([0, 0])
  const sets = sandbox.snapshot().sets ?? []
  expect(new Set(sets.map(({ name }) => name)).size).toBe(sets.length)
  for (const { variables = [] } of sets)
    expect(new Set(variables.map(({ category, key }) => `${category}/${key}`)).size).toBe(variables.length)
  expect(foreignIn(sandbox)).toBe(foreign)
}

const FOREIGN = 'left-alone'
const foreignIn = (sandbox: Sandbox): string =>
  JSON.stringify(sandbox.snapshot().sets?.filter(({ name }) => name === FOREIGN))

async function aService(pair: Pair): Promise<Sandbox> {
  const foreign = { name: FOREIGN, variables: [{ key: 'A', category: 'env', value: 'theirs' }] }
  return (await aWorld([...pair.observed.sets.map(seedFrom), foreign])).sandbox
}

interface Chosen {
  readonly pair: Pair
  readonly cwd: string
  /** Of an apply that nothing disturbs. */
  readonly requests: number
}

/** As many pairs as give the kills that are wanted, one before and one after the commit of each request. */
async function chosen(): Promise<Chosen[]> {
  const found: Chosen[] = []
  for (const pair of pairs()) {
    if (requestsOf(found) * 2 >= KILLS) break
    const cwd = repository(pair)
    // A random state may say what no file can, such as a previous name that is declared as well.
    if ((await run(['validate'], { cwd })).code !== 0) continue
    const { requests, code } = await applyOnce(await aService(pair), cwd, undefined)
    expect(code).toBe(0)
    found.push({ pair, cwd, requests })
  }
  return found
}

const requestsOf = (all: readonly Chosen[]): number => all.reduce((sum, { requests }) => sum + requests, 0)

const killed = { before: 0, after: 0, reruns: 0 }
const missed: string[] = []

/** Every request of one apply, before and after the commit; and for some, a second kill in the rerun. */
async function sweep({ pair, cwd, requests }: Chosen): Promise<void> {
  for (let at = 1; at <= requests; at++)
    for (const when of ['before', 'after'] as const) {
      const sandbox = await aService(pair)
      const foreign = foreignIn(sandbox)
      const ended = await applyOnce(sandbox, cwd, { at, when })
      if (ended.killed) killed[when]++
      else missed.push(`${at} ${when}: exit ${ended.code}`)
      if (at % 4 === 0) {
        const again = await applyOnce(sandbox, cwd, { at: 1 + (at % 5), when })
        if (again.killed) killed.reruns++
      }
      await expectRepair(sandbox, cwd, foreign)
      await sandbox.close()
    }
}

/** How often a rerun is killed as well depends on what was on its way when the first was. */
const FEWEST_RERUNS = 40

test(`a client that is killed at any request, before or after the commit, is repaired by one quiet run`, async () => {
  const all = await chosen()
  const waiting = all.values()
  const worker = async (): Promise<void> => {
    for (const one of waiting) await sweep(one)
  }
  await Promise.all([worker(), worker()])
  expect(missed).toEqual([])
  const { before, after, reruns } = killed
  expect(before + after).toBeGreaterThanOrEqual(KILLS)
  expect(reruns).toBeGreaterThanOrEqual(FEWEST_RERUNS)
  expectSection(
    'kills',
    `
${before + after} kills of real processes: the sandbox kills its client at each of the ${requestsOf(all)} requests that ${all.length} applies take, ${before} times
before it has acted and ${after} times after it. At least ${FEWEST_RERUNS} times the rerun is killed as well.

| after one quiet run | kills |
| - | - |
| a change that is still missing | 0 |
| two sets of a name, or two variables of a key | 0 |
| a change of a set that is not ours | 0 |
`,
  )
})
