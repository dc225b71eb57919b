import { describe, expect, test } from 'vitest'
import type { ApplyResult } from '../../src/apply/outcome.ts'
import type { DesiredValue, ResolvedSet, ResolvedState } from '../../src/model/variable-set.ts'
import { renderers } from '../../src/report/index.ts'
import {
  type ApiRequest,
  type ApiResponse,
  type Transport,
  TransportError,
} from '../../src/wire/transport.ts'
import { appliedIn, preparedIn } from '../support/round.ts'
import { aDesiredState, anObserved, aSet } from '../support/states.ts'
import { aWorld, seedFrom, type World } from '../support/world.ts'

const owned = (owner: string, ...sets: readonly ResolvedSet[]): ResolvedState => ({
  ...aDesiredState(...sets),
  owner,
})
const plain = { secret: { name: 'S' } }
const versioned = { secret: { name: 'S', version: '1' } }
const A = owned('team', aSet('a', { variables: { 'env/X': '1' } }))

/** `waited`: milliseconds that the run has slept. */
type Between = (
  request: ApiRequest,
  next: () => Promise<ApiResponse>,
  waited: number,
  world: World,
) => Promise<ApiResponse>

async function aPlace(between: Between, sets: Parameters<typeof aWorld>[0] = []) {
  const is: { waited: number; world?: World } = { waited: 0 }
  const world = await aWorld(sets, {
    between:
      (next: Transport): Transport =>
      (request, signal) =>
        is.world === undefined
          ? next(request, signal)
          : between(request, () => next(request, signal), is.waited, is.world),
  })
  is.world = world
  const sleep = async (milliseconds: number): Promise<void> => {
    is.waited += milliseconds
  }
  return {
    world,
    apply: (files: ResolvedState): Promise<ApplyResult> => appliedIn(world, files, {}, { sleep }),
    plan: async (files: ResolvedState) => (await preparedIn(world, files)).plan,
  }
}

/** The names of the sets in each inventory. */
function inventoriesIn({ sandbox }: World): string[] {
  const sets = sandbox.snapshot().sets ?? []
  const nameOf = (id: string) => sets.find(set => set.id === id)?.name ?? id
  return sets
    .filter(({ name }) => name.startsWith('setpoint-inventory-'))
    .map(
      ({ name, variables = [] }) =>
        `${name}: ${variables
          .map(({ key }) => nameOf(key))
          .sort()
          .join(', ')}`,
    )
    .sort()
}

const isCreation = ({ method, path }: ApiRequest): boolean => method === 'POST' && path.endsWith('/varsets')
const isOfInventory = ({ body = '' }: ApiRequest): boolean => body.includes('setpoint-inventory-')
const CUT = new TransportError('cut', { sent: 'maybe', code: 'ECONNRESET' })

/** The response of the first write of a set is lost, and no read works for as long as the service is read back after it. */
function unread(is: (request: ApiRequest) => boolean): Between {
  let since: number | undefined
  return async (request, next, waited) => {
    if (since === undefined && is(request) && !isOfInventory(request)) {
      since = waited
      await next()
      throw CUT
    }
    const isDown = since !== undefined && waited - since < 1 && request.method === 'GET'
    if (!isDown) return await next()
    since = -1_000
    throw CUT
  }
}

describe('what only the closing read confirmed', () => {
  test('is recorded: a set whose creation was never answered', { tags: ['F-12'] }, async () => {
    const place = await aPlace(unread(isCreation))
    const { exitCode, results, inventory } = await place.apply(A)
    expect([exitCode, results[0]?.outcome.status, inventory]).toEqual([
      0,
      'succeeded',
      { state: 'written', requests: 1 },
    ])
    expect(results[0]?.outcome).toMatchObject({ note: expect.stringContaining('the closing read shows') })
    expect(inventoriesIn(place.world)).toEqual(['setpoint-inventory-team: a'])
    const { steps, facts } = await place.plan(A)
    expect([steps, facts.inventory.adopted, facts.inventory.requests]).toEqual([[], [], 0])
  })

  test('is recorded without its secrets: nobody knows whose value arrived, so a version is sent again', async () => {
    const files = (value: DesiredValue) => owned('team', aSet('a', { variables: { 'env/X': { value } } }))
    const place = await aPlace(unread(isCreation))
    const { exitCode, closing } = await place.apply(files(versioned))
    expect([exitCode, closing.state]).toEqual([3, 'differs'])
    expect(inventoriesIn(place.world)).toEqual(['setpoint-inventory-team: a'])
    expect((await place.plan(files(versioned))).steps.map(({ id }) => id)).toEqual([
      'update-variable a env/X',
    ])
    expect((await place.apply(files(versioned))).exitCode).toBe(0)
    const other = await aPlace(unread(isCreation))
    expect((await other.apply(files(plain))).exitCode).toBe(0)
    const { steps, diagnostics } = await other.plan(files(plain))
    expect([steps, diagnostics.map(({ code }) => code)]).toEqual([[], ['not-sent']])
  })

  test('is recorded: a change of a set that is listed already', { tags: ['F-12'] }, async () => {
    let isOn = false
    const lose = unread(({ method }) => method === 'PATCH')
    const place = await aPlace((request, next, ...more) => (isOn ? lose(request, next, ...more) : next()))
    await place.apply(A)
    isOn = true
    const files = owned('team', aSet('a', { priority: true, variables: { 'env/X': '1' } }))
    expect((await place.apply(files)).exitCode).toBe(0)
    expect((await place.plan(files)).facts.inventory.requests).toBe(0)
  })

  test('is recorded: a set that another apply of this owner made at the same time', async () => {
    const place = await aPlace(async (request, next) => {
      if (isCreation(request) && !isOfInventory(request)) await next()
      return await next()
    })
    const { exitCode, results } = await place.apply(A)
    expect([exitCode, results[0]?.outcome.status]).toEqual([0, 'succeeded'])
    expect(inventoriesIn(place.world)).toEqual(['setpoint-inventory-team: a'])
  })

  test('and another owner lists by then, is not recorded, and the apply ends with 3', async () => {
    let isMade = false
    const place = await aPlace(async (request, next, _, world) => {
      if (isCreation(request) && !isOfInventory(request) && !isMade) {
        isMade = true
        expect((await appliedIn(world, { ...A, owner: 'other' })).exitCode).toBe(0)
      }
      return await next()
    })
    const result = await place.apply(A)
    expect([result.exitCode, result.inventory]).toMatchObject([
      3,
      { message: '"a" was created at the same time by "other", whose inventory lists it' },
    ])
    expect(inventoriesIn(place.world)).toEqual(['setpoint-inventory-other: a'])
  })

  test('and whose record is refused, ends with 3, and the next apply records it', async () => {
    let isRefusing = true
    const lose = unread(isCreation)
    const place = await aPlace(async (request, next, ...more) =>
      isRefusing && isCreation(request) && isOfInventory(request)
        ? { status: 422, headers: {}, body: '{"errors":[]}' }
        : await lose(request, next, ...more),
    )
    const { exitCode, inventory, closing } = await place.apply(A)
    expect([exitCode, inventory?.state, closing.state]).toEqual([3, 'failed', 'equal'])
    isRefusing = false
    expect((await place.apply(A)).exitCode).toBe(0)
    expect(inventoriesIn(place.world)).toEqual(['setpoint-inventory-team: a'])
  })
})

describe('an operation that was not in the plan', () => {
  const text = (result: ApplyResult): string => renderers.text({ kind: 'apply', result }, { color: false })
  const sets = [
    seedFrom(anObserved('1', 'a', { variables: { 'env/X': '0' } })),
    seedFrom(anObserved('2', 'b', { variables: { 'env/X': '0' } })),
  ]
  const both = aDesiredState(
    aSet('a', { variables: { 'env/X': '1' } }),
    aSet('b', { variables: { 'env/X': '0' } }),
  )

  /** Somebody changes the other set while this apply writes. */
  const meddling: Between = async (request, next, _, world) => {
    if (request.method === 'PATCH' && request.path.includes('varset-1'))
      await appliedIn(world, aDesiredState(aSet('b', { variables: { 'env/X': '9' } })))
    return await next()
  }

  test('is never something to run again: the report says whose it is not, and what to do', async () => {
    const result = await (await aPlace(meddling, sets)).apply({ ...both, owner: 'team' })
    expect(result.exitCode).toBe(3)
    const shown = text(result)
    expect(shown).toContain('The closing read shows 1 operation that this plan did not have: b\n')
    expect(shown).toContain('Next: plan again, review what is left, then apply it\n')
    expect(shown).not.toMatch(/same apply again|still to do/)
  })

  test('also if an operation of the plan is left', async () => {
    const place = await aPlace(
      async (request, next, ...more) => {
        const answer = await meddling(request, next, ...more)
        return request.method === 'PATCH' && request.path.includes('varset-1')
          ? { status: 422, headers: {}, body: '{"errors":[]}' }
          : answer
      },
      [...sets, seedFrom(anObserved('3', 'c'))],
    )
    const files = owned('team', ...both.sets, aSet('c', { priority: true }))
    const shown = text(await place.apply(files))
    expect(shown).toContain('that this plan did not have: b')
    expect(shown).toMatch(/Next: .*plan again, review what is left, then apply it\n/)
    expect(shown).not.toContain('same apply again')
  })

  test('but a part of an operation of the plan is', async () => {
    const place = await aPlace(async (request, next) =>
      isCreation(request) && !isOfInventory(request)
        ? { status: 422, headers: {}, body: '{"errors":[]}' }
        : await next(),
    )
    const shown = text(await place.apply(A))
    expect(shown).not.toContain('that this plan did not have')
  })
})

test('an inventory that the user stops is not written any further, and the outcome says so', async () => {
  const user = new AbortController()
  const inventory = { id: 'varset-9', name: 'setpoint-inventory-team' }
  const writes: string[] = []
  const world = await aWorld([inventory], {
    between: next => async (request, signal) => {
      if (request.method !== 'GET' && request.path.includes(inventory.id)) {
        writes.push(request.path)
        user.abort()
      }
      return await next(request, signal)
    },
  })
  const result = await appliedIn(world, owned('team', aSet('a'), aSet('b')), {}, { stop: user.signal })
  expect([writes.length, result.inventory]).toEqual([
    1,
    expect.objectContaining({ state: 'failed', message: 'interrupted before it was complete' }),
  ])
})
