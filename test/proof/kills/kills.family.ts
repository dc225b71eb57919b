import fc from 'fast-check'
import { createPlan } from '../../../src/plan/create.ts'
import type { Sandbox } from '../../../src/sandbox/index.ts'
import { pairOfStates } from '../../support/arbitrary.ts'
import { OPTIONS } from '../../support/plans.ts'
import { inRepository, type Pair, writable } from '../../support/repository.ts'
import { run } from '../../support/run.ts'
import { aWorld, seedFrom } from '../../support/world.ts'
import { again, atLeast, type Family, sum } from '../family.ts'
import { applyOnce, approvalOf, SECRETS } from './apply-once.ts'

/** An apply of one pair of states, killed at each of its requests, or at `few` of them, starting with `from`. */
interface Task {
  readonly pair: number
  /** On the sandbox's profile of another server, as far as it has what is in the states. */
  readonly on?: 'otf'
  readonly few?: { readonly count: number; readonly from: number }
}

interface Found {
  /** Requests of an undisturbed apply. */
  readonly requests: number
  readonly before: number
  readonly after: number
  readonly reruns: number
  /** Applies that were finished by the plan file and the digest that they were started with. */
  readonly same: number
  readonly broken: readonly string[]
}

/** Number of applies, on the default profile and on the other one, and of requests for some of them. */
const PAIRS = { own: 20, otf: 6 } as const
const FEW = { part: { pairs: 6, count: 4 }, sample: { pairs: 1, count: 3 } } as const

/** Real processes, which the service kills at a request, before or after it acts. */
const kills: Family<Task, Found> = {
  name: 'kills',
  proves: ['F-21', 'F-41', 'I-09'],
  tasks(size, seed) {
    const all: readonly Task[] = [
      ...Array.from({ length: PAIRS.own }, (_, pair) => ({ pair })),
      ...Array.from({ length: PAIRS.otf }, (_, pair) => ({ pair, on: 'otf' }) as const),
    ]
    if (size === 'whole') return all
    const { pairs: wanted, count } = FEW[size]
    // A step that shares no factor with their number, so that both kinds are among a few.
    return Array.from({ length: wanted }, (_, turn) => ({
      ...(all[(7 * (seed * wanted + turn)) % all.length] as Task),
      few: { count, from: seed + turn },
    }))
  },
  seconds: ({ few }) => (few === undefined ? 30 : few.count * 3),
  run: sweep,
  conclude(done, size, isAll) {
    const total = (count: (found: Found) => number): number => sum(done, ({ found }) => count(found))
    const all = total(({ before, after }) => before + after)
    return {
      figures: [
        ['kills of real processes', all],
        ['of them after the service had acted', total(({ after }) => after)],
        ['reruns that were killed as well', total(({ reruns }) => reruns)],
        ['reruns with the plan file and digest of the killed apply', total(({ same }) => same)],
      ],
      promises: [
        {
          promise:
            'after a client is killed at any request, before or after the service acts, one run without faults repairs everything',
          broken: done.flatMap(({ task, found }) =>
            found.broken.map(one => `${one}\n${again('kills', task)}`),
          ),
        },
        ...(size === 'whole' ? [atLeast('500 processes are killed', 500, all, isAll)] : []),
        // How often a rerun is killed as well depends on the requests under way when the first run was killed.
        ...(size === 'whole'
          ? [
              atLeast(
                '40 reruns are killed as well',
                40,
                total(({ reruns }) => reruns),
                isAll,
              ),
            ]
          : []),
      ],
      section: `${all} kills of real processes: the sandbox kills its client at each of the ${total(({ requests }) => requests)} requests that ${done.length} applies take, ${total(({ before }) => before)} times before it acts and ${total(({ after }) => after)} times after. ${total(({ reruns }) => reruns)} times the rerun is killed as well, and ${total(({ same }) => same)} times it is the same apply again, with its plan file and digest. After one run without faults, no change is missing, no set or variable is duplicated, and no unmanaged set has changed.`,
    }
  },
  story: found => `${JSON.stringify(found, undefined, 2)}\n`,
}

export default kills

/**
 * Pairs of states that need at least eight requests. A random state that no file can express, such as a declared previous name,
 * is skipped.
 */
async function pairNumber(number: number, on: Task['on']): Promise<Pair> {
  const states = fc.sample(pairOfStates, { numRuns: 100, seed: 11 + number }).map(writable)
  for (const pair of on === undefined ? states : states.map(plain)) {
    const { value } = createPlan(pair.desired, pair.observed, OPTIONS)
    if ((value?.steps.length ?? 0) < 8 || value?.diagnostics.length !== 0) continue
    if (await inRepository(pair, async cwd => (await run(['validate'], { cwd })).code === 0)) return pair
  }
  throw new RangeError(`there is no pair ${number}`)
}

/** Without what such a service does not have: projects, Stacks, sets of projects, priority. */
const plain = ({ desired, observed }: Pair): Pair => ({
  desired: {
    ...desired,
    sets: desired.sets.map(set => ({
      ...set,
      parent: undefined,
      priority: false,
      projects: undefined,
      stacks: undefined,
    })),
  },
  observed: {
    ...observed,
    sets: observed.sets.map(set => ({
      ...set,
      parent: undefined,
      priority: false,
      projects: [],
      stacks: undefined,
    })),
  },
})

/** What one run without faults leaves undone, lost or duplicated, or has done to an unmanaged set. */
async function brokenAfter(sandbox: Sandbox, cwd: string, foreign: string): Promise<string[]> {
  const server = await sandbox.listen()
  const env = { ...SECRETS, SETPOINT_ADDRESS: server.url, SETPOINT_TOKEN: sandbox.token }
  const { digest, words } = await approvalOf(cwd, env)
  const repair = ['apply', ...words, '--approve', digest, '--rate', '10000']
  const repaired = await run(repair, { cwd, env })
  const left = await run(['plan', '--detailed-exitcode'], { cwd, env })
  await server.close()
  const sets = sandbox.snapshot().sets ?? []
  const variables = sets.flatMap(({ name, variables = [] }) =>
    variables.map(({ category, key }) => `${name} ${category}/${key}`),
  )
  return [
    ...(repaired.code === 0
      ? []
      : [`the rerun exits with ${repaired.code}: ${repaired.stdout}${repaired.stderr}`]),
    ...(left.code === 0 ? [] : [`changes are left: ${left.stdout}${left.stderr}`]),
    ...(new Set(sets.map(({ name }) => name)).size === sets.length ? [] : ['two sets have one name']),
    ...(new Set(variables).size === variables.length ? [] : ['two variables of a set have one key']),
    ...(foreignIn(sandbox) === foreign ? [] : ['an unmanaged set has changed']),
  ]
}

const FOREIGN = 'left-alone'
const foreignIn = (sandbox: Sandbox): string =>
  JSON.stringify(sandbox.snapshot().sets?.filter(({ name }) => name === FOREIGN))

async function aService(pair: Pair, on: Task['on']): Promise<Sandbox> {
  const foreign = { name: FOREIGN, variables: [{ key: 'A', category: 'env', value: 'theirs' }] }
  // A write that takes its time may arrive between the plan and the apply of a rerun.
  const server =
    on === undefined ? {} : { profile: { server: on }, traits: { writesThatMeet: 'accepted' } as const }
  return (await aWorld([...pair.observed.sets.map(seedFrom), foreign], server)).sandbox
}

/** All requests of one apply, before and after the commit; for some of them also a second kill in the rerun. */
async function sweep({ pair: number, on, few }: Task): Promise<Found> {
  const pair = await pairNumber(number, on)
  return await inRepository(pair, async cwd => {
    const quiet = await applyOnce(await aService(pair, on), cwd, undefined)
    const { requests } = quiet
    const [counts, broken] = [{ before: 0, after: 0, reruns: 0, same: 0 }, [] as string[]]
    if (quiet.code !== 0) broken.push(`an undisturbed apply exits with ${quiet.code}`)
    const places = Array.from({ length: requests }, (_, index) => index + 1)
    const first = (few?.from ?? 0) % requests
    const some = few === undefined ? places : [...places.slice(first), ...places].slice(0, few.count)
    for (const at of some)
      for (const when of ['before', 'after'] as const) {
        const sandbox = await aService(pair, on)
        const foreign = foreignIn(sandbox)
        const ended = await applyOnce(sandbox, cwd, { at, when }, [], async ({ digest }, url) => {
          // Every other one is finished by the plan file and the digest that it was started with.
          if (at % 2 === 0) return
          const env = { ...SECRETS, SETPOINT_ADDRESS: url, SETPOINT_TOKEN: sandbox.token }
          const same = await run(['apply', 'plan.json', '--approve', digest, '--rate', '10000'], { cwd, env })
          counts.same++
          if (same.code !== 0) broken.push(`the same apply exits with ${same.code}: ${same.stderr}`)
        })
        if (ended.killed) counts[when]++
        else broken.push(`request ${at} ${when}: exit ${ended.code}, and no kill`)
        if (at % 4 === 0) {
          const rerun = await applyOnce(sandbox, cwd, { at: 1 + (at % 5), when })
          if (rerun.killed) counts.reruns++
        }
        const found = await brokenAfter(sandbox, cwd, foreign)
        broken.push(...found.map(one => `killed at request ${at}, ${when} the service acted: ${one}`))
        await sandbox.close()
      }
    return { requests, ...counts, broken }
  })
}
