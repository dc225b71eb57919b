import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, StackId, VariableKey } from '../../model/ids.ts'
import type { ObservedState } from '../../model/variable-set.ts'
import type { Match } from '../match.ts'
import { SecretStates } from '../secrets.ts'
import type { ExplainedState, ExplainedVariable } from './explanation.ts'
import { type Held, type PlacedSet, placedNow, placedThen, sameInOneSet } from './placed-set.ts'

/** On which way a Stack may read a set. */
export type StackWay = 'global' | 'project' | 'stack'

/** A set that a Stack may read, whether its configuration does or not. */
export interface ReadableSet {
  readonly set: string
  /** What an apply does to it for the Stack; `same` where nothing is compared. */
  readonly change: ExplainedVariable['change']
  readonly ways: readonly StackWay[]
  /** What it gives, by key. Values are left out: which of them the Stack reads is not known. */
  readonly variables: readonly { readonly key: VariableKey; readonly secret?: true }[]
}

/** Every set that a Stack may read. Plain data without a secret's text. */
export interface StackExplanation {
  readonly organization: string
  readonly address: string
  readonly moment: ExplainedState
  readonly stack: {
    readonly id: StackId
    readonly name?: string
    readonly project?: { readonly id: ProjectId; readonly name?: string }
  }
  /** By name. */
  readonly sets: readonly ReadableSet[]
  /** What could not be seen. */
  readonly notes: readonly string[]
}

/** The sets that a Stack may read (docs/service.md 13.1). `match`: of the files, where they matter. */
export function readableSets(
  stack: { readonly id: StackId; readonly project?: ProjectId },
  observed: ObservedState,
  match: Match | undefined,
  moment: ExplainedState,
): readonly ReadableSet[] {
  const now = observed.sets.map(set => placedNow(set, false))
  const before = moment === 'files' ? [] : now
  const after = moment === 'live' ? [] : setsThen(now, match)
  const ids = new Set([...before, ...after].map(({ id }) => id))
  const [was, is] = [before, after].map(sets => new Map(sets.map(set => [set.id, set])))
  return [...ids]
    .flatMap(id => readable(stack, was?.get(id), is?.get(id), moment) ?? [])
    .toSorted((a, b) => compareText(a.set, b.set))
}

/** With the sets that nobody changes. */
function setsThen(now: readonly PlacedSet[], match: Match | undefined): readonly PlacedSet[] {
  if (match === undefined) return []
  const secrets = new SecretStates(match, NOT_COMPARED)
  const untouched = new Set<string>(match.untouched.map(({ id }) => id))
  return [
    ...now.filter(({ id }) => untouched.has(id)),
    ...match.pairs.map(({ desired, observed }) => placedThen(desired, observed, secrets)),
  ]
}

const NOT_COMPARED = { inventory: false, entries: new Map(), fingerprintOf: () => [], rewrite: [] }

function readable(
  stack: { readonly id: StackId; readonly project?: ProjectId },
  before: PlacedSet | undefined,
  after: PlacedSet | undefined,
  moment: ExplainedState,
): ReadableSet | undefined {
  const was = before && waysOf(before, stack).length > 0 ? before : undefined
  const is = after && waysOf(after, stack).length > 0 ? after : undefined
  const set = is ?? was
  if (set === undefined) return undefined
  return {
    set: set.name,
    change: moment === 'difference' ? changeOf(was, is) : 'same',
    ways: waysOf(set, stack),
    variables: [...set.held]
      .map(([key, held]) => ({ key, ...(held.secret ? { secret: true as const } : {}) }))
      .toSorted((a, b) => compareText(a.key, b.key)),
  }
}

const waysOf = (
  { global, projects, stacks }: PlacedSet,
  { id, project }: { readonly id: string; readonly project?: string },
): StackWay[] => [
  ...(stacks.includes(id) ? (['stack'] as const) : []),
  ...(project !== undefined && projects.includes(project) ? (['project'] as const) : []),
  ...(global ? (['global'] as const) : []),
]

function changeOf(was: PlacedSet | undefined, is: PlacedSet | undefined): ReadableSet['change'] {
  if (was === undefined || is === undefined) return was === undefined ? 'gained' : 'lost'
  const isSame = (key: VariableKey, before: Held): boolean => {
    const then = is.held.get(key)
    return then !== undefined && sameInOneSet(key, before, then)
  }
  const same =
    was.name === is.name &&
    was.held.size === is.held.size &&
    [...was.held].every(([key, held]) => isSame(key, held))
  return same ? 'same' : 'changed'
}
