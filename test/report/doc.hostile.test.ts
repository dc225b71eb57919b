import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Doc } from '../../src/report/doc.ts'
import { markdownOf } from '../../src/report/print-markdown.ts'
import { textOf } from '../../src/report/print-text.ts'
import { HARMLESS_DOC, hostileDocs } from './hostile-doc.ts'
import { commandsIn, unseenIn, withoutCode, withoutColors } from './oracles.ts'
import { foreignIn, markdownTree, nodesOf } from './parsers.ts'

const RUNS = { seed: 20_261, numRuns: 100 }
const link = () => 'https://forge.test/x'

test('in a terminal: no command for a runner, no invisible character, no added line', () => {
  const lines = (doc: Doc): number => textOf(doc, { color: false, verbose: true }).split('\n').length
  fc.assert(
    fc.property(hostileDocs, fc.boolean(), fc.integer({ min: 20, max: 200 }), (doc, color, width) => {
      for (const output of [textOf(doc, { color, verbose: true }), textOf(doc, { color, width })]) {
        expect(commandsIn(output)).toEqual([])
        expect(commandsIn(withoutColors(output))).toEqual([])
        expect(unseenIn(withoutColors(output))).toEqual([])
      }
      expect(lines(doc)).toBe(lines(HARMLESS_DOC))
    }),
    RUNS,
  )
})

test('in Markdown: only code and our layout, as a parser of GitHub sees it, whatever its length', () => {
  // In a heading a plain word is no code.
  const blocksOf = (doc: Doc): string[] =>
    nodesOf(markdownTree(markdownOf(doc, {})))
      .map(({ kind, text }) => (kind === 'html' ? text : kind))
      .filter(kind => kind !== 'inlineCode' && kind !== 'text')
  fc.assert(
    fc.property(hostileDocs, fc.integer({ min: 2_000, max: 20_000 }), (doc, limit) => {
      const output = markdownOf(doc, { limit })
      expect([...commandsIn(output), ...unseenIn(output), ...foreignIn(output)]).toEqual([])
      expect(withoutCode(output).outside).not.toMatch(/[@]|\]\(|UNCLOSED|https?:|#\d/)
      const linked = markdownOf(doc, { link })
      const links = nodesOf(markdownTree(linked)).filter(({ kind }) => kind === 'link')
      expect(new Set(links.map(({ text }) => text))).toEqual(new Set([link()]))
      expect(blocksOf(doc)).toEqual(blocksOf(HARMLESS_DOC))
    }),
    { ...RUNS, numRuns: 30 },
  )
})
