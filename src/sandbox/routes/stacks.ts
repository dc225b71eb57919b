import { maySee, organizationOf, stackOf } from '../access.ts'
import { stackDocument } from '../directory-documents.ts'
import { compareCodePoints, pagedReply } from '../lists.ts'
import { hasStacks } from '../profile.ts'
import type { ProjectRecord, StackRecord } from '../records.ts'
import { answered, emptyAnswer, notFound, type RefusedField, type Reply, refuseIfAny } from '../reply.ts'
import { isObject, keptAttributes, readBody, readReferences, readText } from '../request.ts'
import { type RequestContext, type Route, type RouteEffect, route } from '../service.ts'
import { placeNameProblems } from '../set-rules.ts'

const STACK = 'api/v2/stacks/:stack'
/** Attributes with a meaning, or that only the service writes. */
const OWN = ['name', 'description', 'created-at', 'updated-at', 'permissions']

/** Stacks as places that sets are assigned to (docs/service.md 10.4): nothing runs in them. */
export const stackRoutes: readonly Route[] = [
  route('GET', 'api/v2/organizations/:organization/stacks', listStacks),
  route('POST', 'api/v2/stacks', createStack),
  route('GET', STACK, context => answered({ data: stackDocument(stackOf(context), context) })),
  route('PATCH', STACK, context => written(stackOf(context), context, 200)),
  route('DELETE', STACK, context => ({
    changes: [{ type: 'remove-stack', id: stackOf(context).id }],
    reply: () => emptyAnswer(),
  })),
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
  refuseIfAny([...problems, ...placeNameProblems('stacks', stack, context)])
  return {
    changes: [{ type: 'put-stack', stack }],
    reply: () => answered({ data: stackDocument(stack, context) }, status),
  }
}
