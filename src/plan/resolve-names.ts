import { type Checked, compareText, hasErrors, type SourceRange } from '../model/diagnostic.ts'
import { ownerOf } from '../model/fields.ts'
import { Findings } from '../model/findings.ts'
import {
  byKind,
  isCertainId,
  listsOf,
  TARGET_KINDS,
  TARGETS,
  type TargetIds,
  type TargetKind,
  type TargetLists,
} from '../model/ids.ts'
import { append } from '../model/lists.ts'
import { didYouMean } from '../model/names.ts'
import {
  type AssignedAt,
  type DesiredSet,
  type DesiredState,
  type Directory,
  type DirectoryEntry,
  failureIn,
  type ResolvedSet,
  type ResolvedState,
  type TargetRef,
  type TargetRefs,
  type Wanted,
} from '../model/variable-set.ts'

/**
 * Resolves names to ids, as far as the service told them. Unknown, ambiguous and duplicate targets are diagnostics at their line, and so is
 * the first name of each kind that the service does not show to this token. `needs`: first texts with the form of an id, then names, and for
 * an unknown name the whole list, so that the message can suggest one. With `isBase` (the files before a change) an unknown name is
 * ignored: the workspace may be gone. Pure.
 */
export function resolveNames(
  desired: DesiredState,
  told: Directory,
  isBase = false,
): Checked<ResolvedState> & { readonly needs: readonly Wanted[] } {
  const written = byKind<WrittenTargets>(kind => targetsIn(desired, kind))
  const names = byKind<WrittenNames>(kind => written[kind].filter(ref => 'name' in ref))
  const indexes = indexesOf(told)
  const unknown = TARGET_KINDS.filter(kind => names[kind].some(({ name }) => !indexes[kind].known.has(name)))
  const unclear = byKind<TargetLists>(kind => written[kind].flatMap(ref => unclearId(ref) ?? []))
  const isName = (kind: TargetKind, id: string): boolean =>
    told.hidden?.includes(kind) !== true && !indexes[kind].ids.has(id)
  const needs: Wanted[] = [
    { ids: unclear },
    {
      names: byKind(kind => [
        ...names[kind].map(({ name }) => name),
        ...(unclear[kind] ?? []).filter(id => isName(kind, id)),
      ]),
    },
    { all: isBase ? [] : unknown },
  ]

  const findings = new Findings()
  const hidden = unknown.filter(kind => told.hidden?.includes(kind))
  for (const kind of hidden)
    reportHidden(kind, desired.organization, failureIn(told, kind), names[kind], findings)
  const sets = desired.sets.map(set => resolveSet(set, indexes, hidden, findings))
  const diagnostics = findings.sorted()
  return {
    value: hasErrors(diagnostics) && !isBase ? undefined : { ...desired, directory: told, sets },
    diagnostics,
    needs,
  }
}

type NamedRef = Extract<TargetRef<string>, { readonly name: string }>
type WrittenNames = { readonly [K in TargetKind]: readonly NamedRef[] }
type WrittenTargets = { readonly [K in TargetKind]: readonly TargetRef<TargetIds[K]>[] }

function targetsIn<K extends TargetKind>({ sets }: DesiredState, kind: K): readonly TargetRef<string>[] {
  const owners = kind === 'projects' ? sets.flatMap(({ project }) => project ?? []) : []
  return [...owners, ...sets.flatMap((set): readonly TargetRef<string>[] => set[kind] ?? [])]
}

const unclearId = <Id extends string>(target: TargetRef<Id>): Id | undefined =>
  'id' in target && target.mayBeName === true ? target.id : undefined

/** Reported once, at the first name. */
function reportHidden(
  kind: TargetKind,
  organization: string,
  failure: string | undefined,
  [first]: readonly NamedRef[],
  findings: Findings,
): void {
  if (first === undefined) return
  if (kind === 'stacks') noStacks(first, findings)
  else notListed(kind, organization, failure, { source: first.source, hint: HINTS[kind] }, findings)
}

const HINTS = {
  workspaces: 'Write ids, or use a token that may read the workspaces.',
  projects:
    'If it has none, assign the set to workspaces. Otherwise write ids, or use a token that may read the projects.',
} as const

/** `failure`: why nobody knows; without one, the service refused, or has no such list. `hint` is for a refusal. */
export function notListed(
  kind: 'workspaces' | 'projects',
  organization: string,
  failure: string | undefined,
  { source, hint }: { readonly source: SourceRange; readonly hint: string },
  findings: Findings,
): void {
  const of = `of ${JSON.stringify(organization)}`
  if (failure !== undefined)
    findings.error('no-look-up', `The ${kind} ${of} cannot be read. ${failure}`, LATER, source)
  else if (kind === 'projects')
    findings.error(
      'no-look-up',
      `The service has no projects, or does not list those ${of} for this token.`,
      hint,
      source,
    )
  else
    findings.error(
      'no-look-up',
      `The service does not list the workspaces ${of} for this token.`,
      hint,
      source,
    )
}

/** What to do after a failed look-up. */
export const LATER = 'Run the command again when the service can be read.'

/** Reported once, at the first Stack in the files. */
export function noStacks({ source }: TargetRef<string>, findings: Findings): void {
  findings.error(
    'no-stacks',
    'The service has no Stacks, or shows none to this token.',
    'Terraform Enterprise has none. Remove `stacks` from the files, or give the token access to the Stacks.',
    source,
  )
}

type NameIndexes = { readonly [K in TargetKind]: NameIndex<TargetIds[K]> }

const indexesOf = (directory: Directory): NameIndexes =>
  byKind<NameIndexes>(kind => createNameIndex(kind, directory[kind] ?? []))

/** The id of a target in a file. `undefined` if its name is unknown or ambiguous. */
export function idIn(
  directory: Directory,
): <K extends TargetKind>(kind: K, target: TargetRef<TargetIds[K]>) => TargetIds[K] | undefined {
  const indexes = indexesOf(directory)
  return (kind, target) => idOf(target, indexes[kind], new Findings())
}

function resolveSet(
  set: DesiredSet,
  indexes: NameIndexes,
  hidden: readonly TargetKind[],
  findings: Findings,
): ResolvedSet {
  const { project, workspaces: _, projects: __, stacks: ___, ...rest } = set
  const owner = project === undefined || hidden.includes('projects') ? undefined : project
  const assignedAt: AssignedAt[] = []
  return {
    ...rest,
    ...ownerOf({ parent: owner && idOf(owner, indexes.projects, findings) }),
    ...listsOf(kind => {
      if (hidden.includes(kind)) return undefined
      const targets = resolveTargets(kind, set, indexes, findings)
      for (const [id, { entry, source }] of targets ?? [])
        if (entry !== undefined) assignedAt.push({ id, source })
      return targets && [...targets.keys()].sort(compareText)
    }),
    ...(assignedAt.length > 0 && { assignedAt }),
  }
}

/** A text with the form of an id is a name only if the service knows no such id, and something of this name. */
export function idOf<Id extends string>(
  target: TargetRef<Id>,
  { ids, known, resolve }: NameIndex<Id>,
  findings: Findings,
): Id | undefined {
  if ('name' in target) return resolve(target, findings)
  const { id, source, mayBeName } = target
  return mayBeName === true && !ids.has(id) && known.has(id) ? resolve({ name: id, source }, findings) : id
}

function resolveTargets<K extends TargetKind>(
  kind: K,
  { [kind]: targets }: TargetRefs,
  { [kind]: index }: NameIndexes,
  findings: Findings,
): ReadonlyMap<TargetIds[K], TargetRef<TargetIds[K]>> | undefined {
  if (targets === undefined) return undefined
  const resolved = new Map<TargetIds[K], TargetRef<TargetIds[K]>>()
  for (const target of targets) {
    const id = idOf(target, index, findings)
    if (id === undefined) continue
    const first = resolved.get(id)
    if (first === undefined) resolved.set(id, target)
    // Who is in a group changes without the set.
    else if (!isMember(target) && !isMember(first))
      findings.error(
        'duplicate-target',
        `${spoken(target)} is the same ${TARGETS[kind].one} as ${spoken(first)} ${lineOf(first, target)}.`,
        'Remove one of the two.',
        target.source,
      )
  }
  return resolved
}

/** Where one is, for a message at the other. */
const lineOf = ({ source }: TargetRef<string>, { source: { path } }: TargetRef<string>): string =>
  source.path === path ? `on line ${source.line}` : `at ${source.path}:${source.line}`

const isMember = (target: TargetRef<string>): boolean => 'id' in target && target.member !== undefined

const spoken = (target: TargetRef<string>): string => `"${'id' in target ? target.id : target.name}"`

/** Whoever names a workspace could draw secrets to it, so nothing is selected at apply time. */
const NO_PATTERNS = 'Names are not patterns: write each name, or a project for all of its workspaces.'

export interface NameIndex<Id extends string> {
  readonly known: ReadonlyMap<string, readonly Id[]>
  readonly ids: ReadonlySet<string>
  /** The id of a name, or `undefined` and a finding that says why. */
  readonly resolve: (written: Pick<NamedRef, 'name' | 'source'>, findings: Findings) => Id | undefined
}

/** The ids of the names that the service told. */
export function createNameIndex<Id extends string>(
  kind: TargetKind,
  entries: readonly DirectoryEntry<Id>[],
): NameIndex<Id> {
  const { one } = TARGETS[kind]
  const known = byName(entries)
  const resolve: NameIndex<Id>['resolve'] = ({ name, source }, findings) => {
    const report = (...said: Parameters<Findings['error']>): undefined => {
      findings.error(...said)
    }
    const [id, ...others] = known.get(name) ?? []
    if (id === undefined)
      return report(
        'unknown-name',
        `There is no ${one} "${name}".`,
        () => {
          if (/[*?]/.test(name)) return NO_PATTERNS
          const other = TARGET_KINDS.find(one => one !== kind && isCertainId(name) && TARGETS[one].isId(name))
          if (other !== undefined)
            return `It has the form of the id of a ${TARGETS[other].one}: write it under \`${other}\`.`
          return didYouMean(name, known.keys()) ?? 'Correct the name, or write the id.'
        },
        source,
      )
    if (others.length === 0) return id
    return report(
      'ambiguous-name',
      `"${name}" is the name of ${others.length + 1} ${one}s: ${[id, ...others].join(', ')}.`,
      'Write the id of the one that you mean.',
      source,
    )
  }
  return { known, ids: new Set(entries.map(({ id }) => id)), resolve }
}

function byName<Id extends string>(
  entries: readonly DirectoryEntry<Id>[],
): ReadonlyMap<string, readonly Id[]> {
  const ids = new Map<string, Id[]>()
  for (const { name, id } of entries) append(ids, name, id)
  return ids
}
