import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ObservedState } from '../../../src/model/variable-set.ts'
import { createPlan } from '../../../src/plan/create.ts'
import type { Plan } from '../../../src/plan/plan-data.ts'
import { allGaps, cutsOf, namedGaps, performedOn, viewOf } from '../../proof/orders/oracle.ts'
import { transition } from '../../proof/transition/moves.ts'
import { KEYS } from '../../support/arbitrary.ts'
import { OPTIONS, planOf, printed } from '../../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../../support/states.ts'
import { DIRECTORY, PROJECTS, WORKSPACES } from '../../support/world.ts'

const workspaces = ['ws-1'] as const
const hidden = { hidden: true } as const
const global = true

/** `env/X nothing, delete-variable a env/X .. create-variable b env/X, slot` */
const gapsOf = ({ facts }: Plan): string[] =>
  facts.transition.gaps.map(
    ({ key, seen, between, why }) => `${key} ${seen?.set ?? 'nothing'}, ${between.join(' .. ')}, ${why}`,
  )

test('a variable that moves between sets is created before it is deleted', () => {
  const plan = planOf(
    aDesiredState(aSet('a', { workspaces }), aSet('b', { workspaces, variables: { 'env/X': '1' } })),
    anObservedState(
      anObserved('1', 'a', { workspaces, variables: { 'env/X': '1' } }),
      anObserved('2', 'b', { workspaces }),
    ),
  )
  expect(printed(plan)).toEqual([
    'create-variable b env/X',
    'delete-variable a env/X  after create-variable b env/X',
  ])
  expect(plan.facts.transition).toEqual({ workspaces: 1, seeing: 0, gaps: [], left: 0 })
})

test('changes that no workspace would see are not ordered', () => {
  const plan = planOf(
    aDesiredState(
      aSet('a', { workspaces: ['ws-1'] }),
      aSet('b', { workspaces: ['ws-2'], variables: { 'env/X': '1' } }),
    ),
    anObservedState(
      anObserved('1', 'a', { workspaces: ['ws-1'], variables: { 'env/X': '1' } }),
      anObserved('2', 'b', { workspaces: ['ws-2'] }),
    ),
  )
  expect(printed(plan)).toEqual(['create-variable b env/X', 'delete-variable a env/X'])
})

test('a secret is removed first, and the gap is listed', () => {
  const plan = planOf(
    aDesiredState(
      aSet('a', { workspaces: [], variables: { 'env/X': { secret: { name: 'S' } } } }),
      aSet('b', { workspaces, variables: { 'env/X': { secret: { name: 'T' } } } }),
    ),
    anObservedState(
      anObserved('1', 'a', { workspaces, variables: { 'env/X': hidden } }),
      anObserved('2', 'b', { variables: { 'env/X': hidden } }),
    ),
  )
  expect(printed(plan)).toEqual(['unassign a workspaces', 'assign b workspaces  after unassign a workspaces'])
  expect(gapsOf(plan)).toEqual(['env/X nothing, unassign a workspaces .. assign b workspaces, revocation'])
})

test('a step that waits for another one by its name begins no gap before it', () => {
  const secret = { secret: { name: 'S' } }
  const renamed = aSet('e', { previousNames: ['f'], workspaces: [], variables: { 'env/X': secret } })
  const deleted = anObserved('1', 'e', { workspaces, variables: { 'env/X': 'weak' } })
  const strong = anObserved('2', 'f', { global, priority: true, variables: { 'env/X': hidden } })
  const plan = planOf(
    { ...aDesiredState(renamed), removed: [{ id: deleted.id, source: renamed.source }] },
    anObservedState(deleted, strong),
  )
  expect(printed(plan).filter(line => line.startsWith('update-set'))).toEqual([
    expect.stringMatching(/^update-set e {2}after delete-set e/),
  ])
  expect(gapsOf(plan)).toEqual([])
})

test('a rename that changes precedence comes after the change of the value that it reveals', () => {
  const plan = planOf(
    aDesiredState(
      aSet('a', { previousNames: ['z'], workspaces, variables: { 'env/X': 'new' } }),
      aSet('m', { workspaces, variables: { 'env/X': 'old' } }),
    ),
    anObservedState(
      anObserved('1', 'z', { workspaces, variables: { 'env/X': 'third' } }),
      anObserved('2', 'm', { workspaces, variables: { 'env/X': 'old' } }),
    ),
  )
  expect(printed(plan)).toEqual(['update-variable a env/X', 'update-set a  after update-variable a env/X'])
  expect(gapsOf(plan)).toEqual([])
})

test('a new set is created after a new set that overrides it', () => {
  const plan = planOf(
    aDesiredState(
      aSet('a', { global, variables: { 'env/X': 'weak' } }),
      aSet('b', { workspaces, variables: { 'env/X': 'strong' } }),
    ),
    anObservedState(),
  )
  expect(printed(plan)).toEqual(['create-set b', 'create-set a  after create-set b'])
})

test('the replacement of a variable is a gap', () => {
  const plan = planOf(
    aDesiredState(aSet('a', { workspaces, variables: { 'env/X': 'readable' } })),
    anObservedState(anObserved('1', 'a', { workspaces, variables: { 'env/X': hidden } })),
  )
  expect(gapsOf(plan)).toEqual(['env/X nothing, delete-variable a env/X .. create-variable a env/X, slot'])
})

test('two removals of one secret are ordered, so that one of them begins the gap', () => {
  const plan = planOf(
    aDesiredState(aSet('a', { global, workspaces: [], variables: { 'env/X': 'readable' } })),
    anObservedState(anObserved('1', 'a', { workspaces, variables: { 'env/X': hidden } })),
  )
  expect(gapsOf(plan)).toEqual(['env/X nothing, delete-variable a env/X .. update-set a, slot'])
  expect(printed(plan)).toContainEqual('unassign a workspaces  after delete-variable a env/X')
})

/** What `ws-1` sees first and after each step, in the order of the plan. */
function seen({ steps }: Plan, observed: ObservedState): string[] {
  let { sets }: Pick<ObservedState, 'sets'> = observed
  const show = (): string =>
    [...viewOf(sets, [['ws-1', undefined]])]
      .map(([place, { value, set }]) => `${place.slice('ws-1 env/'.length)} ${value} of ${set}`)
      .toSorted()
      .join(', ')
      .replaceAll('false ', '')
      .replaceAll('varset-', '')
      .replaceAll(/secret \S+ \S+/g, 'a secret')
  return [
    show(),
    ...steps.map(({ id, operation }) => {
      sets = performedOn(sets, operation)
      return `${id}: ${show()}`
    }),
  ]
}

/** `a` becomes `z`, weaker than `q` and `m`, and gets Y, which `m` had. `m` is unassigned from the workspace. */
const renamed = (ofM: Readonly<Record<string, string | typeof hidden>>) => {
  const observed = anObservedState(
    anObserved('a', 'a', { workspaces, variables: { 'env/X': 'old' } }),
    anObserved('m', 'm', { workspaces, variables: ofM }),
    anObserved('q', 'q', { workspaces, variables: { 'env/X': 'new' } }),
  )
  const z = { 'env/X': 'old', 'env/Y': 'new' }
  const declared = Object.entries(ofM).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : { secret: { name: 'S' } },
  ])
  const desired = aDesiredState(
    aSet('m', { variables: Object.fromEntries(declared), workspaces: [] }),
    aSet('q', { workspaces, variables: { 'env/X': 'new' } }),
    aSet('z', { previousNames: ['a'], workspaces, variables: z }),
  )
  return { plan: planOf(desired, observed), observed }
}

test('a new variable does not wait for the rename of its set', () => {
  const { plan, observed } = renamed({ 'env/X': 'third', 'env/Y': 'old' })
  expect(gapsOf(plan)).toEqual([])
  // The new name would show the third X before `m` is unassigned, and Y would be missing after it.
  expect(seen(plan, observed)).toEqual([
    'X old of a, Y old of m',
    'create-variable z env/Y: X old of a, Y new of a',
    'unassign m workspaces: X old of a, Y new of a',
    'update-set z: X new of q, Y new of a',
  ])
})

test('removing a secret does not wait for a variable that takes its place', () => {
  const { plan, observed } = renamed({ 'env/X': 'third', 'env/Y': hidden })
  expect(gapsOf(plan)).toEqual([
    'env/Y nothing, unassign m workspaces .. create-variable z env/Y, revocation',
  ])
  expect(seen(plan, observed)[1]).toBe('unassign m workspaces: X old of a')
})

test('a removal of a secret that another one would uncover comes after it', () => {
  const plan = planOf(
    aDesiredState(
      aSet('a', { workspaces: [], variables: { 'env/X': { secret: { name: 'S' } } } }),
      aSet('b', { workspaces: [], variables: { 'env/X': { secret: { name: 'T' } } } }),
    ),
    anObservedState(
      anObserved('1', 'a', { workspaces, variables: { 'env/X': hidden } }),
      anObserved('2', 'b', { workspaces, variables: { 'env/X': hidden } }),
    ),
  )
  expect(printed(plan)).toEqual([
    'unassign b workspaces',
    'unassign a workspaces  after unassign b workspaces',
  ])
  expect(gapsOf(plan)).toEqual([])
})

const removing = (...names: readonly string[]) => ({
  removed: names.map(name => ({ name, source: { path: 'sets.yaml', line: 1, column: 1 } })),
})

const only = (value: string) => ({ workspaces, variables: { 'env/X': value } })

test('a value stays hidden that no two neighbouring steps would show if they changed places', () => {
  const desired = aDesiredState(
    aSet('a', only('2')),
    aSet('b', only('2')),
    aSet('d', only('3')),
    aSet('e', only('1')),
  )
  const observed = anObservedState(anObserved('c', 'c', only('1')), anObserved('e', 'e', only('1')))
  const plan = planOf({ ...desired, ...removing('c') }, observed)
  const seenIn = (steps: Plan['steps']) => allGaps(observed, { ...plan, steps }, [['ws-1', undefined]]).seen
  expect(namedGaps(plan)).toEqual([])
  expect(seenIn(plan.steps)).toEqual([])
  const unordered = plan.steps.map(step => ({ ...step, after: [] }))
  expect(seenIn(unordered)).toEqual(['ws-1 env/X: d'])
  // So a judge of pairs sees no need for any edge.
  for (const at of unordered.keys()) {
    const swapped = unordered.toSpliced(at, 2, ...unordered.slice(at, at + 2).toReversed())
    const chain = swapped.map((step, place) => ({
      ...step,
      after: swapped
        .slice(0, place)
        .map(({ id }) => ({ step: id, why: { kind: 'name', name: '' } as const })),
    }))
    expect(seenIn(chain)).toEqual([])
  }
})

/** The largest number of steps that wait for each other. */
function longestChain({ steps }: Plan): number {
  const depths = new Map<string, number>()
  for (const { id, after } of steps)
    depths.set(id, 1 + Math.max(0, ...after.map(({ step }) => depths.get(step) ?? Number.NaN)))
  return Math.max(...depths.values())
}

const numbered = (letter: string) => Array.from({ length: 300 }, (_, at) => `${letter}${1_000 + at}`)

test('300 new sets that share a key wait for one of them', () => {
  const plan = planOf(aDesiredState(...numbered('s').map(name => aSet(name, only(name)))), anObservedState())
  expect(gapsOf(plan)).toEqual([])
  expect(longestChain(plan)).toBe(2)
})

test.each([
  ['weaker', 'a', 'z'],
  ['stronger', 'z', 'a'],
])('300 sets that %s ones replace wait for one of them', (_, before, after) => {
  const desired = aDesiredState(...numbered(after).map(name => aSet(name, only(name))))
  const observed = anObservedState(...numbered(before).map(name => anObserved(name, name, only(name))))
  const plan = planOf({ ...desired, ...removing(...numbered(before)) }, observed)
  expect(gapsOf(plan)).toEqual([])
  expect(longestChain(plan)).toBe(2)
})

test('steps are in the order in which one request at a time would send them', () => {
  const moved = (name: string) => ({ workspaces, variables: { [`env/${name}`]: '1' } })
  const plan = planOf(
    aDesiredState(
      aSet('a', { workspaces }),
      aSet('b', moved('X')),
      aSet('c', { workspaces }),
      aSet('d', moved('Y')),
    ),
    anObservedState(
      anObserved('1', 'a', moved('X')),
      anObserved('2', 'b', { workspaces }),
      anObserved('3', 'c', moved('Y')),
      anObserved('4', 'd', { workspaces }),
    ),
  )
  expect(plan.steps.map(({ id }) => id)).toEqual([
    'create-variable b env/X',
    'create-variable d env/Y',
    'delete-variable c env/Y',
    'delete-variable a env/X',
  ])
})

test('more than ten steps change one key without a gap, as few do', () => {
  const names = numbered('s').slice(0, 12)
  const holder = (name: string, at: number) => (at < 6 ? only(name) : { workspaces })
  const plan = planOf(
    aDesiredState(...names.map((name, at) => aSet(name, holder(name, 11 - at)))),
    anObservedState(...names.map((name, at) => anObserved(name, name, holder(name, at)))),
  )
  expect(plan.steps).toHaveLength(12)
  expect(gapsOf(plan)).toEqual([])
})

test('every edge follows the line, which begins with the removals of secrets and what slots put before them', () => {
  let [edges, removals] = [0, 0]
  fc.assert(
    fc.property(transition, ({ desired, observed, only }) => {
      const { value: plan } = createPlan({ ...desired, directory: DIRECTORY }, observed, { ...OPTIONS, only })
      const steps = plan?.steps ?? []
      const positions = new Map(steps.map(({ id }, at) => [id, at]))
      for (const [at, { after }] of steps.entries())
        for (const { step } of after) {
          expect(positions.get(step)).toBeLessThan(at)
          edges++
        }
      const secrets = steps.flatMap(({ operation }, at) =>
        operation.type === 'delete-variable' && 'hidden' in operation.before.value ? [at] : [],
      )
      // Whatever stands before one of them removes something as well, or releases a slot that it needs.
      for (const at of secrets) {
        removals++
        const additions = steps.slice(0, at).filter(({ operation: { type } }) => type === 'create-set')
        expect(additions.filter(({ id }) => !steps[at]?.after.some(({ step }) => step === id))).toEqual([])
      }
    }),
    { numRuns: 300, seed: 5 },
  )
  expect(edges).toBeGreaterThan(500)
  expect(removals).toBeGreaterThan(50)
})

test('at every moment each workspace sees what it sees somewhere on the line', () => {
  let moments = 0
  const places = WORKSPACES.map((id, at) => [id, PROJECTS[at % 2]] as const)
  const textOf = (view: ReturnType<typeof viewOf>, workspace: string, key: string): string => {
    const seen = view.get(`${workspace} ${key}`)
    return `${seen?.value} of ${seen?.set}`
  }
  fc.assert(
    fc.property(transition, ({ desired, observed, only }) => {
      const { value: plan } = createPlan({ ...desired, directory: DIRECTORY }, observed, { ...OPTIONS, only })
      if (plan === undefined || plan.steps.length > 8) return
      let { sets }: Pick<ObservedState, 'sets'> = observed
      const line = [viewOf(sets, places)]
      for (const { operation } of plan.steps) {
        sets = performedOn(sets, operation)
        line.push(viewOf(sets, places))
      }
      const views = [...cutsOf(observed, plan.steps).values()].map(moment => viewOf(moment, places))
      for (const view of views)
        for (const workspace of WORKSPACES)
          for (const key of KEYS) {
            const [before, after] = [line[0], line.at(-1)]
            if (before === undefined || after === undefined) continue
            const seen = textOf(view, workspace, key)
            const isOldOrNew = [before, after].some(
              one => one.get(`${workspace} ${key}`)?.value === view.get(`${workspace} ${key}`)?.value,
            )
            if (isOldOrNew) continue
            moments++
            expect(line.map(one => textOf(one, workspace, key))).toContain(seen)
          }
    }),
    { numRuns: 300, seed: 9 },
  )
  expect(moments).toBeGreaterThan(100)
})
