import type { SourceRange } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'
import { append, grouped, holderOf } from '../model/lists.ts'
import { didYouMean } from '../model/names.ts'
import type { TargetRef } from '../model/variable-set.ts'
import {
  ENTRY_KINDS,
  type EntryKind,
  type SetFile,
  type WrittenAssignment,
  type WrittenSet,
} from './set-file.ts'

/**
 * The sets, each with what `workspaces` and `projects` beside the sets assign to it. What reads the sets does not know on which
 * side an assignment is written, but for its line and `TargetRef.entry`.
 */
export function withAssigned(file: SetFile, findings: Findings): readonly WrittenSet[] {
  const { sets, assigned, complete } = file
  if (assigned.length === 0) return sets
  const labels = labelled(sets)
  const bySet = new Map<WrittenSet, WrittenAssignment[]>()
  const unmanaged = new Set<string>()
  for (const one of assigned) {
    const set = labels.get(one.set)
    if (set === undefined) {
      if (complete) reportUnknown(one, file, labels, findings)
    } else if (set[one.kind] !== undefined) append(bySet, set, one)
    // A list that was refused is no missing list. One line mends all assignments of the set.
    else if (set.open === undefined && unmanaged.size !== unmanaged.add(`${one.kind} ${one.set}`).size)
      reportUnmanaged(one, set, findings)
  }
  return sets.map(set => assignedTo(set, bySet.get(set) ?? [], findings))
}

/** Sets by name, and those that share a name by their keys. */
export function labelled<S extends Named>(sets: readonly S[]): ReadonlyMap<string, S> {
  const labels = new Map<string, S>()
  for (const namesakes of grouped(sets, ({ name }) => name).values())
    for (const set of namesakes) holderOf(labels, namesakes.length === 1 ? set.name : labelOf(set), set)
  return labels
}

type Named = Pick<WrittenSet, 'name' | 'key'>

const labelOf = ({ key, name }: Named): string => key ?? name

function assignedTo(set: WrittenSet, assigned: readonly WrittenAssignment[], findings: Findings): WrittenSet {
  if (assigned.length === 0) return set
  const written = new Map<string, SourceRange>()
  for (const kind of ENTRY_KINDS)
    for (const target of set[kind] ?? []) holderOf(written, identityOf(kind, target), target.source)
  for (const { name } of set.groups ?? []) holderOf(written, identityOfGroup(name), set.source)
  const added = assigned.filter(({ kind, key, targets, isGroup, source }) => {
    const [target]: readonly TargetRef<string>[] = targets[kind] ?? []
    const identity = isGroup
      ? identityOfGroup(key.slice(key.indexOf(':') + 1))
      : target && identityOf(kind, target)
    const first = identity === undefined ? undefined : holderOf(written, identity, source)
    if (first !== undefined)
      findings.error(
        'duplicate-target',
        `"${set.name}" is already assigned to "${key}" at ${first.path}:${first.line}.`,
        'Remove one of the two.',
        source,
      )
    return first === undefined
  })
  const more = <K extends EntryKind>(kind: K) => added.flatMap(({ targets }) => targets[kind] ?? [])
  return {
    ...set,
    ...(set.workspaces && { workspaces: [...set.workspaces, ...more('workspaces')] }),
    ...(set.projects && { projects: [...set.projects, ...more('projects')] }),
  }
}

/** What two lines that mean the same target have in common. Who is in a group changes without the files of sets. */
function identityOf(kind: EntryKind, target: TargetRef<string>): string {
  if ('name' in target) return `${kind} name ${target.name}`
  return target.member === undefined ? `${kind} id ${target.id}` : identityOfGroup(target.member.group)
}

const identityOfGroup = (name: string): string => `group ${name}`

function reportUnmanaged({ kind, source }: WrittenAssignment, set: WrittenSet, findings: Findings): void {
  findings.error(
    'missing-key',
    `"${set.name}" does not manage its ${kind}, so removing this line later would not end the assignment.`,
    `Add \`${kind}: []\` to the set at ${set.source.path}:${set.source.line}. Then an apply also ends assignments that are in no file; the plan shows them.`,
    source,
  )
}

function reportUnknown(
  { set: written, key, source }: WrittenAssignment,
  { sets, bases, removed }: SetFile,
  labels: ReadonlyMap<string, WrittenSet>,
  findings: Findings,
): void {
  // The form reports it.
  if (written.trim() === '') return
  const namesakes = sets.filter(({ name }) => name === written)
  if (namesakes.length > 0) {
    findings.error(
      'unknown-name',
      `"${key}" lists "${written}", and ${namesakes.length} sets have this name.`,
      () => `Write the key of one of them: ${namesakes.map(labelOf).join(', ')}.`,
      source,
    )
    return
  }
  const hint = (): string => {
    const named = sets.find(one => one.key === written || one.id === written)
    if (named !== undefined) return `Write the name of the set: ${JSON.stringify(named.name)}.`
    const renamed = sets.find(({ previousNames }) => previousNames.includes(written))
    if (renamed !== undefined)
      return `It is a previous name of ${JSON.stringify(renamed.name)}: write the new name.`
    const gone = removed.find(({ id, name }) => (id ?? name) === written)
    if (gone !== undefined)
      return `It is listed under \`removed\` at ${gone.source.path}:${gone.source.line}. Remove one of the two.`
    if (bases.some(({ name }) => name === written))
      return `It is a base. Write the sets that have \`from: ${written}\`.`
    return (
      didYouMean(written, labels.keys()) ??
      `Write a set that these files declare. To assign a set of another repository, do so in that repository.`
    )
  }
  findings.error(
    'unknown-name',
    `"${key}" lists "${written}", and the files declare no set of this name.`,
    hint,
    source,
  )
}
