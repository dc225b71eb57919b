import { inventoryWrites } from '../../../../src/apply/inventory-writes.ts'
import type { Inventory } from '../../../../src/model/inventory.ts'
import type { ResolvedState } from '../../../../src/model/variable-set.ts'
import { createPlan } from '../../../../src/plan/create.ts'
import { matchStates } from '../../../../src/plan/match-states.ts'
import { Ownership } from '../../../../src/plan/ownership.ts'
import { OPTIONS, planOf } from '../../../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../../../support/states.ts'
import { differing, type Probe } from './probe.ts'

const inventory = (owner: string, ...ids: readonly string[]): Inventory => ({
  owner,
  id: `varset-inventory${owner}`,
  entries: ids.map(id => ({
    setId: `varset-${id}`,
    variableId: `var-e${id}`,
    digest: 'earlier',
    secrets: {},
    damaged: false,
  })),
})

const files: ResolvedState = {
  ...aDesiredState(aSet('net-a', { variables: { 'env/A': '1' } })),
  owner: 'team',
  owns: ['net-*'],
  prune: true,
}
const observed = {
  ...anObservedState(
    anObserved('1', 'net-a'),
    anObserved('2', 'net-old'),
    anObserved('3', 'other'),
    anObserved('4', 'net-theirs'),
    anObserved('5', 'net-nobody'),
  ),
  inventories: [inventory('platform', '4'), inventory('team', '1', '2', '3')],
}

/** Prune deletes what our inventory lists, `owns` matches and no file declares. A set of another owner cannot be declared. */
export const ownership: Probe = () => {
  const deleted = (only: readonly string[]) =>
    planOf(files, observed, { only }).steps.flatMap(({ operation }) =>
      operation.type === 'delete-set' ? [operation.subject.name] : [],
    )
  const declaring = { ...files, sets: aDesiredState(...files.sets, aSet('net-theirs')).sets }
  const refused = createPlan(declaring, observed, OPTIONS)
  const fresh = { ...observed, inventories: [inventory('platform', '4')] }
  const failed = planOf(files, fresh).steps.map(step => ({
    step,
    outcome: { status: 'failed', message: 'no' } as const,
  }))
  const { match } = matchStates(files, fresh, [])
  const { added } = inventoryWrites(match, new Ownership(files, fresh), failed, new Map(), {
    fingerprintOf: () => [],
  })
  return [
    ...differing('pruned', ['net-old'], deleted([])),
    ...differing('pruned with a selection', [], deleted(['net-a'])),
    ...differing(
      'a set of another owner',
      ['owned-by-another'],
      refused.diagnostics.map(({ code }) => code),
    ),
    ...differing(
      'a failed set that is listed',
      [],
      added.map(({ key }) => key),
    ),
  ]
}
