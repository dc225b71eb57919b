import type { Findings } from '../model/findings.ts'
import type { SourceFile } from './source-file.ts'
import type { MapNode, Node } from './tree.ts'

/**
 * Reports duplicate keys, also those that look the same because they differ only in Unicode form (docs/fault-model.md F-67), and
 * characters that no string can contain, which escapes in double quotes can bring in (docs/fault-model.md F-69).
 */
export function checkKeys(tree: Node, file: SourceFile, findings: Findings): void {
  new KeyCheck(file, findings).node(tree)
}

class KeyCheck {
  readonly #file: SourceFile
  readonly #findings: Findings
  /** Only escapes can bring in characters that the file itself was checked for; only they and non-ASCII text have two forms. */
  readonly #hasEscapes: boolean
  readonly #isSimple: boolean

  constructor(file: SourceFile, findings: Findings) {
    this.#file = file
    this.#findings = findings
    this.#hasEscapes = file.text.includes('\\')
    this.#isSimple = !this.#hasEscapes && Buffer.byteLength(file.text) === file.text.length
  }

  node(node: Node): void {
    if (node.kind === 'map') {
      this.#map(node)
      for (const entry of node.entries) this.node(entry.value)
    } else if (node.kind === 'list') for (const item of node.items) this.node(item)
    else if (this.#hasEscapes) this.#text(node.text, node.at)
  }

  #map({ entries }: MapNode): void {
    if (this.#isSimple && new Set(entries.map(({ key }) => key)).size === entries.length) return
    const first = new Map<string, { readonly key: string; readonly at: number }>()
    for (const entry of entries) {
      if (this.#hasEscapes) this.#text(entry.key, entry.at)
      const composed = this.#isSimple ? entry.key : entry.key.normalize('NFC')
      const earlier = first.get(composed)
      if (earlier !== undefined) this.#clash(entry, earlier)
      else {
        first.set(composed, entry)
        if (composed !== entry.key)
          this.#findings.warning(
            'wrong-value',
            this.#file.at(entry.at),
            `The key "${entry.key}" contains combining characters (it is not in Unicode form NFC).`,
            'Write it in the composed form, unless the service has it like this. Another key could look the same.',
          )
      }
    }
  }

  #clash(entry: { key: string; at: number }, earlier: { key: string; at: number }): void {
    const { line } = this.#file.at(earlier.at)
    const message =
      entry.key === earlier.key
        ? `"${entry.key}" is already on line ${line}.`
        : `"${entry.key}" looks the same as the key on line ${line}. They differ only in Unicode form.`
    this.#findings.error('duplicate-key', this.#file.at(entry.at), message, 'Remove one of the two.')
  }

  #text(text: string, at: number): void {
    if (text.includes('\0'))
      this.#findings.error('wrong-value', this.#file.at(at), 'A string cannot contain the character U+0000.')
    if (HALF_PAIR.test(text))
      this.#findings.error(
        'wrong-value',
        this.#file.at(at),
        'A string cannot contain half of a surrogate pair.',
      )
  }
}

const HALF_PAIR = /\p{Surrogate}/u
