import { describe, expect, test } from 'vitest'
import { mistake } from '../../src/model/diagnostic.ts'
import type { FailureReport } from '../../src/report/failure-doc.ts'
import { FILE_KINDS, FORMATS } from '../../src/report/formats.ts'
import { type Report, renderers } from '../../src/report/index.ts'
import { isReportOf } from '../../src/report/marks.ts'
import { metricsText } from '../../src/report/metrics.ts'
import { aPlan, aResult } from './build.ts'
import { manyTexts } from './hostile.ts'
import { RICH } from './rich.ts'

const EMPTY = aPlan([], {})
const DIAGNOSTICS = [mistake('bad-usage', 'This is wrong.', 'Correct it.')]
const failure = (command: FailureReport['command'], organization?: string): FailureReport => ({
  kind: 'failure',
  command,
  exitCode: 1,
  diagnostics: organization === undefined ? [] : DIAGNOSTICS,
  ...(organization !== undefined && { organization, owner: 'team' }),
})
const FAILED = { command: 'plan', exitCode: 1, diagnostics: DIAGNOSTICS } as const

const SINGLE = [
  { kind: 'plan', plan: RICH },
  { kind: 'plan', plan: EMPTY },
  { kind: 'plan', plan: RICH, isSaved: true },
  { kind: 'plan', plan: RICH, failure: FAILED },
  { kind: 'drift', plan: RICH },
  { kind: 'drift', plan: EMPTY },
  { kind: 'apply', result: aResult(RICH, {}) },
  { kind: 'apply', result: aResult(RICH, {}), failure: FAILED },
  ...(['plan', 'apply', 'drift'] as const).flatMap(command => [
    failure(command),
    failure(command, 'acme'),
    ...manyTexts(20, 1).map(text => failure(command, text)),
  ]),
] as const satisfies Report[]

const ALL: readonly Report[] = [
  ...SINGLE,
  {
    kind: 'several',
    parts: SINGLE.map((report, at) => ({ configuration: `orgs/${at}.yaml`, code: 1, report })),
  },
  ...SINGLE.map((report): Report => ({ kind: 'several', parts: [{ configuration: 'a', code: 0, report }] })),
  { kind: 'several', parts: [{ configuration: 'not started' }, { configuration: 'failed', code: 1 }] },
]

const textsOf = (kind: (typeof FILE_KINDS)[number]): string[] =>
  kind === 'metrics'
    ? [
        ...SINGLE.map(report => metricsText([{ configuration: 'a', code: 1, report }], '1.0.0')),
        metricsText([], '1.0.0'),
      ]
    : ALL.map(report => renderers[kind](report, { color: false }))

describe('a report in a file', () => {
  test.each(FILE_KINDS)('has the mark of %s, whatever it reports, and of nothing else', kind => {
    for (const text of textsOf(kind)) {
      const known = FILE_KINDS.filter(one => isReportOf[one](text))
      expect([known, text.slice(0, 200)]).toEqual([[kind], text.slice(0, 200)])
    }
  })

  test('is for a format that has a file', () => {
    expect(Object.keys(isReportOf).toSorted()).toEqual([...FORMATS, 'metrics'].toSorted())
  })

  test.each([
    '',
    'setpoint plan --sandbox\n',
    '#!/bin/sh\nsetpoint plan aaaaaaaaaaaa   acme   SANDBOX\n',
    'The plan failed us\n',
    '# Heading\n<!-- setpoint:acme -->\n',
    '<!doctype html>\n<html lang="en">\n',
    `${'x'.repeat(5000)}\n<meta name="generator" content="Setpoint">\n`,
    '{"format":"2.0"}',
    '{"kind":"plan"}',
    '{"format":2,"kind":"plan"}',
    '[{"format":"2.0","kind":"plan"}]',
    '{"create":1,"update":2}\n',
    '# HELP node_cpu_seconds_total CPU.\n',
    'organization: acme\n',
    '{',
  ])('does not know %j', text => {
    expect(FILE_KINDS.filter(kind => isReportOf[kind](text))).toEqual([])
  })
})
