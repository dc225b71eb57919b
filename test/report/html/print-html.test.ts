import { createHash } from 'node:crypto'
import { Script } from 'node:vm'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { describe, expect, test } from 'vitest'
import { type Doc, type Row, title } from '../../../src/report/doc.ts'
import { htmlOf } from '../../../src/report/html/print-html.ts'
import { became, name, value } from '../../../src/report/phrase.ts'
import { HARMLESS_DOC } from '../hostile-doc.ts'
import { textOf } from '../parsers.ts'

type Node = DefaultTreeAdapterTypes.ChildNode
type Element = DefaultTreeAdapterTypes.Element

/** All elements of a page, in order. */
function elements(html: string): Element[] {
  const found: Element[] = []
  const visit = (node: Node): void => {
    if (!('tagName' in node)) return
    found.push(node)
    for (const child of node.childNodes) visit(child)
  }
  for (const node of parse(html).childNodes) visit(node)
  return found
}

const attribute = (element: Element, name: string): string | undefined =>
  element.attrs.find(one => one.name === name)?.value

const textIn = (node: Node): string =>
  'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(textIn).join('') : ''

const named = (html: string, tag: string): Element[] => elements(html).filter(one => one.tagName === tag)

const EMPTY: Doc = {
  command: 'drift',
  about: [[name('acme')]],
  headline: ['No drift.'],
  tone: 'good',
  sections: [],
}
const DOCS: Readonly<Record<string, Doc>> = {
  'everything that rows can be': HARMLESS_DOC,
  nothing: EMPTY,
  'several reports': { ...HARMLESS_DOC, parts: [HARMLESS_DOC, EMPTY] },
}

describe.each(Object.entries(DOCS))('the page of %s', (_, doc) => {
  const html = htmlOf(doc, {})

  test('runs only its own script, has only its own style, and loads nothing', () => {
    const policy = named(html, 'meta').find(meta => attribute(meta, 'http-equiv') !== undefined)
    const hashOf = (tag: string): string =>
      createHash('sha256').update(named(html, tag).map(textIn).join('')).digest('base64')
    expect(policy && attribute(policy, 'content')).toBe(
      `default-src 'none'; style-src 'sha256-${hashOf('style')}'; script-src 'sha256-${hashOf('script')}'; base-uri 'none'; form-action 'none'`,
    )
    const outward = elements(html).flatMap(({ attrs }) =>
      attrs.filter(
        ({ name }) =>
          ['src', 'srcset', 'style', 'action', 'data', 'poster', 'background', 'href'].includes(name) ||
          name.startsWith('on'),
      ),
    )
    expect(outward).toEqual([])
    expect(named(html, 'style').map(textIn).join('')).not.toMatch(/url\(|@import/)
    for (const script of named(html, 'script')) new Script(textIn(script))
  })

  test('has one main heading, skips no heading level, and has the expected landmarks', () => {
    const levels = elements(html).flatMap(({ tagName }) =>
      /^h[1-6]$/.test(tagName) ? [Number(tagName[1])] : [],
    )
    expect(levels.filter(level => level === 1)).toEqual([1])
    expect(levels.every((level, at) => level <= (levels[at - 1] ?? 0) + 1)).toBe(true)
    expect(['header', 'main'].map(tag => named(html, tag).length)).toEqual([1, 1])
    expect(named(html, 'html').map(one => attribute(one, 'lang'))).toEqual(['en'])
  })

  test('labels each field, table header and scrolling region, and uses each id once', () => {
    const ids = elements(html).flatMap(element => attribute(element, 'id') ?? [])
    expect(ids).toEqual([...new Set(ids)])
    for (const input of named(html, 'input'))
      expect(named(html, 'label').map(label => attribute(label, 'for'))).toContain(attribute(input, 'id'))
    expect(named(html, 'th').filter(head => attribute(head, 'scope') === undefined)).toEqual([])
    const scrolled = elements(html).filter(element => attribute(element, 'tabindex') === '0')
    expect(scrolled.filter(one => !attribute(one, 'aria-label'))).toEqual([])
  })

  test('hides the search, which needs the script, until it runs', () => {
    expect(named(html, 'form').filter(one => attribute(one, 'hidden') === undefined)).toEqual([])
  })
})

const page = (rows: readonly Row[], form: 'calls' | 'changes' = 'changes'): string =>
  htmlOf({ ...EMPTY, sections: [{ form, title: title`Sets`, rows }] }, {})

test('a page with nothing to tell is its headline: no search, no section', () => {
  const html = htmlOf(EMPTY, {})
  expect(named(html, 'title').map(textIn)).toEqual(['Drift acme - Setpoint'])
  expect([...named(html, 'form'), ...named(html, 'section')]).toEqual([])
  expect(named(html, 'body').map(one => textIn(one).replaceAll(/\s+/g, ' ').trim().slice(0, 36))).toEqual([
    'Setpoint drift No drift. acme (() =>',
  ])
})

test('what must be read stands in one box, whose edge says how grave it is', () => {
  const classes = (rows: readonly Row[]) =>
    named(page(rows, 'calls'), 'section').map(one => attribute(one, 'class'))
  expect(classes([{ mark: 'secret', cells: [['x']] }])).toEqual(['calls'])
  expect(classes([{ mark: 'lost', tone: 'bad', cells: [['x']] }])).toEqual(['calls grave'])
})

test('of a value that becomes another one, the old one is struck', () => {
  const html = page([{ mark: '~', cells: [[name('a')], became([value('x')], [value('y')])] }])
  expect(named(html, 'del').map(textIn)).toEqual(['x'])
  expect(named(html, 'ins').map(textIn)).toEqual(['y'])
  expect(textOf(html)).toContain('x -> y')
})

test('folded sections stand at the end', () => {
  const folded = { form: 'list', title: title`Behind`, folded: true, rows: [{ cells: [['b']] }] } as const
  const html = htmlOf(
    { ...EMPTY, sections: [folded, { form: 'list', title: title`Before`, rows: [{ cells: [['a']] }] }] },
    {},
  )
  expect(html.indexOf('Before')).toBeLessThan(html.indexOf('Behind'))
  expect(named(html, 'summary').map(textIn)).toEqual(['Behind 1'])
})

test('a page with too many rows keeps all with the tone `bad`, and counts what is left out', () => {
  const rows = [...Array(5_010).keys()].map(at => ({
    mark: at >= 5_000 ? '-' : '+',
    cells: [[name(`set-${at}`)]],
  }))
  const html = page(rows)
  const sets = named(html, 'h3').map(textIn)
  expect(sets).toHaveLength(5_000)
  expect(sets.slice(-2)).toEqual(['set-5008', 'set-5009'])
  expect(sets).not.toContain('set-4990')
  expect(textOf(html)).toContain('10 more, in the JSON report.')
})
