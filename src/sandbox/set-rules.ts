import { ASSUMED } from './limits.ts'
import { hasProjects, hasStacks, type Profile } from './profile.ts'
import type { AssignmentKind, PlaceRecord, SetRecord, VariableRecord } from './records.ts'
import { invalid, malformed, notFound, type RefusedField, wrongAttribute } from './reply.ts'
import { type Body, readMany, readReferences } from './request.ts'
import type { RequestContext } from './service.ts'
import { slotOf } from './store.ts'

/** The text by which names of sets are compared. */
export function nameComparison(profile: Profile): (name: string) => string {
  switch (profile.nameCompare) {
    case 'exact':
      return name => name
    case 'ignore-case':
      return name => name.toLowerCase()
    case 'trim':
      return name => name.trim()
    case 'nfc':
      return name => name.normalize('NFC')
  }
}

/** The name in the form that is stored. */
export const storedName = (name: string, profile: Profile) =>
  profile.nameCompare === 'ignore-case' ? name : nameComparison(profile)(name)

export function nameProblems(set: SetRecord, context: RequestContext): RefusedField[] {
  if (set.name.trim() === '') return [wrongAttribute('name', "Name can't be blank")]
  if (context.profile.setNames === 'any') return []
  const others = [...context.store.setsNamed(set.organization, set.name)].filter(id => id !== set.id)
  return others.length === 0 ? [] : [wrongAttribute('name', 'Name has already been taken')]
}

const LETTERS = 'Name may hold letters, digits, - and _ only'
const PLACE_NAMES = {
  projects: [/^[A-Za-z0-9 _-]{3,40}$/, 'Name must have 3 to 40 letters, digits, spaces, - or _'],
  workspaces: [/^[A-Za-z0-9_-]{1,90}$/, LETTERS],
  stacks: [/^[A-Za-z0-9_-]{1,90}$/, LETTERS],
} as const

/** Names of projects, workspaces and Stacks (docs/service.md 12.3): each once in its organization. */
export function placeNameProblems(
  kind: AssignmentKind,
  place: PlaceRecord,
  { store }: RequestContext,
): RefusedField[] {
  const [pattern, detail] = PLACE_NAMES[kind]
  const same = store.directory.named(kind, place.organization, place.name)
  return [
    ...(pattern.test(place.name) ? [] : [wrongAttribute('name', detail)]),
    ...(same === undefined || same.id === place.id
      ? []
      : [wrongAttribute('name', 'Name has already been taken')]),
  ]
}

/** Interface 1, rule 2: no name and category in two global sets. */
export function conflictProblems(
  set: SetRecord,
  variables: Iterable<VariableRecord>,
  context: RequestContext,
  at: 'global' | 'key' = 'global',
): RefusedField[] {
  if (!set.global) return []
  const problems: RefusedField[] = []
  for (const variable of variables) {
    for (const id of context.store.globalSetsWith(set.organization, slotOf(variable))) {
      if (id === set.id) continue
      const other = context.store.sets.get(id)?.name ?? id
      problems.push(wrongAttribute(at, ASSUMED.globalConflict(variable.key, variable.category, other)))
    }
  }
  return problems
}

/** Combinations of settings and assignments that are not allowed. */
export function scopeProblems(set: SetRecord, profile: Profile): RefusedField[] {
  const problems: RefusedField[] = []
  if (set.global && set.ownerProject !== undefined) {
    problems.push(wrongAttribute('global', 'Global must be false for a set that a project owns'))
  }
  const assigned = set.workspaces.length + set.projects.length + set.stacks.length > 0
  if (set.global && assigned && profile.globalAssignments === 'refuse') {
    problems.push(wrongAttribute('global', 'Global cannot be true while the set is assigned'))
  }
  return problems
}

/** Under the `cleared` profile a global set has no assignments of its own. */
export const withScope = (set: SetRecord, profile: Profile): SetRecord =>
  set.global && profile.globalAssignments === 'cleared'
    ? { ...set, workspaces: [], projects: [], stacks: [] }
    : set

type Owner = Pick<SetRecord, 'organization' | 'ownerProject'>

/** Old services had no projects, and some today have no Stacks. */
export const hasKind = (kind: AssignmentKind, profile: Profile) =>
  kind === 'workspaces' || (kind === 'projects' ? hasProjects(profile) : hasStacks(profile))

/** The existing ids of a relationship in a set's body; `undefined` without the relationship. */
export function readTargets(
  body: Body,
  kind: AssignmentKind,
  owner: Owner,
  context: RequestContext,
  problems: RefusedField[],
): string[] | undefined {
  if (!hasKind(kind, context.profile)) return undefined
  const references = readMany(body, kind, problems)
  if (references === undefined) return undefined
  const pointer = `/data/relationships/${kind}/data`
  const ids = readReferences(references, kind, pointer, problems)
  return insideTargets(knownTargets(ids, kind, owner, context, pointer), kind, owner, context, pointer)
}

/** The ids that exist in the organization. The `unknownTarget` switch decides about the others. */
export function knownTargets(
  ids: readonly string[],
  kind: AssignmentKind,
  { organization }: Owner,
  context: RequestContext,
  pointer: string,
): string[] {
  const { profile, store } = context
  const known = (id: string) => store.directory[kind].get(id)?.organization === organization
  const wrong = (id: string) => malformed(ASSUMED.unknownTarget(kind.slice(0, -1), id), pointer)
  return chosen(ids, known, profile.unknownTarget, wrong)
}

/**
 * Only targets inside the project that owns the set (docs/service.md 10.3). The `outsideProject` switch has the other
 * behaviours.
 */
export function insideTargets(
  ids: readonly string[],
  kind: AssignmentKind,
  { ownerProject }: Owner,
  { profile, store }: RequestContext,
  pointer: string,
): string[] {
  if (ownerProject === undefined || profile.outsideProject === 'accept') return [...ids]
  const projectOf = (id: string) => (kind === 'projects' ? id : store.directory[kind].get(id)?.project)
  const wrong = (id: string) => malformed(ASSUMED.outsideProject(kind.slice(0, -1), id), pointer)
  return chosen(ids, id => projectOf(id) === ownerProject, profile.outsideProject, wrong)
}

function chosen(
  ids: readonly string[],
  fits: (id: string) => boolean,
  others: 'refuse' | 'not-found' | 'ignore',
  problemOf: (id: string) => RefusedField,
): string[] {
  const unfit = ids.filter(id => !fits(id))
  if (unfit.length === 0) return [...ids]
  switch (others) {
    case 'refuse':
      throw invalid(...unfit.map(problemOf))
    case 'not-found':
      throw notFound()
    case 'ignore':
      return ids.filter(fits)
  }
}
