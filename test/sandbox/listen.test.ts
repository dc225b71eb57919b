import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { request } from 'undici'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSandbox, type Listening, type Sandbox } from '../../src/sandbox/index.ts'
import { MEDIA, setBody } from '../contract/subject.ts'

const LIST = '/api/v2/organizations/acme/varsets'
let sandbox: Sandbox
let server: Listening
beforeEach(async () => {
  sandbox = await createSandbox()
  server = await sandbox.listen()
})
afterEach(() => sandbox.close())

const headers = (more: Record<string, string> = {}) => ({ authorization: `Bearer ${sandbox.token}`, ...more })
const statusWith = async (more: Record<string, string>, at = server) => {
  const answer = await request(`${at.url}/api/v2/organizations/acme/varsets`, { headers: headers(more) })
  await answer.body.dump()
  return answer.statusCode
}

/** The response to these bytes on a socket. */
const raw = (bytes: string) =>
  new Promise<string>(resolve => {
    let received = ''
    const socket = connect(server.port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', data => {
      received += data.toString()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(received))
  })

describe('allowed clients', () => {
  test('use a host name of this machine; other names that resolve to it are refused', async () => {
    for (const host of [
      '127.0.0.1',
      'localhost',
      'LOCALHOST:80',
      `127.0.0.1:${server.port}`,
      '[::1]:7',
      '127.8.8.8',
    ]) {
      expect([host, await statusWith({ host })]).toEqual([host, 200])
    }
    const foreign = [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.evil.example:80',
      'localhost@evil.example',
      '10.0.0.1',
      '[::2]',
      '0.0.0.0',
      '2130706433',
      'localhost.',
      '',
    ]
    for (const host of foreign) expect([host, await statusWith({ host })]).toEqual([host, 403])
  })

  test('are not web pages: a foreign Origin or a cross-site fetch is refused, and no CORS header is sent', async () => {
    const own = { host: `127.0.0.1:${server.port}`, origin: server.url }
    expect(await statusWith(own)).toBe(200)
    expect(await statusWith({ 'sec-fetch-site': 'same-origin' })).toBe(200)
    expect(await statusWith({ 'sec-fetch-site': 'none' })).toBe(200)
    for (const origin of [
      'http://evil.example',
      'null',
      'http://127.0.0.1:1',
      'file://',
      `https://127.0.0.1:${server.port}`,
    ]) {
      expect([origin, await statusWith({ ...own, origin })]).toEqual([origin, 403])
    }
    for (const site of ['cross-site', 'same-site', 'x'])
      expect(await statusWith({ 'sec-fetch-site': site })).toBe(403)
    const preflight = await request(`${server.url}${LIST}`, {
      method: 'OPTIONS',
      headers: { origin: server.url, 'access-control-request-method': 'POST' },
    })
    await preflight.body.dump()
    expect(preflight.statusCode).toBeGreaterThanOrEqual(400)
    const answers = [preflight, await request(`${server.url}${LIST}`, { headers: headers(own) })]
    for (const answer of answers) {
      expect(Object.keys(answer.headers).filter(name => name.startsWith('access-control'))).toEqual([])
    }
  })

  test('do not send forms or requests without preflight: their media types are refused', async () => {
    for (const type of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']) {
      const answer = await request(`${server.url}${LIST}`, {
        method: 'POST',
        headers: headers({ 'content-type': type }),
        body: JSON.stringify(setBody({ name: 'a' })),
      })
      await answer.body.dump()
      expect(answer.statusCode).toBe(415)
    }
    expect(sandbox.snapshot().sets).toEqual([])
  })

  test('are on this machine, unless dangerouslyExposeToNetwork is set', async () => {
    await expect(sandbox.listen({ host: '0.0.0.0' })).rejects.toThrow(/dangerouslyExposeToNetwork/)
    await expect(sandbox.listen({ host: 'example.invalid' })).rejects.toThrow(RangeError)
    const open = await sandbox.listen({
      host: '0.0.0.0',
      dangerouslyExposeToNetwork: true,
      allowedHosts: ['sandbox.internal'],
    })
    const local = { ...open, url: `http://127.0.0.1:${open.port}` }
    expect(await statusWith({ host: '10.0.0.1' }, local)).toBe(200)
    expect(await statusWith({ host: 'sandbox.internal:80' }, local)).toBe(200)
    expect(await statusWith({ host: 'evil.example' }, local)).toBe(403)
    await open.close()
  })
})

describe('a response over HTTP', () => {
  test('is compressed if the client accepts gzip and the body is large', async () => {
    const get = async (path: string, encoding: string) => {
      const answer = await request(server.url + path, { headers: headers({ 'accept-encoding': encoding }) })
      return {
        encoding: answer.headers['content-encoding'],
        bytes: Buffer.from(await answer.body.arrayBuffer()),
      }
    }
    const large = '/api/v2/organizations/acme/workspaces'
    const plain = await get(large, 'identity')
    const packed = await get(large, 'br, gzip;q=0.5')
    expect([plain.encoding, packed.encoding]).toEqual([undefined, 'gzip'])
    expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 3)
    expect(gunzipSync(packed.bytes).toString()).toBe(plain.bytes.toString())
    expect((await get(large, 'gzip;q=0')).encoding).toBeUndefined()
    expect((await get(LIST, 'gzip')).encoding).toBeUndefined()
  })

  test('is 413 for a body above ten mebibytes, with or without Content-Length', async () => {
    const head = `POST ${LIST} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${sandbox.token}\r\n`
    const announced = await raw(`${head}content-length: ${10 * 1024 * 1024 + 1}\r\n\r\n`)
    expect(announced).toMatch(/^HTTP\/1.1 413 /)
    const chunk = `${(1024 * 1024).toString(16)}\r\n${' '.repeat(1024 * 1024)}\r\n`
    const chunked = await raw(`${head}transfer-encoding: chunked\r\n\r\n${chunk.repeat(11)}`)
    expect(chunked).toMatch(/^HTTP\/1.1 413 /)
    expect(await statusWith({})).toBe(200)
    const exact = JSON.stringify(setBody({ name: 'a' })).padEnd(10 * 1024 * 1024)
    const answer = await request(`${server.url}${LIST}`, {
      method: 'POST',
      headers: headers({ 'content-type': MEDIA }),
      body: exact,
    })
    await answer.body.dump()
    expect(answer.statusCode).toBe(200)
  })

  test('to HEAD has the headers of GET and no body', async () => {
    const answer = await raw(
      `HEAD ${LIST} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${sandbox.token}\r\nconnection: close\r\n\r\n`,
    )
    const [head = '', body] = answer.split('\r\n\r\n')
    expect([head.split('\r\n')[0], body]).toEqual(['HTTP/1.1 200 OK', ''])
    expect(head).toMatch(/content-length: \d{3}/)
  })

  test('to a target in absolute form is the same as to its path', async () => {
    const answer = await raw(
      `GET http://localhost${LIST}?page%5Bsize%5D=7 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${sandbox.token}\r\nconnection: close\r\n\r\n`,
    )
    expect(answer).toContain('"page-size":7')
  })

  test('with the snapshot needs the admin token, and has sensitive values only on request', async () => {
    const get = async (token: string, query = '') => {
      const answer = await request(`${server.url}/sandbox/snapshot${query}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      return {
        status: answer.statusCode,
        type: answer.headers['content-type'],
        text: await answer.body.text(),
      }
    }
    sandbox.restore({
      organizations: [{ name: 'acme' }],
      sets: [{ name: 'a', variables: [{ key: 'A', category: 'env', value: 'hush', sensitive: true }] }],
    })
    expect((await get(sandbox.token)).status).toBe(404)
    expect((await get('unknown')).status).toBe(401)
    const plain = await get(sandbox.adminToken)
    expect([plain.status, plain.type]).toEqual([200, 'application/json'])
    expect(JSON.parse(plain.text)).toEqual(JSON.parse(JSON.stringify(sandbox.snapshot())))
    expect(plain.text).not.toMatch(/hush|sandbox-/)
    expect((await get(sandbox.adminToken, '?sensitive=true')).text).toContain('hush')
  })

  test('ends when the sandbox is closed, and the transport then refuses requests', async () => {
    const waiting = raw('GET / HTTP/1.1\r\nhost: localhost\r\n')
    await sandbox.close()
    expect(await waiting).toBe('')
    const refused = await sandbox
      .transport({ method: 'GET', path: LIST, headers: headers() })
      .catch(error => [error.name, error.sent])
    expect(refused).toEqual(['TransportError', 'no'])
  })

  test('a port that is in use is an error', async () => {
    await expect(sandbox.listen({ port: server.port })).rejects.toThrow(/EADDRINUSE/)
  })
})
