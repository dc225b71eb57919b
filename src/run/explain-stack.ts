import type { NameLookup } from '../api/directory.ts'
import { isStatus } from '../api/errors.ts'
import { resolveNames } from '../api/names.ts'
import type { TargetEntry } from '../api/reader.ts'
import { type Checked, type Diagnostic, hasErrors, mistake, none } from '../model/diagnostic.ts'
import { type StackId, TARGETS, type TargetIds, type TargetKind } from '../model/ids.ts'
import { suggest } from '../model/names.ts'
import type { DesiredState, Directory } from '../model/variable-set.ts'
import { readableSets } from '../plan/effective/explain.ts'
import type { ExplainedState, StackExplanation } from '../plan/effective/explanation.ts'
import { matchStates } from '../plan/match-states.ts'
import { observeOnce, type ReadOnly } from './prepare.ts'

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
    unlessHidden(service.reader.showTarget(kind, of))
  const [named, observed, stack] = await Promise.all([
    moment === 'live' ? undefined : resolveNames(desired, lookUp),
    observeOnce(service, organization),
    shown('stacks', id),
  ])
  if (stack === undefined) return none(hidden(id))
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
        project === undefined ? NO_PROJECT : [],
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
const NO_PROJECT =
  'The project of the Stack is unknown: sets that are assigned to projects may be missing here.'
const UNLISTED =
  'The service counts the Stacks of some sets and does not list them: such sets may be missing here.'

const unlessHidden = <Id extends string>(reading: Promise<TargetEntry<Id>>) =>
  reading.catch((error: unknown) => {
    if (isStatus(error, 403, 404)) return undefined
    throw error
  })

const hidden = (id: StackId): Diagnostic =>
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
