import { inspect } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { type LogEntry, openClient, readOnly, Token, withToken } from '../../src/api/client.ts'
import { httpTransport } from '../../src/api/http.ts'
import { observe } from '../../src/api/observe.ts'
import { createReader } from '../../src/api/reader.ts'
import type { Wait } from '../../src/api/timing.ts'
import { createWriter } from '../../src/api/writer.ts'
import type { Fault } from '../../src/sandbox/index.ts'
import type { ApiRequest, Transport } from '../../src/wire/transport.ts'
import { liveSandbox, virtualTime } from './live.ts'

const GET = { method: 'GET', path: '/x', headers: {} } as const

const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

const SEED = {
  organizations: [{ name: 'acme' }],
  sets: Array.from({ length: 45 }, (_, index) => ({
    name: `s${index}`,
    variables: [{ key: 'K', value: `${index}`, category: 'env' }],
  })),
}

describe('the client of a run', () => {
  test('counts every attempt, and logs it without query, header or body', async () => {
    const answers = [503, 200, 404]
    const entries: LogEntry[] = []
    const line = openClient(
      async () => ({ status: answers.shift() ?? 200, headers: { 'x-canary': 'canary' }, body: 'canary' }),
      { timing: virtualTime(), onAttempt: entry => entries.push(entry) },
    )
    await line.reading({ ...GET, query: { q: 'canary' } })
    await line.transport({ ...GET, method: 'DELETE', headers: { a: 'canary' }, body: 'canary' })
    expect(line.counts()).toEqual({ reads: 2, writes: 1 })
    expect(entries).toEqual([
      { method: 'GET', path: '/x', result: 503, milliseconds: 0 },
      { method: 'GET', path: '/x', result: 200, milliseconds: 0 },
      { method: 'DELETE', path: '/x', result: 404, milliseconds: 0 },
    ])
    expect(line.isExhausted()).toBe(false)
  })

  test('has as many requests under way as it is asked to, without a warning of Node', async () => {
    const warnings: Error[] = []
    const onWarning = (warning: Error): unknown => warnings.push(warning)
    process.on('warning', onWarning)
    const { signal } = new AbortController()
    const line = openClient(
      async (_, signal) => {
        signal?.addEventListener('abort', () => {})
        return { status: 200, headers: {}, body: '' }
      },
      { timing: virtualTime(), rate: 'unlimited' },
    )
    await Promise.all(Array.from({ length: 12 }, () => line.transport(GET, signal)))
    await new Promise(resolve => setImmediate(resolve))
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })

  test('reports when so many requests failed that the run should stop', async () => {
    const line = openClient(async () => ({ status: 503, headers: {}, body: '' }), { timing: virtualTime() })
    for (let i = 0; i < 15; i++) await line.transport(GET)
    expect(line.isExhausted()).toBe(true)
  })

  test.each([
    [
      'every response says that no requests remain',
      200,
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' },
    ],
    ['every response is a 429', 429, { 'retry-after': '60' }],
  ])(
    'waits at most 15 minutes in total when the service asks it to: %s',
    { tags: ['F-10', '8.2'] },
    async (_, status, headers) => {
      const timing = virtualTime()
      const waits: Wait[] = []
      const line = openClient(async () => ({ status, headers, body: '' }), {
        timing,
        onWait: wait => waits.push(wait),
      })
      const ends = await Promise.allSettled(Array.from({ length: 100 }, () => line.transport(GET)))
      expect(timing.now()).toBeGreaterThan(10 * 60_000)
      expect(timing.now()).toBeLessThanOrEqual(16 * 60_000)
      const [refused] = ends.flatMap(end => (end.status === 'rejected' ? [end.reason] : []))
      expect(refused).toMatchObject({ sent: 'no', code: 'PAUSED_TOO_LONG' })
      expect(String(refused)).toContain(
        'GET /x: not sent: the service asked to wait for more than 15 minutes in total',
      )
      const totals = waits.flatMap(({ total }) => total ?? [])
      expect(totals).toEqual(totals.toSorted((a, b) => a - b))
      expect(totals.at(-1)).toBeLessThanOrEqual(15 * 60_000)
    },
  )

  test('retries nothing after the deadline of the run', { tags: ['F-04'] }, async () => {
    const line = openClient(async () => ({ status: 429, headers: {}, body: '' }), {
      timing: virtualTime(),
      runDeadline: 1000,
    })
    await line.transport(GET)
    expect(line.counts().reads).toBe(2)
  })

  test('applies the rate to retries as well', async () => {
    const times: number[] = []
    const timing = virtualTime()
    const line = openClient(
      async () => {
        times.push(timing.now())
        return { status: times.length === 1 ? 429 : 200, headers: { 'retry-after': '3' }, body: '' }
      },
      { timing, rate: 1 },
    )
    await Promise.all([line.transport(GET), line.transport(GET)])
    expect(times).toEqual([0, 3000, 4000])
  })
})

describe('a client without a limit', () => {
  test('never waits', async () => {
    const timing = virtualTime()
    const line = openClient(async () => ({ status: 200, headers: {}, body: '' }), {
      timing,
      rate: 'unlimited',
    })
    await Promise.all(Array.from({ length: 100 }, () => line.transport(GET)))
    expect(timing.waits).toEqual([])
  })
})

describe('a read-only transport', () => {
  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'get', ''])('also refuses %j at run time', async method => {
    let sent = 0
    const reading: Transport = readOnly(async () => {
      sent++
      return { status: 200, headers: {}, body: '' }
    }) as Transport
    await expect(reading({ ...GET, method } as unknown as ApiRequest)).rejects.toThrow(TypeError)
    expect(sent).toBe(0)
  })
})

describe('the end of a run', () => {
  const DELETE = { method: 'DELETE', path: '/x', headers: {}, repeatable: true } as const
  const codeOf = async (attempt: Promise<unknown>): Promise<unknown> =>
    attempt.then(
      () => 'sent',
      error => `${error.code}, sent: ${error.sent}`,
    )

  test('after a 401 no request is sent, neither queued, nor retried, nor new', {
    tags: ['F-14'],
  }, async () => {
    const answers = [200, 503, 401]
    const left: string[] = []
    const line = openClient(
      async ({ path }) => {
        left.push(path)
        return { status: answers.shift() ?? 200, headers: {}, body: '' }
      },
      { timing: virtualTime(), rate: 1 },
    )
    await line.transport(GET)
    const sent = ['/failed', '/refused', '/queued'].map(path => codeOf(line.transport({ ...DELETE, path })))
    expect(await Promise.all(sent)).toEqual(['REFUSED_TOKEN, sent: maybe', 'sent', 'REFUSED_TOKEN, sent: no'])
    expect(await codeOf(line.transport(GET))).toBe('REFUSED_TOKEN, sent: no')
    expect(left).toEqual(['/x', '/failed', '/refused'])
  })

  test('after the stop signal no write is sent, but reads are', async () => {
    const stop = new AbortController()
    const left: string[] = []
    const line = openClient(
      async ({ method }) => {
        left.push(method)
        stop.abort()
        return { status: 200, headers: {}, body: '' }
      },
      { timing: virtualTime(), rate: 1, stop: stop.signal },
    )
    const [first, second] = [line.transport(DELETE), line.transport(DELETE)]
    await first
    expect(await codeOf(second)).toBe('ABORTED, sent: no')
    expect(await codeOf(line.transport(GET))).toBe('sent')
    expect(left).toEqual(['DELETE', 'GET'])
  })
})

describe('the token', () => {
  const CANARY = 'canary-token-5b1e'
  const hostile: readonly [string, Fault | undefined][] = [
    ['the token is unknown to the service', undefined],
    ['the response is truncated', { kind: 'truncated' }],
    ['the connection is closed', { kind: 'close', commit: 'before' }],
    ['the response is HTML', { kind: 'html', commit: 'after' }],
    ['the response is a 503', { kind: 'error', status: 503, commit: 'before' }],
  ]
  test.each(hostile)('is in no error and no log: %s', async (_, fault) => {
    const { sandbox } = await liveSandbox(SEED)
    endings.push(() => sandbox.close())
    const { url } = await sandbox.listen(
      fault === undefined ? {} : { faults: { probability: 1, faults: [fault] } },
    )
    const http = httpTransport(url, { deadline: 500 })
    endings.push(http.close)
    const seen: unknown[] = []
    const line = openClient(withToken(http, new Token(CANARY)), {
      timing: virtualTime(),
      onAttempt: entry => seen.push(entry),
    })
    const keep = (error: unknown): void => void seen.push(error)
    await observe(createReader(line.reading), 'acme').catch(keep)
    await createWriter(line.transport).deleteSet('varset-1').catch(keep)
    expect(seen.length).toBeGreaterThan(2)
    const shown = seen.map(one => `${inspect(one, { depth: 9, showHidden: true })}${JSON.stringify(one)}`)
    expect(shown.join()).not.toContain('canary')
    expect(inspect({ http, line }, { depth: 9, showHidden: true })).not.toContain('canary')
  })
})
