import { styleText } from 'node:util'
import { expect, test } from 'vitest'
import { type Report, renderers } from '../../src/report/index.ts'
import { painted, type Style, span } from '../../src/report/layout.ts'
import { aPlan, aResult, assign, at, createSet, step, text, update } from './build.ts'
import { RICH } from './rich.ts'

const STYLES: readonly Style[] = ['bold', 'dim', 'red', 'green', 'yellow', 'cyan', 'magenta']

test("colours are those of Node's styleText", () => {
  expect(STYLES.map(style => painted([[span('x', style)]], true))).toEqual(
    STYLES.map(style => `${styleText(style, 'x', { validateStream: false })}\n`),
  )
})

/** Long paths, keys, values and names. */
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
        code: 'hcl-of-secret',
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

test.each(Object.entries(REPORTS))('the text of %s has no blanks at the end of a line', (_, report) => {
  const lines = renderers.text(report, { color: false }).split('\n')
  expect(lines.filter(line => line.endsWith(' '))).toEqual([])
})

test('no line is broken: the place of a set is at its end, and a command is in one piece', () => {
  const lines = renderers.text({ kind: 'plan', plan: LONG }, { color: false }).split('\n')
  const path = 'teams/platform/environments/production/eu-central-1/variable-sets/network/proxies.yaml:1234'
  const set = lines.find(line => line.startsWith('~ a-set-with-a-rather-long-name'))
  expect(set?.endsWith(`   ${path}`)).toBe(true)
  expect(lines).toContain(
    '      Run: setpoint export --only a-set-with-a-rather-long-name --update one --update two --update three',
  )
})
