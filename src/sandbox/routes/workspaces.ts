import { type Body, readBody, readText } from '../body.ts'
import { isObject } from '../call.ts'
import { workspaceDocument } from '../directory-documents.ts'
import { reference } from '../documents.ts'
import { organizationOf, param, requireLookUps, workspaceOf } from '../locate.ts'
import { compareCodePoints } from '../order.ts'
import { pageOf } from '../paging.ts'
import type { WorkspaceRecord } from '../records.ts'
import { malformed, notFound, type Problem, refuseIfAny, wrongAttribute } from '../refusal.ts'
import { answered, emptyAnswer, type Reply } from '../reply.ts'
import type { Context, Effect, Route } from '../service.ts'

const WORKSPACES = 'api/v2/organizations/:organization/workspaces'
const WORKSPACE = 'api/v2/workspaces/:workspace'

export const workspaceRoutes: readonly Route[] = [
  { method: 'POST', path: WORKSPACES, access: 'manage-workspaces', answer: createWorkspace },
  { method: 'GET', path: WORKSPACES, access: 'read-variables', answer: listWorkspaces },
  { method: 'GET', path: `${WORKSPACES}/:name`, access: 'read-variables', answer: showNamed },
  { method: 'GET', path: WORKSPACE, access: 'read-variables', answer: showWorkspace },
  { method: 'DELETE', path: WORKSPACE, access: 'manage-workspaces', answer: deleteWorkspace },
  { method: 'GET', path: `${WORKSPACE}/effective-tag-bindings`, access: 'read-variables', answer: nothingOf },
  {
    method: 'GET',
    path: `${WORKSPACE}/relationships/remote-state-consumers`,
    access: 'read-variables',
    answer: nothingOf,
  },
]

function createWorkspace(context: Context): Effect {
  const { name: organization } = organizationOf(context)
  const { directory } = context.store
  const body = readBody(context.call.document(), 'workspaces')
  const problems: Problem[] = []
  const name = readText(body.attributes, 'name', problems) ?? ''
  const workspace: WorkspaceRecord = {
    id: context.newId('ws'),
    organization,
    name,
    description: readText(body.attributes, 'description', problems) ?? '',
    executionMode: readText(body.attributes, 'execution-mode', problems) ?? 'remote',
    ...projectFor(body, organization, context, problems),
    createdAt: context.at,
    updatedAt: context.at,
  }
  if (!/^[A-Za-z0-9_-]{1,90}$/.test(name)) {
    problems.push(wrongAttribute('name', 'Name may hold letters, digits, - and _ only'))
  }
  if (directory.workspaceNamed(organization, name) !== undefined) {
    problems.push(wrongAttribute('name', 'Name has already been taken'))
  }
  refuseIfAny(problems)
  return {
    changes: [{ type: 'put-workspace', workspace }],
    reply: () => answered({ data: workspaceDocument(workspace, context) }, 201),
  }
}

/**
 * `search[name]` finds a part, `search[wildcard-name]` a beginning or an end (docs/service.md 12.3).
 * No workspace here has a tag, so a search for tags finds none.
 */
function listWorkspaces(context: Context): Reply {
  requireLookUps(context)
  const { name: organization } = organizationOf(context)
  const { directory } = context.store
  const { query } = context.call
  const part = (query['search[name]'] ?? '').toLowerCase()
  const project = query['filter[project][id]']
  const tagged = (query['search[tags]'] ?? '') !== ''
  const all = [...directory.idsOf(organization, 'workspaces')]
    .flatMap(id => directory.workspaces.get(id) ?? [])
    .filter(
      workspace =>
        !tagged &&
        workspace.name.toLowerCase().includes(part) &&
        matchesWildcard(workspace.name, query['search[wildcard-name]']) &&
        (project === undefined || workspace.project === project),
    )
    .sort((one, other) => compareCodePoints(one.name, other.name))
  const page = pageOf(query.sort === '-name' ? all.reverse() : all, context.call, context.profile)
  return answered({
    data: page.items.map(workspace => workspaceDocument(workspace, context)),
    links: page.links,
    meta: page.meta,
  })
}

function showNamed(context: Context): Reply {
  requireLookUps(context)
  const { name } = organizationOf(context)
  const workspace = context.store.directory.workspaceNamed(name, param(context, 'name'))
  if (workspace === undefined) throw notFound()
  return show(workspace, context)
}

function showWorkspace(context: Context): Reply {
  requireLookUps(context)
  return show(workspaceOf(context), context)
}

function show(workspace: WorkspaceRecord, context: Context): Reply {
  const document = workspaceDocument(workspace, context)
  const vars = { data: [...context.store.variablesOf(workspace.id).keys()].map(id => reference('vars', id)) }
  return answered({ data: { ...document, relationships: { ...document.relationships, vars } } })
}

function deleteWorkspace(context: Context): Effect {
  const { id } = workspaceOf(context)
  return { changes: [{ type: 'remove-workspace', id }], reply: () => emptyAnswer() }
}

/** Tags and state consumers, which data sources ask for and the sandbox does not keep (docs/service.md 14.2). */
function nothingOf(context: Context): Reply {
  workspaceOf(context)
  const page = pageOf([], context.call, context.profile)
  return answered({ data: [], links: page.links, meta: page.meta })
}

function projectFor(
  body: Body,
  organization: string,
  context: Context,
  problems: Problem[],
): { readonly project?: string } {
  const { directory } = context.store
  const relationship = body.relationships.project
  if (relationship === undefined) {
    const standard = directory.projectNamed(organization, 'Default Project')
    return standard === undefined ? {} : { project: standard.id }
  }
  const target = isObject(relationship) ? relationship.data : undefined
  const id = isObject(target) && typeof target.id === 'string' ? target.id : ''
  if (directory.projects.get(id)?.organization === organization) return { project: id }
  problems.push(malformed('project must be one of the organization', '/data/relationships/project/data'))
  return {}
}

function matchesWildcard(name: string, pattern: string | undefined): boolean {
  if (pattern === undefined || pattern === '') return true
  const bare = pattern.replace(/^\*/, '').replace(/\*$/, '')
  const open = { start: pattern.startsWith('*'), end: pattern.endsWith('*') }
  if (open.start && open.end) return name.includes(bare)
  if (open.start) return name.endsWith(bare)
  return open.end ? name.startsWith(bare) : name === bare
}
