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
        otf: CLASH,
        detail: ASSUMED.globalConflict(variable.key, variable.category, store.sets.get(id)?.name ?? id),
      })),
  )
}

type Owner = Pick<SetRecord, 'organization' | 'ownerProject'>

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
    return targetsOf(ids, kind, before, context, { pointer, adds: true })
  })

/** The targets of a request, of which `adds` says whether it assigns them. The `wrongTarget` switch decides about wrong ones. */
export function targetsOf(
  ids: readonly string[],
  kind: AssignmentKind,
  { organization, ownerProject }: Owner,
  { profile, store }: RequestContext,
  { pointer, adds }: { readonly pointer: string; readonly adds: boolean },
): string[] {
  const placeOf = (id: string) => {
    const place = store.directory.get(kind, id)
    return place?.organization === organization ? place : undefined
  }
  if (profile.wrongTarget === 'accept') return ids.filter(placeOf)
  const problems = ids.flatMap(id => {
    const place = placeOf(id)
    if (place === undefined) {
      const otf = { status: 500, detail: ASSUMED.unknownKey(oneOf(kind), id) } as const
      return { ...malformed(ASSUMED.unknownTarget(oneOf(kind), id), pointer), otf }
    }
    const project = kind === 'projects' ? id : place.project
    const isInside = ownerProject === undefined || project === ownerProject
    return isInside || !adds ? [] : malformed(ASSUMED.outsideProject(oneOf(kind), id), pointer)
  })
  if (problems.length > 0) throw profile.wrongTarget === 'refuse' ? invalid(...problems) : notFound()
  return [...ids]
}
