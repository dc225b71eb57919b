import type { Findings } from '../model/findings.ts'
import { holderOf } from '../model/lists.ts'
import type { SourceFile } from './source-file.ts'
import type { MapNode, Node } from './tree.ts'

/**
 * Reports duplicate keys, also those that look the same because they differ only in Unicode form (docs/fault-model.md F-67), and
 * characters that no string can contain, which escapes in double quotes can bring in (docs/fault-model.md F-69).
 */
export function checkKeys(tree: Node, file: SourceFile, findings: Findings): void {
  // Only escapes can bring in characters that the file itself was checked for; only they and non-ASCII text have two forms.
  const hasEscapes = file.text.includes('\\')
  const isSimple = !hasEscapes && Buffer.byteLength(file.text) === file.text.length

  function check(node: Node): void {
    if (node.kind === 'map') {
      checkMap(node)
      for (const entry of node.entries) check(entry.value)
    } else if (node.kind === 'list') for (const item of node.items) check(item)
    else if (hasEscapes) checkText(node.text, node.at)
  }

  function checkMap({ entries }: MapNode): void {
    if (isSimple && new Set(entries.map(({ key }) => key)).size === entries.length) return
    const first = new Map<string, { readonly key: string; readonly at: number }>()
    for (const entry of entries) {
      if (hasEscapes) checkText(entry.key, entry.at)
      const composed = isSimple ? entry.key : entry.key.normalize('NFC')
      const earlier = holderOf(first, composed, entry)
      if (earlier !== undefined) {
        clash(entry, earlier)
        continue
      }
      if (composed !== entry.key)
        findings.warning(
          'wrong-value',
          file.at(entry.at),
          `The key "${entry.key}" contains combining characters (it is not in Unicode form NFC).`,
          'Write it in the composed form, unless the key in the service has this form. Another key could look the same.',
        )
    }
  }

  function clash(entry: { key: string; at: number }, earlier: { key: string; at: number }): void {
    const { line } = file.at(earlier.at)
    const message =
      entry.key === earlier.key
        ? `"${entry.key}" is already on line ${line}.`
        : `"${entry.key}" looks the same as the key on line ${line}. They differ only in Unicode form.`
    findings.error('duplicate-key', file.at(entry.at), message, 'Remove one of the two.')
  }

  function checkText(text: string, at: number): void {
    if (text.includes('\0'))
      findings.error('wrong-value', file.at(at), 'A string cannot contain the character U+0000.')
    if (HALF_PAIR.test(text))
      findings.error('wrong-value', file.at(at), 'A string cannot contain half of a surrogate pair.')
  }

  check(tree)
}

const HALF_PAIR = /\p{Surrogate}/u
