import { isMap, isScalar, isSeq, type Node, parseDocument, type YAMLMap } from 'yaml'
import { targetYaml, variableYaml } from '../config/write.ts'
import { compareText } from '../model/diagnostic.ts'
import { type Category, categoryOf, nameOf, type TargetKind, type VariableKey } from '../model/ids.ts'
import type { DesiredVariable, TargetRef } from '../model/variable-set.ts'
import { entriesOf, entryOf, type MapEntry, NotEditable, Splices, textOf } from './splices.ts'

/** One live value that a file takes over. */
export type SetEdit =
  | { readonly kind: 'description'; readonly text: string }
  | { readonly kind: 'flag'; readonly name: 'global' | 'priority'; readonly value: boolean }
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

/** The live values for one set of a file. */
export interface EditedSet {
  readonly name: string
  readonly edits: readonly SetEdit[]
}

/** Why a set cannot be edited in place. */
export interface EditProblem {
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
  const document = parseDocument(text, {
    schema: 'failsafe',
    uniqueKeys: false,
    merge: false,
    logLevel: 'silent',
  })
  const sets = mapIn(document.contents, 'variableSets')
  const entries = sets === undefined ? [] : entriesOf(sets)
  const byKey = new Map(entries.map(one => [textOf(one.key), one]))
  const byName = new Map<string, MapEntry | undefined>()
  // Keys tell several sets of one name apart.
  for (const one of entries) byName.set(nameOfSet(one), byName.has(nameOfSet(one)) ? undefined : one)
  const splices = new Splices(text)
  const problems = updated.flatMap(({ name, edits }): EditProblem[] => {
    const problem = problemOfEditing(splices, byName.get(name) ?? byKey.get(name), edits)
    return problem === undefined ? [] : [{ name, problem }]
  })
  return { text: splices.result(), problems }
}

function problemOfEditing(
  splices: Splices,
  found: MapEntry | undefined,
  edits: readonly SetEdit[],
): string | undefined {
  try {
    if (found === undefined || !isMap(found.value)) throw new NotEditable()
    new Editing(splices, found.key, found.value as YAMLMap).apply(edits)
    return undefined
  } catch (error) {
    if (error instanceof NotEditable) return error.message
    throw error
  }
}

function mapIn(node: unknown, key: string): YAMLMap | undefined {
  const value = isMap(node) ? entryOf(node as YAMLMap, key)?.value : undefined
  return isMap(value) ? (value as YAMLMap) : undefined
}

function nameOfSet({ key, value }: MapEntry): string {
  const name = isMap(value) ? entryOf(value as YAMLMap, 'name')?.value : undefined
  return isScalar(name) ? textOf(name) : textOf(key)
}

class Editing {
  readonly #splices: Splices
  readonly #key: MapEntry['key']
  readonly #set: YAMLMap

  constructor(splices: Splices, key: MapEntry['key'], set: YAMLMap) {
    this.#splices = splices
    this.#key = key
    this.#set = set
  }

  apply(edits: readonly SetEdit[]): void {
    for (const edit of edits) if (edit.kind === 'targets') this.#targets(edit)
    for (const edit of edits) {
      if (edit.kind === 'description') this.#splices.set(this.#set, 'description', edit.text)
      if (edit.kind === 'flag') this.#splices.setFlag(this.#set, edit.name, edit.value)
      if (edit.kind === 'owner') this.#owner(edit.project, edits.length > 1)
    }
    for (const category of ['env', 'terraform'] as const) this.#category(category, edits)
  }

  #owner(project: TargetRef<string> | undefined, isMore: boolean): void {
    if (project !== undefined) this.#splices.set(this.#set, 'project', targetYaml(project))
    else if (isMore && this.#set.items.length === 1) throw new NotEditable('its only line is `project`')
    else this.#splices.remove(this.#key, this.#set, ['project'])
  }

  #targets({ name, gone, added }: Extract<SetEdit, { kind: 'targets' }>): void {
    const entry = entryOf(this.#set, name)
    const list = entry?.value
    if (entry === undefined || !isSeq<Node>(list)) throw new NotEditable()
    this.#splices.list(entry.key, list, gone, added.map(targetYaml))
  }

  #category(category: Category, edits: readonly SetEdit[]): void {
    const written = edits
      .flatMap(edit =>
        edit.kind === 'variable' && categoryOf(edit.variable.key) === category ? [edit.variable] : [],
      )
      .sort((a, b) => compareText(a.key, b.key))
    const removed = edits.flatMap(edit =>
      edit.kind === 'removal' && categoryOf(edit.key) === category ? [nameOf(edit.key)] : [],
    )
    if (written.length + removed.length === 0) return
    const entry = entryOf(this.#set, category)
    if (entry === undefined || !isMap(entry.value) || (entry.value as YAMLMap).items.length === 0) {
      const variables = written.map(variable => [nameOf(variable.key), variableYaml(variable)] as const)
      this.#splices.set(this.#set, category, new Map(variables))
      return
    }
    const map = entry.value as YAMLMap
    const isEmptied = removed.length === map.items.length
    // A map that loses all of its entries is replaced by the new ones.
    if (isEmptied && written.length > 0) {
      const variables = written.map(variable => [nameOf(variable.key), variableYaml(variable)] as const)
      this.#splices.replace(this.#set, category, new Map(variables))
      return
    }
    for (const variable of written) this.#variable(map, variable)
    if (removed.length > 0) this.#splices.remove(entry.key, map, removed)
  }

  /** If only a text differs, only the text is written; the entry keeps its form and its comments. */
  #variable(map: YAMLMap, variable: DesiredVariable): void {
    const key = nameOf(variable.key)
    const value = variableYaml(variable)
    const entry = entryOf(map, key)
    const inner = entry?.value
    if (isMap(inner) && entryOf(inner as YAMLMap, 'file') !== undefined)
      throw new NotEditable(
        `the value of ${variable.key} comes from the file "${variable.file}"; change it there`,
      )
    if (isMap(inner) && !(value instanceof Map) && typeof value === 'string') {
      const form = inner as YAMLMap
      if (entryOf(form, 'value') !== undefined && form.items.length === 1) {
        this.#splices.set(form, 'value', value)
        return
      }
    }
    if (isMap(inner) && value instanceof Map && sameKeys(inner as YAMLMap, value)) {
      for (const [name, member] of value) {
        const old = entryOf(inner as YAMLMap, name)?.value
        const isSame = isScalar(old) && typeof member === 'string' && textOf(old) === member
        if (typeof member === 'string' && !isSame && isScalar(old))
          this.#splices.set(inner as YAMLMap, name, member)
      }
      return
    }
    this.#splices.set(map, key, value)
  }
}

const sameKeys = (map: YAMLMap, value: ReadonlyMap<string, unknown>): boolean =>
  map.items.length === value.size && entriesOf(map).every(({ key }) => value.has(textOf(key)))
