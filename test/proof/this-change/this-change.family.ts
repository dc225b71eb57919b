import { observe } from '../../../src/api/observe.ts'
import type { DesiredState, ResolvedState } from '../../../src/model/variable-set.ts'
import type { Operation } from '../../../src/plan/operation.ts'
import type { Plan } from '../../../src/plan/plan-data.ts'
import { carryOut } from '../../../src/run/apply.ts'
import { plannedFor } from '../../support/prepare.ts'
import { UNDISTURBED } from '../../support/round.ts'
import { asWritten } from '../../support/states.ts'
import { aWorld, seedFrom } from '../../support/world.ts'
import { again, atLeast, counted, type Family, type Size } from '../family.ts'
import { expectedOf, filesOf, type PlainState, plainOf, setsOf, textOf, tripleOf } from './three-states.ts'

/** This many triples of base, head and live state, from this seed on. */
interface Task {
  readonly from: number
  readonly triples: number
}

interface Found {
  readonly triples: number
  /** Plans that change something while something else has drifted. */
  readonly mixed: number
  /** Plans that are refused. */
  readonly refused: number
  readonly sent: number
  readonly named: number
  readonly broken: readonly string[]
}

const NOTHING: Found = { triples: 0, mixed: 0, refused: 0, sent: 0, named: 0, broken: [] }

const TRIPLES = { whole: 10_000, part: 1_000, sample: 100 } as const satisfies Record<Size, number>
const EACH = 20
const SPREAD = 1_000_000

/** Whether `--only-this-change` sends what this change asks for, names the rest, and changes nothing else. */
const family: Family<Task, Found> = {
  name: 'this-change',
  proves: [],
  tasks: (size, seed) =>
    Array.from({ length: TRIPLES[size] / EACH }, (_, turn) => ({
      from: SPREAD * seed + turn * EACH,
      triples: EACH,
    })),
  seconds: ({ triples }) => triples / 40,
  async run({ from, triples }) {
    let found = NOTHING
    for (let seed = from; seed < from + triples; seed++) found = added(found, await judged(seed))
    return found
  },
  conclude(done, size, isAll) {
    const all = done.reduce((total, { found }) => added(total, found), NOTHING)
    return {
      figures: [
        ['random triples of base, head and live state', all.triples],
        ['plans with changes beside drift', all.mixed],
        ['changes sent', all.sent],
        ['drifted sets named and left as they were', all.named],
        ['plans refused because they need something that has drifted', all.refused],
      ],
      promises: [
        {
          promise:
            'a plan of one change sends exactly what differs between base and head, names everything else that differs, and leaves it as it is',
          broken: all.broken,
        },
        ...(size === 'whole'
          ? [
              atLeast('10,000 triples are checked', 10_000, all.triples, isAll),
              atLeast('3,000 plans have changes beside drift', 3_000, all.mixed, isAll),
              atLeast('200 plans are refused', 200, all.refused, isAll),
            ]
          : []),
      ],
      section: `${counted(all.triples)} random triples of base, head and live state, each planned and applied with \`--only-this-change\`. A naive computation, part by part, says what the change asks for and what else differs. The ${counted(all.sent)} changes that were sent and the ${counted(all.named)} drifted sets that were named are exactly these, the service is then exactly as computed, and a full plan finds exactly the named drift. ${counted(all.mixed)} plans have changes beside drift. ${counted(all.refused)} are refused, because the change edits a set that is gone, or a key would be in two global sets; the naive computation names the same ones.`,
    }
  },
}

export default family

const added = (a: Found, b: Found): Found => ({
  triples: a.triples + b.triples,
  mixed: a.mixed + b.mixed,
  refused: a.refused + b.refused,
  sent: a.sent + b.sent,
  named: a.named + b.named,
  broken: [...a.broken, ...b.broken],
})

const asFiles = ({ sets, directory: _, ...state }: ResolvedState): DesiredState => ({
  ...state,
  sets: sets.map(asWritten),
})

async function judged(seed: number): Promise<Found> {
  const triple = tripleOf(seed)
  const expected = expectedOf(triple)
  const broken: string[] = []
  const expect = (what: string, wanted: unknown, got: unknown): void => {
    if (textOf(wanted) !== textOf(got))
      broken.push(
        `${what}: ${textOf(got)} instead of ${textOf(wanted)}\n${again('this-change', { from: seed, triples: 1 })}`,
      )
  }
  const world = await aWorld(setsOf(triple.live).map(seedFrom))
  const head = asFiles(filesOf(triple.head))
  const base = { ref: 'main', commit: 'c0ffee', desired: asFiles(filesOf(triple.base)) }
  const onlyThisChange = { fullPlan: 'setpoint plan --base main' }
  const { value: prepared, diagnostics } = await plannedFor(head, world, [], { base, onlyThisChange })
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map(({ code }) => code)
  if (prepared === undefined) {
    // A file that the service would refuse has no full plan either.
    const full = await plannedFor(head, world, [], { base })
    if (full.value === undefined) return { ...NOTHING, triples: 1, broken }
    expect('refused', [...new Set(expected.needs)].sort(), [...new Set(errors)].sort())
    return { ...NOTHING, triples: 1, refused: 1, broken }
  }
  const { plan } = prepared
  expect('needs', expected.needs, [])
  expect('operations', expected.writes, writesIn(plan, triple.live).sort())
  expect('drift', expected.drift, driftIn(plan))
  const overwritten = plan.onlyThisChange?.overwritten ?? []
  expect(
    'overwritten',
    expected.overwritten,
    overwritten.flatMap(({ set, items }) => items.map(item => `${set} ${item}`)).sort(),
  )
  const { result } = await carryOut({ made: prepared, service: world, ...UNDISTURBED })
  expect('exit code', 0, result?.exitCode)
  expect('requests', plan.steps.length, result?.requests.writes)
  const then = await observe(world.reader, 'acme')
  expect('state', expected.outcome, plainOf(then.sets))
  const rest = await plannedFor(head, world, [], { base: { ...base, desired: head }, onlyThisChange })
  expect('nothing is left', 0, rest.value?.plan.steps.length)
  expect('named again', expected.drift, rest.value && driftIn(rest.value.plan))
  return {
    triples: 1,
    mixed: Number(expected.writes.length > 0 && expected.drift.length > 0),
    refused: 0,
    sent: expected.writes.length,
    named: expected.drift.length,
    broken,
  }
}

const driftIn = ({ onlyThisChange }: Plan): string[] =>
  (onlyThisChange?.drift ?? [])
    .map(({ set, what, items }) => [set, what, ...(items.length > 0 ? [items.join()] : [])].join(' '))
    .sort()

/** What the operations write, read from their members alone. */
function writesIn({ steps }: Plan, live: PlainState): string[] {
  const operations = steps.map(({ operation }) => operation)
  return operations.flatMap(operation => {
    if (operation.type !== 'create-variable' || !operation.replaces) return allItemsOf(operation, live)
    const { name } = operation.subject
    const { key, description } = operation.after
    const gone = operations.find(
      one => one.type === 'delete-variable' && one.subject.name === name && one.before.key === key,
    )
    const isSame = gone?.type === 'delete-variable' && gone.before.description === description
    return [`${name} ${key} value`, ...(isSame ? [] : [`${name} ${key} description`])]
  })
}

function allItemsOf(operation: Operation, live: PlainState): string[] {
  const { name } = operation.subject
  switch (operation.type) {
    case 'create-set':
      return [`${name} created`]
    case 'delete-set':
      return [`${name} deleted`]
    case 'update-set': {
      const { before, after } = operation
      return (['name', 'description', 'global', 'priority'] as const)
        .filter(one => before[one] !== after[one])
        .map(one => `${name} ${one}`)
    }
    case 'create-variable':
      return [`${name} ${operation.after.key} created`]
    case 'delete-variable':
      return operation.replaced ? [] : [`${name} ${operation.before.key} deleted`]
    case 'update-variable': {
      const { before, after } = operation
      const was = live.sets.get(name)?.variables.get(after.key)
      const isSame =
        'text' in after.value && was?.value === `text:${after.value.text}` && was.hcl === after.hcl
      const isSent = !('external' in after.value) && !isSame
      return [
        ...(isSent ? [`${name} ${after.key} value`] : []),
        ...(before.description === after.description ? [] : [`${name} ${after.key} description`]),
      ]
    }
    case 'assign':
      return operation.targets.ids.map(id => `${name} ${id} assigned`)
    case 'unassign':
      return operation.targets.ids.map(id => `${name} ${id} unassigned`)
  }
}
