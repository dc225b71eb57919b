import fc from 'fast-check'
import { seededRandom } from '../../../src/sandbox/clock-and-chance.ts'
import type { SandboxOptions } from '../../../src/sandbox/index.ts'
import { writable } from '../../support/repository.ts'
import { again, atLeast, counted, type Family, type Size, sum } from '../family.ts'
import { ALL_KINDS, isWriteOperation, type Kind, LIST_KINDS, type Strike } from '../schedules/faults.ts'
import { CASE_KEPT, PROFILES } from '../schedules/profiles.ts'
import type { Judged } from './judge.ts'
import { type Move, transition } from './moves.ts'
import { readBeside } from './read-beside.ts'
import { watch } from './watch.ts'

/** Each random move has a number, which is its seed. */
type Task =
  /** This many moves from this one on: each without faults, killed at every write, and with random faults. */
  | { readonly from: number; readonly moves: number }
  /** One of these runs again, as printed for a broken promise. */
  | { readonly move: number; readonly faults: readonly (readonly Strike[])[] }
  /** A move by the built program over HTTP, beside a reader. */
  | { readonly beside: number }

interface Found {
  readonly moves: number
  readonly runs: number
  readonly kills: number
  readonly writes: number
  readonly looks: number
  readonly named: number
  /** Moves with a gap in their plan. */
  readonly withGaps: number
  readonly beside: number
  readonly killedBeside: number
  readonly reads: number
  readonly broken: readonly string[]
}

const NOTHING: Found = {
  ...{ moves: 0, runs: 0, kills: 0, writes: 0, looks: 0, named: 0, withGaps: 0 },
  ...{ beside: 0, killedBeside: 0, reads: 0, broken: [] },
}

const COUNTS = {
  whole: { moves: 1_000, beside: 200 },
  part: { moves: 200, beside: 30 },
  sample: { moves: 20, beside: 6 },
} as const satisfies Record<Size, unknown>
/** Number of moves in a task. */
const EACH = 10
/** Distance between the seeds of two proofs, larger than their number of moves. */
const SPREAD = 100_000

/**
 * Excludes a list that omits or repeats something, because the old values of such a plan are undefined, and a proxy that responds
 * with success to a request that it does not forward.
 */
const DISTURBING: readonly Kind[] = ALL_KINDS.filter(
  kind => !LIST_KINDS.some(one => one === kind) && !/^(?:empty|html|wrong)-before$/.test(kind),
)
/** Services whose lists are never old, and that tell what reaches a workspace. */
const SERVICES: readonly Pick<SandboxOptions, 'profile' | 'traits'>[] = [
  ...(['interface', 'hcp', 'terse', 'loose/second', 'loose/replace'] as const).map(name => ({
    profile: PROFILES[name] ?? {},
    traits: CASE_KEPT,
  })),
  /** It makes sets without their variables and assignments. */
  { traits: { setBody: 'ignored' } },
]
/** The number of random schedules of faults for each move. */
const SCHEDULES = 4

/** Compares what every workspace sees after every write with the old and new values. */
const transitions: Family<Task, Found> = {
  name: 'transition',
  proves: ['I-28'],
  tasks(size, seed) {
    const { moves, beside } = COUNTS[size]
    const first = SPREAD * seed
    return [
      ...Array.from({ length: beside }, (_, turn) => ({ beside: first + turn })),
      ...Array.from({ length: moves / EACH }, (_, turn) => ({ from: first + turn * EACH, moves: EACH })),
    ]
  },
  seconds: task => ('beside' in task ? 1 : 'move' in task ? 0.1 : task.moves / 5),
  async run(task) {
    // Faults cause thousands of errors, whose stack traces are not used.
    const limit = Error.stackTraceLimit
    Error.stackTraceLimit = 0
    try {
      if ('beside' in task) return await besideReader(task.beside)
      if ('move' in task) return await once(task.move, task.faults)
      let found = NOTHING
      for (let move = task.from; move < task.from + task.moves; move++)
        found = added(found, await disturbed(move))
      return found
    } finally {
      Error.stackTraceLimit = limit
    }
  },
  conclude(done, size, isAll) {
    const all = done.reduce((total, { found }) => added(total, found), NOTHING)
    return {
      figures: [
        ['random moves in which every value that workspaces see was checked', all.moves],
        ['runs of these moves', all.runs],
        ['killed runs', all.kills],
        ['values checked after a write', all.looks],
        ['moves by the built program beside a reader', all.beside],
      ],
      promises: [
        {
          promise:
            'every value that a workspace sees during an apply, and after one that was killed, is the old one, the new one, or one that the plan named before',
          broken: all.broken,
        },
        ...(size === 'whole'
          ? [
              atLeast('500 random moves are killed at each of their writes', 500, all.moves, isAll),
              atLeast('during 100 random moves another process reads', 100, all.beside, isAll),
            ]
          : []),
      ],
      section: sectionOf(
        all,
        sum(done, ({ found }) => found.named),
      ),
    }
  },
  story: found => `${JSON.stringify(found, undefined, 2)}\n`,
}

export default transitions

const sectionOf = (
  all: Found,
  named: number,
): string => `${counted(all.moves)} random moves: variables, assignments, names, owners, priority and \`global\` move between sets, variables are replaced, secrets are removed, or the two states have nothing in common. One to eight requests run in parallel. There are ${counted(all.runs)} runs: one without faults, one killed before and one after each write, and some with random faults. Another run repairs after each. After each of the ${counted(all.writes)} writes, the sandbox's own \`all-vars\` is compared for every workspace: ${counted(all.looks)} values. Each is the old value, which the run read, or the new one, or the plan of the run named it (${counted(named)} times). ${counted(all.withGaps)} of the moves have a plan with a gap.

During ${counted(all.beside)} applies of the built program over HTTP, ${counted(all.killedBeside)} of them killed, another process read \`all-vars\` ${counted(all.reads)} times. The same is true for every response.`

const added = (a: Found, b: Found): Found => ({
  moves: a.moves + b.moves,
  runs: a.runs + b.runs,
  kills: a.kills + b.kills,
  writes: a.writes + b.writes,
  looks: a.looks + b.looks,
  named: a.named + b.named,
  withGaps: a.withGaps + b.withGaps,
  beside: a.beside + b.beside,
  killedBeside: a.killedBeside + b.killedBeside,
  reads: a.reads + b.reads,
  broken: [...a.broken, ...b.broken],
})

const looked = ({ looks, named, broken }: Judged, task: Task) => ({
  ...{ looks, named },
  broken: broken.map(text => `${text}\n${again('transition', task)}`),
})

const moveOf = (move: number): Move => {
  const [pair] = fc.sample(transition, { seed: move, numRuns: 1 })
  if (pair === undefined) throw new RangeError(`there is no move ${move}`)
  return pair
}

async function once(move: number, faults: readonly (readonly Strike[])[]): Promise<Found> {
  const service = SERVICES[move % SERVICES.length]
  const seen = await watch(moveOf(move), move, faults, service)
  return {
    ...NOTHING,
    ...looked(seen, { move, faults }),
    runs: faults.length + 1,
    kills: faults.flat().filter(({ kind }) => kind.startsWith('kill-')).length,
    writes: seen.writes,
  }
}

async function disturbed(move: number): Promise<Found> {
  const service = SERVICES[move % SERVICES.length]
  const quiet = await watch(moveOf(move), move, [], service)
  const { operations, gaps, isIdle } = quiet
  let found: Found = await once(move, [])
  if (isIdle) return { ...NOTHING, broken: found.broken }
  found = { ...found, moves: 1, withGaps: Math.min(gaps, 1) }
  const random = seededRandom(move)
  const pick = (below: number): number => Math.floor(random() * below)
  for (const [index, operation] of operations.entries())
    if (isWriteOperation(operation))
      for (const kind of ['kill-before', 'kill-after'] as const)
        found = added(found, await once(move, [[{ index, kind }]]))
  const strike = (): Strike => ({
    index: pick(operations.length + 2),
    kind: DISTURBING[pick(DISTURBING.length)] ?? 'lost-after',
  })
  for (let schedule = 0; schedule < SCHEDULES; schedule++) {
    const faults = Array.from({ length: 1 + (schedule % 2) }, () => [strike(), strike()])
    found = added(found, await once(move, faults))
  }
  return found
}

/** Every second apply is killed, at a write that depends on its seed. */
async function besideReader(move: number): Promise<Found> {
  const kill = { write: 1 + (move % 5), when: move % 4 < 2 ? 'before' : 'after' } as const
  const seen = await readBeside(writable(moveOf(move)), move % 2 === 0 ? kill : undefined)
  if (seen === undefined) return NOTHING
  return {
    ...NOTHING,
    ...looked(seen, { beside: move }),
    ...{ beside: 1, killedBeside: seen.kills, reads: seen.reads },
  }
}
