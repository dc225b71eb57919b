import { inspect } from 'node:util'
import { openClient } from '../../../../src/api/client.ts'
import { getRequest } from '../../../../src/api/encode.ts'
import { httpTransport } from '../../../../src/api/http.ts'
import { type ApiResponse, TransportError } from '../../../../src/wire/transport.ts'
import { bytesOf, rawServer } from '../../../support/raw-server.ts'
import { differing, type Probe } from './probe.ts'

const WRITE = { method: 'POST', path: '/api/v2/x', headers: {}, body: '{}' } as const
const PASSWORD = 'hunter2-of-the-proxy'

const sentOf = (error: unknown): string => (error instanceof TransportError ? error.sent : String(error))

/** With real sockets: a write may have arrived if its connection broke, redirects are not followed, and errors hide passwords. */
export const sockets: Probe = async () => {
  const cut = await rawServer(socket => socket.destroy())
  const redirecting = await rawServer((socket, _, index) =>
    socket.end(bytesOf(index === 0 ? { status: 307, headers: { location: '/elsewhere' } } : { body: '{}' })),
  )
  const transports = [httpTransport(cut.url), httpTransport(redirecting.url)] as const
  const broken = await transports[0](WRITE).catch(sentOf)
  const redirected = await transports[1](WRITE).catch(sentOf)
  for (const transport of transports) await transport.close()
  await cut.close()
  await redirecting.close()
  const gone = httpTransport(cut.url)
  const refused = await gone(WRITE).catch(sentOf)
  await gone.close()
  const proxied = httpTransport('https://service.test', {
    proxies: { httpsProxy: `http://user:${PASSWORD}@[nowhere` },
  })
  const error = await proxied(WRITE).catch(caught => caught)
  return [
    ...differing('closed after the request', 'maybe', broken),
    ...differing('a closed port', 'no', refused),
    ...differing('a redirect', 307, typeof redirected === 'string' ? redirected : redirected.status),
    ...differing('requests after a redirect', 1, redirecting.requests.length),
    ...(inspect(error, { depth: 9, showHidden: true }).includes(PASSWORD)
      ? ['an error contains the password']
      : []),
  ]
}

const JSON_API = { 'content-type': 'application/vnd.api+json' }
const answer = (status: number, headers = {}): ApiResponse => ({
  status,
  headers: { ...JSON_API, ...headers },
  body: '{}',
})

function virtualLine(respond: () => ApiResponse, stop?: AbortSignal) {
  let now = 0
  const timing = {
    now: () => now,
    random: () => 0.5,
    sleep: async (ms: number) => {
      now += ms
    },
  }
  const line = openClient(async () => respond(), { timing, rate: 10_000, ...(stop && { stop }) })
  return { line, elapsed: () => now }
}

const READS = 60
/** 500 tokens, 14 for each retry (docs/fault-model.md 8.2). */
const MOST = READS + Math.ceil(500 / 14)

/** The number of requests to a service that always fails is bounded, and its wait hints are respected. */
export const storm: Probe = async () => {
  const failing = virtualLine(() => answer(503))
  for (let i = 0; i < READS; i++) await failing.line.transport(getRequest('/api/v2/x'))
  const sent = failing.line.counts().reads
  let asked = 0
  const throttling = virtualLine(() => answer(++asked < 3 ? 429 : 200, { 'retry-after': '7' }))
  await throttling.line.transport(getRequest('/api/v2/x'))
  let refusals = 0
  const busy = virtualLine(() => answer(++refusals < 3 ? 503 : 200, { 'retry-after': '7' }))
  await busy.line.transport(getRequest('/api/v2/x'))
  const stopped = virtualLine(() => answer(503), AbortSignal.abort())
  await stopped.line.transport(getRequest('/api/v2/x'))
  await stopped.line.transport(WRITE).catch(() => {})
  const refused = virtualLine(() => answer(401))
  for (let i = 0; i < 3; i++) await refused.line.transport(getRequest('/api/v2/x')).catch(() => {})
  return [
    ...differing('requests after a signal', { reads: 1, writes: 0 }, stopped.line.counts()),
    ...differing('requests after a 401', 1, refused.line.counts().reads),
    ...(sent > MOST ? [`${sent} requests were sent to a service that is down`] : []),
    ...differing('an exhausted budget', true, failing.line.isExhausted()),
    ...(throttling.elapsed() < 14_000 ? ['a wait hint was ignored'] : []),
    ...(busy.elapsed() < 14_000 ? ['a wait hint of a failure was ignored'] : []),
  ]
}
