import { expect, test } from 'vitest'
import { compareText } from '../../src/model/diagnostic.ts'

test('texts are compared by code points, which are in another order than their UTF-16 units', () => {
  const inOrder = ['', 'a', 'ab', 'b', '\ud7ff', '\ue000', '\uffff', '\u{10000}', '\u{10ffff}']
  expect(inOrder.toReversed().sort(compareText)).toEqual(inOrder)
})
