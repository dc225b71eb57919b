import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { mistake } from '../../../src/model/diagnostic.ts'
import type { FailureReport } from '../../../src/report/failure-doc.ts'
import { writeReports } from '../../../src/run/commands/reports.ts'
import { type Options, withDefaults } from '../../../src/run/options.ts'
import type { Run } from '../../../src/run/run.ts'
import { aDirectory } from '../../support/program.ts'

const at = (time: string) => `2026-05-01T00:00:${time}Z`
/** With more errors than fit into a small report. */
const INTERRUPTED: FailureReport = {
  ...{
    kind: 'failure',
    command: 'plan',
    exitCode: 130,
    diagnostics: Array.from({ length: 99 }, (_, index) => mistake('unreadable-file', `error ${index}`)),
  },
  run: { startedAt: at('00'), endedAt: at('05'), waits: {} } as unknown as FailureReport['run'],
}

/** Writes the report of an interrupted plan to files, and gives the exit code and the text of the files. */
async function written(reports: Options['reports'], code: number) {
  const cwd = aDirectory({})
  const run = {
    ...{ cwd, env: {}, version: '1.0.0', told: [], options: withDefaults({ reports, markdownLimit: 2_000 }) },
    redactor: { in: <T>(value: T): T => value, text: (value: string) => value },
    listener: { diagnostics: () => {}, note: () => {} },
  } as unknown as Run
  const ended = await writeReports(run, INTERRUPTED, code)
  return { ended, text: (name: string) => readFileSync(join(cwd, name), 'utf8') }
}

test('metrics have the exit code of a run whose other report could not be written', async () => {
  const { ended, text } = await written(
    [
      { format: 'metrics', path: 'metrics' },
      { format: 'json', path: 'nowhere/report.json' },
    ],
    0,
  )
  expect(ended).toBe(1)
  expect(text('metrics')).toMatch(/^setpoint_run_exit_code\{.*\} 1$/m)
})

test('a report that left something out names three complete ones whose names are not too long', async () => {
  const named = (length: number) => `${'a'.repeat(length - 5)}.json`
  const files = [named(61), named(60), 'b.html', 'c.json', 'd.html']
  const { text } = await written(
    [
      { format: 'markdown', path: 'some.md' },
      ...files.map(path => ({ format: path.endsWith('json') ? 'json' : 'html', path }) as const),
    ],
    0,
  )
  expect(text('some.md')).toContain(`see the log or \`${named(60)}\` or \`b.html\` or \`c.json\`.`)
})
