import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Script } from 'node:vm'
import fc from 'fast-check'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { describe, expect, test } from 'vitest'
import { type Report, renderers } from '../../../src/report/index.ts'
import { typedAs } from '../../support/typed.ts'
import { aPlan, aResult, assign, create, createSet, deleteSet, step, text, update } from '../build.ts'
import { hostileTexts, planWith, resultWith } from '../hostile.ts'
import { commandsIn, unseenIn } from '../oracles.ts'
import { elementsOf } from '../parsers.ts'
import { aReach, scope } from '../reach.ts'
import { RICH } from '../rich.ts'

type Node = DefaultTreeAdapterTypes.ChildNode
type Element = DefaultTreeAdapterTypes.Element

const page = (report: Report): string => renderers.html(report)
const plan = (plan_ = RICH): string => page({ kind: 'plan', plan: plan_, typed: typedAs('plan') })

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

const FAILED = aResult(
  RICH,
  {
    'update-set proxy': { status: 'failed', message: '422 "Key has already been taken"' },
    'unassign aws-prod workspaces': { status: 'skipped', because: 'assign aws-prod projects' },
    'assign aws-prod projects': { status: 'unknown', message: 'the answer was lost' },
  },
  { exitCode: 3, closing: { state: 'differs', remaining: aPlan(RICH.steps.slice(6)) } },
)

const REPORTS: Readonly<Record<string, Report>> = {
  'a plan': { kind: 'plan', plan: RICH },
  'a drift report': { kind: 'drift', plan: RICH },
  'a plan without changes': { kind: 'plan', plan: aPlan([], { facts: { equalSets: 3 } }) },
  'an apply': { kind: 'apply', result: aResult(RICH, {}) },
  'a failed apply': { kind: 'apply', result: FAILED },
}

/** `UPDATE_GOLDEN=1 npx vitest run test/report/html/page.test.ts` updates it. Read the diff. */
test('the page of a plan equals its golden file', () => {
  const file = join(import.meta.dirname, '../golden/plan.html')
  const shown = plan()
    .replace(/<style>[\s\S]*<\/style>/, '<style></style>')
    .replace(/<script>[\s\S]*<\/script>/, '<script></script>')
    .replace(/sha256-[\w+/=]+/g, 'sha256-HASH')
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, shown)
  expect(shown).toBe(readFileSync(file, 'utf8'))
})

describe.each(Object.entries(REPORTS))('the page of %s', (_, report) => {
  const html = page(report)

  test('runs only its own script, has only its own style, and loads nothing', () => {
    const policy = named(html, 'meta').find(meta => attribute(meta, 'http-equiv') !== undefined)
    const hashOf = (tag: string): string =>
      createHash('sha256').update(named(html, tag).map(textIn).join('')).digest('base64')
    expect(policy && attribute(policy, 'content')).toBe(
      `default-src 'none'; style-src 'sha256-${hashOf('style')}'; script-src 'sha256-${hashOf('script')}'; base-uri 'none'; form-action 'none'`,
    )
    const outward = elements(html).flatMap(({ attrs }) =>
      attrs.filter(
        ({ name, value }) =>
          ['src', 'srcset', 'style', 'action', 'data', 'poster', 'background'].includes(name) ||
          name.startsWith('on') ||
          (name === 'href' && !/^#[a-z0-9-]+$/.test(value)),
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
    expect(attribute(named(html, 'html')[0] as Element, 'lang')).toBe('en')
    expect(named(html, 'title').map(textIn)).toEqual([
      expect.stringMatching(/^(Plan|Drift|Apply) acme\/platform/),
    ])
  })

  test('refers only to ids that exist, and uses each id once', () => {
    const all = elements(html)
    const ids = all.flatMap(element => attribute(element, 'id') ?? [])
    expect(ids).toEqual([...new Set(ids)])
    const wanted = all.flatMap(element => [
      ...(attribute(element, 'href')?.slice(1) ?? '').split(' '),
      ...(attribute(element, 'for') ?? '').split(' '),
      ...(attribute(element, 'aria-labelledby') ?? '').split(' '),
      ...(attribute(element, 'aria-describedby') ?? '').split(' '),
    ])
    expect(wanted.filter(id => id !== '' && !ids.includes(id))).toEqual([])
  })

  test('labels each field, table header and scrolling region', () => {
    const fields = named(html, 'input').filter(input => {
      const parent = input.parentNode
      const inLabel = parent !== null && 'tagName' in parent && parent.tagName === 'label'
      const id = attribute(input, 'id')
      return !inLabel && !named(html, 'label').some(label => id && attribute(label, 'for') === id)
    })
    expect(fields).toEqual([])
    expect(named(html, 'th').filter(head => attribute(head, 'scope') === undefined)).toEqual([])
    const scrolled = elements(html).filter(element => attribute(element, 'tabindex') === '0')
    expect(
      scrolled.filter(one => !attribute(one, 'aria-labelledby') && !attribute(one, 'aria-label')),
    ).toEqual([])
  })

  test('hides controls that need its script until the script runs', () => {
    const needs = named(html, 'form').concat(named(html, 'p').filter(p => attribute(p, 'class') === 'choice'))
    expect(needs.filter(one => attribute(one, 'hidden') === undefined)).toEqual([])
    expect(named(html, 'button').every(button => isInside(button, 'form'))).toBe(true)
  })
})

function isInside(element: Element, tag: string): boolean {
  const parent = element.parentNode
  return parent !== null && 'tagName' in parent && (parent.tagName === tag || isInside(parent, tag))
}

const HARMLESS = {
  words: ['w', 'x', 'y', 'z'],
  values: ['v', 'u', 't'],
  messages: ['m', 'n', 'o'],
} as const

describe('untrusted text in a page', () => {
  const reportsOf = (texts: Parameters<typeof planWith>[0]): Report[] => [
    { kind: 'plan', plan: planWith(texts) },
    { kind: 'drift', plan: planWith(texts) },
    { kind: 'apply', result: resultWith(texts) },
  ]

  test('adds no element and no attribute', () => {
    const harmless = [...reportsOf({ ...HARMLESS }), ...Object.values(REPORTS)]
    const known = new Set(harmless.flatMap(report => elementsOf(page(report))).concat('br'))
    fc.assert(
      fc.property(hostileTexts, ({ words, messages }) => {
        const found = reportsOf({ ...HARMLESS, words, messages }).flatMap(report => elementsOf(page(report)))
        expect(found.filter(element => !known.has(element))).toEqual([])
      }),
      { numRuns: 100, seed: 20261121 },
    )
  })

  test('contains no invisible character and no command for a runner', () => {
    fc.assert(
      fc.property(hostileTexts, texts => {
        for (const report of reportsOf(texts)) {
          const output = page(report)
          expect(commandsIn(output)).toEqual([])
          expect(unseenIn(output)).toEqual([])
        }
      }),
      { numRuns: 100, seed: 20261121 },
    )
  })
})

describe('the table of sets and workspaces', () => {
  const rows = (html: string): string[][] =>
    named(html, 'tr').map(row =>
      row.childNodes.filter(cell => 'tagName' in cell).map(cell => textIn(cell).replace(/\s+/g, ' ').trim()),
    )

  const changed = aPlan([
    step('create-variable network env/A', create('network', text('env/A', 'a'))),
    step(
      'assign network workspaces',
      assign('network', { kind: 'workspaces', ids: ['ws-0000000000000001'] }),
    ),
    step('create-set fresh', createSet('fresh', { global: true })),
    step('delete-set old', deleteSet('old', { workspaces: ['ws-0000000000000002'] })),
  ])
  const reach = aReach(
    [
      { set: 'calm', before: scope({ workspaces: THREE() }), after: scope({ workspaces: THREE() }) },
      { set: 'empty', before: scope(), after: scope() },
      { set: 'fresh', after: scope({ global: true, priority: true }) },
      {
        set: 'network',
        before: scope({ projects: ['prj-0000000000000001'] }),
        after: scope({ projects: ['prj-0000000000000001'], workspaces: ['ws-0000000000000001'] }),
      },
      { set: 'old', before: scope({ workspaces: ['ws-0000000000000002'] }) },
    ],
    {
      names: {
        'prj-0000000000000001': 'core',
        'ws-0000000000000001': 'one',
        'ws-0000000000000002': 'two',
        'ws-0000000000000003': 'three',
        'ws-0000000000000004': 'four',
      },
      projectOf: { 'ws-0000000000000002': 'prj-0000000000000001' },
    },
  )

  test('says in each cell how the set applies, in words beside the sign', () => {
    expect(rows(page({ kind: 'plan', plan: changed, reach: () => reach }))).toEqual([
      ['set', 'global every workspace', 'project core', 'four +1', 'one', 'two'],
      ['old', '', '', '', '', '−no longer reached'],
      [
        'network',
        '',
        '~reached, values change',
        '',
        '+newly reached',
        '(~)reached, values change, through its project',
      ],
      ['fresh priority', '+newly reached', '', '', '', ''],
      ['calm', '', '', '•reached as before', '', '•reached as before'],
    ])
  })

  test('lists the workspaces of a column that combines several', () => {
    const html = page({ kind: 'plan', plan: changed, reach: () => reach })
    const groups = named(html, 'details').filter(one => attribute(one, 'class') === 'groups')
    expect(groups.map(textIn).map(one => one.replace(/\s+/g, ' ').trim())).toEqual([
      '1 column of several workspaces that the same sets reach 2 workspaces: four, three',
    ])
  })

  test('shows only what a saved plan contains, and says so', () => {
    const html = page({ kind: 'plan', plan: { ...changed, names: { 'ws-0000000000000001': 'one' } } })
    expect(rows(html).slice(0, 3)).toEqual([
      ['set', 'global every workspace', 'one', 'ws-0000000000000002'],
      ['old', '', '', '−no longer reached'],
      ['network', '', '+newly reached', ''],
    ])
    expect(html).toContain('Only the assignments that this plan changes')
  })

  test('is shortened for a large organization: changed sets come first, and the rest is counted', () => {
    const id = (at: number) => `ws-${String(at).padStart(16, '0')}` as const
    const sets = Array.from({ length: 1_000 }, (_, at) => {
      const workspaces = Array.from({ length: 5 }, (_, i) => id(at * 5 + i))
      return {
        set: `set-${String(at).padStart(4, '0')}`,
        before: scope({ workspaces }),
        after: scope({ workspaces }),
      }
    })
    const many = aPlan([step('create-variable set-0999 env/A', create('set-0999', text('env/A', 'a')))])
    const html = page({ kind: 'plan', plan: many, reach: () => aReach(sets) })
    expect(rows(html)).toHaveLength(201)
    expect(rows(html)[1]?.[0]).toBe('set-0999')
    expect(rows(html)[1]?.filter(cell => cell === '~reached, values change')).toHaveLength(1)
    expect(html).toContain(
      'Left out of this table: 800 more sets and 950 more projects or groups of workspaces.',
    )
    expect(html.length).toBeLessThan(1_000_000)
  })
})

function THREE(): `ws-${string}`[] {
  return ['ws-0000000000000002', 'ws-0000000000000003', 'ws-0000000000000004']
}

test('sets with equal changes share one card, and deleted sets come first', () => {
  const names = ['east', 'west', 'north']
  const html = plan(
    aPlan([
      ...names.map((set, at) =>
        step(`u${at}`, update(set, text('env/A', '1'), text('env/A', '2')), {
          path: 'a.yaml',
          line: at + 1,
          column: 1,
        }),
      ),
      step('other', update('other', text('env/A', '1'), text('env/A', '3'))),
      step('gone', deleteSet('zz', { variables: [text('env/A', '1')] })),
    ]),
  )
  const cards = named(html, 'article')
  expect(cards.map(card => textIn(card).match(/(?:[a-z]+|\d sets)(?=1 var|each)/)?.[0])).toEqual([
    'zz',
    '3 sets',
    'other',
  ])
  const [, group] = cards
  expect(group === undefined ? [] : [attribute(group, 'data-sets'), textIn(group)]).toEqual([
    '3',
    expect.stringMatching(/east\s*a\.yaml:1\s*north\s*a\.yaml:3\s*west\s*a\.yaml:2\s/),
  ])
  expect(html.match(/<ins><code>2<\/code><\/ins>/g)).toHaveLength(1)
})

test('a page with too many sets keeps all deletions, and counts what is left out', () => {
  const steps = Array.from({ length: 2_500 }, (_, at) =>
    at % 100 === 0
      ? step(`delete-set s${at}`, deleteSet(`s${at}`, {}))
      : step(`create-set s${at}`, createSet(`s${at}`, {})),
  )
  const html = plan(aPlan(steps))
  expect(named(html, 'article')).toHaveLength(2_000)
  expect(html).toContain('500 more sets not shown on this page')
  const kinds = named(html, 'article').map(one => attribute(one, 'data-kinds'))
  expect(kinds.filter(kind => kind === 'delete')).toHaveLength(25)
})
