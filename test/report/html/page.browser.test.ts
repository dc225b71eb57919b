import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Report, renderers } from '../../../src/report/index.ts'
import { Browser, findChromium } from '../../support/chromium.ts'
import { aDirectory } from '../../support/program.ts'
import { titled } from '../../support/skipped.ts'
import { aPlan, aResult, createSet, step } from '../build.ts'
import { aReach, scope } from '../reach.ts'
import { RICH } from '../rich.ts'

const program = findChromium(process.env)
const title = titled(
  'in a real browser, the page',
  program === undefined,
  'no Chromium on the path and none in CHROMIUM',
)

describe.skipIf(program === undefined)(title, () => {
  let browser: Browser

  beforeAll(async () => {
    browser = await Browser.open(program ?? '')
    await browser.size(1280, 900)
    await browser.media('light')
  })
  afterAll(() => browser.close())

  const REACH = aReach([
    {
      set: 'aws-prod',
      before: scope({ workspaces: ['ws-0000000000000001'] }),
      after: scope({ projects: ['prj-0000000000000001'] }),
    },
    { set: 'calm', before: scope({ global: true }), after: scope({ global: true }) },
  ])

  async function show(report: Report): Promise<void> {
    const file = join(aDirectory(), 'report.html')
    writeFileSync(file, renderers.html(report))
    await browser.show(pathToFileURL(file).href)
  }
  const showPlan = () => show({ kind: 'plan', plan: RICH, reach: () => REACH })
  const type = async (text: string): Promise<void> => {
    for (const key of text) await browser.key(key)
  }
  const shownSets = () =>
    browser.value(
      `[...document.querySelectorAll('.set')].filter(one => one.checkVisibility()).map(one => one.querySelector('h3').textContent)`,
    )
  const shownRows = () =>
    browser.value(
      `[...document.querySelectorAll('.matrix tbody tr')].filter(one => one.checkVisibility()).map(one => one.querySelector('th').textContent)`,
    )

  test('does not break words or places in the table of failures', async () => {
    const steps = [step('1', createSet('a', {}), { path: 'sets/net.yaml', line: 7, column: 1 })]
    const message =
      'PATCH /api/v2/varsets/varset-1: the service answered 422; invalid attribute: taken '.repeat(3)
    const failed = aResult(aPlan(steps), { '1': { status: 'failed', message } }, { exitCode: 3 })
    await show({ kind: 'apply', result: failed })
    const lines = (cells: string) =>
      browser.value(
        `[...document.querySelectorAll('.rows ' + ${JSON.stringify(cells)})].map(cell => {
          const text = document.createRange()
          text.selectNodeContents(cell)
          return new Set([...text.getClientRects()].map(box => Math.round(box.bottom / 12))).size
        })`,
      )
    expect(await lines('thead th')).toEqual([1, 1, 1, 1])
    expect(await lines('td:last-child')).toEqual([1])
  })

  test('sends no request and logs no error', async () => {
    await showPlan()
    await browser.value(`document.querySelector('#find').focus()`)
    expect(browser.requests).toEqual([expect.stringMatching(/^file:.*report\.html$/)])
    expect(browser.complaints).toEqual([])
  })

  test('runs no script and applies no style that was inserted into it', async () => {
    await showPlan()
    await browser.value(`(() => {
      const script = document.createElement('script'); script.textContent = 'globalThis.ran = true'; document.body.append(script)
      document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="globalThis.ran = true"><p id="styled" style="color: rgb(1, 2, 3)">x</p>')
    })()`)
    expect(await browser.value('globalThis.ran')).toBe(undefined)
    expect(await browser.value(`getComputedStyle(document.querySelector('#styled')).color`)).not.toBe(
      'rgb(1, 2, 3)',
    )
  })

  test('is searched from the keyboard with "/", and Escape shows everything again', async () => {
    await showPlan()
    const all = await shownSets()
    await browser.key('/')
    await type('no_proxy')
    expect(await shownSets()).toEqual(['proxy'])
    expect(await browser.value(`document.querySelector('[role=status]').textContent`)).toBe(
      `1 of ${(all as []).length} shown`,
    )
    await browser.key('Escape')
    expect(await shownSets()).toEqual(all)
    await browser.key('/')
    await type('nothing has this')
    expect(await shownSets()).toEqual([])
    expect(await browser.value(`document.querySelector('#none').checkVisibility()`)).toBe(true)
  })

  test('finds a set inside a shared card, counts all its sets, and opens it from the table', async () => {
    const names = ['east', 'west', 'north']
    const workspaces = ['ws-0000000000000001'] as const
    await show({
      kind: 'plan',
      plan: aPlan([
        ...names.map(set => step(set, createSet(set, { workspaces }))),
        step('alone', createSet('alone', { variables: [], global: true })),
      ]),
      reach: () => aReach(names.map(set => ({ set, after: scope({ workspaces }) }))),
    })
    await browser.key('/')
    await type('north')
    expect(await shownSets()).toEqual(['3 sets'])
    const status = `document.querySelector('[role=status]').textContent`
    expect(await browser.value(status)).toBe('3 of 4 shown')
    await browser.key('Escape')
    await browser.value(`document.querySelector('#close').click()`)
    await browser.value(`document.querySelector('.matrix tbody th a').click()`)
    await browser.value('new Promise(resolve => setTimeout(resolve, 50))')
    expect(await browser.value(`document.activeElement.parentElement.open`)).toBe(true)
    expect(await browser.value(WEAK)).toEqual([])
    expect(browser.complaints).toEqual([])
  })

  test('can be filtered by kind of change: sets, entries and table', async () => {
    await showPlan()
    await browser.value(`document.querySelector('input[value=delete]').focus()`)
    await browser.key(' ')
    expect(await shownSets()).toEqual(expect.arrayContaining(['base', 'legacy-x']))
    expect(await shownSets()).not.toContain('proxy')
    await browser.key(' ')
    await browser.value(`document.querySelector('input[value=assign]').click()`)
    expect(await shownRows()).toEqual(['aws-prod'])
    const entries = await browser.value(
      `[...document.querySelectorAll('.set:not([hidden]) .entry:not([hidden])')].map(one => one.dataset.kinds).every(kinds => kinds.split(' ').includes('assign'))`,
    )
    expect(entries).toBe(true)
  })

  test('can limit the table to what changes', async () => {
    await showPlan()
    expect(await shownRows()).toEqual(['aws-prod', 'calm'])
    await browser.value(`document.querySelector('#touched').click()`)
    expect(await shownRows()).toEqual(['aws-prod'])
    const heads = `[...document.querySelectorAll('.matrix thead th')].filter(one => one.checkVisibility()).length`
    expect(await browser.value(heads)).toBe(3)
  })

  test('opens a set from a link in the table', async () => {
    await showPlan()
    await browser.value(`document.querySelector('#close').click()`)
    await browser.value(`document.querySelector('.matrix tbody th a').click()`)
    await browser.value('new Promise(resolve => setTimeout(resolve, 50))')
    expect(
      await browser.value(`document.activeElement.closest('.set').querySelector('h3').textContent`),
    ).toBe('aws-prod')
    expect(await browser.value(`document.activeElement.parentElement.open`)).toBe(true)
  })

  test('is accessible to screen readers: landmarks, headings, table headers, labels', async () => {
    await showPlan()
    const heard = await browser.heard()
    const of = (role: string): string[] => heard.filter(one => one.role === role).map(one => one.name)
    expect(of('main')).toHaveLength(1)
    expect(of('banner')).toHaveLength(1)
    expect(of('navigation')).toEqual(['Sections'])
    expect(of('search')).toHaveLength(1)
    expect(of('searchbox')).toEqual(['Search names, keys, values and places'])
    expect(of('region')).toEqual(
      expect.arrayContaining(['Review first', 'Sets', 'Where each set applies', 'Totals']),
    )
    expect(of('heading')).toEqual(expect.arrayContaining(['aws-prod', 'proxy', 'Where each set applies']))
    expect(of('columnheader')).toHaveLength(4)
    expect(of('rowheader')).toEqual(['aws-prod', 'calm'])
    expect(of('cell')).toEqual(
      expect.arrayContaining(['no longer reached', 'newly reached', 'reached as before']),
    )
    expect(
      heard.filter(
        ({ role, name }) => ['checkbox', 'button', 'link', 'searchbox'].includes(role) && name === '',
      ),
    ).toEqual([])
  })

  test('is readable without scripts, and then shows no form', async () => {
    await browser.scripts(false)
    try {
      await showPlan()
      await browser.scripts(true)
      expect(
        await browser.value(
          `[...document.querySelectorAll('form, .choice')].some(one => one.checkVisibility())`,
        ),
      ).toBe(false)
      expect(
        await browser.value(
          `[...document.querySelectorAll('details[open] .entry')].every(one => one.checkVisibility())`,
        ),
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
      await show({
        kind: 'apply',
        result: aResult(RICH, { 'update-set proxy': { status: 'failed', message: 'no' } }, { exitCode: 3 }),
        reach: () => REACH,
      })
      expect(await browser.value(WEAK), `${scheme} ${medium}`).toEqual([])
      await showPlan()
      expect(await browser.value(WEAK), `${scheme} ${medium}`).toEqual([])
    }
    await browser.media('light')
  })

  test('fits a narrow window: only tables and long texts scroll sideways', async () => {
    await browser.size(360, 800)
    await showPlan()
    expect(await browser.value('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360)
    await browser.size(1280, 900)
  })

  test('prints collapsed sections as well', async () => {
    await browser.media('light', 'print')
    await showPlan()
    expect(
      await browser.value(
        `[...document.querySelectorAll('.set .entry')].every(one => one.checkVisibility({ contentVisibilityAuto: false }))`,
      ),
    ).toBe(true)
    expect((await browser.paper()).subarray(0, 5).toString()).toBe('%PDF-')
    await browser.media('light')
  })

  test('works with a thousand sets and five thousand workspaces', async () => {
    const sets = Array.from({ length: 1_000 }, (_, at) => `set-${at}`)
    const id = (at: number) => `ws-${String(at).padStart(16, '0')}` as const
    const of = (at: number) => Array.from({ length: 5 }, (_, i) => id(at * 5 + i))
    const large = aPlan(
      sets.map((set, at) => step(`create-set ${set}`, createSet(set, { workspaces: of(at) }))),
    )
    await show({
      kind: 'plan',
      plan: large,
      reach: () => aReach(sets.map((set, at) => ({ set, after: scope({ workspaces: of(at) }) }))),
    })
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
