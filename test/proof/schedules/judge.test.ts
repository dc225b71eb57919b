import { expect, test } from 'vitest'
import type { StepOutcome } from '../../../src/apply/outcome.ts'
import {
  type ApiRequest,
  type ApiResponse,
  type Transport,
  TransportError,
} from '../../../src/wire/transport.ts'
import { ABSENT, EMPTY, UNAUTHORIZED } from './answers.ts'
import { secretText } from './case.ts'
import type { End } from './engine.ts'
import { isList, isWrite, operationOf } from './faults.ts'
import { CHECKS, type Check } from './judge.ts'
import { type Defect, parseSchedule, play } from './schedule.ts'

type Between = (request: ApiRequest, next: Transport) => Promise<ApiResponse>

const between = (act: Between): Defect => ({ transport: next => request => act(request, next) })

/** The same request with another body. */
function rewritten(request: ApiRequest, change: (body: string) => string): ApiRequest {
  return request.body === undefined ? request : { ...request, body: change(request.body) }
}

/** Sends a request again when its response is lost, whatever it is. */
const blindly: Between = (request, next) =>
  next(request).catch(error => {
    if (!(error instanceof TransportError)) throw error
    return next(request)
  })

/** Sends something else right before the first write. */
function inserting(other: Omit<ApiRequest, 'headers'>): Defect {
  return {
    transport: next => {
      let isFirst = true
      return async request => {
        if (isFirst && isWrite(request)) {
          isFirst = false
          await next({ ...other, headers: request.headers })
        }
        return await next(request)
      }
    },
  }
}

const renamed = (id: string, description: string): Omit<ApiRequest, 'headers'> => ({
  method: 'PATCH',
  path: `/api/v2/varsets/${id}`,
  body: JSON.stringify({ data: { type: 'varsets', attributes: { description } } }),
})

const withOutcomes = (change: (outcome: StepOutcome) => StepOutcome): Defect => ({
  end: ({ result, ...end }) => ({
    ...end,
    ...(result === undefined
      ? {}
      : {
          result: {
            ...result,
            results: result.results.map(one => ({ ...one, outcome: change(one.outcome) })),
          },
        }),
  }),
})

const ending = (change: Partial<End>): Defect => ({ end: end => ({ ...end, ...change }) })

const withSecret = (end: End): End =>
  end.plan === undefined ? end : { ...end, plan: { ...end.plan, digest: secretText('S') } }

const EMPTY_LIST: ApiResponse = {
  status: 200,
  headers: { 'content-type': 'application/vnd.api+json' },
  body: JSON.stringify({
    data: [],
    meta: {
      pagination: {
        'current-page': 1,
        'prev-page': null,
        'next-page': null,
        'total-pages': 1,
        'total-count': 0,
      },
    },
  }),
}

/** A defect of a client, a schedule that provokes it, and the checks that find it. */
const DEFECTS: readonly (readonly [
  name: string,
  schedule: string,
  defect: Defect,
  found: readonly Check[],
])[] = [
  [
    'a create is sent again blindly after its response was lost',
    'creates loose/second 97 3=lost-after',
    between(blindly),
    ['duplicate', 'gave-up', 'lost', 'not-repaired'],
  ],
  [
    'a delete counts as done and is never sent',
    'deletes interface 1 -',
    between((request, next) =>
      operationOf(request) === 'delete-set' ? Promise.resolve({ ...EMPTY, status: 204 }) : next(request),
    ),
    ['lost', 'not-repaired'],
  ],
  [
    'a set of somebody else is changed',
    'mixed interface 1 -',
    inserting(renamed('varset-F0', 'ours')),
    ['foreign-touched', 'monotone'],
  ],
  [
    'a write that no plan contains is sent',
    'mixed interface 1 -',
    inserting(renamed('varset-3', 'neither')),
    ['monotone'],
  ],
  [
    'every update of a set sends an empty list of workspaces',
    'global-moves interface 1 -',
    between((request, next) =>
      next(
        operationOf(request) !== 'update-set'
          ? request
          : rewritten(request, body => {
              const { data } = JSON.parse(body)
              return JSON.stringify({ data: { ...data, relationships: { workspaces: { data: [] } } } })
            }),
      ),
    ),
    ['lost', 'not-repaired'],
  ],
  [
    'an external variable is sent with an empty value',
    'secrets interface 1 -',
    between((request, next) =>
      next(
        rewritten(request, body => {
          const { data } = JSON.parse(body)
          if (data.attributes?.key === 'EXTERNAL') data.attributes.value = ''
          return JSON.stringify({ data })
        }),
      ),
    ),
    ['false-success', 'lost'],
  ],
  [
    'a 404 to a list counts as an empty list',
    'deletes interface 66 0=absent-once',
    between(async (request, next) => {
      const response = await next(request)
      return isList(request) && response.status === ABSENT.status ? EMPTY_LIST : response
    }),
    ['monotone'],
  ],
  [
    'a busy service counts as one that rejects the token',
    'creates interface 3 4=throttled-seconds',
    between(async (request, next) => {
      const response = await next(request)
      return response.status === 429 ? UNAUTHORIZED : response
    }),
    ['gave-up'],
  ],
  [
    'after a rejected token, a write is sent',
    'mixed interface 7 1=unauthorized-after',
    between(async (request, next) => {
      const response = await next(request)
      if (response.status === 401) await next({ ...renamed('varset-1', 'new'), headers: request.headers })
      return response
    }),
    ['went-on'],
  ],
  [
    'every run reports success',
    'mixed interface 1 1=refused-echo',
    ending({ exitCode: 0 }),
    ['false-success', 'lost'],
  ],
  [
    'every step reports success',
    'mixed interface 1 1=refused-echo',
    withOutcomes(() => ({ status: 'succeeded' })),
    ['false-success'],
  ],
  [
    'every step reports failure',
    'mixed interface 1 -',
    withOutcomes(() => ({ status: 'failed', message: 'no' })),
    ['false-failure'],
  ],
  [
    'exit code 1 although something was written',
    'mixed interface 1 -',
    ending({ exitCode: 1 }),
    ['dishonest-exit', 'not-repaired'],
  ],
  [
    'a clean run reports that something is open',
    'mixed interface 1 -',
    ending({ exitCode: 3 }),
    ['not-repaired'],
  ],
  [
    'an outcome quotes a secret',
    'mixed interface 1 -',
    withOutcomes(outcome => ({ ...outcome, note: `sent ${secretText('S')}` }) as StepOutcome),
    ['secret'],
  ],
  ['a plan contains a secret', 'mixed interface 1 -', { end: withSecret }, ['secret']],
  [
    'a bug ends the run',
    'mixed interface 1 -',
    between(() => Promise.reject(new TypeError('no function'))),
    ['crash', 'lost', 'not-repaired'],
  ],
  [
    'every failed read is sent again, hundreds of times',
    'mixed interface 1 *=failure-before',
    between(async (request, next) => {
      for (let turn = 0; ; turn++) {
        const response = await next(request)
        if (response.status < 500 || isWrite(request) || turn === 300) return response
      }
    }),
    ['endless'],
  ],
  [
    'a run waits for ever',
    'mixed interface 1 -',
    between(() => new Promise(() => {})),
    ['crash', 'lost', 'not-repaired'],
  ],
]

test.each(DEFECTS)('the checks of a schedule find: %s', async (_, schedule, defect, found) => {
  const { violations } = await play(parseSchedule(schedule), defect)
  expect([...new Set(violations.map(text => text.split(':')[0]))].sort()).toEqual([...found].sort())
})

test('without a defect, the same schedules break nothing', async () => {
  for (const [, schedule] of DEFECTS)
    expect((await play(parseSchedule(schedule))).violations, schedule).toEqual([])
})

test('each check finds a defect', () => {
  expect(new Set(DEFECTS.flatMap(([, , , found]) => found))).toEqual(new Set(Object.keys(CHECKS)))
})
