import fc from 'fast-check'
import { createPlan } from '../../../src/plan/create.ts'
import type { SetSeed } from '../../../src/sandbox/index.ts'
import { pairOfStates } from '../../support/arbitrary.ts'
import { OPTIONS } from '../../support/plans.ts'
import { aDesiredState, anObserved, aSet } from '../../support/states.ts'
import { seedFrom } from '../../support/world.ts'
import { aCase, type Case, hidden, P1, removed, secret, W1 } from './case.ts'
import { CHANGES } from './changes.ts'

/** An inventory of an earlier run, with digests of different files. */
const inventory = (owner: string, ...ids: readonly string[]): SetSeed => ({
  id: `varset-inventory${owner}`,
  name: `setpoint-inventory-${owner}`,
  variables: ids.map(id => ({
    id: `var-entry${id.slice('varset-'.length)}`,
    key: id,
    category: 'terraform',
    value: '{"digest":"earlier","secrets":{}}',
  })),
})

const owned = (one: Case, prune: boolean, ...ids: readonly string[]): Case => ({
  ...one,
  seed: {
    ...one.seed,
    sets: [
      ...(one.seed.sets ?? []),
      ...(ids.length === 0 ? [] : [inventory('team', ...ids)]),
      inventory('other', 'varset-F0'),
    ],
  },
  desired: { ...one.desired, owner: 'team', owns: ['*'], prune },
})

const OWNED: readonly Case[] = [
  owned(
    aCase(
      'pruned',
      [
        anObserved('1', 'kept', { variables: { 'env/A': '2' } }),
        anObserved('2', 'dropped', { global: true, variables: { 'env/D': '1' } }),
        anObserved('3', 'forgotten', { variables: { 'env/F': hidden } }),
      ],
      aDesiredState(
        aSet('kept', { variables: { 'env/A': '2', 'env/S': secret() } }),
        aSet('heir', { global: true, variables: { 'env/D': '1', 'env/N': secret('N') } }),
      ),
    ),
    true,
    'varset-1',
    'varset-2',
    'varset-3',
  ),
  owned(
    aCase(
      'first-owned',
      [
        anObserved('1', 'mine', { variables: { 'env/A': '1' } }),
        anObserved('2', 'equal', { variables: { 'env/E': 'e' } }),
      ],
      aDesiredState(
        aSet('mine', { variables: { 'env/A': '2', 'env/S': secret() }, workspaces: [W1] }),
        aSet('equal', { variables: { 'env/E': 'e' } }),
        aSet('new', { variables: { 'env/N': secret('N') } }),
        aSet('newer', { projects: [P1] }),
      ),
    ),
    false,
  ),
]

/** With two more variables, a list of them has a second page. */
const MANY = Object.fromEntries(Array.from({ length: 19 }, (_, i) => [`env/K${i}`, '1'] as const))

/** Enough sets, and variables of one set, for several pages on services with small pages. */
export const LONG_LIST = 'long-list'

function aLongList(): Case {
  const one = aCase(
    LONG_LIST,
    [
      anObserved('1', 'm1', { variables: { 'env/A': '1', 'env/B': '1', ...MANY } }),
      anObserved('2', 'm2', { variables: { 'env/A': '1' }, workspaces: [W1] }),
    ],
    {
      ...aDesiredState(
        aSet('m1', { variables: { 'env/A': '2', ...MANY } }),
        aSet('m3', { variables: { 'env/A': '1' } }),
      ),
      removed: removed('m2'),
    },
  )
  const others = Array.from({ length: 17 }, (_, i) => seedFrom(anObserved(`L${i}`, `other-${i}`)))
  return { ...one, seed: { ...one.seed, sets: [...(one.seed.sets ?? []), ...others] } }
}

/** Cases made by hand, which every run of the tests plays. */
export const CASES: readonly Case[] = [...CHANGES, ...OWNED]

export const RANDOM_CASES = 400
let random: readonly Case[] | undefined

/** A case by name. `random-17` is the seventeenth random pair of states of one fixed seed. */
export function caseNamed(name: string): Case {
  const made = CASES.find(one => one.name === name)
  if (made !== undefined) return made
  if (name === LONG_LIST) {
    longList ??= aLongList()
    return longList
  }
  random ??= fc
    .sample(
      // States with conflicting names have no plan, so they have no schedules.
      pairOfStates.filter(
        ({ desired, observed }) => createPlan(desired, observed, OPTIONS).value !== undefined,
      ),
      { seed: 11, numRuns: RANDOM_CASES },
    )
    .map(({ observed, desired }, i) => aCase(`random-${i}`, observed.sets, desired))
  const found = random.find(one => one.name === name)
  if (found === undefined) throw new RangeError(`there is no case "${name}"`)
  return found
}

let longList: Case | undefined
