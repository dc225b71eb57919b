import { createLookUps, type LookUps, settled } from '../api/look-ups.ts'
import { ownVariables, setsOf } from '../api/observe.ts'
import { looksLikeSecret } from '../config/lint.ts'
import { type Checked, type Diagnostic, hasErrors, mistake, none } from '../model/diagnostic.ts'
import type { StackId } from '../model/ids.ts'
import { type DesiredState, groupsById, type ObservedSet, type ObservedState } from '../model/variable-set.ts'
import { explainVariables, readableSets } from '../plan/effective/explain-variables.ts'
import type { ExplainedState, Explanation, StackExplanation } from '../plan/effective/explanation.ts'
import { matchStates } from '../plan/match-states.ts'
import { resolveNames } from '../plan/resolve-names.ts'
import { findWorkspace, type WrittenStack } from './find-target.ts'
import { observeOrganization, type ReadOnly } from './service.ts'

/**
 * Everything that one workspace receives, from the service's own lists of its sets if it has them. Without a value, a
 * diagnostic says why.
 */
export async function explainWorkspace(
  desired: DesiredState,
  service: ReadOnly,
  written: string,
  moment: ExplainedState,
  lookUps: LookUps = createLookUps(service.reader, desired.organization),
): Promise<Checked<Explanation>> {
  const { organization } = desired
  const { reader, address } = service
  const found = await findWorkspace(written, lookUps)
  if (found.value === undefined) return none(...found.diagnostics)
  const { id, name, project: within, isTold } = found.value
  const [named, observed, sets, own, ofProject] = await Promise.all([
    moment === 'live' ? undefined : settled(lookUps, told => resolveNames(desired, told)),
    observeOrganization(service, organization),
    setsOf(reader, 'workspaces', organization, id),
    ownVariables(reader, id),
    within && setsOf(reader, 'projects', organization, within.id),
  ])
  if (named !== undefined && hasErrors(named.diagnostics)) return none(...named.diagnostics)

  const all = withUnlisted(observed, sets)
  const match = named?.value && matchStates(named.value, all, []).match
  const diagnostics = match?.diagnostics ?? []
  if (hasErrors(diagnostics)) return none(...diagnostics)
  const workspace = {
    id,
    own: own ?? new Map(),
    project: within?.id,
    reached: sets && new Set(sets.map(set => set.id)),
    throughProject: ofProject && new Set(ofProject.map(set => set.id)),
  }
  const { variables, project, missing } = explainVariables(
    workspace,
    all,
    match,
    moment,
    looksLikeSecret,
    desired,
  )
  // The service's list, if it has one, says what the workspace receives now.
  const needsProject =
    (sets === undefined || moment !== 'live') && all.sets.some(({ projects }) => projects.length > 0)
  const groups = groupsById(desired.groups).get(id)
  const explanation: Explanation = {
    organization,
    address,
    moment,
    workspace: {
      id,
      name,
      project: project && { id: project, name: within?.name },
      ...(groups !== undefined && { groups }),
    },
    variables,
    ...(missing.length > 0 && { missing }),
    notes: [
      sets === undefined ? NO_LIST : [],
      own === undefined ? NO_OWN : [],
      project === undefined && !isTold && needsProject ? NO_PROJECT : [],
    ].flat(),
  }
  return { value: explanation, diagnostics }
}

/** Some services list the sets of projects for a workspace and not for the organization. */
function withUnlisted(observed: ObservedState, sets: readonly ObservedSet[] | undefined): ObservedState {
  const listed = new Set(observed.sets.map(set => set.id))
  const unlisted = sets?.filter(set => !listed.has(set.id)) ?? []
  return { ...observed, sets: [...observed.sets, ...unlisted] }
}

const NO_LIST =
  'The service does not list the sets of this workspace; they are computed from the sets of the organization.'
const NO_OWN =
  'The service does not show the variables of the workspace itself; one of them may override these.'
const NO_PROJECT =
  'The project of the workspace is unknown: sets that are assigned to projects may be missing here.'

/** Every set that a Stack may read. Without a value, a diagnostic says why. */
export async function explainStack(
  desired: DesiredState,
  service: ReadOnly,
  { id }: WrittenStack,
  moment: ExplainedState,
  lookUps: LookUps,
): Promise<Checked<StackExplanation>> {
  const { organization } = desired
  const [named, observed] = await Promise.all([
    moment === 'live' ? undefined : settled(lookUps, told => resolveNames(desired, told)),
    observeOrganization(service, organization),
    lookUps.ask({ ids: { stacks: [id] } }),
  ])
  const stack = lookUps.told().stacks?.find(one => one.id === id)
  if (stack === undefined) return none(hiddenStack(id))
  if (named !== undefined && named.value === undefined) return none(...named.diagnostics)
  const match = named?.value && matchStates(named.value, observed, []).match
  const diagnostics = [...(named?.diagnostics ?? []), ...(match?.diagnostics ?? [])]
  if (hasErrors(diagnostics)) return none(...diagnostics)
  await lookUps.ask({ ids: { projects: stack.project === undefined ? [] : [stack.project] } })
  const project = stack.project && {
    id: stack.project,
    name: lookUps.told().projects.find(one => one.id === stack.project)?.name,
  }
  return {
    value: {
      organization,
      address: service.address,
      moment,
      stack: { id, name: stack.name, project },
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
