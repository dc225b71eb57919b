import { observe } from '../../../../src/api/observe.ts'
import type { ApplyResult, Execute, StepOutcome } from '../../../../src/apply/outcome.ts'
import { applySteps } from '../../../../src/apply/schedule.ts'
import { Secret } from '../../../../src/model/secret.ts'
import type { ResolvedSet, ResolvedState } from '../../../../src/model/variable-set.ts'
import { applyPrepared } from '../../../../src/run/apply-prepared.ts'
import { exitCodeOfApply } from '../../../../src/run/exit-codes.ts'
import type { Profile, SetSeed } from '../../../../src/sandbox/index.ts'
import type { ApiRequest, ApiResponse, Transport } from '../../../../src/wire/transport.ts'
import { planOf } from '../../../support/plans.ts'
import { NEVER, plannedIn, UNDISTURBED } from '../../../support/round.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../../../support/states.ts'
import { aWorld, seedFrom, WORKSPACES } from '../../../support/world.ts'
import { differing, type Probe } from './probe.ts'

type Between = (request: ApiRequest, next: Transport) => Promise<ApiResponse>

async function applied(
  files: ResolvedState,
  sets: readonly SetSeed[],
  between: Between = (request, next) => next(request),
  profile: Partial<Profile> = {},
  rewrite: readonly string[] = [],
): Promise<ApplyResult | undefined> {
  const world = await aWorld(sets, { profile, between: next => request => between(request, next) })
  const { prepared } = await plannedIn(world, files, { rewrite })
  if (prepared === undefined) return undefined
  const secrets = (name: string) => (name === 'S' ? new Secret('text') : undefined)
  return (await applyPrepared({ prepared, ...UNDISTURBED, service: world, secrets })).result
}

/** A delete gets a 404 and is not executed; from then on, lists omit the set. */
function hidden(): Between {
  let isHidden = false
  return async (request, next) => {
    if (request.method === 'DELETE') {
      isHidden = true
      return { status: 404, headers: {}, body: '' }
    }
    const response = await next(request)
    if (!isHidden || !request.path.endsWith('/varsets')) return response
    const body = JSON.parse(response.body)
    body.data = body.data.filter((set: { attributes: { name: string } }) => set.attributes.name !== 'x')
    body.meta.pagination['total-count'] = body.data.length
    return { ...response, body: JSON.stringify(body) }
  }
}

/** A service that creates a set and ignores its variables. */
const ignoring: Between = (request, next) => {
  if (request.method !== 'POST' || !request.path.endsWith('/varsets')) return next(request)
  if (request.body === undefined) return next(request)
  const { data } = JSON.parse(request.body)
  const { relationships: _, ...rest } = data
  return next({ ...request, body: JSON.stringify({ data: rest }) })
}

/** After the first write, every read gets a 404. */
function unreadable(): Between {
  let isBlind = false
  return async (request, next) => {
    isBlind ||= request.method !== 'GET'
    return isBlind && request.method === 'GET' ? { status: 404, headers: {}, body: '' } : await next(request)
  }
}

/** A delete gets a success and is not executed. */
const promising: Between = async (request, next) =>
  request.method === 'DELETE' ? { status: 204, headers: {}, body: '' } : await next(request)

/** The response to an update shows the changed variable, but the update is not executed. */
const echoing: Between = async (request, next) => {
  const [list = '', id] = request.path.split(/\/(?=var-)/)
  if (request.method !== 'PATCH' || id === undefined) return await next(request)
  const { body: _, ...rest } = request
  const response = await next({ ...rest, method: 'GET', path: list })
  const { data } = JSON.parse(response.body) as { data: { id: string }[] }
  return { ...response, body: JSON.stringify({ data: data.find(one => one.id === id) }) }
}

/** A new set for our inventory gets a success that shows everything, and is gone at once. */
const forgetting: Between = async (request, next) => {
  const response = await next(request)
  const { data } = request.body === undefined ? { data: {} } : JSON.parse(request.body)
  if (!String(data.attributes?.name).startsWith('setpoint-inventory-')) return response
  const { id } = JSON.parse(response.body).data
  await next({ method: 'DELETE', path: `/api/v2/varsets/${id}`, headers: request.headers })
  return response
}

/** Every write with this method is refused. */
const refusing =
  (method: string): Between =>
  async (request, next) =>
    request.method === method
      ? { status: 422, headers: {}, body: '{"errors":[{"status":"422","title":"invalid"}]}' }
      : await next(request)

/** Reads always show the state before the first write. */
function frozen(): Between {
  const before = new Map<string, ApiResponse>()
  let isFrozen = false
  const ask = { method: 'GET', path: '/api/v2/varsets/varset-1', query: { include: 'vars' } } as const
  return async (request, next) => {
    if (request.method === 'GET') {
      const known = before.get(request.path)
      if (isFrozen && known !== undefined) return known
      const response = await next(request)
      before.set(request.path, response)
      return response
    }
    if (!isFrozen) before.set(ask.path, await next({ ...ask, headers: request.headers }))
    isFrozen = true
    return await next(request)
  }
}

const done: StepOutcome = { status: 'succeeded' }
const NONE = { state: 'none', requests: 0 } as const

function exitCode(outcome: StepOutcome, closing: 'equal' | 'differs' | 'unread'): number {
  const plan = planOf(aDesiredState(aSet('a')), anObservedState())
  const results = plan.steps.map(step => ({ step, outcome }))
  const states = {
    equal: { state: 'equal' },
    differs: { state: 'differs', remaining: plan },
    unread: { state: 'unread', message: 'no' },
  } as const
  return exitCodeOfApply(
    { plan, results, requests: { reads: 1, writes: 1 }, closing: states[closing], inventory: NONE },
    false,
  )
}

/** Only the closing read proves success. */
export const closing: Probe = async () => {
  const removing = { ...aDesiredState(aSet('a')), removed: [{ name: 'x', source: SOMEWHERE }] }
  const two = [seedFrom(anObserved('1', 'a')), seedFrom(anObserved('2', 'x'))]
  const adding = aDesiredState(aSet('a', { variables: { 'env/A': '1', 'env/B': '2' } }))
  const hiding = [seedFrom(anObserved('1', 'a', { variables: { 'env/S': { hidden: true } } }))]
  const rewriting = aDesiredState(aSet('a', { variables: { 'env/S': { secret: { name: 'S' } } } }))
  const one = aDesiredState(aSet('a', { variables: { 'env/A': '1' } }))
  const doubling = { duplicateVariable: 'second' } as const
  let made = 0
  const counting =
    (between: Between): Between =>
    (request, next) => {
      if (request.method === 'POST') made++
      return between(request, next)
    }
  return [
    ...differing('done and equal', 0, exitCode(done, 'equal')),
    ...differing('done and different', 3, exitCode(done, 'differs')),
    ...differing('done and not read', 3, exitCode(done, 'unread')),
    ...differing('failed', 1, exitCode({ status: 'failed', message: 'no' }, 'differs')),
    ...differing('a list that cannot be read', 3, (await applied(removing, two, unreadable()))?.exitCode),
    ...differing(
      'a delete that got a 204 and was not executed',
      ['unknown'],
      (await applied(removing, two, promising))?.results.map(({ outcome }) => outcome.status),
    ),
    ...differing('a hidden set', 3, (await applied(removing, two, hidden()))?.exitCode),
    ...differing(
      'a secret whose update was confirmed and not executed',
      3,
      (await applied(rewriting, hiding, echoing, {}, ['a']))?.exitCode,
    ),
    ...differing(
      'an inventory whose create was confirmed and not executed',
      3,
      (await applied({ ...one, owner: 'team' }, two.slice(0, 1), forgetting))?.exitCode,
    ),
    ...differing(
      'reads of an old state',
      3,
      (await applied(one, two.slice(0, 1), counting(frozen()), doubling))?.exitCode,
    ),
    ...differing('creates with reads of an old state', 1, made),
    ...differing('ignored variables', 0, (await applied(adding, [], ignoring))?.exitCode),
  ]
}

/** A step waits for its dependencies, and is skipped if one of them did not succeed. */
export const steps: Probe = async () => {
  const files = aDesiredState(
    aSet('a', { global: true, variables: {} }),
    aSet('b', { global: true, variables: { 'env/X': '1' } }),
  )
  const live = anObservedState(anObserved('1', 'a', { global: true, variables: { 'env/X': '1' } }))
  const started: string[] = []
  const execute: Execute = async ({ id }) => {
    started.push(id)
    return { outcome: { status: 'failed', message: 'no' } }
  }
  const options = { concurrency: 1, stop: NEVER, failFast: false }
  await applySteps(planOf(files, live).steps, execute, options)
  await applySteps(planOf(files, live).steps, execute, { ...options, stop: AbortSignal.abort() })
  return differing('started', ['delete-variable a env/X'], started)
}

/** If a list omits assignments or variables, they are requested separately. */
export const partialLists: Probe = async () => {
  const profiles: readonly Partial<Profile>[] = [
    { relationshipLists: 'truncated' },
    { includeVars: 'ignored' },
  ]
  const set = anObserved('1', 'a', { variables: { 'env/A': '1' }, workspaces: [...WORKSPACES] })
  const found: string[] = []
  for (const profile of profiles) {
    const world = await aWorld([seedFrom(set)], { profile })
    const [seen] = (await observe(world.reader, 'acme')).sets
    const counts = [seen?.workspaces.length, seen?.variables.length]
    found.push(...differing(JSON.stringify(profile), [WORKSPACES.length, 1], counts))
  }
  return found
}

/** Updates of sets, and deletes, take long, so that requests that do not wait for them overtake them. */
const slow: Between = async (request, next) => {
  const isOfSet = /varsets\/[^/]+$/.test(request.path) && request.method !== 'GET'
  const isSlow = isOfSet || request.method === 'DELETE'
  for (let turn = 0; isSlow && turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
  return await next(request)
}

/**
 * If global sets must not have assignments, these are added after a set stops being global, and removed before it becomes global.
 * A name is used after the other set has released it.
 */
export const slots: Probe = async () => {
  const profile: Partial<Profile> = { globalAssignments: 'refuse' }
  const [workspace] = WORKSPACES
  const assigned = { workspaces: [workspace] }
  // The first write of a run is sent alone, so it belongs to another set.
  const first = seedFrom(anObserved('9', 'A'))
  const leaving = [first, seedFrom(anObserved('1', 'a', { global: true }))]
  const becoming = [first, seedFrom(anObserved('1', 'a', assigned))]
  const files = (set: Partial<ResolvedSet>) =>
    aDesiredState(aSet('A', { description: 'new' }), { ...aSet('a'), ...set })
  const two = ['a', 'b'].map((name, i) => seedFrom(anObserved(`${i}`, name)))
  const inherited: ResolvedState = {
    ...aDesiredState(aSet('a', { id: 'varset-1' })),
    removed: [{ id: 'varset-0', source: SOMEWHERE }],
  }
  const statusesOf = async (set: ResolvedSet, seeds: readonly SetSeed[], between: Between) =>
    (await applied(aDesiredState(set), seeds.slice(1), between, profile))?.results.map(
      ({ outcome }) => outcome.status,
    )
  // Two, because the removal of the first secret is the first write.
  const hidden = { variables: { 'env/A': { hidden: true }, 'env/B': { hidden: true } } } as const
  const replaced = [first, seedFrom(anObserved('1', 'a', hidden))]
  const exitCodeFor = async (wanted: ResolvedState, sets: readonly SetSeed[]) =>
    (await applied(wanted, sets, slow, profile))?.exitCode
  return [
    ...differing('leaving global', 0, await exitCodeFor(files(assigned), leaving)),
    ...differing('becoming global', 0, await exitCodeFor(files({ global: true, workspaces: [] }), becoming)),
    ...differing('a name that is released first', 0, await exitCodeFor(inherited, two)),
    ...differing(
      'a variable that is replaced',
      0,
      await exitCodeFor(files(aSet('a', { variables: { 'env/A': '1', 'env/B': '2' } })), replaced),
    ),
    ...differing(
      'an assignment of a set that stays global',
      ['failed', 'skipped'],
      await statusesOf({ ...aSet('a'), ...assigned }, leaving, refusing('PATCH')),
    ),
    ...differing(
      'a set that stays assigned',
      ['failed', 'skipped'],
      await statusesOf({ ...aSet('a'), global: true, workspaces: [] }, becoming, refusing('DELETE')),
    ),
  ]
}
