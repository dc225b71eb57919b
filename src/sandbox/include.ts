import type { ResourceDocument } from '../wire/documents.ts'
import { projectDocument, stackDocument, workspaceDocument } from './directory-documents.ts'
import { type SetShape, shownIds, shownVariables, variableDocument } from './documents.ts'
import { hasProjects, hasStacks } from './profile.ts'
import type { SetRecord } from './records.ts'
import { Refusal } from './reply.ts'
import type { RequestContext } from './service.ts'

/** The names in the `include` parameter; an unknown one is refused with 400 (docs/service.md 9.1). Empty means none. */
export function readInclude(context: RequestContext): ReadonlySet<string> {
  const names = (context.call.query.include ?? '').split(',').filter(name => name !== '')
  const { profile } = context
  const known = [
    'vars',
    'workspaces',
    ...(hasStacks(profile) || profile.stacks === 'enterprise' ? ['stacks'] : []),
    ...(hasProjects(profile) ? ['projects'] : []),
  ]
  const unknown = names.filter(name => !known.includes(name))
  if (unknown.length === 0) return new Set(names)
  throw new Refusal(400, [
    {
      title: 'invalid include parameter',
      detail: `The include parameter does not accept "${unknown.join(', ')}"`,
      parameter: 'include',
    },
  ])
}

/** Whether a set's variables are embedded in its relationship: the `embedded` reading of docs/service.md 4.11. */
export const embedsVariables = (names: ReadonlySet<string>, context: RequestContext) =>
  names.has('vars') && context.profile.includeVars === 'embedded'

/** The resources that these sets refer to, each once; undefined if none were requested. */
export function includedOf(
  sets: readonly SetRecord[],
  names: ReadonlySet<string>,
  shape: SetShape,
  context: RequestContext,
): readonly ResourceDocument[] | undefined {
  if (names.size === 0) return undefined
  const included: ResourceDocument[] = []
  if (names.has('vars') && context.profile.includeVars === 'included') {
    for (const set of sets) {
      for (const variable of shownVariables(set, shape)) {
        included.push(variableDocument(variable, set, context, { created: true }))
      }
    }
  }
  const { directory } = context.store
  if (names.has('workspaces')) {
    for (const id of new Set(sets.flatMap(set => shownIds(set.workspaces, shape)))) {
      const workspace = directory.workspaces.get(id)
      if (workspace !== undefined) included.push(workspaceDocument(workspace, context))
    }
  }
  if (names.has('projects')) {
    for (const id of new Set(sets.flatMap(set => shownIds(set.projects, shape)))) {
      const project = directory.projects.get(id)
      if (project !== undefined) included.push(projectDocument(project, context))
    }
  }
  if (names.has('stacks') && hasStacks(context.profile)) {
    for (const id of new Set(sets.flatMap(set => shownIds(set.stacks, shape)))) {
      const stack = directory.stacks.get(id)
      if (stack !== undefined) included.push(stackDocument(stack, context))
    }
  }
  return included
}
