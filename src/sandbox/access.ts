import { isObject } from './call.ts'
import type { Profile } from './profile.ts'
import type { Permission, ProjectPermission, SetRecord, TokenRecord } from './records.ts'
import { notFound, Refusal, unauthorized } from './refusal.ts'
import type { Context, Route } from './service.ts'
import type { Store } from './store.ts'

const RANK = {
  none: 0,
  'read-variables': 1,
  'manage-workspaces': 2,
  admin: 3,
} as const satisfies Record<Permission, number>

/** What a project's access is worth for a set of that project. */
const PROJECT_RANK = { none: 0, read: 1, manage: 2 } as const satisfies Record<ProjectPermission, number>

/** Who asks. Refuses a token that is missing or unknown (401 in the real service: docs/service.md 9.1). */
export function authenticate(token: string | undefined, store: Store, profile: Profile): TokenRecord {
  const record = token === undefined ? undefined : store.tokens.get(token)
  if (record !== undefined) return record
  throw profile.badToken === 'unauthorized' ? unauthorized() : notFound()
}

export const mayManage = (token: TokenRecord | undefined) =>
  token !== undefined && RANK[token.permission] >= RANK['manage-workspaces']

/** Interface 5, rule 3: without the permission it is as if nothing were there. */
export function authorize(route: Route, context: Context): void {
  const { token, profile } = context
  if (route.access === 'open' || token === undefined) return
  const wanted = RANK[route.access]
  if (RANK[token.permission] >= wanted || rankByProject(route, context) >= wanted) return
  switch (profile.missingPermission) {
    case 'not-found':
      throw notFound()
    case 'forbidden':
      throw new Refusal(403, [{ title: 'forbidden' }])
    case 'unauthorized':
      throw unauthorized()
  }
}

export const mayChange = (set: SetRecord, context: Context) =>
  mayManage(context.token) || rankIn(set.ownerProject, context) >= PROJECT_RANK.manage

/** Who has only the access of projects sees only the sets that these own. */
export function seenSets(sets: readonly SetRecord[], context: Context): readonly SetRecord[] {
  if (context.token === undefined || RANK[context.token.permission] >= RANK['read-variables']) return sets
  return sets.filter(set => rankIn(set.ownerProject, context) >= PROJECT_RANK.read)
}

/** What the access of projects allows of this request: it is asked for sets alone. */
function rankByProject(route: Route, context: Context): number {
  const { projects } = context.token ?? {}
  if (projects === undefined || !route.path.split('/').includes('varsets')) return 0
  const { set, project, organization } = context.params
  if (route.path.startsWith('api/v2/varsets/')) {
    return rankIn(context.store.sets.get(set ?? '')?.ownerProject, context)
  }
  if (project !== undefined) return rankIn(project, context)
  if (organization === undefined) return 0
  if (route.method === 'POST') return rankIn(namedParent(context), context)
  return Math.max(0, ...Object.values(projects).map(permission => PROJECT_RANK[permission]))
}

function rankIn(project: string | undefined, { token, store }: Context): number {
  if (project === undefined || token?.projects === undefined) return 0
  const { name = '' } = store.directory.projects.get(project) ?? {}
  return Math.max(
    0,
    ...Object.entries(token.projects)
      .filter(([nameOrId]) => nameOrId === project || nameOrId === name)
      .map(([, permission]) => PROJECT_RANK[permission]),
  )
}

/** The project that is to own the set of a create; a body that cannot be read names none. */
function namedParent({ call }: Context): string | undefined {
  const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined)
  try {
    const relationships = member(call.document().data, 'relationships')
    const data = member(member(relationships, 'parent'), 'data')
    const id = member(data, 'type') === 'projects' ? member(data, 'id') : undefined
    return typeof id === 'string' ? id : undefined
  } catch (error) {
    if (error instanceof Refusal) return undefined
    throw error
  }
}
