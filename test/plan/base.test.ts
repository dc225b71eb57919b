import { describe, expect, test } from 'vitest'
import type { Inventory } from '../../src/model/inventory.ts'
import type { ObservedSet, ResolvedSet, ResolvedState } from '../../src/model/variable-set.ts'
import { stricterGuards } from '../../src/plan/base.ts'
import { desiredDigest } from '../../src/plan/ownership.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const OWNER = 'team'

const files = (...sets: readonly ResolvedSet[]): ResolvedState => ({
  ...aDesiredState(...sets),
  owner: OWNER,
})

/** An inventory with the contents that were last applied to each set. */
const inventory = (applied: Readonly<Record<string, ResolvedSet>>): Inventory => ({
  owner: OWNER,
  id: 'varset-inventory',
  entries: Object.entries(applied).map(([id, set], at) => ({
    setId: `varset-${id}`,
    variableId: `var-${at}`,
    digest: desiredDigest(set),
    secrets: Object.fromEntries(
      set.variables.flatMap(({ key, value }) =>
        'secret' in value
          ? [
              [
                key,
                {
                  name: value.secret.name,
                  ...(value.secret.version ? { version: value.secret.version } : {}),
                },
              ],
            ]
          : [],
      ),
    ),
    damaged: false,
  })),
})

const live = (inventories: readonly Inventory[], ...sets: readonly ObservedSet[]) => ({
  ...anObservedState(...sets),
  inventories,
})

const base = (...sets: readonly ResolvedSet[]) => ({ ref: 'main', commit: 'c0ffee', desired: files(...sets) })

describe('without a base', () => {
  const applied = aSet('a', { variables: { 'env/A': '1', 'env/S': { secret: { name: 'S', version: '7' } } } })
  const held = { 'env/A': '1', 'env/S': { hidden: true } } as const

  test('a difference was made outside if the files equal what was last applied', () => {
    const observed = live(
      [inventory({ 1: applied })],
      anObserved('1', 'a', { variables: { ...held, 'env/A': '2' } }),
    )
    expect(planOf(files(applied), observed).facts.origins).toEqual([
      { set: 'a', items: { 'env/A': 'outside' } },
    ])
  })

  test('its time is told only if it is later than our last record', () => {
    const at = '2026-11-20T03:12:00.500Z'
    const timeAfter = (...recorded: readonly (string | undefined)[]) => {
      const set = anObserved('1', 'a', { variables: { ...held, 'env/A': '2' }, updatedAt: at })
      const inventories = recorded.map(updatedAt => ({ ...inventory({ 1: applied }), updatedAt }))
      return planOf(files(applied), live(inventories, set)).facts.origins[0]?.updatedAt
    }
    expect(timeAfter('2026-11-20T03:12:00Z')).toBe(at)
    // A server may write whole seconds, or another zone.
    expect(timeAfter('2026-11-20T04:12:00+01:00')).toBe(at)
    expect([timeAfter(at), timeAfter('2026-11-20T03:12:01Z'), timeAfter(undefined)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
    // Two first applies at once made two inventories.
    const [before, after] = ['2026-11-20T03:12:00Z', '2026-11-20T03:12:01Z']
    expect([timeAfter(before, before), timeAfter(before, after)]).toEqual([at, undefined])
  })

  test('a value that the service may have changed itself has no origin', () => {
    const wanted = aSet('a', { variables: { 'env/A': '1\n', 'env/B': '2\n' } })
    const originOf = (there: Readonly<Record<string, string>>) =>
      planOf(files(wanted), live([inventory({ 1: wanted })], anObserved('1', 'a', { variables: there })))
        .facts.origins
    // The service keeps the newline of the other value, so that it does not remove this one.
    expect(originOf({ 'env/A': '1', 'env/B': '2\n' })).toEqual([])
    expect(originOf({ 'env/A': '3', 'env/B': '2\n' })).toEqual([{ set: 'a', items: { 'env/A': 'outside' } }])
  })

  test('no time is told of what was not changed outside: it may be our own', () => {
    const recorded = { ...inventory({ 1: applied }), updatedAt: '2026-11-20T01:00:00Z' }
    const set = anObserved('1', 'a', { variables: held, updatedAt: '2026-11-20T03:12:00Z' })
    const wanted = { ...applied, description: 'new' }
    expect(planOf(files(wanted), live([recorded], set)).facts.origins).toEqual([
      { set: 'a', items: { description: 'not-applied' } },
    ])
  })

  test('a difference is not applied yet if the service equals what was last applied', () => {
    const wanted = aSet('a', {
      variables: { 'env/A': '2', 'env/S': { secret: { name: 'S', version: '7' } } },
    })
    const observed = live([inventory({ 1: applied })], anObserved('1', 'a', { variables: held }))
    expect(planOf(files(wanted), observed).facts.origins).toEqual([
      { set: 'a', items: { 'env/A': 'not-applied' } },
    ])
  })

  test('a changed secret reference is not applied yet, like any other change', () => {
    const wanted = aSet('a', {
      variables: { 'env/A': '1', 'env/S': { secret: { name: 'S', version: '8' } } },
    })
    const observed = live([inventory({ 1: applied })], anObserved('1', 'a', { variables: held }))
    expect(planOf(files(wanted), observed).facts.origins).toEqual([
      { set: 'a', items: { 'env/S': 'not-applied' } },
    ])
    expect(planOf(files(wanted), observed, { base: base(applied) }).facts.origins).toEqual([
      { set: 'a', items: { 'env/S': 'this-change' } },
    ])
  })

  test('no origin is reported if neither files nor service equal what was last applied', () => {
    const wanted = aSet('a', { variables: { 'env/A': '3' } })
    const observed = live([inventory({ 1: applied })], anObserved('1', 'a', { variables: { 'env/A': '2' } }))
    expect(planOf(files(wanted), observed).facts.origins).toEqual([])
  })

  test('a set that was deleted outside is distinguished from a new one', () => {
    const gone = inventory({ 1: applied })
    const plan = planOf(files(applied, aSet('b')), live([gone]))
    expect(plan.facts.origins).toEqual([{ set: 'a', items: { set: 'outside' } }])
  })

  test('no origin is reported without an inventory', () => {
    const plan = planOf(aDesiredState(applied), anObservedState(anObserved('1', 'a')))
    expect(plan.facts.origins).toEqual([])
  })
})

describe('with a base', () => {
  const before = aSet('a', { variables: { 'env/A': '1', 'env/B': '1', 'env/C': '1' }, workspaces: ['ws-1'] })
  const after = aSet('a', { variables: { 'env/A': '1', 'env/B': '2', 'env/C': '3' }, workspaces: ['ws-1'] })

  const originsWith = (last: ResolvedSet | undefined) =>
    planOf(
      files(after),
      live(
        last === undefined ? [] : [inventory({ 1: last })],
        anObserved('1', 'a', { variables: { 'env/A': '9', 'env/B': '1', 'env/C': '9' } }),
      ),
      { base: base(before) },
    ).facts.origins

  test('this change is distinguished from changes made outside', () => {
    expect(originsWith(before)).toEqual([
      {
        set: 'a',
        items: { 'env/A': 'outside', 'env/B': 'this-change', 'env/C': 'this-change', 'ws-1': 'outside' },
      },
    ])
  })

  test('a change that was merged and never applied is distinguished from both', () => {
    const earlier = aSet('a', { variables: { 'env/A': '9', 'env/B': '1', 'env/C': '9' } })
    expect(originsWith(earlier)[0]?.items).toEqual({
      'env/A': 'not-applied',
      'env/B': 'this-change',
      'env/C': 'this-change',
      'ws-1': 'not-applied',
    })
  })

  test('without an inventory, the origin is only that it differed before', () => {
    expect(originsWith(undefined)[0]?.items).toMatchObject({ 'env/A': 'before', 'env/B': 'this-change' })
  })

  test('sets that are created have one origin each', () => {
    const plan = planOf(files(aSet('new'), aSet('old')), live([]), { base: base(aSet('old')) })
    expect(plan.facts.origins).toEqual([
      { set: 'new', items: { set: 'this-change' } },
      { set: 'old', items: { set: 'before' } },
    ])
  })

  test('a set that is no longer in the files is kept, with a warning at its line in the base', () => {
    const plan = planOf(files(), live([], anObserved('1', 'a')), { base: base(aSet('a')) })
    expect(plan.steps).toEqual([])
    expect(plan.diagnostics).toMatchObject([
      {
        severity: 'warning',
        code: 'left-behind',
        hint: 'To delete it, add `removed: ["a"]` to a set file.',
        source: { path: 'main:sets/test.yaml', line: 1 },
      },
    ])
  })

  test('there is no warning about a removed set that another owner lists', () => {
    const theirs = { ...inventory({ 1: aSet('a') }), owner: 'other', id: 'varset-theirs' as const }
    const observed = { ...live([], anObserved('1', 'a')), inventories: [theirs] }
    expect(planOf(files(), observed, { base: base(aSet('a')) }).diagnostics).toEqual([])
    const moved = { ...theirs, entries: theirs.entries.map(entry => ({ ...entry, from: OWNER })) }
    const after = planOf(files(), { ...observed, inventories: [moved] }, { base: base(aSet('a')) })
    expect([after.diagnostics, after.facts.origins]).toEqual([[], []])
  })

  test('there is no warning about a set that is now under `removed`', () => {
    const removed = [{ name: 'a', source: { path: 's', line: 1, column: 1 } }]
    const plan = planOf({ ...files(), removed }, live([], anObserved('1', 'a')), { base: base(aSet('a')) })
    expect(plan.diagnostics).toEqual([])
    expect(plan.facts.origins).toEqual([{ set: 'a', items: { set: 'this-change' } }])
  })

  test.each([
    [50, undefined, 50],
    [undefined, 40, 40],
    [50, 40, 40],
    [40, 50, 40],
    [undefined, undefined, undefined],
  ])('a limit of updates of %s in the base and of %s in the files is %s', (base, head, updates) => {
    const guards = { deletions: 30, losses: 30, protect: [] }
    expect(stricterGuards({ ...guards, updates: base }, { ...guards, updates: head }).updates).toBe(updates)
  })

  test('the stricter guards of base and change apply, and every loosened setting is reported', () => {
    const removed = [{ name: 'core', source: { path: 's', line: 1, column: 1 } }]
    const strict = {
      ...base(aSet('core')),
      desired: {
        ...files(aSet('core')),
        owns: ['core*'],
        guards: { deletions: 30, losses: 30, updates: 50, protect: ['core'], gaps: 'forbid' as const },
      },
    }
    const head = { ...files(aSet('other')), removed, guards: { deletions: 100, losses: 30, protect: [] } }
    const plan = planOf(head, live([], anObserved('1', 'core'), anObserved('2', 'other')), { base: strict })
    expect(plan.blocks.map(block => block.code)).toEqual(['protected-name'])
    expect(plan.facts.base).toEqual({
      ref: 'main',
      commit: 'c0ffee',
      loosened: [
        { setting: 'guards.deletions', base: '30%', head: '100%' },
        { setting: 'guards.updates', base: '50%', head: 'no limit' },
        { setting: 'guards.protect', base: '"core"', head: 'not protected' },
        { setting: 'guards.gaps', base: 'forbid', head: 'allow' },
        { setting: 'owns', base: '"core*"', head: 'everything' },
      ],
    })
  })

  test.each([
    [['core*'], []],
    [['core-a*'], []],
    [['core*', 'web*'], [{ setting: 'owns', base: '"core*"', head: '"core*", "web*"' }]],
  ])('`owns` with %j in place of core* loosens %j', (owns, loosened) => {
    const strict = base(aSet('core'))
    const head = { ...files(aSet('core')), owns }
    const observed = live([], anObserved('1', 'core'))
    const plan = planOf(head, observed, {
      base: { ...strict, desired: { ...strict.desired, owns: ['core*'] } },
    })
    expect(plan.facts.base?.loosened).toEqual(loosened)
  })

  test.each([
    ['us', 'us', []],
    ['us', 'them', [{ setting: 'owner', base: 'us', head: 'them' }]],
    ['us', undefined, [{ setting: 'owner', base: 'us', head: 'none' }]],
    [undefined, 'us', [{ setting: 'owner', base: 'none', head: 'us' }]],
  ])('the owner %s in the base and %s in the files loosens %j', (owner, now, loosened) => {
    const { owner: _, ...before } = base(aSet('a')).desired
    const state = (one: string | undefined) => ({ ...before, ...(one && { owner: one }) })
    const plan = planOf(state(now), live([], anObserved('1', 'a')), {
      base: { ref: 'main', commit: 'c0ffee', desired: state(owner) },
    })
    expect(plan.facts.base?.loosened).toEqual(loosened)
  })

  test('a change that allows gaps is checked with the guards of the base, which forbid them', () => {
    const global = true
    const moved = files(aSet('a', { global }), aSet('b', { global, variables: { 'env/X': '1' } }))
    const observed = live(
      [],
      anObserved('1', 'a', { global, variables: { 'env/X': '1' } }),
      anObserved('2', 'b', { global }),
    )
    const strict = base(aSet('a'), aSet('b'))
    const guards = { ...strict.desired.guards, gaps: 'forbid' } as const
    const isStopped = (one: typeof strict) =>
      planOf(moved, observed, { base: one }).blocks.some(({ code }) => code === 'opens-gap')
    expect(isStopped(strict)).toBe(false)
    expect(isStopped({ ...strict, desired: { ...strict.desired, guards } })).toBe(true)
  })

  test('a change that turns on prune is blocked if it deletes a set', () => {
    const observed = live([inventory({ 1: aSet('a') })], anObserved('1', 'a'), anObserved('2', 'b'))
    const plan = planOf({ ...files(aSet('b')), prune: true }, observed, { base: base(aSet('a'), aSet('b')) })
    expect(plan.steps.map(step => step.id)).toEqual(['delete-set a'])
    expect(plan.blocks.map(block => block.code)).toEqual(['loosens-pruning'])
  })

  test('origins and base are not part of the digest', () => {
    const observed = anObservedState(anObserved('1', 'a'))
    const digest = (options: object) => planOf(files(after), observed, options).digest
    expect(digest({ base: base(before) })).toBe(digest({}))
  })
})
