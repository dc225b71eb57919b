import fc from 'fast-check'
import { categoryOf, nameOf, type StackId } from '../../../src/model/ids.ts'
import { Secret } from '../../../src/model/secret.ts'
import type { DesiredState, ObservedSet } from '../../../src/model/variable-set.ts'
import { type Affected, affectedIn } from '../../../src/plan/effective/affected-members.ts'
import { carryOut } from '../../../src/run/apply.ts'
import { verifyAffected } from '../../../src/run/commands/affected.ts'
import type { SandboxSeed, SetSeed, VariableSeed } from '../../../src/sandbox/index.ts'
import { desiredFor, KEYS, observedState, strangers } from '../../support/arbitrary.ts'
import { plannedFor } from '../../support/prepare.ts'
import { UNDISTURBED } from '../../support/round.ts'
import { asWritten } from '../../support/states.ts'
import { aWorld, PLACES, PROJECTS, STACKS, seedFrom, WORKSPACES, type World } from '../../support/world.ts'
import { again, atLeast, counted, type Family, sum } from '../family.ts'
import { table } from '../page.ts'

/** `runs`: the number of random organizations. The plan of each one is applied. */
interface Task {
  readonly runs: number
  readonly seed: number
}

interface Found {
  /** Plans that were applied. */
  readonly plans: number
  /** Pairs of a workspace or a Stack, and a key whose value changed. */
  readonly changed: number
  /** Candidates that `--verify` drops. */
  readonly dropped: number
  readonly broken: Readonly<Record<keyof typeof PROMISES, readonly string[]>>
}

const PROMISES = {
  recall: 'every workspace that gets another value is in the list, which takes no more requests than a plan',
  verified:
    'with --verify and without a directory file, the list contains exactly the workspaces that get another value',
  reads: 'with --verify, a request is sent for each list and for each workspace in it',
  stacks: 'the list contains exactly the Stacks that may read another value, by the name or the id of a set',
} as const

const COUNTS = { whole: [20, 150], part: [4, 100], sample: [1, 60] } as const

/** The affected workspaces, compared with what the service itself shows before and after the apply. */
const affected: Family<Task, Found> = {
  name: 'affected',
  proves: [],
  tasks(size, seed) {
    const [tasks, runs] = COUNTS[size]
    return Array.from({ length: tasks }, (_, turn) => ({ runs, seed: 1_000 * (seed - 1) + 31 + turn }))
  },
  seconds: ({ runs }) => runs / 25,
  async run({ runs, seed }) {
    const found = { plans: 0, changed: 0, dropped: 0 }
    const broken = { recall: [], verified: [], reads: [], stacks: [] } as Record<
      keyof typeof PROMISES,
      string[]
    >
    for (const [at, one] of fc.sample(cases, { numRuns: runs, seed }).entries())
      await tryOne(one, found, (what, text) => broken[what].push(`case ${at}: ${text}`))
    return { ...found, broken }
  },
  conclude(done, size, isAll) {
    const figures = [
      ['plans applied', sum(done, ({ found }) => found.plans)],
      ['keys of workspaces and Stacks with another value', sum(done, ({ found }) => found.changed)],
      ['candidates that --verify drops', sum(done, ({ found }) => found.dropped)],
    ] as const
    return {
      figures,
      promises: [
        ...Object.entries(PROMISES).map(([what, promise]) => ({
          promise,
          broken: done.flatMap(({ task, found }) =>
            found.broken[what as keyof typeof PROMISES].map(text => `${text}\n${again('affected', task)}`),
          ),
        })),
        ...(size === 'whole' ? [atLeast('10,000 other values are found', 10_000, figures[1][1], isAll)] : []),
      ],
      section: table(
        ['counted', 'number'],
        figures.map(([what, count]) => [what, counted(count)]),
      ),
    }
  },
}

export default affected

/** Variables of the workspaces themselves, some with the values that sets have. */
const ownVariables: fc.Arbitrary<readonly (readonly VariableSeed[])[]> = fc.array(
  fc
    .uniqueArray(
      fc.record({
        key: fc.constantFrom(...KEYS),
        value: fc.constantFrom('', '1', '2', 'own', 'sent'),
        sensitive: fc.boolean(),
        hcl: fc.boolean(),
      }),
      { selector: ({ key }) => key, maxLength: KEYS.length },
    )
    .map(all =>
      all.map(({ key, ...rest }) => ({
        ...rest,
        key: nameOf(key),
        category: categoryOf(key),
        hcl: rest.hcl,
      })),
    ),
  { minLength: WORKSPACES.length, maxLength: WORKSPACES.length },
)

const cases = fc
  .tuple(observedState, strangers, ownVariables)
  .chain(([state, foreign, own]) =>
    desiredFor(state).map(resolved => ({ sets: [...state.sets, ...foreign], resolved, own })),
  )
type Case = typeof cases extends fc.Arbitrary<infer C> ? C : never

/** Some secrets already have the value that an apply sends. */
const seeded = (set: ObservedSet, at: number): SetSeed => {
  const seed = seedFrom(set)
  return {
    ...seed,
    variables: seed.variables?.map(one =>
      one.sensitive ? { ...one, value: at % 2 === 0 ? 'sent' : 'kept' } : one,
    ),
  }
}

type Counts = { plans: number; changed: number; dropped: number }
type Break = (what: keyof typeof PROMISES, text: string) => void

async function tryOne({ sets, resolved, own }: Case, counts: Counts, broken: Break): Promise<void> {
  const seed: SandboxSeed = {
    ...PLACES,
    workspaces: PLACES.workspaces.map((one, at) => ({ ...one, variables: own[at] ?? [] })),
    sets: sets.map(seeded),
  }
  const world = await aWorld([], { seed })
  const files: DesiredState = { ...resolved, sets: resolved.sets.map(asWritten) }
  const { value: prepared } = await plannedFor(files, world, [], { tellsAll: true })
  const planned = world.requests().reads
  // Some random files are refused; what the plan newly assigns is looked up by name.
  if (prepared === undefined) return await world.sandbox.close()
  const { received } = prepared.plan.facts
  const list = affectedIn(received)
  if (list.unknown !== undefined) throw new Error('the directory is complete')
  if (prepared.plan.requests.reads !== planned) broken('recall', `${planned} requests for a plan`)

  const verified = affectedIn((await verifyAffected(received, prepared, world.reader)).received)
  const reads = world.requests().reads - planned
  const wanted = sum(list.workspaces, ({ members }) => members.length)
  if (reads !== wanted) broken('reads', `${reads} requests instead of ${wanted}`)

  const before = await stateOf(world)
  const { result } = await carryOut({
    made: prepared,
    ...UNDISTURBED,
    secrets: () => new Secret('sent'),
    service: world,
  })
  if (result?.exitCode !== 0) throw new Error(`the apply ended with ${result?.exitCode}`)
  const after = await stateOf(world)
  await world.sandbox.close()
  counts.plans++
  counts.dropped += linesOf(list).length - linesOf(verified).length

  const changed = differing(before.seen, after.seen)
  const [all, exact] = [new Set(linesOf(list)), new Set(linesOf(verified))]
  counts.changed += changed.length
  for (const line of changed) {
    if (!all.has(line)) broken('recall', `${line} is missing`)
    if (!exact.has(line)) broken('verified', `${line} is missing`)
  }
  const isHidden = (line: string) => before.hidden.has(line) || after.hidden.has(line)
  for (const line of exact)
    if (!changed.includes(line) && !isHidden(line)) broken('verified', `${line} should not be listed`)

  const read = differing(before.read, after.read).map(withoutWay)
  const listedStacks = new Set(stackLinesOf(list))
  counts.changed += new Set(read).size
  for (const line of read) if (!listedStacks.has(line)) broken('stacks', `${line} is missing`)
  const isSecret = (line: string) => before.hiddenToStacks.has(line) || after.hiddenToStacks.has(line)
  for (const line of listedStacks)
    if (!read.includes(line) && !isSecret(line)) broken('stacks', `${line} should not be listed`)
  if (stackLinesOf(verified).toSorted().join() !== stackLinesOf(list).toSorted().join())
    broken('stacks', 'the Stacks differ with --verify')
}

const linesOf = ({ changes, workspaces }: Affected): string[] =>
  workspaces.flatMap(group =>
    group.members.flatMap(id => group.changes.map(at => `${id} ${changes[at]?.key}`)),
  )

/** The same for Stacks. */
const stackLinesOf = ({ changes, stacks }: Affected): string[] =>
  stacks.flatMap(group => group.members.flatMap(id => group.changes.map(at => `${id} ${changes[at]?.key}`)))

const withoutWay = (line: string): string => line.split(' ').slice(0, 2).join(' ')

const differing = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] =>
  [...new Set([...before.keys(), ...after.keys()])].filter(line => before.get(line) !== after.get(line))

interface AllVariables {
  readonly data: readonly {
    readonly id: string
    readonly attributes: { key: string; category: string; sensitive: boolean; hcl: boolean }
  }[]
}

/** The effective variables that the service returns, with hidden values. */
async function stateOf({ sandbox }: World) {
  const { sets = [], workspaces = [] } = sandbox.snapshot({ sensitive: true })
  const texts = new Map(
    [...sets, ...workspaces].flatMap(({ variables = [] }) => variables.map(({ id, value }) => [id, value])),
  )
  const seen = new Map<string, string>()
  const hidden = new Set<string>()
  for (const id of WORKSPACES) {
    const { body } = await sandbox.transport({
      method: 'GET',
      path: `/api/v2/workspaces/${id}/all-vars`,
      headers: { authorization: `Bearer ${sandbox.token}` },
    })
    for (const { id: variable, attributes } of (JSON.parse(body) as AllVariables).data) {
      const line = `${id} ${attributes.category}/${attributes.key}`
      seen.set(line, heldText(texts.get(variable), attributes))
      if (attributes.sensitive) hidden.add(line)
    }
  }
  return { seen, hidden, ...readByStacks(sets) }
}

const heldText = (text: string | undefined, { category, hcl = false }: { category: string; hcl?: boolean }) =>
  JSON.stringify([text ?? '', category === 'env' ? false : hcl])

/** What each Stack reads from the sets that it may read, by name and by id of the set. Stacks have no `all-vars`. */
function readByStacks(sets: readonly SetSeed[]) {
  const read = new Map<string, string>()
  const hiddenToStacks = new Set<string>()
  for (const stack of STACKS)
    for (const set of sets.filter(one => isReadable(one, stack)))
      for (const { key, category, value, hcl, sensitive } of set.variables ?? []) {
        const line = `${stack} ${category}/${key}`
        for (const way of [`name ${set.name}`, `id ${set.id}`])
          read.set(`${line} ${way}`, heldText(value, { category, hcl }))
        if (sensitive) hiddenToStacks.add(line)
      }
  return { read, hiddenToStacks }
}

/** All Stacks of the sandbox are in the first project. */
const isReadable = ({ global, stacks = [], projects = [] }: SetSeed, stack: StackId): boolean =>
  global === true || stacks.includes(stack) || projects.includes(PROJECTS[0])
