import { describe, expect, test } from 'vitest'
import type { InventoryEntry } from '../../src/model/inventory.ts'
import type { ObservedSet, ResolvedSet, ResolvedState } from '../../src/model/variable-set.ts'
import { planBase } from '../../src/plan/base.ts'
import { matchStates } from '../../src/plan/match-states.ts'
import { desiredDigest } from '../../src/plan/ownership.ts'
import { thisChangeOf } from '../../src/plan/this-change.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'

/** What a change from one state of the files to the other leaves as it is in the service. */
function leftBy(
  was: ResolvedState,
  is: ResolvedState,
  live: readonly ObservedSet[],
  entry?: Pick<InventoryEntry, 'digest' | 'damaged'>,
) {
  const entries = entry && [{ setId: 'varset-1', variableId: 'var-9', secrets: {}, ...entry } as const]
  const observed = {
    ...anObservedState(...live),
    inventories: entries ? [{ owner: 'us', id: 'varset-9', entries } as const] : [],
  }
  const [before, after] = [
    { ...was, owner: 'us' },
    { ...is, owner: 'us' },
  ]
  const base = planBase({ ref: 'main', commit: 'c0ffee', desired: before }, observed, [])
  return thisChangeOf(base, {}, matchStates(after, observed, []))
}

const files = (...sets: readonly ResolvedSet[]) => aDesiredState(...sets)
const described = (description: string, more = {}) => aSet('a', { description, ...more })
const there = (description: string) => anObserved('1', 'a', { description })
const withoutDrift = { missing: new Set(), edited: [], remaining: new Set(), drift: [], overwritten: [] }

describe('of a set that is there, a change leaves', () => {
  test('nothing, if nothing else differs', () => {
    const left = leftBy(files(described('1')), files(described('2')), [there('1')])
    expect(left).toEqual({ ...withoutDrift, targets: new Map() })
  })

  test('what it does not edit', () => {
    const [was, is] = [described('1'), described('1', { priority: true })]
    const { targets, ...left } = leftBy(files(was), files(is), [there('by hand')])
    expect(left).toEqual({
      ...withoutDrift,
      drift: [{ set: 'a', id: 'varset-1', what: 'differs', items: ['description'] }],
    })
    expect(targets.get('a')).toEqual({
      desired: { ...is, description: 'by hand' },
      left: { declared: is, digest: undefined, duplicates: new Set() },
    })
  })

  test('nothing of what it edits, and says what somebody else wrote there', () => {
    const left = leftBy(files(described('1')), files(described('2')), [there('by hand')])
    const overwritten = [{ set: 'a', id: 'varset-1', items: ['description'] }]
    expect(left).toEqual({ ...withoutDrift, targets: new Map(), overwritten })
  })
})

describe('what is recorded as applied, if a part is left, is', () => {
  const [was, is] = [described('1'), described('1', { priority: true })]
  test.each([
    ['the files, if the base was applied', { digest: desiredDigest(was), damaged: false }, desiredDigest(is)],
    ['what was applied, if that is something else', { digest: 'another', damaged: false }, 'another'],
    ['unknown, if the entry is damaged', { digest: '', damaged: true }, undefined],
    ['unknown without an entry', undefined, undefined],
  ])('%s', (_, entry, digest) => {
    const { targets } = leftBy(files(was), files(is), [there('by hand')], entry)
    expect(targets.get('a')?.left?.digest).toBe(digest)
  })
})

test('a set that is missing before and after is left, once, and is an error if the change edits it', () => {
  const before = files(aSet('b'), aSet('c'), aSet('d'), aSet('e'))
  const after = files(
    aSet('b'),
    aSet('c', { priority: true }),
    aSet('d2', { serviceName: 'd', previousNames: ['e', 'd'] }),
    aSet('new'),
  )
  const { missing, edited, drift } = leftBy(before, after, [])
  expect([...missing]).toEqual(['b', 'c', 'd2'])
  expect(edited.map(({ name }) => name)).toEqual(['c', 'd2'])
  expect(drift).toEqual(['b', 'c', 'd2'].map(set => ({ set, what: 'missing', items: [] })))
})

test('a set that was to be deleted before the change is left, and one that it deletes is not', () => {
  const removing = (...names: readonly string[]) => ({
    ...files(),
    removed: names.map(name => ({ name, source: SOMEWHERE })),
  })
  const live = [anObserved('1', 'a'), anObserved('2', 'b')]
  const { remaining, drift } = leftBy(removing('b'), removing('a', 'b'), live)
  expect([...remaining]).toEqual(['varset-2'])
  expect(drift).toEqual([{ set: 'b', id: 'varset-2', what: 'remains', items: [] }])
})
