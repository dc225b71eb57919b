import type { Diagnostic } from '../model/diagnostic.ts'
import { Findings } from '../model/findings.ts'
import type { TreeLimits } from './limits.ts'
import { parseFile, type Trees } from './parse.ts'
import { type SourceFile, sourceFile } from './source-file.ts'
import type { Node } from './tree.ts'

/**
 * The trees of a set file without its sets and bases with syntax errors, which are `said`, so that the mistakes of the others are reported
 * in the same run. `undefined` if the rest cannot be read either, or if an error is in no set or base: nothing tells how far it reaches.
 */
export function parseSoundPart(
  { path, text }: SourceFile,
  limits: TreeLimits,
  findings: Findings,
  said: readonly Diagnostic[],
): Trees | undefined {
  const lines = text.split('\n')
  const indents = lines.map(line =>
    /^\s*(?:#|$)/.test(line) ? Number.POSITIVE_INFINITY : line.search(/[^ ]/),
  )
  for (const { code, source } of said) {
    const entry = entryAround(indents, (source?.line ?? 0) - 1)
    if (code === 'yaml-feature') continue
    if (entry === undefined) return undefined
    // Spaces, so that all places stay.
    for (let at = entry[0]; at < entry[1]; at++) lines[at] = lines[at]?.replace(/[^\r]/g, ' ') ?? ''
  }
  const scratch = new Findings()
  const trees = parseFile(sourceFile(path, lines.join('\n')), limits, scratch)
  if (trees === undefined) return undefined
  const reported = new Set(said.map(({ source }) => source?.line))
  for (const { code, source, message, hint } of scratch.diagnostics)
    if (!reported.has(source?.line)) findings.say(source, [code, message, hint])
  const [first, ...further] = trees
  return [withoutEmptied(first), ...further.map(withoutEmptied)]
}

/** A key that has lost all sets or bases counts as left out. */
const withoutEmptied = (tree: Node): Node =>
  tree.kind !== 'map'
    ? tree
    : {
        ...tree,
        entries: tree.entries.map(entry =>
          entry.value.kind === 'scalar' && entry.value.plain && entry.value.text === ''
            ? { ...entry, value: { ...entry.value, refused: true } }
            : entry,
        ),
      }

/** The lines of the set or base that a line belongs to: those below a key that is not indented, with the least indentation. */
function entryAround(
  indents: readonly number[],
  line: number,
): readonly [from: number, to: number] | undefined {
  const section = indents.findLastIndex((indent, at) => at <= line && indent === 0)
  const indent = indents.find((one, at) => at > section && Number.isFinite(one)) ?? 0
  const from = indents.findLastIndex((one, at) => at <= line && one <= indent)
  const end = indents.findIndex((one, at) => at > from && one <= indent)
  return section < 0 || from <= section || indents[from] !== indent
    ? undefined
    : [from, end < 0 ? indents.length : end]
}
