import { describe, expect, test } from 'vitest'
import { completeCreated } from '../../src/apply/complete.ts'
import type { ResolvedState } from '../../src/model/variable-set.ts'
import type { ApiRequest, ApiResponse, Transport } from '../../src/wire/transport.ts'
import { planOf } from '../support/plans.ts'
import { appliedIn, NEVER } from '../support/round.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'
import { aWorld, PROJECTS, seedFrom, WORKSPACES, type World } from '../support/world.ts'

const [w1] = WORKSPACES
const KEPT = { 'env/KEEP': '1', 'env/MORE': '2' }
const base = anObserved('1', 'base', { variables: KEPT, workspaces: [w1] })
/** `base2` takes the place of `base`. */
const created = aDesiredState(aSet('base2', { variables: KEPT, workspaces: [w1] }))
const moved: ResolvedState = { ...created, removed: [{ name: 'base', source: SOMEWHERE }] }

const isCreate = ({ method, path }: ApiRequest): boolean =>
  method === 'POST' && path === '/api/v2/organizations/acme/varsets'

/** Removes relationships of a document, as a service does that accepts and ignores them. */
function without(text: string, names: readonly string[]): string {
  const document = JSON.parse(text)
  for (const name of names) document.data.relationships[name] = { data: [] }
  return JSON.stringify(document)
}

/** A service that ignores some relationships of a create. */
const ignoring =
  (...names: readonly string[]) =>
  (next: Transport): Transport =>
  request =>
    next(isCreate(request) ? { ...request, body: without(request.body ?? '', names) } : request)

/** A proxy that changes the response to a create. */
const answering =
  (change: (body: string) => string) =>
  (next: Transport): Transport =>
  async request => {
    const response: ApiResponse = await next(request)
    return isCreate(request) && response.status < 300
      ? { ...response, body: change(response.body) }
      : response
  }

const linesOf = ({ log }: World): string[] =>
  log
    .filter(({ method }) => method !== 'GET')
    .map(
      ({ method, path }) =>
        `${method} ${path.slice('/api/v2/'.length).replaceAll(/varset-\w+|var-\w+/g, '*')}`,
    )

const COMPLETED = [
  'POST organizations/acme/varsets',
  'POST varsets/*/relationships/vars',
  'POST varsets/*/relationships/vars',
  'POST varsets/*/relationships/workspaces',
]

describe('a created set of which the response shows less than was sent', () => {
  test('is completed in the same step, variables first, before its dependents start', async () => {
    const world = await aWorld([seedFrom(base)], { between: ignoring('vars', 'workspaces') })
    const { exitCode, results } = await appliedIn(world, moved)
    expect(linesOf(world)).toEqual([...COMPLETED, 'DELETE varsets/*'])
    expect({ exitCode, steps: results.map(({ outcome }) => outcome) }).toEqual({
      exitCode: 0,
      steps: [{ status: 'succeeded' }, { status: 'succeeded' }],
    })
  })
  test.each([
    ['vars', [...COMPLETED.slice(0, 3)]],
    ['workspaces', [COMPLETED[0], COMPLETED[3]]],
  ])('gets only what is missing: %s', async (name, lines) => {
    const world = await aWorld([], { between: ignoring(name) })
    expect((await appliedIn(world, created)).exitCode).toBe(0)
    expect(linesOf(world)).toEqual(lines)
  })
  test('takes one request on a service that carries out everything', async () => {
    const world = await aWorld([])
    await appliedIn(world, created)
    expect(linesOf(world)).toEqual(COMPLETED.slice(0, 1))
  })
  test('is read first, so that a response that was cut on its way leads to no double', async () => {
    const cut = answering(body => without(body, ['vars', 'workspaces']))
    const world = await aWorld([], { between: cut, profile: { duplicates: 'second' } })
    expect((await appliedIn(world, created)).exitCode).toBe(0)
    expect(linesOf(world)).toEqual(COMPLETED.slice(0, 1))
  })
  test('stays as it is after the user stopped the run, which says so', async () => {
    const user = new AbortController()
    const stopping = (next: Transport): Transport => {
      const inner = ignoring('vars', 'workspaces')(next)
      return async request => {
        if (isCreate(request)) user.abort()
        return await inner(request)
      }
    }
    const world = await aWorld([], { between: stopping })
    const { results } = await appliedIn(world, created, {}, { stop: user.signal })
    expect(results.map(({ outcome }) => outcome)).toEqual([
      {
        status: 'failed',
        message: 'the set was created, but not completely: the run stopped before all of it was sent',
      },
    ])
    expect(linesOf(world)).toEqual(COMPLETED.slice(0, 1))
  })
  test('keeps its dependents from starting if a part is refused, and the run says so', async () => {
    const refusing = (next: Transport): Transport => {
      const inner = ignoring('vars', 'workspaces')(next)
      return async request =>
        request.body?.includes('"key":"MORE"') === true && !isCreate(request)
          ? { status: 422, headers: {}, body: '{"errors":[{"detail":"no"}]}' }
          : await inner(request)
    }
    const world = await aWorld([seedFrom(base)], { between: refusing })
    const { exitCode, results } = await appliedIn(world, moved)
    expect(exitCode).toBe(3)
    expect(results.map(({ outcome }) => outcome)).toEqual([
      {
        status: 'failed',
        message: expect.stringMatching(/^the set was created, but not completely: POST .*422.*no/),
      },
      { status: 'skipped', because: 'create-set base2' },
    ])
    expect(linesOf(world)).toEqual(COMPLETED.slice(0, 3))
  })
})

describe('a created set of which the response shows other variables than were sent', () => {
  test.each([
    ['another key', (body: string) => body.replace('"KEEP"', '"OTHER"')],
    ['another value', (body: string) => body.replace('"value":"1"', '"value":"7"')],
  ])('is an error, and nothing is deleted: %s', async (_, change) => {
    // The read shows the same as the response.
    const sent = (next: Transport): Transport => {
      return request => next(isCreate(request) ? { ...request, body: change(request.body ?? '') } : request)
    }
    const world = await aWorld([seedFrom(base)], { between: sent })
    const { exitCode, results } = await appliedIn(world, moved)
    expect(exitCode).toBe(3)
    expect(results.map(({ outcome }) => outcome)).toEqual([
      {
        status: 'failed',
        message: expect.stringMatching(
          /^the set was created, but not completely: the service shows variables that differ from what was sent: env\/(?:OTHER|KEEP)$/,
        ),
      },
      { status: 'skipped', because: 'create-set base2' },
    ])
    expect(linesOf(world)).toEqual(COMPLETED.slice(0, 1))
  })
})

describe('a created set whose owner the response shows', () => {
  const here = aDesiredState(aSet('p', { parent: PROJECTS[0] }))
  const completed = async (shown: Parameters<typeof anObserved>[2]) => {
    const [step] = planOf(here, anObservedState()).steps
    if (step?.operation.type !== 'create-set') throw new TypeError('no set is created')
    const { reader } = await aWorld([])
    const looking = { reader, organization: 'acme', stop: NEVER, sleep: async () => {} }
    const deliver = () => Promise.reject(new TypeError('nothing is missing'))
    return await completeCreated(step.operation, anObserved('1', 'p', shown), deliver, looking)
  }
  test.each([
    ['as it was sent', { parent: PROJECTS[0] }],
    ['not at all', { ownerNotShown: true }],
  ] as const)('%s, is where it was to be', async (_, shown) => {
    expect(await completed(shown)).toEqual({ variables: [] })
  })
  test('as another one, is an error', async () => {
    const { failed } = await completed({})
    expect(failed).toMatchObject({
      outcome: {
        status: 'failed',
        message: expect.stringContaining(
          `the service shows that the organization owns it and not the project ${PROJECTS[0]}, so nothing more was sent`,
        ),
      },
      cause: 'files',
    })
  })
})

test('a lost response to a create that was carried out in part is completed', async () => {
  let isFirst = true
  const lost = (next: Transport): Transport => {
    const inner = ignoring('vars', 'workspaces')(next)
    return async request => {
      const response = await inner(request)
      if (!isCreate(request) || !isFirst) return response
      isFirst = false
      return { status: 200, headers: {}, body: '' }
    }
  }
  const world = await aWorld([seedFrom(base)], { between: lost })
  const { exitCode } = await appliedIn(world, moved)
  expect(linesOf(world)).toEqual([...COMPLETED, 'DELETE varsets/*'])
  expect(exitCode).toBe(0)
})
