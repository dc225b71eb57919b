import { describe, expect, test } from 'vitest'
import type { ObservedSet } from '../../src/model/variable-set.ts'
import { isHalfMade, missingParts, otherVariables } from '../../src/plan/completion.ts'
import { consentTo } from '../../src/plan/consent.ts'
import { createPlan } from '../../src/plan/create.ts'
import { creationOf } from '../../src/plan/draft.ts'
import { compareReviewed } from '../../src/plan/reviewed-plan.ts'
import { OPTIONS, planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'
import { PROJECTS, WORKSPACES } from '../support/world.ts'

const [w1, w2] = WORKSPACES
const [p1] = PROJECTS
const hidden = { hidden: true } as const
const wanted = aSet('a', {
  description: 'd',
  variables: { 'env/A': '1', 'env/B': '2', 'env/S': { secret: { name: 'S', version: '1' } } },
  workspaces: [w1, w2],
  projects: [p1],
})
const create = creationOf(wanted)
const like = (shape: Parameters<typeof anObserved>[2]): ObservedSet =>
  anObserved('1', 'a', { description: 'd', ...shape })

test('what a created set lacks is sent as variables first, then one request for each kind of targets', () => {
  const set = like({ variables: { 'env/B': '2' }, workspaces: [w2] })
  expect(missingParts(create, set).map(part => ('after' in part ? part.after.key : part.targets))).toEqual([
    'env/A',
    'env/S',
    { kind: 'workspaces', ids: [w1] },
    { kind: 'projects', ids: [p1] },
  ])
  expect(missingParts(create, set).map(({ subject }) => subject.id)).toEqual(Array(4).fill(set.id))
})

test('variables that were not sent, or sent otherwise, are told apart', () => {
  expect(otherVariables(create, like({ variables: { 'env/A': '1', 'env/S': hidden } }))).toEqual([])
  expect(otherVariables(create, like({ variables: { 'env/A': '7', 'env/X': '1' } }))).toEqual([
    'env/A',
    'env/X',
  ])
  expect(otherVariables(create, like({ variables: { 'env/S': '1' } }))).toEqual(['env/S'])
  const foreign = [{ id: 'var-9' as const, key: 'F', category: 'policy-set' }]
  expect(otherVariables(create, like({ foreignVariables: foreign }))).toEqual(['F'])
})

const HALF: readonly (readonly [string, ObservedSet])[] = [
  ['no variables', like({})],
  ['some variables', like({ variables: { 'env/A': '1', 'env/S': hidden } })],
]
const OTHER: readonly (readonly [string, ObservedSet])[] = [
  ['another assignment', like({ workspaces: [WORKSPACES[2]] })],
  ['another variable', like({ variables: { 'env/X': '1' } })],
  ['another value', like({ variables: { 'env/A': '7' } })],
  ['other settings', like({ description: 'mine' })],
  ['something unknown', like({ others: [{ what: 'runs', count: 1 }] })],
]
const files = { ...aDesiredState(wanted), owner: 'me' }
const planned = (set?: ObservedSet) =>
  createPlan(files, anObservedState(...(set === undefined ? [] : [set])), OPTIONS).value

describe('a set that nobody lists', () => {
  test.each(HALF)('with %s is completed without --adopt, and by an approved creation', (_, set) => {
    expect(isHalfMade(create, set)).toBe(true)
    const [reviewed, now] = [planned(), planned(set)]
    if (reviewed === undefined || now === undefined) throw new Error('there is no plan')
    expect(now.blocks).toEqual([])
    expect(compareReviewed([reviewed], now, anObservedState(set))).toEqual({ conflicts: [], done: [] })
  })
  test.each(OTHER)('with %s is blocked, and no approved creation is for it', (_, set) => {
    expect(isHalfMade(create, set)).toBe(false)
    const [reviewed, now] = [planned(), planned(set)]
    if (reviewed === undefined || now === undefined) throw new Error('there is no plan')
    expect(now.blocks.map(({ code }) => code)).toEqual(['adopts-different'])
    const { conflicts, blocks } = consentTo([reviewed], now, anObservedState(set))
    expect(conflicts).not.toEqual([])
    expect(blocks).toEqual(now.blocks)
  })
  test('with an assignment is blocked, and completed by an approved creation that has it', () => {
    const set = like({ variables: { 'env/A': '1' }, workspaces: [w1] })
    const [reviewed, now] = [planned(), planned(set)]
    if (reviewed === undefined || now === undefined) throw new Error('there is no plan')
    expect(now.blocks.map(({ code }) => code)).toEqual(['adopts-different'])
    expect(consentTo([reviewed], now, anObservedState(set))).toEqual({ conflicts: [], blocks: [], done: [] })
  })
})

test('an approved creation does not approve a part that the file has changed since', () => {
  const set = like({ variables: { 'env/A': '1', 'env/S': hidden } })
  const reviewed = planOf(aDesiredState(wanted), anObservedState())
  const changed = aSet('a', {
    ...wanted,
    variables: { 'env/A': '1', 'env/B': '9', 'env/S': { secret: { name: 'S' } } },
  })
  const now = planOf(aDesiredState(changed), anObservedState(set))
  expect(compareReviewed([reviewed], now, anObservedState(set)).conflicts.map(({ id }) => id)).toEqual([
    'create-set a',
    'create-variable a env/B',
  ])
})
