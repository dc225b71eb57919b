import { isForbidden, type Plan } from '../plan/plan-data.ts'
import type { Validation } from './diagnostics.ts'
import { type Doc, type Row, title } from './doc.ts'
import { type FailureReport, withReason } from './failure-doc.ts'
import { counted, figure, name, type Phrase, present, say } from './phrase.ts'
import type { SingleReport } from './single-report.ts'

export interface ConfigurationReport {
  readonly configuration: string
  /** The exit code of its run; undefined if it was not started. */
  readonly code?: number
  /** Undefined if there are only errors. */
  readonly report?: SingleReport | FailureReport
  /** Only for `validate`, which has no report. */
  readonly validation?: Validation
}

type Part = ConfigurationReport & { readonly doc: Doc | undefined }

/**
 * The report of several organizations: a row for each configuration that is not equal, those that are folded, and the reports themselves as
 * parts. `docOf`: a report without the reason why its command ended otherwise, which rows say in a word, and parts as a whole.
 */
export function severalDoc(
  reports: readonly ConfigurationReport[],
  docOf: (report: SingleReport | FailureReport) => Doc,
): Doc {
  const parts = reports.map((one): Part => ({ ...one, doc: one.report && docOf(one.report) }))
  const columns = ['configuration', 'what', 'digest']
  return {
    command: commandOf(parts),
    about: [[counted(parts.length, 'organization')]],
    headline: [countsOf(parts)],
    sections: [
      { form: 'changes', columns, rows: parts.filter(one => !isEqual(one)).map(rowOf) },
      { form: 'changes', title: title`Equal`, columns, rows: parts.filter(isEqual).map(rowOf), folded: true },
    ],
    isQuiet: parts.every(({ doc, code }) => code === 0 && (doc === undefined || doc.isQuiet === true)),
    parts: parts.flatMap(({ doc, report }) =>
      doc === undefined || doc.isQuiet ? [] : withReason(doc, report),
    ),
  }
}

/** An apply without changes, or a refused one, reports only its plan. It is named all the same. */
const commandOf = (parts: readonly Part[]): Doc['command'] => {
  const docs = parts.flatMap(({ doc }) => doc?.command ?? [])
  const isApply = parts.some(({ report }) => {
    if (report === undefined || report.kind === 'failure') return false
    return report.failure?.command === 'apply' || report.typed?.command === 'apply'
  })
  return isApply || docs.includes('apply') ? 'apply' : (docs[0] ?? 'plan')
}

const planIn = ({ report }: Part): Plan | undefined =>
  report === undefined || report.kind === 'failure'
    ? undefined
    : report.kind === 'apply'
      ? report.result.plan
      : report.plan

const isApplied = ({ report }: Part): boolean => report?.kind === 'apply' && report.result.exitCode === 0

/** Nothing differs, and nothing was written. */
const isEqual = (part: Part): boolean =>
  planIn(part)?.steps.length === 0 && part.code === 0 && !isApplied(part)

/** Neither success, nor pending changes, nor a refusal. */
const isError = (code: number): boolean => code !== 0 && code !== 2 && code !== 4

const isBlocked = ({ report }: Part): boolean =>
  report?.kind === 'plan' && report.plan.blocked && !isForbidden(report.plan)

/** `1 with changes, 1 equal, 1 failed`. */
function countsOf(parts: readonly Part[]): string {
  const states = parts.map(stateOf)
  const told = STATES.map(state => [states.filter(one => one === state).length, state] as const)
  return told
    .filter(([many]) => many > 0)
    .map(([many, state]) => `${figure(many)} ${state}`)
    .join(', ')
}

const STATES = [
  'with changes',
  'applied',
  'equal',
  'done',
  'blocked',
  'refused',
  'failed',
  'not started',
] as const

function stateOf(part: Part): (typeof STATES)[number] {
  const { code } = part
  if (code === undefined) return 'not started'
  if (planIn(part) === undefined) return code === 0 ? 'done' : 'failed'
  if (isApplied(part)) return 'applied'
  if (code === 4) return isBlocked(part) ? 'blocked' : 'refused'
  if (isError(code)) return 'failed'
  return isEqual(part) ? 'equal' : 'with changes'
}

function rowOf(part: Part): Row {
  const { configuration, code } = part
  const digest = digestOf(part)
  return {
    tone: code === 0 || code === 2 ? undefined : 'bad',
    cells: present<Phrase>([name(configuration)], wordOf(part), digest !== undefined && [name(digest)]),
  }
}

function wordOf(part: Part): Phrase {
  const { code, doc, report } = part
  if (code === undefined) return ['not started']
  if (doc === undefined || report?.kind === 'failure') return [code === 0 ? 'done' : `failed, exit ${code}`]
  // An apply that failed before its first write has only its plan to show.
  const failed = report?.kind === 'plan' && isError(code) && `failed, exit ${code}; planned: `
  const refused = report?.kind === 'plan' && code === 4 && !isBlocked(part) && 'refused; planned: '
  return say`${failed || refused}${doc.headline}`
}

/** All digits, for approval; only plans with changes have a digest to approve. */
const digestOf = ({ report }: Part): string | undefined =>
  report?.kind === 'plan' && report.plan.steps.length > 0 ? report.plan.digest : undefined
