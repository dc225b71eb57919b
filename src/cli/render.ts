import { basename } from 'node:path'
import { isFormat } from '../report/formats.ts'
import { type Format, type RenderOptions, type Report, renders } from '../report/index.ts'
import { type Io, wantsColor } from './io.ts'
import type { Options } from './options.ts'

/** A report in the form that `--format` names, laid out for stdout. */
export const render = (
  io: Io,
  options: Pick<Options, 'format' | 'color' | 'markdownLimit'>,
  report: Report,
): string =>
  renders[isFormat(options.format) ? options.format : 'text'](report, {
    color: options.color ?? wantsColor(io, io.stdout),
    width: Math.max(60, Math.min(io.stdout.columns, 140)),
    streamed: true,
    ...limitIn(options),
  })

/** The same for a file: no colour, and the width of a log. */
export const renderFor = (
  format: Format,
  options: Pick<Options, 'markdownLimit' | 'reports'>,
  report: Report,
): string =>
  renders[format](report, { color: false, width: 120, elsewhere: wholeIn(options), ...limitIn(options) })

/** Reports beside this one that cut nothing; few and short, for the notices have little room. */
const wholeIn = ({ reports }: Pick<Options, 'reports'>): string[] =>
  reports
    .flatMap(({ format, path }) => (WHOLE.has(format) ? [basename(path)] : []))
    .filter(file => file.length <= 60)
    .slice(0, 3)

const WHOLE: ReadonlySet<Format> = new Set(['text', 'html', 'json'])

const limitIn = ({ markdownLimit }: Pick<Options, 'markdownLimit'>): Pick<RenderOptions, 'markdownLimit'> =>
  markdownLimit === undefined ? {} : { markdownLimit }
