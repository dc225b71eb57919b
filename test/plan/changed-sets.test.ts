import { describe, expect, test } from 'vitest'
import { type ChangedSet, type ChangedVariable, changedSets } from '../../src/plan/changed-sets.ts'
import type { Step } from '../../src/plan/plan-data.ts'
import {
  aPlan,
  at,
  create,
  createSet,
  deleteSet,
  external,
  hidden,
  remove,
  secret,
  settings,
  step,
  text,
  update,
  updateSet,
} from '../report/build.ts'

const setsOf = (...steps: Step[]): ChangedSet[] => changedSets(aPlan(steps))

const variablesOf = (...steps: Step[]): ChangedVariable[] =>
  setsOf(...steps).flatMap(({ changes }) => changes.filter(one => one.kind === 'variable'))

/** `-db env/A moves net, deleted`. */
const shown = (...steps: Step[]): string[] =>
  setsOf(...steps).flatMap(({ name, changes }) =>
    changes
      .filter(one => one.kind === 'variable')
      .map(({ sign, key, moves, loses }) =>
        [`${sign}${name} ${key}`, ...moves.map(other => `moves ${other}`), ...(loses ? [loses] : [])].join(
          ' ',
        ),
      ),
  )

describe('the sets that a plan changes', () => {
  test('stand deleted ones first, with one change for each part', () => {
    const sets = setsOf(
      step('1', createSet('new', { variables: [text('env/B', '1'), text('env/A', '1')], priority: true })),
      step('2', updateSet(settings('old'), settings('renamed')), at('a.yaml', 3)),
      step('3', updateSet(settings('x'), settings('x', { global: true, description: 'd' }))),
      step('4', deleteSet('gone', { variables: [text('env/A', '1')], workspaces: ['ws-1'] })),
    )
    expect(sets.map(({ sign, name, previousName }) => [sign, name, previousName])).toEqual([
      ['-', 'gone', undefined],
      ['~', 'x', undefined],
      ['~', 'renamed', 'old'],
      ['+', 'new', undefined],
    ])
    expect(
      sets.map(({ changes }) =>
        changes.map(one => (one.kind === 'variable' ? one.key : one.kind === 'setting' ? one.name : one.ids)),
      ),
    ).toEqual([['env/A', ['ws-1']], ['global', 'description'], [], ['priority', 'env/A', 'env/B']])
  })

  test('a replacement is one change: the first before and the last after', () => {
    const [only, ...others] = variablesOf(
      step('1', remove('db', hidden('env/A'), true)),
      step('2', create('db', secret('env/A'), true), at('a.yaml', 9), ['1']),
    )
    expect(others).toEqual([])
    expect(only).toMatchObject({ sign: '~', before: hidden('env/A'), after: secret('env/A') })
    expect(only?.steps.map(({ id }) => id)).toEqual(['1', '2'])
    expect(only?.source?.line).toBe(9)
  })

  test('say what becomes of a secret', () => {
    expect(shown(step('1', remove('db', hidden('env/A'))))).toEqual(['-db env/A deleted'])
    const replaced = (after: Parameters<typeof create>[1]): string[] =>
      shown(
        step('1', remove('db', hidden('env/A'), true)),
        step('2', create('db', after, true), undefined, ['1']),
      )
    expect(replaced(text('env/A', '1'))).toEqual(['~db env/A readable'])
    expect(replaced(external('env/A'))).toEqual(['~db env/A deleted'])
    expect(replaced(secret('env/A'))).toEqual(['~db env/A'])
    // The value stays in the service.
    expect(shown(step('1', update('db', hidden('env/A'), external('env/A'))))).toEqual(['~db env/A'])
  })

  test.each([
    ['before another set gets it', ['1'], []],
    ['after another set has it', [], ['2']],
  ])('see a variable that moves: it is deleted %s', (_, ofSecond, ofFirst) => {
    const moved = (after: Parameters<typeof create>[1]): string[] =>
      shown(
        step('1', remove('a', hidden('env/A')), undefined, ofFirst),
        step('2', create('b', after), undefined, ofSecond),
      )
    expect(moved(secret('env/A'))).toEqual(['-a env/A moves b', '+b env/A moves a'])
    expect(moved(text('env/A', '1'))).toEqual(['-a env/A moves b deleted', '+b env/A moves a'])
    expect(moved(secret('env/B'))).toEqual(['-a env/A deleted', '+b env/B'])
  })

  test('see no move without an order between the two', () => {
    expect(
      shown(step('1', remove('a', text('env/A', '1'))), step('2', create('b', text('env/A', '1')))),
    ).toEqual(['-a env/A', '+b env/A'])
  })
})
