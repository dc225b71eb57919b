import { namedWorkspaceOf, organizationOf, requireLookUps, variableOf, workspaceOf } from '../access.ts'
import { workspaceDocument, workspaceVariableDocument } from '../directory-documents.ts'
import { reference } from '../documents.ts'
import { compareCodePoints, pagedReply, variablePage } from '../lists.ts'
import type { VariableRecord, WorkspaceRecord } from '../records.ts'
import { answered, emptyAnswer, type RefusedField, type Reply, refuseIfAny } from '../reply.ts'
import { readBody } from '../request.ts'
import type { RequestContext, Route, RouteEffect } from '../service.ts'
import { slotOf } from '../store.ts'
import {
  keyTaken,
  newVariable,
  readVariable,
  refuseWrongVariable,
  updatedVariable,
} from '../variable-rules.ts'
import { effectiveBindings, list } from './tag-bindings.ts'
import { tagNames } from './workspace-writes.ts'

const WORKSPACES = 'api/v2/organizations/:organization/workspaces'
const WORKSPACE = 'api/v2/workspaces/:workspace'

export const workspaceRoutes: readonly Route[] = [
  { method: 'GET', path: WORKSPACES, access: 'read-variables', answer: listWorkspaces },
  { method: 'GET', path: `${WORKSPACES}/:name`, access: 'read-variables', answer: showNamed },
  { method: 'GET', path: WORKSPACE, access: 'read-variables', answer: showWorkspace },
  {
    method: 'GET',
    path: `${WORKSPACE}/effective-tag-bindings`,
    access: 'read-variables',
    answer: context => list(effectiveBindings(workspaceOf(context), context), context),
  },
  {
    method: 'GET',
    path: `${WORKSPACE}/relationships/remote-state-consumers`,
    access: 'read-variables',
    answer: nothingOf,
  },
]

/**
 * `search[name]` finds a part, `search[wildcard-name]` a beginning or an end (docs/service.md 12.3).
 * `search[tags]` wants all of the named tags, `search[exclude-tags]` none of them.
 */
function listWorkspaces(context: RequestContext): Reply {
  requireLookUps(context)
  const { name: organization } = organizationOf(context)
  const { directory } = context.store
  const { query } = context.call
  const part = (query['search[name]'] ?? '').toLowerCase()
  const project = query['filter[project][id]']
  const tags = textsOf(query['search[tags]'])
  const without = textsOf(query['search[exclude-tags]'])
  const all = [...directory.idsOf(organization, 'workspaces')]
    .flatMap(id => directory.workspaces.get(id) ?? [])
    .filter(
      workspace =>
        tags.every(tag => tagNames(workspace).includes(tag)) &&
        !without.some(tag => tagNames(workspace).includes(tag)) &&
        workspace.name.toLowerCase().includes(part) &&
        matchesWildcard(workspace.name, query['search[wildcard-name]']) &&
        (project === undefined || workspace.project === project),
    )
    .sort((one, other) => compareCodePoints(one.name, other.name))
  return pagedReply(query.sort === '-name' ? all.reverse() : all, workspaceDocument, context)
}

function showNamed(context: RequestContext): Reply {
  requireLookUps(context)
  return show(namedWorkspaceOf(context), context)
}

function showWorkspace(context: RequestContext): Reply {
  requireLookUps(context)
  return show(workspaceOf(context), context)
}

function show(workspace: WorkspaceRecord, context: RequestContext): Reply {
  const document = workspaceDocument(workspace, context)
  const vars = { data: [...context.store.variablesOf(workspace.id).keys()].map(id => reference('vars', id)) }
  const data = { ...document, relationships: { ...document.relationships, vars } }
  if (!textsOf(context.call.query.include).includes('effective_tag_bindings')) return answered({ data })
  const included = effectiveBindings(workspace, context)
  const bindings = { data: included.map(({ id, type }) => reference(type, id)) }
  const relationships = { ...data.relationships, 'effective-tag-bindings': bindings }
  return answered({ data: { ...data, relationships }, included })
}

/** State consumers, which data sources ask for and the sandbox does not keep (docs/service.md 14.2). */
function nothingOf(context: RequestContext): Reply {
  workspaceOf(context)
  return pagedReply([], String, context)
}

const textsOf = (list: string | undefined) => (list ?? '').split(',').filter(text => text !== '')

function matchesWildcard(name: string, pattern: string | undefined): boolean {
  if (pattern === undefined || pattern === '') return true
  const bare = pattern.replace(/^\*/, '').replace(/\*$/, '')
  const open = { start: pattern.startsWith('*'), end: pattern.endsWith('*') }
  if (open.start && open.end) return name.includes(bare)
  if (open.start) return name.endsWith(bare)
  return open.end ? name.startsWith(bare) : name === bare
}

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

function addVariable(context: RequestContext): RouteEffect {
  const workspace = workspaceOf(context)
  const problems: RefusedField[] = []
  const input = readVariable(readBody(context.call.document(), 'vars'), problems)
  refuseIfAny(problems)
  return put(workspace, newVariable(input, context), 201, context)
}

function updateVariable(context: RequestContext): RouteEffect {
  const workspace = workspaceOf(context)
  const before = variableOf(context, workspace.id)
  const problems: RefusedField[] = []
  const input = readVariable(readBody(context.call.document(), 'vars'), problems)
  refuseIfAny(problems)
  return put(workspace, updatedVariable(before, input, context), 200, context)
}

function put(
  workspace: WorkspaceRecord,
  variable: VariableRecord,
  status: number,
  context: RequestContext,
): RouteEffect {
  refuseWrongVariable(variable, context.profile)
  const slot = slotOf(variable)
  const others = [...context.store.variablesOf(workspace.id).values()]
  if (others.some(other => other.id !== variable.id && slotOf(other) === slot)) refuseIfAny([keyTaken()])
  return {
    changes: [{ type: 'put-variable', owner: workspace.id, variable }],
    reply: () => answered({ data: workspaceVariableDocument(variable, workspace, context) }, status),
  }
}

function deleteVariable(context: RequestContext): RouteEffect {
  const workspace = workspaceOf(context)
  const { id } = variableOf(context, workspace.id)
  return {
    changes: [{ type: 'remove-variable', owner: workspace.id, id }],
    reply: () => emptyAnswer(),
  }
}

function showVariable(context: RequestContext): Reply {
  const workspace = workspaceOf(context)
  const variable = variableOf(context, workspace.id)
  return answered({ data: workspaceVariableDocument(variable, workspace, context) })
}

function listVariables(context: RequestContext): Reply {
  const workspace = workspaceOf(context)
  const all = [...context.store.variablesOf(workspace.id).values()]
  const { items, rest } = variablePage(all, context.call, context.profile)
  return answered({
    data: items.map(variable => workspaceVariableDocument(variable, workspace, context)),
    ...rest,
  })
}
