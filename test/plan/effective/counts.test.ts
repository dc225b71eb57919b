import { expect, test } from 'vitest'
import type { Directory, ObservedSet, ResolvedSet } from '../../../src/model/variable-set.ts'
import { planOf } from '../../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../../support/states.ts'

const global = true
const WHOLE: Directory = {
  workspaces: [
    { id: 'ws-1', name: '1', project: 'prj-a' },
    { id: 'ws-2', name: '2', project: 'prj-a' },
    { id: 'ws-3', name: '3', project: 'prj-b' },
  ],
  projects: [
    { id: 'prj-a', name: 'a' },
    { id: 'prj-b', name: 'b' },
    { id: 'prj-c', name: 'c' },
  ],
  whole: ['workspaces', 'projects'],
}
const X = { variables: { 'env/X': '1' } }

const countsIn = (
  desired: ResolvedSet | undefined,
  observed: ObservedSet | undefined,
  directory: Directory = WHOLE,
) =>
  planOf(
    {
      ...aDesiredState(...(desired === undefined ? [] : [desired])),
      removed: desired === undefined ? [{ name: 's', source: SOMEWHERE }] : [],
      directory,
    },
    anObservedState(...(observed === undefined ? [] : [observed])),
  ).facts.counts

test('a set that is created or deleted has those that receive it', () => {
  const shape = { ...X, workspaces: ['ws-3'] as const, projects: ['prj-a'] as const }
  expect(countsIn(aSet('s', shape), undefined)).toEqual([{ set: 's', workspaces: 3, items: { set: 3 } }])
  expect(countsIn(undefined, anObserved('1', 's', { ...X, workspaces: ['ws-3'] }))).toEqual([
    { set: 's', workspaces: 1, items: { set: 1 } },
  ])
})

test('a key has those that receive the set with it, before or after', () => {
  const after = aSet('s', { workspaces: ['ws-1', 'ws-3'], variables: { 'env/KEPT': '2', 'env/NEW': '1' } })
  const before = anObserved('1', 's', {
    workspaces: ['ws-2', 'ws-3'],
    variables: { 'env/KEPT': '1', 'env/OLD': '1' },
  })
  expect(countsIn(after, before)).toEqual([
    {
      set: 's',
      workspaces: 3,
      items: { 'env/KEPT': 3, 'env/NEW': 2, 'env/OLD': 2, 'ws-1': 1, 'ws-2': 1 },
    },
  ])
})

test('a target has the workspaces in it, and `global` those that receive the set only before or after', () => {
  expect(
    countsIn(aSet('s', { ...X, projects: ['prj-a', 'prj-c'] }), anObserved('1', 's', { ...X, global })),
  ).toEqual([{ set: 's', workspaces: 3, items: { global: 1, 'prj-a': 2, 'prj-c': 0 } }])
})

test('where not all workspaces are told, the number is left out', () => {
  const untold: Directory = { workspaces: [], projects: WHOLE.projects }
  expect(countsIn(aSet('s', { ...X, global }), undefined, untold)).toEqual([{ set: 's', items: {} }])
  expect(
    countsIn(aSet('s', { ...X, projects: ['prj-a'], workspaces: ['ws-1'] }), anObserved('1', 's', X), untold),
  ).toEqual([{ set: 's', items: { 'ws-1': 1 } }])
})
