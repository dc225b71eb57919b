import { choose } from './choose.ts'
import { Copy } from './copy.ts'
import { Imports } from './imports.ts'
import { Judge, type Judged } from './judge.ts'
import type { Mutation } from './mutations.ts'
import type { Results } from './section.ts'
import { Suite } from './suite.ts'

interface Options {
  /** Two checkouts: everything but the tests, and the tests. */
  readonly source: string
  readonly tests: string
  /** Without it, mutations are chosen. */
  readonly mutations: readonly Mutation[] | undefined
  /** What another suite said of them. */
  readonly earlier?: readonly Judged[] | undefined
  readonly count: number
  readonly seed: number
  /** Of which mutations are chosen; without any, of all. */
  readonly folders?: readonly string[]
  /** Processor time for the tests that import a file. */
  readonly seconds: number
  /** How many survivors run all tests. */
  readonly whole: number
  readonly workers: number
  readonly onProgress: (results: Results, text: string) => void
}

/** Judges a suite of tests by mutations, in a temporary copy. `useless`: tests that fail without a mutation. */
export async function judgeSuite(
  options: Options,
): Promise<{ readonly results: Results; readonly useless: readonly string[] }> {
  const copy = new Copy(options.source, options.tests)
  const suite = new Suite(copy.root, options.workers)
  const clean = (): void => {
    suite.stop()
    copy.remove()
  }
  process.once('exit', clean)
  try {
    const judge = new Judge(copy, suite, new Imports(copy.root), options.seconds, options.earlier)
    return { results: await judgedBy(judge, copy, options), useless: judge.useless() }
  } finally {
    process.removeListener('exit', clean)
    clean()
  }
}

/** The near tests for every mutation, then all tests for the first survivors. */
async function judgedBy(judge: Judge, copy: Copy, options: Options): Promise<Results> {
  const { count, seed, folders, whole, onProgress } = options
  const mutations =
    options.mutations ?? (await choose(copy.root, count, seed, some => copy.compiling(some), folders))
  const judged: Judged[] = []
  const results = { seed, mutations, judged }
  onProgress(results, `${mutations.length} mutations`)
  for (const mutation of mutations) {
    const now = await judge.near(mutation)
    judged.push(now)
    onProgress(results, `${judged.length} of ${mutations.length}: ${lineOf(now)}`)
  }
  const survivors = judged.filter(({ found }) => found === 'survived').slice(0, whole)
  for (const survivor of survivors) {
    const now = await judge.whole(survivor.mutation)
    judged.splice(judged.indexOf(survivor), 1, now)
    onProgress(results, `all tests: ${lineOf(now)}`)
  }
  return results
}

const lineOf = ({ found, mutation, by = '' }: Judged): string => `${found} ${mutation.file} ${by}`
