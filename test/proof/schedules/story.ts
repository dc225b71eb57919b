import type { Ran, Verdict } from './schedule.ts'

/** A schedule run by run, for finding out why it failed. */
export function storyOf(schedule: string, { runs, violations, requests }: Verdict): string {
  const lines = [
    `${schedule}: ${requests} requests`,
    ...runs.flatMap((run, index) => [`run ${index + 1}${run.isQuiet ? ', quiet' : ''}`, ...runLines(run)]),
    ...(violations.length === 0 ? ['nothing is broken'] : violations.map(one => `broken: ${one}`)),
  ]
  return `${lines.join('\n')}\n`
}

function runLines({ end, hits, operations }: Ran): string[] {
  const { result, error, diagnostics = [] } = end
  const closing = result?.closing
  const inventory = result?.inventory
  return [
    `  requests: ${operations.join(', ')}`,
    ...hits.map(({ operation, kind }) => `  fault: ${kind} at ${operation}`),
    ...(error === undefined ? [] : [`  ${String(error)}`]),
    ...diagnostics.map(({ severity, message }) => `  ${severity}: ${message}`),
    ...(result?.results ?? []).map(({ step, outcome }) => `  ${step.id}: ${JSON.stringify(outcome)}`),
    ...(inventory === undefined ? [] : [`  inventory: ${JSON.stringify(inventory)}`]),
    ...(closing === undefined
      ? []
      : [`  closing read: ${closing.state}${closing.state === 'unread' ? `: ${closing.message}` : ''}`]),
    ...(result?.stopped === undefined ? [] : [`  stopped: ${result.stopped}`]),
    `  exit code ${end.exitCode ?? 'none, because the process was killed'}`,
  ]
}
