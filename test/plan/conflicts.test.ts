import { describe, expect, test } from 'vitest'
import type { ResolvedState } from '../../src/model/variable-set.ts'
import { createPlan } from '../../src/plan/create.ts'
import { codes, OPTIONS, planOf, printed } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'

const global = true
const removing = (state: ResolvedState, ...names: string[]): ResolvedState => ({
  ...state,
  removed: names.map(name => ({ name, source: SOMEWHERE })),
})

describe('conflicts that the service would refuse', () => {
  test('a variable in a global set of the files and in an unmanaged one', { tags: ['F-40'] }, () => {
    const { diagnostics } = createPlan(
      aDesiredState(aSet('a', { global, variables: { 'env/X': '1' } })),
      anObservedState(anObserved('9', 'theirs', { global, variables: { 'env/X': '1' } })),
      OPTIONS,
    )
    expect(diagnostics.map(d => `${d.code} ${d.message}`)).toEqual([
      'global-conflict "env/X" is also in the global set "theirs", which this plan does not manage.',
      'probable-rename "a" is created with the keys and targets of "theirs", which is in no file.',
    ])
  })
  test('a variable in two global sets of the files', () => {
    const desired = aDesiredState(
      aSet('a', { global, variables: { 'env/X': '1' } }),
      aSet('b', { global, variables: { 'env/X': '1' } }),
    )
    expect(codes(desired, anObservedState())).toEqual(['error global-conflict'])
  })
  test('a variable in a global set that --only excludes', () => {
    const desired = aDesiredState(aSet('a', { global, variables: { 'env/X': '1' } }), aSet('b', { global }))
    const observed = anObservedState(anObserved('2', 'b', { global, variables: { 'env/X': '1' } }))
    expect(codes(desired, observed)).toEqual([])
    expect(codes(desired, observed, { only: ['a'] })).toEqual(['error global-conflict'])
  })
  test('a set pinned by id whose new name is taken', () => {
    const desired = aDesiredState(aSet('b', { id: 'varset-1' }))
    expect(codes(desired, anObservedState(anObserved('1', 'a'), anObserved('2', 'b')))).toEqual([
      'error name-clash',
    ])
  })
})

test('an assignment outside of the project of a set is warned about once, before it is there', () => {
  const parent = 'prj-p' as const
  const directory = {
    workspaces: [
      { id: 'ws-in' as const, name: 'in', project: parent },
      { id: 'ws-out' as const, name: 'out', project: 'prj-q' as const },
    ],
    projects: [{ id: parent, name: 'p' }],
  }
  const desired = { ...aDesiredState(aSet('a', { parent, workspaces: ['ws-in', 'ws-out'] })), directory }
  const there = (...workspaces: readonly ('ws-in' | 'ws-out')[]) =>
    anObservedState(anObserved('1', 'a', { parent, workspaces }))
  expect(codes(desired, there('ws-in'))).toEqual(['warning outside-project'])
  expect(codes(desired, there('ws-in', 'ws-out'))).toEqual([])
})

describe('whether a sensitive variable is HCL', () => {
  const secret = { secret: { name: 'S' } }
  const external = { external: true } as const
  test.each([
    ['replaced by plain text', { value: secret, hcl: false }, true, ['warning hcl-of-secret']],
    ['the same', { value: secret, hcl: true }, true, []],
    ['asked for where it cannot change', { value: external, hcl: true }, false, ['warning hcl-of-secret']],
    ['left as it is', { value: external, hcl: false }, true, []],
    ['replaced by HCL', { value: 'x', hcl: true }, false, []],
  ])('is told only if it matters: %s', (_, value, hcl, told) => {
    const other = { value: { hidden: true }, hcl: true } as const
    const there = { 'terraform/a': { value: { hidden: true }, hcl }, 'terraform/b': other } as const
    const wanted = { 'terraform/a': value, 'terraform/b': { value: external, hcl: true } }
    const { diagnostics } = createPlan(
      aDesiredState(aSet('a', { variables: wanted })),
      anObservedState(anObserved('1', 'a', { variables: there })),
      OPTIONS,
    )
    expect(diagnostics.map(({ severity, code }) => `${severity} ${code}`)).toEqual(told)
  })
})

describe('matching sets', () => {
  test('two sets with one name are ambiguous without an id', { tags: ['F-35'] }, () => {
    const observed = anObservedState(anObserved('1', 'a'), anObserved('2', 'a'))
    expect(codes(aDesiredState(aSet('a')), observed)).toEqual(['error ambiguous-set'])
    expect(codes(removing(aDesiredState(), 'a'), observed)).toEqual(['error ambiguous-set'])
    expect(codes(aDesiredState(aSet('a', { id: 'varset-2' })), observed)).toEqual([])
  })
  test('an id that does not exist is an error', () => {
    expect(codes(aDesiredState(aSet('a', { id: 'varset-9' })), anObservedState())).toEqual([
      'error unknown-set-id',
    ])
  })
  test('a set of a project is found by its name, and the owner decides between sets with one name', () => {
    const ofProject = anObserved('1', 'a', { parent: 'prj-1' })
    const own = anObservedState(ofProject)
    expect(printed(planOf(aDesiredState(aSet('a', { parent: 'prj-1' })), own))).toEqual([])
    expect(printed(planOf(removing(aDesiredState(aSet('b')), 'a'), own))).toEqual([
      'create-set b',
      'delete-set a',
    ])
    const both = anObservedState(ofProject, anObserved('2', 'a'))
    expect(printed(planOf(aDesiredState(aSet('a')), both))).toEqual([])
    expect(codes(aDesiredState(aSet('a', { parent: 'prj-2' })), both)).toEqual(['error ambiguous-set'])
    expect(codes(aDesiredState(aSet('a', { id: 'varset-1' })), own)).toEqual(['error foreign-set'])
  })
  test('if the new and the previous name both exist, nothing is renamed, and a warning says so', () => {
    const observed = anObservedState(anObserved('1', 'a'), anObserved('2', 'b'))
    expect(codes(aDesiredState(aSet('b', { previousNames: ['a'] })), observed)).toEqual([
      'warning rename-both-exist',
    ])
  })
  test('of two previous names that both exist, the second one stays, and a warning says so', () => {
    const observed = anObservedState(anObserved('1', 'a'), anObserved('2', 'b'))
    const plan = planOf(aDesiredState(aSet('c', { previousNames: ['a', 'b'] })), observed)
    expect(printed(plan)).toEqual(['update-set c'])
    expect(plan.diagnostics.map(({ code, message }) => `${code}: ${message}`)).toEqual([
      'rename-both-exist: "c" is renamed from "a", and another set has its previous name "b" (varset-2). That one stays.',
    ])
  })
  test('a previous name that a file declares is not renamed', () => {
    const observed = anObservedState(anObserved('1', 'a'))
    const plan = planOf(aDesiredState(aSet('a'), aSet('b', { previousNames: ['a'] })), observed)
    expect(printed(plan)).toEqual(['create-set b'])
  })
  test.each([
    ['its name', aSet('old'), ['error removed-and-declared']],
    ['its previous name', aSet('new', { previousNames: ['old'] }), ['error removed-and-declared']],
    ['another name', aSet('new'), []],
    ['its name in another project', aSet('old', { parent: 'prj-1' }), []],
  ])('a set that is removed by its id must not be declared as well: by %s', (_, set, told) => {
    const desired = { ...aDesiredState(set), removed: [{ id: 'varset-1' as const, source: SOMEWHERE }] }
    expect(codes(desired, anObservedState(anObserved('1', 'old')))).toEqual(told)
  })
  test('a text in the form of an id under `removed` is a name only if no set has the id', () => {
    const desired = {
      ...aDesiredState(),
      removed: [{ id: 'varset-1' as const, mayBeName: true as const, source: SOMEWHERE }],
    }
    const named = anObserved('2', 'varset-1')
    expect(printed(planOf(desired, anObservedState(anObserved('1', 'a'), named)))).toEqual(['delete-set a'])
    expect(printed(planOf(desired, anObservedState(named)))).toEqual(['delete-set varset-1'])
    const { mayBeName: _, ...byId } = desired.removed[0] ?? { id: 'varset-1', source: SOMEWHERE }
    expect(printed(planOf({ ...desired, removed: [byId] }, anObservedState(named)))).toEqual([])
  })
  test('a selection that matches nothing is an error', () => {
    expect(codes(aDesiredState(aSet('a')), anObservedState(), { only: ['b*'] })).toEqual([
      'error unmatched-selection',
    ])
  })
})

describe('--only', () => {
  test('limits the plan, which counts what it leaves out', () => {
    const desired = removing(aDesiredState(aSet('net-a'), aSet('net-b'), aSet('other')), 'old', 'net-old')
    const observed = anObservedState(anObserved('1', 'old'), anObserved('2', 'net-old'))
    const plan = planOf(desired, observed, { only: ['net-*'] })
    expect(printed(plan)).toEqual(['create-set net-a', 'create-set net-b', 'delete-set net-old'])
    expect(plan.facts.outsideSelection).toBe(1)
  })
})

describe('guards', () => {
  const blocks = (desired: ResolvedState, ...observed: ReturnType<typeof anObserved>[]) =>
    planOf(desired, anObservedState(...observed)).blocks.map(block => `${block.code}: ${block.message}`)
  const many = (n: number) => Array.from({ length: n }, (_, i) => `s${String(i).padStart(2, '0')}`)

  test('the deletion of a protected set is blocked', { tags: ['8.4'] }, () => {
    const desired = {
      ...removing(aDesiredState(aSet('a')), 'core-b'),
      guards: { deletions: 30, losses: 30, protect: ['core-*'] },
    }
    expect(blocks(desired, anObserved('1', 'core-b'))).toEqual([
      'protected-name: "core-b" is protected and would be deleted.',
    ])
  })
  test('more than two deletions among fewer than ten sets are blocked', () => {
    const names = many(9)
    const observed = names.map((name, i) => anObserved(`${i}`, name))
    const keep = (n: number) =>
      removing(aDesiredState(...names.slice(n).map(name => aSet(name))), ...names.slice(0, n))
    expect(blocks(keep(2), ...observed)).toEqual([])
    expect(blocks(keep(3), ...observed)).toEqual([
      'too-many-deletions: 3 of 9 sets are deleted; more than 2 need a review.',
    ])
  })
  test('more deletions than the allowed share are blocked, from ten sets', { tags: ['8.4'] }, () => {
    const names = many(10)
    const observed = names.map((name, i) => anObserved(`${i}`, name))
    const keep = (n: number) =>
      removing(aDesiredState(...names.slice(n).map(name => aSet(name))), ...names.slice(0, n))
    expect(blocks(keep(3), ...observed)).toEqual([])
    expect(blocks(keep(4), ...observed)).toEqual([
      'too-many-deletions: 4 of 10 sets are deleted; more than 30 % need a review.',
    ])
  })
  describe('with a limit on updates', () => {
    const limited = (updates: number, value: (at: number) => string, count = 10) =>
      blocks(
        {
          ...aDesiredState(
            ...many(count).map((name, at) => aSet(name, { variables: { 'env/X': value(at) } })),
          ),
          guards: { deletions: 30, losses: 30, updates, protect: [] },
        },
        ...many(count).map((name, at) => anObserved(`${at}`, name, { variables: { 'env/X': '1' } })),
      )

    test('a change of every value of every set is blocked', () => {
      expect(limited(50, () => '2')).toEqual([
        'too-many-updates: 10 of 10 sets are changed; more than 50 % need a review.',
        'too-many-updates: 10 of 10 variables are changed; more than 50 % need a review.',
      ])
    })
    test('exactly the allowed share passes, and so do changes of fewer than ten', () => {
      expect(limited(50, at => (at < 5 ? '2' : '1'))).toEqual([])
      expect(limited(50, () => '2', 9)).toEqual([])
      expect(limited(0, at => (at === 0 ? '2' : '1'))).toHaveLength(2)
      expect(limited(100, () => '2')).toEqual([])
    })
    test('a replacement counts as one change, and new and deleted variables do not count', () => {
      const hidden = Object.fromEntries(many(10).map(name => [`env/${name}`, { hidden: true } as const]))
      const readable = Object.fromEntries(Object.keys(hidden).map(key => [key, '1']))
      const [, ...rest] = Object.entries(readable)
      const guards = { deletions: 30, losses: 30, updates: 80, protect: [] }
      const observed = anObserved('1', 'a', { variables: hidden })
      expect(blocks({ ...aDesiredState(aSet('a', { variables: readable })), guards }, observed)).toEqual([
        'too-many-updates: 10 of 10 variables are changed; more than 80 % need a review.',
      ])
      const fewer = aSet('a', { variables: { ...Object.fromEntries(rest.slice(1)), 'env/new': '1' } })
      expect(blocks({ ...aDesiredState(fewer), guards }, observed)).toEqual([])
    })
  })
  describe('with gaps forbidden', () => {
    const base = { global, variables: { 'env/X': '1', 'env/Y': '1' } }
    const desired = aDesiredState(
      aSet('a', { global, variables: { 'env/Y': '1' } }),
      aSet('b', { global, variables: { 'env/X': '1' } }),
    )
    const observed = [anObserved('1', 'a', base), anObserved('2', 'b', { global })]

    test('a gap is blocked', () => {
      const guards = { ...desired.guards, gaps: 'forbid' } as const
      expect(blocks({ ...desired, guards }, ...observed)).toEqual([
        'opens-gap: A workspace may see a value of env/X that is neither the old nor the new one, and guards.gaps forbids it.',
      ])
      const none = aDesiredState(aSet('b', { global }))
      expect(blocks({ ...none, guards }, anObserved('2', 'b', { global, priority: true }))).toEqual([])
    })
    test('a gap passes if the files allow it', () => {
      expect(blocks(desired, ...observed)).toEqual([])
    })
    test('several gaps are counted', () => {
      const guards = { ...desired.guards, gaps: 'forbid' } as const
      const both = aDesiredState(aSet('a', { global }), aSet('b', base))
      expect(blocks({ ...both, guards }, ...observed)).toEqual([
        'opens-gap: Workspaces may see 2 values that are neither the old nor the new ones, and guards.gaps forbids it.',
      ])
    })
  })
  test('deletions are blocked if the files declare no set', { tags: ['F-60'] }, () => {
    expect(blocks(removing(aDesiredState(), 'a'), anObserved('1', 'a'))).toEqual([
      'empty-desired-state: The files declare no set, but this plan deletes something.',
    ])
  })
})
