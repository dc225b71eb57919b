import pLimit from 'p-limit'
import { isWithoutVariables, type OperationId } from '../plan/operation.ts'
import type { Step } from '../plan/plan-data.ts'
import type { Execute, StepResult } from './outcome.ts'

export interface ApplyOptions {
  /** Maximum of steps under way at once. */
  readonly concurrency: number
  /** After it is aborted nothing new is started. Steps under way continue. */
  readonly stop: AbortSignal
  /** The first failure stops the start of new steps. */
  readonly failFast: boolean
  readonly onResult?: (result: StepResult) => void
}

interface Applied {
  /** One result per step, in the order of the steps. */
  readonly results: readonly StepResult[]
  readonly stopped?: string
}

/**
 * Starts each step after the steps that it depends on have succeeded. A step that does not succeed skips its dependents and nothing else.
 * Waiting happens outside of the limiter, so it takes no slot and cannot deadlock.
 *
 * Settings and assignments of one set are written one after the other. Some servers (docs/service.md#servers-that-others-wrote) store
 * both as one record; two writes at once would lose one.
 */
export async function applySteps(
  steps: readonly Step[],
  execute: Execute,
  options: ApplyOptions,
): Promise<Applied> {
  const limit = pLimit(options.concurrency)
  const outcomes = new Map<OperationId, Promise<StepResult>>()
  let stopped: string | undefined
  // Called inside the limiter, so that the end of a step is reported before the start of the next one.
  const told = (result: StepResult): StepResult => {
    options.onResult?.(result)
    return result
  }
  const run = async (step: Step): Promise<StepResult> => {
    if (options.stop.aborted) stopped ??= 'interrupted'
    if (stopped !== undefined) return told({ step, outcome: { status: 'skipped', because: 'stopped' } })
    const { outcome, stops, ...rest } = await execute(step)
    if (stops !== undefined) stopped ??= stops
    if (options.failFast && outcome.status !== 'succeeded')
      stopped ??= 'a step failed, and --fail-fast was given'
    return told({ step, outcome, ...rest })
  }
  const settle = async (step: Step, before?: Promise<StepResult>): Promise<StepResult> => {
    for (const { step: earlier } of step.after)
      if ((await outcomes.get(earlier))?.outcome.status !== 'succeeded')
        return told({ step, outcome: { status: 'skipped', because: earlier } })
    await before
    return await limit(() => run(step))
  }
  const lasts = new Map<string, Promise<StepResult>>()
  const results = await Promise.all(
    steps.map(async step => {
      const { operation } = step
      const set = isWithoutVariables(operation) ? operation.subject.id : undefined
      const settled = settle(step, set && lasts.get(set))
      if (set !== undefined) lasts.set(set, settled)
      outcomes.set(step.id, settled)
      return await settled
    }),
  )
  return stopped === undefined ? { results } : { results, stopped }
}
