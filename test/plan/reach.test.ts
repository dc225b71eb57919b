import { expect, test } from 'vitest'
import type { ResolvedState } from '../../src/model/variable-set.ts'
import { matchStates } from '../../src/plan/match-states.ts'
import { newTargets, reachOf } from '../../src/plan/reach.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'

const W1 = 'ws-0000000000000001'
const W2 = 'ws-0000000000000002'
const P1 = 'prj-0000000000000001'

const scope = (others: object = {}) => ({
  global: false,
  priority: false,
  workspaces: [],
  projects: [],
  ...others,
})

const DESIRED = {
  ...aDesiredState(
    aSet('moved', { workspaces: [W2], projects: [P1] }),
    aSet('new', { global: true }),
    aSet('renamed', { previousNames: ['old'], priority: true, workspaces: [] }),
    aSet('left', {}),
  ),
  removed: [{ name: 'gone', source: SOMEWHERE }],
  directory: {
    workspaces: [
      { name: 'one', id: W1, project: P1 },
      { name: 'two', id: W2 },
    ],
    projects: [{ name: 'core', id: P1 }],
  },
} as const
const OBSERVED = anObservedState(
  anObserved('1', 'moved', { workspaces: [W2, W1] }),
  anObserved('2', 'old', { workspaces: [W1] }),
  anObserved('3', 'left', { workspaces: [W1] }),
  anObserved('4', 'gone', { projects: [P1] }),
  anObserved('5', 'theirs', { global: true }),
)
const names = { [W1]: 'one', [W2]: 'two', [P1]: 'core' }

const matched = (desired: ResolvedState, ...only: readonly string[]) =>
  matchStates(desired, OBSERVED, only).match

test('lists what each managed set reaches before and after, and no other sets', () => {
  expect(reachOf(matched(DESIRED), DESIRED.directory)).toEqual({
    sets: [
      { set: 'gone', before: scope({ projects: [P1] }) },
      // Unmanaged assignments stay.
      { set: 'left', before: scope({ workspaces: [W1] }), after: scope({ workspaces: [W1] }) },
      {
        set: 'moved',
        before: scope({ workspaces: [W1, W2] }),
        after: scope({ workspaces: [W2], projects: [P1] }),
      },
      { set: 'new', after: scope({ global: true }) },
      { set: 'renamed', before: scope({ workspaces: [W1] }), after: scope({ priority: true }) },
    ],
    names,
    projectOf: { [W1]: P1 },
  })
})

test('--only limits the list as it limits the plan', () => {
  const { sets } = reachOf(matched(DESIRED, 'new', 'gone'), DESIRED.directory)
  expect(sets.map(({ set }) => set)).toEqual(['gone', 'new'])
})

test('a plan newly assigns what it adds, and the project of a new set', () => {
  const files = aDesiredState(
    aSet('a', { workspaces: [W2, W1], projects: [] }),
    aSet('b', { parent: P1, workspaces: [W2] }),
  )
  const { steps } = planOf(
    files,
    anObservedState(anObserved('1', 'a', { workspaces: [W1], projects: ['prj-x'] })),
  )
  expect(newTargets(steps)).toEqual({ workspaces: [W2], projects: [P1], stacks: [] })
})
