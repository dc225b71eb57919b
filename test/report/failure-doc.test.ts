import { expect, test } from 'vitest'
import { mistake } from '../../src/model/diagnostic.ts'
import type { Doc } from '../../src/report/doc.ts'
import { failedDoc } from '../../src/report/failure-doc.ts'
import { textOf } from '../../src/report/print-text.ts'

const PLAN: Doc = { command: 'plan', about: [], headline: ['1 set changes'], sections: [] }

test.each([
  [130, [], 'exit 130: interrupted\n'],
  [70, [], 'exit 70: internal error\n'],
  [4, [mistake('bad-usage', 'Review it.')], 'exit 4\n'],
])('a report whose command ended with %i says why, once', (exitCode, diagnostics, last) => {
  const text = textOf(failedDoc(PLAN, { command: 'apply', diagnostics, exitCode }), { color: false })
  expect(text).toContain('Nothing was applied; planned: 1 set changes\n')
  expect(text.endsWith(last)).toBe(true)
})
