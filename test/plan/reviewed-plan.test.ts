import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { compareText } from '../../src/model/diagnostic.ts'
import { toCompactJson } from '../../src/model/json.ts'
import type { ObservedSet } from '../../src/model/variable-set.ts'
import { isOutsideDigest } from '../../src/plan/items.ts'
import { desiredDigest } from '../../src/plan/ownership.ts'
import type { Plan } from '../../src/plan/plan-data.ts'
import { compareReviewed, digestOf, parseSavedPlan, savedPlan } from '../../src/plan/reviewed-plan.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet, keyOf, SOMEWHERE } from '../support/states.ts'

const isPlan = (_value: unknown): _value is Plan & { readonly checksum: string } => true
const desired = {
  ...aDesiredState(
    aSet('a', {
      description: 'd',
      variables: { 'env/X': '2', 'env/Y': { secret: { name: 'S' } }, 'env/N': 'n' },
      workspaces: ['ws-1'],
    }),
    aSet('b', { variables: { 'env/X': '1' } }),
  ),
  removed: [{ name: 'c', source: SOMEWHERE }],
}
const a = anObserved('1', 'a', {
  variables: { 'env/X': '1', 'env/Y': 'readable', 'env/Z': '' },
  workspaces: ['ws-2'],
})
const c = anObserved('3', 'c', { variables: { 'env/Q': { hidden: true } } })
const observed = anObservedState(a, c)
const reviewed = planOf(desired, observed)
const judge = (...now: readonly ObservedSet[]) =>
  compareReviewed([reviewed], planOf(desired, anObservedState(...now)), anObservedState(...now))

describe('a saved plan', () => {
  const text = savedPlan(reviewed)
  test('is read back completely', () => {
    expect(parseSavedPlan(text, isPlan)).toEqual(reviewed)
  })
  test('is refused if it was truncated anywhere', () => {
    for (let at = 0; at < text.length; at += 7)
      expect(typeof parseSavedPlan(text.slice(0, at), isPlan)).toBe('string')
  })
  test('is refused if any byte was changed', { tags: ['I-21'] }, () => {
    const accepted: number[] = []
    for (let at = 0; at < text.length; at++) {
      const changed = `${text.slice(0, at)}${text[at] === 'x' ? 'y' : 'x'}${text.slice(at + 1)}`
      if (typeof parseSavedPlan(changed, isPlan) !== 'string') accepted.push(at)
    }
    expect(accepted).toEqual([])
  })
  test('is refused if it is not in canonical form', () => {
    expect(parseSavedPlan(JSON.stringify(JSON.parse(text)), isPlan)).toBe('edited')
    expect(parseSavedPlan(`${text} `, isPlan)).toBe('edited')
  })
  test('is refused if its digest does not match its steps', () => {
    const { steps: _, ...rest } = reviewed
    expect(parseSavedPlan(savedPlan({ ...rest, steps: reviewed.steps.slice(1) }), isPlan)).toBe('edited')
  })
  test('contains the name of a secret, and neither its value nor a fingerprint', () => {
    expect(text).toContain('"name": "S"')
    expect(text).not.toContain('fingerprint')
  })
})

describe('the digest', () => {
  test('of a set is the same as in version 0.1.0 without an owning project, and names everything that a plan agrees to', () => {
    const set = aSet('a', {
      priority: true,
      variables: { 'env/A': 'x', 'env/S': { secret: { name: 'S' } } },
      workspaces: ['ws-AAAAAAAAAAAAAAA1'],
    })
    expect(desiredDigest(set)).toBe('8cddd1468ac57e2e5fe635da42e5225e017578119b8729b6b1ae8c989981ac3f')
    const files = aDesiredState(set, aSet('b', { variables: { 'env/A': 'x' } }))
    const observed = anObservedState(
      anObserved('1', 'b', { variables: { 'env/A': 'y' } }),
      anObserved('2', 'old', { variables: { 'env/A': 'x' } }),
    )
    const plan = planOf({ ...files, removed: [{ name: 'old', source: set.source }] }, observed)
    expect(plan.digest).toBe('82e5744b4422f520c9784c0afd7cf6e46dc5cb83e0b4c2c3dca0e8beb97b9d01')
    expect(desiredDigest({ ...set, parent: 'prj-AAAAAAAAAAAAAAA1' })).not.toBe(desiredDigest(set))
  })

  test.each([
    ['several steps', reviewed],
    [
      'one step',
      planOf(aDesiredState(aSet('b', { variables: { 'env/X': '1' } })), anObservedState(), {
        only: ['b', '*'],
      }),
    ],
    ['no step', planOf(aDesiredState(), anObservedState())],
  ])(
    'is the SHA-256 of one canonical text, for a plan with %s',
    (_, { format, organization, address, only, steps, digest, blocks, facts }) => {
      const operations = steps
        .filter(step => !isOutsideDigest(step.operation))
        .map(({ id, operation }) => ({ id, operation }))
        .toSorted((one, other) => compareText(one.id, other.id))
      const text = toCompactJson({ format, organization, address, only, operations })
      const guards = blocks.map(({ code, item }) => toCompactJson({ code, item })).toSorted(compareText)
      const agreed = [
        guards.length === 0 ? '' : `,"guards":[${guards.join()}]`,
        facts.newReach.length === 0 ? '' : `,"reach":${toCompactJson(facts.newReach)}`,
      ]
      const whole = `${text.slice(0, -1)}${agreed.join('')}}`
      expect(digest).toBe(createHash('sha256').update(whole).digest('hex'))
    },
  )
  test('depends on what the plan does, not on places in files, order or unmanaged sets', () => {
    const elsewhere = {
      ...desired,
      sets: desired.sets.map(set => ({ ...set, source: { path: 'z', line: 9, column: 9 } })),
    }
    expect(planOf(elsewhere, anObservedState(c, anObserved('9', 'foreign'), a)).digest).toBe(reviewed.digest)
    expect(digestOf({ ...reviewed, steps: reviewed.steps.toReversed() })).toBe(reviewed.digest)
  })
  test.each([
    ['another address', planOf(desired, observed, { address: 'https://other.test' })],
    ['another selection', planOf(desired, observed, { only: ['*'] })],
    [
      'another current value',
      planOf(
        desired,
        anObservedState(
          { ...a, variables: a.variables.map(v => (v.key === 'env/X' ? { ...v, value: { text: '0' } } : v)) },
          c,
        ),
      ),
    ],
    ['fewer sets', planOf(desired, anObservedState(a))],
  ])('changes with %s', (_, plan) => {
    expect(plan.digest).not.toBe(reviewed.digest)
  })
})

describe('several reviewed plans that are applied in one run', () => {
  const live = anObserved('1', 's', { description: 'd', variables: { 'env/A': '1' }, workspaces: ['ws-1'] })
  const files = (
    more: Record<string, string>,
    workspaces: readonly `ws-${string}`[] = ['ws-1'],
    description = 'd',
  ) => aDesiredState(aSet('s', { description, variables: { 'env/A': '1', ...more }, workspaces }))
  const made = (...given: Parameters<typeof files>) => planOf(files(...given), anObservedState(live))
  const judged = (plans: readonly [Plan, ...Plan[]], now: Plan, state = live) =>
    compareReviewed(plans, now, anObservedState(state))

  test('match a plan that creates the variables of both', () => {
    const now = made({ 'env/B': '2', 'env/C': '3' })
    const plans = [made({ 'env/B': '2' }), made({ 'env/C': '3' })] as const
    expect(judged(plans, now)).toEqual({ conflicts: [], done: [] })
    expect(judged([plans[1], plans[0]], now)).toEqual({ conflicts: [], done: [] })
    for (const wrong of [
      made({ 'env/B': '2', 'env/C': 'other' }),
      made({ 'env/B': '2', 'env/C': '3', 'env/D': '4' }),
      made({ 'env/B': '2', 'env/C': '3' }, ['ws-1'], 'changed by nobody'),
    ])
      expect(judged(plans, wrong).conflicts).not.toEqual([])
    expect(judged([plans[0]], now).conflicts).not.toEqual([])
  })

  test('match settings and a variable of two plans, if one plan has exactly these settings', () => {
    const plans = [made({}, ['ws-1'], 'new'), made({ 'env/B': '2' })] as const
    expect(judged(plans, made({ 'env/B': '2' }, ['ws-1'], 'new'))).toEqual({ conflicts: [], done: [] })
    expect(judged(plans, made({ 'env/B': '2' }, ['ws-1'], 'newer')).conflicts).not.toEqual([])
  })

  test('match the workspaces of all plans, and no others', () => {
    const plans = [made({}, ['ws-1', 'ws-2']), made({}, ['ws-1', 'ws-3'])] as const
    expect(judged(plans, made({}, ['ws-1', 'ws-2', 'ws-3']))).toEqual({ conflicts: [], done: [] })
    expect(judged(plans, made({}, ['ws-1', 'ws-2', 'ws-4'])).conflicts).not.toEqual([])
    expect(judged(plans, made({}, ['ws-2', 'ws-3'])).conflicts).not.toEqual([])
  })

  test('match what is left of them; a part that is neither done nor in the current plan is a conflict', () => {
    const both = { 'env/B': '2', 'env/C': '3' }
    const reached = {
      ...live,
      variables: anObserved('1', 's', { variables: { 'env/A': '1', 'env/B': '2' } }).variables,
    }
    const now = planOf(files(both), anObservedState(reached))
    expect(now.steps.map(step => step.id)).toEqual(['create-variable s env/C'])
    expect(judged([made(both)], now, reached).conflicts).toEqual([])
    expect(judged([made(both)], made({ 'env/B': '2' })).conflicts).not.toEqual([])
    expect(judged([made({}, ['ws-1', 'ws-2', 'ws-3'])], made({}, ['ws-1', 'ws-2'])).conflicts).toEqual([
      expect.objectContaining({ id: 'assign s workspaces' }),
    ])
  })

  test('a part of which a later plan says nothing is not sent again over what somebody else wrote', () => {
    const other = anObserved('1', 's', {
      description: 'd',
      variables: { 'env/A': '7' },
      workspaces: ['ws-1'],
    })
    const changed = aDesiredState(
      aSet('s', { description: 'd', variables: { 'env/A': '2' }, workspaces: ['ws-1'] }),
    )
    const plans = [planOf(changed, anObservedState(live)), made({}, ['ws-1', 'ws-2'])] as const
    const now = planOf(
      aDesiredState(
        aSet('s', { description: 'd', variables: { 'env/A': '2' }, workspaces: ['ws-1', 'ws-2'] }),
      ),
      anObservedState(other),
    )
    expect(judged(plans, now, other).conflicts.map(({ id }) => id)).toEqual(['update-variable s env/A'])
  })

  test('a later plan of the set says what it becomes: what only an earlier one wanted is a conflict', () => {
    const plans = [made({ 'env/B': '2' }), made({ 'env/B': '3' })] as const
    expect(judged(plans, made({ 'env/B': '3' }))).toEqual({ conflicts: [], done: [] })
    expect(judged(plans, made({ 'env/B': '2' })).conflicts).not.toEqual([])
  })

  test('never match half of a replacement, or another set', () => {
    const hidden = anObserved('1', 's', { variables: { 'env/A': { hidden: true } } })
    const plain = aDesiredState(aSet('s', { variables: { 'env/A': 'x', 'env/B': 'y' } }))
    const replaced = planOf(plain, anObservedState(hidden))
    const created = planOf(plain, anObservedState(anObserved('1', 's', { variables: {} })))
    expect(compareReviewed([created], replaced, anObservedState(hidden)).conflicts).not.toEqual([])
    const other = { ...live, id: 'varset-2' as typeof live.id }
    const now = planOf(files({ 'env/B': '2', 'env/C': '3' }), anObservedState(other))
    expect(
      compareReviewed([made({ 'env/B': '2' }), made({ 'env/C': '3' })], now, anObservedState(other))
        .conflicts,
    ).not.toEqual([])
  })
})

describe('a reviewed plan compared with the current one', () => {
  test('is accepted if nothing changed', () => {
    expect(judge(a, c)).toEqual({ conflicts: [], done: [] })
  })
  test('is accepted if an unmanaged set changed', { tags: ['F-25'] }, () => {
    expect(judge(a, c, anObserved('9', 'foreign', { variables: { 'env/X': '1' } }))).toEqual({
      conflicts: [],
      done: [],
    })
  })
  test('reports the steps that are already done, and continues with the rest', () => {
    const { conflicts, done } = judge(
      { ...a, workspaces: ['ws-1'], variables: a.variables.filter(variable => variable.key !== 'env/Z') },
      anObserved('2', 'b', { variables: { 'env/X': '1' } }),
    )
    expect(conflicts).toEqual([])
    expect(done.map(step => step.id).toSorted()).toEqual([
      'assign a workspaces',
      'create-set b',
      'delete-set c',
      'delete-variable a env/Z',
      'unassign a workspaces',
    ])
  })
  test('is refused if a value that it changes has changed, and reports both values', () => {
    const moved = {
      ...a,
      variables: a.variables.map(v => (v.key === 'env/X' ? { ...v, value: { text: '7' } } : v)),
    }
    expect(judge(moved, c).conflicts).toEqual([
      { id: 'update-variable a env/X', reviewed: 'before.value.text "1"', now: 'before.value.text "7"' },
    ])
  })
  test('is refused if what it deletes, or one of its keys, was made again after it was deleted', () => {
    const again = { variables: { 'env/Z': '' } }
    const [variable] = anObserved('8', 'a', again).variables
    const others = a.variables.filter(({ key }) => key !== 'env/Z')
    if (variable === undefined) throw new Error('there is no variable')
    expect(judge({ ...a, variables: [...others, variable] }, c).conflicts.map(({ id }) => id)).toEqual([
      'delete-variable a env/Z',
    ])
    expect(judge(a, { ...c, id: anObserved('8', 'c').id }).conflicts).not.toEqual([])
  })
  test('is refused if the current plan has an operation that was not reviewed', () => {
    const moved = {
      ...a,
      variables: [...a.variables, ...anObserved('8', 'x', { variables: { 'env/NEW': '1' } }).variables],
    }
    expect(judge(moved, c).conflicts).toEqual([
      { id: 'delete-variable a env/NEW', reviewed: 'nothing', now: 'delete-variable a env/NEW' },
    ])
  })
  describe.each([a, c])('is refused if, in set $name,', { tags: ['F-25'] }, set => {
    const [first, ...others] = set.variables
    const variables = (changed: Partial<typeof first>) =>
      first === undefined ? {} : { variables: [{ ...first, ...changed }, ...others] }
    test.each<readonly [string, Partial<ObservedSet>]>([
      ['the name changed', { name: 'elsewhere' }],
      ['the description changed', { description: 'moved' }],
      ['it became global', { global: true }],
      ['the priority changed', { priority: true }],
      ['the workspaces changed', { workspaces: ['ws-9'] }],
      ['a value changed', variables({ value: { text: 'moved' } })],
      [
        'a variable became sensitive or readable',
        variables({ value: first !== undefined && 'text' in first.value ? { hidden: true } : { text: '' } }),
      ],
      ['the description of a variable changed', variables({ description: 'moved' })],
      ['a key changed', variables({ key: keyOf('env/MOVED') })],
      ['a category changed', variables({ key: keyOf('terraform/X') })],
    ])('%s', (_, moved) => {
      const now = [a, c].map(one => (one === set ? { ...one, ...moved } : one))
      expect(judge(...now).conflicts).not.toEqual([])
    })
  })
  test('is refused if a set to delete has a new assignment', () => {
    expect(judge(a, { ...c, workspaces: ['ws-1'] }).conflicts.map(conflict => conflict.id)).toEqual([
      'delete-set c',
    ])
  })
  test('is refused if a set to create exists and differs', () => {
    const conflicts = judge(a, c, anObserved('2', 'b', { variables: { 'env/X': '9' } })).conflicts.map(
      ({ id }) => id,
    )
    expect(conflicts.toSorted()).toEqual(['create-set b', 'update-variable b env/X'])
  })
  test('is refused if the files no longer require an operation', () => {
    const fewer = { ...desired, removed: [] }
    const verdict = compareReviewed([reviewed], planOf(fewer, observed), observed)
    expect(verdict.conflicts).toEqual([
      { id: 'delete-set c', reviewed: 'delete-set c', now: 'no longer needed' },
    ])
  })
})

test('a secret of which only this run can tell that its value changed needs no review', () => {
  const files = {
    ...aDesiredState(aSet('a', { variables: { 'env/S': { secret: { name: 'S' } } } })),
    owner: 'us',
  }
  const there = anObserved('1', 'a', { variables: { 'env/S': { hidden: true } } })
  const fingerprint = { keyId: 'k', text: 'of the value before' }
  const entry = {
    ...{ setId: there.id, variableId: 'var-9' as const, digest: '', damaged: false },
    secrets: { 'env/S': { name: 'S', value: 'sent' as const, fingerprint } },
  }
  const live = {
    ...anObservedState(there),
    inventories: [{ owner: 'us', id: 'varset-9' as const, entries: [entry] }],
  }
  const [agreed, now] = ['of the value before', 'of another'].map(text =>
    planOf(files, live, { fingerprintOf: () => ({ keyId: 'k', text }) }),
  )
  if (agreed === undefined || now === undefined) throw new TypeError('two plans')
  expect([agreed.steps.length, now.steps.length]).toEqual([0, 1])
  expect(compareReviewed([agreed], now, live)).toEqual({ conflicts: [], done: [] })
  expect(compareReviewed([now], agreed, live)).toEqual({ conflicts: [], done: [] })
  const asked = planOf(files, live, { rewrite: ['a'] })
  expect(compareReviewed([agreed], asked, live).conflicts).toHaveLength(1)
})
