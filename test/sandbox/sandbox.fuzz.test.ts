import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createSandbox, type Listening, type Sandbox } from '../../src/sandbox/index.ts'
import { MEDIA } from '../contract/subject.ts'

let sandbox: Sandbox
let server: Listening
beforeAll(async () => {
  sandbox = await createSandbox()
  server = await sandbox.listen()
})
afterAll(() => sandbox.close())

const segment = fc.oneof(
  fc.constantFrom(
    'api',
    'v2',
    'organizations',
    'acme',
    'varsets',
    'workspaces',
    'projects',
    'relationships',
    'vars',
    '..',
    '.',
    '',
    '%00',
    '%',
    '%2f',
    '*',
    'sandbox',
    'snapshot',
    '__proto__',
    'constructor',
    'ping',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const path = fc.array(segment, { maxLength: 8 }).map(segments => `/${segments.join('/')}`)
const known = fc.constantFrom(
  '/api/v2/organizations/acme/varsets',
  '/api/v2/organizations/acme/workspaces',
  '/api/v2/organizations/acme/projects',
  '/api/v2/organizations',
)
const method = fc.oneof(fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE'), fc.string({ maxLength: 5 }))
const word = fc.constantFrom(
  'data',
  'type',
  'id',
  'attributes',
  'relationships',
  'name',
  'key',
  'vars',
  'varsets',
  'workspaces',
  'category',
  'env',
  '__proto__',
  'toString',
)
const json = fc.letrec(tie => ({
  node: fc.oneof(
    { maxDepth: 5 },
    fc.jsonValue({ maxDepth: 2 }),
    word,
    fc.dictionary(word, tie('node'), { maxKeys: 4 }),
    fc.array(tie('node'), { maxLength: 3 }),
  ),
})).node
const body = fc.oneof(
  json.map(value => JSON.stringify(value)),
  fc.string({ unit: 'binary' }),
  fc.constant('['.repeat(100_000)),
  fc.constant(undefined),
)
const query = fc.dictionary(
  fc.constantFrom(
    'page[number]',
    'page[size]',
    'q',
    'include',
    'filter[names]',
    'search[wildcard-name]',
    '__proto__',
    'x',
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
)

describe('any input', () => {
  test('the transport always responds, and never with a server error', async () => {
    await fc.assert(
      fc.asyncProperty(method, fc.oneof(path, known), query, body, async (verb, target, parameters, text) => {
        const answer = await sandbox.transport({
          method: verb as 'GET',
          path: target,
          query: parameters,
          headers: { authorization: `Bearer ${sandbox.adminToken}`, 'content-type': MEDIA, host: 'h"<>\n' },
          ...(text === undefined ? {} : { body: text }),
        })
        expect(answer.status).toBeLessThan(500)
        if (answer.body !== '') JSON.parse(answer.body)
      }),
      { seed: 7, numRuns: 3000 },
    )
  })

  test('the listener survives any bytes and still responds', async () => {
    const send = (bytes: Uint8Array) =>
      new Promise<void>(resolve => {
        const socket = connect(server.port, '127.0.0.1', () => socket.end(bytes))
        socket.on('error', () => undefined)
        socket.on('close', () => resolve())
        socket.resume()
      })
    const line = fc
      .tuple(
        fc.oneof(method, fc.constantFrom('CONNECT', 'TRACE', 'PRI')),
        fc.oneof(path, known, fc.constantFrom('*', 'http://', 'http://[', '//x', '?', '#')),
      )
      .map(([verb, target]) =>
        Buffer.from(
          `${verb} ${target} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\nupgrade: x\r\nexpect: 100-continue\r\nauthorization: Bearer ${sandbox.token}\r\n\r\n{}`,
        ),
      )
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.uint8Array({ maxLength: 200 }), line), async bytes => {
        await send(bytes)
      }),
      { seed: 7, numRuns: 400 },
    )
    const answer = await fetch(`${server.url}/api/v2/ping`)
    expect(answer.status).toBe(204)
  })
})
