import type { ResourceDocument } from '../../wire/documents.ts'
import { placeOf, setOf, variableOf } from '../access.ts'
import { pageFor } from '../list-pages.ts'
import type { PlaceRecord, SetRecord, VariableRecord } from '../records.ts'
import { readBody } from '../request.ts'
import { variableDocument, workspaceVariableDocument } from '../resource-documents.ts'
import {
  answered,
  done,
  type RequestContext,
  type Route,
  type RouteEffect,
  refuseIfAny,
  route,
  taken,
} from '../route.ts'
import { conflictProblems } from '../set-rules.ts'
import { slotOf } from '../store.ts'
import { newVariable, readVariable, replacing, updatedVariable, variableProblems } from '../variable-rules.ts'

/** What variables of sets and of workspaces do not have in common. */
interface VariableOwner<Owner> {
  readonly path: string
  readonly find: (context: RequestContext) => Owner
  readonly document: (
    variable: VariableRecord,
    owner: Owner,
    context: RequestContext,
    created: boolean,
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
const setVariableRoutes = routesOf<SetRecord>({
  path: 'api/v2/varsets/:set/relationships/vars',
  find: setOf,
  document: variableDocument,
  createStatus: ({ server }) => server.created[1],
  deleteStatus: ({ server }) => server.deleted[1],
  checksId: true,
  admit: (set, variable, before, context) => {
    if (before !== undefined && slotOf(variable) === slotOf(before)) return variable
    const same = sameSlot(set, variable, context)
    const policy = context.server.duplicates
    if (same !== undefined && (policy === 'refuse' || (before !== undefined && policy !== 'second'))) {
      refuseIfAny([taken('key')])
    }
    const replaces = same !== undefined && before === undefined && policy === 'replace'
    const kept = replaces ? replacing(same, variable) : variable
    refuseIfAny(conflictProblems(set, [kept], context, 'key'))
    return kept
  },
})

/** Variables of one workspace (docs/service.md 12.1). The interface does not have them. */
const workspaceVariableRoutes = routesOf<PlaceRecord>({
  path: 'api/v2/workspaces/:workspace/vars',
  find: context => placeOf('workspaces', context),
  document: workspaceVariableDocument,
  createStatus: () => 201,
  deleteStatus: () => 204,
  checksId: false,
  admit: (workspace, variable, _, context) => {
    if (sameSlot(workspace, variable, context) !== undefined) refuseIfAny([taken('key')])
    return variable
  },
})

function routesOf<Owner extends { readonly id: string }>(kind: VariableOwner<Owner>): readonly Route[] {
  const { path, find, document } = kind
  const one = `${path}/:variable`
  const write = (context: RequestContext, owner: Owner, before?: VariableRecord): RouteEffect => {
    const body = readBody(context.call, 'vars')
    if (kind.checksId && before !== undefined) body.checkId(before.id)
    const input = readVariable(body)
    refuseIfAny(body.problems)
    const after = before === undefined ? newVariable(input, context) : updatedVariable(before, input, context)
    refuseIfAny(variableProblems(after, context.server))
    const variable = kind.admit(owner, after, before, context)
    const status = before === undefined ? kind.createStatus(context) : 200
    return {
      changes: [{ type: 'put-variable', owner: owner.id, variable }],
      reply: () => answered({ data: document(variable, owner, context, false) }, status),
    }
  }
  return [
    route('POST', path, context => write(context, find(context))),
    route('GET', path, context => {
      const owner = find(context)
      const { items, rest } = pageFor('variables', [...context.store.variablesOf(owner.id).values()], context)
      return answered({ data: items.map(variable => document(variable, owner, context, true)), ...rest })
    }),
    route('GET', one, context => {
      const owner = find(context)
      return answered({ data: document(variableOf(context, owner.id), owner, context, true) })
    }),
    route('PATCH', one, context => {
      const owner = find(context)
      return write(context, owner, variableOf(context, owner.id))
    }),
    route('DELETE', one, context => {
      const { id: owner } = find(context)
      const { id } = variableOf(context, owner)
      return done([{ type: 'remove-variable', owner, id }], kind.deleteStatus(context))
    }),
  ]
}

function sameSlot(
  owner: { readonly id: string },
  variable: VariableRecord,
  { store, server }: RequestContext,
): VariableRecord | undefined {
  const identityOf = server.keys === 'identifiers' ? ({ key }: VariableRecord) => key : slotOf
  const identity = identityOf(variable)
  return [...store.variablesOf(owner.id).values()].find(
    other => other.id !== variable.id && identityOf(other) === identity,
  )
}

export const variableRoutes: readonly Route[] = [...setVariableRoutes, ...workspaceVariableRoutes]
