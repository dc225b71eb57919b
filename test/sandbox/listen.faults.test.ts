import { connect } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createSandbox, type Fault, type Sandbox } from '../../src/sandbox/index.ts'
import { MEDIA, setBody } from '../contract/subject.ts'

let sandbox: Sandbox
afterEach(() => sandbox.close())

/** Sends one create over a socket. Returns all bytes until the other side closes it or the time is over. */
async function meet(fault: Fault) {
  sandbox = await createSandbox()
  const { port } = await sandbox.listen({ faults: { at: { 0: fault } } })
  const body = JSON.stringify(setBody({ name: 'a' }))
  const head = [
    'POST /api/v2/organizations/acme/varsets HTTP/1.1',
    `host: 127.0.0.1:${port}`,
    `authorization: Bearer ${sandbox.token}`,
    `content-type: ${MEDIA}`,
    `content-length: ${body.length}`,
    'connection: close',
  ]
  const text = await new Promise<string>(resolve => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`))
    // A stalled response never ends, so the bytes up to now are everything.
    const silence = fault.kind === 'stalled' ? setTimeout(() => socket.destroy(), 2_000) : undefined
    socket.on('data', data => {
      received += data.toString()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(silence)
      resolve(received)
    })
  })
  const [headers = '', ...rest] = text.split('\r\n\r\n')
  const length = /content-length: (\d+)/i.exec(headers)?.[1]
  return {
    status: Number(headers.split(' ')[1] ?? 0),
    headers: headers.toLowerCase(),
    body: rest.join('\r\n\r\n'),
    announced: length === undefined ? undefined : Number(length),
    written: (sandbox.snapshot().sets ?? []).length,
  }
}

describe('a fault on the socket', () => {
  test('close: no byte arrives, whether the service executed the request or not', async () => {
    expect(await meet({ kind: 'close', commit: 'before' })).toMatchObject({
      headers: '',
      body: '',
      written: 0,
    })
    await sandbox.close()
    expect(await meet({ kind: 'close', commit: 'after' })).toMatchObject({
      headers: '',
      body: '',
      written: 1,
    })
  })

  test('truncated: half of the announced bytes arrive, then the connection closes', async () => {
    const { status, body, announced = 0, written } = await meet({ kind: 'truncated' })
    expect([status, written, Buffer.byteLength(body)]).toEqual([200, 1, Math.floor(announced / 2)])
    expect(announced).toBeGreaterThan(100)
  })

  test('cut: half of a body arrives, without any sign in length or chunks', async () => {
    const { status, headers, body, announced, written } = await meet({ kind: 'cut' })
    expect([status, announced, headers.includes('chunked'), written]).toEqual([200, undefined, false, 1])
    expect(body.startsWith('{"data":{"id":"varset-')).toBe(true)
    expect(() => JSON.parse(body)).toThrow()
  })

  test('stalled: half of the announced bytes arrive, and the connection stays open', async () => {
    const { status, body, announced = 0, written } = await meet({ kind: 'stalled' })
    expect([status, written, Buffer.byteLength(body)]).toEqual([200, 1, Math.floor(announced / 2)])
  })

  test('empty, html, 429 and 503 are complete responses', async () => {
    expect(await meet({ kind: 'empty' })).toMatchObject({ status: 200, body: '', announced: 0, written: 1 })
    await sandbox.close()
    const html = await meet({ kind: 'html', commit: 'before' })
    expect(html).toMatchObject({ status: 200, body: expect.stringContaining('<html>'), written: 0 })
    await sandbox.close()
    const many = await meet({ kind: 'too-many', hint: 'reset', wait: 0.25 })
    expect(many).toMatchObject({
      status: 429,
      headers: expect.stringContaining('x-ratelimit-reset: 0.25'),
      written: 0,
    })
    await sandbox.close()
    expect(await meet({ kind: 'error', status: 503, commit: 'after' })).toMatchObject({
      status: 503,
      written: 1,
    })
  })
})
