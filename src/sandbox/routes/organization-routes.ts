import {
  listedOrganizationOf,
  maySee,
  organizationOf,
  placeOf,
  requireKind,
  requireLookUps,
} from '../access.ts'
import { compareCodePoints, pagedReply } from '../list-pages.ts'
import type { AssignmentKind, OrganizationRecord, PlaceRecord } from '../records.ts'
import { type Body, keptAttributes, readBody, readReferences } from '../request.ts'
import { organizationDocument, PLACE_DOCUMENTS } from '../resource-documents.ts'
import {
  answered,
  done,
  invalid,
  type RefusedField,
  type Reply,
  type RequestContext,
  type Route,
  type RouteEffect,
  refuseIfAny,
  route,
  taken,
  wrongAttribute,
} from '../route.ts'

const ORGANIZATION = 'api/v2/organizations/:organization'
/** Attributes with a meaning, or that only the service writes. */
const OWN = ['name', 'email', 'external-id', 'created-at', 'permissions']

const ownRoutes: readonly Route[] = [
  route('POST', 'api/v2/organizations', createOrganization),
  route('GET', 'api/v2/organizations', listOrganizations),
  route('GET', ORGANIZATION, context =>
    answered({ data: organizationDocument(organizationOf(context), context) }),
  ),
  route('GET', `${ORGANIZATION}/entitlement-set`, showEntitlements),
  route('PATCH', ORGANIZATION, updateOrganization),
  route('DELETE', ORGANIZATION, context =>
    done([{ type: 'remove-organization', name: organizationOf(context).name }]),
  ),
]

/** Like the real service, an organization begins with a project that takes workspaces without one. */
function createOrganization(context: RequestContext): RouteEffect {
  const body = readBody(context.call, 'organizations')
  const name = body.text('name') ?? ''
  const organization = written({ name, email: '', createdAt: context.at }, body)
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(name)) body.wrong('name', 'may contain only letters, digits, - and _')
  if (context.store.directory.organizations.has(name)) body.problems.push(taken('name'))
  refuseIfAny(body.problems)
  const place: PlaceRecord = {
    id: context.newId('prj'),
    organization: name,
    name: 'Default Project',
    description: '',
    createdAt: context.at,
  }
  return {
    changes: [
      { type: 'put-organization', organization },
      { type: 'put-place', kind: 'projects', place },
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
  const body = readBody(context.call, 'organizations')
  if ((body.text('name') ?? before.name) !== before.name)
    body.wrong('name', 'cannot be changed in this sandbox')
  const organization = written(before, body)
  refuseIfAny(body.problems)
  return {
    changes: [{ type: 'put-organization', organization }],
    reply: () => answered({ data: organizationDocument(organization, context) }),
  }
}

const written = (before: OrganizationRecord, body: Body): OrganizationRecord => ({
  ...before,
  email: body.text('email') ?? before.email,
  kept: keptAttributes(body.attributes, before.kept, OWN),
})

const LETTERS = 'may contain only letters, digits, - and _'
const COMMON = ['name', 'description', 'created-at', 'updated-at', 'permissions']

/** Names in the known real service (docs/service.md 12.3), and attributes that have a meaning or that only the service writes. */
const KIND = {
  projects: {
    name: /^[A-Za-z0-9 _-]{3,40}$/,
    detail: 'must have 3 to 40 letters, digits, spaces, - or _',
    own: ['name', 'description', 'created-at', 'workspace-count', 'permissions'],
  },
  workspaces: {
    name: /^[A-Za-z0-9_-]{1,90}$/,
    detail: LETTERS,
    own: [...COMMON, 'execution-mode', 'operations', 'resource-count', 'locked'],
  },
  stacks: { name: /^[A-Za-z0-9_-]{1,90}$/, detail: LETTERS, own: COMMON },
} as const

/** Creates or changes a place. `more` reads what only this kind has, and attributes to keep besides those of the body. */
export function writtenPlace(
  kind: AssignmentKind,
  before: PlaceRecord,
  context: RequestContext,
  more: (body: Body) => Partial<PlaceRecord> = () => ({}),
): RouteEffect & { readonly place: PlaceRecord } {
  const { directory } = context.store
  const body = readBody(context.call, kind)
  const name = body.text('name') ?? before.name
  const description = body.text('description') ?? before.description
  const { kept, ...own } = more(body)
  const attributes = { ...body.attributes, ...kept }
  const place = {
    ...before,
    name,
    description,
    ...own,
    kept: keptAttributes(attributes, before.kept, KIND[kind].own),
  }
  const same = directory.named(kind, place.organization, name)
  refuseIfAny([
    ...body.problems,
    ...(KIND[kind].name.test(name) ? [] : [wrongAttribute('name', KIND[kind].detail)]),
    ...(same === undefined || same.id === place.id ? [] : [taken('name')]),
  ])
  const status = directory.get(kind, place.id) === undefined ? 201 : 200
  return {
    place,
    changes: [{ type: 'put-place', kind, place }],
    reply: () => answered({ data: PLACE_DOCUMENTS[kind](place, context) }, status),
  }
}

/** The places of the organization in the path that `wanted` picks, by name. */
export function placesOf(
  kind: AssignmentKind,
  context: RequestContext,
  wanted: (place: PlaceRecord) => boolean,
): PlaceRecord[] {
  const organization = listedOrganizationOf(context)
  const { directory } = context.store
  return [...directory.idsOf(organization, kind)]
    .flatMap(id => directory.get(kind, id) ?? [])
    .filter(wanted)
    .sort((one, other) => compareCodePoints(one.name, other.name))
}

const PROJECTS = 'api/v2/organizations/:organization/projects'
const PROJECT = 'api/v2/projects/:project'
const STACK = 'api/v2/stacks/:stack'

/** Stacks are places that sets are assigned to (docs/service.md 10.4): nothing runs in them. */
const placeRoutes: readonly Route[] = [
  route('POST', PROJECTS, context => {
    requireKind('projects', context)
    const { name: organization } = organizationOf(context)
    const id = context.newId('prj')
    const blank = { id, organization, name: '', description: '', createdAt: context.at }
    return writtenPlace('projects', blank, context)
  }),
  route('GET', PROJECTS, listProjects),
  route('GET', PROJECT, context => {
    requireLookUps(context)
    return answered({ data: PLACE_DOCUMENTS.projects(placeOf('projects', context), context) })
  }),
  route('PATCH', PROJECT, context => writtenPlace('projects', placeOf('projects', context), context)),
  route('DELETE', PROJECT, deleteProject),
  route('GET', 'api/v2/organizations/:organization/stacks', listStacks),
  route('POST', 'api/v2/stacks', createStack),
  route('GET', STACK, context =>
    answered({ data: PLACE_DOCUMENTS.stacks(placeOf('stacks', context), context) }),
  ),
  route('PATCH', STACK, context => writtenStack(placeOf('stacks', context), context)),
  route('DELETE', STACK, context =>
    done([{ type: 'remove-place', kind: 'stacks', id: placeOf('stacks', context).id }]),
  ),
]

/** `filter[names]` is exact whatever the case and wins over `q` (docs/service.md 12.3). */
function listProjects(context: RequestContext) {
  requireKind('projects', context)
  requireLookUps(context)
  const { q = '', 'filter[names]': names } = context.call.query
  const wanted = names?.toLowerCase().split(',')
  const fits = (name: string) =>
    wanted === undefined ? name.includes(q.toLowerCase()) : wanted.includes(name)
  const all = placesOf('projects', context, ({ name }) => fits(name.toLowerCase()))
  return pagedReply(all, PLACE_DOCUMENTS.projects, context)
}

/** Sets of the project go with it; workspaces and Stacks would be left without a project, so they come first. */
function deleteProject(context: RequestContext): RouteEffect {
  const { id, organization } = placeOf('projects', context)
  const { directory, sets } = context.store
  const stacks = [...directory.idsOf(organization, 'stacks')].filter(
    stack => directory.get('stacks', stack)?.project === id,
  )
  if (directory.workspacesIn(id).size + stacks.length > 0)
    throw invalid({ title: 'invalid request', detail: 'The project still has workspaces or Stacks' })
  const owned = [...context.store.setsOf(organization)].filter(set => sets.get(set)?.ownerProject === id)
  return done([
    ...owned.map(set => ({ type: 'remove-set', id: set }) as const),
    { type: 'remove-place', kind: 'projects', id },
  ])
}

function listStacks(context: RequestContext) {
  requireKind('stacks', context)
  const { query } = context.call
  const part = (query['search[name]'] ?? '').toLowerCase()
  const wanted = query['filter[project[id]]'] ?? query['filter[project][id]']
  const all = placesOf(
    'stacks',
    context,
    ({ name, project }) => name.toLowerCase().includes(part) && [undefined, project].includes(wanted),
  )
  return pagedReply(all, PLACE_DOCUMENTS.stacks, context)
}

/** The project says which organization it is in. */
function createStack(context: RequestContext): RouteEffect {
  requireKind('stacks', context)
  const problems: RefusedField[] = []
  const target = readBody(context.call, 'stacks').related('project')
  const [id = ''] = readReferences([target], 'projects', '/data/relationships/project/data', problems)
  refuseIfAny(problems)
  const { organization } = placeOf('projects', context, id)
  const blank = { organization, name: '', description: '', project: id, createdAt: context.at }
  return writtenStack({ id: context.newId('st'), ...blank, updatedAt: context.at }, context)
}

const writtenStack = (before: PlaceRecord, context: RequestContext) =>
  writtenPlace('stacks', before, context, () => ({ updatedAt: context.at }))

export const organizationRoutes: readonly Route[] = [...ownRoutes, ...placeRoutes]
