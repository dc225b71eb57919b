import { dirname, resolve } from 'node:path'
import { linkInTheWay } from '../git/work-tree.ts'
import type { Checked, Diagnostic } from '../model/diagnostic.ts'
import type { TargetKind } from '../model/ids.ts'
import type { DesiredState, TargetRef } from '../model/variable-set.ts'
import type { Sandbox } from '../sandbox/index.ts'
import type { Io } from './io.ts'
import type { Options } from './options.ts'

/** What the embedded sandbox has to hold so that the files can be applied to it. */
export type SandboxContents = Pick<DesiredState, 'organization' | 'directory' | 'sets'>

/** Where `--sandbox` keeps its state: beside the configuration, or where `SETPOINT_SANDBOX_FILE` says. */
export function sandboxFile(io: Io, options: Options): string {
  const chosen = io.env.SETPOINT_SANDBOX_FILE
  if (chosen !== undefined && chosen !== '') return resolve(io.cwd, chosen)
  const directory = resolve(io.cwd, options.directory)
  return resolve(
    options.config === undefined ? directory : dirname(resolve(directory, options.config)),
    '.setpoint/sandbox',
  )
}

/**
 * The embedded service, which makes the organization and the workspaces, projects and Stacks that the files name. Nothing of
 * the environment's `TFE_*` is looked at.
 */
export async function openSandbox(
  io: Io,
  options: Options,
  { organization, directory, sets }: SandboxContents,
): Promise<Checked<Sandbox>> {
  const { value: sandbox, diagnostics } =
    io.sandbox === undefined ? await openFile(io, sandboxFile(io, options)) : keptOpen(io.sandbox)
  if (sandbox === undefined) return { value: undefined, diagnostics }
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
  return { value: sandbox, diagnostics }
}

/** It is used on after this run, so it is not closed by it. */
const keptOpen = (sandbox: Sandbox): Checked<Sandbox> => ({
  value: { ...sandbox, close: async () => {} },
  diagnostics: [],
})

/** A file that another run has, or that is damaged, is something the user can act on. */
async function openFile(io: Io, file: string): Promise<Checked<Sandbox>> {
  const link = linkInTheWay(io.cwd, file)
  if (link !== undefined)
    return {
      value: undefined,
      diagnostics: [notThere(`The sandbox cannot be kept in ${JSON.stringify(file)}: ${link}.`)],
    }
  // Not the whole surface of the sandbox: reading a seed from a text needs the YAML package.
  const { createSandbox } = await import('../sandbox/sandbox.ts')
  const { JournalError } = await import('../sandbox/journal.ts')
  const { LockedError } = await import('../sandbox/lock.ts')
  try {
    return { value: await createSandbox({ file, now: io.now, seed: {} }), diagnostics: [] }
  } catch (error) {
    if (!(error instanceof JournalError) && !(error instanceof LockedError)) throw error
    return { value: undefined, diagnostics: [notThere(error.message)] }
  }
}

const notThere = (message: string): Diagnostic => ({ severity: 'error', code: 'service-failure', message })

type SandboxTarget = { readonly id?: string; readonly name?: string; readonly project?: string }

const named = (target: TargetRef<string>): SandboxTarget =>
  'id' in target ? { id: target.id } : { name: target.name }

/** Where the real service puts what nobody put anywhere. */
const ANY_PROJECT = 'Default Project'

/** Each once, those with an id first: a name that the directory knows is made with the directory's id. */
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
