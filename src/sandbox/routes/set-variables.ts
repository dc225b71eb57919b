import { readBody } from '../body.ts'
import { variableDocument } from '../documents.ts'
import { setOf, variableOf } from '../locate.ts'
import { variablePage } from '../paging.ts'
import type { SetRecord, VariableRecord } from '../records.ts'
import { malformed, type Problem, refuseIfAny } from '../refusal.ts'
import { answered, emptyAnswer, type Reply } from '../reply.ts'
import type { Context, Effect, Route } from '../service.ts'
import { conflictProblems } from '../set-rules.ts'
import { slotOf } from '../store.ts'
import {
  keyTaken,
  newVariable,
  readVariable,
  refuseWrongVariable,
  updatedVariable,
} from '../variable-rules.ts'

const VARIABLES = 'api/v2/varsets/:set/relationships/vars'
const VARIABLE = `${VARIABLES}/:variable`

export const setVariableRoutes: readonly Route[] = [
  { method: 'POST', path: VARIABLES, access: 'manage-workspaces', answer: addVariable },
  { method: 'GET', path: VARIABLES, access: 'read-variables', answer: listVariables },
  { method: 'GET', path: VARIABLE, access: 'read-variables', answer: showVariable },
  { method: 'PATCH', path: VARIABLE, access: 'manage-workspaces', answer: updateVariable },
  { method: 'DELETE', path: VARIABLE, access: 'manage-workspaces', answer: deleteVariable },
]

function addVariable(context: Context): Effect {
  const set = setOf(context)
  const { profile } = context
  const problems: Problem[] = []
  const input = readVariable(readBody(context.call.document(), 'vars'), problems)
  refuseIfAny(problems)
  const fresh = newVariable(input, context)
  refuseWrongVariable(fresh, profile)
  const same = sameSlot(set, fresh, context)
  if (same !== undefined && profile.duplicateVariable === 'refuse') refuseIfAny([keyTaken()])
  const variable =
    same !== undefined && profile.duplicateVariable === 'replace'
      ? { ...fresh, id: same.id, createdAt: same.createdAt }
      : fresh
  refuseIfAny(conflictProblems(set, [variable], context, 'key'))
  return {
    changes: [{ type: 'put-variable', owner: set.id, variable }],
    reply: () =>
      answered({ data: variableDocument(variable, set, context, { created: false }) }, profile.createStatus),
  }
}

function updateVariable(context: Context): Effect {
  const set = setOf(context)
  const before = variableOf(context, set.id)
  const body = readBody(context.call.document(), 'vars')
  const problems: Problem[] = []
  if (body.id !== undefined && body.id !== before.id) {
    problems.push(malformed('id must be the one of the path', '/data/id'))
  }
  const input = readVariable(body, problems)
  refuseIfAny(problems)
  const variable = updatedVariable(before, input, context)
  refuseWrongVariable(variable, context.profile)
  if (slotOf(variable) !== slotOf(before)) {
    if (sameSlot(set, variable, context) !== undefined && context.profile.duplicateVariable !== 'second') {
      refuseIfAny([keyTaken()])
    }
    refuseIfAny(conflictProblems(set, [variable], context, 'key'))
  }
  return {
    changes: [{ type: 'put-variable', owner: set.id, variable }],
    reply: () => answered({ data: variableDocument(variable, set, context, { created: false }) }),
  }
}

function deleteVariable(context: Context): Effect {
  const set = setOf(context)
  const { id } = variableOf(context, set.id)
  return {
    changes: [{ type: 'remove-variable', owner: set.id, id }],
    reply: () => emptyAnswer(context.profile.deleteStatus),
  }
}

function showVariable(context: Context): Reply {
  const set = setOf(context)
  return answered({ data: variableDocument(variableOf(context, set.id), set, context, { created: true }) })
}

function listVariables(context: Context): Reply {
  const set = setOf(context)
  const all = [...context.store.variablesOf(set.id).values()]
  const { items, rest } = variablePage(all, context.call, context.profile)
  return answered({
    data: items.map(variable => variableDocument(variable, set, context, { created: true })),
    ...rest,
  })
}

function sameSlot(set: SetRecord, variable: VariableRecord, context: Context): VariableRecord | undefined {
  const slot = slotOf(variable)
  for (const other of context.store.variablesOf(set.id).values()) {
    if (other.id !== variable.id && slotOf(other) === slot) return other
  }
  return undefined
}
