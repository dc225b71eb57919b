import fc from 'fast-check'
import { expect, test } from 'vitest'
import { looksLikeSecret } from '../../src/config/lint.ts'
import type { PlannedSet } from '../../src/model/planned.gen.ts'
import { createPlan } from '../../src/plan/create.ts'
import { allItemsOf } from '../../src/plan/items.ts'
import { matchStates } from '../../src/plan/match-states.ts'
import { desiredDigest } from '../../src/plan/ownership.ts'
import { formerlyBy, plannedOf } from '../../src/plan/planned.ts'
import { reportOf } from '../../src/report/json-report.ts'
import { pairOfStates } from '../support/arbitrary.ts'
import { OPTIONS, planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'
import { PROJECTS, WORKSPACES } from '../support/world.ts'

const [WORKSPACE] = WORKSPACES
const [PROJECT] = PROJECTS

const textIn = (value: object | undefined): string | undefined =>
  value !== undefined && 'text' in value ? String(value.text) : undefined

/** The values that a report shows of what changes, by set and key. */
function shownIn({ steps }: ReturnType<typeof reportOf>) {
  const shown = new Map<string, { before?: string; after?: string }>()
  for (const { operation } of steps)
    for (const item of allItemsOf(operation as Parameters<typeof allItemsOf>[0])) {
      if (item.kind !== 'variable') continue
      const set =
        operation.type === 'delete-set' ? `deleted ${operation.before.name}` : operation.subject.name
      const place = `${set} ${item.key}`
      const known = shown.get(place) ?? {}
      shown.set(place, {
        before: textIn(item.before?.value) ?? known.before,
        after: textIn(item.after?.value) ?? known.after,
      })
    }
  return shown
}

const variablesOf = ({ name, action, variables, deleted }: PlannedSet) =>
  [...variables, ...deleted].map(one => ({
    one,
    place: `${action === 'delete' ? 'deleted ' : ''}${name} ${one.category}/${one.key}`,
  }))

test('of what changes, it has exactly the values that a report shows', () => {
  let compared = 0
  fc.assert(
    fc.property(pairOfStates, ({ desired, observed }) => {
      const options = { ...OPTIONS, looksSecret: looksLikeSecret }
      const { value: plan, secrecy } = createPlan(desired, observed, options)
      fc.pre(plan !== undefined && secrecy !== undefined)
      const { match } = matchStates(desired, observed, [])
      const planned = plannedOf(plan, match, { names: {}, projectOf: {} }, secrecy)
      const shown = shownIn(reportOf({ kind: 'plan', plan }))
      const made = new Set(
        plan.steps.flatMap(({ operation: { type, subject } }) => (type === 'create-set' ? subject.name : [])),
      )
      for (const { one, place } of planned.sets.flatMap(variablesOf)) {
        const values = shown.get(place)
        if (values === undefined) continue
        compared++
        const isGone = one.action === 'delete'
        if (isGone || !made.has(one.set)) expect([place, one.before?.value]).toEqual([place, values.before])
        if (!isGone) expect([place, one.value]).toEqual([place, values.after])
        expect(one.value === undefined).toBe(one.sensitive || one.external || one.hidden)
      }
    }),
    { seed: 20_251, numRuns: 300 },
  )
  expect(compared).toBeGreaterThan(500)
})

test('a set that is deleted by its id and a new one of its name are two sets, each with its own variables', () => {
  const old = anObserved('1', 'a', { variables: { 'env/K': 'old' }, workspaces: [WORKSPACE] })
  const desired = {
    ...aDesiredState(aSet('a', { parent: PROJECT, variables: { 'env/K': 'new' }, workspaces: [WORKSPACE] })),
    removed: [{ id: old.id, source: SOMEWHERE }],
  }
  const observed = anObservedState(old)
  const { match } = matchStates(desired, observed, [])
  const { sets, effects, gaps } = plannedOf(
    planOf(desired, observed),
    match,
    { names: {}, projectOf: {} },
    {
      hidesBefore: () => false,
      hidesAfter: () => false,
      hidden: [],
    },
  )
  expect(
    sets.map(({ name, action, variables }) => [name, action, variables.map(one => [one.action, one.value])]),
  ).toEqual([
    ['a', 'create', [['create', 'new']]],
    ['a', 'delete', [['delete', 'old']]],
  ])
  expect(effects).toMatchObject([{ from: 'a', before: 'old', to: 'a', after: 'new' }])
  expect(gaps).toMatchObject([{ key: 'K', from: 'a', to: 'a' }])
})

test('a set of a project whose workspaces are not told may be seen everywhere', () => {
  const counted = (changes: Parameters<typeof aSet>[1]) => {
    const desired = aDesiredState(aSet('a', { variables: { 'env/K': 'new' }, ...changes }))
    const { match } = matchStates(desired, anObservedState(), [])
    const secrecy = { hidesBefore: () => false, hidesAfter: () => false, hidden: [] }
    const { everywhere, affected } = plannedOf(
      planOf(desired, anObservedState()),
      match,
      { names: {}, projectOf: {} },
      secrecy,
    )
    return { everywhere, affected }
  }
  expect(counted({ workspaces: [WORKSPACE] })).toEqual({ everywhere: false, affected: 1 })
  expect(counted({ projects: [PROJECT] })).toEqual({ everywhere: true, affected: undefined })
})

test('a rewrite that only a run with secrets can know is no change to a rule', () => {
  const secret = { secret: { name: 'S' } }
  const files = {
    ...aDesiredState(aSet('a', { description: 'new', variables: { 'env/S': secret } })),
    owner: 'us',
  }
  const there = anObserved('1', 'a', { variables: { 'env/S': { hidden: true } } })
  const fingerprint = { keyId: 'k', text: 'of the value before' }
  const entry = {
    ...{ setId: there.id, variableId: 'var-9' as const, digest: desiredDigest(aSet('a')), damaged: false },
    secrets: { 'env/S': { name: 'S', value: 'sent' as const, fingerprint } },
  }
  const observed = {
    ...anObservedState(there),
    inventories: [{ owner: 'us', id: 'varset-9' as const, entries: [entry] }],
  }
  const plan = planOf(files, observed, { fingerprintOf: () => ({ keyId: 'k', text: 'of another' }) })
  expect(plan.steps.map(({ id }) => id)).toEqual(['update-set a', 'update-variable a env/S'])
  const secrecy = { hidesBefore: () => false, hidesAfter: () => false, hidden: [] }
  const { match } = matchStates(files, observed, [])
  expect(plannedOf(plan, match, { names: {}, projectOf: {} }, secrecy)).toMatchObject({
    changes: 1,
    updates: 1,
  })
})

test('where a value came from is said by what was applied, and else by the base', () => {
  const keys = ['env/RECORDED', 'env/SET', 'env/SECRET', 'env/EXTERNAL', 'env/TEXT', 'env/NEW'] as const
  const declared = aSet('a', {
    variables: {
      ...{ 'env/RECORDED': 'text', 'env/SET': 'text', 'env/TEXT': 'text' },
      ...{ 'env/SECRET': { secret: { name: 'B' } }, 'env/EXTERNAL': { external: true } },
    },
  })
  const observed = {
    ...anObservedState(anObserved('1', 'a')),
    inventories: [
      {
        ...{ owner: 'us', id: 'varset-9' as const },
        entries: [
          {
            ...{ setId: 'varset-1' as const, variableId: 'var-9' as const, digest: '', damaged: false },
            secrets: { 'env/RECORDED': { name: 'R' } },
            external: { 'env/SET': 'sensitive' as const },
          },
        ],
      },
    ],
  }
  const { match, ownership } = matchStates({ ...aDesiredState(declared), owner: 'us' }, observed, [])
  const told = (base: Parameters<typeof formerlyBy>[1]) =>
    keys.map(key => formerlyBy(ownership, base)('varset-1', key))
  const applied = [{ secret: 'R', external: false }, { external: true }]
  expect(told({ match })).toEqual([
    ...applied,
    ...[{ secret: 'B', external: false }, { external: true }, { external: false }, {}],
  ])
  expect(told(undefined)).toEqual([...applied, {}, {}, {}, {}])
})
