import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { VariableKey } from '../../src/model/ids.ts'
import type { Directory, ObservedSet, ResolvedSet } from '../../src/model/variable-set.ts'
import type { Audience, Exposed } from '../../src/plan/effective/effect.ts'
import type { Plan } from '../../src/plan/plan-data.ts'
import type { Row } from '../../src/report/doc.ts'
import { renderers } from '../../src/report/index.ts'
import { type Finding, findingsIn, inOrder, KINDS, reviewSection } from '../../src/report/review.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'
import { typedAs } from '../support/typed.ts'
import {
  aPlan,
  create,
  createSet,
  deleteSet,
  hidden,
  NO_FACTS,
  remove,
  secret,
  settings,
  step,
  text,
  updateSet,
} from './build.ts'

const words = (cells: Row['cells']): string =>
  cells.map(cell => cell.map(part => (typeof part === 'string' ? part : part.text)).join('')).join(' ')

/** A row as its kind and a sentence. */
const said = ({ mark, cells }: Row): string =>
  mark === undefined ? words(cells) : `${mark}: ${words(cells)}`

const rowsOf = (findings: readonly Finding[]): readonly Row[] => reviewSection(findings)?.rows ?? []

/** The rows of *Review first*, without the last one that says where all are. */
const alerts = (plan: Plan): string[] =>
  rowsOf(findingsIn(plan, 'plan'))
    .filter(({ mark }) => mark !== undefined)
    .map(said)

describe('Review first', () => {
  const NOBODY: Audience = { count: 0, workspaces: [], projects: [], others: false }
  const some = (
    kind: Exposed['kind'],
    audience: Partial<Audience>,
    more: Partial<Exposed> = {},
  ): Exposed => ({
    kind,
    set: 'a',
    keys: ['env/A'],
    audience: { ...NOBODY, ...audience },
    ...more,
  })
  const with2000 = { ...NO_FACTS.received, known: 2_000, whole: true } as const
  const exposing = (exposure: readonly Exposed[], received = NO_FACTS.received): string[] =>
    alerts(
      aPlan([], {
        names: { 'prj-1': 'payments', 'ws-1': 'prod', 'st-1': 'net' },
        facts: { exposure, received },
      }),
    )

  test('names secrets that reach more, with the number of workspaces if known', () => {
    const whole = [{ project: 'prj-1', count: 14 }] as const
    const told = [
      [some('secret', { workspaces: ['ws-1'], count: 1 }), 'A newly in workspace prod'],
      [
        some('secret', { workspaces: ['ws-1', 'ws-2'], count: 2 }, { keys: ['env/A', 'terraform/B'] }),
        'A, B newly in workspaces prod, ws-2',
      ],
      [some('secret', { whole, count: 14 }), 'A newly in project payments (14)'],
      [some('secret', { projects: ['prj-1'] }), 'A newly in project payments'],
      [
        some('secret', { workspaces: ['ws-1', 'ws-2'], whole, count: 16 }),
        'A newly in project payments (14) and workspaces prod, ws-2',
      ],
      [
        some('secret', { workspaces: ['ws-1', 'ws-2'], projects: ['prj-1', 'prj-2'], count: 2 }),
        'A newly in workspaces prod, ws-2 and projects payments, prj-2',
      ],
      [some('secret', { stacks: ['st-1'] }), 'A newly in Stack net'],
      [
        some('secret', { workspaces: ['ws-1'], count: 1, stacks: ['st-1', 'st-2'] }),
        'A newly in workspace prod and Stacks net, st-2',
      ],
      [some('secret', { stacks: ['st-1', 'st-2', 'st-3', 'st-4', 'st-5'] }), 'A newly in 5 Stacks'],
      [some('secret', { others: true }, { global: true }), 'A newly in every workspace'],
    ] as const
    expect(told.flatMap(([exposed]) => exposing([exposed]))).toEqual(
      told.map(([, says]) => `secret: a ${says}`),
    )
    expect(exposing([some('secret', { count: 2_000 }, { global: true })], with2000)).toEqual([
      'secret: a A newly in all 2,000 workspaces',
    ])
    expect(exposing([some('secret', { count: 2_000 })], with2000)).toEqual([
      'secret: a A newly in all 2,000 workspaces',
    ])
  })

  test('lists variables that become global, with the number of workspaces if known', () => {
    const steps = [
      step('1', createSet('a', { global: true, variables: [text('env/A', '1')] })),
      step('2', updateSet(settings('b'), settings('b', { global: true }))),
    ]
    const global = [
      some('global', { others: true }),
      some('global', { count: 212 }, { set: 'b', keys: ['env/B', 'env/C'] }),
    ]
    expect(alerts(aPlan(steps, { facts: { exposure: global } }))).toEqual([
      'global: b B, C now global: in all 212 workspaces',
      'global: a A created global: in every workspace',
    ])
  })

  test('lists sets that become global or gain priority, and variables that are no longer sensitive', () => {
    expect(
      alerts(
        aPlan([
          step('1', updateSet(settings('a'), settings('a', { global: true, priority: true }))),
          step('2', remove('b', hidden('env/B'), true)),
          step('3', create('b', text('env/B', 'x'), true)),
          step('4', updateSet(settings('c', { global: true, priority: true }), settings('c'))),
        ]),
      ),
    ).toEqual([
      'readable: b B no longer sensitive',
      'global: a now global: in every workspace',
      'priority: a gains priority: its values override all others, including the command line',
    ])
  })

  test('lists secrets that are lost, but not those that the plan writes again', () => {
    expect(
      alerts(
        aPlan([
          step('1', deleteSet('a', { variables: [hidden('env/A'), hidden('env/B'), text('env/C', '1')] })),
          step('2', remove('b', hidden('env/MOVED'))),
          step('3', create('c', secret('env/MOVED')), undefined, ['2']),
          step('4', remove('d', hidden('terraform/D'), true)),
          step('5', create('d', secret('terraform/D'), true), undefined, ['4']),
        ]),
      ),
    ).toEqual(['lost: a A, B deleted, and cannot be recovered'])
  })

  test('lists values that look like secrets and are in no file, but not those that move', () => {
    const withheld = (key: VariableKey) => ({ ...text(key, ''), value: { withheld: true } as const })
    expect(
      alerts(
        aPlan([
          step('1', deleteSet('vpn', { variables: [withheld('env/TOKEN'), text('env/C', '1')] })),
          step('2', remove('b', withheld('env/MOVED'))),
          step('3', create('c', text('env/MOVED', '1')), undefined, ['2']),
        ]),
      ),
    ).toEqual(['lost: vpn TOKEN looks like a secret and is deleted; its value may be in no other place'])
  })

  test('starts with what blocks the apply, and the end says how to approve it', () => {
    const plan = aPlan([step('1', deleteSet('a', {}))], {
      only: ['a*', "it's"],
      blocks: [
        { code: 'protected-name', message: '"a" is protected.', item: { kind: 'set', set: 'a' } },
        { code: 'too-many-deletions', message: 'Too many.', item: { kind: 'plan' } },
      ],
    })
    expect(alerts(plan)).toEqual(['blocked: "a" is protected.', 'blocked: Too many.'])
    const typed = typedAs('plan', '--only=a*', '--only', "it's", '--out', 'plan.json')
    const text = renderers.text({ kind: 'plan', plan: { ...plan }, typed }, { color: false })
    expect(text).not.toContain('Left out')
    expect(text.trimEnd().split('\n').slice(-2)).toEqual([
      '',
      `BLOCKED  After review: setpoint apply '--only=a*' --only 'it'\\''s' --approve ${plan.digest}`,
    ])
  })
})

const IDS = Array.from({ length: 62 }, (_, at) => `ws-${String(at + 1).padStart(2, '0')}` as const)
const DIRECTORY: Directory = {
  workspaces: IDS.map((id, at) => ({ id, name: `w${id.slice(3)}`, project: at < 30 ? 'prj-p' : 'prj-q' })),
  projects: [
    { name: 'p', id: 'prj-p' },
    { name: 'q', id: 'prj-q' },
  ],
  whole: ['workspaces', 'projects', 'stacks'],
}

const planned = (
  desired: readonly ResolvedSet[],
  observed: readonly ObservedSet[],
  directory = DIRECTORY,
): Plan => planOf({ ...aDesiredState(...desired), directory }, anObservedState(...observed))

/** The lines of *Review first* for a plan, without those about new values. */
const lines = (...given: Parameters<typeof planned>): string[] => alerts(planned(...given))

/** A set before and after. */
const pair = (
  name: string,
  more: Parameters<typeof aSet>[1],
  before: Record<string, string>,
  after: Record<string, string>,
): [ResolvedSet, ObservedSet] => [
  aSet(name, { ...more, variables: after as never }),
  anObserved(name, name, { ...(more as object), variables: before as never }),
]

describe('effects on other values', () => {
  const PROD = IDS.slice(0, 3)
  const production = pair(
    'prod',
    { workspaces: PROD },
    { 'terraform/replicas': '6' },
    { 'terraform/replicas': '6' },
  )
  const usual = pair(
    'usual',
    { workspaces: IDS.slice(3, 59) },
    { 'terraform/replicas': '3' },
    { 'terraform/replicas': '3' },
  )
  const all = { global: true, priority: true }

  test('a new key of a global set with priority is reported with the values that it overrides', () => {
    const strong = pair('strong', all, { 'env/A': '1' }, { 'env/A': '1', 'terraform/replicas': '1' })
    const plan = planned([strong[0], production[0], usual[0]], [strong[1], production[1], usual[1]])
    expect(alerts(plan)).toEqual([
      'priority: strong replicas new in a set with priority that is global: in 62 workspaces it overrides all other values, including the command line',
      'override: strong replicas overrides usual in 56 workspaces, because it has priority: 3 -> 1',
      'override: strong replicas overrides prod in workspaces w01, w02, w03, because it has priority: 6 -> 1',
    ])
    const markdown = renderers.markdown({ kind: 'plan', plan })
    expect(markdown.slice(0, markdown.indexOf('<details>'))).toContain(
      'overrides `usual` in 56 workspaces, because it has priority: `3` -> `1`',
    )
    const html = renderers.html({ kind: 'plan', plan })
    expect(
      html.slice(html.indexOf('Review first</h2>'), html.indexOf('<section class="changes">')),
    ).toContain('<code>6</code>')
    expect(JSON.parse(renderers.json({ kind: 'plan', plan })).review).toMatchObject([
      { kind: 'priority', sets: ['strong'], keys: ['terraform/replicas'], workspaces: 62 },
      { kind: 'override', sets: ['strong'], keys: ['terraform/replicas'], workspaces: 56 },
      { kind: 'override', sets: ['strong'], keys: ['terraform/replicas'], workspaces: 3 },
    ])
  })

  test('a value that another set wins, or loses, is reported', () => {
    const [here, there] = pair('usual', { workspaces: PROD }, { 'env/A': '1' }, { 'env/A': '1' })
    const [, first] = pair('first', { workspaces: PROD }, { 'env/A': '2' }, {})
    expect(
      lines([here, aSet('first', { workspaces: [], variables: { 'env/A': '2' } })], [there, first]),
    ).toEqual(['value: first A now of usual in workspaces w01, w02, w03: 2 -> 1'])
    expect(lines([here, aSet('first', { workspaces: PROD, variables: { 'env/A': '2' } })], [there])).toEqual([
      'override: first A overrides usual in workspaces w01, w02, w03, because its name sorts first: 1 -> 2',
    ])
  })

  test('secrets, long values and values of unmanaged sets are not shown', () => {
    const [mine] = pair('a', { workspaces: PROD }, {}, { 'env/A': '1', 'env/B': 'x'.repeat(90) })
    const theirs = anObserved('9', 'z', {
      variables: { 'env/A': 'theirs', 'env/B': 'theirs' },
      workspaces: PROD,
    })
    expect(lines([mine], [theirs])).toEqual([
      'override: a A, B overrides z in workspaces w01, w02, w03, because its name sorts first: A (not shown) -> 1',
    ])
  })

  test('new values of one set are no override: its entry shows them, and a finding how many they are', () => {
    const [after, before] = pair('a', { workspaces: IDS }, { 'env/A': '1' }, { 'env/A': '2' })
    expect(lines([after], [before])).toEqual(['wide: a A changes in all 62 workspaces'])
  })

  test.each([
    [9, []],
    [10, ['wide: a A changes in 10 of 62 workspaces']],
    [62, ['wide: a A changes in all 62 workspaces']],
  ])('a change of %i of 62 workspaces', (count, told) => {
    const [after, before] = pair('a', { workspaces: IDS.slice(0, count) }, { 'env/A': '1' }, { 'env/A': '2' })
    expect(lines([after], [before])).toEqual(told)
  })

  test.each([
    [1, 3, []],
    [2, 7, []],
    [2, 6, ['wide: a A changes in 2 of 6 workspaces']],
  ])('a change of %i of %i workspaces: 30 %% of them are many, if they are several', (count, all, told) => {
    const [after, before] = pair('a', { workspaces: IDS.slice(0, count) }, { 'env/A': '1' }, { 'env/A': '2' })
    const directory = { ...DIRECTORY, workspaces: DIRECTORY.workspaces.slice(0, all) }
    expect(lines([after], [before], directory)).toEqual(told)
    // Where the service tells only some of the workspaces, nobody knows the share.
    expect(lines([after], [before], { ...directory, whole: [] })).toEqual([])
  })

  test('many workspaces are said once: not if another finding says whom a variable reaches', () => {
    const twelve = IDS.slice(0, 12)
    const fresh = { 'env/A': { secret: { name: 'A' } }, 'env/B': '1', 'env/C': '1' }
    const [after, before] = pair('a', { workspaces: twelve }, { 'env/C': '2' }, fresh as never)
    expect(lines([after], [before])).toEqual([
      'secret: a A newly in 12 workspaces',
      'wide: a B, C changes in 12 of 62 workspaces',
    ])
  })

  test('a key that moves to the set that wins is no finding: its entry says so', () => {
    const everywhere = { global: true }
    const [base, left] = pair('base', everywhere, { 'env/A': '1' }, {})
    const [to, empty] = pair('to', everywhere, {}, { 'env/A': '2' })
    expect(lines([base, to], [left, empty]).map(line => line.split(':')[0])).toEqual(['global', 'gap'])
  })

  test('values that workspaces lose are reported, each to the workspaces that lose it', () => {
    const [stays, stayed] = pair('b', { workspaces: IDS.slice(0, 1) }, { 'env/A': '1' }, { 'env/A': '1' })
    const gone = anObserved('8', 'a', {
      variables: { 'env/A': '1', 'env/B': '1' },
      workspaces: IDS.slice(0, 2),
    })
    const empty = aSet('a', { variables: {}, workspaces: IDS.slice(0, 2) })
    expect(lines([stays, empty], [stayed, gone])).toEqual([
      'gone: a B gone from workspaces w01, w02: no other set gives it',
      'gone: a A gone from workspace w02: no other set gives it',
    ])
    const one = anObserved('8', 'a', { variables: { 'env/B': '1' }, workspaces: IDS.slice(0, 2) })
    expect(lines([empty], [one])).toEqual(['gone: a B gone from workspaces w01, w02: no other set gives it'])
  })

  test('the report does not depend on the order of sets, and counts each workspace once', () => {
    const sets = [0, 1, 2].map(at =>
      pair(
        `a${at}`,
        { workspaces: IDS.slice(at * 10, at * 10 + 15) },
        { 'env/A': `${at}` },
        { 'env/A': 'new' },
      ),
    )
    const forth = planned(
      sets.map(([set]) => set),
      sets.map(([, set]) => set),
    )
    const back = planned(
      sets.toReversed().map(([set]) => set),
      sets.toReversed().map(([, set]) => set),
    )
    expect(alerts(back)).toEqual(alerts(forth))
    const { changes, groups } = forth.facts.received
    const seeing = (set: string) =>
      groups.flatMap(group =>
        group.changes.some(at => changes[at]?.after?.set === set) ? group.members : [],
      )
    expect(['a0', 'a1', 'a2'].map(set => seeing(set).length)).toEqual([15, 10, 10])
  })
})

describe('equal findings', () => {
  test('of 300 new sets with secrets and priority the first are shown and the others named, and JSON lists each', () => {
    const sets = Array.from({ length: 300 }, (_, at) =>
      aSet(`svc-${String(at).padStart(3, '0')}`, {
        priority: true,
        workspaces: [IDS[at % 40] ?? 'ws-0'],
        variables: { 'env/A': { secret: { name: 'A' } }, [`env/B${at}`]: { secret: { name: 'B' } } },
      }),
    )
    const plan = planned(sets, [])
    expect(alerts(plan)).toEqual([
      ...['svc-000', 'svc-001', 'svc-002'].map(
        set =>
          `priority: ${set} created with priority: its values override all others, including the command line`,
      ),
      'priority: and 297 more like this: svc-003, svc-004, svc-005 and 294 more',
      ...[0, 1, 2].map(at => `secret: svc-00${at} A, B${at} newly in workspace w0${at + 1}`),
      'secret: and 297 more like this: svc-003, svc-004, svc-005 and 294 more',
    ])
    expect(JSON.parse(renderers.json({ kind: 'plan', plan })).review).toHaveLength(600)
    const text = (verbose: boolean): string =>
      renderers.text({ kind: 'plan', plan }, { color: false, verbose })
    expect(text(false)).toContain('all 600 findings: --verbose, or "review" in --format json')
    expect(text(true)).toContain('      secret  svc-299 A, B299  newly in workspace w20\n')
    expect(renderers.html({ kind: 'plan', plan })).toContain('<code>svc-299</code>')
  })

  test('an existing set is not lost among new ones', () => {
    const secrets = { 'env/A': { secret: { name: 'A' } } }
    const sets = Array.from({ length: 9 }, (_, at) =>
      aSet(`s${at}`, { workspaces: IDS.slice(0, 9), variables: secrets }),
    )
    const old = aSet('z', { workspaces: IDS.slice(0, 2), variables: secrets })
    const before = anObserved('9', 'z', {
      variables: { 'env/A': hidden('env/A').value },
      workspaces: IDS.slice(0, 1),
    })
    const said = lines([...sets, old], [before]).filter(line => line.startsWith('secret'))
    expect(said).toContain('secret: z A newly in workspace w02')
  })

  test('of many findings of one kind, the broadest are shown, and the others are counted and named', () => {
    const own = Array.from({ length: 9 }, (_, at) =>
      pair(`a${at}`, { workspaces: IDS.slice(0, 10 + at) }, {}, { [`env/K${at}`]: '2' }),
    )
    const theirs = own.map((_, at) =>
      anObserved(`t${at}`, `z${at}`, { variables: { [`env/K${at}`]: '1' }, workspaces: IDS }),
    )
    const told = lines(
      own.map(([set]) => set),
      [...own.map(([, set]) => set), ...theirs],
    )
    expect(told.map(line => line.slice(0, 24))).toEqual([
      ...['8', '7', '6'].map(at => `override: a${at} K${at} overrides`.slice(0, 24)),
      'override: and 6 more like this: a5, a4, a3 and 3 more'.slice(0, 24),
    ])
    expect(told.at(-1)).toBe('override: and 6 more like this: a5, a4, a3 and 3 more')
  })
})

describe('the order', () => {
  const findingOf = (kind: Finding['kind'], breadth = 1, sets: readonly string[] = []): Finding => ({
    kind,
    says: [kind],
    sets,
    keys: [],
    breadth,
  })
  const NAMES = Object.keys(KINDS) as Finding['kind'][]

  test('is by harm, then by the number of workspaces; overrides and changed values count alike', () => {
    const mixed = NAMES.toReversed().map(kind => findingOf(kind))
    const sorted = inOrder(mixed, new Set()).map(({ kind }) => kind)
    expect(sorted.filter(kind => kind !== 'value')).toEqual(NAMES.filter(kind => kind !== 'value'))
    const values = [
      findingOf('value', 20),
      findingOf('override', 3),
      findingOf('override', Number.POSITIVE_INFINITY),
    ]
    expect(inOrder(values, new Set()).map(({ kind, breadth }) => [kind, breadth])).toEqual([
      ['override', Number.POSITIVE_INFINITY],
      ['value', 20],
      ['override', 3],
    ])
  })

  test('has findings about existing sets before those about new ones', () => {
    const found = [findingOf('secret', 500, ['new']), findingOf('secret', 1, ['old'])]
    expect(inOrder(found, new Set(['new'])).map(({ sets }) => sets)).toEqual([['old'], ['new']])
  })

  test('sums up what is beyond four of a kind, a guard or a rule; no kind hides another', () => {
    const many = (kind: Finding['kind'], count: number, code?: string) =>
      Array.from({ length: count }, (_, at): Finding => ({ ...findingOf(kind, 1, [`set-${at}`]), code }))
    const rows = rowsOf([
      ...many('blocked', 5, 'block one'),
      ...many('blocked', 4, 'block two'),
      ...many('lost', 18),
      ...many('gap', 4),
    ])
    expect(rows.map(said)).toEqual([
      'blocked: set-0 blocked',
      'blocked: set-1 blocked',
      'blocked: set-2 blocked',
      'blocked: and 2 more like this: set-3, set-4',
      ...[0, 1, 2, 3].map(at => `blocked: set-${at} blocked`),
      ...[0, 1, 2].map(at => `lost: set-${at} lost`),
      'lost: and 15 more like this: set-3, set-4, set-5 and 12 more',
      ...[0, 1, 2, 3].map(() => 'gap: gap'),
      'all 31 findings: --verbose, or "review" in --format json',
    ])
    // What is summed up is folded below its row.
    expect(rows.flatMap(row => (row.folded ? [row.rows?.length] : []))).toEqual([2, 15])
    expect(rowsOf(many('secret', 4)).map(said)).toHaveLength(4)
  })

  test('matches docs/reports.md', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/reports.md'), 'utf8')
    const rows = [...page.matchAll(/^\| \d+ \| ((?:`\w+`(?:, )?)+) \|/gm)].map(([, kinds = '']) =>
      kinds.split(', ').map(kind => kind.replaceAll('`', '')),
    )
    expect(rows.flat()).toEqual(NAMES)
  })
})

test('a plan from a snapshot says what is unknown', () => {
  const [after, before] = pair('a', { workspaces: IDS.slice(0, 1) }, { 'env/A': '1' }, { 'env/A': '2' })
  const plan = planOf(
    { ...aDesiredState(after), directory: DIRECTORY },
    { ...anObservedState(before), partial: true },
  )
  expect(alerts(plan)).toEqual([
    'unknown: the snapshot does not contain the values and workspaces of unmanaged sets, so it is unknown which of them this overrides',
  ])
})
