import { hasKind, type Profile } from './profile.ts'
import { type AssignmentKind, byKind, KINDS, oneOf, type SetRecord, type VariableRecord } from './records.ts'
import { type Body, readReferences } from './request.ts'
import {
  CLASH,
  invalid,
  malformed,
  notFound,
  type RefusedField,
  type RequestContext,
  taken,
  wrongAttribute,
} from './route.ts'
import { ASSUMED } from './service-limits.ts'
import { slotOf } from './store.ts'

/** Under the `cleared` profile a global set has no assignments of its own. */
export const withScope = (set: SetRecord, profile: Profile): SetRecord =>
  set.global && profile.globalAssignments === 'cleared' ? { ...set, ...byKind(() => []) } : set

/** Everything wrong with a set that gets these variables. */
export const setProblems = (
  set: SetRecord,
  variables: readonly VariableRecord[],
  context: RequestContext,
): RefusedField[] => [
  ...nameProblems(set, context),
  ...scopeProblems(set, context.profile),
  ...conflictProblems(set, variables, context),
]

function nameProblems(set: SetRecord, { profile, store }: RequestContext): RefusedField[] {
  if (set.name.trim() === '') return [wrongAttribute('name', "can't be blank")]
  const others = [...store.setsNamed(set.organization, set.name)].filter(id => id !== set.id)
  return profile.setNames === 'any' || others.length === 0 ? [] : [taken('name')]
}

/** Combinations of settings and assignments that are not allowed. */
export function scopeProblems(set: SetRecord, profile: Profile): RefusedField[] {
  if (!set.global) return []
  const assigned = KINDS.some(kind => set[kind].length > 0)
  return [
    ...(set.ownerProject === undefined
      ? []
      : [wrongAttribute('global', 'must be false for a set that a project owns')]),
    ...(assigned && profile.globalAssignments === 'refuse'
      ? [wrongAttribute('global', 'cannot be true while the set is assigned')]
      : []),
  ]
}

/** No name and category in two global sets (docs/service.md 1.2). */
export function conflictProblems(
  set: SetRecord,
  variables: readonly VariableRecord[],
  { store }: RequestContext,
  at: 'global' | 'key' = 'global',
): RefusedField[] {
  if (!set.global) return []
  return variables.flatMap(variable =>
    [...store.globalSetsWith(set.organization, slotOf(variable))]
      .filter(id => id !== set.id)
      .map(id => ({
        ...wrongAttribute(at, ''),
        otherwise: CLASH,
        detail: ASSUMED.globalConflict(variable.key, variable.category, store.sets.get(id)?.name ?? id),
      })),
  )
}

type Owner = Pick<SetRecord, 'organization' | 'ownerProject'>

/** Whether the body of this create or update writes the variables and the assignments. */
export const takesMembers = ({ setMembers }: Profile, isNew: boolean) =>
  setMembers === 'written' || (setMembers === 'on-create' && isNew)

/** The assignments that a set has after a request: for each kind those of the body, otherwise the earlier ones. */
export const readAssignments = (
  body: Body,
  before: SetRecord,
  context: RequestContext,
): Pick<SetRecord, AssignmentKind> =>
  byKind(kind => {
    const references = hasKind(kind, context.profile) ? body.many(kind) : undefined
    if (references === undefined) return before[kind]
    const pointer = `/data/relationships/${kind}/data`
    const ids = readReferences(references, kind, pointer, body.problems)
    return insideTargets(knownTargets(ids, kind, before, context, pointer), kind, before, context, pointer)
  })

/** The ids that exist in the organization. The `unknownTarget` switch decides about the others. */
export function knownTargets(
  ids: readonly string[],
  kind: AssignmentKind,
  { organization }: Owner,
  { profile, store }: RequestContext,
  pointer: string,
): string[] {
  const known = (id: string) => store.directory[kind].get(id)?.organization === organization
  const wrong = (id: string): RefusedField => ({
    ...malformed(ASSUMED.unknownTarget(oneOf(kind), id), pointer),
    otherwise: { status: 500, detail: ASSUMED.unknownKey(oneOf(kind), id) },
  })
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
  const wrong = (id: string) => malformed(ASSUMED.outsideProject(oneOf(kind), id), pointer)
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
