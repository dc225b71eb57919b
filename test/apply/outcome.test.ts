import { expect, test } from 'vitest'
import { refusalOf } from '../../src/api/refusal.ts'
import { createPatience, withRetry } from '../../src/api/retry.ts'
import { classify } from '../../src/apply/outcome.ts'
import type { Operation } from '../../src/plan/operation.ts'
import type { ApiRequest } from '../../src/wire/transport.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const REQUEST: ApiRequest = { method: 'POST', path: '/api/v2/x', headers: {} }
const operations = planOf(
  aDesiredState(
    aSet('new', { variables: { 'env/A': '1' } }),
    aSet('old', { variables: { 'env/A': '2', 'env/B': '1' }, workspaces: ['ws-AAAAAAAAAAAAAAA1'] }),
  ),
  anObservedState(anObserved('1', 'old', { variables: { 'env/A': '1' } })),
).steps.map(({ operation }) => operation)
const ofType = (type: Operation['type']): Operation => {
  const found = operations.find(operation => operation.type === type)
  if (found === undefined) throw new Error(type)
  return found
}
const refused = (type: Operation['type'], status: number, detail?: string) => {
  const body = detail === undefined ? '' : JSON.stringify({ errors: [{ detail }] })
  const error = refusalOf(REQUEST, { status, headers: {}, body })
  return classify(error, ofType(type), 1, false)
}

test.each([
  ['create-set', 'somebody created it meanwhile'],
  ['create-variable', 'somebody created it meanwhile'],
  ['assign', 'somebody assigned it meanwhile'],
] as const)('a 409 to %s says that %s, and not that the files have to change', (type, why) => {
  const { kind, ended } = refused(type, 409, 'resource already exists')
  expect(kind).toBe('final')
  expect(ended).toMatchObject({ outcome: { status: 'failed', message: expect.stringContaining(`; ${why}`) } })
  expect(ended.cause).toBeUndefined()
})

test('a 409 to an update says no more than the service', () => {
  expect(refused('update-variable', 409).ended.outcome).toEqual({
    status: 'failed',
    message: 'POST /api/v2/x: the service responded with 409',
  })
})

test('a failure for which the service gives a reason is marked', () => {
  expect(refused('create-set', 422, 'no').ended.hasReason).toBe(true)
  expect(refused('create-set', 500, 'no').ended.hasReason).toBe(true)
  expect(refused('create-set', 422).ended.hasReason).toBeUndefined()
})

test('a refused token stops the run, and another refusal does not', () => {
  expect(refused('update-variable', 401).ended.stops).toBe('the service refused the token')
  expect(refused('update-variable', 403).ended.stops).toBeUndefined()
})

test('only a refusal says that nothing was carried out', () => {
  expect(refused('update-variable', 422).ended.refused).toBe(true)
  expect(refused('update-variable', 500).ended.refused).toBeUndefined()
})

test('a refusal of a second attempt proves nothing: the first one may have been carried out', () => {
  const error = refusalOf(REQUEST, { status: 422, headers: {}, body: '' })
  const outcomes = [1, 2, 3].map(attempt => classify(error, ofType('update-variable'), attempt, false))
  expect(outcomes.map(({ ended }) => [ended.outcome.status, ended.refused])).toEqual([
    ['failed', true],
    ['unknown', undefined],
    ['unknown', undefined],
  ])
})

test('no status after which a request is sent again is told to be caused by files or token', async () => {
  const timing = { now: () => 0, random: () => 0, sleep: async () => {} }
  const statuses = Array.from({ length: 300 }, (_, i) => 300 + i)
  const told = await Promise.all(
    statuses.map(async status => {
      let attempts = 0
      const answering = async () => ({ status: attempts++ === 0 ? status : 200, headers: {}, body: '' })
      const send = withRetry(answering, { patience: createPatience(), timing })
      await send({ ...REQUEST, repeatable: true })
      return { status, isRepeated: attempts > 1, cause: refused('update-variable', status).ended.cause }
    }),
  )
  const repeated = told.filter(({ isRepeated }) => isRepeated)
  expect(repeated.map(({ status }) => status)).toEqual(expect.arrayContaining([408, 429, 500, 503]))
  expect(repeated.filter(({ cause }) => cause !== undefined)).toEqual([])
  expect(told.filter(({ cause }) => cause === 'files').map(({ status }) => status)).toEqual(
    expect.arrayContaining([400, 422]),
  )
})
