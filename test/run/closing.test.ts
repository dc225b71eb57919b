import { describe, expect, test } from 'vitest'
import type { Closing, StepOutcome, StepResult } from '../../src/apply/outcome.ts'
import type { ObservedSet } from '../../src/model/variable-set.ts'
import { findRemaining } from '../../src/plan/create.ts'
import { coveredSteps } from '../../src/plan/items.ts'
import { settleOutcomes } from '../../src/run/closing.ts'
import { OPTIONS, planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const secret = { secret: { name: 'S' } }
const hidden = { hidden: true } as const
const LOST: StepOutcome = { status: 'unknown', message: 'the answer was lost' }

/** A secret with another description: it is sent completely, and the service shows the same whether it arrived or not. */
const rewrite = planOf(
  aDesiredState(aSet('a', { variables: { 'env/X': { value: secret, description: 'd' } } })),
  anObservedState(anObserved('1', 'a', { variables: { 'env/X': hidden } })),
)
const readable = planOf(
  aDesiredState(aSet('a', { variables: { 'env/X': '2' } })),
  anObservedState(anObserved('1', 'a', { variables: { 'env/X': '1' } })),
)

const settled = (plan: typeof rewrite, outcome: StepOutcome, closing: Closing) =>
  settleOutcomes(
    plan.steps.map(step => ({ step, outcome })),
    { closing, moved: new Map(), shows: () => false },
  ).map(result => result.outcome)

describe('a lost response', () => {
  test('is settled by a closing read that asks for nothing more', () => {
    expect(settled(readable, LOST, { state: 'equal' }).map(({ status }) => status)).toEqual(['succeeded'])
  })
  test('stays unknown if the closing read asks again, or could not be made', { tags: ['F-18'] }, () => {
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
  const REFUSED: StepOutcome = { status: 'failed', message: 'the service answered 422' }
  const created = (variables: Parameters<typeof aSet>[1]) =>
    planOf(aDesiredState(aSet('a', variables)), anObservedState())

  test('of something that the closing read shows all the same is no failure, and is reported', {
    tags: ['F-17'],
  }, () => {
    expect(settled(readable, REFUSED, { state: 'equal' })).toEqual([
      {
        status: 'succeeded',
        note: 'it was refused, but the closing read shows that it is done: the service answered 422',
      },
    ])
  })
  test('stays one if the closing read asks again', () => {
    expect(settled(readable, REFUSED, { state: 'differs', remaining: readable })).toEqual([REFUSED])
  })
  test('is unknown if nothing could be read afterwards, unless the request never left', {
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
        message: 'the service answered 422; the service could not be read back to see whether it was done',
      },
    ])
    expect(outcomesOf({ step, outcome: REFUSED })).toEqual([REFUSED])
  })
  test('of a part of a change is none if that part shows and another is still to do', {
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
  test('of what carries a secret is unknown if it shows: nobody sees whose secret it is', () => {
    const message =
      'the service answered 422; it was refused, but the closing read shows that it is done; to write its secrets again: --rewrite "a"'
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

describe('what the closing read asks for', () => {
  const ws = (...digits: readonly number[]) => digits.map(digit => `ws-000000000000000${digit}` as const)
  const shape = { variables: { 'env/A': '1', 'env/B': '2' }, workspaces: ws(1, 2) }
  const files = aDesiredState(aSet('a', shape))
  const before = anObserved('1', 'a', { description: 'old' })
  /** The outcomes of steps that were reported as successful, and the remaining steps that belong to them. */
  const asked = (from: ObservedSet | undefined, to: ObservedSet | undefined, wanted = files) => {
    const stateOf = (set: ObservedSet | undefined) => anObservedState(...(set === undefined ? [] : [set]))
    const plan = planOf(wanted, stateOf(from))
    const { value: remaining } = findRemaining(wanted, stateOf(to), OPTIONS)
    if (remaining === undefined) throw new Error('nothing can be told')
    const ended = settled(plan, { status: 'succeeded' }, { state: 'differs', remaining })
    return {
      doubted: plan.steps.flatMap(({ id }, at) => (ended[at]?.status === 'unknown' ? [id] : [])),
      covered: coveredSteps(plan, remaining.steps).map(({ id }) => id),
    }
  }

  test.each([
    ['a variable that was added with others', { variables: { 'env/A': '1' } }, 'create-variable a env/B'],
    [
      'a variable that was added with others and shows another value',
      { variables: { 'env/A': '1', 'env/B': '3' } },
      'update-variable a env/B',
    ],
    ['settings that were sent with variables', { description: 'old' }, 'update-set a'],
  ])('again is %s', (_, shown, step) => {
    expect(asked(before, anObserved('1', 'a', { ...shape, ...shown }))).toEqual({
      doubted: ['update-set a'],
      covered: [step],
    })
  })
  test('again is what a new set shows without, and not what it shows otherwise or beside it', () => {
    const made = (shown: Parameters<typeof anObserved>[2]) =>
      asked(undefined, anObserved('2', 'a', { ...shape, ...shown }))
    const doubted = ['create-set a']
    expect(made({ variables: { 'env/A': '1' } })).toEqual({ doubted, covered: ['create-variable a env/B'] })
    expect(made({ workspaces: ws(1) })).toEqual({ doubted, covered: ['assign a workspaces'] })
    const none = { doubted: [], covered: [] }
    expect(made({ variables: { 'env/A': '1', 'env/B': '3' } })).toEqual(none)
    expect(made({ variables: { ...shape.variables, 'env/C': '' } })).toEqual(none)
    expect(made({ workspaces: ws(1, 2, 3), description: 'other' })).toEqual(none)
  })
  test('is not asked again if another change is left than the one that was made', () => {
    const other = { variables: { 'env/A': '1', 'env/B': '2', 'env/C': '' }, workspaces: ws(1, 2, 3) }
    expect(asked(before, anObserved('1', 'a', other))).toEqual({ doubted: [], covered: [] })
    const some = (variables: Readonly<Record<string, string>>) =>
      anObserved('1', 'a', { ...shape, variables })
    expect(asked(some({ 'env/A': '1' }), some({ 'env/B': '2' }))).toEqual({ doubted: [], covered: [] })
    const assigned = anObserved('1', 'a', { ...shape, workspaces: ws(1) })
    expect(asked(assigned, anObserved('1', 'a', { ...shape, workspaces: ws(2) })).covered).toEqual([])
  })
  test('of a set that does not show is everything, and nothing of it is made again', () => {
    const { doubted, covered } = asked(before, undefined)
    expect({ doubted, covered }).toEqual({ doubted: ['update-set a', 'assign a workspaces'], covered: [] })
  })
})
