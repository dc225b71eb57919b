import { gzipSync } from 'node:zlib'
import type { ApiResponse } from '../../../src/wire/transport.ts'
import { bytesOf } from '../../support/raw-server.ts'
import { bytesFor, type Exchange, type Fault } from './service.ts'

const text = (status: number, body: string, headers: Record<string, string> = {}): Buffer =>
  bytesOf({ status, headers, body })

/** Before the service acts: the request does not reach it. */
const instead =
  (bytes: Buffer): Fault =>
  ({ socket }) =>
    void socket.write(bytes)

/** The service acts, and another response is sent. */
const afterwards =
  (answer: (good: ApiResponse, exchange: Exchange) => Buffer): Fault =>
  async exchange => {
    const good = await exchange.commit()
    exchange.socket.write(answer(good, exchange))
  }

const cut =
  (share: number, other: Record<string, string> = {}): Fault =>
  async ({ commit, socket }) => {
    const whole = bytesFor(await commit(), other)
    socket.write(whole.subarray(0, Math.floor(whole.length * share)), () => socket.destroy())
  }

const errorBody = ({ request }: Exchange): string =>
  JSON.stringify({
    errors: [{ title: `\u001b[2J\n::error::${request.headers.authorization}`, detail: request.body ?? '' }],
  })

const errorInstead =
  (status: number, headers: Record<string, string> = {}): Fault =>
  exchange =>
    void exchange.socket.write(text(status, errorBody(exchange), headers))

const errorAfterwards = (status: number, headers: Record<string, string> = {}): Fault =>
  afterwards((_, exchange) => text(status, errorBody(exchange), headers))

const altered = (change: (body: string) => string): Fault =>
  afterwards(good => bytesFor({ ...good, body: good.body === '' ? '' : change(good.body) }))

/** Impossible responses by name. Each is sent for a single request, at each place of a run. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'hangs up before it acts': ({ socket }) => void socket.destroy(),
  'resets the connection after it acted': async ({ commit, socket }) => {
    await commit()
    socket.resetAndDestroy()
  },
  'truncates the headers': cut(0.05),
  'truncates the body': cut(0.9),
  'truncates a body without a length': cut(0.9, { 'content-length': '', connection: 'close' }),
  'ends a body without a length': async ({ commit, socket }) => {
    socket.end(bytesFor(await commit(), { 'content-length': '', connection: 'close' }))
  },
  'announces more than it sends': async ({ commit, socket }) => {
    socket.end(bytesFor(await commit(), { 'content-length': '99999' }))
  },
  'answers twice': afterwards(good => Buffer.concat([bytesFor(good), bytesFor(good)])),
  'acts twice': async ({ commit, socket }) => {
    await commit()
    socket.write(bytesFor(await commit()))
  },
  'sends invalid gzip': afterwards(good =>
    bytesFor({ ...good, status: 200, body: 'plain' }, { 'content-encoding': 'gzip', 'content-length': '5' }),
  ),
  'truncates gzip': afterwards(({ body }) => {
    const packed = gzipSync(body.padEnd(40))
    return bytesOf({ headers: { 'content-encoding': 'gzip' }, body: packed.subarray(0, packed.length - 12) })
  }),
  'sends early hints first': afterwards(good =>
    Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'), bytesFor(good)]),
  ),
  'changes the protocol': instead(Buffer.from('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')),
  'speaks another protocol': instead(Buffer.from('SSH-2.0-OpenSSH_9.0\r\n\r\n')),
  'sends an HTML page': instead(text(200, '<h1>Log in</h1>', { 'content-type': 'text/html' })),
  'sends an HTML page after it acted': afterwards(() => text(200, '<h1>Welcome</h1>')),
  'returns 200 with an empty body': afterwards(() => text(200, '')),
  'returns 204 without acting': instead(Buffer.from('HTTP/1.1 204 No Content\r\n\r\n')),
  'returns 202': afterwards(good => bytesFor({ ...good, status: 202 })),
  'sends null': instead(text(200, 'null')),
  'sends an empty object': instead(text(200, '{"data":{}}')),
  'sends the request back': ({ request, socket }) => void socket.write(text(200, request.body ?? '{}')),
  'swaps the ids': altered(body => body.replace(/"id":"(varset|var)-.{3}/g, '"id":"$1-ZZZ')),
  'sends `data` twice': altered(body => body.replace('{', '{"data":null,')),
  'pollutes prototypes': altered(body => body.replace('{', '{"__proto__":{"data":{"polluted":true}},')),
  'begins with a byte order mark': altered(body => `\ufeff${body}`),
  'nests 90,000 levels deep': altered(body =>
    body.replace(/}$/, `,"x":${'['.repeat(9e4)}${']'.repeat(9e4)}}`),
  ),
  'sends infinite counts': altered(body =>
    body.replace(/"([a-z]+-(?:count|size|pages))":\d+/g, '"$1":1e999'),
  ),
  'counts one set too many': altered(body => body.replace(/"total-count":\d+/, '"total-count":4')),
  'counts a million sets': altered(body => body.replace(/"total-count":\d+/, '"total-count":1000000')),
  'redirects elsewhere': errorInstead(307, { location: 'https://elsewhere.invalid/x' }),
  'redirects to itself after it acted': errorAfterwards(303, { location: '/' }),
  'returns 429 with an endless Retry-After': errorInstead(429, { 'retry-after': '99999999999' }),
  'returns 429 with a negative Retry-After': errorInstead(429, { 'retry-after': '-1' }),
  'asks to wait after each response': afterwards(good =>
    bytesFor(good, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' }),
  ),
  'returns 503': errorInstead(503),
  'returns 502 after it acted': errorAfterwards(502),
  'returns 408 after it acted': errorAfterwards(408),
  'returns 401': errorInstead(401),
  'returns 422 after it acted': errorAfterwards(422),
  'returns 404 after it acted': errorAfterwards(404),
  'returns 404': errorInstead(404),
  'returns 423': errorInstead(423),
}

/** A service that reports success for something that it did not do, or did differently. */
export const LIES: Readonly<Record<string, Fault>> = {
  'leaves out the variables': async ({ commit, request, socket }) => {
    const body = (request.body ?? '').replace('"relationships":{"vars"', '"relationships":{"other"')
    socket.write(bytesFor(await commit(body === '' ? {} : { body })))
  },
  'leaves out the priority': async ({ commit, request, socket }) => {
    const body = (request.body ?? '').replace('"priority":true', '"priority":false')
    socket.write(bytesFor(await commit(body === '' ? {} : { body })))
  },
  'trims values': async ({ commit, request, socket }) => {
    const body = (request.body ?? '').replace('" spaces "', '"spaces"')
    socket.write(bytesFor(await commit(body === '' ? {} : { body })))
  },
  'returns 204 to a deletion and keeps the object': ({ request, socket, commit }) =>
    request.method === 'DELETE'
      ? void socket.write('HTTP/1.1 204 No Content\r\n\r\n')
      : commit().then(good => void socket.write(bytesFor(good))),
  'returns 204 to an assignment and does not assign': ({ request, socket, commit }) =>
    request.path.endsWith('/workspaces')
      ? void socket.write('HTTP/1.1 204 No Content\r\n\r\n')
      : commit().then(good => void socket.write(bytesFor(good))),
}
