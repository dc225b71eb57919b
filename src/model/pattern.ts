/**
 * Patterns over set names, as in `owns`, `protect` and `--only`: `*` stands for any text, `?` for one character,
 * everything else for itself. Names are not paths, so `*` matches `/` too.
 */
export function matchesPattern(pattern: string, name: string): boolean {
  const wanted = [...pattern]
  const text = [...name]
  let at = 0
  let read = 0
  let star = -1
  let resume = 0
  while (read < text.length) {
    const want = wanted[at]
    if (want === '*') {
      star = at++
      resume = read
    } else if (want === '?' || (want !== undefined && want === text[read])) {
      at++
      read++
    } else if (star >= 0) {
      at = star + 1
      read = ++resume
    } else return false
  }
  while (wanted[at] === '*') at++
  return at === wanted.length
}

export const matchesAny = (patterns: readonly string[], name: string): boolean =>
  patterns.some(pattern => matchesPattern(pattern, name))
