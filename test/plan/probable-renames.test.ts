import { describe, expect, test } from 'vitest'
import type { ResolvedSet } from '../../src/model/variable-set.ts'
import { createPlan } from '../../src/plan/create.ts'
import { OPTIONS, planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const SECRET = { secret: { name: 'S' } }
const HELD = { 'env/A': '1', 'env/S': { hidden: true } } as const
const base = (...sets: readonly ResolvedSet[]) => ({
  ref: 'main',
  commit: 'c0ffee',
  desired: aDesiredState(...sets),
})
const old = aSet('old', { variables: { 'env/A': '1', 'env/S': SECRET }, workspaces: ['ws-1'] })
const there = anObserved('1', 'old', { variables: HELD, workspaces: ['ws-1'] })
const warned = (...args: Parameters<typeof planOf>) =>
  planOf(...args).diagnostics.flatMap(({ code, hint }) =>
    code === 'probable-rename' || code === 'left-behind' ? [`${code}: ${hint}`] : [],
  )

describe('a set with the keys and targets of one that leaves the files', () => {
  const renamed = aSet('new', { variables: { 'env/A': '2', 'env/S': SECRET }, workspaces: ['ws-1'] })

  test('is probably renamed: the hint keeps its secrets, in place of deleting them', () => {
    expect(warned(aDesiredState(renamed), anObservedState(there), { base: base(old) })).toEqual([
      'probable-rename: If it is the same set, add `previousNames: ["old"]` to "new": it keeps its id, secrets and external values.',
    ])
  })

  test('the hint, typed to the letter, renames and warns no more', () => {
    const named = { ...renamed, previousNames: ['old'] }
    const plan = planOf(aDesiredState(named), anObservedState(there), { base: base(old) })
    expect(plan.steps.map(({ id }) => id)).toEqual(['update-set new', 'update-variable new env/A'])
    expect(warned(aDesiredState(named), anObservedState(there), { base: base(old) })).toEqual([])
  })

  test('is told, too, if the old one is listed under removed', () => {
    const removed = [{ name: 'old', source: { path: 's', line: 1, column: 1 } }]
    expect(warned({ ...aDesiredState(renamed), removed }, anObservedState(there))).toEqual([
      expect.stringContaining('and remove "old" from `removed` if it is there'),
    ])
  })

  test('is no rename if it is pinned to an id, which is another error', () => {
    const pinned = { ...renamed, id: 'varset-9' as const }
    const { diagnostics } = createPlan(aDesiredState(pinned), anObservedState(there), {
      ...OPTIONS,
      base: base(old),
    })
    expect(diagnostics.map(({ code }) => code)).toEqual(['left-behind', 'unknown-set-id'])
  })

  test.each([
    ['another key', aSet('new', { variables: { 'env/A': '1', 'env/T': SECRET }, workspaces: ['ws-1'] })],
    [
      'one key more',
      aSet('new', { variables: { ...{ 'env/A': '1', 'env/S': SECRET }, 'env/B': '' }, workspaces: ['ws-1'] }),
    ],
    [
      'another workspace',
      aSet('new', { variables: { 'env/A': '1', 'env/S': SECRET }, workspaces: ['ws-2'] }),
    ],
    [
      'global',
      aSet('new', { variables: { 'env/A': '1', 'env/S': SECRET }, workspaces: ['ws-1'], global: true }),
    ],
  ])('is another set with %s', (_, set) => {
    expect(warned(aDesiredState(set), anObservedState(there), { base: base(old) })).toEqual([
      expect.stringContaining('left-behind'),
    ])
  })

  test('is not told of a set that another owner lists', () => {
    const listing = (owner: string) => ({
      ...anObservedState(there),
      inventories: [
        {
          owner,
          id: 'varset-9' as const,
          entries: [
            { setId: there.id, variableId: 'var-9' as const, digest: '', secrets: {}, damaged: false },
          ],
        },
      ],
    })
    const ours = { ...aDesiredState(renamed), owner: 'us' }
    expect(warned(ours, listing('us'), { base: base(old) })).toEqual([
      expect.stringContaining('probable-rename'),
    ])
    expect(warned(ours, listing('them'), { base: base(old) })).toEqual([])
  })

  test('is not told where two fit, on either side', () => {
    const twin = { ...renamed, name: 'twin' }
    const second = anObserved('2', 'older', { variables: HELD, workspaces: ['ws-1'] })
    const older = { ...old, name: 'older' }
    for (const [desired, observed, before] of [
      [aDesiredState(renamed, twin), anObservedState(there), base(old)],
      [aDesiredState(renamed), anObservedState(there, second), base(old, older)],
    ] as const)
      expect(warned(desired, observed, { base: before }).join()).not.toContain('probable-rename')
  })
})
