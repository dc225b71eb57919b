/** The candidate a user most likely meant, or `undefined` where none is near enough. For "did you mean". */
export function suggest(
  written: string,
  candidates: Iterable<string>,
  limit = Math.max(1, Math.floor(written.length / 3)),
): string | undefined {
  let best: string | undefined
  let distance = limit + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - written.length) >= distance) continue
    const d = editDistance(written.toLowerCase(), candidate.toLowerCase())
    if (d < distance) [best, distance] = [candidate, d]
  }
  return best
}

/** Damerau's distance (optimal string alignment): a swap of neighbours counts once, as in `kye` for `key`. */
function editDistance(a: string, b: string): number {
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1
      let d = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, at(previous, j - 1) + cost)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        d = Math.min(d, at(before, j - 2) + 1)
      row.push(d)
    }
    before = previous
    previous = row
  }
  return at(previous, b.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? 0
