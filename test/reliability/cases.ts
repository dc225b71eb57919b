import fc from 'fast-check'
import type { DesiredValue, ObservedSet, ResolvedState } from '../../src/model/variable-set.ts'
import type { SandboxSeed, SetSeed } from '../../src/sandbox/index.ts'
import { pairOfStates } from '../support/arbitrary.ts'
import { aDesiredState, anObserved, aSet, SOMEWHERE } from '../support/states.ts'
import { PROJECTS, seedFrom, WORKSPACES } from '../support/world.ts'

/** A live organization and what the files say of it. */
export interface Case {
  readonly name: string
  readonly seed: SandboxSeed
  readonly desired: ResolvedState
}

/** The text of every secret. Nothing that is printed may hold it, nor the one below. */
export const secretText = (name: string): string => `canary-${name}-7Qx9`
export const OLD_SECRET = 'hidden-before'
/** A readable value whose place a secret takes: not to be shown either. */
export const OLD_TEXT = 'was-readable-5Rw2'

const secret = (name = 'S'): DesiredValue => ({ secret: { name } })
const hidden = { hidden: true } as const
const external: DesiredValue = { external: true }
const [W1, W2, W3] = WORKSPACES
const [P1, P2] = PROJECTS
const removed = (...names: string[]) => names.map(name => ({ name, source: SOMEWHERE }))

/** Not ours, in every case: names and keys close to ours, a global set, one of a project. */
const FOREIGN: readonly SetSeed[] = [
  { ...seedFrom(anObserved('F0', 'app-other', { variables: { 'env/A': 'foreign' } })), parent: P1 },
  {
    ...seedFrom(anObserved('F1', 'App', { variables: { 'env/A': hidden } })),
    priority: true,
    workspaces: [W1],
  },
  seedFrom(anObserved('F2', 'everywhere', { global: true, variables: { 'env/FOREIGN': 'x' } })),
]

function aCase(name: string, live: readonly ObservedSet[], desired: ResolvedState): Case {
  return {
    name,
    desired,
    seed: {
      organizations: [{ name: 'acme' }],
      projects: PROJECTS.map((id, i) => ({ id, name: `project-${i + 1}` })),
      workspaces: WORKSPACES.map((id, i) => ({
        id,
        name: `workspace-${i + 1}`,
        project: `project-${(i % 2) + 1}`,
      })),
      sets: [
        ...live.map(withForeignVariable),
        ...FOREIGN.filter(set => !live.some(other => other.name === set.name)),
      ],
    },
  }
}

/** Of a category that we do not know: it stays, whatever happens to its set. */
const withForeignVariable = (set: ObservedSet): SetSeed => {
  const seed = seedFrom(set)
  return {
    ...seed,
    variables: [...(seed.variables ?? []), { key: `rule-${set.id}`, value: 'r', category: 'policy' }],
  }
}

const MADE: readonly Case[] = [
  aCase(
    'mixed',
    [
      anObserved('1', 'app', {
        description: 'old',
        variables: { 'env/A': '1', 'env/B': hidden, 'terraform/T': 'old' },
        workspaces: [W1],
        projects: [P1],
      }),
      anObserved('3', 'legacy', { variables: { 'env/L': '1' }, workspaces: [W3] }),
    ],
    {
      ...aDesiredState(
        aSet('app', {
          description: 'new',
          variables: {
            'env/A': '2',
            'env/B': 'readable',
            'env/C': secret(),
            'env/D': 'd',
            'terraform/T': 'old',
          },
          workspaces: [W2],
          projects: [P1],
        }),
        aSet('fresh', {
          variables: { 'env/A': 'a', 'env/K': secret() },
          workspaces: [W1, W2],
          projects: [P2],
        }),
      ),
      removed: removed('legacy'),
    },
  ),
  aCase(
    'global-moves',
    [
      anObserved('1', 'one', { global: true, variables: { 'env/X': '1', 'env/Y': '2' } }),
      anObserved('2', 'two', { global: true, variables: { 'env/Z': '3' } }),
      anObserved('3', 'three', { global: true, variables: { 'env/Q': 'q' } }),
      anObserved('4', 'four', { variables: { 'env/Q': 'other' }, workspaces: [W1] }),
    ],
    aDesiredState(
      aSet('one', { global: true, variables: { 'env/Z': '3', 'env/Y': '2' } }),
      aSet('two', { global: true, variables: { 'env/X': secret() } }),
      aSet('three', { variables: { 'env/Q': 'q' } }),
      aSet('four', { global: true, variables: { 'env/Q': 'new' }, workspaces: [W1] }),
    ),
  ),
  aCase(
    'renames',
    [
      anObserved('1', 'a', { global: true, variables: { 'env/A': '1' } }),
      anObserved('2', 'b', { priority: true, variables: { 'env/B': '1' } }),
      anObserved('3', 'c', { priority: true, variables: { 'env/A': hidden } }),
    ],
    aDesiredState(
      aSet('b2', { id: 'varset-2', global: true, priority: true, variables: { 'env/A': '1', 'env/B': '1' } }),
      aSet('b', { id: 'varset-1', variables: { 'env/A': '2', 'env/C': 'c', 'env/D': 'd' } }),
      aSet('a', { variables: { 'env/N': 'n' }, workspaces: [W1] }),
      aSet('d', { previousNames: ['c'], priority: false, variables: { 'env/A': secret(), 'env/E': 'e' } }),
    ),
  ),
  aCase(
    'secrets',
    [
      anObserved('1', 's', {
        variables: {
          'env/KEEP': hidden,
          'env/TO_READABLE': hidden,
          'env/TO_SECRET': OLD_TEXT,
          'terraform/HCL': { value: hidden, hcl: true },
          'env/EXTERNAL': { value: hidden, description: 'old' },
        },
      }),
    ],
    aDesiredState(
      aSet('s', {
        variables: {
          'env/KEEP': secret('KEEP'),
          'env/TO_READABLE': 'text',
          'env/TO_SECRET': secret('T'),
          'terraform/HCL': { value: secret('H'), hcl: false },
          'env/EXTERNAL': { value: external, description: 'new' },
          'env/NEW': secret('N'),
        },
      }),
    ),
  ),
  aCase(
    'assignments',
    [
      anObserved('1', 'x', { variables: { 'env/A': '1' }, workspaces: [W1, W2], projects: [P2] }),
      anObserved('2', 'y', { variables: { 'env/A': '2' }, workspaces: [W3], projects: [P2] }),
      anObserved('3', 'z', { variables: { 'env/B': '2' }, workspaces: [W1, W3], projects: [P2] }),
    ],
    aDesiredState(
      aSet('x', { variables: { 'env/A': '1' }, workspaces: [W2, W3], projects: [P2] }),
      aSet('y', { variables: { 'env/A': '2' }, workspaces: [W1], projects: [] }),
      aSet('z', { variables: { 'env/B': '3' }, projects: [P1, P2] }),
    ),
  ),
  aCase(
    'creates',
    [],
    aDesiredState(
      aSet('app', { variables: { 'env/A': '1', 'env/S': secret() } }),
      aSet('app-2', { global: true, variables: { 'env/A': '1' } }),
      aSet('app-3', { variables: { 'env/A': '1' }, workspaces: [W1] }),
      aSet('app-4', { priority: true, projects: [P1, P2] }),
      aSet('a', {}),
      aSet('b', { description: 'b' }),
    ),
  ),
  aCase(
    'deletes',
    [
      anObserved('1', 'g1', { global: true, variables: { 'env/K': '1', 'env/M': hidden } }),
      anObserved('2', 'g2', { global: true, variables: { 'env/L': '1' } }),
      anObserved('3', 'old', { variables: { 'env/A': '1' }, workspaces: [W1] }),
      anObserved('4', 'kept', { global: true, variables: { 'env/R': '1', 'env/U': 'u' } }),
    ],
    {
      ...aDesiredState(
        aSet('kept', { global: true, variables: { 'env/K': '2', 'env/R': '1' } }),
        aSet('new', { global: true, variables: { 'env/L': '2', 'env/U': 'u', 'env/M': secret() } }),
        aSet('successor', { variables: { 'env/A': '1' }, workspaces: [W1] }),
      ),
      removed: removed('g1', 'g2', 'old'),
    },
  ),
  aCase(
    'variables',
    [
      anObserved('1', 'v', {
        variables: { 'env/A': '1', 'env/B': '1', 'env/C': '1', 'env/D': '1', 'terraform/A': '1' },
      }),
      anObserved('2', 'w', { variables: { 'env/A': '1' } }),
    ],
    aDesiredState(
      aSet('v', {
        variables: {
          'env/A': '2',
          'env/B': { value: '1', description: 'now' },
          'terraform/A': { value: '2', hcl: true },
          'terraform/D': '1',
          'env/E': '1',
        },
      }),
      aSet('w', { variables: { 'env/A': '1', 'env/B': '2' } }),
    ),
  ),
]

/** An inventory as an earlier run left it; its digests are of files that were different then. */
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

/** So many sets that lists have pages where those are small. */
export const LONG_LIST = 'long-list'

function aLongList(): Case {
  const one = aCase(
    LONG_LIST,
    [
      anObserved('1', 'm1', { variables: { 'env/A': '1', 'env/B': '1' } }),
      anObserved('2', 'm2', { variables: { 'env/A': '1' }, workspaces: [W1] }),
    ],
    {
      ...aDesiredState(
        aSet('m1', { variables: { 'env/A': '2' } }),
        aSet('m3', { variables: { 'env/A': '1' } }),
      ),
      removed: removed('m2'),
    },
  )
  const others = Array.from({ length: 17 }, (_, i) => seedFrom(anObserved(`L${i}`, `other-${i}`)))
  return { ...one, seed: { ...one.seed, sets: [...(one.seed.sets ?? []), ...others] } }
}

/** Made by hand: every run of the tests sweeps them. */
export const CASES: readonly Case[] = [...MADE, ...OWNED]

export const RANDOM_CASES = 400
let random: readonly Case[] | undefined

/** By its name; `random-17` is the seventeenth of the random pairs of states that one fixed seed gives. */
export function caseNamed(name: string): Case {
  const made = CASES.find(one => one.name === name)
  if (made !== undefined) return made
  if (name === LONG_LIST) {
    longList ??= aLongList()
    return longList
  }
  random ??= fc
    .sample(pairOfStates, { seed: 11, numRuns: RANDOM_CASES })
    .map(({ observed, desired }, i) => aCase(`random-${i}`, observed.sets, desired))
  const found = random.find(one => one.name === name)
  if (found === undefined) throw new RangeError(`there is no case "${name}"`)
  return found
}

let longList: Case | undefined
