import type { Call } from './call.ts'
import { assignmentRoutes } from './routes/assignments.ts'
import { effectiveVariableRoutes } from './routes/effective-variables.ts'
import { openRoutes } from './routes/open.ts'
import { organizationRoutes } from './routes/organizations.ts'
import { projectRoutes } from './routes/projects.ts'
import { setListRoutes } from './routes/set-lists.ts'
import { setVariableRoutes } from './routes/set-variables.ts'
import { setRoutes } from './routes/sets.ts'
import { snapshotRoutes } from './routes/snapshot.ts'
import { stackRoutes } from './routes/stacks.ts'
import { tagBindingRoutes } from './routes/tag-bindings.ts'
import { workspaceVariableRoutes } from './routes/workspace-variables.ts'
import { workspaceWriteRoutes } from './routes/workspace-writes.ts'
import { workspaceRoutes } from './routes/workspaces.ts'
import type { Route } from './service.ts'

const ROUTES: readonly Route[] = [
  ...openRoutes,
  ...setRoutes,
  ...setListRoutes,
  ...setVariableRoutes,
  ...assignmentRoutes,
  ...organizationRoutes,
  ...projectRoutes,
  ...stackRoutes,
  ...tagBindingRoutes,
  ...workspaceRoutes,
  ...workspaceWriteRoutes,
  ...workspaceVariableRoutes,
  ...effectiveVariableRoutes,
  ...snapshotRoutes,
]

export interface Match {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

interface Pattern {
  readonly route: Route
  readonly segments: readonly string[]
}

const patterns = new Map<string, Pattern[]>()
for (const route of ROUTES) {
  const segments = route.path.split('/')
  const key = `${route.method} ${segments.length}`
  patterns.set(key, [...(patterns.get(key) ?? []), { route, segments }])
}

/** The route that the call names; literal segments are spelled exactly, `:name` takes any one that is not empty. */
export function matchRoute(call: Call): Match | undefined {
  for (const { route, segments } of patterns.get(`${call.method} ${call.segments.length}`) ?? []) {
    const params = paramsOf(segments, call.segments)
    if (params !== undefined) return { route, params }
  }
  return undefined
}

function paramsOf(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  const params: Record<string, string> = {}
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index] ?? ''
    if (!part.startsWith(':')) {
      if (part !== segment) return undefined
    } else {
      if (segment === '') return undefined
      params[part.slice(1)] = segment
    }
  }
  return params
}
