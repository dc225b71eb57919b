import { expect, test } from 'vitest'
import { renderers } from '../../src/report/index.ts'
import { planDoc } from '../../src/report/plan-doc.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'
import { aPlan, createSet, deleteSet, hidden, secret, step } from './build.ts'

const options = { color: false }

function aCountedPlan() {
  const plan = planOf(
    aDesiredState(aSet('a', { variables: { 'env/X': 'new' } })),
    anObservedState(anObserved('1', 'a', { variables: { 'env/X': 'old' } })),
  )
  let reads = 0
  const counted = {
    ...plan,
    get steps() {
      reads++
      return plan.steps
    },
  }
  return { plan, counted, reads: () => reads }
}

/** JSON and the widget are made of the steps, and so is the picture of the page. */
const viewed = ['text', 'markdown'] as const

test('what formats show of a plan is computed once, with the same result as for one', () => {
  const { plan, counted, reads } = aCountedPlan()
  const all = () => viewed.map(form => renderers[form]({ kind: 'plan', plan: counted }, options))
  const first = all()
  const once = reads()
  expect(once).toBeGreaterThan(0)
  expect(all()).toEqual(first)
  expect(reads()).toBe(once)
  expect(viewed.map(form => renderers[form]({ kind: 'plan', plan: { ...plan } }, options))).toEqual(first)
})

test('the cached view depends on the kind of report and on the time', () => {
  const { plan } = aCountedPlan()
  const drift = { kind: 'drift', plan } as const
  const alone = renderers.text({ ...drift, plan: { ...plan } }, options)
  const asPlan = renderers.text({ kind: 'plan', plan }, options)
  expect(renderers.text(drift, options)).toBe(alone)
  expect(renderers.text({ kind: 'plan', plan }, options)).toBe(asPlan)
  const at = (time: string) => renderers.html({ kind: 'plan', plan, at: time })
  expect(
    [at('2026-01-02T03:04:05Z'), at('2027-01-02T03:04:05Z')].map(page => page.match(/202[67]-01-02/)?.[0]),
  ).toEqual(['2026-01-02', '2027-01-02'])
})

test('the work for variables that move to another set grows linearly', () => {
  const readsOf = (count: number): number => {
    let reads = 0
    const counted = <T extends { readonly key: string }>(variable: T): T =>
      Object.defineProperty({ ...variable }, 'key', {
        enumerable: true,
        get: () => {
          reads++
          return variable.key
        },
      })
    const keys = Array.from({ length: count }, (_, at) => `env/K${at}` as const)
    planDoc({
      kind: 'plan',
      plan: aPlan([
        step('old', deleteSet('old', { global: true, variables: keys.map(key => counted(hidden(key))) })),
        step(
          'new',
          createSet('new', { global: true, variables: keys.map(key => counted(secret(key))) }),
          undefined,
          ['old'],
        ),
      ]),
    })
    return reads
  }
  expect(readsOf(200)).toBe(2 * readsOf(100))
})
