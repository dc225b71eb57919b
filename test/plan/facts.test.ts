import { describe, expect, test } from 'vitest'
import type { ObservedSet, ObservedState } from '../../src/model/variable-set.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const inventory = { owner: 'net', id: 'varset-inventory' as const, entries: [], unwritable: true as const }

const desired = { ...aDesiredState(aSet('a', { description: 'new' }), aSet('b')), owner: 'net' }

const withInventory = (...sets: readonly ObservedSet[]): ObservedState => ({
  ...anObservedState(...sets),
  inventories: [inventory],
})

const readOnly = (set: ObservedSet): ObservedSet => ({ ...set, unwritable: true })

describe('a token that cannot change everything that a plan writes', () => {
  test('counts as read-only if it can change none of the existing sets', () => {
    const observed = withInventory(readOnly(anObserved('1', 'a')), readOnly(anObserved('2', 'b')))
    const { facts, diagnostics } = planOf(desired, observed)
    expect(facts.unwritable).toEqual({ sets: ['a', 'setpoint-inventory-net'], readsOnly: true })
    expect(diagnostics).toEqual([])
  })

  test('is reported for each set that it cannot change', () => {
    const { facts, diagnostics } = planOf(
      desired,
      withInventory(readOnly(anObserved('1', 'a')), anObserved('2', 'b')),
    )
    expect(facts.unwritable?.readsOnly).toBe(false)
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'The token cannot change "a".',
      'The token cannot change "setpoint-inventory-net".',
    ])
  })

  test('does not count as read-only if only the inventory exists', () => {
    const { facts, diagnostics } = planOf(desired, withInventory())
    expect(facts.unwritable).toEqual({ sets: ['setpoint-inventory-net'], readsOnly: false })
    expect(diagnostics.map(({ code }) => code)).toEqual(['no-permission'])
  })
})
