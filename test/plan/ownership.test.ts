import { describe, expect, test } from 'vitest'
import type { Inventory, InventoryEntry } from '../../src/model/inventory.ts'
import { createPlan, findRemaining } from '../../src/plan/create.ts'
import { matchStates } from '../../src/plan/match-states.ts'
import { Ownership } from '../../src/plan/ownership.ts'
import { OPTIONS } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const NAMES = ['a', 'b', 'c'] as const
const live = anObservedState(...NAMES.map((name, at) => anObserved(`${at}`, name)))

/** An inventory of these sets, by their numbers. */
const listing = (owner: string, at: readonly number[], entry: Partial<InventoryEntry> = {}): Inventory => ({
  owner,
  id: `varset-of-${owner}`,
  entries: at.map(number => ({
    setId: `varset-${number}`,
    variableId: `var-${number}`,
    digest: '',
    secrets: {},
    damaged: false,
    ...entry,
  })),
})

describe('sets that another owner lists', () => {
  const hintsFor = (...inventories: readonly Inventory[]) =>
    createPlan(
      { ...aDesiredState(...NAMES.map(name => aSet(name))), owner: 'us' },
      { ...live, inventories },
      OPTIONS,
    ).diagnostics.map(({ message, hint }) => [message, hint?.includes("--adopt '*' takes all")])

  test('may all be taken if several are of one owner, since this repository may have had its name', () => {
    expect(hintsFor(listing('them', [0, 1]))).toEqual([
      ['"a" is owned by "them".', true],
      ['"b" is owned by "them".', true],
    ])
  })

  test.each([
    ['one set', [listing('them', [0])], 1],
    ['sets of two owners', [listing('them', [0]), listing('those', [1])], 2],
  ])('may not, if it is %s', (_, inventories, count) => {
    const hints = hintsFor(...inventories)
    expect([hints.length, hints.some(([, takesAll]) => takesAll)]).toEqual([count, false])
  })
})

test.each([
  ['our entry says so', {}, undefined, true],
  ['our entry is damaged', { damaged: true }, undefined, true],
  ['a project took it over', {}, 'prj-1', false],
  ['a project took it over, and our entry is damaged', { damaged: true }, 'prj-1', false],
  ['it was of this project', { parent: 'prj-1' }, 'prj-1', true],
  ['it was of another project', { parent: 'prj-2' }, 'prj-1', false],
] as const)('whether a set is ours: %s', (_, entry, parent, isListed) => {
  const ownership = new Ownership(
    { ...aDesiredState(), owner: 'us' },
    { ...live, inventories: [listing('us', [0], entry)] },
  )
  expect(ownership.isListed({ id: 'varset-0', ...(parent && { parent }) })).toBe(isListed)
  expect(ownership.isListed({ id: 'varset-1' })).toBe(false)
})

test('what is left of an apply is blocked for a set of nobody, unless the apply adopts it', () => {
  const files = { ...aDesiredState(aSet('a', { description: 'new' })), owner: 'us' }
  const blocksOf = (adopt: readonly string[]) =>
    findRemaining(files, { ...live, inventories: [] }, { ...OPTIONS, adopt }).value?.blocks.map(
      ({ code }) => code,
    )
  expect([blocksOf([]), blocksOf(['a'])]).toEqual([['adopts-different'], []])
})

test('a set that is adopted brings along which settings the service does not keep', () => {
  const files = { ...aDesiredState(aSet('a', { priority: true })), owner: 'us' }
  const theirs = listing('them', [0], { unkept: { priority: false } })
  const { match } = matchStates(files, { ...live, inventories: [theirs] }, [], ['a'])
  expect(match.unkept).toMatchObject([{ set: 'a', setting: 'priority', sent: true, shown: false }])
})
