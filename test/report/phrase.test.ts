import { expect, test } from 'vitest'
import { groupedBy, message } from '../../src/report/phrase.ts'
import { planDoc } from '../../src/report/plan-doc.ts'
import { markdownOf } from '../../src/report/print-markdown.ts'
import { textOf } from '../../src/report/print-text.ts'
import { aPlan, at, step, text, update } from './build.ts'

test('groups equal members, in the order of the first', () => {
  expect(groupedBy(['a1', 'b', 'a2', 'none', 'none'], one => (one === 'none' ? undefined : one[0]))).toEqual([
    ['a1', 'a2'],
    ['b'],
    ['none'],
    ['none'],
  ])
})

test('a sentence of several lines is one line', () => {
  expect(message('ERROR: deadlock detected\r\n\n\tDETAIL: Process 1 waits. \n').text).toBe(
    'ERROR: deadlock detected DETAIL: Process 1 waits.',
  )
})

const change = (set: string, line: number, after = 'c') =>
  ['env/A', 'env/B'].map(key =>
    step(
      `update-variable ${set} ${key}`,
      update(set, text(key as 'env/A', 'a'), text(key as 'env/A', after)),
      at('sets/a.yaml', line),
    ),
  )
const PLAN = aPlan([...change('one', 1), ...change('other', 5, 'd'), ...change('two', 9)])

test('sets with equal changes share them in the text, each with its place', () => {
  const lines = textOf(planDoc({ kind: 'plan', plan: PLAN }), { color: false }).split('\n')
  expect(lines.slice(3, 11)).toEqual([
    '~ one    2 variables   sets/a.yaml:1',
    '~ two    2 variables   sets/a.yaml:9',
    '      in each of one, two:',
    '    ~ env A  a -> c',
    '    ~ env B  a -> c',
    '~ other  2 variables   sets/a.yaml:5',
    '    ~ env A  a -> d',
    '    ~ env B  a -> d',
  ])
})

test('sets with equal changes share them in Markdown', () => {
  const values = markdownOf(planDoc({ kind: 'plan', plan: PLAN }), {}).split(
    '<details open><summary>Details</summary>',
  )[1]
  expect(values?.split('</details>')[0]).toBe(
    '\n\n```diff\n@@ ~ two  2 variables @@\n  in each of one, two:\n! env A  a -> c\n! env B  a -> c\n@@ ~ other  2 variables @@\n! env A  a -> d\n! env B  a -> d\n```\n\n',
  )
})
