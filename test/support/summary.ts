import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

/** Milliseconds without the beginning or end of any test, after which a run counts as stuck. */
const PATIENCE = 20 * 60_000

export interface Skipped {
  readonly name: string
  readonly reason: string | undefined
}

/** The last lines of a run: how many tests passed, which were skipped and why, and what else can be run. */
export function summaryText(
  passed: number,
  failed: number,
  skipped: readonly Skipped[],
  seed: string,
): string {
  const counted = (count: number): string => count.toLocaleString('en-US')
  const reasons = new Map<string, Skipped[]>()
  for (const one of skipped) {
    const reason = one.reason ?? 'NO REASON IS GIVEN'
    reasons.set(reason, [...(reasons.get(reason) ?? []), one])
  }
  return [
    `${counted(passed)} passed, ${counted(failed)} failed, ${counted(skipped.length)} skipped.`,
    ...[...reasons].map(
      ([reason, all]) => `Skipped, ${reason}: ${all.length === 1 ? all[0]?.name : `${all.length} tests`}.`,
    ),
    `The samples of the proof were of seed ${seed}: SETPOINT_SEED=${seed} npm test takes the same.`,
    'Everything that is proven by numbers: npm run proof.',
    '',
  ].join('\n')
}

/** The reason in a title with `(skipped: …)`. */
export const reasonIn = (name: string): string | undefined => /\(skipped: (.+?)\)/.exec(name)?.[1]

/**
 * Prints the summary. A test that is skipped without a reason fails the run, and so does a run in which nothing happens any
 * more. No test has a time limit, because a busy machine is no mistake.
 */
export class Summary implements Reporter {
  readonly #seed: string
  readonly #underWay = new Set<TestCase>()
  /** Filtered by name or tag: all other tests count as skipped, and need no reason. */
  #isFiltered = false
  #lastSeen = performance.now()
  #watch: NodeJS.Timeout | undefined

  constructor(seed: string) {
    this.#seed = seed
  }

  onInit({ config }: Vitest): void {
    this.#isFiltered = config.testNamePattern !== undefined || config.tagsFilter !== undefined
  }

  onTestRunStart(): void {
    this.#watch = setInterval(() => {
      if (performance.now() - this.#lastSeen < PATIENCE) return
      const names = [...this.#underWay].map(test => `  ${test.module.relativeModuleId}: ${test.fullName}\n`)
      process.stderr.write(
        `No test has ended for ${PATIENCE / 60_000} minutes. Under way:\n${names.join('')}`,
      )
      process.exit(1)
    }, 10_000)
    this.#watch.unref()
  }

  onTestModuleCollected(): void {
    this.#lastSeen = performance.now()
  }

  onTestCaseReady(test: TestCase): void {
    this.#lastSeen = performance.now()
    this.#underWay.add(test)
  }

  onTestCaseResult(test: TestCase): void {
    this.#lastSeen = performance.now()
    this.#underWay.delete(test)
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    clearInterval(this.#watch)
    const tests = modules.flatMap(module => [...module.children.allTests()])
    const count = (state: string): number => tests.filter(test => test.result().state === state).length
    const skipped = tests
      .filter(test => test.result().state === 'skipped' && !this.#isFiltered)
      .map(({ fullName }) => ({ name: fullName, reason: reasonIn(fullName) }))
    if (skipped.some(({ reason }) => reason === undefined)) process.exitCode = 1
    process.stdout.write(`\n${summaryText(count('passed'), count('failed'), skipped, this.#seed)}`)
  }
}
