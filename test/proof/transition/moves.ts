import fc from 'fast-check'
import { compareText } from '../../../src/model/diagnostic.ts'
import type { ProjectId, StackId, WorkspaceId } from '../../../src/model/ids.ts'
import type {
  DesiredVariable,
  ObservedSet,
  ObservedState,
  ObservedVariable,
  ResolvedSet,
} from '../../../src/model/variable-set.ts'
import { desiredFor, observedState, withNewOwners } from '../../support/arbitrary.ts'
import type { Pair } from '../../support/repository.ts'
import { aDesiredState, SOMEWHERE } from '../../support/states.ts'
import { DIRECTORY, PROJECTS, WORKSPACES } from '../../support/world.ts'

/** A set on its way from the live state to the state of the files. */
interface Moving {
  name: string
  readonly was: string | undefined
  description: string
  global: boolean
  priority: boolean
  parent: ProjectId | undefined
  variables: DesiredVariable[]
  workspaces: readonly WorkspaceId[]
  projects: readonly ProjectId[]
  stacks: readonly StackId[]
}

/** Selects the second set or the variable: any number, modulo the number of candidates. */
type Change = (set: Moving, other: Moving, at: number, all: Moving[]) => void

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']
const pick = <T>(list: readonly T[], at: number): T | undefined => list[at % Math.max(list.length, 1)]

const put = (set: Moving, variables: readonly DesiredVariable[]): void => {
  const keys = new Set(variables.map(({ key }) => key))
  set.variables = [...set.variables.filter(({ key }) => !keys.has(key)), ...variables]
}

const freeName = (all: readonly Moving[], at: number): string | undefined =>
  pick(
    NAMES.filter(name => all.every(set => set.name !== name && set.was !== name)),
    at,
  )

/** Changes that people make to sets. Most of them change no visible value, and each may open a gap. */
const CHANGES: Readonly<Record<string, Change>> = {
  'a variable to another set': (set, other, at) => {
    const moved = pick(set.variables, at)
    if (moved === undefined || set === other) return
    put(other, [moved])
    set.variables = set.variables.filter(({ key }) => key !== moved.key)
  },
  'all variables to another set': (set, other) => {
    if (set === other) return
    put(other, set.variables)
    set.variables = []
  },
  'a set merged into another': (set, other, _, all) => {
    if (set === other) return
    put(other, set.variables)
    other.workspaces = [...new Set([...other.workspaces, ...set.workspaces])]
    other.projects = [...new Set([...other.projects, ...set.projects])]
    all.splice(all.indexOf(set), 1)
  },
  'half of a set to a new one': (set, _, at, all) => {
    const name = freeName(all, at)
    if (name === undefined) return
    const half = set.variables.filter((__, number) => number % 2 === at % 2)
    all.push({ ...set, name, was: undefined, variables: half })
    set.variables = set.variables.filter(variable => !half.includes(variable))
  },
  'a set replaced by a new one': (set, _, at, all) => {
    const name = freeName(all, at)
    if (name !== undefined) all.splice(all.indexOf(set), 1, { ...set, name, was: undefined })
  },
  'a new name': (set, _, at, all) => {
    const name = freeName(all, at)
    if (set.was !== undefined && name !== undefined) set.name = name
  },
  'another owner': (set, _, at) => {
    set.parent = pick([undefined, ...PROJECTS], at)
  },
  'the priority': set => {
    set.priority = !set.priority
  },
  global: set => {
    set.global = !set.global
  },
  'global moved to another set': (set, other) => {
    ;[set.global, other.global] = [other.global, set.global]
  },
  'assignments to another set': (set, other) => {
    if (set === other) return
    other.workspaces = [...new Set([...other.workspaces, ...set.workspaces])]
    other.projects = [...new Set([...other.projects, ...set.projects])]
    set.workspaces = []
    set.projects = []
  },
  'a workspace': (set, _, at) => {
    const one = pick(WORKSPACES, at)
    set.workspaces = WORKSPACES.filter(id => (id === one) !== set.workspaces.includes(id))
  },
  'a project': (set, _, at) => {
    const one = pick(PROJECTS, at)
    set.projects = PROJECTS.filter(id => (id === one) !== set.projects.includes(id))
  },
  'a project for its workspaces': set => {
    set.projects = PROJECTS.filter((_, at) =>
      WORKSPACES.some((id, i) => i % 2 === at && set.workspaces.includes(id)),
    )
    set.workspaces = []
  },
  'code or text': (set, _, at) => {
    const one = pick(set.variables, at)
    if (one !== undefined && 'text' in one.value) put(set, [{ ...one, hcl: !one.hcl }])
  },
  'a secret or a text': (set, _, at) => {
    const one = pick(set.variables, at)
    if (one === undefined) return
    const value = 'text' in one.value ? { secret: { name: 'S' } } : { text: 'was a secret' }
    put(set, [{ ...one, value }])
  },
  'another value': (set, _, at) => {
    const one = pick(set.variables, at)
    if (one !== undefined) put(set, [{ ...one, value: { text: `new ${at}` } }])
  },
  'no variable': (set, _, at) => {
    const one = pick(set.variables, at)
    set.variables = set.variables.filter(variable => variable !== one)
  },
  'no set': (set, _, __, all) => {
    all.splice(all.indexOf(set), 1)
  },
}

const declared = (variable: ObservedVariable): DesiredVariable => {
  const { id: _, value, ...rest } = variable
  return { ...rest, value: 'text' in value ? value : { secret: { name: 'S' } }, source: SOMEWHERE }
}

const movingFrom = (set: ObservedSet): Moving => ({
  name: set.name,
  was: set.name,
  description: set.description,
  global: set.global,
  priority: set.priority,
  parent: set.parent,
  variables: set.variables.map(declared),
  workspaces: set.workspaces,
  projects: set.projects,
  stacks: set.stacks ?? [],
})

const projectOf = (workspace: WorkspaceId): ProjectId | undefined =>
  PROJECTS[(WORKSPACES as readonly string[]).indexOf(workspace) % 2]

/** Removes what the service does not permit: equal keys in global sets, and targets outside the project that owns a set. */
function permitted(sets: readonly Moving[], taken: Set<string>): ResolvedSet[] {
  return sets.map(({ was, parent, ...set }) => {
    const owner = set.global ? undefined : parent
    const variables = set.global ? set.variables.filter(({ key }) => !taken.has(key)) : set.variables
    if (set.global) for (const { key } of variables) taken.add(key)
    return {
      ...set,
      ...(owner === undefined ? {} : { parent: owner }),
      variables: variables.toSorted((a, b) => compareText(a.key, b.key)),
      workspaces: set.workspaces.filter(id => owner === undefined || projectOf(id) === owner),
      projects: set.projects.filter(id => owner === undefined || id === owner),
      // All Stacks are in the first project.
      stacks: owner === undefined || owner === PROJECTS[0] ? set.stacks : [],
      previousNames: was === undefined || was === set.name ? [] : [was],
      source: SOMEWHERE,
    }
  })
}

/** One to four moves; otherwise the sets stay equal. Every second value is unique to its set. */
const movedState: fc.Arbitrary<Pair> = fc
  .record({
    observed: observedState.map(withOwnTexts),
    moves: fc.array(fc.tuple(fc.constantFrom(...Object.keys(CHANGES)), fc.nat(99), fc.nat(99), fc.nat(99)), {
      minLength: 1,
      maxLength: 4,
    }),
  })
  .map(({ observed, moves }) => {
    const sets = observed.sets.map(movingFrom)
    for (const [name, one, two, at] of moves) {
      const [set, other] = [pick(sets, one), pick(sets, two)]
      if (set !== undefined && other !== undefined) CHANGES[name]?.(set, other, at, sets)
    }
    const desired = permitted(sets, new Set())
    const stays = new Set(sets.map(({ was }) => was))
    const names = new Set(desired.map(({ name }) => name))
    const removed = observed.sets
      .filter(({ name }) => !stays.has(name) && !names.has(name))
      .map(({ name }) => ({ name, source: SOMEWHERE }))
    return { observed, desired: withNewOwners({ ...aDesiredState(...desired), removed }, observed) }
  })

function withOwnTexts(state: ObservedState): ObservedState {
  const own = (variable: ObservedVariable, at: number, name: string): ObservedVariable =>
    'text' in variable.value && at % 2 === 0
      ? { ...variable, value: { text: `${variable.value.text} of ${name}` } }
      : variable
  return {
    ...state,
    sets: state.sets.map(set => ({
      ...set,
      variables: set.variables.map((variable, at) => own(variable, at, set.name)),
    })),
  }
}

const anyState: fc.Arbitrary<Pair> = observedState
  .map(withOwnTexts)
  .chain(observed => desiredFor(observed).map(desired => ({ desired, observed })))

/** Whether a set is assigned to a project, so that it matters which workspaces are in it. */
const needsProjects = ({ desired, observed }: Pair): boolean =>
  [...desired.sets, ...observed.sets].some(({ projects = [] }) => projects.length > 0)

/** Two states, and the names of the selected sets; if empty, all sets. */
export interface Move extends Pair {
  readonly only: readonly string[]
}

/**
 * Two thirds are a few moves; in the others, only names are equal. Workspaces and their projects are known, because nothing
 * is promised otherwise. A quarter has no directory, unless a set is assigned to a project. A sixth selects some sets.
 */
export const transition: fc.Arbitrary<Move> = fc
  .tuple(
    fc.oneof({ weight: 2, arbitrary: movedState }, { weight: 1, arbitrary: anyState }),
    fc.nat(3),
    fc.nat(5),
    fc.nat(31),
  )
  .map(([pair, at, narrow, bits]) => {
    const names = pair.desired.sets.map(({ name }) => name)
    return {
      observed: pair.observed,
      desired: at === 0 && !needsProjects(pair) ? pair.desired : { ...pair.desired, directory: DIRECTORY },
      only: narrow === 0 ? names.filter((_, number) => (bits >> number) % 2 === 1) : [],
    }
  })
