import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node'

/** Milliseconds without any test starting or ending, after which a run counts as stuck. */
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
    `The samples of the proof used seed ${seed}. Repeat them: SETPOINT_SEED=${seed} npm test`,
    'Run the whole proof: npm run proof',
    '',
  ].join('\n')
}

/** The reason in a title with `(skipped: …)`. */
export const reasonIn = (name: string): string | undefined => /\(skipped: (.+?)\)/.exec(name)?.[1]

/**
 * Prints the summary. The run fails if a test is skipped without a reason, or if no test starts or ends for too long. No
 * test has a time limit, because a busy machine is no defect.
 */
export class Summary implements Reporter {
  readonly #seed: string
  readonly #underWay = new Set<TestCase>()
  /** Whether tests are filtered by name or tag. Then all others count as skipped, and need no reason. */
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
      process.stderr.write(`No test has ended for ${PATIENCE / 60_000} minutes. Running:\n${names.join('')}`)
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
