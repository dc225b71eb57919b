import { type Checked, compareText, hasErrors } from '../model/diagnostic.ts'
import { Findings } from '../model/findings.ts'
import type { ProjectId, WorkspaceId } from '../model/ids.ts'
import type {
  DesiredSet,
  DesiredState,
  Directory,
  ResolvedSet,
  ResolvedState,
  TargetRef,
} from '../model/variable-set.ts'
import { createNameIndex, type NameIndex } from './name-index.ts'

/**
 * Names to ids: through the directory file, then through `lookUp`, which is called at most once and only for a name that
 * the file does not have. Unknown, ambiguous, stale and repeated targets are located diagnostics.
 */
export async function resolveNames(
  desired: DesiredState,
  lookUp: () => Promise<Checked<Directory>>,
): Promise<Checked<ResolvedState>> {
  const live = needsLookUp(desired) ? await lookUp() : undefined
  const findings = new Findings()
  const workspaces = createNameIndex('workspace', desired.directory.workspaces, live?.value?.workspaces)
  const projects = createNameIndex('project', desired.directory.projects, live?.value?.projects)
  const sets = desired.sets.map(set => resolveSet(set, workspaces, projects, findings))
  const diagnostics = [...(live?.diagnostics ?? []), ...findings.sorted()]
  return {
    value: hasErrors(diagnostics)
      ? undefined
      : { ...desired, directory: live?.value ? { ...live.value, live: true } : desired.directory, sets },
    diagnostics,
  }
}

function needsLookUp({ sets, directory }: DesiredState): boolean {
  const workspaces = new Set(directory.workspaces.map(({ name }) => name))
  const projects = new Set(directory.projects.map(({ name }) => name))
  const unknown = (known: ReadonlySet<string>) => (target: TargetRef<string>) =>
    'name' in target && !known.has(target.name)
  return sets.some(
    set =>
      set.workspaces?.some(unknown(workspaces)) === true || set.projects?.some(unknown(projects)) === true,
  )
}

function resolveSet(
  set: DesiredSet,
  workspaces: NameIndex<WorkspaceId>,
  projects: NameIndex<ProjectId>,
  findings: Findings,
): ResolvedSet {
  const { workspaces: writtenWorkspaces, projects: writtenProjects, ...rest } = set
  return {
    ...rest,
    ...(writtenWorkspaces === undefined
      ? {}
      : { workspaces: resolveTargets(writtenWorkspaces, workspaces, findings) }),
    ...(writtenProjects === undefined
      ? {}
      : { projects: resolveTargets(writtenProjects, projects, findings) }),
  }
}

function resolveTargets<Id extends string>(
  targets: readonly TargetRef<Id>[],
  index: NameIndex<Id>,
  findings: Findings,
): Id[] {
  const resolved = new Map<Id, TargetRef<Id>>()
  for (const target of targets) {
    const id = 'id' in target ? target.id : index.resolve(target, findings)
    if (id === undefined) continue
    const first = resolved.get(id)
    if (first === undefined) resolved.set(id, target)
    else
      findings.error(
        'duplicate-target',
        target.source,
        `${spoken(target)} is the same ${index.kind} as ${spoken(first)} on line ${first.source.line}`,
        'remove one of the two',
      )
  }
  return [...resolved.keys()].sort(compareText)
}

const spoken = (target: TargetRef<string>): string => `"${'id' in target ? target.id : target.name}"`
