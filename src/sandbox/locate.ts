import { hasStacks } from './profile.ts'
import type {
  OrganizationRecord,
  ProjectRecord,
  SetRecord,
  StackRecord,
  VariableRecord,
  WorkspaceRecord,
} from './records.ts'
import { notFound } from './refusal.ts'
import type { Context } from './service.ts'

/** Each finds what the path names, or refuses with 404: not there, or not for this token. */

export function organizationOf(context: Context): OrganizationRecord {
  const organization = context.store.directory.organizations.get(param(context, 'organization'))
  if (organization === undefined) throw notFound()
  return visible(context, organization.name, organization)
}

export function setOf(context: Context): SetRecord {
  return owned(context, context.store.sets.get(param(context, 'set')))
}

export function projectOf(context: Context): ProjectRecord {
  return owned(context, context.store.directory.projects.get(param(context, 'project')))
}

export function stackOf(context: Context): StackRecord {
  if (!hasStacks(context.profile)) throw notFound()
  return owned(context, context.store.directory.stacks.get(param(context, 'stack')))
}

export function workspaceOf(context: Context): WorkspaceRecord {
  return owned(context, context.store.directory.workspaces.get(param(context, 'workspace')))
}

/** By its name, `:name`, in the organization that the path names. */
export function namedWorkspaceOf(context: Context): WorkspaceRecord {
  const { name } = organizationOf(context)
  return owned(context, context.store.directory.workspaceNamed(name, param(context, 'name')))
}

/** A variable of that very owner: the right id under a wrong set is not found (docs/service.md 11.5). */
export function variableOf(context: Context, owner: string): VariableRecord {
  const variable = context.store.variablesOf(owner).get(param(context, 'variable'))
  if (variable === undefined) throw notFound()
  return variable
}

/** The lists and single answers for names of workspaces and projects, which a service need not have. */
export function requireLookUps({ profile }: Context): void {
  if (profile.lookUps === 'missing') throw notFound()
}

export const param = (context: Context, name: string) => context.params[name] ?? ''

export const maySee = (context: Context, organization: string) =>
  context.token?.organizations === undefined || context.token.organizations.includes(organization)

function owned<T extends { readonly organization: string }>(context: Context, record: T | undefined): T {
  if (record === undefined) throw notFound()
  return visible(context, record.organization, record)
}

function visible<T>(context: Context, organization: string, record: T): T {
  if (!maySee(context, organization)) throw notFound()
  return record
}
