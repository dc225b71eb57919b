import { driftOf } from '../plan/facts.ts'
import type { Plan } from '../plan/plan-data.ts'
import type { FailureReport } from './failure-doc.ts'
import type { SingleReport } from './single-report.ts'
import { driftCounts } from './totals.ts'

/** One configuration of a run. */
interface MeasuredPart {
  readonly configuration: string
  /** Undefined if it was not started. */
  readonly code?: number
  readonly report?: SingleReport | FailureReport
}

/** Every metric, with its help. All are gauges: each run replaces the file. */
const METRICS = {
  setpoint_run_end_timestamp_seconds: 'When the last run ended.',
  setpoint_run_exit_code: 'Exit code of the last run.',
  setpoint_run_duration_seconds: 'How long the last run took.',
  setpoint_success_timestamp_seconds: 'When a run last ended with exit code 0 or 2. Kept while runs fail.',
  setpoint_sets:
    'Sets of the files by state. A blocked set also has the state of its difference. Absent if the last run does not know.',
  setpoint_secrets_unverified: 'Secrets that could not be compared, because the service never returns them.',
  setpoint_requests: 'Requests to the service.',
  setpoint_wait_seconds: 'Time that the last run waited, by reason.',
  setpoint_info: 'The version of Setpoint.',
} as const

type MetricName = keyof typeof METRICS

interface Sample {
  readonly name: MetricName
  readonly labels: Labels
  readonly value: number
}

type Labels = Readonly<Record<string, string | undefined>>

/**
 * The metrics of a run in the text format of Prometheus. `previous`: the file of the run before, from which the time of the last success is
 * kept.
 */
export function metricsText(parts: readonly MeasuredPart[], version: string, previous = ''): string {
  const kept = successesIn(previous)
  const samples: Sample[] = [
    ...parts.flatMap(part => samplesOf(part, kept.get(part.configuration))),
    { name: 'setpoint_info', labels: { version }, value: 1 },
  ]
  return Object.entries(METRICS)
    .map(([name, help]) => {
      const lines = samples.filter(sample => sample.name === name).map(lineOf)
      return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${lines.join('')}`
    })
    .join('')
}

function samplesOf({ configuration, code, report }: MeasuredPart, kept: Sample | undefined): Sample[] {
  const labels = { ...namesOf(report), configuration }
  const one = (name: MetricName, value: number, more: Labels = {}): Sample => ({
    name,
    labels: { ...labels, ...more },
    value,
  })
  const run = report?.run
  const end = run === undefined ? undefined : secondsOf(run.endedAt)
  const isSuccess = (code === 0 || code === 2) && end !== undefined
  // A time after this run was not written by an earlier one.
  const earlier = kept !== undefined && (end === undefined || kept.value <= end) ? [kept] : []
  const success = isSuccess ? [one('setpoint_success_timestamp_seconds', end)] : earlier
  if (code === undefined || run === undefined || end === undefined) return success
  const { limit, retry } = run.waits
  return [
    one('setpoint_run_end_timestamp_seconds', end),
    one('setpoint_run_exit_code', code),
    one('setpoint_run_duration_seconds', end - secondsOf(run.startedAt)),
    ...success,
    ...Object.entries(statesOf(report)).map(([state, count]) => one('setpoint_sets', count, { state })),
    ...figuresOf(report).map(([name, value, more]) => one(name, value, more)),
    one('setpoint_wait_seconds', limit / 1000, { reason: 'rate_limit' }),
    one('setpoint_wait_seconds', retry / 1000, { reason: 'retry' }),
  ]
}

const secondsOf = (time: string): number => Date.parse(time) / 1000

function namesOf(report: MeasuredPart['report']): Labels {
  if (report === undefined) return {}
  const { organization, owner } = report.kind === 'failure' ? report : planIn(report)
  return { organization, owner }
}

const planIn = (report: SingleReport): Plan => (report.kind === 'apply' ? report.result.plan : report.plan)

/** After an apply, all sets are equal if it succeeded; otherwise its closing read is not counted by sets. */
function statesOf(report: MeasuredPart['report']): Readonly<Record<string, number>> {
  if (report === undefined || report.kind === 'failure') return {}
  const plan = planIn(report)
  const { equalSets } = plan.facts
  if (report.kind !== 'apply') {
    const { outside, notApplied, unknownOrigin } = driftCounts(plan)
    return {
      equal: equalSets,
      outside,
      not_applied: notApplied,
      unknown_origin: unknownOrigin,
      blocked: blockedSets(plan),
    }
  }
  if (report.result.exitCode !== 0) return {}
  const written = plan.steps.filter(({ operation }) => operation.type !== 'delete-set')
  const sets = new Set(written.map(({ operation }) => operation.subject.name)).size
  return { equal: equalSets + sets, outside: 0, not_applied: 0, unknown_origin: 0, blocked: 0 }
}

/** A guard without a set blocks all of them. */
function blockedSets(plan: Plan): number {
  if (!plan.blocked) return 0
  const sets = plan.blocks.map(({ item }) => item.set)
  return sets.includes(undefined) ? driftOf(plan).length : new Set(sets).size
}

function figuresOf(report: MeasuredPart['report']): (readonly [MetricName, number, Labels?])[] {
  if (report === undefined || report.kind === 'failure') return []
  const { facts, requests } = planIn(report)
  const { reads, writes } =
    report.kind === 'apply' ? report.result.requests : { reads: requests.reads, writes: 0 }
  return [
    ['setpoint_secrets_unverified', facts.secretsNotCompared],
    ['setpoint_requests', reads, { kind: 'read' }],
    ['setpoint_requests', writes, { kind: 'write' }],
  ]
}

function lineOf({ name, labels, value }: Sample): string {
  const written = Object.entries(labels).flatMap(([label, text]) =>
    text === undefined ? [] : `${label}="${escaped(text)}"`,
  )
  return `${name}{${written.join(',')}} ${value}\n`
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')

const SUCCESS =
  /^setpoint_success_timestamp_seconds\{((?:[a-z]+="(?:[^"\\\n]|\\.)*",?)*)\} (\d{1,11}(?:\.\d{1,6})?)$/gm

/** The times of the last success in an earlier file, by configuration. Anything else in it is ignored. */
function successesIn(text: string): Map<string, Sample> {
  const found = new Map<string, Sample>()
  for (const [, written = '', value] of text.matchAll(SUCCESS)) {
    const pairs = [...written.matchAll(/([a-z]+)="((?:[^"\\\n]|\\.)*)"/g)]
    const labels: Labels = Object.fromEntries(
      pairs.map(([, label = '', shown = '']) => [label, plain(shown)]),
    )
    const { organization, owner, configuration } = labels
    if (configuration !== undefined)
      found.set(configuration, {
        name: 'setpoint_success_timestamp_seconds',
        labels: { organization, owner, configuration },
        value: Number(value),
      })
  }
  return found
}

const plain = (shown: string): string => shown.replace(/\\(.)/g, (_, one) => (one === 'n' ? '\n' : one))
