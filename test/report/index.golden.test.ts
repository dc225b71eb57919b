import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FORMATS, type Format } from '../../src/report/formats.ts'
import { type Report, renderers } from '../../src/report/index.ts'
import { typedAs } from '../support/typed.ts'
import { aPlan, aResult } from './build.ts'
import { RICH } from './rich.ts'
import { SEVENTEEN } from './seventeen.ts'

/** `UPDATE_GOLDEN=1 npx vitest run test/report/index.golden.test.ts` updates the files. Read the diff. */
const UPDATE = process.env.UPDATE_GOLDEN === '1'
const OPTIONS = { color: false }

/** Of golden files. A page has one below, and GitLab's widget is three counts. */
const ENDINGS: Readonly<Record<Format, string>> = {
  text: 'txt',
  markdown: 'md',
  json: 'json',
  html: '',
  gitlab: '',
}

const REMAINING = aPlan(RICH.steps.filter(step => step.operation.subject.name === 'proxy'))

const REPORTS: Readonly<Record<string, Report>> = {
  plan: { kind: 'plan', plan: RICH, typed: typedAs('plan') },
  'plan-empty': {
    kind: 'plan',
    plan: aPlan([], {
      address: 'sandbox',
      facts: { equalSets: 12, secretsNotCompared: 3, undeclaredSets: 2 },
    }),
  },
  drift: {
    kind: 'drift',
    plan: aPlan(RICH.steps.slice(0, 2), { facts: { equalSets: 56 } }),
    typed: typedAs('drift'),
  },
  'apply-done': { kind: 'apply', result: aResult(RICH, {}) },
  'apply-failed': {
    kind: 'apply',
    result: aResult(
      RICH,
      {
        'update-set proxy': { status: 'failed', message: '422 "Key has already been taken"' },
        'unassign aws-prod workspaces': { status: 'skipped', because: 'assign aws-prod projects' },
        'assign aws-prod projects': { status: 'unknown', message: 'the answer was lost' },
        'create-variable db env/DB_HOST': { status: 'unknown', message: 'the answer was lost' },
        'create-set aws-dev': { status: 'succeeded', note: 'the answer was lost; found by reading back' },
        'delete-set legacy-x': { status: 'skipped', because: 'stopped' },
        'update-set platform-common': { status: 'skipped', because: 'already-done' },
      },
      {
        exitCode: 3,
        closing: { state: 'differs', remaining: REMAINING },
        stopped: 'The retry budget is exhausted.',
      },
    ),
  },
}

describe.each(Object.keys(SEVENTEEN))('%s', title => {
  test.each(['text', 'markdown'] as const)('equals its golden file in %s', format => {
    const report = SEVENTEEN[title]
    if (report === undefined) throw new Error(title)
    compare(`${title}.${ENDINGS[format]}`, renderers[format](report, OPTIONS))
  })
})

describe.each(Object.keys(REPORTS))('%s', title => {
  test.each(FORMATS.filter(format => ENDINGS[format] !== ''))('equals its golden file in %s', format => {
    const report = REPORTS[title]
    if (report === undefined) throw new Error(title)
    compare(`${title}.${ENDINGS[format]}`, renderers[format](report, OPTIONS))
  })
})

test('a plan for a terminal with colours equals its golden file', () => {
  compare('plan.ansi', renderers.text({ kind: 'plan', plan: RICH, typed: typedAs('plan') }, { color: true }))
})

test('the page of a plan equals its golden file', () => {
  const page = renderers.html({ kind: 'plan', plan: RICH, typed: typedAs('plan') })
  const shown = page
    .replace(/<style>[\s\S]*<\/style>/, '<style></style>')
    .replace(/<script>[\s\S]*<\/script>/, '<script></script>')
    .replace(/sha256-[\w+/=]+/g, 'sha256-HASH')
  compare('plan.html', shown)
})

function compare(file: string, output: string): void {
  const path = join(import.meta.dirname, 'golden', file)
  if (UPDATE) writeFileSync(path, output)
  expect(output).toBe(readFileSync(path, 'utf8'))
}
