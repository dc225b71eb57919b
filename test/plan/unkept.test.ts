import { expect, test } from 'vitest'
import { unkeptIn, withKept } from '../../src/plan/unkept.ts'
import { anObserved, aSet } from '../support/states.ts'

const entryOf = (unkept: object) => ({
  ...{ setId: 'varset-1' as const, variableId: 'var-9' as const, digest: '', secrets: {}, damaged: false },
  unkept,
})

test.each([
  [
    'shows what it showed after it was sent',
    { priority: true },
    { priority: false },
    { priority: false },
    ['priority'],
  ],
  [
    'shows something else, which somebody set',
    { description: 'a' },
    { description: 'c' },
    { description: 'b' },
    [],
  ],
  ['keeps it now', { priority: true }, { priority: true }, { priority: false }, []],
  ['shows what the files say now', { priority: false }, { priority: false }, { priority: false }, []],
  ['has another name: that is no setting', { name: 'new' }, { name: 'old' }, { name: 'old' }, []],
  ['keeps everything', { priority: true }, { priority: false }, {}, []],
])('a setting is not kept if the service %s', (_, sent, shown, recorded, settings) => {
  const desired = { ...aSet('a'), ...sent }
  const observed = { ...anObserved('1', 'a'), ...shown }
  const found = unkeptIn(observed, desired, entryOf(recorded))
  expect(found.map(({ setting }) => setting)).toEqual(settings)
  const kept = withKept(observed, found)
  expect(kept).toEqual(settings.length === 0 ? observed : { ...observed, ...sent })
  expect(withKept(anObserved('2', 'b'), found)).toEqual(anObserved('2', 'b'))
})

test('without an entry, nothing is known', () => {
  expect(unkeptIn(anObserved('1', 'a'), aSet('a', { priority: true }), undefined)).toEqual([])
})
