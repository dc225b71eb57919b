import type { Reference, ResourceDocument } from '../wire/documents.ts'
import { mayManage } from './access.ts'
import { linkBase } from './list-pages.ts'
import { hasKind, type Server } from './profile.ts'
import type { AssignmentKind, OrganizationRecord, PlaceRecord, SetRecord, VariableRecord } from './records.ts'
import type { RequestContext } from './route.ts'
import { ASSUMED } from './service-limits.ts'

export const reference = (type: string, id: string): Reference => ({ id, type })

/** A resource with a link to itself. Members that are `undefined` are not sent. */
export const resource = (
  type: string,
  id: string,
  attributes: ResourceDocument['attributes'],
  relationships: ResourceDocument['relationships'],
  context: RequestContext,
): ResourceDocument => ({
  id,
  type,
  attributes,
  relationships,
  links: { self: `${linkBase(context)}/api/v2/${type}/${id}` },
})

/** Defaults that the real service shows; a client sees a difference if one is missing (docs/service.md 12.5). */
const DEFAULT_ATTRIBUTES = {
  organizations: {
    'collaborator-auth-policy': 'password',
    'cost-estimation-enabled': false,
    'assessments-enforced': false,
    'allow-force-delete-workspaces': false,
    'speculative-plan-management-enabled': true,
    'send-passing-statuses-for-untriggered-speculative-plans': false,
    'aggregated-commit-status-enabled': true,
    'user-tokens-enabled': true,
    'default-execution-mode': 'remote',
  },
  projects: { 'default-execution-mode': 'remote' },
  stacks: { 'speculative-enabled': false, 'creation-source': 'tfe-api' },
  workspaces: {
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
  },
} as const

/** The fields of these resources that clients read (docs/service.md 12.4). */
export function organizationDocument(
  { name, email, kept, createdAt }: OrganizationRecord,
  context: RequestContext,
): ResourceDocument {
  const standard = context.store.directory.named('projects', name, 'Default Project')
  const hasStandard = standard !== undefined && hasKind('projects', context.server)
  return resource(
    'organizations',
    name,
    {
      ...DEFAULT_ATTRIBUTES.organizations,
      ...kept,
      name,
      email,
      'external-id': `org-${name}`,
      'created-at': createdAt,
      permissions: may(context, 'update', 'destroy', 'create-workspace', 'create-project'),
    },
    hasStandard ? { 'default-project': { data: reference('projects', standard.id) } } : {},
    context,
  )
}

/** What this token may do, as clients check it before they delete or change something. */
const may = ({ token }: RequestContext, ...actions: readonly string[]) =>
  Object.fromEntries(actions.map(action => [`can-${action}`, mayManage(token)]))

export const PLACE_DOCUMENTS: Readonly<
  Record<AssignmentKind, (place: PlaceRecord, context: RequestContext) => ResourceDocument>
> = {
  projects: (project, context) =>
    placeDocument('projects', project, context, {
      'workspace-count': context.store.directory.workspacesIn(project.id).size,
      permissions: may(context, 'update', 'destroy', 'create-workspace'),
    }),
  stacks: (stack, context) =>
    placeDocument('stacks', stack, context, {
      'upstream-count': 0,
      'downstream-count': 0,
      'inputs-count': 0,
      'outputs-count': 0,
      'updated-at': stack.updatedAt,
    }),
  workspaces(workspace, context) {
    const own = ['update', 'update-variable', 'destroy', 'force-delete', 'lock', 'unlock', 'queue-run']
    const { links, relationships, ...document } = placeDocument('workspaces', workspace, context, {
      'execution-mode': workspace.executionMode ?? 'remote',
      operations: workspace.executionMode !== 'local',
      'resource-count': 0,
      locked: false,
      'updated-at': workspace.updatedAt,
      permissions: { 'can-read-variable': true, 'can-read-settings': true, ...may(context, ...own) },
    })
    const page = `/app/${workspace.organization}/workspaces/${workspace.name}`
    // Nothing runs here, and clients ask for the run.
    return {
      ...document,
      relationships: { ...relationships, 'current-run': { data: null } },
      links: { ...links, 'self-html': page },
    }
  },
}

/** `attributes`: those that only the service writes. */
const placeDocument = (
  kind: AssignmentKind,
  place: PlaceRecord,
  context: RequestContext,
  attributes: ResourceDocument['attributes'],
): ResourceDocument =>
  resource(
    kind,
    place.id,
    {
      ...DEFAULT_ATTRIBUTES[kind],
      ...place.kept,
      name: place.name,
      description: place.description,
      'created-at': place.createdAt,
      ...attributes,
    },
    {
      organization: { data: reference('organizations', place.organization) },
      ...(place.project !== undefined &&
        hasKind('projects', context.server) && { project: { data: reference('projects', place.project) } }),
    },
    context,
  )

/** A variable of a set with its relationship and link (docs/service.md 2.2). `created-at` only where lists show it. */
export function variableDocument(
  variable: VariableRecord,
  { id }: SetRecord,
  context: RequestContext,
  created: boolean,
): ResourceDocument {
  const related = `${linkBase(context)}/api/v2/varsets/${id}`
  return {
    id: variable.id,
    type: 'vars',
    attributes: variableAttributes(variable, context.server, created),
    relationships: { varset: { data: reference('varsets', id), links: { related } } },
    links: { self: `${related}/relationships/vars/${variable.id}` },
  }
}

/** A workspace variable: it has `configurable` where a set's variable has `varset` (docs/service.md 12.1). */
export function workspaceVariableDocument(
  variable: VariableRecord,
  { id }: PlaceRecord,
  context: RequestContext,
): ResourceDocument {
  const related = `${linkBase(context)}/api/v2/workspaces/${id}`
  return {
    id: variable.id,
    type: 'vars',
    attributes: variableAttributes(variable, context.server, true),
    relationships: { configurable: { data: reference('workspaces', id), links: { related } } },
    links: { self: `${related}/vars/${variable.id}` },
  }
}

export const variableAttributes = (variable: VariableRecord, server: Server, created: boolean) =>
  ({
    key: variable.key,
    value: shownValue(variable, server),
    sensitive: variable.sensitive,
    category: variable.category,
    hcl: variable.hcl,
    'created-at': created && server.counts === 'yes' ? variable.createdAt : undefined,
    description: variable.description,
    'version-id': server.versions === 'yes' ? variable.versionId : undefined,
  }) satisfies Record<
    Exclude<keyof VariableRecord, 'id' | 'createdAt' | 'versionId'> | 'created-at' | 'version-id',
    unknown
  >

/** A sensitive value is never returned; the interface does not say what replaces it. */
function shownValue(variable: VariableRecord, server: Server): string | null | undefined {
  if (!variable.sensitive) return variable.value
  switch (server.sensitiveValue) {
    case 'null':
      return null
    case 'empty':
      return ''
    case 'left out':
      return undefined
    case 'mask':
      return ASSUMED.mask
  }
}
