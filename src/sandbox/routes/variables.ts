import type { ResourceDocument } from '../../wire/documents.ts'
import { setOf, variableOf, workspaceOf } from '../access.ts'
import { workspaceVariableDocument } from '../directory-documents.ts'
import { variableDocument } from '../documents.ts'
import { variablePage } from '../lists.ts'
import type { SetRecord, VariableRecord, WorkspaceRecord } from '../records.ts'
import { answered, emptyAnswer, malformed, type RefusedField, refuseIfAny } from '../reply.ts'
import { readBody } from '../request.ts'
import { type RequestContext, type Route, type RouteEffect, route } from '../service.ts'
import { conflictProblems } from '../set-rules.ts'
import { slotOf } from '../store.ts'
import {
  keyTaken,
  newVariable,
  readVariable,
  refuseWrongVariable,
  updatedVariable,
} from '../variable-rules.ts'

/** What variables of sets and of workspaces do not have in common. */
interface VariableOwner<Owner> {
  readonly path: string
  readonly find: (context: RequestContext) => Owner
  readonly document: (
    variable: VariableRecord,
    owner: Owner,
    context: RequestContext,
    options: { readonly created: boolean },
  ) => ResourceDocument
  readonly createStatus: (context: RequestContext) => number
  readonly deleteStatus: (context: RequestContext) => number
  /** The variable that is kept. Refuses one that clashes with another. */
  readonly admit: (
    owner: Owner,
    variable: VariableRecord,
    before: VariableRecord | undefined,
    context: RequestContext,
  ) => VariableRecord
  /** Whether `id` in an update's body must be the one of the path. */
  readonly checksId: boolean
}

/** The interface's own (docs/service.md 4). */
export const setVariableRoutes = variableRoutes<SetRecord>({
  path: 'api/v2/varsets/:set/relationships/vars',
  find: setOf,
  document: variableDocument,
  createStatus: ({ profile }) => profile.createStatus,
  deleteStatus: ({ profile }) => profile.deleteStatus,
  checksId: true,
  admit: (set, variable, before, context) => {
    if (before !== undefined && slotOf(variable) === slotOf(before)) return variable
    const same = sameSlot(set, variable, context)
    const policy = context.profile.duplicateVariable
    if (same !== undefined && (policy === 'refuse' || (before !== undefined && policy !== 'second'))) {
      refuseIfAny([keyTaken()])
    }
    const replaces = before === undefined && policy === 'replace' ? same : undefined
    const kept =
      replaces === undefined ? variable : { ...variable, id: replaces.id, createdAt: replaces.createdAt }
    refuseIfAny(conflictProblems(set, [kept], context, 'key'))
    return kept
  },
})

/** Variables of one workspace (docs/service.md 12.1). The interface does not have them. */
export const workspaceVariableRoutes = variableRoutes<WorkspaceRecord>({
  path: 'api/v2/workspaces/:workspace/vars',
  find: workspaceOf,
  document: workspaceVariableDocument,
  createStatus: () => 201,
  deleteStatus: () => 204,
  checksId: false,
  admit: (workspace, variable, _, context) => {
    if (sameSlot(workspace, variable, context) !== undefined) refuseIfAny([keyTaken()])
    return variable
  },
})

function variableRoutes<Owner extends { readonly id: string }>(kind: VariableOwner<Owner>): readonly Route[] {
  const { path, find, document } = kind
  const one = `${path}/:variable`
  const written = (
    owner: Owner,
    variable: VariableRecord,
    status: number,
    context: RequestContext,
  ): RouteEffect => ({
    changes: [{ type: 'put-variable', owner: owner.id, variable }],
    reply: () => answered({ data: document(variable, owner, context, { created: false }) }, status),
  })
  return [
    route('POST', path, context => {
      const owner = find(context)
      const problems: RefusedField[] = []
      const input = readVariable(readBody(context.call.document(), 'vars'), problems)
      refuseIfAny(problems)
      const fresh = newVariable(input, context)
      refuseWrongVariable(fresh, context.profile)
      return written(owner, kind.admit(owner, fresh, undefined, context), kind.createStatus(context), context)
    }),
    route('GET', path, context => {
      const owner = find(context)
      const all = [...context.store.variablesOf(owner.id).values()]
      const { items, rest } = variablePage(all, context.call, context.profile)
      return answered({
        data: items.map(variable => document(variable, owner, context, { created: true })),
        ...rest,
      })
    }),
    route('GET', one, context => {
      const owner = find(context)
      return answered({ data: document(variableOf(context, owner.id), owner, context, { created: true }) })
    }),
    route('PATCH', one, context => {
      const owner = find(context)
      const before = variableOf(context, owner.id)
      const body = readBody(context.call.document(), 'vars')
      const problems: RefusedField[] = []
      if (kind.checksId && body.id !== undefined && body.id !== before.id) {
        problems.push(malformed('id must be the one of the path', '/data/id'))
      }
      const input = readVariable(body, problems)
      refuseIfAny(problems)
      const after = updatedVariable(before, input, context)
      refuseWrongVariable(after, context.profile)
      return written(owner, kind.admit(owner, after, before, context), 200, context)
    }),
    route('DELETE', one, context => {
      const owner = find(context)
      const { id } = variableOf(context, owner.id)
      return {
        changes: [{ type: 'remove-variable', owner: owner.id, id }],
        reply: () => emptyAnswer(kind.deleteStatus(context)),
      }
    }),
  ]
}

function sameSlot(
  owner: { readonly id: string },
  variable: VariableRecord,
  context: RequestContext,
): VariableRecord | undefined {
  const slot = slotOf(variable)
  for (const other of context.store.variablesOf(owner.id).values()) {
    if (other.id !== variable.id && slotOf(other) === slot) return other
  }
  return undefined
}
