import { type LiveNames, NO_NAMES, readLiveNames } from '../api/directory.ts'
import { noStacks } from '../api/names.ts'
import type { Reader } from '../api/reader.ts'
import type { Diagnostic, SourceRange } from '../model/diagnostic.ts'
import { Findings } from '../model/findings.ts'
import { TARGET_KINDS, wordOfId } from '../model/ids.ts'
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
 * What a plan newly assigns, held against the service: a line of the directory file that gives an id another name, and an
 * id that the service does not have. Each is an error at its line.
 */
export function checkNames({ directory, sets }: DesiredState, names: LiveNames): readonly Diagnostic[] {
  if (names.asked.size === 0) return []
  const findings = new Findings()
  const entries = entriesOf(directory)
  const idOf = new Map([...names.nameOf].map(([id, name]) => [`${wordOfId(id)} ${name}`, id]))
  for (const entry of entries) contradiction(entry, names, idOf, findings)
  const filed = new Set<string>(entries.map(({ id }) => id))
  const gone = new Set([...names.asked].filter(id => !names.nameOf.has(id) && !filed.has(id)))
  if (gone.size > 0) for (const set of sets) missing(targetsOf(set), gone, findings)
  return findings.sorted()
}

/**
 * A file that names a Stack where the service has none; said once. `hidden`: the service was asked for Stacks and shows
 * none, which says something only where there is no set that could speak of them.
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

/** Sets whose Stacks the files manage and the service only counts. */
export const checkListed = ({ pairs }: Match): readonly Diagnostic[] =>
  pairs.flatMap(({ desired, observed }): Diagnostic[] => {
    const counted = observed?.others?.find(({ what }) => what === 'stacks')?.count
    if (desired.stacks === undefined || counted === undefined) return []
    return [
      {
        severity: 'error',
        code: 'no-stacks',
        message: `The service counts ${counted} Stack${counted === 1 ? '' : 's'} of ${JSON.stringify(desired.name)} and does not say which.`,
        hint: 'Leave `stacks` out: the assignments stay as they are. Or give the token access to the Stacks.',
        source: desired.source,
      },
    ]
  })

/** A file that gives a set to a project where the service shows of no set whose it is: each plan would replace it anew. Said once. */
export function checkOwners(
  { sets }: DesiredState,
  { sets: observed }: ObservedState,
): readonly Diagnostic[] {
  const first = sets.find(({ project }) => project !== undefined)?.project
  const isSilent = observed.length > 0 && observed.every(({ ownerNotShown }) => ownerNotShown === true)
  if (first === undefined || !isSilent) return []
  const findings = new Findings()
  findings.error(
    'no-project-sets',
    first.source,
    'The service does not say which project owns a set, as an older one that has no sets of projects.',
    'Remove `project` from the files; `projects: [NAME]` assigns a set of the organization to it.',
  )
  return findings.sorted()
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

const REWRITE = 'Write the directory file again: setpoint directory'

function contradiction(
  { name, id, source }: DirectoryEntry<string>,
  { asked, nameOf }: LiveNames,
  idOf: ReadonlyMap<string, string>,
  findings: Findings,
): void {
  const now = nameOf.get(id)
  if (!asked.has(id) || now === name) return
  const kind = wordOfId(id)
  const other = idOf.get(`${kind} ${name}`)
  const elsewhere = other === undefined ? '' : ` The ${kind} of this name is ${other}.`
  const says =
    now === undefined ? `shows no ${kind} of this id to this token` : `calls it ${JSON.stringify(now)}`
  findings.error(
    'stale-name',
    source,
    `The directory file says that ${kind} ${JSON.stringify(name)} is ${id}, and the service ${says}.${elsewhere}`,
    REWRITE,
  )
}

/** Ids that a set file writes itself. */
function missing(targets: readonly TargetRef<string>[], gone: ReadonlySet<string>, findings: Findings): void {
  for (const target of targets) {
    if (!('id' in target) || !gone.has(target.id)) continue
    const kind = wordOfId(target.id)
    findings.error(
      'unknown-id',
      target.source,
      `The service shows no ${kind} ${target.id} to this token.`,
      `Correct the id or remove it; if the ${kind} exists, give the token access to it.`,
    )
  }
}

/** What a plan knows of names: the part of `Prepared` that this needs. */
interface PlannedNames {
  readonly plan: Pick<Plan, 'organization'>
  readonly resolved: Pick<ResolvedState, 'directory'>
  readonly names: Readonly<Record<string, string>>
  readonly files?: DesiredState
}

/** Which targets of a refused operation went since the plan: each with its name, its line and what to do, in words. */
export async function goneTargets(
  operation: Operation,
  { plan, resolved, names, files }: PlannedNames,
  reader: Reader,
  signal: AbortSignal,
): Promise<string | undefined> {
  const ids = newTargetsOf(operation)
  // Where the service cannot be asked now, its refusal stands alone.
  const seen = await readLiveNames(
    reader,
    plan.organization,
    ids,
    { ...resolved.directory, live: [] },
    signal,
  ).catch(() => NO_NAMES)
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
    return `the service shows ${what} no more${at(entry.source)}; write the directory file again: setpoint directory`
  const written = files?.sets.find(one => one.name === set)
  const target = targetsOf(written ?? {}).find(one => ('id' in one ? one.id === id : one.name === name))
  return `the service shows ${what} no more${at(target?.source)}; correct it there, or plan again`
}

const at = (source: SourceRange | undefined): string =>
  source === undefined ? '' : ` (${source.path}:${source.line}:${source.column})`
