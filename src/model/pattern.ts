/**
 * Patterns over set names, as in `owns`, `protect` and `--only`: `*` stands for any text, `?` for one character,
 * everything else for itself. Names are not paths, so `*` matches `/` too.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  let at = 0
  let read = 0
  let star = -1
  let resume = 0
  while (read < name.length) {
    const want = pattern.charCodeAt(at)
    if (want === STAR) {
      star = at++
      resume = read
    } else if (want === QUESTION) {
      at++
      read += unitsAt(name, read)
    } else if (want === name.charCodeAt(read)) {
      at++
      read++
    } else if (star >= 0) {
      // Only the last `*` is ever tried again: what stands before it matches as early as it can.
      at = star + 1
      resume += unitsAt(name, resume)
      read = resume
    } else return false
  }
  while (pattern.charCodeAt(at) === STAR) at++
  return at === pattern.length
}

const STAR = 0x2a
const QUESTION = 0x3f

/** Of one character: two for what lies beyond U+FFFF. */
const unitsAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1)

export const matchesAny = (patterns: readonly string[], name: string): boolean =>
  patterns.some(pattern => matchesPattern(pattern, name))
