import { expect, test } from 'vitest'
import type { ObservedSet, ResolvedSet } from '../../src/model/variable-set.ts'
import { concernedBy } from '../../src/plan/concerned.ts'
import { draftPlan } from '../../src/plan/create.ts'
import { matchStates } from '../../src/plan/match-states.ts'
import { OPTIONS } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

/** What has to be known of a plan of one set beside another that equals the files. */
function wanted(desired: ResolvedSet, observed: ObservedSet, tellsAll = false) {
  const other = { projects: ['prj-other' as const], workspaces: ['ws-other' as const] }
  const [files, live] = [
    aDesiredState(desired, aSet('other', other)),
    anObservedState(observed, anObserved('9', 'other', other)),
  ]
  const matched = matchStates(files, live, [])
  const { value } = draftPlan(files, live, OPTIONS, matched)
  const operations = (value?.drafts ?? []).map(({ operation }) => operation)
  const [first] = concernedBy(operations, matched.match, files.directory, tellsAll)
  const { ids, membersOf, all } = first
  return { workspaces: ids?.workspaces, projects: ids?.projects, membersOf, all }
}

const NOTHING = { workspaces: [], projects: [], membersOf: [], all: [] }
const external = { 'env/E': { external: true } } as const
const places = { workspaces: ['ws-1' as const], projects: ['prj-1' as const] }

test.each([
  ['that equals the files', aSet('a', places), anObserved('1', 'a', places), NOTHING],
  [
    'that changes',
    aSet('a', { ...places, description: 'new' }),
    anObserved('1', 'a', places),
    { workspaces: ['ws-1'], projects: ['prj-1'], membersOf: ['prj-1'], all: [] },
  ],
  [
    'that lacks an external variable',
    aSet('a', { ...places, variables: external }),
    anObserved('1', 'a', places),
    { workspaces: ['ws-1'], projects: ['prj-1'], membersOf: ['prj-1'], all: [] },
  ],
  [
    'that becomes global',
    aSet('a', { global: true }),
    anObserved('1', 'a'),
    { ...NOTHING, all: ['workspaces'] },
  ],
  [
    'that moves, before and after',
    aSet('a', { workspaces: ['ws-2'], projects: ['prj-2'] }),
    anObserved('1', 'a', places),
    {
      workspaces: ['ws-2', 'ws-1'],
      projects: ['prj-2', 'prj-1'],
      membersOf: ['prj-2', 'prj-1'],
      all: [],
    },
  ],
] as const)('the service has to tell who receives a set %s', (_, desired, observed, asked) => {
  expect(wanted(desired, observed)).toEqual(asked)
})

test('a report of everything needs the names of the other sets as well, and not who is in their projects', () => {
  expect(wanted(aSet('a', places), anObserved('1', 'a', places), true)).toEqual({
    workspaces: ['ws-1', 'ws-other'],
    projects: ['prj-1', 'prj-other'],
    membersOf: [],
    all: [],
  })
})
