import { keptAttributes, readBody, readReferences, readText } from '../body.ts'
import { isObject } from '../call.ts'
import { stackDocument } from '../directory-documents.ts'
import { maySee, organizationOf, stackOf } from '../locate.ts'
import { compareCodePoints } from '../order.ts'
import { pageOf } from '../paging.ts'
import { hasStacks } from '../profile.ts'
import type { ProjectRecord, StackRecord } from '../records.ts'
import { notFound, type Problem, refuseIfAny, wrongAttribute } from '../refusal.ts'
import { answered, emptyAnswer, type Reply } from '../reply.ts'
import type { Context, Effect, Route } from '../service.ts'

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

function listStacks(context: Context): Reply {
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
  const page = pageOf(all, context.call, context.profile)
  return answered({
    data: page.items.map(stack => stackDocument(stack, context)),
    links: page.links,
    meta: page.meta,
  })
}

function showStack(context: Context): Reply {
  return answered({ data: stackDocument(stackOf(context), context) })
}

/** The project says which organization it is in. */
function createStack(context: Context): Effect {
  if (!hasStacks(context.profile)) throw notFound()
  const problems: Problem[] = []
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

function projectFor(id: string, context: Context): ProjectRecord {
  const project = context.store.directory.projects.get(id)
  if (project === undefined || !maySee(context, project.organization)) throw notFound()
  return project
}

function updateStack(context: Context): Effect {
  return written(stackOf(context), context, 200)
}

function written(before: StackRecord, context: Context, status: number): Effect {
  const { attributes } = readBody(context.call.document(), 'stacks')
  const problems: Problem[] = []
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

function deleteStack(context: Context): Effect {
  const { id } = stackOf(context)
  return { changes: [{ type: 'remove-stack', id }], reply: () => emptyAnswer() }
}
