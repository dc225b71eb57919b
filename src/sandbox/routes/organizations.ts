import { maySee, organizationOf } from '../access.ts'
import { organizationDocument } from '../documents.ts'
import { compareCodePoints, pagedReply } from '../lists.ts'
import type { OrganizationRecord, ProjectRecord } from '../records.ts'
import { answered, type Reply, refuseIfAny, taken } from '../reply.ts'
import { type Body, keptAttributes, readBody } from '../request.ts'
import { done, type RequestContext, type Route, type RouteEffect, route } from '../service.ts'

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
  const body = readBody(context.call, 'organizations')
  if ((body.text('name') ?? before.name) !== before.name) {
    body.wrong('name', 'cannot be changed in this sandbox')
  }
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
