import type { Diagnostic } from '../model/diagnostic.ts'
import { driftOf, type SetDrift } from '../plan/origin.ts'
import type { Plan } from '../plan/plan.ts'

/**
 * Why `--expect-no-drift` stops this run: the service was changed outside, or it cannot be told. A job that applies a merge
 * then leaves to a human what to do with the hotfix.
 */
export function unexpectedDrift(plan: Plan): Diagnostic | undefined {
  if (plan.owner === undefined)
    return {
      severity: 'error',
      code: 'bad-usage',
      message: '--expect-no-drift needs an `owner`: without an inventory nobody knows what was applied last.',
      hint: 'Give setpoint.yaml an owner, or leave the flag out.',
    }
  const sets = driftOf(plan)
  const drifted = sets.filter(({ isOutside }) => isOutside)
  const untold = sets.filter(({ isOutside, isDoubtful }) => !isOutside && isDoubtful)
  if (drifted.length === 0 && untold.length === 0) return undefined
  return {
    severity: 'error',
    code: 'refused',
    message: [
      ...(drifted.length > 0 ? [`Changed outside since the last apply: ${quoted(drifted)}.`] : []),
      ...(untold.length > 0
        ? [
            `Neither what was applied last nor what the files say now, so perhaps changed outside: ${quoted(untold)}.`,
          ]
        : []),
    ].join(' '),
    hint: 'Nothing was written. Take the live values into the files: setpoint export --update NAME. Or apply without --expect-no-drift, which reverts them. With --base, less remains in doubt.',
  }
}

const quoted = (sets: readonly SetDrift[]): string => sets.map(({ set }) => JSON.stringify(set)).join(', ')
