import type { NameLookup } from '../api/directory.ts'
import { type Checked, type Diagnostic, mistake, none } from '../model/diagnostic.ts'
import { type ProjectId, type StackId, TARGETS, type WorkspaceId } from '../model/ids.ts'
import { suggest } from '../model/names.ts'
import type { Directory } from '../model/variable-set.ts'

/** A workspace by name or id, with its project if that is known. */
export interface FoundWorkspace {
  readonly id: WorkspaceId
  readonly name?: string
  readonly project?: { readonly id: ProjectId; readonly name?: string }
  /** From a list that was just read: without a project here, it has none. */
  readonly live?: true
}

/**
 * Looks in the directory file, then in the service. An unknown id is accepted if the service has no list; a name must be
 * known.
 */
export async function findWorkspace(
  written: string,
  filed: Directory,
  lookUp: () => Promise<Checked<Directory>>,
): Promise<Checked<FoundWorkspace>> {
  const [inFile, ...others] = foundIn(filed, written)
  if (inFile !== undefined && others.length > 0) return none(ambiguous(written, [inFile, ...others]))
  if (inFile?.project !== undefined) return { value: inFile, diagnostics: [] }
  const live = await lookUp()
  if (live.value === undefined) {
    const value = inFile ?? (TARGETS.workspaces.isWrittenId(written) ? { id: written } : undefined)
    return { value, diagnostics: value === undefined ? live.diagnostics : [] }
  }
  const found = foundIn(live.value, written)
  const [only] = found
  if (only !== undefined && found.length === 1) return { value: { ...only, live: true }, diagnostics: [] }
  const known = [...live.value.workspaces, ...filed.workspaces]
  return none(found.length === 0 ? unknown(written, known) : ambiguous(written, found))
}

/** As in files, a text in the form of an id is looked up as an id first, and then as a name. */
function foundIn({ workspaces, projects }: Directory, written: string): FoundWorkspace[] {
  const withId = workspaces.filter(({ id }) => id === written).slice(0, 1)
  return (withId.length > 0 ? withId : workspaces.filter(({ name }) => name === written)).map(found => {
    const project = projects.find(({ name }) => name === found.project)
    return { id: found.id, name: found.name, project: project && { id: project.id, name: project.name } }
  })
}

const ambiguous = (written: string, found: readonly FoundWorkspace[]): Diagnostic =>
  mistake(
    'ambiguous-name',
    `${found.length} workspaces are named ${JSON.stringify(written)}: ${found.map(({ id }) => id).join(', ')}.`,
    'Use the id of one of them.',
  )

function unknown(written: string, workspaces: Directory['workspaces']): Diagnostic {
  const names = workspaces.map(({ name }) => name)
  const near = suggest(written, names)
  return mistake(
    'unknown-name',
    `This token sees no workspace ${JSON.stringify(written)}.`,
    near === undefined ? 'Use the name or the id of a workspace.' : `Did you mean ${JSON.stringify(near)}?`,
  )
}

/** A Stack by id or name, as the user wrote it. */
export interface WrittenStack {
  readonly id: StackId
  /** As the directory file, or the service, calls it. */
  readonly name?: string
}

/** The Stack with this id, or the only one of this name in the directory file if no workspace has the name. */
export function stackWritten(
  written: string,
  { workspaces, stacks = [] }: Directory,
): WrittenStack | undefined {
  if (TARGETS.stacks.isWrittenId(written)) return { id: written }
  const [found, ...others] = stacks.filter(({ name }) => name === written)
  const isWorkspace = workspaces.some(({ name, id }) => name === written || id === written)
  return found === undefined || others.length > 0 || isWorkspace ? undefined : { id: found.id, name: written }
}

/** The only Stack of this name in the service, for a name that no workspace has; otherwise a diagnostic. */
export async function stackNamed(written: string, lookUp: NameLookup): Promise<Checked<WrittenStack>> {
  const listed = (await lookUp.stacks()) ?? []
  const [found, ...others] = listed.filter(({ name }) => name === written)
  if (found !== undefined && others.length === 0) return { value: found, diagnostics: [] }
  const name = JSON.stringify(written)
  if (found !== undefined)
    return none(mistake('ambiguous-name', `Several Stacks are named ${name}.`, 'Use the id of one of them.'))
  const names = listed.map(one => one.name)
  const near = suggest(written, names)
  if (near === undefined) return none()
  const hint = `Did you mean ${JSON.stringify(near)}?`
  return none(mistake('unknown-name', `This token sees no Stack ${name} either.`, hint))
}
