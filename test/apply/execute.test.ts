import { expect, test } from 'vitest'
import { openClient } from '../../src/api/client.ts'
import { createReader } from '../../src/api/reader.ts'
import { createWriter } from '../../src/api/writer.ts'
import { executeWith } from '../../src/apply/execute.ts'
import { applySteps } from '../../src/apply/schedule.ts'
import type { Transport } from '../../src/wire/transport.ts'
import { virtualTime } from '../api/live.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const { steps } = planOf(aDesiredState(aSet('a'), aSet('b'), aSet('c')), anObservedState())

/** A run without secrets, before its first response. */
const nothingKnown = () => ({ organization: 'acme', secrets: new Map(), answers: new Map() })

/** All three creates at once, over a connection that sends one request per second. */
async function applied(network: Transport, stop = new AbortController().signal) {
  let left = 0
  const timing = virtualTime()
  const counted: Transport = (request, signal) => {
    left++
    return network(request, signal)
  }
  const line = openClient(counted, { timing, rate: 1, stop })
  const execute = executeWith({
    reader: createReader(line.reading),
    writer: createWriter(line.transport),
    ...nothingKnown(),
    retriesExhausted: line.isExhausted,
    stop,
    sleep: timing.sleep,
  })
  const { results, stopped } = await applySteps(steps, execute, {
    concurrency: 3,
    stop,
    failFast: false,
  })
  return { left, stopped, outcomes: results.map(({ outcome }) => outcome) }
}

const SKIPPED = { status: 'skipped', because: 'stopped' }

test('a request that is queued when the token is refused is not sent, and is reported as skipped', {
  tags: ['F-14'],
}, async () => {
  const refused = await applied(async () => ({ status: 401, headers: {}, body: '' }))
  expect(refused).toEqual({
    left: 1,
    stopped: 'the service refused the token',
    outcomes: [
      {
        // No later read can show whether it was carried out.
        status: 'unknown',
        message: 'POST /api/v2/organizations/acme/varsets: the token is not valid (401)',
      },
      SKIPPED,
      SKIPPED,
    ],
  })
})

test('a request that is queued when the user stops the run is not sent, and is reported as skipped', async () => {
  const stop = new AbortController()
  const interrupted = await applied(async () => {
    stop.abort()
    return { status: 422, headers: {}, body: '' }
  }, stop.signal)
  expect(interrupted).toEqual({
    left: 1,
    stopped: 'interrupted',
    outcomes: [
      {
        status: 'failed',
        message: 'POST /api/v2/organizations/acme/varsets: the service responded with 422',
      },
      SKIPPED,
      SKIPPED,
    ],
  })
})

test('a 404 to a write is the failure of its step, and nothing is asked about it', async () => {
  const observed = anObservedState(anObserved('1', 'a'))
  const [step] = planOf(aDesiredState(aSet('a', { priority: true })), observed).steps
  if (step === undefined) throw new Error('there is no step')
  const sent: string[] = []
  const transport: Transport = async ({ method }) => {
    sent.push(method)
    return { status: 404, headers: {}, body: '' }
  }
  const { outcome, stops, cause } = await executeWith({
    reader: createReader(transport),
    writer: createWriter(transport),
    ...nothingKnown(),
    retriesExhausted: () => false,
    stop: new AbortController().signal,
    sleep: async () => {},
  })(step)
  expect([outcome.status, stops, cause, sent]).toEqual(['failed', undefined, undefined, ['PATCH']])
})
