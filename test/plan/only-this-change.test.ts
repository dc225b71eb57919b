import { describe, expect, test } from 'vitest'
import type { VariableSetId } from '../../src/model/ids.ts'
import type { ObservedState, ResolvedState } from '../../src/model/variable-set.ts'
import { createPlan, type PlanOptions } from '../../src/plan/create.ts'
import { OPTIONS, planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'

const A: VariableSetId = 'varset-1'
const B: VariableSetId = 'varset-2'

const secret = { secret: { name: 'S' } }

/** Two sets that differ from the files, and one that is deleted. */
const desired: ResolvedState = {
  ...aDesiredState(
    aSet('a', { description: 'new', variables: { 'env/S': secret } }),
    aSet('a-b', { description: 'new', variables: { 'env/S': secret } }),
  ),
  removed: [{ name: 'old', source: SOMEWHERE }],
}

const hidden = { variables: { 'env/S': { hidden: true } } } as const

const observed: ObservedState = anObservedState(
  anObserved('1', 'a', hidden),
  anObserved('2', 'a-b', hidden),
  anObserved('3', 'old'),
  anObserved('4', 'unmanaged'),
)

const stepsOf = (options: Partial<PlanOptions>, of = desired, there = observed): string[] =>
  planOf(of, there, options).steps.map(({ id }) => id)

const errorsOf = (options: Partial<PlanOptions>, of = desired): string[] =>
  createPlan(of, observed, { ...OPTIONS, ...options })
    .diagnostics.filter(({ severity }) => severity === 'error')
    .map(({ message, hint }) => `${message} ${hint}`)

describe('--only with the id of a set', () => {
  test('selects only that set', () => {
    const byId = planOf(desired, observed, { only: [B] })
    const byName = planOf(desired, observed, { only: ['a-b'] })
    expect(byId.steps.map(({ id }) => id)).toEqual(['update-set a-b'])
    expect([byId.only, byId.steps]).toEqual([[B], byName.steps])
  })

  test('selects a set to delete, also one of several with the same name', () => {
    expect(stepsOf({ only: ['varset-3'] })).toEqual(['delete-set old'])
    const two = {
      ...desired,
      removed: [
        { id: 'varset-3' as const, source: SOMEWHERE },
        { id: 'varset-5' as const, source: SOMEWHERE },
      ],
    }
    const there = { ...observed, sets: [...observed.sets, anObserved('5', 'old')] }
    expect(stepsOf({ only: ['varset-5'] }, two, there)).toEqual(['delete-set old'])
    expect(planOf(two, there, { only: ['varset-5'] }).steps[0]?.operation.subject.id).toBe('varset-5')
    expect(stepsOf({ only: ['old'] }, two, there)).toEqual([
      'delete-set old (varset-3)',
      'delete-set old (varset-5)',
    ])
  })

  test('distinguishes sets with the same name', () => {
    const both = aDesiredState(
      aSet('aws', { description: 'new' }),
      aSet('aws-p', { serviceName: 'aws', parent: 'prj-1', description: 'new' }),
    )
    const there = anObservedState(anObserved('1', 'aws'), anObserved('2', 'aws', { parent: 'prj-1' }))
    expect(stepsOf({ only: [A] }, both, there)).toEqual(['update-set aws'])
    expect(stepsOf({ only: [B] }, both, there)).toEqual(['update-set aws-p'])
  })

  test('selects only that set if its name is a pattern that matches others', () => {
    const wild = {
      ...desired,
      sets: [aSet('a*', { description: 'new' }), aSet('ab', { description: 'new' })],
    }
    const there = anObservedState(anObserved('1', 'a*'), anObserved('2', 'ab'), anObserved('3', 'old'))
    expect(planOf(wild, there, { only: [A] })).toMatchObject({ only: [A], steps: [{ id: 'update-set a*' }] })
  })

  test('matches no set if it contains a wildcard', () => {
    expect(errorsOf({ only: ['varset-*'] })[0]).toContain('--only "varset-*" matches no set in the files.')
  })

  test('is an error if no file refers to the id, and names the set with the id or a similar id', () => {
    expect(errorsOf({ only: ['varset-4'] })).toEqual([
      '--only "varset-4" matches no set in the files. The service has it. To write it into a file: setpoint export --only varset-4 --out sets',
    ])
    expect(errorsOf({ only: ['varset-33'] })).toEqual([
      '--only "varset-33" matches no set in the files. Did you mean --only varset-3?',
    ])
  })
})

describe('--rewrite with the id of a set', () => {
  test('selects its secrets, or one of them', () => {
    for (const pattern of [B, `${B}/S`, `${B}/env/S`, `${B}/env/*`])
      expect([pattern, ...stepsOf({ rewrite: [pattern], only: [B] })]).toEqual([
        pattern,
        'update-set a-b',
        'update-variable a-b env/S',
      ])
    expect(stepsOf({ rewrite: [A] })).not.toContain('update-variable a-b env/S')
  })

  test('is an error if it matches no secret', () => {
    expect(errorsOf({ rewrite: [`${A}/T`] })[0]).toContain(
      `--rewrite "${A}/T" matches no secret in the files.`,
    )
    expect(errorsOf({ rewrite: [A], only: [B] })[0]).toBe(
      `--rewrite "${A}" matches no secret in the files. Its set is outside --only. Add the set to --only.`,
    )
    expect(errorsOf({ rewrite: ['varset-11/S'] })[0]).toContain('Did you mean --rewrite varset-1/S?')
  })
})

test('--adopt with the id of a set adopts only that set', () => {
  const owned = { ...desired, owner: 'us' }
  const claimed = (owner: string): ObservedState => ({
    ...observed,
    inventories: [
      {
        owner,
        id: 'varset-inventory',
        entries: [{ setId: A, variableId: 'var-1', digest: '', secrets: {}, damaged: false }],
      },
    ],
  })
  const codesOf = (adopt: readonly string[]) =>
    createPlan(owned, claimed('them'), { ...OPTIONS, adopt }).diagnostics.map(({ code }) => code)
  expect(codesOf([])).toEqual(['owned-by-another'])
  expect(codesOf([A])).toEqual(['not-sent'])
  expect(codesOf([B])).toEqual(['owned-by-another'])
  const blocksOf = (adopt: readonly string[]) =>
    planOf(owned, { ...observed, inventories: [] }, { adopt }).blocks.map(
      ({ message }) => message.split(' ')[0],
    )
  expect(blocksOf([B])).toEqual(['"a"'])
  expect(errorsOf({ adopt: ['varset-4'] })[0]).toContain('--adopt "varset-4" matches no set in the files.')
})

test('guards.protect with the id of a set protects only that set', () => {
  const guarded = (protect: readonly string[]) => ({ ...desired, guards: { ...desired.guards, protect } })
  const codesOf = (protect: readonly string[]) =>
    planOf(guarded(protect), observed).blocks.map(({ code }) => code)
  expect(codesOf(['varset-3'])).toEqual(['protected-name'])
  expect(codesOf(['varset-1', 'varset-*'])).toEqual([])
})
