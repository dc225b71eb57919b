import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { annotations, diagnosticsText } from '../../src/report/diagnostics.ts'
import { FORMATS, type Format } from '../../src/report/formats.ts'
import { type Report, renderers } from '../../src/report/index.ts'
import { HARMLESS, hostileTexts, planWith, resultWith, type Texts } from './hostile.ts'
import { cellsOf, commandsIn, unseenIn, withoutCode, withoutColors } from './oracles.ts'
import { elementsOf, foreignIn } from './parsers.ts'

const RUNS = { seed: 20_251, numRuns: 150 }
const PLAIN = { color: false }

const reportsOf = (texts: Texts): Report[] => [
  { kind: 'plan', plan: planWith(texts) },
  { kind: 'drift', plan: planWith(texts) },
  { kind: 'apply', result: resultWith(texts) },
]

test('the detectors find commands, invisible characters and Markdown', () => {
  expect(commandsIn('   ::error::x\nfine\n| a | ##[group]x |\n##VSO[x]\r::stop-commands::y')).toHaveLength(4)
  expect(unseenIn('a\u202eb\u001bc\u00a0d')).toHaveLength(3)
  expect(withoutCode('a `` b ` @c `` <d>\n```\n@x\n```').outside).toBe('a C <d>\nFENCE')
  expect(cellsOf('| a | `b\\|c` |')).toBe(2)
})

describe('untrusted text in the terminal', () => {
  test('contains no command for a runner and no invisible character', { tags: ['I-18'] }, () => {
    fc.assert(
      fc.property(hostileTexts, fc.boolean(), (texts, color) => {
        for (const report of reportsOf(texts)) {
          const output = renderers.text(report, { color })
          expect(commandsIn(output)).toEqual([])
          expect(commandsIn(withoutColors(output))).toEqual([])
          expect(unseenIn(withoutColors(output))).toEqual([])
        }
      }),
      RUNS,
    )
  })

  test('adds no lines', () => {
    const lines = (texts: Texts): number[] =>
      reportsOf(texts).map(report => renderers.text(report, PLAIN).split('\n').length)
    const expected = lines(HARMLESS)
    fc.assert(
      fc.property(hostileTexts, ({ words }) => {
        expect(lines({ ...HARMLESS, words })).toEqual(expected)
      }),
      RUNS,
    )
  })
})

test('untrusted text in diagnostics stays indented and is no command', () => {
  fc.assert(
    fc.property(hostileTexts, fc.boolean(), ({ words, messages }, color) => {
      const source = { path: words[0] ?? '', line: 1, column: 2 }
      const [message = '', hint = ''] = messages
      const one = { severity: 'error', code: 'bad-usage', message, hint, source } as const
      const output = withoutColors(diagnosticsText([one], { color }))
      expect(commandsIn(output)).toEqual([])
      expect(unseenIn(output)).toEqual([])
      expect(
        output
          .trimEnd()
          .split('\n')
          .slice(1)
          .filter(line => line !== '' && !line.startsWith('  ')),
      ).toEqual([])
      const annotated = annotations([one])
      expect(commandsIn(annotated)).toEqual([annotated.slice(0, -1)])
      expect(unseenIn(annotated)).toEqual([])
    }),
    RUNS,
  )
})

describe('untrusted text in Markdown', () => {
  test('appears only in code, and does not change the structure', { tags: ['I-18'] }, () => {
    const expected = reportsOf({ ...HARMLESS }).map(skeleton)
    fc.assert(
      fc.property(hostileTexts, ({ words, messages }) => {
        expect(reportsOf({ ...HARMLESS, words, messages }).map(skeleton)).toEqual(expected)
      }),
      RUNS,
    )
  })

  test('contains no command, link or mention with any value', () => {
    fc.assert(
      fc.property(hostileTexts, texts => {
        for (const report of reportsOf(texts)) {
          const output = renderers.markdown(report)
          expect(commandsIn(output)).toEqual([])
          expect(unseenIn(output)).toEqual([])
          const { outside } = withoutCode(output)
          const ours = outside.replace(
            /^<!-- setpoint:[\w!~*'().%/-]* -->$|<\/?details(?: open)?>|<\/?summary>|^> /gm,
            '',
          )
          expect(ours).not.toMatch(/[<@]|\]\(|UNCLOSED|https?:|#\d/)
          for (const row of output.split('\n').filter(line => /^\| [~+-] \|/.test(line)))
            expect(cellsOf(row)).toBe(report.kind === 'apply' ? 5 : 4)
        }
      }),
      RUNS,
    )
  })
})

/** The Markdown without code, without the marker, and without the number of repetitions in a list. */
const skeleton = (report: Report): string =>
  withoutCode(renderers.markdown(report))
    .outside.replace(/^<!--.*-->$/m, 'MARKER')
    .replace(/Setpoint( plan| drift| apply)? \S+?:/, 'Setpoint$1 WHO:')
    // A message of several lines is several points.
    .replace(/(?:^ {2}- C\n)+/gm, '  - C\n')
    // This line differs if a name must be quoted for a shell.
    .replace(/^Next: .*$/m, 'NEXT')

/** The same and a failure, a plan whose apply failed, and several of them. */
function everyReport(texts: Texts): Report[] {
  const [configuration = '', organization = '', , , owner = '', path = ''] = texts.words
  const [message = '', hint = ''] = texts.messages
  const source = { path, line: 1, column: 2 }
  const diagnostics = [{ severity: 'error', code: 'bad-usage', message, hint, source }] as const
  const failure = { command: 'apply', exitCode: 1, diagnostics } as const
  const failed = { kind: 'failure', ...failure, organization, owner } as const
  const refused = { kind: 'plan', plan: planWith(texts), failure } as const
  const parts = [failed, refused, undefined].map((report, code) => ({ configuration, code, report }))
  return [...reportsOf(texts), failed, refused, { kind: 'several', parts }]
}

/** Elements of pages, with the names of their attributes: also those for values of several lines. */
const OUR_ELEMENTS: ReadonlySet<string> = new Set(
  [HARMLESS, { ...HARMLESS, values: HARMLESS.values.map(value => `${value}\n${value}`) }]
    .flatMap(everyReport)
    .flatMap(report => elementsOf(renderers.html(report)))
    .concat('br'),
)

/** What would do harm in a report of each format, whatever its texts are. The compiler asks for that of a new format. */
const HARM: Readonly<Record<Format, (output: string, kind: Report['kind']) => readonly string[]>> = {
  text: () => [],
  // Each of several reports has its heading.
  markdown: (output, kind) =>
    foreignIn(output)
      .filter(one => kind !== 'several' || one.kind !== 'heading3')
      .map(({ kind, text }) => `${kind}: ${text}`),
  html: output => elementsOf(output).filter(element => !OUR_ELEMENTS.has(element)),
  json: output => (isJson(output) ? [] : ['is not JSON']),
  gitlab: output =>
    /^\{("(?:create|update|delete)":\d+[,}]){3}\n$|^\{"errors":\[(?:"[a-z-]+",?)*\]\}\n$/.test(output)
      ? []
      : [output],
}

describe.each(FORMATS)('untrusted text in every report as %s', format => {
  test('is no command, shows every character, and does no harm', () => {
    fc.assert(
      fc.property(hostileTexts, texts => {
        for (const report of everyReport(texts)) {
          const output = renderers[format](report, PLAIN)
          expect([...commandsIn(output), ...unseenIn(output), ...HARM[format](output, report.kind)]).toEqual(
            [],
          )
        }
      }),
      { ...RUNS, numRuns: 50 },
    )
  })
})

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined
  } catch {
    return false
  }
}

test('JSON contains no command for a runner, and parses to the reported values', () => {
  fc.assert(
    fc.property(hostileTexts, texts => {
      for (const output of [
        renderers.json({ kind: 'plan', plan: planWith(texts) }),
        renderers.json({ kind: 'apply', result: resultWith(texts) }),
      ]) {
        expect(commandsIn(output)).toEqual([])
        expect(unseenIn(output)).toEqual([])
        const parsed: unknown = JSON.parse(output)
        expect(parsed).toMatchObject({
          organization: texts.words[0],
          owner: texts.words[1],
          only: [texts.words[3]],
          blocks: [{ message: texts.messages[0] }],
          diagnostics: [{ message: texts.messages[1], hint: texts.messages[2] }],
        })
      }
    }),
    RUNS,
  )
})
