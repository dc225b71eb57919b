import { type LiveNames, NO_NAMES, readLiveNames } from '../api/directory.ts'
import { noStacks } from '../api/names.ts'
import type { Reader } from '../api/reader.ts'
import { type Diagnostic, mistake, type SourceRange } from '../model/diagnostic.ts'
import { Findings } from '../model/findings.ts'
import { TARGET_KINDS, wordOfId } from '../model/ids.ts'
import { plural } from '../model/lists.ts'
import type {
  DesiredSet,
  DesiredState,
  Directory,
  DirectoryEntry,
  ObservedSet,
  ObservedState,
  ResolvedState,
  TargetRef,
  TargetRefs,
} from '../model/variable-set.ts'
import type { Match } from '../plan/match.ts'
import type { Operation } from '../plan/operation.ts'
import type { Plan } from '../plan/plan.ts'
import { newTargetsOf } from '../plan/reach.ts'

/**
 * Compares what a plan newly assigns with the service. An id that has another name in the directory file is an error at that
 * line, and so is an id that the service does not have.
 */
export function checkNames(
  { directory, sets }: DesiredState,
  { asked, nameOf }: LiveNames,
): readonly Diagnostic[] {
  if (asked.size === 0) return []
  const findings = new Findings()
  const entries = entriesOf(directory)
  const idOf = new Map([...nameOf].map(([id, name]) => [`${wordOfId(id)} ${name}`, id]))
  for (const { name, id, source } of entries) {
    const now = nameOf.get(id)
    if (!asked.has(id) || now === name) continue
    const kind = wordOfId(id)
    const other = idOf.get(`${kind} ${name}`)
    const elsewhere = other === undefined ? '' : ` The ${kind} with this name is ${other}.`
    const says =
      now === undefined ? `shows no ${kind} with this id to this token` : `calls it ${JSON.stringify(now)}`
    findings.error(
      'stale-name',
      source,
      `The directory file gives the ${kind} ${JSON.stringify(name)} the id ${id}, but the service ${says}.${elsewhere}`,
      'Write the directory file again: setpoint directory',
    )
  }
  const filed = new Set<string>(entries.map(({ id }) => id))
  const gone = new Set([...asked].filter(id => !nameOf.has(id) && !filed.has(id)))
  for (const target of gone.size === 0 ? [] : sets.flatMap(targetsOf)) {
    if (!('id' in target) || !gone.has(target.id)) continue
    const kind = wordOfId(target.id)
    findings.error(
      'unknown-id',
      target.source,
      `The service shows no ${kind} ${target.id} to this token.`,
      `Correct the id or remove it. If the ${kind} exists, give the token access to it.`,
    )
  }
  return findings.sorted()
}

/**
 * An error if a file names a Stack and the service has none; reported once. `hidden`: the service was asked for Stacks and
 * shows none, which counts only if no set can list them.
 */
export function checkStacks(
  { sets }: DesiredState,
  observed: ObservedState,
  hidden: LiveNames['hidden'] = [],
): readonly Diagnostic[] {
  const first = sets.flatMap(({ stacks = [] }) => stacks)[0]
  if (first === undefined || observed.partial === true || observed.sets.some(speaksOfStacks)) return []
  if (observed.sets.length === 0 && !hidden.includes('stacks')) return []
  const findings = new Findings()
  noStacks(first, findings)
  return findings.sorted()
}

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
  return [
    mistake(
      'no-project-sets',
      'The service does not say which project owns a set. Older versions have no sets of projects.',
      'Remove `project` from the files; `projects: [NAME]` assigns a set of the organization to it.',
      first.source,
    ),
  ]
}

const entriesOf = (directory: Directory): readonly DirectoryEntry<string>[] =>
  TARGET_KINDS.flatMap((kind): readonly DirectoryEntry<string>[] => directory[kind] ?? [])

const targetsOf = ({
  project,
  ...set
}: TargetRefs & Pick<DesiredSet, 'project'>): readonly TargetRef<string>[] => [
  ...(project === undefined ? [] : [project]),
  ...TARGET_KINDS.flatMap((kind): readonly TargetRef<string>[] => set[kind] ?? []),
]

/** The part of `Prepared` with names. */
interface PlannedNames {
  readonly plan: Pick<Plan, 'organization'>
  readonly resolved: Pick<ResolvedState, 'directory'>
  readonly names: Readonly<Record<string, string>>
  readonly files?: DesiredState
}

/** The targets of a refused operation that disappeared since the plan: each with its name, its line and what to do. */
export async function goneTargets(
  operation: Operation,
  { plan, resolved, names, files }: PlannedNames,
  reader: Reader,
): Promise<string | undefined> {
  const ids = newTargetsOf(operation)
  // If the service cannot be read now, its refusal stands alone.
  const seen = await readLiveNames(reader, plan.organization, ids, { ...resolved.directory, live: [] }).catch(
    () => NO_NAMES,
  )
  const gone = [...seen.asked].filter(id => !seen.nameOf.has(id))
  if (gone.length === 0) return undefined
  return gone.map(id => goneTarget(id, names[id], operation.subject.name, files)).join('; ')
}

function goneTarget(
  id: string,
  name: string | undefined,
  set: string,
  files: DesiredState | undefined,
): string {
  const what = `${wordOfId(id)} ${name === undefined ? id : `${JSON.stringify(name)} (${id})`}`
  const entry = files === undefined ? undefined : entriesOf(files.directory).find(one => one.id === id)
  if (entry !== undefined)
    return `the service no longer shows ${what}${at(entry.source)}; write the directory file again: setpoint directory`
  const written = files?.sets.find(one => one.name === set)
  const target = targetsOf(written ?? {}).find(one => ('id' in one ? one.id === id : one.name === name))
  return `the service no longer shows ${what}${at(target?.source)}; correct it there, or plan again`
}

const at = (source: SourceRange | undefined): string =>
  source === undefined ? '' : ` (${source.path}:${source.line}:${source.column})`
