import { organizationOf, projectOf, requireLookUps } from '../access.ts'
import { projectDocument } from '../directory-documents.ts'
import { compareCodePoints, pagedReply } from '../lists.ts'
import type { ProjectRecord } from '../records.ts'
import { answered, emptyAnswer, invalid, type RefusedField, type Reply, refuseIfAny } from '../reply.ts'
import { keptAttributes, readBody, readText } from '../request.ts'
import { type RequestContext, type Route, type RouteEffect, route } from '../service.ts'
import { placeNameProblems } from '../set-rules.ts'
import { effectiveBindings, list } from './tag-bindings.ts'

const PROJECTS = 'api/v2/organizations/:organization/projects'
const PROJECT = 'api/v2/projects/:project'
/** Attributes with a meaning, or that only the service writes. */
const OWN = ['name', 'description', 'created-at', 'workspace-count', 'permissions']

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
    ...keptAttributes(attributes, before, OWN),
  }
  refuseIfAny([...problems, ...placeNameProblems('projects', project, context)])
  return {
    changes: [{ type: 'put-project', project }],
    reply: () => answered({ data: projectDocument(project, context) }, status),
  }
}
