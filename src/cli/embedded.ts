import { dirname, join, resolve } from 'node:path'
import { linkInTheWay } from '../git/work-tree.ts'
import { type Checked, mistake } from '../model/diagnostic.ts'
import type { TargetKind } from '../model/ids.ts'
import type { DesiredState, TargetRef } from '../model/variable-set.ts'
import type { Sandbox } from '../sandbox/index.ts'
import type { Call, Io } from './io.ts'

/** What the embedded sandbox must contain so that the files can be applied. */
export type SandboxContents = Pick<DesiredState, 'organization' | 'directory' | 'sets'>

/** Where `--sandbox` keeps its state: beside the configuration, or in the file of `SETPOINT_SANDBOX_FILE`. */
const sandboxFile = ({ cwd, env, options }: Call): string =>
  resolve(cwd, env.SETPOINT_SANDBOX_FILE || join(dirname(options.config ?? ''), '.setpoint/sandbox'))

/**
 * Opens the embedded service, and creates the organization, workspaces, projects and Stacks that the files name. Ignores
 * `TFE_*` of the environment.
 */
export async function openSandbox(
  io: Call,
  { organization, directory, sets }: SandboxContents,
): Promise<Checked<Sandbox>> {
  // A calling program continues to use its sandbox, so this run does not close it.
  const opened: Checked<Sandbox> =
    io.sandbox === undefined
      ? await openFile(io, sandboxFile(io))
      : { value: { ...io.sandbox, close: async () => {} }, diagnostics: [] }
  const { value: sandbox } = opened
  if (sandbox === undefined) return opened
  const namedAs = (kind: TargetKind): SandboxTarget[] => [
    ...(directory[kind] ?? []),
    ...sets.flatMap(set => (set[kind] ?? []).map(named)),
  ]
  const workspaces = namedAs('workspaces')
  // A Stack is always in a project.
  const stacks = distinct(namedAs('stacks'), organization).map(stack => ({
    ...stack,
    project: stack.project ?? ANY_PROJECT,
  }))
  const mentioned = [...workspaces, ...stacks].flatMap(({ project }) =>
    project === undefined ? [] : [{ name: project }],
  )
  const owners = sets.flatMap(({ project }) => (project === undefined ? [] : [named(project)]))
  sandbox.ensure({
    organizations: [{ name: organization }],
    projects: distinct([...namedAs('projects'), ...owners, ...mentioned], organization),
    workspaces: distinct(workspaces, organization),
    stacks,
  })
  return opened
}

/** Reports a file that another run uses, or that is damaged. */
async function openFile(io: Io, file: string): Promise<Checked<Sandbox>> {
  const link = linkInTheWay(io.cwd, file)
  if (link !== undefined) return notThere(`The sandbox cannot be kept in ${JSON.stringify(file)}: ${link}.`)
  // Not `sandbox/index.ts`, which loads the YAML package for seeds.
  const { createSandbox } = await import('../sandbox/sandbox.ts')
  const { JournalError } = await import('../sandbox/journal.ts')
  const { LockedError } = await import('../sandbox/lock.ts')
  try {
    return { value: await createSandbox({ file, now: io.now, seed: {} }), diagnostics: [] }
  } catch (error) {
    if (!(error instanceof JournalError) && !(error instanceof LockedError)) throw error
    return notThere(error.message)
  }
}

const notThere = (message: string): Checked<Sandbox> => ({
  value: undefined,
  diagnostics: [mistake('service-failure', message)],
})

type SandboxTarget = { readonly id?: string; readonly name?: string; readonly project?: string }

const named = (target: TargetRef<string>): SandboxTarget =>
  'id' in target ? { id: target.id } : { name: target.name }

/** The project of everything without one, as in the real service. */
const ANY_PROJECT = 'Default Project'

/** Each one once. Those with an id come first, so that a name of the directory file gets its id. */
function distinct(
  targets: readonly SandboxTarget[],
  organization: string,
): (SandboxTarget & { organization: string })[] {
  const seen = new Set<string>()
  return targets.flatMap(target => {
    const keys = [target.id, target.name].filter(key => key !== undefined)
    if (keys.some(key => seen.has(key))) return []
    for (const key of keys) seen.add(key)
    const { id, name, project } = target
    return [{ ...(id && { id }), ...(name && { name }), ...(project && { project }), organization }]
  })
}
