import { deepEqual, doesNotMatch, equal, ok } from 'node:assert/strict'
import { parse } from 'yaml'
import { resolvedYaml } from '../../../src/config/write.ts'
import { NO_FIELDS } from '../../../src/model/fields.ts'
import { inertJson } from '../../../src/model/json.ts'
import { annotations, diagnosticsText } from '../../../src/report/diagnostics.ts'
import { htmlText } from '../../../src/report/html/markup.ts'
import { renderers } from '../../../src/report/index.ts'
import { codeBlock, codeCell, codeSpan, terminalText } from '../../../src/report/neutralise.ts'
import { manyTexts, planWith, textsFrom } from '../../report/hostile.ts'
import { commandsIn, obeyed, unseenIn } from '../../report/oracles.ts'
import {
  attributesOf,
  codeOf,
  elementsOf,
  foreignIn,
  markdownTree,
  nodesOf,
  textOf,
} from '../../report/parsers.ts'
import { type Checks, checkAll, checkedPromises } from '../checks.ts'
import { atLeast, type Family, sum } from '../family.ts'
import { table } from '../page.ts'

interface Task {
  readonly count: number
  readonly seed: number
}

interface Found {
  readonly texts: number
  readonly reports: number
  readonly broken: Readonly<Record<string, readonly string[]>>
}

/** Number of tasks, and of texts in each. */
const COUNTS = { whole: [20, 5_000], part: [4, 5_000], sample: [1, 1_500] } as const

/** Hostile texts in everything that Setpoint writes, checked with independent parsers. */
const texts: Family<Task, Found> = {
  name: 'texts',
  proves: [],
  tasks(size, seed) {
    const [tasks, count] = COUNTS[size]
    return Array.from({ length: tasks }, (_, turn) => ({
      count,
      seed: 20_261_121 + 1_000 * (seed - 1) + turn,
    }))
  },
  seconds: ({ count }) => count / 2_000,
  async run({ count, seed }) {
    const all = manyTexts(count, seed)
    // A report has eighteen texts, so a part of all texts is enough.
    const reports = all.slice(0, Math.floor(count / 13.5 / 18) * 18)
    const broken = { ...(await checkAll(TEXTS, all)), ...(await checkAll(REPORTS, reports)) }
    return { texts: all.length, reports: reports.length / 18, broken }
  },
  conclude(done, size, isAll) {
    const count = sum(done, ({ found }) => found.texts)
    return {
      figures: [
        ['hostile texts', count],
        ['reports with hostile text in every place', sum(done, ({ found }) => found.reports)],
      ],
      promises: [
        ...checkedPromises('texts', [...Object.keys(TEXTS), ...Object.keys(REPORTS)], done),
        ...(size === 'whole' ? [atLeast('100,000 texts are tried', 100_000, count, isAll)] : []),
      ],
      section: [
        `${count.toLocaleString('en-US')} texts that attack a terminal, a CI runner, a forge, a browser or a YAML parser, each in all of these outputs:`,
        table(
          ['promise', 'tasks that broke it'],
          [...Object.keys(TEXTS), ...Object.keys(REPORTS)].map(promise => [
            promise,
            sum(done, ({ found }) => found.broken[promise]?.length ?? 0),
          ]),
        ),
      ].join('\n\n'),
    }
  },
}

export default texts

/** Checks in pieces, so that a failure shows only a few texts. */
function inPieces(all: readonly string[], size: number, check: (piece: readonly string[]) => void): void {
  for (let at = 0; at < all.length; at += size) check(all.slice(at, at + size))
}

function isInert(output: string): void {
  deepEqual(commandsIn(output), [])
  deepEqual(unseenIn(output), [])
}

const TEXTS: Checks<readonly string[]> = {
  'without protection, the texts are harmful'(all) {
    ok(new Set(all).size > all.length * 0.9)
    // Always the same ones, because a random sample may lack a rare kind.
    const some = manyTexts(1_500, 1)
    const raw = some.join('\n')
    ok(commandsIn(raw).length > 150)
    ok(unseenIn(raw).length > 900)
    const kinds = new Set<string>()
    inPieces(some, 20, piece => {
      for (const { kind } of nodesOf(markdownTree(piece.join('\n\n')))) kinds.add(kind)
    })
    for (const kind of ['emphasis', 'footnoteReference', 'heading1', 'image', 'link', 'html'])
      ok(kinds.has(kind), kind)
  },

  'diagnostics: lines below their place, no commands'(all) {
    inPieces(all, 300, piece => {
      const found = inThrees(piece).map(([message, hint, path]) => ({
        severity: 'error' as const,
        code: 'wrong-value' as const,
        message,
        hint,
        source: { path, line: 1, column: 2 },
      }))
      const output = diagnosticsText(found, { color: false })
      isInert(output)
      const lines = found.reduce((total, one) => total + 1 + linesIn(one.message) + linesIn(one.hint), 0)
      equal(output.split('\n').length, lines + 1)
    })
  },

  'annotations: one command each, with the intended place, title and message'(all) {
    inPieces(all, 300, piece => {
      const threes = inThrees(piece)
      const outputs = threes.map(([message, hint, path]) => {
        const source = { path, line: 3, column: 7 }
        return annotations([{ severity: 'error', code: 'wrong-value', message, hint, source }])
      })
      deepEqual(unseenIn(outputs.join('')), [])
      deepEqual(
        outputs.filter(output => output.split(/\r\n|[\r\n]/).length !== 2),
        [],
      )
      deepEqual(
        outputs.map(output => obeyed(output.slice(0, -1))),
        threes.map(([message, hint, path]) => ({
          name: 'error',
          properties: {
            ...(path === '' ? {} : { file: terminalText(path) }),
            ...{ line: '3', col: '7', title: 'wrong-value' },
          },
          data: shownLines(`${message}\n${hint}`),
        })),
      )
    })
  },

  'Markdown: complete, as code and nothing else'(all) {
    inPieces(all, 240, piece => {
      const spans = piece.filter((_, at) => at % 3 === 0)
      const cells = piece.filter((_, at) => at % 3 === 1)
      const blocks = piece.filter((_, at) => at % 3 === 2).map(terminalText)
      const tree = markdownTree(
        [
          spans.map(text => `- ${codeSpan(text)}`).join('\n'),
          `| a | b |\n|-|-|\n${cells.map(text => `| ${codeCell(text)} | x |`).join('\n')}`,
          codeBlock(
            blocks.map(text => `  ${text}`),
            'diff',
          ),
        ].join('\n\n'),
      )
      deepEqual(
        tree.children.map(child => child.type),
        ['list', 'table', 'code'],
      )
      deepEqual([...new Set(nodesOf(tree).map(({ kind }) => kind))].toSorted(), MARKDOWN)
      deepEqual(codeOf(tree), [
        ...spans.map(inSpan),
        ...cells.map(text => inSpan(text).replaceAll('\\|', '\\\\u{7c}')),
        blocks.map(text => `  ${text}`).join('\n'),
      ])
    })
  },

  'HTML: only text, in elements and attributes'(all) {
    inPieces(all, 1_000, piece => {
      const page = `<!doctype html><body>${piece.map(text => `<p title="${htmlText(text)}">${htmlText(text)}</p>`).join('')}`
      deepEqual(new Set(elementsOf(page)), new Set(['html', 'head', 'body', 'p title']))
      deepEqual(attributesOf(page, 'p', 'title'), piece.map(terminalText))
      equal(textOf(page), piece.map(terminalText).join(''))
      deepEqual(unseenIn(page), [])
    })
  },

  'JSON: parsed as the same text, and no line is a command'(all) {
    inPieces(all, 1_000, piece => {
      const value = { list: piece, keys: Object.fromEntries(piece.map((text, at) => [text, at])) }
      const output = inertJson(`${JSON.stringify(value, undefined, 2)}\n`)
      isInert(output)
      deepEqual(JSON.parse(output), value)
    })
  },

  'values in resolved sets: read back as the same text, no commands'(all) {
    inPieces(all, 1_000, piece => {
      const values = inThrees(piece).map(([one, two, three]) =>
        `${one}\n${two}\n${three}`.replace(/\p{Cs}/gu, ''),
      )
      const source = { path: 'a.yaml', line: 1, column: 1 }
      const variables = values.map((text, at) => ({
        ...{ key: `env/K${at}` as const, value: { text }, ...NO_FIELDS, source },
      }))
      const output = resolvedYaml({ sets: [{ ...A_SET, variables, source }], removed: [] })
      deepEqual(commandsIn(output), [])
      // A block scalar keeps its tabs, because HCL and scripts often contain them.
      deepEqual(unseenIn(output.replaceAll('\t', '')), [])
      deepEqual(parse(output), {
        variableSets: { a: { env: Object.fromEntries(values.map((text, at) => [`K${at}`, text])) } },
      })
    })
  },
}

const REPORTS: Checks<readonly string[]> = {
  'reports with them in every place, as text and JSON: no commands'(all) {
    inPieces(all, 18, piece => {
      const plan = planWith(textsFrom(piece))
      isInert(renderers.text({ kind: 'plan', plan }, { color: false }))
      isInert(renderers.json({ kind: 'plan', plan }))
    })
  },

  'reports with them in every place, as Markdown: only our own layout'(all) {
    inPieces(all.slice(0, Math.ceil(all.length / 72) * 18), 18, piece => {
      deepEqual(foreignIn(renderers.markdown({ kind: 'drift', plan: planWith(textsFrom(piece)) })), [])
    })
  },

  'reports with them in every place, as Markdown: no line begins with a slash, which GitLab would execute'(
    all,
  ) {
    inPieces(all, 18, piece => {
      doesNotMatch(renderers.markdown({ kind: 'plan', plan: planWith(textsFrom(piece)) }), /^\s*\//m)
    })
  },
}

const MARKDOWN = [
  ...['code', 'inlineCode', 'list', 'listItem', 'paragraph'],
  ...['root', 'table', 'tableCell', 'tableRow', 'text'],
]

const A_SET = { name: 'a', description: '', global: false, priority: false, previousNames: [] } as const

const linesIn = (text: string): number => text.split('\n').length

const shownLines = (text: string): string => text.split('\n').map(terminalText).join('\n')

/** The content of a code span, which is a blank for empty text. */
const inSpan = (text: string): string => (text === '' ? ' ' : terminalText(text))

const inThrees = (all: readonly string[]): [string, string, string][] =>
  Array.from({ length: Math.ceil(all.length / 3) }, (_, at) => [
    all[at * 3] ?? '',
    all[at * 3 + 1] ?? '',
    all[at * 3 + 2] ?? '',
  ])
