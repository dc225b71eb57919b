import { Session } from 'node:inspector/promises'

/**
 * The work of a run, the same on every machine: executed functions, branches and loops of `src`, and the length of lists that
 * are searched with `includes` or `indexOf`.
 */
export async function workOf(run: () => unknown): Promise<number> {
  counting ??= startCounting()
  const session = await counting
  const searches = countSearches()
  try {
    await session.post('Profiler.takePreciseCoverage')
    await run()
    const { result } = await session.post('Profiler.takePreciseCoverage')
    const own = result.filter(({ url }) => /\/src\/[^/]+\/.*\.[jt]s/.test(url))
    const runs = own.flatMap(({ functions }) =>
      functions.flatMap(({ ranges }) => ranges.map(({ count }) => count)),
    )
    return runs.reduce((total, count) => total + count, searches.elements())
  } finally {
    searches.end()
  }
}

let counting: Promise<Session> | undefined

/** Started once and never ended, because the engine does not count code that it compiled between two counts. */
async function startCounting(): Promise<Session> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  return session
}

/** The total length of all lists that have been searched since the call. */
function countSearches(): { elements: () => number; end: () => void } {
  const { includes, indexOf } = Array.prototype
  let elements = 0
  const replace = (functions: object) => Object.assign(Array.prototype, functions)
  replace({
    includes(this: unknown[], ...args: [unknown, number?]) {
      elements += this.length
      return includes.apply(this, args)
    },
    indexOf(this: unknown[], ...args: [unknown, number?]) {
      elements += this.length
      return indexOf.apply(this, args)
    },
  })
  return { elements: () => elements, end: () => replace({ includes, indexOf }) }
}
