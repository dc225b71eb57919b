import type { Diagnostic } from '../model/diagnostic.ts'
import { itemsOf } from '../plan/changed-items.ts'
import { rewriteOf } from '../plan/operation.ts'
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
  const drifted: string[] = []
  const untold: string[] = []
  for (const set of new Set(plan.steps.map(({ operation }) => operation.set))) {
    const origins = plan.facts.origins.find(one => one.set === set)?.items ?? {}
    const isRewritten = plan.steps.some(
      ({ operation }) => operation.set === set && rewriteOf(operation) === 'changed-outside',
    )
    if (isRewritten || Object.values(origins).includes('outside')) drifted.push(set)
    else if (changesOfLive(plan, set).some(item => origins[item] === undefined)) untold.push(set)
  }
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

/** A set that does not exist yet cannot have been changed. */
const changesOfLive = (plan: Plan, set: string): string[] =>
  plan.steps.flatMap(({ operation }) =>
    operation.set !== set || operation.type === 'create-set' || rewriteOf(operation) !== undefined
      ? []
      : itemsOf(operation).map(([item]) => item),
  )

const quoted = (names: readonly string[]): string => names.map(name => JSON.stringify(name)).join(', ')
