import type { Checked, Diagnostic } from '../model/diagnostic.ts'
import { isWrittenWorkspaceId, type ProjectId, type WorkspaceId } from '../model/ids.ts'
import { suggest } from '../model/names.ts'
import type { Directory } from '../model/variable-set.ts'

/** A workspace by name or id, and its project where anybody says it. */
export interface FoundWorkspace {
  readonly id: WorkspaceId
  readonly name?: string
  readonly project?: { readonly id: ProjectId; readonly name?: string }
  /** The service has just said so: without a project it has none. */
  readonly live?: true
  /** The directory file alone gave the name. */
  readonly unconfirmed?: true
}

/**
 * In the directory file, else in the service. An id that neither knows is taken where the service has no list; a name has
 * to be known.
 */
export async function findWorkspace(
  written: string,
  filed: Directory,
  lookUp: () => Promise<Checked<Directory>>,
): Promise<Checked<FoundWorkspace>> {
  const [inFile, ...others] = foundIn(filed, written)
  if (inFile !== undefined && others.length > 0)
    return { value: undefined, diagnostics: [ambiguous(written, [inFile, ...others])] }
  if (inFile?.project !== undefined) return { value: inFile, diagnostics: [] }
  const live = await lookUp()
  if (live.value === undefined)
    return inFile !== undefined || isWrittenWorkspaceId(written)
      ? { value: inFile ?? (isWrittenWorkspaceId(written) ? { id: written } : undefined), diagnostics: [] }
      : { value: undefined, diagnostics: live.diagnostics }
  const found = foundIn(live.value, written)
  const [only] = found
  if (only !== undefined && found.length === 1) return { value: { ...only, live: true }, diagnostics: [] }
  const known = [...live.value.workspaces, ...filed.workspaces]
  return {
    value: undefined,
    diagnostics: [found.length === 0 ? unknown(written, known) : ambiguous(written, found)],
  }
}

/** What has the shape of an id is one, as in files; a name that looks like one is only looked for after it. */
function foundIn({ workspaces, projects }: Directory, written: string): FoundWorkspace[] {
  const withId = workspaces.filter(({ id }) => id === written).slice(0, 1)
  return (withId.length > 0 ? withId : workspaces.filter(({ name }) => name === written)).map(found => {
    const project = projects.find(({ name }) => name === found.project)
    return {
      id: found.id,
      name: found.name,
      ...(project === undefined ? {} : { project: { id: project.id, name: project.name } }),
    }
  })
}

const ambiguous = (written: string, found: readonly FoundWorkspace[]): Diagnostic => ({
  severity: 'error',
  code: 'ambiguous-name',
  message: `${found.length} workspaces are called ${JSON.stringify(written)}: ${found.map(({ id }) => id).join(', ')}.`,
  hint: 'Name one of them by its id.',
})

function unknown(written: string, workspaces: Directory['workspaces']): Diagnostic {
  const near = suggest(
    written,
    workspaces.map(({ name }) => name),
  )
  return {
    severity: 'error',
    code: 'unknown-name',
    message: `There is no workspace ${JSON.stringify(written)} that this token may see.`,
    hint: near === undefined ? 'Write its name or its id.' : `Did you mean ${JSON.stringify(near)}?`,
  }
}
