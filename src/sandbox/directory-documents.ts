import type { ResourceDocument } from '../wire/documents.ts'
import { reference, variableAttributes } from './documents.ts'
import { linkBase } from './paging.ts'
import type { OrganizationRecord, ProjectRecord, VariableRecord, WorkspaceRecord } from './records.ts'
import type { Context } from './service.ts'

/** Fields that clients read (docs/service.md 12.4), and no more of these resources than that. */
export function organizationDocument(organization: OrganizationRecord, context: Context): ResourceDocument {
  const standard = context.store.directory.projectNamed(organization.name, 'Default Project')
  return {
    id: organization.name,
    type: 'organizations',
    attributes: {
      name: organization.name,
      email: organization.email,
      'external-id': `org-${organization.name}`,
      'created-at': organization.createdAt,
      'collaborator-auth-policy': 'password',
    },
    relationships: {
      ...(standard === undefined ? {} : { 'default-project': { data: reference('projects', standard.id) } }),
    },
    links: { self: `${linkBase(context.call, context.profile)}/api/v2/organizations/${organization.name}` },
  }
}

export function projectDocument(project: ProjectRecord, context: Context): ResourceDocument {
  return {
    id: project.id,
    type: 'projects',
    attributes: {
      name: project.name,
      description: project.description,
      'created-at': project.createdAt,
      'workspace-count': context.store.directory.workspacesIn(project.id).size,
    },
    relationships: { organization: { data: reference('organizations', project.organization) } },
    links: { self: `${linkBase(context.call, context.profile)}/api/v2/projects/${project.id}` },
  }
}

export function workspaceDocument(workspace: WorkspaceRecord, context: Context): ResourceDocument {
  return {
    id: workspace.id,
    type: 'workspaces',
    attributes: {
      name: workspace.name,
      description: workspace.description,
      'execution-mode': workspace.executionMode,
      'tag-names': [],
      'resource-count': 0,
      'created-at': workspace.createdAt,
      'updated-at': workspace.updatedAt,
    },
    relationships: {
      organization: { data: reference('organizations', workspace.organization) },
      ...(workspace.project === undefined
        ? {}
        : { project: { data: reference('projects', workspace.project) } }),
    },
    links: { self: `${linkBase(context.call, context.profile)}/api/v2/workspaces/${workspace.id}` },
  }
}

/** A workspace's own variable: `configurable` stands where a set's variable has `varset` (docs/service.md 12.1). */
export function workspaceVariableDocument(
  variable: VariableRecord,
  workspace: WorkspaceRecord,
  context: Context,
): ResourceDocument {
  const path = `${linkBase(context.call, context.profile)}/api/v2/workspaces/${workspace.id}`
  return {
    id: variable.id,
    type: 'vars',
    attributes: variableAttributes(variable, context.profile, true),
    relationships: {
      configurable: { data: reference('workspaces', workspace.id), links: { related: path } },
    },
    links: { self: `${path}/vars/${variable.id}` },
  }
}
