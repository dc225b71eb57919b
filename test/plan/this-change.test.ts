import { describe, expect, test } from 'vitest'
import type { InventoryEntry } from '../../src/model/inventory.ts'
import type { ObservedSet, ResolvedSet, ResolvedState } from '../../src/model/variable-set.ts'
import { planBase } from '../../src/plan/base.ts'
import { diffVariableSets } from '../../src/plan/difference.ts'
import { matchStates } from '../../src/plan/match-states.ts'
import { needsDrift } from '../../src/plan/needs-drift.ts'
import { ofThisChange } from '../../src/plan/only-this-change.ts'
import { desiredDigest } from '../../src/plan/ownership.ts'
import { SecretStates } from '../../src/plan/secret-states.ts'
import { thisChangeOf } from '../../src/plan/this-change.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'

/** What a change from one state of the files to the other leaves as it is in the service. */
const leftBy = (...given: Parameters<typeof changed>) => changed(...given).left

function changed(
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
  const matched = matchStates(after, observed, [])
  const left = thisChangeOf(base, {}, matched)
  const made = ofThisChange(matched, left)
  const operations = diffVariableSets(made.match, new SecretStates(made.match)).map(
    ({ operation }) => operation,
  )
  const errors = needsDrift(matched, left, operations, 'setpoint plan').map(({ message }) => message)
  return {
    left,
    match: made.match,
    ids: operations.map(({ type, subject }) => `${type} ${subject.name}`),
    errors,
  }
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
  const { left, match, ids } = changed(removing('b'), removing('a', 'b'), live)
  const { remaining, drift } = left
  expect([...remaining]).toEqual(['varset-2'])
  // It counts as a set that is not selected, and not as one that no file mentions.
  expect([ids, match.untouched.map(({ name }) => name), [...match.unselected]]).toEqual([
    ['delete-set a'],
    ['b'],
    ['varset-2'],
  ])
  expect(drift).toEqual([{ set: 'b', id: 'varset-2', what: 'remains', items: [] }])
})

test('two variables of one key that the change does not edit are left beside each other', () => {
  const [one] = anObserved('1', 'a', { variables: { 'env/A': '1' } }).variables
  if (one === undefined) throw new TypeError('one variable')
  const twice = { ...anObserved('1', 'a'), variables: [one, { ...one, id: 'var-2' as const }] }
  const variables = { 'env/A': '1' }
  const { left, ids } = changed(files(described('1', { variables })), files(described('2', { variables })), [
    { ...twice, description: '1' },
  ])
  expect([left.drift.flatMap(({ items }) => items), ids]).toEqual([['env/A'], ['update-set a']])
})

describe('a change cannot be made alone', () => {
  const secret = (description: string) =>
    aSet('a', { variables: { 'env/S': { value: { secret: { name: 'S' } }, description } } })
  const held = anObserved('1', 'a', { variables: { 'env/S': { value: { hidden: true }, description: '1' } } })
  const UNLISTED = 'This change cannot be made alone. "a" is not in the inventory and differs from the files.'

  test.each([
    [
      'a set that no inventory lists, and of which it leaves something',
      changed(files(described('1')), files(described('1', { priority: true })), [there('by hand')]),
      [UNLISTED],
    ],
    [
      'one of which it leaves only what nobody can see',
      changed(files(secret('1')), files(secret('2')), [held]),
      [],
    ],
    [
      'one that it leaves whole',
      changed(files(described('1')), files(described('1')), [there('by hand')]),
      [],
    ],
    [
      'one that an inventory lists',
      changed(files(described('1')), files(described('1', { priority: true })), [there('by hand')], {
        digest: 'another',
        damaged: false,
      }),
      [],
    ],
    [
      'one that is not in the service',
      changed(files(described('1')), files(described('2')), []),
      ['This change cannot be made alone. "a" is not in the service, and this change edits it.'],
    ],
  ])('if it edits %s', (_, { errors }, told) => expect(errors).toEqual(told))
})
