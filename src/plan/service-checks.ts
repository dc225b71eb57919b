import { type Diagnostic, mistake, sortDiagnostics } from '../model/diagnostic.ts'
import { Findings } from '../model/findings.ts'
import { TARGET_KINDS, type TargetId, type TargetLists, wordOfId } from '../model/ids.ts'
import { plural } from '../model/lists.ts'
import {
  type DesiredSet,
  type DesiredState,
  type Directory,
  failureIn,
  type ObservedSet,
  type ObservedState,
  type TargetRef,
  type TargetRefs,
} from '../model/variable-set.ts'
import type { Match } from './match.ts'
import { LATER, noStacks } from './resolve-names.ts'

/** Errors for ids that a plan newly assigns and that the service does not have. A snapshot may be older than they are. */
export function checkIds(
  { sets }: DesiredState,
  targets: TargetLists,
  told: Directory,
  { partial }: Pick<ObservedState, 'partial'>,
): readonly Diagnostic[] {
  if (partial === true) return []
  const gone = new Set<string>(notTold(targets, told))
  const findings = new Findings()
  for (const target of gone.size === 0 ? [] : sets.flatMap(targetsOf)) {
    if (!('id' in target) || !gone.has(target.id)) continue
    const kind = wordOfId(target.id)
    const failure = TARGET_KINDS.map(kind => failureIn(told, kind, target.id)).find(one => one)
    if (failure !== undefined) {
      const message = `The ${kind} ${target.id} could not be looked up. ${failure}`
      findings.error('no-look-up', message, LATER, target.source)
      continue
    }
    findings.error(
      'unknown-id',
      `The service shows no ${kind} ${target.id} to this token.`,
      `Correct the id or remove it. If the ${kind} exists, give the token access to it.`,
      target.source,
    )
  }
  return findings.sorted()
}

/** The ids that the service was asked for and did not show, although it shows others of the kind. */
const notTold = (targets: TargetLists, directory: Directory): readonly TargetId[] =>
  TARGET_KINDS.filter(kind => directory.hidden?.includes(kind) !== true).flatMap(kind => {
    const told = new Set<string>(directory[kind]?.map(({ id }) => id))
    return (targets[kind] ?? []).filter(id => !told.has(id))
  })

/**
 * An error if a file names a Stack and the service has none; reported once. `hidden`: the service was asked for Stacks and
 * shows none, which counts only if no set can list them.
 */
export function checkStacks(
  { sets }: DesiredState,
  observed: ObservedState,
  hidden: Directory['hidden'] = [],
): readonly Diagnostic[] {
  const first = sets.flatMap(({ stacks = [] }) => stacks)[0]
  if (first === undefined || observed.partial === true || observed.sets.some(speaksOfStacks)) return []
  if (observed.sets.length === 0 && !hidden.includes('stacks')) return []
  const findings = new Findings()
  noStacks(first, findings)
  return findings.sorted()
}

/**
 * An error if a file names a project, no set of the service says anything about projects, and the service tells none. A token
 * that may not read projects still plans with ids. Reported once.
 */
export function checkProjects(
  { sets }: DesiredState,
  observed: ObservedState,
  { hidden = [] }: Directory,
): readonly Diagnostic[] {
  const [first] = projectsIn(sets)
  const isSilent = observed.sets.length > 0 && observed.sets.every(isSilentAboutProjects)
  if (first === undefined || observed.partial === true || !isSilent || !hidden.includes('projects')) return []
  return [
    mistake(
      'no-projects',
      'The service has no projects.',
      'Remove `project` and `projects` from the files, and assign the sets to workspaces.',
      first.source,
    ),
  ]
}

const projectsIn = (sets: DesiredState['sets']) =>
  sets.flatMap(({ project, projects = [] }) => (project === undefined ? projects : [project, ...projects]))

/**
 * Why names are not resolved. Without projects in the service, that is the only thing to say of them: its list was refused for no other
 * reason.
 */
export function whyUnresolved(
  named: readonly Diagnostic[],
  desired: DesiredState,
  observed: ObservedState,
  directory: Directory,
): readonly Diagnostic[] {
  const none = checkProjects(desired, observed, directory)
  if (none.length === 0) return named
  const places = new Set(projectsIn(desired.sets).map(({ source }) => source))
  const others = named.filter(
    ({ code, source }) => code !== 'no-look-up' || source === undefined || !places.has(source),
  )
  return sortDiagnostics([...others, ...none])
}

const isSilentAboutProjects = ({ projectsNotShown }: ObservedSet): boolean => projectsNotShown === true

const speaksOfStacks = ({ stacks, others }: ObservedSet): boolean =>
  stacks !== undefined || others?.some(({ what }) => what === 'stacks') === true

/** Errors for sets whose Stacks the files manage, and the service counts without listing them. */
export const checkListed = ({ pairs }: Match): readonly Diagnostic[] =>
  pairs.flatMap(({ desired, observed }) => {
    const counted = observed?.others?.find(({ what }) => what === 'stacks')?.count
    if (desired.stacks === undefined || counted === undefined) return []
    return mistake(
      'no-stacks',
      `The service counts ${plural(counted, 'Stack')} of ${JSON.stringify(desired.name)} and does not list them.`,
      'Remove `stacks` to leave the assignments unmanaged, or give the token access to the Stacks.',
      desired.source,
    )
  })

/**
 * An error if a file gives a set to a project and the service shows no owners: each plan would replace the set again. Reported
 * once.
 */
export function checkOwners(
  { sets }: DesiredState,
  { sets: observed }: ObservedState,
): readonly Diagnostic[] {
  const first = sets.find(({ project }) => project !== undefined)?.project
  const isSilent = observed.length > 0 && observed.every(({ ownerNotShown }) => ownerNotShown === true)
  if (first === undefined || !isSilent) return []
  const hint = observed.every(isSilentAboutProjects)
    ? 'Remove `project` from the files.'
    : 'Remove `project` from the files; `projects: [NAME]` assigns a set of the organization to it.'
  return [
    mistake(
      'no-project-sets',
      'The service does not say which project owns a set. Older versions have no sets of projects.',
      hint,
      first.source,
    ),
  ]
}

const targetsOf = ({
  project,
  ...set
}: TargetRefs & Pick<DesiredSet, 'project'>): readonly TargetRef<string>[] => [
  ...(project === undefined ? [] : [project]),
  ...TARGET_KINDS.flatMap((kind): readonly TargetRef<string>[] => set[kind] ?? []),
]
