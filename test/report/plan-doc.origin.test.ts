import { describe, expect, test } from 'vitest'
import type { Plan, SetOrigin } from '../../src/plan/plan-data.ts'
import { type Report, renderers } from '../../src/report/index.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'
import { typedAs } from '../support/typed.ts'
import { aPlan, hidden, secret, settings, step, update, updateSet } from './build.ts'

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

const text = (report: Report): string => renderers.text(report, { color: false })

describe('the origin of a change', () => {
  test('is shown on each entry if a set has several origins', () => {
    const printed = text({ kind: 'plan', plan: plan([SPLIT], BASE) })
    expect(printed).toContain('+ env A      1, this change\n')
    expect(printed).toContain('+ env B      1, changed outside, set updated 2026-11-20 03:12Z\n')
    expect(printed).toContain('+ workspace  ws-1, merged earlier, not applied\n')
    expect(printed).toContain('+ workspace  ws-2, this change\n')
  })

  test('is shown on the set if all entries have the same origin, and on a new set', () => {
    const origins = [
      { set: 'net', items: { 'env/C': 'before', 'env/D': 'before' } },
      { set: 'new', items: { set: 'this-change' } },
    ] as const
    const printed = text({ kind: 'plan', plan: plan(origins, BASE) })
    expect(printed).toContain('~ net  2 variables, different before this change')
    expect(printed).toContain('+ new  empty, this change')
    expect(printed).not.toContain('C  1,')
  })

  test('is shown without a base only for changes made outside', () => {
    const printed = text({ kind: 'plan', plan: plan([SPLIT]) })
    expect(printed).toContain('  drift  1 change made outside is reverted')
    expect(printed.match(/this change|merged earlier/g)).toBeNull()
  })

  test('is counted beside its set in a comment', () => {
    const printed = renderers.markdown({ kind: 'plan', plan: plan([SPLIT], BASE) })
    expect(printed).toContain('2 this change, 1 changed outside, 1 merged earlier, not applied')
  })

  test('splits the headline of a drift report, and its figures in JSON', () => {
    const drifted = plan([SPLIT, { set: 'net', items: { 'env/C': 'not-applied' } }])
    expect(text({ kind: 'drift', plan: drifted })).toContain(
      '3 sets differ from the files: 1 changed outside, 1 merged and not applied, 1 of unknown origin',
    )
    const json = JSON.parse(renderers.json({ kind: 'drift', plan: drifted }))
    expect(json.drift).toEqual({ outside: 1, notApplied: 1, unknownOrigin: 1 })
  })

  test('a drift report offers both commands, to revert and to accept', () => {
    const one = { ...PLAN, steps: PLAN.steps.filter(({ operation }) => operation.subject.name === 'net') }
    const printed = text({ kind: 'drift', plan: one, typed: typedAs('drift') })
    expect(printed).toMatch(/Revert +setpoint apply --only net\n/)
    expect(printed).toMatch(/Accept +setpoint export --update net\n/)
  })

  test.each(['rtl \u202etxt', 'a*', 'what?'])('both commands name the set "%s" by its id', set => {
    const odd = planOf(
      aDesiredState(aSet(set, { variables: { 'env/A': '1' } })),
      anObservedState(anObserved('odd', set)),
    )
    const origins = [{ set, items: { 'env/A': 'outside' } }] as const
    const printed = text({
      kind: 'drift',
      plan: { ...odd, facts: { ...odd.facts, origins } },
      typed: typedAs('drift'),
    })
    expect(printed).toContain('setpoint apply --only varset-odd\n')
    expect(printed).toContain('setpoint export --update varset-odd\n')
  })

  test('a loosened setting is reported under *Review first*', () => {
    const loosened = [{ setting: 'guards.deletions', base: '20%', head: '90%' }]
    expect(text({ kind: 'plan', plan: plan([], { ...BASE, loosened }) })).toContain(
      '  loosened  guards.deletions protects less than before: 20% -> 90%',
    )
  })

  test('the time of a change made outside stands at the set if all of it was', () => {
    const times = {
      updatedAt: '2026-11-20T03:12:45Z',
      items: { 'env/C': 'outside', 'env/D': 'outside' },
    } as const
    const drifted = plan([{ set: 'net', ...times }])
    expect(text({ kind: 'drift', plan: drifted })).toMatch(
      /~ net +2 variables, changed outside, set updated 2026-11-20 03:12Z/,
    )
  })

  test('a set that also has merged changes is not accepted by a command, which would undo them', () => {
    const drifted = plan([
      { set: 'aws', items: { 'env/A': 'not-applied', 'env/B': 'outside' } },
      { set: 'net', items: { 'env/C': 'outside', 'env/D': 'outside' } },
    ])
    const printed = text({ kind: 'drift', plan: drifted, typed: typedAs('drift') })
    expect(printed).toMatch(
      /Accept +setpoint export --update net\n +by hand: aws also has merged changes that are not applied\n/,
    )
  })

  test('the command that accepts drift leaves out sets with merged changes', () => {
    const merged: SetOrigin = { set: 'net', items: { 'env/C': 'not-applied', 'env/D': 'not-applied' } }
    const accept = (origins: readonly SetOrigin[]): string | undefined =>
      /Accept +(.*)/.exec(text({ kind: 'drift', plan: plan(origins), typed: typedAs('drift') }))?.[1]
    expect(accept([{ set: 'aws', items: { 'env/A': 'outside' } }, merged])).toBe(
      'setpoint export --update aws',
    )
    expect(accept([merged])).toBe('setpoint export --update aws')
    expect(accept([])).toBe('setpoint export --update aws --update net')
    const only = PLAN.steps.filter(({ operation }) => operation.subject.name === 'net')
    const waiting = text({ kind: 'drift', typed: typedAs('drift'), plan: { ...plan([merged]), steps: only } })
    expect(waiting).not.toContain('Accept')
    expect(waiting).toMatch(/Apply +setpoint apply --only net\n/)
  })

  test('is shown for a set that is only renamed', () => {
    const renamed = aPlan([step('1', updateSet(settings('old'), settings('new')))], {
      facts: { origins: [{ set: 'new', items: { name: 'this-change' } }], base: BASE },
    })
    expect(text({ kind: 'plan', plan: renamed })).toContain('~ old -> new  renamed, same id, this change')
    expect(renderers.markdown({ kind: 'plan', plan: renamed })).toContain('| renamed, same id, this change |')
  })

  test('is "possibly changed outside" for a secret that is not the one we wrote', () => {
    const rewritten = aPlan([
      step('1', { ...update('db', hidden('env/P'), secret('env/P')), rewrite: 'changed-outside' }),
    ])
    expect(text({ kind: 'plan', plan: rewritten })).toMatch(/env P .*possibly changed outside/)
    expect(renderers.markdown({ kind: 'plan', plan: rewritten })).toContain(
      '| ~ | `db` | ~ env `P` (secret), possibly changed outside |',
    )
  })
})

describe('a plan that changes nothing in the service', () => {
  const loosened = [{ setting: 'guards.deletions', base: '20%', head: '90%' }]
  const none = aPlan([], { facts: { base: { ...BASE, loosened } } })
  const SAYS = 'nothing changes -->'

  test('is still reported if it loosens a protection', () => {
    expect(text({ kind: 'plan', plan: none })).toContain('  loosened  guards.deletions')
    const markdown = renderers.markdown({ kind: 'plan', plan: none })
    expect(markdown).toContain('> [!CAUTION]\n> **Review first**\n>\n> - **loosened**')
    expect(markdown).not.toContain(SAYS)
  })

  test('is still reported if it leaves a set behind', () => {
    const left = aPlan([], {
      diagnostics: [{ severity: 'warning', code: 'left-behind', message: '"a" left the files.' }],
    })
    expect(renderers.markdown({ kind: 'plan', plan: left })).not.toContain(SAYS)
    expect(renderers.markdown({ kind: 'plan', plan: aPlan([]) })).toContain(SAYS)
  })
})

test('a loosened setting comes before a set that becomes global', () => {
  const steps = [step('1', updateSet(settings('a'), settings('a', { global: true })))]
  const loosened = [{ setting: 'guards.deletions', base: '20%', head: '90%' }]
  const printed = text({ kind: 'plan', plan: aPlan(steps, { facts: { base: { ...BASE, loosened } } }) })
  expect(printed.match(/(?<=^ {2})(?:loosened|global)\b/gm)).toEqual(['loosened', 'global'])
})

test.each([
  [{ name: 'P', version: '7' }, 'was version 7'],
  [{ name: 'P' }, 'had no version'],
  [{ name: 'OLD', version: '7' }, 'source was OLD version 7'],
  [undefined, 'source changed'],
])('a secret whose source changed shows the earlier one: %j', (was, said) => {
  const rewrite = 'source-changed'
  const rewritten = { ...update('db', hidden('env/P'), secret('env/P', '8')), rewrite } as const
  const state = { state: 'write', reason: rewrite, ...(was === undefined ? {} : { was }) } as const
  const secrets = [{ set: 'db', key: 'env/P', state }] as const
  expect(text({ kind: 'plan', plan: aPlan([step('1', rewritten)], { facts: { secrets } }) })).toContain(
    `env P  (secret) version 8, ${said}`,
  )
})
