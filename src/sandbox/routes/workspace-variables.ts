import { readBody } from '../body.ts'
import { workspaceVariableDocument } from '../directory-documents.ts'
import { variableOf, workspaceOf } from '../locate.ts'
import { variablePage } from '../paging.ts'
import type { VariableRecord, WorkspaceRecord } from '../records.ts'
import { type Problem, refuseIfAny } from '../refusal.ts'
import { answered, emptyAnswer, type Reply } from '../reply.ts'
import type { Context, Effect, Route } from '../service.ts'
import { slotOf } from '../store.ts'
import {
  keyTaken,
  newVariable,
  readVariable,
  refuseWrongVariable,
  updatedVariable,
} from '../variable-rules.ts'

const VARIABLES = 'api/v2/workspaces/:workspace/vars'
const VARIABLE = `${VARIABLES}/:variable`

/** Variables of one workspace (docs/service.md 12.1). The interface does not have them. */
export const workspaceVariableRoutes: readonly Route[] = [
  { method: 'POST', path: VARIABLES, access: 'manage-workspaces', answer: addVariable },
  { method: 'GET', path: VARIABLES, access: 'read-variables', answer: listVariables },
  { method: 'GET', path: VARIABLE, access: 'read-variables', answer: showVariable },
  { method: 'PATCH', path: VARIABLE, access: 'manage-workspaces', answer: updateVariable },
  { method: 'DELETE', path: VARIABLE, access: 'manage-workspaces', answer: deleteVariable },
]

function addVariable(context: Context): Effect {
  const workspace = workspaceOf(context)
  const problems: Problem[] = []
  const input = readVariable(readBody(context.call.document(), 'vars'), problems)
  refuseIfAny(problems)
  return put(workspace, newVariable(input, context), 201, context)
}

function updateVariable(context: Context): Effect {
  const workspace = workspaceOf(context)
  const before = variableOf(context, workspace.id)
  const problems: Problem[] = []
  const input = readVariable(readBody(context.call.document(), 'vars'), problems)
  refuseIfAny(problems)
  return put(workspace, updatedVariable(before, input, context), 200, context)
}

function put(workspace: WorkspaceRecord, variable: VariableRecord, status: number, context: Context): Effect {
  refuseWrongVariable(variable, context.profile)
  const slot = slotOf(variable)
  const others = [...context.store.variablesOf(workspace.id).values()]
  if (others.some(other => other.id !== variable.id && slotOf(other) === slot)) refuseIfAny([keyTaken()])
  return {
    changes: [{ type: 'put-variable', owner: workspace.id, variable }],
    reply: () => answered({ data: workspaceVariableDocument(variable, workspace, context) }, status),
  }
}

function deleteVariable(context: Context): Effect {
  const workspace = workspaceOf(context)
  const { id } = variableOf(context, workspace.id)
  return {
    changes: [{ type: 'remove-variable', owner: workspace.id, id }],
    reply: () => emptyAnswer(),
  }
}

function showVariable(context: Context): Reply {
  const workspace = workspaceOf(context)
  const variable = variableOf(context, workspace.id)
  return answered({ data: workspaceVariableDocument(variable, workspace, context) })
}

function listVariables(context: Context): Reply {
  const workspace = workspaceOf(context)
  const all = [...context.store.variablesOf(workspace.id).values()]
  const { items, rest } = variablePage(all, context.call, context.profile)
  return answered({
    data: items.map(variable => workspaceVariableDocument(variable, workspace, context)),
    ...rest,
  })
}
