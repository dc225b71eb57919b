import { describe, expect, test } from 'vitest'
import { openClient } from '../../src/api/client.ts'
import { observe } from '../../src/api/observe.ts'
import { createReader } from '../../src/api/reader.ts'
import { createWriter } from '../../src/api/writer.ts'
import type { ApplyResult } from '../../src/apply/outcome.ts'
import { carryOut } from '../../src/run/apply.ts'
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts'
import { type ApiRequest, type Transport, TransportError } from '../../src/wire/transport.ts'
import { VirtualTime } from '../proof/schedules/time.ts'
import { OPTIONS } from '../support/plans.ts'
import { planFrom } from '../support/prepare.ts'
import { aDesiredState, anObserved, aSet, SOMEWHERE } from '../support/states.ts'
import { PROJECTS, seedFrom, WORKSPACES } from '../support/world.ts'

/** Milliseconds that `run-program.ts` waits after the first signal. */
const PATIENCE = 5_000

const FILES = {
  ...aDesiredState(
    aSet('a', { description: 'new', variables: { 'env/A': '2', 'env/N': '1', 'env/M': '1' } }),
    ...['b', 'c', 'd', 'e'].map(name =>
      aSet(name, { variables: { 'env/A': '1' }, workspaces: [WORKSPACES[0]] }),
    ),
  ),
  removed: ['x', 'y'].map(name => ({ name, source: SOMEWHERE })),
}
const LIVE = [
  anObserved('1', 'a', { variables: { 'env/A': '1', 'env/O': '1' }, workspaces: [WORKSPACES[1]] }),
  anObserved('2', 'x'),
  anObserved('3', 'y'),
]

type Manner = 'answered' | 'stalled' | 'failing'

interface Interrupted {
  readonly result: ApplyResult | undefined
  readonly requests: readonly ApiRequest[]
  /** Requests that were sent after the signal. */
  readonly late: readonly ApiRequest[]
  /** Milliseconds from the signal to the end of the run. */
  readonly took: number
  readonly sandbox: Sandbox
}

/** An apply in virtual time. The signal comes with request number `at`; then the service behaves as `manner` says. */
async function interrupted(at: number, manner: Manner, concurrency: number): Promise<Interrupted> {
  const sandbox = await createSandbox({
    seed: {
      organizations: [{ name: 'acme' }],
      projects: PROJECTS.map((id, i) => ({ id, name: `p${i}` })),
      workspaces: WORKSPACES.map((id, i) => ({ id, name: `w${i}`, project: 'p0' })),
      sets: LIVE.map(seedFrom),
    },
  })
  const time = new VirtualTime(at)
  const stop = new AbortController()
  const abandon = new AbortController()
  const requests: ApiRequest[] = []
  const late: ApiRequest[] = []
  let signalled = 0
  const network: Transport = (request, signal) =>
    new Promise((answer, fail) => {
      requests.push(request)
      if (stop.signal.aborted) late.push(request)
      const giveUp = () => fail(new TransportError('given up', { sent: 'maybe', code: 'ABORTED' }))
      if (signal?.aborted) return giveUp()
      signal?.addEventListener('abort', giveUp)
      time.after(5 + time.pick(20), () => {
        if (requests.indexOf(request) === at && !stop.signal.aborted) {
          signalled = time.now()
          stop.abort()
          time.after(PATIENCE, () => abandon.abort())
        }
        if (stop.signal.aborted && manner === 'stalled') return
        if (stop.signal.aborted && manner === 'failing') {
          signal?.removeEventListener('abort', giveUp)
          return answer({ status: 503, headers: {}, body: '' })
        }
        signal?.removeEventListener('abort', giveUp)
        const headers = { ...request.headers, authorization: `Bearer ${sandbox.token}` }
        sandbox.transport({ ...request, headers }).then(answer, fail)
      })
    })
  const { now, sleep, random } = time
  const line = openClient(network, { timing: { now, sleep, random }, stop: stop.signal })
  const reader = createReader(line.reading)
  const service = {
    address: OPTIONS.address,
    reader,
    writer: (signal?: AbortSignal) => createWriter(line.transport, {}, signal),
    requests: line.counts,
    retriesExhausted: line.isExhausted,
  }
  const apply = async (): Promise<ApplyResult | undefined> => {
    const observed = await observe(reader.until(abandon.signal), 'acme')
    const { value: made } = planFrom(FILES, observed, OPTIONS)
    if (made === undefined || stop.signal.aborted) return undefined
    const run = { made, service, stop: stop.signal, abandon: abandon.signal, sleep }
    return (await carryOut({ ...run, secrets: () => undefined, concurrency, failFast: false })).result
  }
  let end: { readonly result: ApplyResult | undefined } | undefined
  apply().then(
    result => {
      end = { result }
    },
    () => {
      end = { result: undefined }
    },
  )
  await time.drive(() => end !== undefined)
  return { result: end?.result, requests, late, took: time.now() - signalled, sandbox }
}

const isWrite = ({ method }: ApiRequest): boolean => method !== 'GET'
const LENGTH = (await interrupted(Number.POSITIVE_INFINITY, 'answered', 1)).requests.length

describe.each(['answered', 'stalled', 'failing'] as const)('if requests after a signal are %s', manner => {
  test.each([1, 4])(
    'an apply with concurrency %i ends in time and sends no new write, whichever request the signal comes with',
    { tags: ['F-22'] },
    async concurrency => {
      const exits: (number | undefined)[] = []
      for (let at = 0; at < LENGTH; at++) {
        const { result, late, took, sandbox } = await interrupted(at, manner, concurrency)
        expect([at, late.filter(isWrite)]).toEqual([at, []])
        expect([at, took <= PATIENCE + 500]).toEqual([at, true])
        exits.push(result?.exitCode)
        if (result !== undefined) expect([at, ...wrongOutcomesIn(result, sandbox)]).toEqual([at])
        await sandbox.close()
      }
      expect(exits).not.toContain(0)
      expect(exits.filter(code => code === 3).length).toBeGreaterThan(LENGTH / 2)
    },
  )
})

/** Steps whose reported outcome contradicts the service. */
function wrongOutcomesIn({ results }: ApplyResult, sandbox: Sandbox): string[] {
  const names = new Set(sandbox.snapshot().sets?.map(({ name }) => name))
  return results.flatMap(({ step: { id, operation }, outcome: { status } }) => {
    if (operation.type !== 'create-set' && operation.type !== 'delete-set') return []
    const isDone = names.has(operation.subject.name) === (operation.type === 'create-set')
    const isReportedDone = status === 'succeeded'
    return status === 'unknown' || isDone === isReportedDone ? [] : [`${id} is ${status}`]
  })
}

test('the test interrupts more than ten requests', () => {
  expect(LENGTH).toBeGreaterThan(10)
})
