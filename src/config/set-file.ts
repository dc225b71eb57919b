import type { SourceRange } from '../model/diagnostic.ts'
import { detailsBy } from '../model/fields.ts'
import type { Findings } from '../model/findings.ts'
import {
  byKind,
  isCertainId,
  isVariableSetId,
  TARGET_KINDS,
  TARGETS,
  type TargetIds,
  type TargetKind,
} from '../model/ids.ts'
import type { DesiredSet, DesiredVariable, RemovedSet, TargetRef, TargetRefs } from '../model/variable-set.ts'
import { lintDescription } from './lint.ts'
import { oddName } from './odd-text.ts'
import {
  childOf,
  entriesOf,
  entryOf,
  isOpen,
  isTrue,
  itemsOf,
  type Node,
  type TreeEntry,
  textOf,
} from './tree.ts'
import { acceptedBy, type Reading, type RequiredVariable, variablesOf } from './variables.ts'
import { yamlScalar } from './write.ts'

/** A set as its file describes it, without the variables of its base. */
export interface WrittenSet extends DesiredSet {
  /** Part of it may be unknown, because something in it was refused. */
  readonly open?: true
  readonly from?: { readonly name: string; readonly source: SourceRange }
}

export interface WrittenBase {
  readonly name: string
  readonly source: SourceRange
  readonly variables: readonly (DesiredVariable | RequiredVariable)[]
}

export interface SetFile {
  readonly sets: readonly WrittenSet[]
  readonly bases: readonly WrittenBase[]
  readonly removed: readonly RemovedSet[]
  readonly assigned: readonly WrittenAssignment[]
  /** All names of its sets and bases are known. */
  readonly complete: boolean
}

/** A set in the list of a target, beside the sets. */
export interface WrittenAssignment {
  readonly set: string
  readonly kind: EntryKind
  /** The target as it is written. */
  readonly key: string
  /** It, or the workspaces of the group. */
  readonly targets: TargetRefs
  readonly isGroup: boolean
  readonly source: SourceRange
}

/** The kinds of target whose side can list sets. Stacks are few, and a set lists them. */
export const ENTRY_KINDS = ['workspaces', 'projects'] as const satisfies readonly TargetKind[]
export type EntryKind = (typeof ENTRY_KINDS)[number]

export function readSetFile(tree: Node, reading: Reading): SetFile {
  return {
    sets: uniqueEntries(childOf(tree, 'variableSets')).map(entry => setOf(entry, reading)),
    bases: uniqueEntries(childOf(tree, 'bases')).map(entry => ({
      name: entry.key,
      source: reading.file.at(entry.at),
      variables: variablesOf(entry.value, reading),
    })),
    assigned: ENTRY_KINDS.flatMap(kind =>
      uniqueEntries(childOf(tree, kind)).flatMap(entry => assignmentsOf(entry, kind, reading)),
    ),
    complete: ![tree, childOf(tree, 'variableSets'), childOf(tree, 'bases')].some(node => isOpen(node)),
    removed: itemsOf(childOf(tree, 'removed')).flatMap(
      item => targetOf(item, isVariableSetId, reading) ?? [],
    ),
  }
}

/** The name of each set, and its key if that is another. */
export const setNamesIn = (tree: Node): readonly Pick<WrittenSet, 'name' | 'key'>[] =>
  entriesOf(childOf(tree, 'variableSets')).map(({ key, value }) => namesOf(key, value))

function namesOf(key: string, set: Node): Pick<WrittenSet, 'name' | 'key'> {
  const name = textOf(childOf(set, 'name')) ?? key
  return { name, ...(key !== name && { key }) }
}

const OPEN = { open: true } as const
/** From a set or a base to `env`, to a variable, to its value. */
const DEPTH = 3
/** Whatever was refused was reported, so without a finding there is nothing to look for. */
const mayBeOpen = ({ findings }: Reading): boolean => findings.count > 0

/** A duplicate key was reported before, and the first entry counts. */
function uniqueEntries(node: Node | undefined): readonly TreeEntry[] {
  const seen = new Set<string>()
  return entriesOf(node).filter(({ key }) => !seen.has(key) && seen.add(key))
}

function setOf({ key, at, value: node }: TreeEntry, reading: Reading): WrittenSet {
  const id = textOf(childOf(node, 'id'))
  const accept = acceptedBy(node, reading.file.at(at), reading)
  const from = childOf(node, 'from')
  const base = textOf(from)
  const owner = childOf(node, 'project')
  const project = owner && targetOf(owner, TARGETS.projects.isId, reading)
  const names = namesOf(key, node)
  const { name } = names
  const targets = byKind<TargetRefs>(kind => targetsOf(childOf(node, kind), kind, reading))
  checkName(name, 'the set', reading.file.at(at), reading.findings)
  if (accept?.includes('odd-text') !== true)
    for (const kind of TARGET_KINDS)
      for (const target of targets[kind] ?? [])
        if ('name' in target) checkName(target.name, TARGETS[kind].one, target.source, reading.findings)
  const details = detailsBy((name, initial) => {
    const value = childOf(node, name)
    return typeof initial === 'string' ? (textOf(value) ?? initial) : isTrue(value)
  })
  for (const [detail, text] of Object.entries(details))
    if (typeof text === 'string')
      lintDescription(
        text,
        reading.file.at(entryOf(node, detail)?.at ?? at),
        `The ${detail} of the set "${name}"`,
        reading.findings,
      )
  return {
    ...names,
    ...details,
    variables: variablesOf(node, reading).filter(variable => 'value' in variable),
    project,
    ...targets,
    ...withGroups(node, targets, reading),
    ...(id !== undefined && isVariableSetId(id) && { id }),
    ...(from !== undefined &&
      base !== undefined && { from: { name: base, source: reading.file.at(from.at) } }),
    previousNames: previousNamesOf(node, reading),
    source: reading.file.at(at),
    accept,
    ...(mayBeOpen(reading) && isOpen(node, DEPTH) && OPEN),
  }
}

function checkName(name: string, what: string, source: SourceRange, findings: Findings): void {
  const odd = oddName(name)
  if (odd === undefined) return
  findings.warning(
    'odd-text',
    `The name of ${what} ${JSON.stringify(name)} ${odd.words}.`,
    `${odd.meant === undefined ? 'Choose another one.' : `Write \`${yamlScalar(odd.meant)}\`.`} If it is intended, write \`accept: [odd-text]\` in the set.`,
    source,
  )
}

function previousNamesOf(set: Node, { file, findings }: Reading): string[] {
  const names = new Set<string>()
  for (const item of itemsOf(childOf(set, 'previousNames'))) {
    const name = textOf(item)
    if (name !== undefined && names.size === names.add(name).size)
      findings.error('previous-name-declared', ...twice(name), file.at(item.at))
  }
  return [...names]
}

const twice = (name: string) => [`"${name}" is in this list twice.`, 'Remove one of the two.'] as const

/** Without the groups among them. */
function targetsOf<K extends TargetKind>(
  node: Node | undefined,
  kind: K,
  reading: Reading,
): TargetRef<TargetIds[K]>[] | undefined {
  if (node === undefined) return undefined
  const seen = new Set<string>()
  return itemsOf(node).flatMap(item => {
    const target = groupIn(item) === undefined ? targetOf(item, TARGETS[kind].isId, reading) : undefined
    if (target === undefined) return []
    const text = 'id' in target ? target.id : target.name
    if (seen.size === seen.add(`${'id' in target} ${text}`).size)
      reading.findings.error('duplicate-target', ...twice(text), target.source)
    else if (kind === 'workspaces' && PATTERN.test(textOf(item) ?? ''))
      reading.findings.error('wrong-value', ...patternWording(text), target.source)
    return target
  })
}

const PATTERN = /[*?]/

const patternWording = (text: string) =>
  [
    `"${text}" is a pattern, and workspaces are named one by one.`,
    'Use a group: write the pattern under `select` of a group in groups.yaml, run `setpoint groups --update`, and write `group:NAME` here.',
  ] as const

/** The sets in the list of one target. */
function assignmentsOf(
  { key, at, value }: TreeEntry,
  kind: EntryKind,
  reading: Reading,
): WrittenAssignment[] {
  const { file, findings } = reading
  const group = key.startsWith(GROUP) ? key.slice(GROUP.length) : undefined
  if (group !== undefined && kind !== 'workspaces') {
    findings.error('wrong-value', ...groupWording(kind), file.at(at))
    return []
  }
  if (kind === 'workspaces' && PATTERN.test(key))
    findings.error('wrong-value', ...patternWording(key), file.at(at))
  const named = group === undefined ? undefined : reading.groups?.find(group, file.at(at), findings)
  const seen = new Set<string>()
  return itemsOf(value).flatMap((one, item) => {
    const set = textOf(one)
    const source = file.at(one.at)
    if (set === undefined) return []
    if (seen.size === seen.add(set).size) {
      findings.error('duplicate-target', ...twice(set), source)
      return []
    }
    const written: Node = { kind: 'scalar', at: one.at, text: key, plain: false }
    const targets =
      group === undefined
        ? [targetOf(written, TARGETS[kind].isId, reading)]
        : (reading.groups?.membersOf(named, source) ?? [])
    const refs = targets.flatMap(target => (target === undefined ? [] : { ...target, entry: { key, item } }))
    return { set, kind, key, targets: { [kind]: refs }, isGroup: group !== undefined, source }
  })
}

/** The workspaces with those of the groups in the list, and the groups; nothing if the set names none. */
function withGroups(node: Node, { workspaces = [] }: TargetRefs, reading: Reading): Partial<DesiredSet> {
  const { file, findings } = reading
  for (const kind of TARGET_KINDS)
    for (const item of kind === 'workspaces' ? [] : itemsOf(childOf(node, kind)))
      if (groupIn(item) !== undefined) findings.error('wrong-value', ...groupWording(kind), file.at(item.at))
  const groups = itemsOf(childOf(node, 'workspaces')).flatMap((one, item) => {
    const name = groupIn(one)
    return name === undefined ? [] : { name, item, source: file.at(one.at) }
  })
  if (groups.length === 0) return {}
  const seen = new Set<string>()
  const members = groups.flatMap(({ name, source }) => {
    if (seen.size !== seen.add(name).size)
      return reading.groups?.membersOf(reading.groups.find(name, source, findings), source) ?? []
    findings.error('duplicate-target', ...twice(`${GROUP}${name}`), source)
    return []
  })
  return {
    workspaces: [...workspaces, ...members],
    groups: groups.map(({ name, item }) => ({ name, item })),
  }
}

const groupWording = (kind: TargetKind) =>
  [`A group has workspaces, and cannot be under \`${kind}\`.`, 'Write it under `workspaces`.'] as const

/** The name of a group in a list of workspaces. */
function groupIn(item: Node): string | undefined {
  const text = textOf(item)
  return text?.startsWith(GROUP) ? text.slice(GROUP.length) : undefined
}

const GROUP = 'group:'

function targetOf<Id extends string>(
  node: Node,
  isId: (text: string) => text is Id,
  reading: Reading,
): TargetRef<Id> | undefined {
  const source = reading.file.at(node.at)
  const forced = textOf(childOf(node, 'name'))
  const text = forced ?? textOf(node)
  if (text === undefined) return undefined
  if (forced !== undefined || !isId(text)) return { name: text, source }
  return { id: text, source, ...(!isCertainId(text) && { mayBeName: true }) }
}
