import { describe, expect, test } from 'vitest'
import { observe } from '../../src/api/observe.ts'
import { executeWith } from '../../src/apply/execute.ts'
import type { StepOutcome } from '../../src/apply/outcome.ts'
import { Secret } from '../../src/model/secret.ts'
import type { ObservedSet, ResolvedSet } from '../../src/model/variable-set.ts'
import type { Profile } from '../../src/sandbox/index.ts'
import {
  type ApiRequest,
  type ApiResponse,
  type Transport,
  TransportError,
} from '../../src/wire/transport.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, aSet, SOMEWHERE } from '../support/states.ts'
import { aWorld, PROJECTS, seedFrom, WORKSPACES } from '../support/world.ts'

type Strike = (request: ApiRequest, next: Transport) => Promise<ApiResponse>

/** Faults of the first write. All later writes arrive and get their responses, unless a row says otherwise. */
const lost = (): Promise<never> =>
  Promise.reject(new TransportError('lost', { sent: 'maybe', code: 'ECONNRESET' }))
const before: Strike = lost
const after: Strike = async (request, next) => {
  await next(request)
  return await lost()
}
/** Only the first of several parts arrives. */
const partly: Strike = async (request, next) => {
  const body = JSON.parse(request.body ?? '')
  if (Array.isArray(body.data)) body.data.length = 1
  else body.data.relationships.vars.data.length = 1
  await next({ ...request, body: JSON.stringify(body) })
  return await lost()
}
/** Another client creates the same thing at that moment. */
const twice: Strike = async (request, next) => {
  await next(request)
  return await after(request, next)
}
/** The set is gone at that moment. */
const gone: Strike = async (request, next) => {
  const [path] = /^\/api\/v2\/varsets\/[^/]+/.exec(request.path) ?? []
  await next({ method: 'DELETE', path: path ?? '', headers: request.headers, repeatable: false })
  return await lost()
}
/** Another client creates a set of the name with another description at that moment. */
const differently: Strike = async (request, next) => {
  const body = JSON.parse(request.body ?? '')
  body.data.attributes.description = 'of somebody else'
  await next({ ...request, body: JSON.stringify(body) })
  return await lost()
}
/** Another client creates a set of the name in a project at that moment. */
const inProject: Strike = async (request, next) => {
  const body = JSON.parse(request.body ?? '')
  body.data.relationships = { parent: { data: { id: PROJECTS[0], type: 'projects' } } }
  await next({ ...request, body: JSON.stringify(body) })
  return await lost()
}
const answered =
  (status: number, body = ''): Strike =>
  async () => ({ status, headers: { 'content-type': body === '' ? '' : 'text/html' }, body })

interface Row {
  readonly name: string
  readonly live?: ObservedSet
  readonly wanted?: ResolvedSet
  readonly strike: Strike
  /** It strikes every write, and not only the first. */
  readonly every?: true
  /** The user stops the run while the service is read back. */
  readonly stops?: true
  readonly profile?: Partial<Profile>
  /** Whether it may be sent again unchanged (docs/fault-model.md 8.1). */
  readonly repeatable?: boolean
  /** The number of writes, the reported outcome, and a part of the body of the last write. */
  readonly writes: number
  readonly told: string
  readonly lastBody?: string
  /** The whole message of the outcome. */
  readonly message?: string
}

const [w1, w2] = WORKSPACES
const hidden = { hidden: true } as const
const secret = { secret: { name: 'S' } }
const live = anObserved('1', 'a', { variables: { 'env/A': '1', 'env/H': hidden }, workspaces: [w1] })
const same = { 'env/A': '1', 'env/H': secret }

const pairs: readonly (readonly [string, ObservedSet | undefined, ResolvedSet | undefined])[] = [
  ['create-set', undefined, aSet('a', { variables: { 'env/A': '1', 'env/S': secret }, workspaces: [w1] })],
  ['create-variable', live, aSet('a', { variables: { ...same, 'env/B': '2' }, workspaces: [w1] })],
  ['update-set', live, aSet('a', { priority: true, variables: same, workspaces: [w1] })],
  ['update-variable', live, aSet('a', { variables: { ...same, 'env/A': '2' }, workspaces: [w1] })],
  ['delete-set', live, undefined],
  ['delete-variable', live, aSet('a', { variables: { 'env/H': secret }, workspaces: [w1] })],
  ['assign', anObserved('1', 'a'), aSet('a', { workspaces: [w1, w2], projects: [] })],
  ['unassign', anObserved('1', 'a', { workspaces: [w1, w2] }), aSet('a', { workspaces: [] })],
]

const rewritten = aSet('a', {
  variables: { 'env/A': '1', 'env/H': { value: secret, description: 'new' } },
  workspaces: [w1],
})

/** The service is read after an ambiguous write, and only missing parts are sent again (docs/fault-model.md 8.1). */
const LOST: readonly Row[] = [
  ...pairs.flatMap(([name, observed, wanted]) => {
    const repeatable = !['create-set', 'create-variable'].includes(name)
    const states = { repeatable, ...(observed && { live: observed }), ...(wanted && { wanted }) }
    return [
      { name: `${name} lost before`, ...states, strike: before, writes: 2, told: 'succeeded' },
      { name: `${name} lost after`, ...states, strike: after, writes: 1, told: 'succeeded' },
    ]
  }),
  { name: 'a secret lost before', live, wanted: rewritten, strike: before, writes: 2, told: 'succeeded' },
  { name: 'a secret lost after', live, wanted: rewritten, strike: after, writes: 2, told: 'succeeded' },
  {
    name: 'two sets with the name',
    wanted: aSet('a'),
    strike: twice,
    profile: { duplicates: 'second' },
    writes: 1,
    told: 'unknown',
  },
  {
    name: 'two variables with the key',
    live: anObserved('1', 'a'),
    wanted: aSet('a', { variables: { 'env/A': '1' } }),
    strike: twice,
    profile: { duplicates: 'second' },
    writes: 1,
    told: 'unknown',
    message: expect.stringMatching(/^"a" now has 2 variables env\/A: var-\w+, var-\w+$/),
  },
  {
    name: 'a set that never arrives',
    wanted: aSet('a'),
    strike: before,
    every: true,
    writes: 3,
    told: 'unknown',
  },
  {
    name: 'a set that differs from what was sent',
    wanted: aSet('a'),
    strike: differently,
    writes: 1,
    told: 'unknown',
    message: 'lost; a set named "a" exists and differs from what was sent',
  },
  {
    name: 'a set of another owner with the name',
    wanted: aSet('a'),
    strike: inProject,
    writes: 1,
    told: 'unknown',
    message: 'lost; a set named "a" exists and differs from what was sent',
  },
  {
    name: 'a set that arrived, as is seen after the user stopped the run',
    wanted: aSet('a'),
    strike: after,
    stops: true,
    writes: 1,
    told: 'succeeded',
  },
  {
    name: 'a set that had not arrived when the user stopped the run',
    wanted: aSet('a'),
    strike: before,
    stops: true,
    writes: 1,
    told: 'unknown',
    message: 'lost; the run was interrupted before the service was read back',
  },
  {
    name: 'a variable of a set that is gone',
    live,
    wanted: aSet('a', { variables: { ...same, 'env/A': '2' }, workspaces: [w1] }),
    strike: gone,
    writes: 1,
    told: 'unknown',
    message: 'lost',
  },
  {
    name: 'a set of which a part was created',
    wanted: aSet('a', { variables: { 'env/B': '2', 'env/C': '3' }, workspaces: [w1] }),
    strike: partly,
    writes: 2,
    told: 'succeeded',
    lastBody: '"key":"C"',
  },
  ...(['assign', 'unassign'] as const).map(type => ({
    name: `${type} that arrived partly`,
    live: anObserved('1', 'a', { workspaces: type === 'assign' ? [] : [w1, w2] }),
    wanted: aSet('a', { workspaces: type === 'assign' ? [w1, w2] : [] }),
    strike: partly,
    writes: 2,
    told: 'succeeded',
  })),
]

const PAGE = '<!DOCTYPE html><title>Sign in</title>'

/** The write is not executed, and the response is about another set. */
const aboutAnother: Strike = async () => ({
  status: 200,
  headers: { 'content-type': 'application/vnd.api+json' },
  body: JSON.stringify({
    data: {
      id: 'varset-9',
      type: 'varsets',
      attributes: { name: 'another', description: '', global: false, priority: false },
    },
  }),
})

/** A refusal counts at once. A 404 does not prove a delete, and a page of a proxy proves nothing. */
const REFUSED: readonly Row[] = [
  { name: 'delete-set 404', live, strike: answered(404), writes: 1, told: 'unknown' },
  {
    name: 'delete-variable 404',
    live,
    wanted: aSet('a', { variables: { 'env/H': secret }, workspaces: [w1] }),
    strike: answered(404),
    writes: 1,
    told: 'unknown',
  },
  {
    name: 'update-variable 422',
    live,
    wanted: aSet('a', { variables: { ...same, 'env/A': '2' }, workspaces: [w1] }),
    strike: answered(422),
    writes: 1,
    told: 'failed',
  },
  {
    name: 'create-set with a response about another set',
    wanted: aSet('a'),
    strike: aboutAnother,
    writes: 2,
    told: 'succeeded',
  },
  {
    name: 'assign with a page as response',
    live: anObserved('1', 'a'),
    wanted: aSet('a', { workspaces: [w1] }),
    strike: answered(200, PAGE),
    writes: 2,
    told: 'succeeded',
  },
  {
    name: 'delete-set with a page as response',
    live,
    strike: answered(200, PAGE),
    writes: 2,
    told: 'succeeded',
  },
]

async function play({ live: seen, wanted, strike, every, stops, profile }: Row) {
  let isFirst = true
  const user = new AbortController()
  const waits: number[] = []
  const world = await aWorld(seen === undefined ? [] : [seedFrom(seen)], {
    ...(profile && { profile }),
    between: next => (request, signal) => {
      if (request.method === 'GET' && stops && !isFirst) user.abort()
      if (request.method === 'GET' || !isFirst) return next(request, signal)
      isFirst = every === true
      return strike(request, next)
    },
  })
  const files = wanted === undefined ? aDesiredState() : aDesiredState(wanted)
  const removed = wanted === undefined ? [{ name: 'a', source: SOMEWHERE }] : []
  const { steps } = planOf({ ...files, removed }, await observe(world.reader, 'acme'))
  const execute = executeWith({
    reader: world.reader,
    writer: world.writer(),
    organization: 'acme',
    secrets: new Map([['S', new Secret('text')]]),
    known: new Set(['varset-9']),
    answers: new Map(),
    retriesExhausted: () => false,
    stop: user.signal,
    sleep: async ms => void waits.push(ms),
  })
  const outcomes: StepOutcome[] = []
  for (const step of steps) outcomes.push((await execute(step)).outcome)
  const { variables = [], workspaces = [] } = world.sandbox.snapshot().sets?.[0] ?? {}
  return {
    told: outcomes.map(({ status }) => status),
    messages: outcomes.map(outcome => ('message' in outcome ? outcome.message : undefined)),
    writes: world.log.filter(({ method }) => method !== 'GET'),
    keys: variables.map(({ category, key }) => `${category}/${key}`),
    workspaces: [...workspaces].sort(),
    waits,
  }
}

async function check(row: Row): Promise<void> {
  const { told, messages, writes, keys, workspaces } = await play(row)
  if (row.message !== undefined) expect(messages).toEqual([row.message])
  expect([told, writes.length]).toEqual([[row.told], row.writes])
  if (row.repeatable !== undefined) expect(writes[0]?.repeatable).toBe(row.repeatable)
  if (row.lastBody !== undefined) expect(writes.at(-1)?.body).toContain(row.lastBody)
  if (row.told === 'succeeded' && row.wanted?.workspaces !== undefined)
    expect(workspaces).toEqual(row.wanted.workspaces)
  if (row.profile?.duplicates === undefined) expect(keys).toEqual([...new Set(keys)])
}

describe('a write whose response is lost', () => {
  test.each(LOST)('$name', check)
})

test.each([
  ['create-set', undefined, aSet('a'), [200, 500, 1_000, 2_300]],
  ['update-set', anObserved('1', 'a'), aSet('a', { priority: true }), [200, 800]],
] as const)(
  'before %s is sent again, the service is read after these milliseconds',
  async (name, live, wanted, waits) => {
    const played = await play({
      ...{ name, wanted, strike: before, every: true, writes: 3, told: 'unknown' },
      ...(live && { live }),
    })
    expect([played.told, played.waits]).toEqual([['unknown'], [...waits, ...waits, ...waits]])
  },
)

describe('a write that is refused, or whose response proves nothing', () => {
  test.each(REFUSED)('$name', check)
})
