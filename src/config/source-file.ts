import type { SourceRange } from '../model/diagnostic.ts'

/** A file's text and the way from an offset to a line. */
export interface SourceFile {
  /** Relative to the repository's root, with `/`. */
  readonly path: string
  readonly text: string
  at(offset: number): SourceRange
}

export function sourceFile(path: string, text: string): SourceFile {
  const lines = lineStarts(text)
  let last = 0
  return {
    path,
    text,
    at(offset) {
      // Mostly asked in the order of the file: from the line before, a few lines on.
      const isBehind = (lines[last] ?? 0) <= offset
      const isNear = isBehind && offset < (lines[last + NEAR] ?? 0)
      let low = isBehind ? last : 0
      let high = isNear ? last + NEAR : lines.length
      while (low + 1 < high) {
        const middle = (low + high) >>> 1
        if ((lines[middle] ?? 0) <= offset) low = middle
        else high = middle
      }
      last = low
      return { path, line: low + 1, column: offset - (lines[low] ?? 0) + 1 }
    },
  }
}

const NEAR = 8

function lineStarts(text: string): number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}
