import { type Body, readMany, readReferences } from './body.ts'
import { ASSUMED } from './limits.ts'
import { hasProjects, type Profile } from './profile.ts'
import type { AssignmentKind, SetRecord, VariableRecord } from './records.ts'
import { invalid, malformed, notFound, type Problem, wrongAttribute } from './refusal.ts'
import type { Context } from './service.ts'
import { slotOf } from './store.ts'

/** The text under which a set's name is compared with others. */
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

/** The name as it is kept. */
export const storedName = (name: string, profile: Profile) =>
  profile.nameCompare === 'ignore-case' ? name : nameComparison(profile)(name)

export function nameProblems(set: SetRecord, context: Context): Problem[] {
  if (set.name.trim() === '') return [wrongAttribute('name', "Name can't be blank")]
  if (context.profile.setNames === 'any') return []
  const others = [...context.store.setsNamed(set.organization, set.name)].filter(id => id !== set.id)
  return others.length === 0 ? [] : [wrongAttribute('name', 'Name has already been taken')]
}

/** Interface 1, rule 2: no name and category in two global sets. */
export function conflictProblems(
  set: SetRecord,
  variables: Iterable<VariableRecord>,
  context: Context,
  at: 'global' | 'key' = 'global',
): Problem[] {
  if (!set.global) return []
  const problems: Problem[] = []
  for (const variable of variables) {
    for (const id of context.store.globalSetsWith(set.organization, slotOf(variable))) {
      if (id === set.id) continue
      const other = context.store.sets.get(id)?.name ?? id
      problems.push(wrongAttribute(at, ASSUMED.globalConflict(variable.key, variable.category, other)))
    }
  }
  return problems
}

/** Settings and assignments that do not go together. */
export function scopeProblems(set: SetRecord, profile: Profile): Problem[] {
  const problems: Problem[] = []
  if (set.global && set.ownerProject !== undefined) {
    problems.push(wrongAttribute('global', 'Global must be false for a set that a project owns'))
  }
  const assigned = set.workspaces.length + set.projects.length > 0
  if (set.global && assigned && profile.globalAssignments === 'refuse') {
    problems.push(wrongAttribute('global', 'Global cannot be true while the set is assigned'))
  }
  return problems
}

/** Under the `cleared` profile a global set has no assignments of its own. */
export const withScope = (set: SetRecord, profile: Profile): SetRecord =>
  set.global && profile.globalAssignments === 'cleared' ? { ...set, workspaces: [], projects: [] } : set

/** Ids of a relationship in a set's body that exist; undefined where it is left out. */
export function readTargets(
  body: Body,
  kind: AssignmentKind,
  organization: string,
  context: Context,
  problems: Problem[],
): string[] | undefined {
  if (kind === 'projects' && !hasProjects(context.profile)) return undefined
  const references = readMany(body, kind, problems)
  if (references === undefined) return undefined
  const pointer = `/data/relationships/${kind}/data`
  return knownTargets(
    readReferences(references, kind, pointer, problems),
    kind,
    organization,
    context,
    pointer,
  )
}

/** The ids that name something in the organization; the `unknownTarget` axis says what becomes of the others. */
export function knownTargets(
  ids: readonly string[],
  kind: AssignmentKind,
  organization: string,
  context: Context,
  pointer: string,
): string[] {
  const known = (id: string) => context.store.directory[kind].get(id)?.organization === organization
  const unknown = ids.filter(id => !known(id))
  if (unknown.length === 0) return [...ids]
  switch (context.profile.unknownTarget) {
    case 'refuse':
      throw refusalOfUnknown(unknown, kind, pointer)
    case 'not-found':
      throw notFound()
    case 'ignore':
      return ids.filter(known)
  }
}

const refusalOfUnknown = (ids: readonly string[], kind: AssignmentKind, pointer: string) =>
  invalid(...ids.map(id => malformed(ASSUMED.unknownTarget(kind.slice(0, -1), id), pointer)))
