import { maySee, organizationOf, stackOf } from '../access.ts'
import { stackDocument } from '../directory-documents.ts'
import { compareCodePoints, pagedReply } from '../lists.ts'
import { hasStacks } from '../profile.ts'
import type { ProjectRecord, StackRecord } from '../records.ts'
import {
  answered,
  emptyAnswer,
  notFound,
  type RefusedField,
  type Reply,
  refuseIfAny,
  wrongAttribute,
} from '../reply.ts'
import { isObject, keptAttributes, readBody, readReferences, readText } from '../request.ts'
import type { RequestContext, Route, RouteEffect } from '../service.ts'

const STACK = 'api/v2/stacks/:stack'
/** Attributes with a meaning, or that only the service writes. */
const OWN = ['name', 'description', 'created-at', 'updated-at', 'permissions']

/** Stacks as places that sets are assigned to (docs/service.md 10.4): nothing runs in them. */
export const stackRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: 'api/v2/organizations/:organization/stacks',
    access: 'read-variables',
    answer: listStacks,
  },
  { method: 'POST', path: 'api/v2/stacks', access: 'manage-workspaces', answer: createStack },
  { method: 'GET', path: STACK, access: 'read-variables', answer: showStack },
  { method: 'PATCH', path: STACK, access: 'manage-workspaces', answer: updateStack },
  { method: 'DELETE', path: STACK, access: 'manage-workspaces', answer: deleteStack },
]

function listStacks(context: RequestContext): Reply {
  const { name: organization } = organizationOf(context)
  if (!hasStacks(context.profile)) throw notFound()
  const { directory } = context.store
  const { query } = context.call
  const part = (query['search[name]'] ?? '').toLowerCase()
  const project = query['filter[project[id]]'] ?? query['filter[project][id]']
  const all = [...directory.idsOf(organization, 'stacks')]
    .flatMap(id => directory.stacks.get(id) ?? [])
    .filter(stack => stack.name.toLowerCase().includes(part) && [undefined, stack.project].includes(project))
    .sort((one, other) => compareCodePoints(one.name, other.name))
  return pagedReply(all, stackDocument, context)
}

function showStack(context: RequestContext): Reply {
  return answered({ data: stackDocument(stackOf(context), context) })
}

/** The project says which organization it is in. */
function createStack(context: RequestContext): RouteEffect {
  if (!hasStacks(context.profile)) throw notFound()
  const problems: RefusedField[] = []
  const { relationships } = readBody(context.call.document(), 'stacks')
  const target = isObject(relationships.project) ? relationships.project.data : undefined
  const pointer = '/data/relationships/project/data'
  const [id = ''] = readReferences([target], 'projects', pointer, problems)
  refuseIfAny(problems)
  const project = projectFor(id, context)
  const stack: StackRecord = {
    id: context.newId('st'),
    organization: project.organization,
    name: '',
    description: '',
    project: project.id,
    createdAt: context.at,
    updatedAt: context.at,
  }
  return written(stack, context, 201)
}

function projectFor(id: string, context: RequestContext): ProjectRecord {
  const project = context.store.directory.projects.get(id)
  if (project === undefined || !maySee(context, project.organization)) throw notFound()
  return project
}

function updateStack(context: RequestContext): RouteEffect {
  return written(stackOf(context), context, 200)
}

function written(before: StackRecord, context: RequestContext, status: number): RouteEffect {
  const { attributes } = readBody(context.call.document(), 'stacks')
  const problems: RefusedField[] = []
  const stack: StackRecord = {
    ...before,
    name: readText(attributes, 'name', problems) ?? before.name,
    description: readText(attributes, 'description', problems) ?? before.description,
    ...keptAttributes(attributes, before, OWN),
    updatedAt: context.at,
  }
  if (!/^[A-Za-z0-9_-]{1,90}$/.test(stack.name)) {
    problems.push(wrongAttribute('name', 'Name may hold letters, digits, - and _ only'))
  }
  const same = context.store.directory.stackNamed(stack.organization, stack.name)
  if (same !== undefined && same.id !== stack.id) {
    problems.push(wrongAttribute('name', 'Name has already been taken'))
  }
  refuseIfAny(problems)
  return {
    changes: [{ type: 'put-stack', stack }],
    reply: () => answered({ data: stackDocument(stack, context) }, status),
  }
}

function deleteStack(context: RequestContext): RouteEffect {
  const { id } = stackOf(context)
  return { changes: [{ type: 'remove-stack', id }], reply: () => emptyAnswer() }
}
