import { isObject, parseJson } from '../model/json.ts'
import { HEADLINES } from './failure-doc.ts'
import type { FileKind } from './formats.ts'

/** The line of a page that says who made it. */
export const GENERATOR = '<meta name="generator" content="Setpoint">'

const FIRST_LINE = /^setpoint (?:plan|apply|drift)(?: [0-9a-f]{12})? {3}/
const ONLY_SUMMARY = /^\n(?: {2}\S.*\n)*\d+ organizations?: /
const NUMBERS = /^\{"create":\d+,"update":\d+,"delete":\d+\}\n$|^\{"errors":\[(?:"[a-z-]+",?)*\]\}\n$/

/**
 * Whether a text is a report of each kind that Setpoint wrote, by its mark. A report replaces no other file, so a format without a mark
 * would never be written twice. The mark is not proof: it only has to be on no file that somebody else made.
 */
export const isReportOf: Readonly<Record<FileKind, (text: string) => boolean>> = {
  text: text =>
    FIRST_LINE.test(text) ||
    ONLY_SUMMARY.test(text) ||
    Object.entries(HEADLINES).some(([command, headline]) =>
      text.startsWith(`setpoint ${command}\n${headline}\n`),
    ),
  markdown: text => /^<!-- setpoint:\S+ -->\n/.test(text),
  html: text => text.slice(0, 4096).includes(`\n${GENERATOR}\n`),
  json: text => {
    const report = parseJson(text)
    return isObject(report) && typeof report.format === 'string' && KINDS.has(report.kind)
  },
  gitlab: text => NUMBERS.test(text),
  metrics: text => text.startsWith('# HELP setpoint_'),
}

const KINDS: ReadonlySet<unknown> = new Set(['plan', 'apply', 'drift', 'failure', 'several'])
