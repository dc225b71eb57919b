import { createNameLookup, type NameLookup, NO_NAMES, readLiveNames } from '../api/directory.ts'
import { unlessStatus } from '../api/errors.ts'
import { resolveNames } from '../api/names.ts'
import { ownVariables, setsOf } from '../api/observe.ts'
import type { TargetEntry } from '../api/reader.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { type Checked, type Diagnostic, hasErrors, mistake, none } from '../model/diagnostic.ts'
import type { StackId, TargetIds, TargetKind, VariableKey, WorkspaceId } from '../model/ids.ts'
import type { DesiredState, DesiredVariable } from '../model/variable-set.ts'
import { explainVariables, readableSets } from '../plan/effective/explain.ts'
import type {
  ExplainedState,
  Explanation,
  StackExplanation,
  ValueLine,
} from '../plan/effective/explanation.ts'
import { matchStates } from '../plan/match-states.ts'
import { type FoundWorkspace, findWorkspace, type WrittenStack } from './find-target.ts'
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

/** Every set that a Stack may read. Without a value, a diagnostic says why. */
export async function explainStack(
  desired: DesiredState,
  service: ReadOnly,
  { id, name }: WrittenStack,
  moment: ExplainedState,
  lookUp: NameLookup,
): Promise<Checked<StackExplanation>> {
  const { organization } = desired
  const shown = <K extends TargetKind>(kind: K, of: TargetIds[K]) =>
    unlessStatus(service.reader.showTarget(kind, of), 403, 404)
  const [named, observed, stack] = await Promise.all([
    moment === 'live' ? undefined : resolveNames(desired, lookUp),
    observeOnce(service, organization),
    shown('stacks', id),
  ])
  if (stack === undefined) return none(hiddenStack(id))
  if (name !== undefined && name !== stack.name) return none(calledOtherwise(name, stack))
  if (named !== undefined && named.value === undefined) return none(...named.diagnostics)
  const match = named?.value && matchStates(named.value, observed, []).match
  const diagnostics = [...(named?.diagnostics ?? []), ...(match?.diagnostics ?? [])]
  if (hasErrors(diagnostics)) return none(...diagnostics)
  const project = stack.project && ((await shown('projects', stack.project)) ?? { id: stack.project })
  return {
    value: {
      organization,
      address: service.address,
      moment,
      stack: { id, name: stack.name, project: project && nameIn(project) },
      sets: readableSets({ id, project: project?.id }, observed, match, moment),
      notes: [
        STORE,
        project === undefined ? NO_STACK_PROJECT : [],
        observed.sets.some(({ others }) => others?.some(({ what }) => what === 'stacks')) ? UNLISTED : [],
      ].flat(),
    },
    diagnostics,
  }
}

const nameIn = <Id extends string>({ id, name }: { readonly id: Id; readonly name?: string }) => ({
  id,
  name,
})

const STORE =
  'The Stack may read these sets: its deployments name the ones that they read in `store "varset"` blocks, which Setpoint does not see. No set overrides another.'
const NO_STACK_PROJECT =
  'The project of the Stack is unknown: sets that are assigned to projects may be missing here.'
const UNLISTED =
  'The service counts the Stacks of some sets and does not list them: such sets may be missing here.'

const hiddenStack = (id: StackId): Diagnostic =>
  mistake(
    'unknown-id',
    `The service shows no Stack ${id} to this token.`,
    'Correct the id, or give the token access to the Stack. Terraform Enterprise has no Stacks.',
  )

const calledOtherwise = (name: string, { id, name: called }: TargetEntry<StackId>): Diagnostic =>
  mistake(
    'stale-name',
    `The directory file gives the Stack ${JSON.stringify(name)} the id ${id}, but the service calls it ${JSON.stringify(called)}.`,
    'Write the directory file again: setpoint directory',
  )
