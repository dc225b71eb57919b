import { gzipSync } from 'node:zlib'
import type { ApiResponse } from '../../src/wire/transport.ts'
import { bytesOf } from '../api/raw-server.ts'
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

const said =
  (status: number, headers: Record<string, string> = {}): Fault =>
  exchange =>
    void exchange.socket.write(text(status, errorBody(exchange), headers))

const saidAfterwards = (status: number, headers: Record<string, string> = {}): Fault =>
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
  'cuts its headers': cut(0.05),
  'cuts its body': cut(0.9),
  'cuts a body without a length': cut(0.9, { 'content-length': '', connection: 'close' }),
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
  'sends what is no gzip': afterwards(good =>
    bytesFor({ ...good, status: 200, body: 'plain' }, { 'content-encoding': 'gzip', 'content-length': '5' }),
  ),
  'sends half of a gzip': afterwards(({ body }) => {
    const packed = gzipSync(body.padEnd(40))
    return bytesOf({ headers: { 'content-encoding': 'gzip' }, body: packed.subarray(0, packed.length - 12) })
  }),
  'says hello first': afterwards(good =>
    Buffer.concat([Buffer.from('HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'), bytesFor(good)]),
  ),
  'changes the protocol': instead(Buffer.from('HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n')),
  'speaks another protocol': instead(Buffer.from('SSH-2.0-OpenSSH_9.0\r\n\r\n')),
  'shows a page for people': instead(text(200, '<h1>Log in</h1>', { 'content-type': 'text/html' })),
  'shows a page for people after it acted': afterwards(() => text(200, '<h1>Welcome</h1>')),
  'says 200 and nothing': afterwards(() => text(200, '')),
  'says 204 without acting': instead(Buffer.from('HTTP/1.1 204 No Content\r\n\r\n')),
  'says 202': afterwards(good => bytesFor({ ...good, status: 202 })),
  'sends null': instead(text(200, 'null')),
  'sends an empty object': instead(text(200, '{"data":{}}')),
  'sends the request back': ({ request, socket }) => void socket.write(text(200, request.body ?? '{}')),
  'swaps the ids': altered(body => body.replace(/"id":"(varset|var)-.{3}/g, '"id":"$1-ZZZ')),
  'writes its data twice': altered(body => body.replace('{', '{"data":null,')),
  'pollutes prototypes': altered(body => body.replace('{', '{"__proto__":{"data":{"polluted":true}},')),
  'begins with a byte order mark': altered(body => `\ufeff${body}`),
  'nests without end': altered(body => body.replace(/}$/, `,"x":${'['.repeat(9e4)}${']'.repeat(9e4)}}`)),
  'counts to infinity': altered(body => body.replace(/"([a-z]+-(?:count|size|pages))":\d+/g, '"$1":1e999')),
  'counts one more': altered(body => body.replace(/"total-count":\d+/, '"total-count":4')),
  'counts a million': altered(body => body.replace(/"total-count":\d+/, '"total-count":1000000')),
  'redirects elsewhere': said(307, { location: 'https://elsewhere.invalid/x' }),
  'redirects to itself after it acted': saidAfterwards(303, { location: '/' }),
  'is throttled for ever': said(429, { 'retry-after': '99999999999' }),
  'is throttled since yesterday': said(429, { 'retry-after': '-1' }),
  'asks to wait after each answer': afterwards(good =>
    bytesFor(good, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' }),
  ),
  'is busy': said(503),
  'is busy after it acted': saidAfterwards(502),
  'timed out after it acted': saidAfterwards(408),
  'forgot the token': said(401),
  'refuses after it acted': saidAfterwards(422),
  'hides after it acted': saidAfterwards(404),
  'hides it': said(404),
  'is locked': said(423),
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
  'says 204 to what takes away and keeps it': ({ request, socket, commit }) =>
    request.method === 'DELETE'
      ? void socket.write('HTTP/1.1 204 No Content\r\n\r\n')
      : commit().then(good => void socket.write(bytesFor(good))),
  'says 204 to an assignment and forgets it': ({ request, socket, commit }) =>
    request.path.endsWith('/workspaces')
      ? void socket.write('HTTP/1.1 204 No Content\r\n\r\n')
      : commit().then(good => void socket.write(bytesFor(good))),
}
