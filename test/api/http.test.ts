import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { inspect, promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Token, withToken } from '../../src/api/client.ts'
import { type HttpOptions, type HttpTransport, httpTransport } from '../../src/api/http.ts'
import { proxyFor } from '../../src/api/proxy.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { type ApiRequest, TransportError } from '../../src/wire/transport.ts'
import { type Behaviour, bytesOf, rawServer } from '../support/raw-server.ts'

const ROOT = resolve(import.meta.dirname, '../..')
const CANARY = 'canary-token-7f3a'
const GET: ApiRequest = { method: 'GET', path: '/api/v2/varsets/varset-1', headers: {} }
const POST: ApiRequest = { method: 'POST', path: '/api/v2/x', headers: {}, body: '{"secret":"canary-body"}' }

/** Milliseconds, longer than anything takes on a busy machine. */
const NEVER = 10 * 60_000

/** A deadline that the test triggers, because no short one is long enough for a busy machine. */
const ON_DEMAND = NEVER - 1

/** Triggers every running deadline of `ON_DEMAND` milliseconds. */
function deadlines(): () => void {
  const running: (() => void)[] = []
  const { setTimeout: real } = globalThis
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((act: () => void, ms?: number) => {
    if (ms === ON_DEMAND) running.push(act)
    return real(ms === ON_DEMAND ? () => {} : act, ms)
  }) as typeof setTimeout)
  endings.push(async () => spy.mockRestore())
  return () => {
    for (const expire of running.splice(0)) expire()
  }
}

const until = async (is: () => boolean): Promise<void> => {
  while (!is()) await new Promise(resolve => setTimeout(resolve, 2))
}

const endings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

async function served(behave: Behaviour, options: HttpOptions = {}) {
  const server = await rawServer(behave)
  const transport = httpTransport(server.url, { deadline: NEVER, ...options })
  endings.push(server.close, transport.close)
  return { server, transport, tokened: withToken(transport, new Token(CANARY)) }
}

const to = (url: string, options: HttpOptions = {}): HttpTransport => {
  const transport = httpTransport(url, options)
  endings.push(transport.close)
  return transport
}

async function fault(answer: Promise<unknown>): Promise<TransportError> {
  const error = await answer.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof TransportError)) throw new TypeError(`not a TransportError: ${inspect(error)}`)
  return error
}

const kindOf = async (answer: Promise<unknown>) => {
  const { sent, code } = await fault(answer)
  return { sent, code }
}

describe('a request over the network', () => {
  test('sends method, encoded query, headers and body, and returns the complete response', async () => {
    const { server, tokened } = await served(socket =>
      socket.write(bytesOf({ status: 201, headers: { 'x-two': 'a' }, body: '{"ä":1}' })),
    )
    const response = await tokened({
      method: 'DELETE',
      path: '/api/v2/varsets/varset-1',
      query: { 'page[number]': '2', q: 'a b&c' },
      headers: { accept: 'text/x' },
      body: '{"data":[]}',
    })
    expect(response).toEqual({
      status: 201,
      headers: { 'content-type': 'application/vnd.api+json', 'content-length': '8', 'x-two': 'a' },
      body: '{"ä":1}',
    })
    const [head, body] = server.requests[0]?.split('\r\n\r\n') ?? []
    expect(body).toBe('{"data":[]}')
    expect(head?.split('\r\n').filter(line => !line.startsWith('host:'))).toEqual([
      'DELETE /api/v2/varsets/varset-1?page%5Bnumber%5D=2&q=a%20b%26c HTTP/1.1',
      'connection: keep-alive',
      'accept: text/x',
      `authorization: Bearer ${CANARY}`,
      'accept-encoding: gzip',
      'content-length: 11',
    ])
  })

  test('is sent below the base path of the address', async () => {
    const server = await rawServer(socket => socket.write(bytesOf({})))
    endings.push(server.close)
    await to(`${server.url}/tfe/`)(GET)
    expect(server.requests[0]).toMatch(/^GET \/tfe\/api\/v2\/varsets\/varset-1 HTTP/)
  })

  test.each([200, 204, 404, 500])('returns a response with status %s', async status => {
    const { transport } = await served(socket => socket.write(bytesOf({ status })))
    expect((await transport(GET)).status).toBe(status)
  })

  test('reuses a connection', async () => {
    const { server, transport } = await served(socket => socket.write(bytesOf({ body: '{}' })))
    for (let i = 0; i < 20; i++) await transport(GET)
    expect(server.connections()).toBeLessThanOrEqual(2)
  })

  test('opens no more connections than the concurrency allows', async () => {
    const { server, transport } = await served(
      socket => setTimeout(() => socket.write(bytesOf({ body: '{}' })), 5),
      { concurrency: 3 },
    )
    await Promise.all(Array.from({ length: 12 }, () => transport(GET)))
    expect(server.connections()).toBe(3)
  })

  test('has a deadline and a number of connections of its own', async () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    endings.push(async () => timers.mockRestore())
    const waiting: (() => void)[] = []
    const server = await rawServer(socket => {
      waiting.push(() => socket.write(bytesOf({ body: '{}' })))
    })
    endings.push(server.close)
    const transport = to(server.url)
    let hasFailed = false
    const answers = Array.from({ length: 12 }, () => transport(GET))
    for (const answer of answers) answer.catch(() => (hasFailed = true))
    for (let left = 12; left > 0 && !hasFailed; ) {
      await until(() => waiting.length >= Math.min(8, left) || hasFailed)
      left -= waiting.length
      for (const answer of waiting.splice(0)) answer()
    }
    await Promise.all(answers)
    expect(server.connections()).toBe(8)
    expect(timers.mock.calls.filter(([, ms]) => ms === 30_000)).toHaveLength(12)
  })

  test('works against the sandbox', async () => {
    const sandbox = await createSandbox()
    endings.push(() => sandbox.close())
    const { url } = await sandbox.listen()
    const transport = withToken(to(url), new Token(sandbox.token))
    const response = await transport({ ...GET, path: '/api/v2/varsets/varset-none' })
    expect(response.status).toBe(404)
  })
})

describe('a request that fails', () => {
  test('was not sent if the connection is refused', { tags: ['F-01'] }, async () => {
    const server = await rawServer(() => {})
    await server.close()
    expect(await kindOf(to(server.url)(POST))).toEqual({ sent: 'no', code: 'ECONNREFUSED' })
  })

  test('was not sent if the host has no address', { tags: ['F-01'] }, async () => {
    const { sent, code } = await fault(to('https://nowhere.invalid')(POST))
    expect(sent).toBe('no')
    expect(code).toMatch(/^(ENOTFOUND|EAI_AGAIN)$/)
  })

  test('was not sent if the TLS handshake does not finish', async () => {
    const expire = deadlines()
    const plain = await rawServer(() => {})
    endings.push(plain.close)
    const answer = kindOf(to(plain.url.replace('http', 'https'), { deadline: ON_DEMAND })(POST))
    await until(() => plain.connections() > 0)
    expire()
    expect(await answer).toEqual({ sent: 'no', code: 'DEADLINE' })
  })

  test.each([
    ['reset', (socket: { resetAndDestroy(): void }) => socket.resetAndDestroy(), 'ECONNRESET'],
    ['closed', (socket: { end(): void }) => socket.end(), 'UND_ERR_SOCKET'],
  ] as const)(
    'may have arrived if the connection is %s before the response',
    { tags: ['F-02'] },
    async (_, act, code) => {
      const { transport } = await served(socket => act(socket))
      expect(await kindOf(transport(POST))).toEqual({ sent: 'maybe', code })
    },
  )

  test('may have arrived if a reused connection is closed', {
    tags: ['F-09'],
  }, async () => {
    const { server, transport } = await served((socket, _, index) => {
      if (index === 0) socket.write(bytesOf({ body: '{}' }))
      else socket.resetAndDestroy()
    })
    await transport(GET)
    expect(await kindOf(transport(POST))).toEqual({ sent: 'maybe', code: 'ECONNRESET' })
    expect(server.requests).toHaveLength(2)
  })

  test.each([
    ['silent', () => {}],
    ['dripping bytes', dripping],
  ] as const)('ends at its deadline if the service is %s', { tags: ['F-04', 'F-05'] }, async (_, behave) => {
    const expire = deadlines()
    const { transport, server } = await served(behave, { deadline: ON_DEMAND })
    const answer = kindOf(transport(POST))
    await until(() => server.requests.length > 0)
    // Long enough for some bytes to arrive; their number does not matter.
    await new Promise(resolve => setTimeout(resolve, 50))
    expire()
    expect(await answer).toEqual({ sent: 'maybe', code: 'DEADLINE' })
  })

  test('closes its connection when it ends at its deadline', async () => {
    const expire = deadlines()
    const closed: Promise<void>[] = []
    const { transport } = await served(
      socket => {
        closed.push(new Promise(resolve => socket.on('close', () => resolve())))
        dripping(socket)
      },
      { deadline: ON_DEMAND },
    )
    const answer = fault(transport(GET))
    await until(() => closed.length > 0)
    expire()
    await answer
    await Promise.all(closed)
    expect(closed).toHaveLength(1)
  })

  test('ends when the caller aborts it, and reports whether it was sent', async () => {
    const { transport, server } = await served(() => {})
    const controller = new AbortController()
    const answer = transport(POST, controller.signal)
    await until(() => server.requests.length > 0)
    controller.abort()
    expect(await kindOf(answer)).toEqual({ sent: 'maybe', code: 'ABORTED' })
    expect(await kindOf(transport(POST, controller.signal))).toEqual({ sent: 'no', code: 'ABORTED' })
    expect(server.requests).toHaveLength(1)
  })

  test('was not sent if it was waiting for a connection at its deadline, and is not sent later', async () => {
    const expire = deadlines()
    const { transport, server } = await served(
      (socket, _, index) => index === 0 && socket.write(bytesOf({ body: '0' })),
      { concurrency: 1, deadline: ON_DEMAND },
    )
    const answers = Promise.allSettled([
      transport(GET),
      transport({ ...POST, path: '/second' }),
      transport({ ...POST, path: '/last' }),
    ])
    await until(() => server.requests.length === 2)
    expire()
    const [first, , last] = await answers
    expect(first).toMatchObject({ status: 'fulfilled', value: { body: '0' } })
    expect(last).toMatchObject({ status: 'rejected', reason: { sent: 'no', code: 'DEADLINE' } })
    await new Promise(resolve => setTimeout(resolve, 200))
    expect(server.requests.filter(text => text.includes('/last'))).toEqual([])
  })

  test('is refused before it is sent if it is a write and certificates are not verified', {
    tags: ['F-07'],
  }, async () => {
    const transport = to('https://127.0.0.1:9', { certificatesUnchecked: true })
    expect(await kindOf(transport(POST))).toEqual({ sent: 'no', code: 'UNCHECKED_TLS' })
    expect((await fault(transport(GET))).code).toBe('ECONNREFUSED')
    const allowed = to('https://127.0.0.1:9', { certificatesUnchecked: true, allowUncheckedWrites: true })
    expect((await fault(allowed(POST))).code).toBe('ECONNREFUSED')
  })
})

function dripping(socket: { write(text: string): boolean; destroyed: boolean }): void {
  socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100000\r\n\r\n')
  const timer = setInterval(() => {
    if (socket.destroyed) clearInterval(timer)
    else socket.write('x')
  }, 10)
}

describe('a response', () => {
  const body = '{"data":{"id":"varset-1","type":"varsets"}}'

  test('that is truncated at any byte is an error', { tags: ['F-03'] }, async () => {
    const whole = bytesOf({ body })
    const { transport } = await served((socket, _, index) => socket.end(whole.subarray(0, index)))
    for (let cut = 0; cut < whole.length; cut++) {
      const { sent } = await fault(transport(GET))
      expect(sent).toBe('maybe')
    }
    expect((await transport(GET)).body).toBe(body)
  })

  test('that is compressed and truncated at any byte is an error', async () => {
    const packed = gzipSync(body)
    const { transport } = await served((socket, _, index) => {
      const part = packed.subarray(0, index + 1)
      socket.write(bytesOf({ headers: { 'content-encoding': 'gzip' }, body: part }))
    })
    for (let cut = 1; cut < packed.length; cut++) await fault(transport(GET))
    expect((await transport(GET)).body).toBe(body)
  })

  test.each([
    ['shorter than announced', '9', 'UND_ERR_SOCKET'],
    ['longer than announced', '3', undefined],
  ])('%s is an error, or is cut to invalid JSON', async (_, length, code) => {
    const { transport } = await served(socket =>
      socket.end(bytesOf({ headers: { 'content-length': length }, body: '{"a":1}' })),
    )
    const answer = await transport(GET).catch((error: TransportError) => error)
    if (code === undefined) expect(answer).toMatchObject({ body: '{"a' })
    else expect(answer).toMatchObject({ sent: 'maybe' })
  })

  const GOOD = bytesOf({ body: '{}' })
  test.each([
    [
      'without a length, up to the end of its connection',
      'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n{}',
      true,
    ],
    ['after early hints', `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${GOOD}`, false],
    ['sent twice', `${GOOD}${GOOD}`, false],
  ])('%s is complete, and so is the next one', async (_, bytes, isLast) => {
    const { transport } = await served(socket => void (isLast ? socket.end(bytes) : socket.write(bytes)))
    for (let turn = 0; turn < 3; turn++)
      expect(await transport(GET)).toMatchObject({ status: 200, body: '{}' })
  })

  test.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.0\r\n\r\n'],
    ['a change of the protocol', 'HTTP/1.1 101 X\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'],
  ])('that is %s is an error after which the request may have arrived', async (_, bytes) => {
    const { transport } = await served(socket => void socket.write(bytes))
    expect((await fault(transport(POST))).sent).toBe('maybe')
  })

  test('in chunks that end too early is an error', async () => {
    const { transport } = await served(socket =>
      socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"a":\r\n'),
    )
    expect((await fault(transport(GET))).sent).toBe('maybe')
  })

  test.each([
    ['decompresses to', { body: gzipSync(Buffer.alloc(8_000_000)), headers: { 'content-encoding': 'gzip' } }],
    ['contains', { body: Buffer.alloc(2_000_000) }],
  ])('that %s more than the limit is an error', async (_, canned) => {
    const { transport } = await served(socket => socket.write(bytesOf(canned)), { maxBytes: 1_000_000 })
    expect(await kindOf(transport(GET))).toEqual({ sent: 'maybe', code: 'TOO_LARGE' })
  })

  test('that decompresses to 400 MiB takes less than 100 MB of memory', { tags: ['F-06'] }, async () => {
    const bomb = Buffer.concat(Array.from({ length: 400 }, () => gzipSync(Buffer.alloc(1024 * 1024))))
    const { server } = await served(socket =>
      socket.write(bytesOf({ headers: { 'content-encoding': 'gzip' }, body: bomb })),
    )
    // In its own process, because tests share theirs.
    const script = `
      import { httpTransport } from './dist/api/http.js'
      const transport = httpTransport(process.argv[1])
      const before = process.resourceUsage().maxRSS
      const code = await transport(${JSON.stringify(GET)}).then(() => 'none', error => error.code)
      console.log(code, process.resourceUsage().maxRSS - before)
      process.exit()`
    const argv = ['--input-type=module', '-e', script, server.url]
    const { stdout } = await promisify(execFile)(process.execPath, argv, { cwd: ROOT })
    const [code, kilobytes] = stdout.trim().split(' ')
    expect(code).toBe('TOO_LARGE')
    expect(Number(kilobytes)).toBeLessThan(100_000)
  })

  test.each([
    ['br', 'BAD_ENCODING', Buffer.from('x')],
    ['gzip', 'BAD_ENCODING', Buffer.from('not gzip')],
    ['identity', 'BAD_TEXT', Buffer.from([0x7b, 0xff, 0x7d])],
  ])('that cannot be decoded as %s is an error (%s)', async (encoding, code, bytes) => {
    const { transport } = await served(socket =>
      socket.write(bytesOf({ headers: { 'content-encoding': encoding }, body: bytes })),
    )
    expect(await kindOf(transport(GET))).toEqual({ sent: 'maybe', code })
  })

  const REDIRECTS = [301, 302, 303, 307, 308].flatMap(status =>
    (['GET', 'POST', 'PATCH', 'DELETE'] as const).map(method => ({ status, method })),
  )
  test.each(REDIRECTS)(
    'that redirects a $method with $status is not followed',
    { tags: ['F-08'] },
    async ({ status, method }) => {
      const other = await rawServer(socket => socket.write(bytesOf({ body: '{}' })))
      endings.push(other.close)
      const targets = [`${other.url}/api/v2/x`, '/elsewhere', other.url.replace('http:', 'https:')]
      const { server, tokened } = await served((socket, _, index) =>
        socket.write(bytesOf({ status, headers: { location: targets[index] ?? '' } })),
      )
      const request = method === 'GET' ? GET : { ...POST, method }
      for (const _ of targets) expect((await tokened(request)).status).toBe(status)
      expect(other.connections()).toBe(0)
      expect(server.requests).toHaveLength(3)
    },
  )
})

describe('a network error', () => {
  test('names method, path, host and code, and never a header or a body', async () => {
    const { tokened, server } = await served(socket => socket.resetAndDestroy())
    const error = await fault(tokened({ ...POST, headers: { 'x-canary': 'canary-header' } }))
    expect(error.message).toBe(
      `POST /api/v2/x on 127.0.0.1:${server.port}: the connection was reset (ECONNRESET)`,
    )
    expect(error.cause).toBeUndefined()
    const shown = `${inspect(error, { depth: 9, showHidden: true })}${JSON.stringify(error)}${error.stack}`
    expect(shown).not.toContain('canary')
  })

  test('contains nothing of a malformed proxy address', async () => {
    const transport = to('https://service.example', {
      proxy: 'http://user:canary-password@bad host',
    })
    const error = await fault(transport(GET))
    expect({ sent: error.sent, code: error.code }).toEqual({ sent: 'no', code: 'BAD_PROXY' })
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('canary')
  })
})

describe('a proxy', () => {
  test('is used for other hosts, and its refusal means that nothing was sent', async () => {
    const proxy = await rawServer(socket => socket.end('HTTP/1.1 407 No\r\ncontent-length: 0\r\n\r\n'))
    endings.push(proxy.close)
    const transport = withToken(to('https://service.example', { proxy: proxy.url }), new Token(CANARY))
    expect(await kindOf(transport(POST))).toEqual({ sent: 'no', code: 'PROXY_LOGIN' })
    expect(proxy.requests).toHaveLength(1)
    expect(proxy.requests[0]).toMatch(/^CONNECT service\.example:443 HTTP/)
    expect(proxy.requests[0]).not.toContain('canary')
  })

  test.each([
    [403, 'PROXY_FORBIDS', 'the proxy does not allow this host (403)'],
    [407, 'PROXY_LOGIN', 'the proxy asks for a user name and a password (407)'],
    [502, 'PROXY', 'the proxy refused the connection'],
  ])('that returns %i has an error code of its own', async (status, code, words) => {
    const proxy = await rawServer(socket => socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`))
    endings.push(proxy.close)
    const transport = to('https://service.example', { proxy: proxy.url })
    const error = await fault(transport(POST))
    expect(error).toMatchObject({ sent: 'no', code })
    expect(error.message).toBe(`POST /api/v2/x on service.example: ${words} (${code})`)
    expect(proxy.requests).toHaveLength(1)
  })

  test('that cannot be reached is not reported as an unreachable service', async () => {
    const proxy = await rawServer(() => {})
    await proxy.close()
    for (const origin of ['https://service.example', 'http://service.example']) {
      const error = await fault(to(origin, { proxy: proxy.url })(POST))
      expect(error).toMatchObject({ sent: 'no', code: 'PROXY_UNREACHABLE' })
      expect(error.message).toContain('on service.example: the proxy could not be reached')
    }
  })

  test.each(['', 'user:secret@'])('needs no scheme in its address: %s', async login => {
    const proxy = await rawServer(socket => socket.end('HTTP/1.1 403 No\r\n\r\n'))
    endings.push(proxy.close)
    const address = 'https://service.example'
    const env = { HTTPS_PROXY: `${login}localhost:${proxy.port}` }
    const error = await fault(to(address, { proxy: proxyFor(new URL(address), env) })(GET))
    expect(error.code).toBe('PROXY_FORBIDS')
    expect(proxy.requests[0]?.includes('proxy-authorization: Basic')).toBe(login !== '')
  })

  test('that closes the connection gets one request per attempt and forwards none', async () => {
    const proxy = await rawServer(socket => socket.destroy())
    endings.push(proxy.close)
    const transport = to('https://service.example', { proxy: proxy.url })
    expect(await kindOf(transport(POST))).toEqual({ sent: 'no', code: 'PROXY' })
    expect(proxy.requests).toHaveLength(1)
  })
})
