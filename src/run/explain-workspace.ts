import {
  createNameLookup,
  type LiveNames,
  type NameLookup,
  NO_NAMES,
  readLiveNames,
} from '../api/directory.ts'
import { resolveNames } from '../api/names.ts'
import { ownVariables, setsOf } from '../api/observe.ts'
import type { Reader } from '../api/reader.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { type Checked, type Diagnostic, hasErrors, mistake, none } from '../model/diagnostic.ts'
import type { VariableKey } from '../model/ids.ts'
import type {
  DesiredState,
  DesiredVariable,
  ObservedSet,
  ObservedState,
  ResolvedState,
} from '../model/variable-set.ts'
import { type AskedWorkspace, explainVariables } from '../plan/effective/explain.ts'
import type { ExplainedState, Explanation, ValueLine } from '../plan/effective/explanation.ts'
import { matchStates } from '../plan/match-states.ts'
import { type FoundWorkspace, findWorkspace } from './find-workspace.ts'
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
  const { organization } = desired
  const { reader } = service
  const found = await findWorkspace(written, desired.directory, lookUp.places)
  if (found.value === undefined) return none(...found.diagnostics)
  const workspace = found.value
  const [named, observed, seen, names] = await Promise.all([
    moment === 'live' ? undefined : resolveNames(desired, lookUp),
    observeOnce(service, organization),
    seeWorkspace(reader, organization, workspace),
    namesOf(reader, desired, workspace),
  ])
  const called = names.nameOf.get(workspace.id)
  if (called !== undefined && called !== workspace.name && written === workspace.name)
    return none(stale(workspace, `calls that workspace ${JSON.stringify(called)}`))
  const diagnostics = named?.diagnostics ?? []
  if (hasErrors(diagnostics)) return none(...diagnostics)
  if (seen.sets === undefined && seen.own === undefined && (await isGone(workspace, lookUp)))
    return none(stale(workspace, 'has no such workspace'))
  const about = { organization, address: service.address, moment }
  const all = withUnlisted(observed, seen.sets)
  const result = explained(confirmed(workspace, names), seen, all, named?.value, about)
  if (result.value === undefined) return none(...result.diagnostics)
  const { explanation, given } = result.value
  if (blame === undefined) return { value: explanation, diagnostics: result.diagnostics }
  const lines = await blame([...given.values()])
  return {
    value: lines.value && blamed(explanation, given, lines.value),
    diagnostics: [...result.diagnostics, ...lines.diagnostics],
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

/** The service's names of a workspace and its project from the directory file, which a pull request can change. */
const namesOf = (
  reader: Reader,
  { organization, directory }: DesiredState,
  { id, project, live }: FoundWorkspace,
): Promise<LiveNames> =>
  live
    ? Promise.resolve(NO_NAMES)
    : readLiveNames(
        reader,
        organization,
        { workspaces: [id], projects: project === undefined ? [] : [project.id] },
        directory,
      )

/** With the names of the service. If it shows none, the workspace keeps its name, and the project is named by its id. */
function confirmed(workspace: FoundWorkspace, { nameOf }: LiveNames): FoundWorkspace {
  if (workspace.live) return workspace
  const { id, project } = workspace
  const called = nameOf.get(id)
  const ofProject = project === undefined ? undefined : nameOf.get(project.id)
  return {
    ...workspace,
    ...(called === undefined ? { unconfirmed: true } : { name: called }),
    project: project && { id: project.id, name: ofProject },
  }
}

interface SeenWorkspace {
  readonly sets: readonly ObservedSet[] | undefined
  readonly ofProject: readonly ObservedSet[] | undefined
  readonly own: AskedWorkspace['own'] | undefined
}

async function seeWorkspace(
  reader: Reader,
  organization: string,
  { id, project }: FoundWorkspace,
): Promise<SeenWorkspace> {
  const [sets, own, ofProject] = await Promise.all([
    setsOf(reader, 'workspaces', organization, id),
    ownVariables(reader, id),
    project === undefined ? undefined : setsOf(reader, 'projects', organization, project.id),
  ])
  return { sets, own, ofProject }
}

/** Some services list the sets of projects for a workspace and not for the organization. */
function withUnlisted(observed: ObservedState, sets: readonly ObservedSet[] | undefined): ObservedState {
  const listed = new Set(observed.sets.map(({ id }) => id))
  const others = sets?.filter(({ id }) => !listed.has(id)) ?? []
  return others.length === 0 ? observed : { ...observed, sets: [...observed.sets, ...others] }
}

function explained(
  { id, name, project: filed, live, unconfirmed }: FoundWorkspace,
  { sets, ofProject, own }: SeenWorkspace,
  observed: ObservedState,
  desired: ResolvedState | undefined,
  about: Pick<Explanation, 'organization' | 'address' | 'moment'>,
): Checked<{
  readonly explanation: Explanation
  readonly given: ReadonlyMap<VariableKey, DesiredVariable>
}> {
  const asked: AskedWorkspace = {
    id,
    own: own ?? new Map(),
    project: filed?.id,
    reached: sets && new Set(sets.map(set => set.id)),
    throughProject: ofProject && new Set(ofProject.map(set => set.id)),
  }
  const match = desired && matchStates(desired, observed, []).match
  const diagnostics = match?.diagnostics ?? []
  if (hasErrors(diagnostics)) return none(...diagnostics)
  const { moment } = about
  const { variables, project, given } = explainVariables(asked, observed, match, moment, looksLikeSecret)
  const isWithin = project !== undefined && project === filed?.id
  const explanation = {
    ...about,
    workspace: { id, name, project: isWithin ? filed : project && { id: project } },
    variables,
    notes: [
      unconfirmed && name !== undefined ? NAME_OF_FILE : [],
      sets === undefined ? NO_LIST : [],
      own === undefined ? NO_OWN : [],
      project === undefined && live === undefined && needsProject(moment, sets, observed) ? NO_PROJECT : [],
    ].flat(),
  }
  return { value: { explanation, given }, diagnostics }
}

/** The service's list, if it has one, says what the workspace receives now. */
const needsProject = (
  moment: ExplainedState,
  sets: readonly ObservedSet[] | undefined,
  observed: ObservedState,
): boolean => (sets === undefined || moment !== 'live') && observed.sets.some(set => set.projects.length > 0)

const NAME_OF_FILE = 'The name comes from the directory file; the service does not show it to this token.'
const NO_LIST =
  'The service does not list the sets of this workspace; they are computed from the sets of the organization.'
const NO_OWN = 'The service does not show the variables of the workspace itself; one of them may win.'
const NO_PROJECT =
  'The project of the workspace is unknown: sets that are assigned to projects may be missing here.'

/** A service without these lists answers 404 as well, so the names decide. */
async function isGone({ id }: FoundWorkspace, lookUp: NameLookup): Promise<boolean> {
  const { value } = await lookUp.places()
  return value !== undefined && !value.workspaces.some(workspace => workspace.id === id)
}

const stale = ({ id, name = id }: FoundWorkspace, what: string): Diagnostic =>
  mistake(
    'stale-name',
    `The directory file gives ${JSON.stringify(name)} the id ${id}, but the service ${what}.`,
    'Write the directory file again: setpoint directory',
  )
