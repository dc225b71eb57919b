/** As `Promise.all` over `map`, with at most `limit` under way. After the first rejection nothing new is started. */
export async function mapBounded<T, R>(
  entries: readonly T[],
  limit: number,
  act: (entry: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = []
  const queue = entries.entries()
  let failed = false
  const work = async (): Promise<void> => {
    for (const [index, entry] of queue) {
      if (failed) return
      try {
        results[index] = await act(entry)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, entries.length) }, work))
  return results
}
