import { describe, expect, test } from 'vitest'
import type { Closing, StepOutcome, StepResult, WriteProof } from '../../src/apply/outcome.ts'
import { NO_FIELDS } from '../../src/model/fields.ts'
import type { ObservedSet } from '../../src/model/variable-set.ts'
import { findRemaining } from '../../src/plan/create.ts'
import type { Operation } from '../../src/plan/operation.ts'
import { type ClosingRead, judgeOutcomes, NOTHING_READ, type Seen, seenOf } from '../../src/run/closing.ts'
import { OPTIONS, planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const secret = { secret: { name: 'S' } }
const hidden = { hidden: true } as const
const LOST: StepOutcome = { status: 'unknown', message: 'the answer was lost' }

/** A secret is sent with a new description. The service shows the same whether its value arrived or not. */
const rewrite = planOf(
  aDesiredState(aSet('a', { variables: { 'env/X': { value: secret, description: 'd' } } })),
  anObservedState(anObserved('1', 'a', { variables: { 'env/X': hidden } })),
)
const readable = planOf(
  aDesiredState(aSet('a', { variables: { 'env/X': '2' } })),
  anObservedState(anObserved('1', 'a', { variables: { 'env/X': '1' } })),
)

const SHOWN: Readonly<Record<Closing['state'], Seen | undefined>> = {
  equal: 'done',
  differs: 'before',
  unread: undefined,
  'not-needed': undefined,
}

/** What a closing read shows that finds nothing, or finds the change again, or fails. */
const evidenceOf = (closing: Closing): ClosingRead => ({
  ...NOTHING_READ,
  closing,
  seen: () => SHOWN[closing.state],
})

const settled = (plan: typeof rewrite, outcome: StepOutcome, closing: Closing) =>
  judgeOutcomes(
    plan.steps.map(step => ({ step, outcome })),
    evidenceOf(closing),
  ).map(result => result.outcome)

describe('a lost response', () => {
  test('counts as done if the closing read finds nothing left to do', () => {
    expect(settled(readable, LOST, { state: 'equal' }).map(({ status }) => status)).toEqual(['succeeded'])
  })
  test('stays unknown if the closing read still finds the change, or fails', { tags: ['F-18'] }, () => {
    expect(
      settled(readable, LOST, { state: 'differs', remaining: readable }).map(({ status }) => status),
    ).toEqual(['unknown'])
    expect(settled(readable, LOST, { state: 'unread', message: 'm' })).toEqual([LOST])
  })
  test('for a rewritten secret stays unknown, with the command to write it again', () => {
    expect(settled(rewrite, LOST, { state: 'equal' })).toEqual([
      { status: 'unknown', message: 'the answer was lost; to write its secrets again: --rewrite "a/X"' },
    ])
  })
})

describe('a rejected request', () => {
  const REFUSED: StepOutcome = { status: 'failed', message: 'the service responded with 422' }
  const created = (variables: Parameters<typeof aSet>[1]) =>
    planOf(aDesiredState(aSet('a', variables)), anObservedState())

  test('counts as done, with a note, if the closing read shows the change', {
    tags: ['F-17'],
  }, () => {
    expect(settled(readable, REFUSED, { state: 'equal' })).toEqual([
      {
        status: 'succeeded',
        note: 'it was refused, but the closing read shows that it is done: the service responded with 422',
      },
    ])
  })
  test('stays failed if the closing read still finds the change', () => {
    expect(settled(readable, REFUSED, { state: 'differs', remaining: readable })).toEqual([REFUSED])
  })
  test('is unknown if the closing read fails, unless the request was never sent', {
    tags: ['F-17'],
  }, () => {
    const [step] = readable.steps
    if (step === undefined) throw new Error('no step')
    const nothing = evidenceOf({ state: 'unread', message: 'm' })
    const outcomesOf = (result: StepResult) => judgeOutcomes([result], nothing).map(({ outcome }) => outcome)
    expect(outcomesOf({ step, outcome: REFUSED, refused: true })).toEqual([
      {
        status: 'unknown',
        message: 'the service responded with 422; nothing shows whether it was done',
      },
    ])
    expect(outcomesOf({ step, outcome: REFUSED })).toEqual([REFUSED])
  })
  test('counts as done if the closing read shows its own part of a change', {
    tags: ['I-11'],
  }, () => {
    const [step] = readable.steps
    if (step === undefined) throw new Error('no step')
    const [told] = judgeOutcomes([{ step, outcome: REFUSED, refused: true }], {
      ...evidenceOf({ state: 'differs', remaining: readable }),
      seen: () => 'done',
    })
    expect(told?.outcome.status).toBe('succeeded')
  })
  test('with a secret is unknown if the closing read shows the variable, because the value cannot be compared', () => {
    const message =
      'the service responded with 422; it was refused, but the closing read shows that it is done; to write its secrets again: --rewrite "a"'
    expect(
      settled(created({ variables: { 'env/X': { value: secret } } }), REFUSED, { state: 'equal' }),
    ).toEqual([{ status: 'unknown', message }])
    expect(settled(rewrite, REFUSED, { state: 'equal' }).map(({ status }) => status)).toEqual(['unknown'])
  })
  test('that only sends a secret value stays failed, because no read can show it', () => {
    const again = planOf(
      aDesiredState(aSet('a', { variables: { 'env/X': secret } })),
      anObservedState(anObserved('1', 'a', { variables: { 'env/X': hidden } })),
      { rewrite: ['a'] },
    )
    expect(settled(again, REFUSED, { state: 'equal' })).toEqual([REFUSED])
  })
})

describe('a change that the closing read still finds', () => {
  const ws = (...digits: readonly number[]) => digits.map(digit => `ws-000000000000000${digit}` as const)
  const shape = { variables: { 'env/A': '1', 'env/B': '2' }, workspaces: ws(1, 2) }
  const files = aDesiredState(aSet('a', shape))
  const before = anObserved('1', 'a', { description: 'old' })
  /** The steps that became unknown although they were reported as done. */
  const asked = (from: ObservedSet | undefined, to: ObservedSet | undefined, wanted = files) => {
    const stateOf = (set: ObservedSet | undefined) => anObservedState(...(set === undefined ? [] : [set]))
    const plan = planOf(wanted, stateOf(from))
    const { value: remaining } = findRemaining(wanted, stateOf(to), OPTIONS)
    if (remaining === undefined) throw new Error('the files have no plan')
    const ended = judgeOutcomes(
      plan.steps.map(step => ({ step, outcome: { status: 'succeeded' } as const })),
      {
        ...evidenceOf({ state: 'differs', remaining }),
        seen: ({ operation }) => seenOf(operation, to, undefined),
      },
    )
    return ended.flatMap(({ step, outcome }) => (outcome.status === 'unknown' ? [step.id] : []))
  }

  test.each([
    [
      'one of several new variables that is missing',
      { variables: { 'env/A': '1' } },
      'create-variable a env/B',
    ],
    [
      'one of several new variables with another value',
      { variables: { 'env/A': '1', 'env/B': '3' } },
      'create-variable a env/B',
    ],
    ['settings', { description: 'old' }, 'update-set a'],
  ])('makes its step unknown: %s', (_, shown, step) => {
    expect(asked(before, anObserved('1', 'a', { ...shape, ...shown }))).toEqual([step])
  })
  test('makes the creation of a set unknown only if a part of the set is missing', () => {
    const made = (shown: Parameters<typeof anObserved>[2]) =>
      asked(undefined, anObserved('2', 'a', { ...shape, ...shown }))
    const doubted = ['create-set a']
    expect(made({ variables: { 'env/A': '1' } })).toEqual(doubted)
    expect(made({ workspaces: ws(1) })).toEqual(doubted)
    expect(made({ variables: { 'env/A': '1', 'env/B': '3' } })).toEqual([])
    expect(made({ variables: { ...shape.variables, 'env/C': '' } })).toEqual([])
    expect(made({ workspaces: ws(1, 2, 3), description: 'other' })).toEqual([])
  })
  test('does not affect the step if it differs from what the step changed', () => {
    const other = { variables: { 'env/A': '1', 'env/B': '2', 'env/C': '' }, workspaces: ws(1, 2, 3) }
    expect(asked(before, anObserved('1', 'a', other))).toEqual([])
    const some = (variables: Readonly<Record<string, string>>) =>
      anObserved('1', 'a', { ...shape, variables })
    expect(asked(some({ 'env/A': '1' }), some({ 'env/B': '2' }))).toEqual([])
  })
  test('makes all steps of a missing set unknown', () => {
    expect(asked(before, undefined)).toEqual([
      'create-variable a env/A',
      'create-variable a env/B',
      'assign a workspaces',
      'update-set a',
    ])
  })
})

describe('what the service shows of an operation', () => {
  const at = (shape: Parameters<typeof anObserved>[2]) => anObserved('1', 'a', shape)
  const only = (plan: typeof readable) => {
    const [step] = plan.steps
    if (step === undefined) throw new Error('no step')
    return step.operation
  }
  const answered = (versionId: string) => ({
    variables: [{ id: 'var-1-0', key: 'env/X', value: hidden, ...NO_FIELDS, versionId } as const],
  })
  const hiddenAs = (versionId: string) => ({
    ...at({}),
    variables: [
      { id: 'var-1-0', key: 'env/X', value: hidden, ...NO_FIELDS, description: 'd', versionId } as const,
    ],
  })
  const creation = only(
    planOf(
      aDesiredState(
        aSet('a', { variables: { 'env/A': '1', 'env/B': '2' }, workspaces: ['ws-0000000000000001'] }),
      ),
      anObservedState(),
    ),
  )
  const whole = { variables: { 'env/A': '1', 'env/B': '2' }, workspaces: ['ws-0000000000000001'] } as const

  test.each<[string, Operation, ObservedSet | undefined, WriteProof | undefined, Seen]>([
    ['its result', only(readable), at({ variables: { 'env/X': '2' } }), undefined, 'done'],
    ['what was there before', only(readable), at({ variables: { 'env/X': '1' } }), undefined, 'before'],
    ['nothing', only(readable), undefined, undefined, 'before'],
    ['what somebody else wrote', only(readable), at({ variables: { 'env/X': '3' } }), undefined, 'other'],
    ['a secret with the version of the answer', only(rewrite), hiddenAs('v2'), answered('v2'), 'done'],
    ['a secret without an answer', only(rewrite), hiddenAs('v2'), undefined, 'done'],
    ['a secret that somebody else wrote', only(rewrite), hiddenAs('v3'), answered('v2'), 'other'],
    ['a whole new set', creation, at(whole), undefined, 'done'],
    ['a part of it, assigned to nothing', creation, at({ variables: { 'env/A': '1' } }), undefined, 'part'],
    ['a part of it', creation, at({ ...whole, variables: { 'env/A': '1' } }), undefined, 'before'],
    [
      'all of it, changed since',
      creation,
      at({ ...whole, variables: { 'env/A': '1', 'env/B': '9' } }),
      undefined,
      'other',
    ],
  ])('%s', (_, operation, set, answer, shown) => {
    expect(seenOf(operation, set, answer)).toBe(shown)
  })
})

describe('a success', () => {
  const [step] = rewrite.steps
  if (step === undefined) throw new Error('no step')
  const judged = (sight: Seen | undefined) =>
    judgeOutcomes([{ step, outcome: { status: 'succeeded' } }], {
      ...evidenceOf({ state: 'equal' }),
      seen: () => sight,
    }).map(({ outcome: { status }, cause }) => [status, cause])

  test('of which the service shows what somebody else wrote is unknown, and says so', {
    tags: ['F-24'],
  }, () => {
    expect(judged('done')).toEqual([['succeeded', undefined]])
    expect(judged('other')).toEqual([['unknown', 'others']])
    expect(judged('before')).toEqual([['unknown', undefined]])
  })
})
