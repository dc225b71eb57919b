import { expect, test } from 'vitest'
import type { VariableKey } from '../../src/model/ids.ts'
import type { Received, Transition, TransitionGap } from '../../src/plan/effective/effect.ts'
import { renderers } from '../../src/report/index.ts'
import { aPlan, at, create, NO_FACTS, remove, step, text } from './build.ts'

const EVERYBODY = { count: 0, workspaces: [], projects: [], others: true } as const
const THREE = { count: 3, workspaces: ['ws-1', 'ws-2', 'ws-3'], projects: [], others: false } as const
const STEPS = ['A', 'B', 'C', 'D', 'E', 'F'].flatMap(key => [
  step(`delete-variable a env/${key}`, remove('a', text(`env/${key}`, '1'))),
  step(`create-variable b env/${key}`, create('b', text(`env/${key}`, '1')), at('b.yaml', 3)),
])

const gap = (key: VariableKey, more: Partial<TransitionGap> = {}): TransitionGap => ({
  key,
  before: { set: 'a' },
  after: { set: 'b' },
  between: [`delete-variable a ${key}`, `create-variable b ${key}`],
  why: 'slot',
  ...EVERYBODY,
  ...more,
})

const planWith = (transition: Partial<Transition>, received: Partial<Received> = {}) =>
  aPlan(STEPS, {
    facts: {
      transition: { ...NO_FACTS.transition, ...transition },
      received: { ...NO_FACTS.received, ...received },
    },
  })
const lines = (...given: Parameters<typeof planWith>): string[] =>
  renderers
    .text({ kind: 'plan', plan: planWith(...given) }, { color: false })
    .split('\n')
    .filter(line => /^Transition|^ {2}gap|findings/.test(line))
const review = (...given: Parameters<typeof planWith>) =>
  JSON.parse(renderers.json({ kind: 'plan', plan: planWith(...given) })).review

test('that workspaces see only old and new values is said with --verbose', () => {
  expect(lines({ workspaces: 412 })).toEqual([])
  expect(
    renderers.text({ kind: 'plan', plan: planWith({ workspaces: 412 }) }, { color: false, verbose: true }),
  ).toContain('\nTransition  412 workspaces see only the old and the new value\n')
  expect(lines({ workspaces: 0 })).toEqual([])
  const empty = { ...planWith({ workspaces: 412 }), steps: [] }
  expect(renderers.text({ kind: 'plan', plan: empty }, { color: false })).not.toContain('Transition')
})

test('the limits of the check are stated', () => {
  const known = { workspaces: 3 }
  expect(lines(known, { level: 'projects' })).toEqual([
    'Transition  3 known workspaces see only the old and the new value; the service does not show this token all workspaces',
  ])
  expect(lines(known, { partial: true })).toEqual([
    'Transition  3 workspaces see only the old and the new value; the snapshot does not contain unmanaged sets',
  ])
})

test('a gap is reported with its key, workspaces, visible value, steps and reason', () => {
  expect(lines({ workspaces: 412, seeing: 3, gaps: [gap('env/A', THREE)] })).toEqual([
    '  gap  A  absent in workspaces ws-1, ws-2, ws-3 while a and b change (the order of the two is fixed)',
  ])
  const seen = { seen: { set: 'c', text: 'old' }, why: 'requests' } as const
  expect(lines({ gaps: [gap('env/A', seen)] }, { level: 'projects' })).toEqual([
    '  gap  A  the value of c (old) in every workspace while a and b change (no order was found that avoids it)',
    'Transition  1 gap; the service does not show this token all workspaces',
  ])
})

test('the value of a secret is not shown', () => {
  const [line] = lines({
    workspaces: 1,
    seeing: 1,
    gaps: [gap('env/A', { seen: { set: 'c', secret: true } })],
  })
  expect(line).toContain('A  the value of c in every workspace while')
})

test('gaps that differ only in the key are one finding', () => {
  const gaps = [gap('env/A', THREE), gap('env/B', THREE), gap('env/C', { ...THREE, why: 'revocation' })]
  expect(lines({ workspaces: 3, seeing: 3, gaps })).toEqual([
    '  gap  A, B  absent in workspaces ws-1, ws-2, ws-3 while a and b change (the order of the two is fixed)',
    '  gap  C     absent in workspaces ws-1, ws-2, ws-3 while a and b change (a secret is removed first)',
  ])
  expect(review({ workspaces: 3, seeing: 3, gaps })).toMatchObject([
    { kind: 'gap', keys: ['env/A', 'env/B'], sets: ['a', 'b'], workspaces: 3, source: { path: 'b.yaml' } },
    { kind: 'gap', keys: ['env/C'] },
  ])
})

test('many gaps are summed up, and the report says where all of them are listed', () => {
  const gaps = (['A', 'B', 'C', 'D', 'E', 'F'] as const).map(key => gap(`env/${key}`, { seen: { set: key } }))
  expect(lines({ workspaces: 3, seeing: 3, gaps, left: 2 }).slice(3)).toEqual([
    '  gap  and 3 more like this: a, b',
    '       all 6 findings: --verbose, or "review" in --format json',
    'Transition  3 of 3 workspaces may see a value that is neither old nor new (8 gaps)',
  ])
  expect(review({ workspaces: 3, seeing: 3, gaps })).toHaveLength(6)
})
