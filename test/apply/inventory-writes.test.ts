import { expect, test } from 'vitest'
import { inventoriesAfter } from '../../src/apply/inventory-writes.ts'
import type { VariableSetId } from '../../src/model/ids.ts'
import type { Inventory } from '../../src/model/inventory.ts'
import { matchStates } from '../../src/plan/match-states.ts'
import { desiredDigest } from '../../src/plan/ownership.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const files = { ...aDesiredState(aSet('a'), aSet('b')), owner: 'us' }
const live = anObservedState(anObserved('1', 'a'), anObserved('2', 'b'))

/** An inventory with the sets of these ids, as they were applied. */
const listing = (owner: string, id: string, ...sets: readonly ('1' | '2')[]): Inventory => ({
  owner,
  id: `varset-${id}`,
  entries: sets.map(set => ({
    setId: `varset-${set}`,
    variableId: `var-${id}${set}`,
    digest: desiredDigest(aSet(set === '1' ? 'a' : 'b')),
    secrets: {},
    damaged: false,
  })),
})

/** What each inventory has after an apply without steps: the ids of the sets that it lists. */
function listedAfter(inventories: readonly Inventory[], adopt: readonly string[] = []) {
  const observed = { ...live, inventories }
  const matched = matchStates(files, observed, [], adopt)
  const pairs = inventoriesAfter(matched, [], new Map(), {
    fingerprintOf: () => undefined,
    sent: [],
    shown: observed,
  })
  return pairs.map(({ desired, observed: there }): [VariableSetId | undefined, string[]] => [
    there?.id,
    desired.variables.map(({ key }) => key),
  ])
}

const [A, B] = ['terraform/varset-1', 'terraform/varset-2']

test('a set that several others list is taken from all of them, and nothing else is', () => {
  const others = [listing('them', '7', '1', '2'), listing('those', '8', '1')]
  expect(listedAfter([...others, listing('us', '9', '2')], ['a'])).toEqual([
    ['varset-7', [B]],
    ['varset-8', []],
    ['varset-9', [A, B]],
  ])
})

test('of two inventories of one owner, the first gets what none lists', () => {
  expect(listedAfter([listing('us', '8'), listing('us', '9', '2')])).toEqual([
    ['varset-8', [A]],
    ['varset-9', [B]],
  ])
})

test('without an inventory, one is made', () => {
  expect(listedAfter([])).toEqual([[undefined, [A, B]]])
})
