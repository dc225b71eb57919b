import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { resolvedYaml } from '../../../src/config/write.ts'
import type { ObservedState, ResolvedState } from '../../../src/model/variable-set.ts'
import type { Sandbox, SandboxOptions } from '../../../src/sandbox/index.ts'
import { desiredFor, observedState } from '../../support/arbitrary.ts'
import { inRepository, writable } from '../../support/repository.ts'
import { asWritten } from '../../support/states.ts'
import { aWorld, seedFrom } from '../../support/world.ts'
import { again, atLeast, type Family, sum } from '../family.ts'
import { applyOnce, type End, MANNERS, planned, setpointAt } from './ending.ts'

/** An apply of one pair of states, ended at each of its requests, or at `few` of them, starting with `from`. */
interface Task {
  readonly pair: number
  readonly history: keyof typeof HISTORIES
  readonly few?: { readonly count: number; readonly from: number }
}

interface Found {
  /** Requests of an undisturbed apply. */
  readonly requests: number
  readonly ends: Readonly<Record<End['manner'], number>>
  readonly reruns: number
  /** Applies that were finished by the plan file and the digest that they were started with. */
  readonly same: number
  readonly broken: readonly string[]
}

/** What was there before, and on which service. */
const HISTORIES = {
  'no owner': { owner: '', service: {} },
  owner: { owner: 'owner: me\n', service: {} },
  'several requests for a set': { owner: 'owner: me\n', service: { traits: { setBody: 'ignored' } } },
  // A write that takes its time may arrive between the plan and the apply of a rerun.
  otf: { owner: '', service: { profile: { server: 'otf' }, traits: { writesThatMeet: 'accepted' } } },
} as const satisfies Readonly<Record<string, { owner: string; service: SandboxOptions }>>

/** Pairs of states on each service, and of requests for some of them. */
const PAIRS = 8
const FEW = { part: { tasks: 8, count: 6 }, sample: { tasks: 2, count: 4 } } as const

/** The whole program and its plan file, whose apply is killed at a request, before or after the service acts, or gets only 500 from there on. */
const kills: Family<Task, Found> = {
  name: 'kills',
  proves: ['F-21', 'F-41', 'I-09'],
  tasks(size, seed) {
    const all: readonly Task[] = Array.from({ length: PAIRS }, (_, pair) =>
      Object.keys(HISTORIES).map(history => ({ pair, history: history as Task['history'] })),
    ).flat()
    if (size === 'whole') return all
    const { tasks: wanted, count } = FEW[size]
    // A step that shares no factor with their number, so that all kinds are among a few.
    return Array.from({ length: wanted }, (_, turn) => ({
      ...(all[(7 * (seed * wanted + turn)) % all.length] as Task),
      few: { count, from: seed + turn },
    }))
  },
  seconds: ({ few }) => (few === undefined ? 10 : 2 + few.count / 2),
  run: sweep,
  conclude(done, size, isAll) {
    const total = (count: (found: Found) => number): number => sum(done, ({ found }) => count(found))
    const ended = (word: string): number =>
      total(({ ends }) => sum(Object.entries(ends), ([manner, count]) => (manner.includes(word) ? count : 0)))
    const [killed, refused] = [ended('killed'), ended('500')]
    const [reruns, same] = [total(found => found.reruns), total(found => found.same)]
    return {
      figures: [
        ['kills of an apply', killed],
        ['of them after the service had acted', ended('killed after')],
        ['applies that got only 500 from a request on', refused],
        ['reruns that were killed as well', reruns],
        ['reruns with the plan file and digest of the ended apply', same],
      ],
      promises: [
        {
          promise:
            'after an apply ends at any request, before or after the service acts, one run without faults repairs everything',
          broken: done.flatMap(({ task, found }) =>
            found.broken.map(one => `${one}\n${again('kills', task)}`),
          ),
        },
        ...(size === 'whole'
          ? [
              atLeast('500 applies are killed', 500, killed, isAll),
              // How often a rerun is killed as well depends on what the first run had left to do.
              atLeast('40 reruns are killed as well', 40, reruns, isAll),
            ]
          : []),
      ],
      section: `${killed} kills of an apply at each of the ${total(({ requests }) => requests)} requests that ${done.length} applies take, before and after the service acts, and ${refused} applies that got only 500 from a request on. ${reruns} times the rerun is killed as well, and ${same} times it is the same apply again, with its plan file and digest. After one run without faults, no change is missing, no set or variable is duplicated, and no unmanaged set has changed. Real processes get their signals in a test of \`npm test\`.`,
    }
  },
  story: found => `${JSON.stringify(found, undefined, 2)}\n`,
}

export default kills

/** Two states of the files: with an owner, the first was applied before. */
interface Case {
  readonly observed: ObservedState
  readonly first: ResolvedState
  readonly second: ResolvedState
}

const cases: fc.Arbitrary<Case> = observedState.chain(observed =>
  fc.record({ observed: fc.constant(observed), first: desiredFor(observed), second: desiredFor(observed) }),
)

/** Without what the server otf does not have: projects, Stacks, sets of projects, priority. */
function plain({ observed, first, second }: Case): Case {
  const bare = { parent: undefined, priority: false }
  const files = (state: ResolvedState): ResolvedState => ({
    ...state,
    sets: state.sets.map(set => ({ ...set, ...bare, projects: undefined, stacks: undefined })),
  })
  const sets = observed.sets.map(set => ({ ...set, ...bare, projects: [], stacks: undefined }))
  return { observed: { ...observed, sets }, first: files(first), second: files(second) }
}

const FOREIGN = { name: 'left-alone', variables: [{ key: 'A', category: 'env', value: 'theirs' }] }
const foreignIn = (sandbox: Sandbox): string =>
  JSON.stringify(sandbox.snapshot().sets?.filter(({ name }) => name === FOREIGN.name))

/** The requests of one apply, and what follows when it ends there. Random states that no file can express, or with few steps, are skipped. */
async function sweep(task: Task): Promise<Found> {
  const seed = 11 + 1_000 * task.pair
  for (const one of fc.sample(cases, { numRuns: 200, seed })) {
    const found = await sweepOf(task.history === 'otf' ? plain(one) : one, task)
    if (found !== undefined) return found
  }
  throw new RangeError(`there is no pair ${task.pair}`)
}

async function sweepOf(
  { observed, first, second }: Case,
  { history, few }: Task,
): Promise<Found | undefined> {
  const { owner, service } = HISTORIES[history]
  const [before, after] = [first, second].map(desired => writable({ desired, observed }).desired)
  if (before === undefined || after === undefined) return undefined
  return await inRepository({ desired: after }, async cwd => {
    const { sandbox } = await aWorld([...observed.sets.map(seedFrom), FOREIGN], service)
    try {
      writeFileSync(join(cwd, 'setpoint.yaml'), `organization: acme\n${owner}`)
      if (owner !== '' && !(await hasApplied(sandbox, cwd, before, after))) return undefined
      return await endings(sandbox, cwd, few)
    } finally {
      await sandbox.close()
    }
  })
}

/** Applies the first state of the files, and writes the second, with a new version of each secret, which only the inventory tells from one that was sent. */
async function hasApplied(
  sandbox: Sandbox,
  cwd: string,
  before: ResolvedState,
  after: ResolvedState,
): Promise<boolean> {
  const write = ({ sets, removed }: ResolvedState, change = (text: string) => text): void =>
    writeFileSync(join(cwd, 'sets/all.yaml'), change(resolvedYaml({ sets: sets.map(asWritten), removed })))
  write(before)
  const plan = await planned(sandbox, cwd, ['--adopt', '*'])
  if (plan === undefined || (await applyOnce(sandbox, cwd, plan.words)).code !== 0) return false
  write(after, text => text.replace(/secret: ([ST])$/gm, 'secret: { name: $1, version: "2" }'))
  return true
}

async function endings(sandbox: Sandbox, cwd: string, few: Task['few']): Promise<Found | undefined> {
  const start = sandbox.snapshot({ sensitive: true })
  const plan = await planned(sandbox, cwd)
  if (plan === undefined || plan.steps < 4) return undefined
  const whole = await applyOnce(sandbox, cwd, plan.words)
  if (whole.code !== 0) return undefined
  const { requests } = whole
  const ends = { 'killed before': 0, 'killed after': 0, '500 before': 0, '500 after': 0, '500 to writes': 0 }
  const [counts, broken] = [{ reruns: 0, same: 0 }, [] as string[]]
  const places = Array.from({ length: requests }, (_, index) => index + 1)
  const first = (few?.from ?? 0) % requests
  const some = few === undefined ? places : [...places.slice(first), ...places].slice(0, few.count)
  for (const at of some) {
    const refused = MANNERS[2 + (at % 3)] ?? '500 before'
    for (const [turn, manner] of (['killed before', 'killed after', refused] as const).entries()) {
      sandbox.restore(start)
      const saved = await planned(sandbox, cwd)
      const foreign = foreignIn(sandbox)
      const ended = await applyOnce(sandbox, cwd, saved?.words ?? [], { at, manner })
      if (!ended.isMet) continue
      ends[manner]++
      if (at % 4 === 0) {
        const rerun = await planned(sandbox, cwd)
        const second = await applyOnce(sandbox, cwd, rerun?.words ?? [], { at: 1 + (at % 5), manner })
        if (second.isMet) counts.reruns++
      }
      // Every other one is finished by the plan file and the digest that it was started with.
      const isSame = at % 4 !== 0 && (at + turn) % 2 === 0
      if (isSame) counts.same++
      const finish = isSame ? saved : await planned(sandbox, cwd)
      const last = await applyOnce(sandbox, cwd, finish?.words ?? [])
      const wrong = [
        ...(last.code === 0 ? [] : [`the rerun exits with ${last.code}: ${last.stderr}`]),
        ...(await leftIn(sandbox, cwd, foreign)),
      ]
      broken.push(...wrong.map(text => `${manner} request ${at}: ${text}`))
    }
  }
  return { requests, ends, ...counts, broken }
}

/** What the last run left undone, lost or duplicated, or did to an unmanaged set. */
async function leftIn(sandbox: Sandbox, cwd: string, foreign: string): Promise<string[]> {
  const left = await setpointAt(sandbox, cwd, ['plan', '--detailed-exitcode'])
  const sets = sandbox.snapshot().sets ?? []
  const variables = sets.flatMap(({ name, variables: all = [] }) =>
    all.map(({ category, key }) => `${name} ${category}/${key}`),
  )
  return [
    ...(left.code === 0 ? [] : [`changes are left: ${left.stdout}${left.stderr}`]),
    ...(new Set(sets.map(({ name }) => name)).size === sets.length ? [] : ['two sets have one name']),
    ...(new Set(variables).size === variables.length ? [] : ['two variables of a set have one key']),
    ...(foreignIn(sandbox) === foreign ? [] : ['an unmanaged set has changed']),
  ]
}
