import { type Format, type Report, renders } from '../report/index.ts'
import { type Io, wantsColor } from './io.ts'
import type { Options } from './options.ts'

/** A report in the form that `--format` names, laid out for stdout. */
export const render = (io: Io, options: Pick<Options, 'format' | 'color'>, report: Report): string =>
  renders[formatOf(options.format)](report, {
    color: options.color ?? wantsColor(io, io.stdout),
    width: Math.max(60, Math.min(io.stdout.columns, 140)),
  })

/** The parser lets nothing else through. */
const formatOf = (name: string): Format => (name === 'json' || name === 'markdown' ? name : 'text')
