import type { VariableSetId } from '../../../src/model/ids.ts'
import type { DesiredValue, ObservedSet, ResolvedState } from '../../../src/model/variable-set.ts'
import type { SandboxSeed, SetSeed } from '../../../src/sandbox/index.ts'
import { hasKind, type Server } from '../../../src/sandbox/profile.ts'
import { anObserved, SOMEWHERE } from '../../support/states.ts'
import { PLACES, PROJECTS, STACKS, seedFrom, WORKSPACES } from '../../support/world.ts'

/** A live organization, and its files. */
export interface Case {
  readonly name: string
  readonly seed: SandboxSeed
  readonly desired: ResolvedState
  /** The files with the names and keys that the service tells to write, if it stores what they add in another form. */
  readonly advised?: ResolvedState
}

/** The text of every secret. No output may contain it, nor the next text. */
export const secretText = (name: string): string => `canary-${name}-7Qx9`
export const OLD_SECRET = 'hidden-before'
/** A readable value that becomes a secret. It must not be shown either. */
export const OLD_TEXT = 'was-readable-5Rw2'

export const secret = (name = 'S'): DesiredValue => ({ secret: { name } })
export const hidden = { hidden: true } as const
export const external: DesiredValue = { external: true }
export const [W1, W2, W3] = WORKSPACES
export const [P1, P2] = PROJECTS
export const [S1, S2] = STACKS
export const removed = (...names: string[]) => names.map(name => ({ name, source: SOMEWHERE }))
export const removedIds = (...ids: VariableSetId[]) => ids.map(id => ({ id, source: SOMEWHERE }))

/** Unmanaged sets of every case: some with names and keys close to managed ones, a global set, and a set of a project. */
const FOREIGN: readonly SetSeed[] = [
  { ...seedFrom(anObserved('F0', 'app-other', { variables: { 'env/A': 'foreign' } })), parent: P1 },
  {
    ...seedFrom(anObserved('F1', 'App', { global: true, variables: { 'env/FOREIGN': hidden } })),
    priority: true,
    workspaces: [W1],
  },
]

export function aCase(name: string, live: readonly ObservedSet[], desired: ResolvedState): Case {
  return {
    name,
    desired,
    seed: {
      ...PLACES,
      sets: [
        ...live.map(withForeignVariable),
        ...FOREIGN.filter(set => !live.some(other => other.name === set.name)),
      ],
    },
  }
}

/** The case as far as this server has what is in it. */
export function onService(given: Case, server: Server): Case {
  const one = server.storedKeys === 'lower case' ? folded(given) : given
  const rest = hasKind('stacks', server) && server.owners === 'yes' ? one : withoutStacks(one)
  return hasKind('projects', server) ? rest : withoutProjects(rest)
}

/** A server in lower case, and files that add sets and keys in their own case. */
function folded(given: Case): Case {
  const lower = inLowerCase(given)
  const spelled = new Map(
    lower.desired.sets.map((set, at) => {
      const names = [set.name, ...set.previousNames]
      const live = lower.seed.sets?.find(one =>
        set.id === undefined ? names.includes(one.name) : one.id === set.id,
      )
      const held = new Set(live?.variables?.map(({ category, key }) => `${category}/${key}`))
      const original = given.desired.sets[at]?.variables ?? []
      const variables = set.variables.map((variable, index) =>
        held.has(variable.key) ? variable : (original[index] ?? variable),
      )
      const name = live === undefined ? set.name.replace(/^./, first => first.toUpperCase()) : set.name
      return [set, { ...set, name, variables }] as const
    }),
  )
  const sets = lower.desired.sets.map(set => spelled.get(set) ?? set)
  return { ...lower, desired: { ...lower.desired, sets }, advised: lower.desired }
}

/** What a server holds that stores names and keys so. A foreign set or variable that would then be equal to another is left out. */
function inLowerCase({ name, seed, desired }: Case): Case {
  const lower = <Text extends string>(text: Text) => text.toLowerCase() as Text
  const uniquely = <T>(all: readonly T[] = [], textOf: (one: T) => string): readonly T[] => {
    const seen = new Set<string>()
    return all.filter(one => !seen.has(textOf(one)) && seen.add(textOf(one)))
  }
  const sets = (seed.sets ?? []).map(set => ({
    ...set,
    name: lower(set.name),
    variables: uniquely(
      set.variables?.map(variable => ({
        ...variable,
        key: set.name.startsWith('setpoint-') ? variable.key : lower(variable.key),
      })),
      ({ category, key }) => `${category}/${key}`,
    ),
  }))
  return {
    name,
    seed: { ...seed, sets: uniquely(sets, set => set.name) },
    desired: {
      ...desired,
      sets: desired.sets.map(set => ({
        ...set,
        name: lower(set.name),
        previousNames: set.previousNames.map(lower),
        variables: set.variables.map(variable => ({ ...variable, key: lower(variable.key) })),
      })),
      removed: desired.removed.map(one =>
        'name' in one && one.name !== undefined ? { ...one, name: lower(one.name) } : one,
      ),
    },
  }
}

/** Without assignments to projects, and without priority. A file that says nothing about projects still does not. */
const withoutProjects = (one: Case): Case => ({
  ...one,
  seed: { ...one.seed, sets: (one.seed.sets ?? []).map(set => ({ ...set, projects: [], priority: false })) },
  desired: {
    ...one.desired,
    sets: one.desired.sets.map(set => ({
      ...set,
      projects: set.projects === undefined ? undefined : [],
      priority: false,
    })),
  },
})

/** The same on a service without Stacks and without sets of projects, where no set has to make room for one of another owner. */
const withoutStacks = (one: Case): Case => ({
  ...one,
  seed: { ...one.seed, stacks: [], sets: (one.seed.sets ?? []).map(withoutNews) },
  desired: {
    ...one.desired,
    sets: one.desired.sets.map(withoutNews),
    removed: one.desired.removed.filter(({ id }) => id === undefined),
  },
})

const withoutNews = <S extends { stacks?: unknown; parent?: unknown }>({
  stacks: _,
  parent: __,
  ...set
}: S): Omit<S, 'stacks' | 'parent'> => set

/** With a variable of an unknown category, which must never change. */
const withForeignVariable = (set: ObservedSet): SetSeed => {
  const seed = seedFrom(set)
  return {
    ...seed,
    variables: [...(seed.variables ?? []), { key: `rule-${set.id}`, value: 'r', category: 'policy' }],
  }
}
