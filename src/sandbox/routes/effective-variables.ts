import type { ResourceDocument } from '../../wire/documents.ts'
import { workspaceVariableDocument } from '../directory-documents.ts'
import { reference, variableDocument } from '../documents.ts'
import { setOf, variableOf, workspaceOf } from '../locate.ts'
import { wholeLinks } from '../paging.ts'
import { type Reaching, reachingVariables } from '../precedence.ts'
import type { VariableRecord, WorkspaceRecord } from '../records.ts'
import { notFound } from '../refusal.ts'
import { answered, type Reply } from '../reply.ts'
import type { Context, Route } from '../service.ts'
import { slotOf } from '../store.ts'

const WORKSPACE = 'api/v2/workspaces/:workspace'
const VARIABLES = `${WORKSPACE}/varsets/:set/relationships/vars`

/** What a workspace really sees after precedence (docs/service.md 12.2, 13). */
export const effectiveVariableRoutes: readonly Route[] = [
  { method: 'GET', path: `${WORKSPACE}/all-vars`, access: 'read-variables', answer: listEffective },
  { method: 'GET', path: VARIABLES, access: 'read-variables', answer: listInWorkspace },
  { method: 'GET', path: `${VARIABLES}/:variable`, access: 'read-variables', answer: showInWorkspace },
]

/** The winners only. */
function listEffective(context: Context): Reply {
  const workspace = workspaceOf(context)
  const winners = [...reachingVariables(workspace, context.store).values()].flatMap(
    ([winner]) => winner ?? [],
  )
  return answered({
    data: winners.map(winner => documentOf(winner, workspace, context)),
    links: wholeLinks(context.call, context.profile),
  })
}

function listInWorkspace(context: Context): Reply {
  const { workspace, set, reaching } = locate(context)
  return answered({
    data: [...context.store.variablesOf(set.id).values()].map(variable =>
      withOverwriting(variable, reaching, documentOf({ variable, set }, workspace, context)),
    ),
    links: wholeLinks(context.call, context.profile),
  })
}

function showInWorkspace(context: Context): Reply {
  const { workspace, set, reaching } = locate(context)
  const variable = variableOf(context, set.id)
  return answered({
    data: withOverwriting(variable, reaching, documentOf({ variable, set }, workspace, context)),
  })
}

/** A set that does not reach the workspace is not found there. */
function locate(context: Context) {
  const workspace = workspaceOf(context)
  const set = setOf(context)
  const { store } = context
  const reaches =
    (set.global && set.organization === workspace.organization) ||
    store.setsAssignedTo(workspace.id).has(set.id) ||
    (workspace.project !== undefined && store.setsAssignedTo(workspace.project).has(set.id))
  if (!reaches) throw notFound()
  return { workspace, set, reaching: reachingVariables(workspace, store) }
}

/** `overwriter` is the winner where this one lost; `overwritten` are the losers where it won. */
function withOverwriting(
  variable: VariableRecord,
  reaching: Map<string, Reaching[]>,
  document: ResourceDocument,
): ResourceDocument {
  const [winner, ...losers] = reaching.get(slotOf(variable)) ?? []
  const won = winner?.variable.id === variable.id
  return {
    ...document,
    relationships: {
      ...document.relationships,
      overwriter: { data: won || winner === undefined ? null : reference('vars', winner.variable.id) },
      overwritten: { data: won ? losers.map(loser => reference('vars', loser.variable.id)) : [] },
    },
  }
}

const documentOf = ({ variable, set }: Reaching, workspace: WorkspaceRecord, context: Context) =>
  set === undefined
    ? workspaceVariableDocument(variable, workspace, context)
    : variableDocument(variable, set, context, { created: true })
