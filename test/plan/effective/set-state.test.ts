import { describe, expect, test } from 'vitest'
import {
  type HeldValue,
  kindInOneSet,
  sameInOneSet,
  sameInTwoSets,
} from '../../../src/plan/effective/set-state.ts'

const text = (value: string, hcl = false): HeldValue => ({ secret: false, text: value, hcl })
const untold: HeldValue = { secret: false, hcl: false }
const secret: HeldValue = { secret: true, rewritten: false }
const rewritten: HeldValue = { secret: true, rewritten: true }
const sentAgain: HeldValue = { secret: true, rewritten: false, sentAgain: true }

describe('whether a value is the same', () => {
  test.each<[string, HeldValue, HeldValue, boolean, boolean]>([
    ['equal texts', text('a'), text('a'), true, true],
    ['other texts', text('a'), text('b'), false, false],
    ['one is HCL', text('a'), text('a', true), false, false],
    ['texts that a snapshot leaves out', untold, untold, true, false],
    ['one text that a snapshot leaves out', untold, text('a'), false, false],
    ['a secret that is not written', secret, secret, true, false],
    ['a secret that is written', secret, rewritten, false, false],
    ['a secret in place of a text', text('a'), secret, false, false],
    ['a text in place of a secret', secret, text('a'), false, false],
  ])('%s', (_, before, after, inOneSet, inTwoSets) => {
    expect(sameInOneSet('terraform/A', before, after)).toBe(inOneSet)
    expect(sameInTwoSets('terraform/A', before, after)).toBe(inTwoSets)
  })

  test('in the environment, whether it is HCL has no effect', () => {
    expect([
      sameInOneSet('env/A', text('a'), text('a', true)),
      sameInTwoSets('env/A', text('a'), text('a', true)),
    ]).toEqual([true, true])
  })
})

test.each<[HeldValue, HeldValue, string | undefined]>([
  [text('a'), text('b'), 'value'],
  [secret, rewritten, 'value'],
  [secret, sentAgain, 'sent'],
  [text('a'), sentAgain, 'value'],
  [secret, secret, undefined],
  [text('a'), text('a'), undefined],
])('what happens to a value that one set gives: %j, then %j', (before, after, kind) => {
  expect(kindInOneSet('env/A', before, after)).toBe(kind)
})
