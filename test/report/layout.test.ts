import { styleText } from 'node:util'
import { describe, expect, test } from 'vitest'
import { type Report, renderers } from '../../src/report/index.ts'
import { type fitted, painted, type Style, span, widthOf } from '../../src/report/layout.ts'
import { aPlan, aResult, assign, at, createSet, step, text, update } from './build.ts'
import { RICH } from './rich.ts'

const STYLES: readonly Style[] = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan', 'magenta']

test("colours are those of Node's styleText", () => {
  expect(STYLES.map(style => painted([[span('x', style)]], true))).toEqual(
    STYLES.map(style => `${styleText(style, 'x', { validateStream: false })}\n`),
  )
})

/** Long paths, keys, values and names, also with letters of double width. */
const LONG = aPlan(
  [
    step(
      '1',
      update('a-set-with-a-rather-long-name', text('env/A', 'x'.repeat(58)), text('env/A', 'y y'.repeat(19))),
      at('teams/platform/environments/production/eu-central-1/variable-sets/network/proxies.yaml', 1234),
    ),
    step(
      '2',
      createSet('日本語の名前'.repeat(8), { variables: [text(`env/${'KEY_'.repeat(30)}`, '値'.repeat(30))] }),
    ),
    step(
      '3',
      assign('b', { kind: 'workspaces', ids: ['ws-1', 'ws-2'] }),
      at(`${'deep/'.repeat(60)}x.yaml`, 7),
    ),
  ],
  {
    names: { 'ws-1': 'w'.repeat(90), 'ws-2': 'v'.repeat(90) },
    blocks: [
      {
        code: 'protected-name',
        message: `"${'z'.repeat(200)}" is protected and would be deleted.`,
        item: { kind: 'plan' },
      },
    ],
    diagnostics: [
      {
        severity: 'warning',
        code: 'external-missing',
        message:
          'A sentence that has rather many words in it, so that no terminal of a usual width takes it on one line.',
        hint: 'Run: setpoint export --only a-set-with-a-rather-long-name --update one --update two --update three',
        source: at('sets/a.yaml', 3),
      },
    ],
  },
)
const REPORTS: Readonly<Record<string, Report>> = {
  'a plan': { kind: 'plan', plan: RICH },
  'a drift report': { kind: 'drift', plan: RICH },
  'a long plan': { kind: 'plan', plan: LONG },
  'a failed apply': {
    kind: 'apply',
    result: aResult(
      LONG,
      {
        '1': { status: 'failed', message: `422: ${'word '.repeat(40)}` },
        '3': { status: 'unknown', message: 'lost' },
      },
      { exitCode: 3, closing: { state: 'unread', message: 'timeout '.repeat(30) } },
    ),
  },
  'several reports': {
    kind: 'several',
    parts: [
      { configuration: 'infra/setpoint.yaml', code: 0, report: { kind: 'plan', plan: LONG } },
      { configuration: 'apps/setpoint.yaml' },
    ],
  },
}

/** Lines for copying are never wrapped. */
const isCopied = (line: string): boolean =>
  /^\s*(?:BLOCKED.* )?(?:setpoint|export) [\w-]+ |^ *(?:Run: )?setpoint export|^ *[0-9a-f]{64}$/.test(line)

describe.each(Object.entries(REPORTS))('the text of %s', (_, report) => {
  test('has no line that is wider than the terminal', () => {
    for (let width = 40; width <= 140; width += 5) {
      const output = renderers.text(report, { color: false, width, fits: true })
      const wide = output.split('\n').filter(line => widthOf([span(line)]) > width && !isCopied(line))
      expect(wide, `at ${width}`).toEqual([])
    }
  })
})

test('a line that is too wide is wrapped between words, then inside a word, and never inside a command', () => {
  const rows = (...line: Parameters<typeof fitted>[0]): string[] =>
    painted([line], false, 20).trimEnd().split('\n')
  expect(rows(span('  one two three four five'))).toEqual(['  one two three four', '    five'])
  expect(rows(span('  '), span('abcdefghij'.repeat(4)))).toEqual([
    '  abcdefghijabcdefgh',
    '    ijabcdefghijabcd',
    '    efghij',
  ])
  expect(rows(span('Next: '), { text: 'setpoint apply --only something', whole: true })).toEqual([
    'Next:',
    '  setpoint apply --only something',
  ])
  expect(rows(span('日本語日本語日本語日本語'))).toEqual(['日本語日本語日本語日', '  本語'])
})

test('a place that does not fit beside its set is printed below it', () => {
  const output = renderers.text({ kind: 'plan', plan: LONG }, { color: false, width: 80, fits: true })
  const lines = output.split('\n')
  const path = 'teams/platform/environments/production/eu-central-1/variable-sets/network/proxies.yaml:1234'
  expect(lines[lines.indexOf('~ a-set-with-a-rather-long-name') + 1]).toBe(`    …${path.slice(-75)}`)
})
