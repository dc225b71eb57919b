import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toJson } from '../../src/model/json.ts'
import { createPlan } from '../../src/plan/create.ts'
import { pairOfStates } from '../support/arbitrary.ts'
import { OPTIONS } from '../support/plans.ts'

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
