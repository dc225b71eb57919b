import type { ResourceDocument } from '../wire/documents.ts'
import { mayManage } from './access.ts'
import { reference, variableAttributes } from './documents.ts'
import { linkBase } from './lists.ts'
import type {
  OrganizationRecord,
  ProjectRecord,
  StackRecord,
  VariableRecord,
  WorkspaceRecord,
} from './records.ts'
import type { RequestContext } from './service.ts'

/** Defaults that the real service shows; a client sees a difference if one is missing (docs/service.md 12.5). */
const ORGANIZATION_ATTRIBUTES = {
  'collaborator-auth-policy': 'password',
  'cost-estimation-enabled': false,
  'assessments-enforced': false,
  'allow-force-delete-workspaces': false,
  'speculative-plan-management-enabled': true,
  'send-passing-statuses-for-untriggered-speculative-plans': false,
  'aggregated-commit-status-enabled': true,
  'user-tokens-enabled': true,
  'default-execution-mode': 'remote',
} as const

const WORKSPACE_ATTRIBUTES = {
  'allow-destroy-plan': true,
  'assessments-enabled': false,
  'auto-apply': false,
  'auto-apply-run-trigger': false,
  'file-triggers-enabled': true,
  'global-remote-state': false,
  'queue-all-runs': false,
  'speculative-enabled': true,
  'structured-run-output-enabled': true,
  'terraform-version': '1.11.4',
  'trigger-prefixes': [],
  'trigger-patterns': [],
  'working-directory': '',
  'tag-names': [],
} as const

/** The fields of these resources that clients read (docs/service.md 12.4). */
export function organizationDocument(
  organization: OrganizationRecord,
  context: RequestContext,
): ResourceDocument {
  const may = mayManage(context.token)
  const standard = context.store.directory.named('projects', organization.name, 'Default Project')
  return {
    id: organization.name,
    type: 'organizations',
    attributes: {
      ...ORGANIZATION_ATTRIBUTES,
      ...organization.kept,
      name: organization.name,
      email: organization.email,
      'external-id': `org-${organization.name}`,
      'created-at': organization.createdAt,
      permissions: {
        'can-update': may,
        'can-destroy': may,
        'can-create-workspace': may,
        'can-create-project': may,
      },
    },
    relationships: {
      ...(standard === undefined ? {} : { 'default-project': { data: reference('projects', standard.id) } }),
    },
    links: { self: `${linkBase(context.call, context.profile)}/api/v2/organizations/${organization.name}` },
  }
}

export function projectDocument(project: ProjectRecord, context: RequestContext): ResourceDocument {
  const may = mayManage(context.token)
  return {
    id: project.id,
    type: 'projects',
    attributes: {
      'default-execution-mode': 'remote',
      ...project.kept,
      name: project.name,
      description: project.description,
      'created-at': project.createdAt,
      'workspace-count': context.store.directory.workspacesIn(project.id).size,
      permissions: { 'can-update': may, 'can-destroy': may, 'can-create-workspace': may },
    },
    relationships: { organization: { data: reference('organizations', project.organization) } },
    links: { self: `${linkBase(context.call, context.profile)}/api/v2/projects/${project.id}` },
  }
}

export function stackDocument(stack: StackRecord, context: RequestContext): ResourceDocument {
  return {
    id: stack.id,
    type: 'stacks',
    attributes: {
      'speculative-enabled': false,
      'creation-source': 'tfe-api',
      ...stack.kept,
      name: stack.name,
      description: stack.description,
      'upstream-count': 0,
      'downstream-count': 0,
      'inputs-count': 0,
      'outputs-count': 0,
      'created-at': stack.createdAt,
      'updated-at': stack.updatedAt,
    },
    relationships: {
      organization: { data: reference('organizations', stack.organization) },
      project: { data: reference('projects', stack.project) },
    },
    links: { self: `${linkBase(context.call, context.profile)}/api/v2/stacks/${stack.id}` },
  }
}

export function workspaceDocument(workspace: WorkspaceRecord, context: RequestContext): ResourceDocument {
  return {
    id: workspace.id,
    type: 'workspaces',
    attributes: {
      ...WORKSPACE_ATTRIBUTES,
      ...workspace.kept,
      name: workspace.name,
      description: workspace.description,
      'execution-mode': workspace.executionMode,
      operations: workspace.executionMode !== 'local',
      'resource-count': 0,
      locked: false,
      'created-at': workspace.createdAt,
      'updated-at': workspace.updatedAt,
      permissions: workspacePermissions(mayManage(context.token)),
    },
    relationships: {
      organization: { data: reference('organizations', workspace.organization) },
      ...(workspace.project === undefined
        ? {}
        : { project: { data: reference('projects', workspace.project) } }),
    },
    links: {
      self: `${linkBase(context.call, context.profile)}/api/v2/workspaces/${workspace.id}`,
      'self-html': `/app/${workspace.organization}/workspaces/${workspace.name}`,
    },
  }
}

/** What a client checks before it deletes or changes a workspace (docs/service.md 12.4). */
const workspacePermissions = (may: boolean) => ({
  'can-read-variable': true,
  'can-read-settings': true,
  'can-update': may,
  'can-update-variable': may,
  'can-destroy': may,
  'can-force-delete': may,
  'can-lock': may,
  'can-unlock': may,
  'can-queue-run': may,
})

/** A workspace variable: it has `configurable` where a set's variable has `varset` (docs/service.md 12.1). */
export function workspaceVariableDocument(
  variable: VariableRecord,
  workspace: WorkspaceRecord,
  context: RequestContext,
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
