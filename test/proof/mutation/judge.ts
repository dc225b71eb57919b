import { join, relative } from 'node:path'
import type { Copy } from './copy.ts'
import type { Imports } from './imports.ts'
import type { Mutation } from './mutations.ts'
import type { Ended, Suite } from './suite.ts'

/** What a suite says of a mutation. */
export interface Judged {
  readonly mutation: Mutation
  /** Tests that import the file; the whole command; none; or the time was not enough. */
  readonly found: 'near' | 'whole' | 'survived' | 'late'
  /** The first test that failed. */
  readonly by?: string
  /** Of the tests that import the file, those that were run. */
  readonly tests?: number
  /** Why no test can find it. Written by hand. */
  readonly equivalent?: string
}

/** Seconds of processor time for all tests, so that endless loops end. */
const WHOLE = 1200

const keyOf = ({ file, start, end, replacement }: Mutation): string =>
  `${file} ${start} ${end} ${replacement}`

export class Judge {
  readonly #copy: Copy
  readonly #suite: Suite
  readonly #imports: Imports
  readonly #seconds: number
  readonly #finders: ReadonlyMap<string, string>
  /** Whether the tests of a file pass without a mutation. */
  readonly #passes = new Map<string, boolean>()

  /** `earlier`: what another suite said, of which the tests that found a mutation run first. */
  constructor(copy: Copy, suite: Suite, imports: Imports, seconds: number, earlier: readonly Judged[] = []) {
    this.#finders = new Map(
      earlier.map(({ mutation, by = '' }) => [keyOf(mutation), by.split(': ')[0] ?? '']),
    )
    this.#copy = copy
    this.#suite = suite
    this.#imports = imports
    this.#seconds = seconds
  }

  /** Test files that fail without a mutation, and so say nothing. */
  useless(): string[] {
    return [...this.#passes]
      .filter(([, passes]) => !passes)
      .map(([test]) => test)
      .sort()
  }

  /** Runs the tests that import the mutated file: the one that found it before, and then the closest first. */
  async near(mutation: Mutation): Promise<Judged> {
    const finder = join(this.#copy.root, this.#finders.get(keyOf(mutation)) ?? '')
    const all = this.#imports.testsOf(mutation.file)
    const tests = [...all.filter(test => test === finder), ...all.filter(test => test !== finder)]
    const ended = await this.#trusted(mutation, tests, this.#seconds)
    if (ended.state === 'failed') return { mutation, found: 'near', by: `${ended.by}: ${ended.why}` }
    return ended.state === 'passed'
      ? { mutation, found: 'survived', tests: tests.length }
      : { mutation, found: 'late', tests: ended.passed }
  }

  /** Builds the mutated program and runs every test. */
  async whole(mutation: Mutation): Promise<Judged> {
    const tests = this.#imports.allTests()
    const built = () => this.#copy.build()
    try {
      const ended = await this.#trusted(mutation, tests, WHOLE, built)
      if (ended.state === 'failed') return { mutation, found: 'whole', by: `${ended.by}: ${ended.why}` }
      return { mutation, found: ended.state === 'passed' ? 'survived' : 'late' }
    } finally {
      built()
    }
  }

  /** Runs tests on a mutation, without those that fail on the unchanged program, too. */
  async #trusted(
    mutation: Mutation,
    tests: readonly string[],
    seconds: number,
    prepare = (): void => {},
  ): Promise<Ended> {
    const useful = tests.filter(test => this.#passes.get(relative(this.#copy.root, test)) !== false)
    const ended = await this.#copy.with([mutation], async () => {
      prepare()
      return await this.#suite.run(useful, seconds, join(this.#copy.root, mutation.file))
    })
    if (ended.state !== 'failed' || (await this.#isGreen(ended.by, prepare))) return ended
    return await this.#trusted(mutation, tests, seconds, prepare)
  }

  async #isGreen(test: string, prepare: () => void): Promise<boolean> {
    const path = join(this.#copy.root, test)
    if (!this.#imports.allTests().includes(path)) return true
    const known = this.#passes.get(test)
    if (known !== undefined) return known
    prepare()
    const { state } = await this.#suite.run([path], WHOLE)
    this.#passes.set(test, state === 'passed')
    return state === 'passed'
  }
}
