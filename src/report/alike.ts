/** What reads the same is told once: groups in the order of their first members. What has no key stands alone. */
export function alike<T>(all: readonly T[], keyOf: (one: T) => string | undefined): T[][] {
  const groups: T[][] = []
  const byKey = new Map<string, T[]>()
  for (const one of all) {
    const key = keyOf(one)
    const found = key === undefined ? undefined : byKey.get(key)
    if (found !== undefined) {
      found.push(one)
      continue
    }
    const group = [one]
    groups.push(group)
    if (key !== undefined) byKey.set(key, group)
  }
  return groups
}
