import {
  isMap,
  isScalar,
  type Node,
  type Pair,
  parseDocument,
  type Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { type YamlValue, yamlBlock, yamlEntry, yamlInline, yamlScalar } from '../config/write.ts'

/** An entry of a map, as the parser gives it in a document without errors. */
export type MapEntry = Pair<Scalar, Node | null>

/** A place in a file with a form that cannot be edited. */
export class NotEditable extends Error {
  override readonly name = 'NotEditable'

  constructor(why = 'it has a form that cannot be edited') {
    super(why)
  }
}

interface TextChange {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly depth: number
}

/** Changes to a text by their places in it. The rest of the text stays. */
export class Splices {
  readonly #text: string
  readonly #eol: string
  readonly #changes: TextChange[] = []

  constructor(text: string) {
    this.#text = text
    this.#eol = text.includes('\r\n') ? '\r\n' : '\n'
  }

  result(): string {
    const parts: string[] = []
    let rest = this.#text.length
    // From the end, so that earlier places stay valid. Of two additions at one place, the inner one comes first.
    const ordered = this.#changes
      .map((change, index) => ({ ...change, index }))
      .sort((a, b) => b.start - a.start || a.depth - b.depth || b.index - a.index)
    for (const { start, end, text } of ordered) {
      parts.push(this.#text.slice(end, rest), text)
      rest = start
    }
    return [this.#text.slice(0, rest), ...parts.reverse()].join('')
  }

  /** Gives an entry another value, and adds the entry if it is missing. */
  set(map: YAMLMap, key: string, value: YamlValue, entry = entryOf(map, key)): void {
    if (entry === undefined) this.add(map, key, value)
    else if (typeof value === 'string' && isScalar(entry.value)) this.#scalar(map, entry, entry.value, value)
    else this.#replace(map, entry, key, value)
  }

  /** Gives an entry another key. */
  rename(entry: MapEntry, name: string): void {
    this.#change(...spanOf(entry.key), yamlScalar(name))
  }

  /** What is written stays written when it gets its default again: a visible decision reads better than a missing line. */
  setDetail(map: YAMLMap, key: string, value: string | boolean): void {
    if (typeof value === 'string') {
      this.set(map, key, value)
      return
    }
    const entry = entryOf(map, key)
    if (isScalar(entry?.value)) this.#change(...spanOf(entry.value), String(value))
    else if (value) this.add(map, key, true)
  }

  /** Removes items of a list by their numbers, and adds others at the end. */
  list(key: Scalar, list: YAMLSeq<Node>, gone: ReadonlySet<number>, added: readonly YamlValue[]): void {
    const { items } = list
    const last = items.at(-1)
    if (list.flow === true || last === undefined) {
      const kept = items.flatMap((item, index) =>
        gone.has(index) ? [] : [this.#text.slice(...spanOf(item))],
      )
      this.#change(...spanOf(list), `[${[...kept, ...added.map(value => yamlInline(value))].join(', ')}]`)
      return
    }
    if (gone.size === items.length && added.length === 0) this.#insertValue(key, '[]')
    for (const index of gone) {
      const [from, to] = spanOf(items[index] ?? last)
      this.#change(this.#itemStart(from), this.#lineEnd(to), '')
    }
    const first = spanOf(items[0] ?? last)[0]
    const indent = /^ */.exec(this.#text.slice(this.#itemStart(first), first))?.[0] ?? ''
    const at = this.#lineEnd(spanOf(last)[1])
    const lines = added.map(value => `${indent}- ${yamlInline(value)}${this.#eol}`).join('')
    const before = added.length === 0 || this.#text.charAt(at - 1) === '\n' ? '' : this.#eol
    if (lines !== '') this.#change(at, at, `${before}${lines}`, indent.length + 1)
  }

  /** The beginning of the line of an item that is alone on it. */
  #itemStart(at: number): number {
    const start = this.#text.lastIndexOf('\n', at - 1) + 1
    if (!/^ *- +$/.test(this.#text.slice(start, at))) throw new NotEditable()
    return start
  }

  /** Removes entries, each with the rest of its line. An empty map is written as `{}`. */
  remove(outer: Scalar, map: YAMLMap, keys: readonly string[]): void {
    const entries = entriesOf(map)
    const names = new Set(keys)
    const gone = entries.filter(({ key }) => names.has(textOf(key)))
    if (map.flow === true && gone.length === entries.length) {
      this.#change(...spanOf(map), '{}')
    } else if (map.flow === true) for (const entry of gone) this.#removeInline(entries, entry, gone)
    else {
      if (gone.length === entries.length) this.#insertValue(outer, '{}')
      for (const entry of gone) this.#change(this.#lineStart(entry), this.#lineEnd(endOfEntry(entry)), '')
    }
  }

  /** Inserts a value after the colon of a key that loses the lines below it. The rest of its line stays. */
  #insertValue(key: Scalar, text: string): void {
    const at = this.#text.indexOf(':', endOf(key)) + 1
    this.#change(at, at, ` ${text}`)
  }

  #removeInline(entries: readonly MapEntry[], entry: MapEntry, gone: readonly MapEntry[]): void {
    const at = entries.indexOf(entry)
    const kept = entries.findIndex(one => !gone.includes(one))
    const before = entries[at - 1]
    const after = entries[at + 1]
    // Before the first entry that stays, the comma after goes; after it, the comma before.
    if (at < kept && after !== undefined) this.#change(startOf(entry.key), startOf(after.key), '')
    else if (before !== undefined) this.#change(endOfEntry(before), endOfEntry(entry), '')
  }

  /** Adds an entry at the end, whatever the map has. */
  add(map: YAMLMap, key: string, value: YamlValue): void {
    const last = entriesOf(map).at(-1)
    const inline = `${yamlScalar(key)}: ${yamlInline(value)}`
    if (map.flow === true && last !== undefined) {
      this.#change(endOfEntry(last), endOfEntry(last), `, ${inline}`)
      return
    }
    if (last === undefined) {
      this.#change(...spanOf(map), `{ ${inline} }`)
      return
    }
    const at = this.#lineEnd(endOfEntry(last))
    const start = this.#text.charAt(at - 1) === '\n' ? '' : this.#eol
    const indent = this.#indentOf(last)
    this.#change(at, at, `${start}${this.#lines(yamlEntry(key, value, indent))}`, indent.length)
  }

  #replace(map: YAMLMap, entry: MapEntry, key: string, value: YamlValue): void {
    const start = startOf(entry.key)
    const end = endOfEntry(entry)
    if (map.flow === true) {
      this.#change(start, end, `${yamlScalar(key)}: ${yamlInline(value)}`)
      return
    }
    const lines = this.#lines(yamlEntry(key, value, this.#indentOf(entry))).trimStart()
    const isWholeLine = this.#text.charAt(end - 1) === '\n'
    this.#change(start, end, isWholeLine ? lines : lines.replace(/\r?\n$/, ''))
  }

  #scalar(map: YAMLMap, entry: MapEntry, node: Scalar, text: string): void {
    const [start, end] = spanOf(node)
    const isBlock = node.type === 'BLOCK_LITERAL' || node.type === 'BLOCK_FOLDED'
    const endsLine = isBlock || /^[ \t]*(?:\r?\n|$)/.test(this.#text.slice(end, end + 200))
    const block = map.flow !== true && endsLine ? yamlBlock(text, `${this.#indentOf(entry)}  `) : undefined
    const lines = this.#lines(block ?? `${yamlScalar(text)}\n`)
    const isWholeLine = this.#text.charAt(end - 1) === '\n'
    this.#change(start, end, isBlock && isWholeLine ? lines : lines.replace(/\r?\n$/, ''))
  }

  #change(start: number, end: number, text: string, depth = 0): void {
    this.#changes.push({ start, end, text, depth })
  }

  /** The spaces before a key that is first on its line. */
  #indentOf(entry: MapEntry): string {
    return this.#text.slice(this.#lineStart(entry), startOf(entry.key))
  }

  #lineStart({ key }: MapEntry): number {
    const at = startOf(key)
    const start = this.#text.lastIndexOf('\n', at - 1) + 1
    if (!/^ *$/.test(this.#text.slice(start, at))) throw new NotEditable()
    return start
  }

  /** The end of the line that a place is on; the place itself if it begins a line. */
  #lineEnd(at: number): number {
    if (at > 0 && this.#text.charAt(at - 1) === '\n') return at
    const end = this.#text.indexOf('\n', at)
    return end < 0 ? this.#text.length : end + 1
  }

  #lines(text: string): string {
    return this.#eol === '\n' ? text : text.replaceAll('\n', '\r\n')
  }
}

/** The map at a key of a file, as `Splices` edits it. */
export const mapIn = (text: string, key: string): YAMLMap | undefined => {
  const options = { schema: 'failsafe', uniqueKeys: false, merge: false, logLevel: 'silent' } as const
  return mapOf(entryOf(mapOf(parseDocument(text, options).contents), key)?.value)
}

export const mapOf = (node: unknown): YAMLMap | undefined => (isMap(node) ? (node as YAMLMap) : undefined)

export const entriesOf = (map: YAMLMap | undefined): readonly MapEntry[] =>
  (map?.items ?? []) as readonly MapEntry[]

export const entryOf = (map: YAMLMap | undefined, key: string): MapEntry | undefined =>
  entriesOf(map).find(entry => textOf(entry.key) === key)

export const textOf = (node: Node | null): string => (isScalar(node) ? String(node.value) : '')

function spanOf(node: Node): [number, number] {
  if (!node.range) throw new NotEditable()
  return [node.range[0], node.range[1]]
}

const startOf = (node: Node): number => spanOf(node)[0]
const endOf = (node: Node): number => spanOf(node)[1]
const endOfEntry = ({ key, value }: MapEntry): number => endOf(value ?? key)
