import { expect, test } from 'vitest'
import { renderers } from '../../src/report/index.ts'
import { plainText } from '../../src/report/layout.ts'
import { pictureOf } from '../../src/report/picture.ts'
import { aPlan, aResult, NO_FACTS, settings, step, text, update, updateSet } from './build.ts'
import { aReach, scope } from './reach.ts'

const id = (at: number) => `ws-${String(at).padStart(16, '0')}` as const
const STEPS = [
  step('1', update('near', text('env/A', 'x'), text('env/A', 'y'))),
  step('2', updateSet(settings('old'), settings('new'))),
  step('3', update('wide', text('env/B', 'x'), text('env/B', 'y'))),
]

/** `near` changes A for workspaces 1 and 2, of which 2 gets B of `new`, which was `old`, in place of `wide`. */
const planFor = (members: readonly ReturnType<typeof id>[]) =>
  aPlan(STEPS, {
    names: { [id(1)]: 'zeta', [id(2)]: 'alpha', [id(3)]: 'beta', 'prj-1': 'core', 'prj-2': 'apps' },
    projectOf: { [id(1)]: 'prj-2', [id(2)]: 'prj-1' },
    facts: {
      received: {
        ...NO_FACTS.received,
        changes: [
          { key: 'env/A', kind: 'value', before: { set: 'near' }, after: { set: 'near' } },
          { key: 'env/B', kind: 'winner', why: 'name', before: { set: 'wide' }, after: { set: 'new' } },
          { key: 'env/C', kind: 'source', why: 'gone', before: { set: 'old' }, after: { set: 'new' } },
        ],
        groups: [
          { members, changes: [0] },
          { members: [id(2)], changes: [0, 1] },
          { members: ['others'], changes: [2] },
        ],
      },
    },
  })
const PLAN = planFor([id(1)])

const shown = (...given: Parameters<typeof pictureOf>) => {
  const [table, legend] = pictureOf(...given)
  const heads = (table?.columns ?? []).map(one => (typeof one === 'string' ? one : plainText(one)))
  const rows = (table?.rows ?? []).map(({ mark, cells }) => [mark, ...cells.map(cell => plainText(cell))])
  return {
    heads,
    rows,
    notes: (legend?.rows ?? []).slice(1).map(({ cells }) => cells.map(cell => plainText(cell)).join()),
  }
}

test('has those who are affected, by project, and says what each set does to them', () => {
  expect(shown(PLAN)).toEqual({
    heads: ['set', 'zeta in apps', 'alpha in core', 'other workspaces'],
    rows: [
      ['~', 'near', '~', '~', ''],
      ['~', 'wide', '', '-', ''],
      ['~', 'new', '', '+', '~'],
    ],
    notes: [],
  })
})

test('shows one sign for several things that a set does to one workspace', () => {
  const received = {
    ...NO_FACTS.received,
    changes: [
      { key: 'env/A', kind: 'winner', why: 'name', before: { set: 'wide' }, after: { set: 'near' } },
      { key: 'env/B', kind: 'winner', why: 'name', before: { set: 'near' }, after: { set: 'wide' } },
      { key: 'env/C', kind: 'winner', why: 'name', before: { set: 'near' }, after: { set: 'wide' } },
    ],
    groups: [
      { members: [id(1)], changes: [0, 1, 2] },
      { members: [id(2)], changes: [1, 2] },
    ],
  } as const
  const { rows } = shown(aPlan(STEPS, { facts: { received } }))
  expect(rows.map(row => row.slice(1))).toEqual([
    ['near', '~', '-'],
    ['wide', '~', '+'],
    ['new', '', ''],
  ])
})

test('then has others where the sets apply, if that is known', () => {
  const reach = aReach(
    [
      { set: 'near', before: scope({ projects: ['prj-1'] }), after: scope({ projects: ['prj-1'] }) },
      { set: 'calm', after: scope({ workspaces: [id(9)] }) },
    ],
    { names: { [id(3)]: 'beta' }, projectOf: { [id(3)]: 'prj-1' } },
  )
  const { heads, rows } = shown(PLAN, reach)
  expect(heads.slice(-2)).toEqual(['other workspaces', 'beta in core'])
  expect(rows.map(row => row.at(-1))).toEqual(['·', '', ''])
})

test('has as many workspaces and sets as fit, and counts the others', () => {
  const many = Array.from({ length: 60 }, (_, at) => id(100 + at))
  const { heads, notes } = shown(planFor(many))
  expect(heads).toHaveLength(41)
  expect(notes).toEqual(['22 more are affected: setpoint affected names them.'])
  const steps = Array.from({ length: 120 }, (_, at) =>
    step(`${at}`, update(`set-${at}`, text('env/A', 'x'), text('env/A', 'y'))),
  )
  const large = shown({ ...PLAN, steps })
  expect(large.rows).toHaveLength(100)
  expect(large.notes).toEqual(['20 more sets are above.'])
})

test('is on the page of a plan and of a whole apply, where somebody is affected', () => {
  const TITLE = 'Where the changed sets apply'
  expect(pictureOf(aPlan(STEPS))).toEqual([])
  expect(renderers.html({ kind: 'plan', plan: aPlan(STEPS) })).not.toContain(TITLE)
  expect(renderers.html({ kind: 'plan', plan: PLAN })).toContain(TITLE)
  expect(renderers.text({ kind: 'plan', plan: PLAN }, { color: false, verbose: true })).not.toContain(TITLE)
  const applied = (exitCode: 0 | 3) =>
    renderers.html({ kind: 'apply', result: aResult(PLAN, {}, { exitCode }) })
  expect(applied(0)).toContain(TITLE)
  expect(applied(3)).not.toContain(TITLE)
})
