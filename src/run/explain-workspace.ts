import { createNameLookup, type NameLookup, NO_NAMES, readLiveNames } from '../api/directory.ts'
import { resolveNames } from '../api/names.ts'
import { ownVariables, setsOf } from '../api/observe.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { type Checked, type Diagnostic, hasErrors, mistake, none } from '../model/diagnostic.ts'
import { type ProjectId, TARGETS, type VariableKey, type WorkspaceId } from '../model/ids.ts'
import { suggest } from '../model/names.ts'
import type { DesiredState, DesiredVariable, Directory } from '../model/variable-set.ts'
import { explainVariables } from '../plan/effective/explain.ts'
import type { ExplainedState, Explanation, ValueLine } from '../plan/effective/explanation.ts'
import { matchStates } from '../plan/match-states.ts'
import { observeOnce, type ReadOnly } from './prepare.ts'

/**
 * Everything that one workspace receives, from the service's own lists of its sets if it has them. Without a value, a
 * diagnostic says why. `blame` says of values from the files who last changed them.
 */
export async function explainWorkspace(
  desired: DesiredState,
  service: ReadOnly,
  written: string,
  moment: ExplainedState,
  lookUp: NameLookup = createNameLookup(service.reader, desired.organization),
  blame?: BlameValues,
): Promise<Checked<Explanation>> {
  const { organization, directory } = desired
  const { reader, address } = service
  const found = await findWorkspace(written, directory, lookUp.places)
  if (found.value === undefined) return none(...found.diagnostics)
  const { id, name, project: filed, live } = found.value
  const asked = { workspaces: [id], projects: filed === undefined ? [] : [filed.id] }
  const [named, observed, sets, own, ofProject, { nameOf }] = await Promise.all([
    moment === 'live' ? undefined : resolveNames(desired, lookUp),
    observeOnce(service, organization),
    setsOf(reader, 'workspaces', organization, id),
    ownVariables(reader, id),
    filed && setsOf(reader, 'projects', organization, filed.id),
    // A pull request can change the names in the directory file.
    live ? NO_NAMES : readLiveNames(reader, organization, asked, directory),
  ])
  const called = nameOf.get(id)
  if (called !== undefined && called !== name && written === name)
    return none(stale(found.value, `calls that workspace ${JSON.stringify(called)}`))
  if (named !== undefined && hasErrors(named.diagnostics)) return none(...named.diagnostics)
  if (sets === undefined && own === undefined && (await isGone(id, lookUp)))
    return none(stale(found.value, 'has no such workspace'))

  // Some services list the sets of projects for a workspace and not for the organization.
  const listed = new Set(observed.sets.map(set => set.id))
  const unlisted = sets?.filter(set => !listed.has(set.id)) ?? []
  const all = { ...observed, sets: [...observed.sets, ...unlisted] }
  const match = named?.value && matchStates(named.value, all, []).match
  const diagnostics = match?.diagnostics ?? []
  if (hasErrors(diagnostics)) return none(...diagnostics)
  const workspace = {
    id,
    own: own ?? new Map(),
    project: filed?.id,
    reached: sets && new Set(sets.map(set => set.id)),
    throughProject: ofProject && new Set(ofProject.map(set => set.id)),
  }
  const { variables, project, given } = explainVariables(workspace, all, match, moment, looksLikeSecret)
  const isWithin = project !== undefined && project === filed?.id
  // The service's list, if it has one, says what the workspace receives now.
  const needsProject =
    (sets === undefined || moment !== 'live') && all.sets.some(({ projects }) => projects.length > 0)
  const explanation: Explanation = {
    organization,
    address,
    moment,
    workspace: {
      id,
      name: called ?? name,
      project: project && {
        id: project,
        name: isWithin ? (live ? filed.name : nameOf.get(project)) : undefined,
      },
    },
    variables,
    notes: [
      live === undefined && called === undefined && name !== undefined ? NAME_OF_FILE : [],
      sets === undefined ? NO_LIST : [],
      own === undefined ? NO_OWN : [],
      project === undefined && live === undefined && needsProject ? NO_PROJECT : [],
    ].flat(),
  }
  if (blame === undefined) return { value: explanation, diagnostics }
  const lines = await blame([...given.values()])
  return {
    value: lines.value && blamed(explanation, given, lines.value),
    diagnostics: [...diagnostics, ...lines.diagnostics],
  }
}

/** The lines behind variables, with who last changed them. */
export type BlameValues = (
  variables: readonly DesiredVariable[],
) => Promise<Checked<ReadonlyMap<DesiredVariable, readonly ValueLine[]>>>

function blamed(
  explanation: Explanation,
  given: ReadonlyMap<VariableKey, DesiredVariable>,
  lines: ReadonlyMap<DesiredVariable, readonly ValueLine[]>,
): Explanation {
  const variables = explanation.variables.map(variable => {
    const declared = given.get(variable.key)
    const blame = (declared && lines.get(declared)) ?? []
    return { ...variable, after: variable.after && { ...variable.after, blame } }
  })
  return { ...explanation, variables }
}

const NAME_OF_FILE = 'The name comes from the directory file; the service does not show it to this token.'
const NO_LIST =
  'The service does not list the sets of this workspace; they are computed from the sets of the organization.'
const NO_OWN = 'The service does not show the variables of the workspace itself; one of them may win.'
const NO_PROJECT =
  'The project of the workspace is unknown: sets that are assigned to projects may be missing here.'

/** A service without these lists answers 404 as well, so the names decide. */
async function isGone(id: WorkspaceId, lookUp: NameLookup): Promise<boolean> {
  const { value } = await lookUp.places()
  return value !== undefined && !value.workspaces.some(workspace => workspace.id === id)
}

const stale = ({ id, name = id }: FoundWorkspace, what: string): Diagnostic =>
  mistake(
    'stale-name',
    `The directory file gives ${JSON.stringify(name)} the id ${id}, but the service ${what}.`,
    'Write the directory file again: setpoint directory',
  )

/** A workspace by name or id, with its project if that is known. */
interface FoundWorkspace {
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
