import pLimit from 'p-limit'
import type { OperationId } from '../plan/operation.ts'
import type { Step } from '../plan/plan.ts'
import type { FailureCause, StepOutcome, StepResult } from './outcome.ts'

/** Sends one step. Resolves with its outcome, never rejects; `stops` where nothing else may be started. */
export type Execute = (step: Step, signal: AbortSignal) => Promise<Executed>

export interface Executed {
  readonly outcome: StepOutcome
  /** Why the whole run stops: no request after this one makes sense. */
  readonly stops?: string
  /** As in `StepResult`. */
  readonly refused?: true
  /** As in `StepResult`. */
  readonly cause?: FailureCause
}

export interface ApplyOptions {
  /** Requests under way at once, at the most. */
  readonly concurrency: number
  /** Aborted: nothing new is started; what is under way goes on. */
  readonly stop: AbortSignal
  /** Aborted: what is under way is given up. */
  readonly abandon: AbortSignal
  /** The first failure stops the start of new steps. */
  readonly failFast: boolean
  /** A step is about to be sent. */
  readonly onStart?: (step: Step) => void
  readonly onResult?: (result: StepResult) => void
}

interface Applied {
  /** One for each step, in the order of the steps. */
  readonly results: readonly StepResult[]
  readonly stopped?: string
}

/**
 * Starts each step once those it waits for have succeeded. A step that did not succeed skips its dependents and
 * nothing else. Waiting happens outside the limiter, so it takes no place and cannot lock. The first step goes alone: a token
 * that may not write shows by one refusal, and not by as many as may be under way.
 */
export async function applySteps(
  steps: readonly Step[],
  execute: Execute,
  options: ApplyOptions,
): Promise<Applied> {
  const limit = pLimit(1)
  const outcomes = new Map<OperationId, Promise<StepResult>>()
  let stopped: string | undefined
  // Inside the limiter, so that an end is told before the start that it makes room for.
  const told = (result: StepResult): StepResult => {
    options.onResult?.(result)
    return result
  }
  const run = async (step: Step): Promise<StepResult> => {
    if (options.stop.aborted) stopped ??= 'interrupted'
    if (stopped !== undefined) return told({ step, outcome: { status: 'skipped', because: 'stopped' } })
    options.onStart?.(step)
    const { outcome, stops, ...rest } = await execute(step, options.abandon)
    if (stops !== undefined) stopped ??= stops
    limit.concurrency = options.concurrency
    if (options.failFast && outcome.status !== 'succeeded')
      stopped ??= 'a step failed, and --fail-fast was given'
    return told({ step, outcome, ...rest })
  }
  const settle = async (step: Step): Promise<StepResult> => {
    for (const earlier of step.after)
      if ((await outcomes.get(earlier))?.outcome.status !== 'succeeded')
        return told({ step, outcome: { status: 'skipped', because: earlier } })
    return await limit(() => run(step))
  }
  const results = await Promise.all(
    steps.map(async step => {
      const settled = settle(step)
      outcomes.set(step.id, settled)
      return await settled
    }),
  )
  return stopped === undefined ? { results } : { results, stopped }
}
