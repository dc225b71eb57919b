import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Inventory } from '../../src/model/inventory.ts'
import { toJson } from '../../src/model/json.ts'
import { matchesAny } from '../../src/model/names.ts'
import type { ObservedSet, ObservedState, ResolvedSet, ResolvedState } from '../../src/model/variable-set.ts'
import { createPlan } from '../../src/plan/create.ts'
import type { Plan } from '../../src/plan/plan-data.ts'
import { pairOfStates } from '../support/arbitrary.ts'
import { OPTIONS } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState } from '../support/states.ts'
import { PROJECTS } from '../support/world.ts'

const shuffled = <T>(list: readonly T[], random: () => number): T[] =>
  list
    .map(member => ({ member, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ member }) => member)

/** The same states with every list in another order. */
function mixed(
  { desired, observed }: typeof pairOfStates extends fc.Arbitrary<infer T> ? T : never,
  seed: number,
) {
  let state = seed + 1
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state
  }
  const inside = <
    T extends { variables: readonly unknown[]; workspaces?: readonly string[]; projects?: readonly string[] },
  >(
    set: T,
  ): T => ({
    ...set,
    variables: shuffled(set.variables, random),
    ...(set.workspaces === undefined ? {} : { workspaces: shuffled(set.workspaces, random) }),
    ...(set.projects === undefined ? {} : { projects: shuffled(set.projects, random) }),
  })
  return {
    desired: {
      ...desired,
      sets: shuffled(desired.sets.map(inside), random),
      removed: shuffled(desired.removed, random),
    },
    observed: { ...observed, sets: shuffled(observed.sets.map(inside), random) },
  }
}

/** A plan, or why there is none, as text. */
function printed({ desired, observed }: Parameters<typeof mixed>[0]): string {
  const { value, diagnostics } = createPlan(desired, observed, OPTIONS)
  return toJson({ value, diagnostics })
}

test('a plan does not depend on the order in which files, sets, variables or pages were read', {
  tags: ['I-05'],
}, () => {
  fc.assert(
    fc.property(pairOfStates, fc.nat(), (pair, seed) => {
      const other = mixed(pair, seed)
      expect(printed(other)).toBe(printed(pair))
    }),
    { numRuns: 500, seed: 4 },
  )
})

test('planning does not modify its arguments', () => {
  fc.assert(
    fc.property(pairOfStates, pair => {
      const before = toJson(pair)
      createPlan(pair.desired, pair.observed, OPTIONS)
      expect(toJson(pair)).toBe(before)
    }),
    { numRuns: 200, seed: 5 },
  )
})

test('a change of one set changes only the steps of that set', { tags: ['I-22'] }, () => {
  fc.assert(
    fc.property(pairOfStates, fc.nat(), (pair, index) => {
      const set = pair.desired.sets[index % Math.max(1, pair.desired.sets.length)]
      if (set === undefined || set.global) return
      const sets = pair.desired.sets.map(other =>
        other === set ? { ...other, description: 'another' } : other,
      )
      const before = createPlan(pair.desired, pair.observed, OPTIONS).value
      const after = createPlan({ ...pair.desired, sets }, pair.observed, OPTIONS).value
      const others = (plan: typeof before) =>
        plan?.steps
          .filter(({ operation }) => operation.subject.name !== set.name)
          .map(({ operation }) => operation)
      expect(others(after)).toEqual(others(before))
    }),
    { numRuns: 300, seed: 6 },
  )
})

/** Some sets are in our inventory, some in that of another owner; some belong to a project. */
const scene = pairOfStates.chain(({ desired, observed }) =>
  fc
    .record({
      owner: fc.option(fc.constant('team'), { nil: undefined }),
      prune: fc.boolean(),
      owns: fc.constantFrom<readonly string[]>([], ['*'], ['a', 'b'], ['?']),
      only: fc.constantFrom<readonly string[]>([], [], ['a'], ['*']),
      ours: fc.subarray([...observed.sets]),
      theirs: fc.subarray([...observed.sets]),
      ofProject: fc.nat({ max: 9 }),
    })
    .map(({ owner, prune, owns, only, ours, theirs, ofProject }) => {
      const sets = observed.sets.map((set, i) => (i === ofProject ? { ...set, parent: PROJECTS[0] } : set))
      const inventories = [listing('other', theirs), listing('team', ours)]
      const files: ResolvedState = { ...desired, prune, owns, ...(owner === undefined ? {} : { owner }) }
      return { files, observed: { ...observed, sets, inventories }, only }
    }),
)

const listing = (owner: string, sets: readonly ObservedSet[]): Inventory => ({
  owner,
  id: `varset-inventory${owner}`,
  entries: sets.map(({ id }) => ({
    setId: id,
    variableId: `var-entry${id}`,
    digest: '',
    secrets: {},
    damaged: false,
  })),
})

type Reason = 'declared' | 'removed' | 'pruned'

/** Why a plan may change or delete a set: the file declares or removes it, or it may be pruned. */
function reasonsFor(
  id: string,
  files: ResolvedState,
  { sets, inventories = [] }: ObservedState,
  only: readonly string[],
): Reason[] {
  const set = sets.find(one => one.id === id)
  if (set === undefined) return []
  const isSelected = (name: string) => only.length === 0 || matchesAny(only, name)
  const means = (one: ResolvedSet) =>
    one.id === undefined ? one.name === set.name || one.previousNames.includes(set.name) : one.id === id
  const isListed = inventories.some(
    ({ owner, entries }) => owner === files.owner && entries.some(entry => entry.setId === id),
  )
  const owns = files.owns.length === 0 || matchesAny(files.owns, set.name)
  const holds: Readonly<Record<Reason, boolean>> = {
    declared: files.sets.some(one => isSelected(one.name) && means(one)),
    removed: isSelected(set.name) && files.removed.some(one => one.name === set.name || one.id === id),
    pruned: files.prune && isListed && set.parent === undefined && owns && only.length === 0,
  }
  return (['declared', 'removed', 'pruned'] as const).filter(reason => holds[reason])
}

/** Everything that a plan deletes or unassigns, as strings. */
const taken = (plan: Plan | undefined): string[] =>
  (plan?.steps ?? []).flatMap(({ operation }) => {
    if (operation.type === 'delete-set') return [operation.subject.id]
    if (operation.type === 'delete-variable') return [`${operation.subject.id} ${operation.variableId}`]
    return operation.type === 'unassign'
      ? operation.targets.ids.map(id => `${operation.subject.id} ${id}`)
      : []
  })

describe('nothing is removed', () => {
  test('from a set that no file declares or removes, unless our inventory lists it and prune is on', {
    tags: ['I-14'],
  }, () => {
    const seen = { declared: 0, removed: 0, pruned: 0 }
    fc.assert(
      fc.property(scene, ({ files, observed, only }) => {
        const { value: plan } = createPlan(files, observed, { ...OPTIONS, only })
        for (const { id, operation } of plan?.steps ?? []) {
          const setId = operation.subject.id
          if (setId === undefined) continue
          // A set is deleted only if it is removed or pruned. All other changes need a declared set.
          const isWhole = operation.type === 'delete-set'
          const reasons = reasonsFor(setId, files, observed, only)
          const [why] = reasons.filter(reason => (reason === 'declared') !== isWhole)
          expect([id, why]).not.toEqual([id, undefined])
          if (why !== undefined) seen[why]++
        }
      }),
      { numRuns: 1_500, seed: 31 },
    )
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(20)
  })

  test('from a set that another owner lists, unless our inventory lists it too', () => {
    let refused = 0
    fc.assert(
      fc.property(scene, ({ files, observed, only }) => {
        const owned = { ...files, owner: 'team' }
        const { value: plan, diagnostics } = createPlan(owned, observed, { ...OPTIONS, only })
        const [theirs, ours] = observed.inventories
        const listed = (inventory: Inventory | undefined, id: string) =>
          inventory?.entries.some(entry => entry.setId === id) === true
        for (const { operation } of plan?.steps ?? [])
          if (operation.subject.id !== undefined && listed(theirs, operation.subject.id))
            expect(listed(ours, operation.subject.id)).toBe(true)
        if (diagnostics.some(({ code }) => code === 'owned-by-another')) refused++
      }),
      { numRuns: 500, seed: 32 },
    )
    expect(refused).toBeGreaterThan(50)
  })

  test('from a set that belongs to a project, although our inventory still lists it', () => {
    const set = { ...anObserved('1', 'a', { variables: { 'env/A': '1' } }), parent: PROJECTS[0] }
    const files = { ...aDesiredState(), owner: 'team', owns: ['*'], prune: true }
    const observed = { ...anObservedState(set), inventories: [listing('team', [set])] }
    expect(createPlan(files, observed, OPTIONS).value?.steps).toEqual([])
  })

  test('because a response omits a set, an inventory, a variable or an assignment', {
    tags: ['F-61'],
  }, () => {
    let compared = 0
    const missing = fc.record({ set: fc.nat(), variable: fc.nat(), target: fc.nat(), inventory: fc.nat() })
    fc.assert(
      fc.property(scene, missing, ({ files, observed, only }, at) => {
        // No previous names: if a set is not shown, the one with its previous name would be renamed.
        const sets = files.sets.map(set => ({ ...set, previousNames: [] }))
        const planFor = (seen: ObservedState) =>
          createPlan({ ...files, sets }, seen, { ...OPTIONS, only }).value
        const whole = planFor(observed)
        if (whole === undefined) return
        for (const seen of withoutOneItem(observed, at)) {
          const more = taken(planFor(seen)).filter(text => !taken(whole).includes(text))
          expect(more).toEqual([])
          compared++
        }
      }),
      { numRuns: 500, seed: 33 },
    )
    expect(compared).toBeGreaterThan(1_000)
  })
})

const without = <T>(list: readonly T[], at: number): T[] => list.filter((_, i) => i !== at % list.length)

/** The same state several times, each without one item. */
function withoutOneItem(
  observed: ObservedState,
  at: { set: number; variable: number; target: number; inventory: number },
): ObservedState[] {
  const { sets, inventories = [] } = observed
  const changed = (change: (set: ObservedSet) => ObservedSet): ObservedState => ({
    ...observed,
    sets: sets.map((set, i) => (i === at.set % sets.length ? change(set) : set)),
  })
  return [
    { ...observed, sets: without(sets, at.set) },
    { ...observed, inventories: without(inventories, at.inventory) },
    changed(set => ({ ...set, variables: without(set.variables, at.variable) })),
    changed(set => ({ ...set, workspaces: without(set.workspaces, at.target) })),
    changed(set => ({ ...set, projects: without(set.projects, at.target) })),
  ]
}
