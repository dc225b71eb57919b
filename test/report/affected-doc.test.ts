import { expect, test } from 'vitest'
import {
  type AffectedReport,
  affectedDoc,
  affectedIds,
  affectedMatrix,
} from '../../src/report/affected-doc.ts'
import { textOf } from '../../src/report/print-text.ts'

const HOSTILE = 'a\u001b[31m\n::error::b\u202e`$(x)`'

const REPORT: AffectedReport = {
  organization: HOSTILE,
  address: 'https://service.test',
  only: [],
  digest: 'a'.repeat(64),
  verified: true,
  unread: [],
  affected: {
    changes: [
      { key: `env/${HOSTILE}`, change: 'gained', after: { set: HOSTILE } },
      { key: 'env/B', change: 'lost', before: { set: 'old' } },
      { key: 'env/C', change: 'changed', before: { set: 'old' }, after: { set: 'new' } },
      { key: 'env/D', change: 'changed', before: {}, after: { set: 'new', priority: true } },
      { key: 'env/E', change: 'precedence', before: { set: 's' }, after: { set: 's', priority: true } },
      { key: 'env/F', change: 'precedence', before: { set: 's', priority: true }, after: { set: 's' } },
    ],
    workspaces: [
      {
        members: [{ id: 'ws-1', name: HOSTILE, project: HOSTILE }, { id: 'ws-2' }],
        changes: [0, 1, 2, 3, 4, 5],
      },
    ],
    stacks: [],
  },
}

test('untrusted text is harmless in every format, and each change says where the value comes from', () => {
  const text = textOf(affectedDoc(REPORT, 3), { color: false })
  for (const raw of ['\u001b', '\u202e', '\n::']) expect(text).not.toContain(raw)
  expect(text.split('\n').slice(1)).toEqual([
    '2 workspaces get other values.',
    '',
    '2 workspaces',
    expect.stringMatching(/^ {4}".*" {2}project ".*"$/),
    '    ws-2',
    expect.stringMatching(/^ {2}\+ env ".*" {2}from ".*"$/),
    expect.stringMatching(/^ {2}- env B +no longer from old$/),
    expect.stringMatching(/^ {2}~ env C +from new instead of old$/),
    expect.stringMatching(/^ {2}~ env D +from new instead of a workspace variable$/),
    expect.stringMatching(/^ {2}~ env E +s now overrides workspace variables, with the same value$/),
    expect.stringMatching(/^ {2}~ env F +s no longer overrides workspace variables, with the same value$/),
    '',
  ])
  const matrix = affectedMatrix(REPORT)
  expect(matrix).toMatch(/^[ -~]+\n$/)
  expect(JSON.parse(matrix).include).toContainEqual({ workspace: HOSTILE, id: 'ws-1', project: HOSTILE })
  expect(affectedIds(REPORT)).toBe('ws-1\nws-2\n')
})
