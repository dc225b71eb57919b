import type { DesiredValue, ObservedSet, ResolvedState } from '../../../src/model/variable-set.ts'
import type { SetSeed } from '../../../src/sandbox/index.ts'
import { aDesiredState, anObserved, aSet, SOMEWHERE } from '../../support/states.ts'
import { PROJECTS, seedFrom, WORKSPACES } from '../../support/world.ts'
import type { Case } from '../schedules/case.ts'
import { CASES, caseNamed, LONG_LIST } from '../schedules/cases.ts'
import type { Pair } from './race.ts'

const [w1, w2, w3] = WORKSPACES
const [p1] = PROJECTS
const hidden = { hidden: true } as const
const secret = (name: string): DesiredValue => ({ secret: { name } })
const removing = (...names: readonly string[]) => names.map(name => ({ name, source: SOMEWHERE }))

/**
 * Sets that neither run mentions. Their names and keys are close to those of the runs, but not so close that a deleted set
 * could be mistaken for one of them.
 */
const FOREIGN: readonly SetSeed[] = [
  seedFrom(anObserved('F1', 'A-1', { variables: { 'env/X': 'foreign' }, workspaces: [w1] })),
  seedFrom(anObserved('F2', 'everywhere', { global: true, variables: { 'env/F': 'x' } })),
]

function aPair(
  name: string,
  live: readonly (ObservedSet | SetSeed)[],
  a: ResolvedState,
  b: ResolvedState,
): Pair {
  const sets = live.map(set => ('foreignVariables' in set ? seedFrom(set) : set))
  return {
    name,
    files: [a, b],
    seed: {
      organizations: [{ name: 'acme' }],
      projects: PROJECTS.map((id, i) => ({ id, name: `project-${i + 1}` })),
      workspaces: WORKSPACES.map((id, i) => ({ id, name: `workspace-${i + 1}`, project: 'project-1' })),
      sets: [...sets, ...FOREIGN],
    },
  }
}

const owned = (owner: string, state: ResolvedState, prune = false): ResolvedState => ({
  ...state,
  owner,
  owns: ['*'],
  prune,
})
const inventory = (owner: string, ...ids: readonly string[]): SetSeed => ({
  id: `varset-inventory${owner}`,
  name: `setpoint-inventory-${owner}`,
  variables: ids.map(id => ({
    id: `var-entry${id}`,
    key: `varset-${id}`,
    category: 'terraform',
    value: '{"digest":"earlier","secrets":{}}',
  })),
})

const live = anObserved('1', 'a', { variables: { 'env/X': '1', 'env/Y': '1' }, workspaces: [w1] })
const x = (value: string, workspaces: readonly (typeof WORKSPACES)[number][] = [w1]) =>
  aSet('a', { variables: { 'env/X': value, 'env/Y': '1' }, workspaces })

/** Each run alone needs at most eight requests. */
export const PAIRS: readonly Pair[] = [
  aPair('the same change', [live], aDesiredState(x('2', [w2])), aDesiredState(x('2', [w2]))),
  aPair('two values of a variable', [live], aDesiredState(x('2')), aDesiredState(x('3'))),
  aPair(
    'the same new set',
    [],
    aDesiredState(aSet('a', { variables: { 'env/X': '1', 'env/S': secret('S') }, workspaces: [w1] })),
    aDesiredState(aSet('a', { variables: { 'env/X': '1', 'env/S': secret('S') }, workspaces: [w1] })),
  ),
  aPair(
    'two new sets with one name',
    [],
    aDesiredState(aSet('a', { variables: { 'env/X': '1' }, workspaces: [w1] })),
    aDesiredState(aSet('a', { variables: { 'env/X': '2', 'env/Z': '1' }, workspaces: [w2] })),
  ),
  aPair(
    'a delete and a change',
    [live, anObserved('2', 'b')],
    { ...aDesiredState(aSet('b')), removed: removing('a') },
    aDesiredState(x('2', [w1, w2])),
  ),
  aPair(
    'a rename and a set with the old name',
    [live],
    aDesiredState(aSet('b', { previousNames: ['a'], variables: { 'env/X': '1', 'env/Y': '2' } })),
    aDesiredState(aSet('a', { description: 'new', variables: { 'env/X': '1', 'env/Y': '1' } })),
  ),
  aPair(
    'two renames of a set',
    [live],
    aDesiredState(aSet('b', { previousNames: ['a'], variables: { 'env/X': '1', 'env/Y': '1' } })),
    aDesiredState(aSet('c', { previousNames: ['a'], variables: { 'env/X': '1', 'env/Y': '1' } })),
  ),
  aPair(
    'an assignment and the opposite',
    [live],
    aDesiredState(x('1', [w2])),
    aDesiredState(x('1', [w1, w3])),
  ),
  aPair(
    'two new variables with one key',
    [live],
    aDesiredState(aSet('a', { variables: { 'env/X': '1', 'env/Y': '1', 'env/Z': '1' } })),
    aDesiredState(aSet('a', { variables: { 'env/X': '1', 'env/Y': '1', 'env/Z': secret('Z') } })),
  ),
  aPair(
    'several new variables',
    [live],
    aDesiredState(aSet('a', { variables: { 'env/X': '1', 'env/Y': '1', 'env/U': '1', 'env/V': '1' } })),
    aDesiredState(aSet('a', { variables: { 'env/X': '1', 'env/Y': '1', 'env/V': '1', 'env/W': '1' } })),
  ),
  aPair(
    'a replacement and a description',
    [anObserved('1', 'a', { variables: { 'env/X': hidden } })],
    aDesiredState(aSet('a', { variables: { 'env/X': 'readable' } })),
    aDesiredState(aSet('a', { variables: { 'env/X': { value: secret('X'), description: 'd' } } })),
  ),
  aPair(
    'a key that moves to one of two global sets',
    [
      anObserved('1', 'a', { global: true, variables: { 'env/X': '1' } }),
      anObserved('2', 'b', { global: true }),
    ],
    aDesiredState(aSet('a', { global: true }), aSet('b', { global: true, variables: { 'env/X': '1' } })),
    aDesiredState(aSet('a', { global: true, variables: { 'env/X': '2' } }), aSet('b', { global: true })),
  ),
  {
    ...aPair(
      'two sets that become global with a key',
      [anObserved('1', 'a', { variables: { 'env/X': '1' } })],
      aDesiredState(aSet('a', { global: true, variables: { 'env/X': '1' } })),
      { ...aDesiredState(aSet('b', { global: true, variables: { 'env/X': '2' } })), removed: removing('a') },
    ),
    refusal: 'global-conflict',
  },
  aPair(
    'a new inventory of two runs',
    [live],
    owned('team', aDesiredState(x('2'), aSet('n', { projects: [p1] }))),
    owned('team', aDesiredState(x('2'), aSet('n', { projects: [p1] }))),
  ),
  aPair(
    'prune and an older checkout',
    [live, anObserved('2', 'b'), inventory('team', '1', '2')],
    owned('team', aDesiredState(x('1')), true),
    owned('team', aDesiredState(x('1'), aSet('b', { description: 'kept' })), true),
  ),
  aPair(
    'two owners and a new set',
    [],
    owned('team', aDesiredState(aSet('n', { variables: { 'env/X': '1' } }))),
    owned('platform', aDesiredState(aSet('n', { variables: { 'env/X': '2' } }))),
  ),
  aPair(
    'two owners and an unmanaged set',
    [live],
    owned('team', aDesiredState(x('2'))),
    owned('platform', aDesiredState(x('3'))),
  ),
]

/** Two runs of one case of `../cases.ts` at once. */
const twice = ({ name, seed, desired }: Case): Pair => ({
  name: `twice ${name}`,
  seed,
  files: [desired, desired],
})

/** Pairs with longer plans, for random orders only. */
export const BIG: readonly Pair[] = [...CASES.map(twice), twice(caseNamed(LONG_LIST))]

export function pairNamed(name: string): Pair {
  const found = [...PAIRS, ...BIG].find(pair => pair.name === name)
  if (found === undefined) throw new RangeError(`there is no pair "${name}"`)
  return found
}
