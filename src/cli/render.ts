import { basename } from 'node:path'
import type { Plan } from '../plan/plan.ts'
import { digestOf } from '../plan/reviewed.ts'
import { isFormat } from '../report/formats.ts'
import { type Format, type RenderOptions, type Report, renders, type SingleReport } from '../report/index.ts'
import { type Io, wantsColor } from './io.ts'
import type { Options } from './options.ts'

/** A report in the form that `--format` names, laid out for stdout. */
export const render = (
  io: Io,
  options: Pick<Options, 'format' | 'color' | 'markdownLimit' | 'verbose'>,
  report: Report,
  links: Pick<RenderOptions, 'sources'> = {},
): string =>
  renders[isFormat(options.format) ? options.format : 'text'](leaving(io, report), {
    color: options.color ?? wantsColor(io, io.stdout),
    width: Math.max(40, Math.min(io.stdout.columns, 140)),
    fits: io.stdout.terminal,
    streamed: true,
    verbose: options.verbose,
    ...limitIn(options),
    ...links,
  })

/** The same for a file: no colour, and the width of a log. */
export const renderFor = (
  io: Io,
  format: Format,
  options: Pick<Options, 'markdownLimit' | 'reports'>,
  report: Report,
  links: Pick<RenderOptions, 'sources'> = {},
): string =>
  renders[format](leaving(io, report), {
    color: false,
    width: 120,
    elsewhere: wholeIn(options),
    ...limitIn(options),
    ...links,
  })

/** Reports beside this one that cut nothing; few and short, for the notices have little room. */
const wholeIn = ({ reports }: Pick<Options, 'reports'>): string[] =>
  reports
    .flatMap(({ format, path }) => (WHOLE.has(format) ? [basename(path)] : []))
    .filter(file => file.length <= 60)
    .slice(0, 3)

const WHOLE: ReadonlySet<Format> = new Set(['text', 'html', 'json'])

const limitIn = ({ markdownLimit }: Pick<Options, 'markdownLimit'>): Pick<RenderOptions, 'markdownLimit'> =>
  markdownLimit === undefined ? {} : { markdownLimit }

/** A report without the secrets of the run: the service has seen them, and may have put them into any name or value. */
const leaving = (io: Io, report: Report): Report =>
  report.kind === 'several'
    ? {
        ...report,
        parts: report.parts.map(part =>
          part.state === 'ended' && part.report !== undefined
            ? { ...part, report: singleLeaving(io, part.report) }
            : part,
        ),
      }
    : singleLeaving(io, report)

function singleLeaving(io: Io, report: SingleReport): SingleReport {
  const { reach } = report
  const known = reach === undefined ? {} : { reach: () => io.redactor.in(reach()) }
  if (report.kind !== 'apply') return { ...report, ...known, plan: planLeaving(io, report.plan) }
  const result = io.redactor.in(report.result)
  const plan = planLeaving(io, report.result.plan)
  return { ...report, ...known, result: plan.digest === result.plan.digest ? result : { ...result, plan } }
}

/** A plan without the secrets of the run. One that held any is another plan to the letter, with a digest of its own. */
export function planLeaving({ redactor }: Io, plan: Plan): Plan {
  const shown = redactor.in(plan)
  return shown === plan ? plan : { ...shown, digest: digestOf(shown) }
}
