import { describe, expect, test } from 'vitest'
import type { Closing, Outcome, StepResult } from '../../src/apply/outcome.ts'
import { settleOutcomes } from '../../src/run/closing.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const secret = { secret: { name: 'S' } }
const hidden = { hidden: true } as const
const LOST: Outcome = { status: 'unknown', message: 'the answer was lost' }

/** A secret whose description changes: it is sent whole, and the service shows the same whatever arrived. */
const rewrite = planOf(
  aDesiredState(aSet('a', { variables: { 'env/X': { value: secret, description: 'd' } } })),
  anObservedState(anObserved('1', 'a', { variables: { 'env/X': hidden } })),
)
const readable = planOf(
  aDesiredState(aSet('a', { variables: { 'env/X': '2' } })),
  anObservedState(anObserved('1', 'a', { variables: { 'env/X': '1' } })),
)

const settled = (plan: typeof rewrite, outcome: Outcome, closing: Closing) =>
  settleOutcomes(
    plan.steps.map(step => ({ step, outcome })),
    { closing, moved: new Map(), shows: () => false },
  ).map(result => result.outcome)

describe('a lost answer', () => {
  test('is settled by a closing read that asks for nothing more', () => {
    expect(settled(readable, LOST, { state: 'equal' }).map(({ status }) => status)).toEqual(['succeeded'])
  })
  test('stays unknown where the closing read asks again, or could not be made', { tags: ['F-18'] }, () => {
    expect(
      settled(readable, LOST, { state: 'differs', remaining: readable }).map(({ status }) => status),
    ).toEqual(['unknown'])
    expect(settled(readable, LOST, { state: 'unread', message: 'm' })).toEqual([LOST])
  })
  test('of a rewritten secret stays unknown, with the command to write it again', () => {
    expect(settled(rewrite, LOST, { state: 'equal' })).toEqual([
      { status: 'unknown', message: 'the answer was lost; to write its secrets again: --rewrite "a/X"' },
    ])
  })
})

describe('a refusal', () => {
  const REFUSED: Outcome = { status: 'failed', message: 'the service answered 422' }
  const created = (variables: Parameters<typeof aSet>[1]) =>
    planOf(aDesiredState(aSet('a', variables)), anObservedState())

  test('of something that the closing read shows all the same is no failure, and is said', {
    tags: ['F-17'],
  }, () => {
    expect(settled(readable, REFUSED, { state: 'equal' })).toEqual([
      {
        status: 'succeeded',
        note: 'it was refused, and the closing read shows it all the same: the service answered 422',
      },
    ])
  })
  test('stays one where the closing read asks again', () => {
    expect(settled(readable, REFUSED, { state: 'differs', remaining: readable })).toEqual([REFUSED])
  })
  test('is unknown where nothing could be read afterwards, unless the request never left', {
    tags: ['F-17'],
  }, () => {
    const [step] = readable.steps
    if (step === undefined) throw new Error('no step')
    const nothing = {
      closing: { state: 'unread', message: 'm' },
      moved: new Map(),
      shows: () => false,
    } as const
    const outcomesOf = (result: StepResult) => settleOutcomes([result], nothing).map(({ outcome }) => outcome)
    expect(outcomesOf({ step, outcome: REFUSED, refused: true })).toEqual([
      {
        status: 'unknown',
        message:
          'the service answered 422; nothing could be read afterwards that would show whether it was carried out',
      },
    ])
    expect(outcomesOf({ step, outcome: REFUSED })).toEqual([REFUSED])
  })
  test('of a part of a change is none where that part shows and another is still to do', {
    tags: ['I-11'],
  }, () => {
    const [step] = readable.steps
    if (step === undefined) throw new Error('no step')
    const [told] = settleOutcomes([{ step, outcome: REFUSED, refused: true }], {
      closing: { state: 'differs', remaining: readable },
      moved: new Map(),
      shows: () => true,
    })
    expect(told?.outcome.status).toBe('succeeded')
  })
  test('of what carries a secret is unknown where it shows: nobody sees whose secret it is', () => {
    const message =
      'the service answered 422; it was refused, and the closing read shows it all the same; to write its secrets again: --rewrite "a"'
    expect(
      settled(created({ variables: { 'env/X': { value: secret } } }), REFUSED, { state: 'equal' }),
    ).toEqual([{ status: 'unknown', message }])
    expect(settled(rewrite, REFUSED, { state: 'equal' }).map(({ status }) => status)).toEqual(['unknown'])
  })
  test('of nothing but the text of a secret stays one: no read could show it', () => {
    const again = planOf(
      aDesiredState(aSet('a', { variables: { 'env/X': secret } })),
      anObservedState(anObserved('1', 'a', { variables: { 'env/X': hidden } })),
      { rewrite: ['a'] },
    )
    expect(settled(again, REFUSED, { state: 'equal' })).toEqual([REFUSED])
  })
})
