import { hasKind } from './profile.ts'
import { type AssignmentKind, byKind, oneOf, type SetRecord, type VariableRecord } from './records.ts'
import { type Body, readReferences } from './request.ts'
import {
  CLASH,
  failed,
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
  ...scopeProblems(set),
  ...conflictProblems(set, variables, context),
]

function nameProblems(set: SetRecord, { server, store }: RequestContext): RefusedField[] {
  if (set.name.trim() === '') return [wrongAttribute('name', "can't be blank")]
  const others = [...store.setsNamed(set.organization, set.name)].filter(id => id !== set.id)
  const mayRepeat = server.setNames === 'any' || server.duplicates !== 'refuse'
  return mayRepeat || others.length === 0 ? [] : [taken('name')]
}

/** A set that a project owns cannot be global (docs/service.md 10.3). */
const scopeProblems = ({ global, ownerProject }: SetRecord): RefusedField[] =>
  global && ownerProject !== undefined
    ? [wrongAttribute('global', 'must be false for a set that a project owns')]
    : []

/** No name and category in two global sets (docs/service.md 1.2). */
export function conflictProblems(
  set: SetRecord,
  variables: readonly VariableRecord[],
  { server, store }: RequestContext,
  at: 'global' | 'key' = 'global',
): RefusedField[] {
  if (!set.global || server.globalConflicts === 'accepted') return []
  return variables.flatMap(variable =>
    [...store.globalSetsWith(set.organization, slotOf(variable))]
      .filter(id => id !== set.id)
      .map(id => ({
        ...wrongAttribute(at, ''),
        database: CLASH,
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
    const references = hasKind(kind, context.server) ? body.many(kind) : undefined
    if (references === undefined) return before[kind]
    const pointer = `/data/relationships/${kind}/data`
    const ids = readReferences(references, kind, pointer, body.problems)
    return targetsOf(ids, kind, before, context, { pointer, adds: true })
  })

/** The targets of a request, of which `adds` says whether it assigns them. */
export function targetsOf(
  ids: readonly string[],
  kind: AssignmentKind,
  { organization, ownerProject }: Owner,
  { server, store }: RequestContext,
  { pointer, adds }: { readonly pointer: string; readonly adds: boolean },
): string[] {
  const placeOf = (id: string) => {
    const place = store.directory.get(kind, id)
    return place?.organization === organization ? place : undefined
  }
  if (server.wrongTargets === 'accepted') return ids.filter(placeOf)
  const problems = ids.flatMap(id => {
    const place = placeOf(id)
    if (place === undefined) {
      if (server.wrongTargets === 500) throw failed(ASSUMED.unknownKey(oneOf(kind), id))
      return malformed(ASSUMED.unknownTarget(oneOf(kind), id), pointer)
    }
    const project = kind === 'projects' ? id : place.project
    const isInside = ownerProject === undefined || project === ownerProject
    return isInside || !adds ? [] : malformed(ASSUMED.outsideProject(oneOf(kind), id), pointer)
  })
  if (problems.length > 0) throw server.wrongTargets === 404 ? notFound() : invalid(...problems)
  return [...ids]
}
