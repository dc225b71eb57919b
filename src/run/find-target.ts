import type { LookUps } from '../api/look-ups.ts'
import { type Checked, commandWord, type Diagnostic, mistake, none } from '../model/diagnostic.ts'
import { type ProjectId, type StackId, TARGETS, type WorkspaceId } from '../model/ids.ts'
import { didYouMean } from '../model/names.ts'
import { type DirectoryEntry, failureIn } from '../model/variable-set.ts'
import { LATER } from '../plan/resolve-names.ts'

/** A workspace by name or id, with its project if that is known. */
interface FoundWorkspace {
  readonly id: WorkspaceId
  readonly name?: string
  readonly project?: { readonly id: ProjectId; readonly name?: string }
  /** The service showed it: without a project here, it has none. */
  readonly isTold: boolean
}

/**
 * Asks the service for it. As in files, a text in the form of an id is an id first, and then a name. An unknown id is accepted if the
 * service tells this token of no workspaces; a name must be known.
 */
export async function findWorkspace(written: string, lookUps: LookUps): Promise<Checked<FoundWorkspace>> {
  const isId = TARGETS.workspaces.isId(written)
  if (isId) await lookUps.ask({ ids: { workspaces: [written] } })
  const byId = lookUps.told().workspaces.filter(({ id }) => id === written)
  const found = byId.length > 0 ? byId : await workspacesNamed(written, lookUps)
  const [only] = found
  if (only !== undefined && found.length === 1)
    return { value: await withProject(only, lookUps), diagnostics: [] }
  if (only !== undefined) return none(ambiguous(written, found))
  const { workspaces, hidden = [] } = lookUps.told()
  if (!hidden.includes('workspaces')) return none(unknown(written, workspaces))
  if (isId) return { value: { id: written, isTold: false }, diagnostics: [] }
  return none(noLookUp(written, failureIn(lookUps.told(), 'workspaces')))
}

async function workspacesNamed(
  written: string,
  lookUps: LookUps,
): Promise<readonly DirectoryEntry<WorkspaceId>[]> {
  const named = () => lookUps.told().workspaces.filter(({ name }) => name === written)
  await lookUps.ask({ names: { workspaces: [written] } })
  // Only the whole list tells which name was meant.
  if (named().length === 0) await lookUps.ask({ all: ['workspaces'] })
  return named()
}

async function withProject(
  { id, name, project }: DirectoryEntry<WorkspaceId>,
  lookUps: LookUps,
): Promise<FoundWorkspace> {
  if (project === undefined) return { id, name, isTold: true }
  await lookUps.ask({ ids: { projects: [project] } })
  const told = lookUps.told().projects.find(one => one.id === project)
  return { id, name, project: { id: project, name: told?.name }, isTold: true }
}

const ambiguous = (written: string, found: readonly DirectoryEntry<WorkspaceId>[]): Diagnostic =>
  mistake(
    'ambiguous-name',
    `${found.length} workspaces are named ${JSON.stringify(written)}: ${found.map(({ id }) => id).join(', ')}.`,
    'Use the id of one of them.',
  )

const noLookUp = (written: string, failure: string | undefined): Diagnostic =>
  failure === undefined
    ? mistake(
        'no-look-up',
        `The service does not show this token which workspace is ${JSON.stringify(written)}.`,
        'Use the id of the workspace, or a token that may read the workspaces.',
      )
    : mistake('no-look-up', `The workspaces cannot be read. ${failure}`, LATER)

function unknown(written: string, workspaces: readonly DirectoryEntry<WorkspaceId>[]): Diagnostic {
  const names = workspaces.map(({ name }) => name)
  return mistake(
    'unknown-name',
    `This token sees no workspace ${JSON.stringify(written)}.`,
    didYouMean(written, names, commandWord) ?? 'Use the name or the id of a workspace.',
  )
}

/** A Stack by id or name, as the user wrote it. */
export interface WrittenStack {
  readonly id: StackId
  readonly name?: string
}

/** The Stack with this id. */
export const stackWritten = (written: string): WrittenStack | undefined =>
  TARGETS.stacks.isId(written) ? { id: written } : undefined

/** The only Stack of this name in the service, for a name that no workspace has; otherwise a diagnostic. */
export async function stackNamed(written: string, lookUps: LookUps): Promise<Checked<WrittenStack>> {
  await lookUps.ask({ all: ['stacks'] })
  const { stacks = [] } = lookUps.told()
  const [found, ...others] = stacks.filter(({ name }) => name === written)
  if (found !== undefined && others.length === 0) return { value: found, diagnostics: [] }
  const name = JSON.stringify(written)
  if (found !== undefined)
    return none(mistake('ambiguous-name', `Several Stacks are named ${name}.`, 'Use the id of one of them.'))
  const names = stacks.map(one => one.name)
  const hint = didYouMean(written, names, commandWord)
  if (hint === undefined) return none()
  return none(mistake('unknown-name', `This token sees no Stack ${name} either.`, hint))
}
