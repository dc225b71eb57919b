import type { SourceRange } from '../model/diagnostic.ts'
import {
  isWrittenProjectId,
  isWrittenVariableSetId,
  isWrittenWorkspaceId,
  type VariableSetId,
} from '../model/ids.ts'
import type { DesiredSet, DesiredVariable, RemovedSet, TargetRef } from '../model/variable-set.ts'
import { lintDescription } from './lint.ts'
import { childOf, type Entry, entriesOf, isTrue, itemsOf, type Node, textOf } from './tree.ts'
import { type Reading, type RequiredVariable, variablesOf } from './variables.ts'

/** Of what stands in a set or a base itself. */
export interface Size {
  readonly variables: number
  /** Of all values. */
  readonly characters: number
}

/** A set as its file says it, without what its base gives. */
export interface WrittenSet extends Omit<DesiredSet, 'variables'> {
  readonly variables: readonly DesiredVariable[]
  readonly from?: { readonly name: string; readonly source: SourceRange }
  readonly size: Size
}

export interface Base {
  readonly name: string
  readonly source: SourceRange
  readonly variables: readonly (DesiredVariable | RequiredVariable)[]
  readonly size: Size
}

/** What one set file says. */
export interface SetFile {
  readonly sets: readonly WrittenSet[]
  readonly bases: readonly Base[]
  readonly removed: readonly RemovedSet[]
}

/** What is kept of it: each part is handed over before the next one is read. */
export interface Keeping {
  set(set: WrittenSet): WrittenSet
  base(base: Base): Base
  removed(removed: RemovedSet): RemovedSet
}

const WHOLE: Keeping = { set: set => set, base: base => base, removed: removed => removed }

export function readSetFile(tree: Node, reading: Reading, keeping: Keeping = WHOLE): SetFile {
  return {
    sets: uniqueEntries(childOf(tree, 'variableSets')).map(entry => keeping.set(setOf(entry, reading))),
    bases: uniqueEntries(childOf(tree, 'bases')).map(entry => keeping.base(baseOf(entry, reading))),
    removed: itemsOf(childOf(tree, 'removed')).flatMap(item => {
      const removed = removedOf(item, reading)
      return removed === undefined ? [] : [keeping.removed(removed)]
    }),
  }
}

function baseOf({ key, at, value: node }: Entry, reading: Reading): Base {
  const variables = variablesOf(node, reading)
  return { name: key, source: reading.file.at(at), variables, size: sizeOf(variables) }
}

const sizeOf = (variables: Base['variables']): Size => ({
  variables: variables.length,
  characters: variables.reduce(
    (sum, variable) =>
      'value' in variable && 'text' in variable.value ? sum + variable.value.text.length : sum,
    0,
  ),
})

/** A key that is there twice was reported; the first one counts. */
function uniqueEntries(node: Node | undefined): readonly Entry[] {
  const seen = new Set<string>()
  return entriesOf(node).filter(({ key }) => !seen.has(key) && seen.add(key))
}

function setOf({ key, at, value: node }: Entry, reading: Reading): WrittenSet {
  const id = textOf(childOf(node, 'id'))
  const from = childOf(node, 'from')
  const base = textOf(from)
  const workspaces = targetsOf(childOf(node, 'workspaces'), isWrittenWorkspaceId, reading)
  const projects = targetsOf(childOf(node, 'projects'), isWrittenProjectId, reading)
  const name = textOf(childOf(node, 'name')) ?? key
  const description = textOf(childOf(node, 'description')) ?? ''
  const variables = variablesOf(node, reading).filter(variable => 'value' in variable)
  lintDescription(description, reading.file.at(at), `the description of the set "${name}"`, reading.findings)
  return {
    name,
    description,
    global: isTrue(childOf(node, 'global')),
    priority: isTrue(childOf(node, 'priority')),
    variables,
    size: sizeOf(variables),
    ...(workspaces === undefined ? {} : { workspaces }),
    ...(projects === undefined ? {} : { projects }),
    ...(id !== undefined && isSetId(id) ? { id } : {}),
    ...(from === undefined || base === undefined
      ? {}
      : { from: { name: base, source: reading.file.at(from.at) } }),
    previousNames: itemsOf(childOf(node, 'previousNames')).flatMap(item => textOf(item) ?? []),
    source: reading.file.at(at),
  }
}

const isSetId = (text: string): text is VariableSetId => text.startsWith('varset-')
/** The shape of ids that the service gives: what has it is an id, everything else a name. */

function targetsOf<Id extends string>(
  node: Node | undefined,
  isId: (text: string) => text is Id,
  reading: Reading,
): TargetRef<Id>[] | undefined {
  if (node === undefined) return undefined
  const seen = new Set<string>()
  return itemsOf(node).flatMap(item => {
    const source = reading.file.at(item.at)
    const forced = textOf(childOf(item, 'name'))
    const text = forced ?? textOf(item)
    if (text === undefined) return []
    const target: TargetRef<Id> =
      forced === undefined && isId(text) ? { id: text, source } : { name: text, source }
    const identity = 'id' in target ? `id ${text}` : `name ${text}`
    if (seen.has(identity))
      reading.findings.error(
        'duplicate-target',
        source,
        `"${text}" is in this list twice`,
        'Remove one of the two.',
      )
    seen.add(identity)
    return [target]
  })
}

function removedOf(item: Node, reading: Reading): RemovedSet | undefined {
  const source = reading.file.at(item.at)
  const forced = textOf(childOf(item, 'name'))
  const text = forced ?? textOf(item)
  if (text === undefined) return undefined
  return forced === undefined && isWrittenVariableSetId(text) ? { id: text, source } : { name: text, source }
}
