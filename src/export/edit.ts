import { isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import { targetYaml, variableYaml } from '../config/write.ts'
import { compareText } from '../model/diagnostic.ts'
import type { DetailName } from '../model/fields.ts'
import {
  CATEGORIES,
  type Category,
  categoryOf,
  nameOf,
  type TargetKind,
  type VariableKey,
} from '../model/ids.ts'
import { grouped } from '../model/lists.ts'
import type { BesideEntry, DesiredVariable, TargetRef } from '../model/variable-set.ts'
import { entriesOf, entryOf, type MapEntry, mapIn, mapOf, NotEditable, Splices, textOf } from './splices.ts'

/** One live value that a file takes over. */
export type SetEdit =
  | { readonly kind: 'detail'; readonly name: DetailName; readonly value: string | boolean }
  /** Without a project the organization owns the set. */
  | { readonly kind: 'owner'; readonly project?: TargetRef<string> }
  | {
      readonly kind: 'variable'
      readonly variable: DesiredVariable
      /** The file does not have it yet. */
      readonly isNew: boolean
    }
  | { readonly kind: 'removal'; readonly key: VariableKey }
  | {
      readonly kind: 'targets'
      readonly name: TargetKind
      /** Indexes of the items that are removed. */
      readonly gone: ReadonlySet<number>
      readonly added: readonly TargetRef<string>[]
    }
  /** The set is taken out of the list of a target, beside the sets of the file `path`. */
  | ({ readonly kind: 'entry'; readonly name: TargetKind; readonly path: string } & BesideEntry)

export interface EditedSet {
  readonly name: string
  readonly edits: readonly SetEdit[]
}

interface EditProblem {
  readonly name: string
  readonly problem: string
}

/**
 * The text of a set file with the live values of its sets. Only what differs is rewritten; comments, order and form of
 * everything else stay. With problems, do not use the text.
 */
export function editedText(
  text: string,
  updated: readonly EditedSet[],
): { readonly text: string; readonly problems: readonly EditProblem[] } {
  const entries = entriesOf(mapIn(text, 'variableSets'))
  const byKey = new Map(entries.map(one => [textOf(one.key), one]))
  const byName = new Map<string, MapEntry | undefined>()
  // Keys tell several sets of one name apart.
  for (const one of entries) byName.set(nameOfSet(one), byName.has(nameOfSet(one)) ? undefined : one)
  const splices = new Splices(text)
  const problems = updated.flatMap(({ name, edits }) => {
    const inside = edits.filter(({ kind }) => kind !== 'entry')
    if (inside.length === 0) return []
    return problemsOf([name], () => editSet(splices, byName.get(name) ?? byKey.get(name), inside))
  })
  problems.push(...editEntries(splices, text, updated))
  return { text: splices.result(), problems }
}

function problemsOf(names: readonly string[], edit: () => void): EditProblem[] {
  try {
    edit()
    return []
  } catch (error) {
    if (error instanceof NotEditable) return names.map(name => ({ name, problem: error.message }))
    throw error
  }
}

/** Each list is edited once, for all sets that leave it. */
function editEntries(splices: Splices, text: string, updated: readonly EditedSet[]): EditProblem[] {
  const leaving = updated.flatMap(({ name: set, edits }) =>
    edits.flatMap(edit => (edit.kind === 'entry' ? { set, edit } : [])),
  )
  return [...grouped(leaving, ({ edit: { name, key } }) => `${name} ${key}`).values()].flatMap(all =>
    problemsOf(
      all.map(({ set }) => set),
      () => {
        const { name, key } = all[0].edit
        const entry = entryOf(mapIn(text, name), key)
        if (entry === undefined || !isSeq<Node>(entry.value)) throw new NotEditable()
        splices.list(entry.key, entry.value, new Set(all.map(({ edit }) => edit.item)), [])
      },
    ),
  )
}

function nameOfSet({ key, value }: MapEntry): string {
  const name = entryOf(mapOf(value), 'name')?.value
  return textOf(isScalar(name) ? name : key)
}

function editSet(splices: Splices, found: MapEntry | undefined, edits: readonly SetEdit[]): void {
  const set = mapOf(found?.value)
  if (found === undefined || set === undefined) throw new NotEditable()
  for (const edit of edits) if (edit.kind === 'targets') editTargets(splices, set, edit)
  for (const edit of edits) {
    if (edit.kind === 'detail') splices.setDetail(set, edit.name, edit.value)
    if (edit.kind !== 'owner') continue
    if (edit.project !== undefined) splices.set(set, 'project', targetYaml(edit.project))
    else if (edits.length > 1 && set.items.length === 1) throw new NotEditable('its only line is `project`')
    else splices.remove(found.key, set, ['project'])
  }
  for (const category of CATEGORIES) editCategory(splices, set, category, edits)
}

function editTargets(
  splices: Splices,
  set: YAMLMap,
  { name, gone, added }: Extract<SetEdit, { kind: 'targets' }>,
): void {
  const entry = entryOf(set, name)
  const list = entry?.value
  if (entry === undefined || !isSeq<Node>(list)) throw new NotEditable()
  splices.list(entry.key, list, gone, added.map(targetYaml))
}

function editCategory(splices: Splices, set: YAMLMap, category: Category, edits: readonly SetEdit[]): void {
  const written = edits
    .flatMap(edit => (edit.kind === 'variable' ? edit.variable : []))
    .filter(({ key }) => categoryOf(key) === category)
    .sort((a, b) => compareText(a.key, b.key))
  const removed = edits.flatMap(edit =>
    edit.kind === 'removal' && categoryOf(edit.key) === category ? nameOf(edit.key) : [],
  )
  if (written.length + removed.length === 0) return
  const entry = entryOf(set, category)
  const map = mapOf(entry?.value)
  // A map that is empty, or loses all of its entries, is replaced by the new ones.
  const isEmptied = map?.items.length === 0 || (map?.items.length === removed.length && written.length > 0)
  if (entry === undefined || map === undefined || isEmptied) {
    const variables = written.map(variable => [nameOf(variable.key), variableYaml(variable)] as const)
    splices.set(set, category, new Map(variables))
    return
  }
  for (const variable of written) editVariable(splices, map, variable)
  if (removed.length > 0) splices.remove(entry.key, map, removed)
}

/** If only a text differs, only the text is written; the entry keeps its form and its comments. */
function editVariable(splices: Splices, map: YAMLMap, variable: DesiredVariable): void {
  const key = nameOf(variable.key)
  const value = variableYaml(variable)
  const inner = mapOf(entryOf(map, key)?.value)
  if (entryOf(inner, 'file') !== undefined)
    throw new NotEditable(
      `the value of ${variable.key} comes from the file "${variable.file}"; change it there`,
    )
  if (inner !== undefined && typeof value === 'string' && isOnly(inner, ['value']))
    splices.set(inner, 'value', value)
  else if (inner !== undefined && value instanceof Map && isOnly(inner, [...value.keys()])) {
    for (const [name, member] of value) {
      const old = entryOf(inner, name)?.value
      if (typeof member === 'string' && isScalar(old) && textOf(old) !== member)
        splices.set(inner, name, member)
    }
  } else splices.set(map, key, value)
}

const isOnly = (map: YAMLMap, keys: readonly string[]): boolean =>
  map.items.length === keys.length && entriesOf(map).every(({ key }) => keys.includes(textOf(key)))
