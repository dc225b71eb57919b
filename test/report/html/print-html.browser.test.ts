import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Doc, title as titleOf } from '../../../src/report/doc.ts'
import { htmlOf } from '../../../src/report/html/print-html.ts'
import { became, name, say, value } from '../../../src/report/phrase.ts'
import { Browser, findChromium } from '../../support/chromium.ts'
import { aDirectory } from '../../support/program.ts'
import { titled } from '../../support/skipped.ts'
import { docWith, HARMLESS_DOC } from '../hostile-doc.ts'

const program = findChromium(process.env)
const title = titled(
  'in a real browser, the page',
  program === undefined,
  'no Chromium on the path and none in CHROMIUM',
)

/** Sets of one card each, a table of them, and folded sections. */
const docOf = (sets: readonly string[]): Doc => ({
  ...HARMLESS_DOC,
  sections: [
    {
      form: 'changes',
      title: titleOf`Sets`,
      rows: sets.map((set, at) => ({
        mark: '~',
        cells: [[name(set)], ['1 variable']],
        source: { path: `sets/${set}.yaml`, line: at + 1, column: 1 },
        rows: [
          { mark: '~', cells: [say`env ${name(`KEY_${at}`)}`, became([value('old')], [value('fresh')])] },
        ],
      })),
    },
    {
      form: 'list',
      title: titleOf`Where the changed sets apply`,
      columns: ['set', ...Array.from({ length: 40 }, (_, at) => [name(`workspace-${at}`)])],
      rows: sets
        .slice(0, 100)
        .map(set => ({ mark: '~', cells: [[name(set)], ...Array.from({ length: 40 }, () => ['~'])] })),
    },
    ...HARMLESS_DOC.sections,
  ],
})

describe.skipIf(program === undefined)(title, () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await Browser.open(program ?? '')
    await browser.size(1280, 900)
    await browser.media('light')
  })
  afterAll(() => browser.close())

  async function show(doc: Doc = docOf(['proxy', 'aws', 'data'])): Promise<void> {
    const file = join(aDirectory(), 'report.html')
    writeFileSync(file, htmlOf(doc, { link: () => '#here' }))
    await browser.show(pathToFileURL(file).href)
  }
  const type = async (text: string): Promise<void> => {
    for (const key of text) await browser.key(key)
  }
  const shown = (rows: string, inside: string) =>
    browser.value(
      `[...document.querySelectorAll(${JSON.stringify(rows)})].filter(one => one.checkVisibility()).map(one => one.querySelector(${JSON.stringify(inside)}).textContent)`,
    )
  const shownSets = () => shown('[aria-label=Sets] .card', 'h3')

  test('sends no request and logs no error', async () => {
    await show()
    await browser.value(`document.querySelector('#find').focus()`)
    expect(browser.requests).toEqual([expect.stringMatching(/^file:.*report\.html$/)])
    expect(browser.complaints).toEqual([])
  })

  test('runs no script and applies no style that was inserted into it', async () => {
    await show()
    await browser.value(`(() => {
      const script = document.createElement('script'); script.textContent = 'globalThis.ran = true'; document.body.append(script)
      document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="globalThis.ran = true"><p id="styled" style="color: rgb(1, 2, 3)">x</p>')
    })()`)
    expect(await browser.value('globalThis.ran')).toBe(undefined)
    expect(await browser.value(`getComputedStyle(document.querySelector('#styled')).color`)).not.toBe(
      'rgb(1, 2, 3)',
    )
  })

  test('is searched from the keyboard with "/", cards and table, and Escape shows everything again', async () => {
    await show()
    expect(await shownSets()).toEqual(['proxy', 'aws', 'data'])
    await browser.key('/')
    await type('key_1')
    expect(await shownSets()).toEqual(['aws'])
    expect(await browser.value(`document.querySelector('#shown').textContent`)).toMatch(/^1 of \d+ shown$/)
    await browser.key('Escape')
    await browser.key('/')
    await type('data')
    expect(await shown('.picture tbody tr', 'th code')).toEqual(['data'])
    await browser.key('Escape')
    expect(await shownSets()).toEqual(['proxy', 'aws', 'data'])
    await browser.key('/')
    await type('nothing has this')
    expect(await shownSets()).toEqual([])
  })

  test('aligns labels and values over all cards, and breaks no arrow', async () => {
    await show(docOf(['a', 'a-set-with-a-long-name', 'b']))
    const lefts = (cells: string) =>
      browser.value(
        `[...new Set([...document.querySelectorAll(${JSON.stringify(cells)})].map(one => Math.round(one.getBoundingClientRect().left)))]`,
      )
    expect(await lefts('[aria-label=Sets] .what, [aria-label=Sets] .said')).toHaveLength(1)
    expect(await lefts('[aria-label=Sets] h3, [aria-label=Sets] .subject')).toHaveLength(1)
    for (const width of [1280, 420, 320]) {
      await browser.size(width, 900)
      expect(
        await browser.value(
          `[...document.querySelectorAll('.arrow')].every(one => one.getClientRects().length === 1)`,
        ),
      ).toBe(true)
    }
    await browser.size(1280, 900)
  })

  test('strikes an old value and marks the new one', async () => {
    await show()
    const style = (tag: string, what: string) =>
      browser.value(`getComputedStyle(document.querySelector('.entry ${tag}')).${what}`)
    expect(await style('del', 'textDecorationLine')).toBe('line-through')
    expect(await style('ins', 'textDecorationLine')).toBe('none')
    expect(await style('ins', 'color')).toBe('rgb(20, 108, 46)')
  })

  test('is accessible to screen readers: landmarks, headings, table headers, labels', async () => {
    await show()
    const heard = await browser.heard()
    const of = (role: string): string[] => heard.filter(one => one.role === role).map(one => one.name)
    expect(of('main')).toHaveLength(1)
    expect(of('banner')).toHaveLength(1)
    expect(of('search')).toHaveLength(1)
    expect(of('searchbox')).toEqual(['Search names, keys, values and places /'])
    expect(of('region')).toEqual(expect.arrayContaining(['Sets', 'Where the changed sets apply']))
    expect(of('heading')).toEqual(expect.arrayContaining(['proxy', 'aws', 'Where the changed sets apply']))
    expect(of('columnheader').length).toBeGreaterThan(40)
    expect(of('rowheader').map(one => one.replace(/^\W+/, ''))).toEqual(
      expect.arrayContaining(['proxy', 'aws']),
    )
    expect(
      heard.filter(({ role, name }) => ['button', 'link', 'searchbox'].includes(role) && name === ''),
    ).toEqual([])
  })

  test('is readable without scripts, and then shows no form', async () => {
    await browser.scripts(false)
    try {
      await show()
      await browser.scripts(true)
      expect(
        await browser.value(`[...document.querySelectorAll('form')].some(one => one.checkVisibility())`),
      ).toBe(false)
      expect(
        await browser.value(`[...document.querySelectorAll('.entry')].some(one => one.checkVisibility())`),
      ).toBe(true)
    } finally {
      await browser.scripts(true)
    }
  })

  test('has enough contrast in light, in dark and in print', async () => {
    for (const [scheme, medium] of [
      ['light', ''],
      ['dark', ''],
      ['light', 'print'],
    ] as const) {
      await browser.media(scheme, medium)
      await show()
      await browser.value(`document.querySelectorAll('details').forEach(one => { one.open = true })`)
      expect(await browser.value(WEAK), `${scheme} ${medium}`).toEqual([])
    }
    await browser.media('light')
  })

  test('fits a narrow window: only tables and long texts scroll sideways', async () => {
    await browser.size(360, 800)
    for (const doc of [
      docOf(['proxy']),
      docWith(Array.from({ length: 6 }, (_, at) => `${at}`.repeat(200))),
    ]) {
      await show(doc)
      await browser.value(`document.querySelectorAll('details').forEach(one => { one.open = true })`)
      expect(await browser.value('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    }
    await browser.size(1280, 900)
  })

  test('prints folded sections as well', async () => {
    await browser.media('light', 'print')
    await show()
    expect(
      await browser.value(
        `[...document.querySelectorAll('details .row, details .entry')].every(one => one.checkVisibility({ contentVisibilityAuto: false }))`,
      ),
    ).toBe(true)
    expect((await browser.paper()).subarray(0, 5).toString()).toBe('%PDF-')
    await browser.media('light')
  })

  test('works with a thousand sets', async () => {
    await show(docOf(Array.from({ length: 1_000 }, (_, at) => `set-${at}`)))
    await browser.key('/')
    await type('set-77')
    expect(((await shownSets()) as string[]).length).toBe(11)
    expect(browser.complaints).toEqual([])
  })
})

/** An expression for the page: texts whose contrast is below 4.5 to 1, the minimum of WCAG. */
const WEAK = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const rgb = color => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data] }
  const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)).reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0)
  const ground = element => {
    for (let at = element; at; at = at.parentElement) { const color = rgb(getComputedStyle(at).backgroundColor); if (color[3] === 255) return color }
    return rgb('Canvas')
  }
  const weak = new Set()
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement
    if (node.data.trim() === '' || !element.checkVisibility() || element.closest('.ear, .skip, script')) continue
    const [a, b] = [light(rgb(getComputedStyle(element).color)), light(ground(element))].sort((x, y) => y - x)
    const ratio = (a + 0.05) / (b + 0.05)
    if (ratio < 4.5) weak.add(element.tagName + '.' + element.className + ' ' + ratio.toFixed(2))
  }
  return [...weak]
})()`
