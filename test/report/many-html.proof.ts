import { expect, test } from 'vitest'
import { htmlText } from '../../src/report/html/markup.ts'
import { terminalText } from '../../src/report/neutralise.ts'
import { manyTexts } from './hostile.ts'
import { unseenIn } from './oracles.ts'
import { attributesOf, elementsOf, textOf } from './parsers.ts'

const TEXTS = manyTexts(100_000, 5)

test('a hundred thousand texts are text in a page, in an element and in an attribute, and nothing else', () => {
  for (let at = 0; at < TEXTS.length; at += 1_000) {
    const piece = TEXTS.slice(at, at + 1_000)
    const page = `<!doctype html><body>${piece.map(text => `<p title="${htmlText(text)}">${htmlText(text)}</p>`).join('')}`
    expect(new Set(elementsOf(page))).toEqual(new Set(['html', 'head', 'body', 'p title']))
    expect(attributesOf(page, 'p', 'title')).toEqual(piece.map(terminalText))
    expect(textOf(page)).toBe(piece.map(terminalText).join(''))
    expect(unseenIn(page)).toEqual([])
  }
})
