import { describe, expect, test } from 'vitest'
import {
  createSandbox,
  type Fault,
  parseFaults,
  SeedError,
  withFaults,
  withLatency,
  withRateLimit,
} from '../../src/sandbox/index.ts'
import type { ApiRequest, Transport } from '../../src/wire/transport.ts'
import { MEDIA, setBody } from '../contract/subject.ts'

const NOW = new Date('2026-01-01T00:00:00.500Z')

async function world(fault: Fault) {
  const sandbox = await createSandbox({ now: () => NOW })
  const create: ApiRequest = {
    method: 'POST',
    path: '/api/v2/organizations/acme/varsets',
    headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': MEDIA },
    body: JSON.stringify(setBody({ name: 'a' })),
  }
  const faulty = withFaults(sandbox.transport, { at: { 0: fault } }, { now: () => NOW })
  return { sandbox, faulty, create, written: () => (sandbox.snapshot().sets ?? []).length }
}

/** What the client sees of the first request, and the number of executed writes. */
async function meet(fault: Fault) {
  const { faulty, create, written } = await world(fault)
  const seen = await faulty(create, fault.kind === 'stalled' ? AbortSignal.timeout(20) : undefined).then(
    ({ status, headers, body }) => ({ status, headers, body }),
    error => ({ name: error.name, sent: error.sent, code: error.code }),
  )
  return { seen, written: written() }
}

const lost = (code: string) => ({ name: 'TransportError', sent: 'maybe', code })
const page = expect.stringMatching(/^<!DOCTYPE html>/)

describe('a fault in process', () => {
  test('close rejects the request, before or after the service executes it', async () => {
    expect(await meet({ kind: 'close', commit: 'before' })).toEqual({ seen: lost('ECONNRESET'), written: 0 })
    expect(await meet({ kind: 'close', commit: 'after' })).toEqual({ seen: lost('ECONNRESET'), written: 1 })
  })

  test('too-many answers 429 in four forms, and the service does not execute the request', async () => {
    const headers = async (hint: 'seconds' | 'date' | 'reset' | 'silent') => {
      const { seen, written } = await meet({ kind: 'too-many', hint, wait: 1.25 })
      expect(written).toBe(0)
      expect(seen).toMatchObject({ status: 429, body: expect.stringContaining('Too many requests') })
      return 'headers' in seen ? seen.headers : {}
    }
    const plain = { 'content-type': MEDIA }
    expect(await headers('seconds')).toEqual({ ...plain, 'retry-after': '2' })
    expect(await headers('date')).toEqual({ ...plain, 'retry-after': 'Thu, 01 Jan 2026 00:00:02 GMT' })
    expect(await headers('reset')).toEqual({ ...plain, 'x-ratelimit-reset': '1.25' })
    expect(await headers('silent')).toEqual(plain)
  })

  test('error comes before or after the service executes the request, and 502 and 504 have an HTML body', async () => {
    for (const commit of ['before', 'after'] as const) {
      const written = commit === 'after' ? 1 : 0
      for (const status of [500, 503] as const) {
        const { seen, ...rest } = await meet({ kind: 'error', status, commit })
        expect(rest).toEqual({ written })
        expect(seen).toMatchObject({ status, headers: { 'content-type': MEDIA } })
      }
      for (const status of [502, 504] as const) {
        const { seen, ...rest } = await meet({ kind: 'error', status, commit })
        expect(rest).toEqual({ written })
        expect(seen).toMatchObject({ status, headers: { 'content-type': 'text/html' }, body: page })
      }
    }
  })

  test('html answers a page with 200, and empty an empty body with 200', async () => {
    const html = await meet({ kind: 'html', commit: 'before' })
    expect(html).toMatchObject({ seen: { status: 200, body: page }, written: 0 })
    expect(await meet({ kind: 'html', commit: 'after' })).toMatchObject({ written: 1 })
    expect(await meet({ kind: 'empty' })).toEqual({
      seen: { status: 200, headers: {}, body: '' },
      written: 1,
    })
  })

  test('truncated ends a body with an error, cut without one, and stalled never', async () => {
    expect(await meet({ kind: 'truncated' })).toEqual({ seen: lost('UND_ERR_SOCKET'), written: 1 })
    const cut = await meet({ kind: 'cut' })
    expect(cut).toMatchObject({ seen: { status: 200 }, written: 1 })
    expect(() => JSON.parse('body' in cut.seen ? cut.seen.body : '{}')).toThrow()
    expect(await meet({ kind: 'stalled' })).toEqual({ seen: lost('ABORT_ERR'), written: 1 })
  })

  test('a schedule hits the requests with the given numbers, counted among those that match', async () => {
    const { sandbox, create } = await world({ kind: 'empty' })
    const error: Fault = { kind: 'error', status: 500, commit: 'before' }
    const faulty = withFaults(sandbox.transport, { at: { 1: error }, matches: one => one.method === 'GET' })
    const get: ApiRequest = { method: 'GET', path: create.path, headers: create.headers }
    const statuses: number[] = []
    for (const request of [get, create, get, get]) statuses.push((await faulty(request)).status)
    expect(statuses).toEqual([200, 200, 500, 200])
  })

  test('a probability hits about this share of requests, the same ones for the same seed', async () => {
    const { sandbox, create } = await world({ kind: 'empty' })
    const hits = async (seed: number) => {
      const faults: Fault[] = [{ kind: 'error', status: 503, commit: 'before' }]
      const faulty = withFaults(sandbox.transport, { probability: 0.2, faults, seed })
      const found: number[] = []
      for (let index = 0; index < 500; index += 1) {
        const answer = await faulty({ method: 'GET', path: create.path, headers: create.headers })
        if (answer.status === 503) found.push(index)
      }
      return found
    }
    const first = await hits(1)
    expect(first.length).toBeGreaterThan(60)
    expect(first.length).toBeLessThan(140)
    expect(await hits(1)).toEqual(first)
    expect(await hits(2)).not.toEqual(first)
  })
})

describe('the rate limit', () => {
  const answering: Transport = async () => ({ status: 200, headers: {}, body: '' })
  const request: ApiRequest = { method: 'GET', path: '/api/v2/ping', headers: { authorization: 'Bearer a' } }

  test('allows this number of requests per second, and reports the remaining number', async () => {
    let now = 1_000_000
    const limited = withRateLimit(answering, {
      hint: 'reset',
      requestsPerSecond: 2,
      now: () => new Date(now),
    })
    const ask = async (one = request) => {
      const { status, headers } = await limited(one)
      return [
        status,
        headers['x-ratelimit-limit'],
        headers['x-ratelimit-remaining'],
        headers['x-ratelimit-reset'],
      ]
    }
    expect(await ask()).toEqual([200, '2', '1', '0.0'])
    now += 250
    expect(await ask()).toEqual([200, '2', '0', '0.0'])
    expect(await ask()).toEqual([429, '2', '0', '0.75'])
    expect(await ask({ ...request, headers: { authorization: 'Bearer b' } })).toEqual([200, '2', '1', '0.0'])
    now += 750
    expect(await ask()).toEqual([200, '2', '1', '0.0'])
  })
})

describe('latency', () => {
  test('delays a response, and an abort during the delay means that nothing was sent', async () => {
    const { sandbox, create, written } = await world({ kind: 'empty' })
    const slow = withLatency(sandbox.transport, 5)
    expect((await slow(create)).status).toBe(200)
    const never = withLatency(sandbox.transport, () => 60_000)
    const aborted = await never(create, AbortSignal.timeout(5)).catch(error => [error.name, error.sent])
    expect([aborted, written()]).toEqual([['TransportError', 'no'], 1])
    const early = await never(create, AbortSignal.abort()).catch(error => error.sent)
    expect(early).toBe('no')
  })
})

describe('a fault schedule in a file', () => {
  test('is read from YAML', async () => {
    const schedule = parseFaults(`
at: { 0: { kind: close, commit: after }, 3: { kind: too-many, hint: reset, wait: 0.5 } }
probability: 0.5
faults: [{ kind: error, status: 503, commit: before }, { kind: stalled }]
seed: 7
methods: [POST]
`)
    const { matches, ...rest } = schedule
    expect(rest).toEqual({
      at: { 0: { kind: 'close', commit: 'after' }, 3: { kind: 'too-many', hint: 'reset', wait: 0.5 } },
      probability: 0.5,
      faults: [{ kind: 'error', status: 503, commit: 'before' }, { kind: 'stalled' }],
      seed: 7,
    })
    const request: ApiRequest = { method: 'GET', path: '/', headers: {} }
    expect([matches?.(request), matches?.({ ...request, method: 'POST' })]).toEqual([false, true])
  })

  test('reports all its mistakes together', () => {
    const mistakes = (text: string) => {
      try {
        parseFaults(text)
        return []
      } catch (error) {
        return error instanceof SeedError ? error.problems : [error]
      }
    }
    expect(
      mistakes(
        'at: { x: { kind: close } }\nprobability: 2\nfaults: [{ kind: none }, { kind: cut, status: 500 }]\nwhen: 1',
      ),
    ).toEqual([
      'when: is not known',
      'at.x: must be the number of a request, the first one is 0',
      'at.x.commit: is missing',
      'probability: must be a number from 0 to 1',
      'faults[0].kind: must be one of close, too-many, error, html, truncated, cut, stalled, empty',
      'faults[1].status: is not known',
    ])
    expect(mistakes('[1]')).toEqual(['the schedule: must be a map'])
    expect(mistakes('{')).toHaveLength(1)
  })
})
