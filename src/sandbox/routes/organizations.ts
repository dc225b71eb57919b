import { maySee, organizationOf, projectOf, requireLookUps } from '../access.ts'
import { organizationDocument, projectDocument } from '../directory-documents.ts'
import { compareCodePoints, pagedReply } from '../lists.ts'
import type { OrganizationRecord, ProjectRecord } from '../records.ts'
import {
  answered,
  emptyAnswer,
  invalid,
  type RefusedField,
  type Reply,
  refuseIfAny,
  wrongAttribute,
} from '../reply.ts'
import { keptAttributes, readBody, readText } from '../request.ts'
import { type RequestContext, type Route, type RouteEffect, route } from '../service.ts'
import { placeNameProblems } from '../set-rules.ts'
import { effectiveBindings, list } from './tag-bindings.ts'

const ORGANIZATION = 'api/v2/organizations/:organization'
/** Attributes with a meaning, or that only the service writes. */
const OWN = ['name', 'email', 'external-id', 'created-at', 'permissions']

export const organizationRoutes: readonly Route[] = [
  route('POST', 'api/v2/organizations', createOrganization),
  route('GET', 'api/v2/organizations', listOrganizations),
  route('GET', ORGANIZATION, context =>
    answered({ data: organizationDocument(organizationOf(context), context) }),
  ),
  route('GET', `${ORGANIZATION}/entitlement-set`, showEntitlements),
  route('PATCH', ORGANIZATION, updateOrganization),
  route('DELETE', ORGANIZATION, context => ({
    changes: [{ type: 'remove-organization', name: organizationOf(context).name }],
    reply: () => emptyAnswer(),
  })),
]

/** Like the real service, an organization begins with a project that takes workspaces without one. */
function createOrganization(context: RequestContext): RouteEffect {
  const problems: RefusedField[] = []
  const { attributes } = readBody(context.call.document(), 'organizations')
  const name = readText(attributes, 'name', problems) ?? ''
  const organization: OrganizationRecord = {
    name,
    email: readText(attributes, 'email', problems) ?? '',
    ...keptAttributes(attributes, undefined, OWN),
    createdAt: context.at,
  }
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(name)) {
    problems.push(wrongAttribute('name', 'Name may hold letters, digits, - and _ only'))
  }
  if (context.store.directory.organizations.has(name)) {
    problems.push(wrongAttribute('name', 'Name has already been taken'))
  }
  refuseIfAny(problems)
  const project: ProjectRecord = {
    id: context.newId('prj'),
    organization: name,
    name: 'Default Project',
    description: '',
    createdAt: context.at,
  }
  return {
    changes: [
      { type: 'put-organization', organization },
      { type: 'put-project', project },
    ],
    reply: () => answered({ data: organizationDocument(organization, context) }, 201),
  }
}

function listOrganizations(context: RequestContext): Reply {
  const all = [...context.store.directory.organizations.values()]
    .filter(organization => maySee(context, organization.name))
    .sort((one, other) => compareCodePoints(one.name, other.name))
  return pagedReply(all, organizationDocument, context)
}

/** What `terraform init` asks before it looks at a workspace (docs/service.md 14.3): nothing runs here, and no state is kept. */
function showEntitlements(context: RequestContext): Reply {
  const { name } = organizationOf(context)
  const attributes = { operations: true, 'state-storage': true, teams: false, agents: false, sentinel: false }
  return answered({ data: { id: `org-${name}`, type: 'entitlement-sets', attributes } })
}

/** Its name is its id, and stays. */
function updateOrganization(context: RequestContext): RouteEffect {
  const before = organizationOf(context)
  const problems: RefusedField[] = []
  const { attributes } = readBody(context.call.document(), 'organizations')
  const name = readText(attributes, 'name', problems)
  if (name !== undefined && name !== before.name) {
    problems.push(wrongAttribute('name', 'Name cannot be changed in this sandbox'))
  }
  const organization = {
    ...before,
    email: readText(attributes, 'email', problems) ?? before.email,
    ...keptAttributes(attributes, before, OWN),
  }
  refuseIfAny(problems)
  return {
    changes: [{ type: 'put-organization', organization }],
    reply: () => answered({ data: organizationDocument(organization, context) }),
  }
}

const PROJECTS = 'api/v2/organizations/:organization/projects'
const PROJECT = 'api/v2/projects/:project'
const PROJECT_OWN = ['name', 'description', 'created-at', 'workspace-count', 'permissions']

export const projectRoutes: readonly Route[] = [
  route('POST', PROJECTS, createProject),
  route('GET', PROJECTS, listProjects),
  route('GET', PROJECT, showProject),
  route('PATCH', PROJECT, context => written(projectOf(context), context, 200)),
  route('DELETE', PROJECT, deleteProject),
  route('GET', `${PROJECT}/effective-tag-bindings`, context =>
    list(effectiveBindings(projectOf(context), context), context),
  ),
]

function createProject(context: RequestContext): RouteEffect {
  const { name: organization } = organizationOf(context)
  const blank = { name: '', description: '', createdAt: context.at }
  return written({ id: context.newId('prj'), organization, ...blank }, context, 201)
}

/** `filter[names]` is exact whatever the case and wins over `q` (docs/service.md 12.3). */
function listProjects(context: RequestContext): Reply {
  requireLookUps(context)
  const { name: organization } = organizationOf(context)
  const { directory } = context.store
  const { query } = context.call
  const names = query['filter[names]']
  const wanted = names === undefined ? undefined : new Set(names.split(',').map(name => name.toLowerCase()))
  const part = (query.q ?? '').toLowerCase()
  const all = [...directory.idsOf(organization, 'projects')]
    .flatMap(id => directory.projects.get(id) ?? [])
    .filter(({ name }) =>
      wanted === undefined ? name.toLowerCase().includes(part) : wanted.has(name.toLowerCase()),
    )
    .sort((one, other) => compareCodePoints(one.name, other.name))
  return pagedReply(all, projectDocument, context)
}

function showProject(context: RequestContext): Reply {
  requireLookUps(context)
  return answered({ data: projectDocument(projectOf(context), context) })
}

/** Sets of the project go with it; workspaces and Stacks would be left without a project, so they come first. */
function deleteProject(context: RequestContext): RouteEffect {
  const { id, organization } = projectOf(context)
  const { directory } = context.store
  const stacks = [...directory.idsOf(organization, 'stacks')].filter(
    stack => directory.stacks.get(stack)?.project === id,
  )
  if (directory.workspacesIn(id).size + stacks.length > 0) {
    throw invalid({ title: 'invalid request', detail: 'The project still has workspaces or Stacks' })
  }
  const owned = [...context.store.setsOf(organization)].filter(
    set => context.store.sets.get(set)?.ownerProject === id,
  )
  return {
    changes: [
      ...owned.map(set => ({ type: 'remove-set', id: set }) as const),
      { type: 'remove-project', id },
    ],
    reply: () => emptyAnswer(),
  }
}

function written(before: ProjectRecord, context: RequestContext, status: number): RouteEffect {
  const { attributes } = readBody(context.call.document(), 'projects')
  const problems: RefusedField[] = []
  const project = {
    ...before,
    name: readText(attributes, 'name', problems) ?? before.name,
    description: readText(attributes, 'description', problems) ?? before.description,
    ...keptAttributes(attributes, before, PROJECT_OWN),
  }
  refuseIfAny([...problems, ...placeNameProblems('projects', project, context)])
  return {
    changes: [{ type: 'put-project', project }],
    reply: () => answered({ data: projectDocument(project, context) }, status),
  }
}
