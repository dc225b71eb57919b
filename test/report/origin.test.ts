import { describe, expect, test } from 'vitest'
import type { SetOrigin } from '../../src/plan/origin.ts'
import type { Plan } from '../../src/plan/plan.ts'
import { type Report, renders } from '../../src/report/index.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const PLAN = planOf(
  aDesiredState(
    aSet('aws', { variables: { 'env/A': '1', 'env/B': '1' }, workspaces: ['ws-1', 'ws-2'] }),
    aSet('net', { variables: { 'env/C': '1', 'env/D': '1' } }),
    aSet('new'),
  ),
  anObservedState(anObserved('1', 'aws'), anObserved('2', 'net')),
)

const plan = (origins: readonly SetOrigin[], base?: Plan['facts']['base']): Plan => ({
  ...PLAN,
  facts: { ...PLAN.facts, origins, ...(base === undefined ? {} : { base }) },
})

const BASE = { ref: 'main', commit: 'c0ffee', loosened: [] }
const SPLIT: SetOrigin = {
  set: 'aws',
  updatedAt: '2026-11-20T03:12:45.000Z',
  items: { 'env/A': 'this-change', 'env/B': 'outside', 'ws-1': 'not-applied', 'ws-2': 'this-change' },
}

const text = (report: Report): string => renders.text(report, { color: false, width: 100 })

describe('where a change comes from', () => {
  test('stands on each entry where a set has several origins', () => {
    const printed = text({ kind: 'plan', plan: plan([SPLIT], BASE) })
    expect(printed).toContain('+ env A      1, this change\n')
    expect(printed).toContain('+ env B      1, changed outside, set updated 2026-11-20 03:12Z\n')
    expect(printed).toContain('+ workspace  ws-1, merged earlier, not applied\n')
    expect(printed).toContain('+ workspace  ws-2, this change\n')
  })

  test('stands on the set where all entries have one, and on a set that is new', () => {
    const origins = [
      { set: 'net', items: { 'env/C': 'before', 'env/D': 'before' } },
      { set: 'new', items: { set: 'this-change' } },
    ] as const
    const printed = text({ kind: 'plan', plan: plan(origins, BASE) })
    expect(printed).toContain('~ net  different before this change')
    expect(printed).toContain('+ new  empty, this change')
    expect(printed).not.toContain('C  1,')
  })

  test('without a base, a plan says only what was changed outside', () => {
    const printed = text({ kind: 'plan', plan: plan([SPLIT]) })
    expect(printed).toContain('! drift  1 change made outside is reverted')
    expect(printed.match(/this change|merged earlier/g)).toBeNull()
  })

  test('has a column of its own in a comment', () => {
    const printed = renders.markdown({ kind: 'plan', plan: plan([SPLIT], BASE) })
    expect(printed).toContain('| | set | what | why | where |\n|-|-|-|-|-|')
    expect(printed).toContain('2 this change, 1 changed outside, 1 merged earlier, not applied')
    expect(renders.markdown({ kind: 'plan', plan: PLAN })).toContain('| | set | what | where |\n|-|-|-|-|')
  })

  test('divides the headline of a drift report, and its figures in JSON', () => {
    const drifted = plan([SPLIT, { set: 'net', items: { 'env/C': 'not-applied' } }])
    expect(text({ kind: 'drift', plan: drifted })).toContain(
      '3 sets differ from the files: 1 changed outside, 1 merged and not applied, 1 of unknown origin',
    )
    const json = JSON.parse(renders.json({ kind: 'drift', plan: drifted }))
    expect(json.drift).toEqual({ outside: 1, notApplied: 1, untold: 1 })
  })

  test('a drift report names both ways out', () => {
    const one = { ...PLAN, steps: PLAN.steps.filter(({ operation }) => operation.set === 'net') }
    const printed = text({ kind: 'drift', plan: one })
    expect(printed).toMatch(/Revert +setpoint apply --only net\n/)
    expect(printed).toMatch(/Accept +setpoint export --update net\n/)
  })

  test('a loosened setting is told first', () => {
    const loosened = [{ setting: 'guards.deletions', base: '20%', head: '90%' }]
    expect(text({ kind: 'plan', plan: plan([], { ...BASE, loosened }) })).toContain(
      '! loosened  guards.deletions protects less than before: 20% becomes 90%',
    )
  })
})
