import { FORMATS, type Format, isFormat } from '../report/formats.ts'

/** A report beside the one on stdout. `path` as it was given. */
export interface ReportFile {
  readonly format: Format
  readonly path: string
}

/** `markdown=plan.md`; throws a `RangeError` that says what was expected. */
export function readReport(text: string): ReportFile {
  const at = text.indexOf('=')
  const format = text.slice(0, Math.max(0, at))
  const path = text.slice(at + 1)
  if (!isFormat(format) || path === '')
    throw new RangeError(`expected KIND=FILE with one of ${FORMATS.join(', ')}`)
  return { format, path }
}
