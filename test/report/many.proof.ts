import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { directoryYaml } from '../../src/config/directory-file.ts'
import { resolvedYaml } from '../../src/config/write.ts'
import { annotations, diagnosticsText } from '../../src/report/diagnostics.ts'
import { planJson } from '../../src/report/json.ts'
import { renderMarkdown } from '../../src/report/markdown.ts'
import { codeBlock, codeCell, codeSpan, inertJson, terminalText } from '../../src/report/neutralise.ts'
import { renderText } from '../../src/report/text.ts'
import { viewOfDrift, viewOfPlan } from '../../src/report/view.ts'
import { manyTexts, planWith, textsFrom } from './hostile.ts'
import { commandsIn, obeyed, unseenIn } from './oracles.ts'
import { codeOf, foreignIn, markdownTree, nodesOf } from './parsers.ts'

/** A hundred thousand texts that somebody wrote to be obeyed, the same in every run. */
const TEXTS = manyTexts(100_000, 20_261_121)
const FIRST = TEXTS.slice(0, 7_200)

/** In pieces, so that a failure shows a few texts and not all. */
function inPieces(
  texts: readonly string[],
  size: number,
  check: (piece: readonly string[], at: number) => void,
): void {
  for (let at = 0; at < texts.length; at += size) check(texts.slice(at, at + size), at / size)
}

test('the texts would do harm as they are', () => {
  expect(new Set(TEXTS).size).toBeGreaterThan(90_000)
  const raw = TEXTS.slice(0, 5_000).join('\n')
  expect(commandsIn(raw).length).toBeGreaterThan(500)
  expect(unseenIn(raw).length).toBeGreaterThan(3_000)
  const kinds = new Set(nodesOf(markdownTree(raw)).map(({ kind }) => kind))
  expect([...kinds]).toEqual(
    expect.arrayContaining(['emphasis', 'footnoteReference', 'heading1', 'image', 'link', 'html']),
  )
})

describe('a hundred thousand texts', () => {
  test('in diagnostics are lines below their place, and no commands', () => {
    inPieces(TEXTS, 300, piece => {
      const found = inThrees(piece).map(([message, hint, path]) => ({
        severity: 'error' as const,
        code: 'wrong-value' as const,
        message,
        hint,
        source: { path, line: 1, column: 2 },
      }))
      const output = diagnosticsText(found, { color: false })
      expect(commandsIn(output)).toEqual([])
      expect(unseenIn(output)).toEqual([])
      const lines = found.reduce((sum, one) => sum + 1 + linesIn(one.message) + linesIn(one.hint), 0)
      expect(output.split('\n')).toHaveLength(lines + 1)
    })
  })

  test('in annotations are one command each, with the place, the title and the message that were meant', () => {
    inPieces(TEXTS, 300, piece => {
      const threes = inThrees(piece)
      const outputs = threes.map(([message, hint, path]) => {
        const source = { path, line: 3, column: 7 }
        return annotations([{ severity: 'error', code: 'wrong-value', message, hint, source }])
      })
      expect(unseenIn(outputs.join(''))).toEqual([])
      expect(outputs.filter(output => output.split(/\r\n|[\r\n]/).length !== 2)).toEqual([])
      expect(outputs.map(output => obeyed(output.slice(0, -1)))).toEqual(
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
  })

  test('in Markdown are code, whole, and nothing else', () => {
    inPieces(TEXTS, 240, piece => {
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
      expect(tree.children.map(child => child.type)).toEqual(['list', 'table', 'code'])
      const kinds = new Set(nodesOf(tree).map(({ kind }) => kind))
      expect([...kinds].toSorted()).toEqual(
        [
          'code',
          'inlineCode',
          'list',
          'listItem',
          'paragraph',
          'root',
          'table',
          'tableCell',
          'tableRow',
          'text',
        ].toSorted(),
      )
      expect(codeOf(tree)).toEqual([
        ...spans.map(inSpan),
        ...cells.map(text => inSpan(text).replaceAll('\\|', '\\\\u{7c}')),
        blocks.map(text => `  ${text}`).join('\n'),
      ])
    })
  })

  test('in JSON parse to themselves, in lines that are no commands', () => {
    inPieces(TEXTS, 1_000, piece => {
      const value = { list: piece, keys: Object.fromEntries(piece.map((text, at) => [text, at])) }
      const output = inertJson(`${JSON.stringify(value, undefined, 2)}\n`)
      expect(commandsIn(output)).toEqual([])
      expect(unseenIn(output)).toEqual([])
      expect(JSON.parse(output)).toEqual(value)
    })
  })

  test('as values in resolved sets are no commands, and are read as what they were', () => {
    inPieces(TEXTS, 1_000, piece => {
      const values = inThrees(piece).map(([one, two, three]) =>
        `${one}\n${two}\n${three}`.replace(/\p{Cs}/gu, ''),
      )
      const source = { path: 'a.yaml', line: 1, column: 1 }
      const variables = values.map((text, at) => ({
        ...{ key: `env/K${at}` as const, value: { text }, description: '', hcl: false, source },
      }))
      const output = resolvedYaml({ sets: [{ ...A_SET, variables, source }], removed: [] })
      expect(commandsIn(output)).toEqual([])
      // A block keeps its tabs: HCL and scripts are full of them.
      expect(unseenIn(output.replaceAll('\t', ''))).toEqual([])
      expect(parse(output)).toEqual({
        variableSets: { a: { env: Object.fromEntries(values.map((text, at) => [`K${at}`, text])) } },
      })
    })
  })

  test('as names in a directory file are no commands', () => {
    inPieces(TEXTS, 1_000, piece => {
      const workspaces = [...new Set(piece)].map(name => ({ name, id: 'ws-0000000000000001' as const }))
      const output = directoryYaml({ workspaces, projects: [] }, piece[0] ?? '')
      expect(commandsIn(output)).toEqual([])
      expect(unseenIn(output)).toEqual([])
    })
  })
})

describe('reports with hostile text in every place', () => {
  test('are no commands, in text and JSON', () => {
    inPieces(FIRST, 18, piece => {
      const plan = planWith(textsFrom(piece))
      for (const output of [renderText(viewOfPlan(plan), { color: false, width: 120 }), planJson(plan)]) {
        expect(commandsIn(output)).toEqual([])
        expect(unseenIn(output)).toEqual([])
      }
    })
  })

  test('are nothing in Markdown but what we laid out', () => {
    inPieces(FIRST.slice(0, 1_800), 18, piece => {
      expect(foreignIn(renderMarkdown(viewOfDrift(planWith(textsFrom(piece)))))).toEqual([])
    })
  })

  test('begin no line in Markdown with a slash, which GitLab would obey', () => {
    inPieces(FIRST, 18, piece => {
      expect(renderMarkdown(viewOfPlan(planWith(textsFrom(piece))))).not.toMatch(/^\s*\//m)
    })
  })
})

const A_SET = { name: 'a', description: '', global: false, priority: false, previousNames: [] } as const

const linesIn = (text: string): number => text.split('\n').length

const shownLines = (text: string): string => text.split('\n').map(terminalText).join('\n')

/** What a span holds, where there is something to hold. */
const inSpan = (text: string): string => (text === '' ? ' ' : terminalText(text))

const inThrees = (texts: readonly string[]): [string, string, string][] =>
  Array.from({ length: Math.ceil(texts.length / 3) }, (_, at) => [
    texts[at * 3] ?? '',
    texts[at * 3 + 1] ?? '',
    texts[at * 3 + 2] ?? '',
  ])
