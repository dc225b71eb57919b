import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  createSet,
  many,
  type Open,
  type Subject,
  setBody,
  traitsOf,
  variableBody,
  workspaceId,
} from './subject.ts'

const TOKENS = [
  { token: 'token-none', permission: 'none' },
  { token: 'token-read', permission: 'read-variables' },
  { token: 'token-manage', permission: 'manage-workspaces' },
  { token: 'token-elsewhere', permission: 'manage-workspaces', organizations: ['other'] },
] as const

/** docs/service.md 5 and 6. */
export function accessCases(open: Open): void {
  let subject: Subject
  let set: string
  beforeEach(async () => {
    subject = await open({ tokens: TOKENS })
    set = await createSet(subject, { name: 'aws' })
  })
  afterEach(() => subject.close())

  const reads = () => [
    ['GET', 'organizations/acme/varsets'],
    ['GET', `varsets/${set}`],
    ['GET', `varsets/${set}/relationships/vars`],
    ['GET', `workspaces/${workspaceId(subject, 'network-prod')}/varsets`],
  ]
  const writes = () => {
    const workspaces = many('workspaces', [workspaceId(subject, 'network-prod')])
    return [
      ['POST', 'organizations/acme/varsets', setBody({ name: 'b' })],
      ['PATCH', `varsets/${set}`, setBody({ description: 'd' })],
      ['PUT', `varsets/${set}`, setBody({ description: 'd' })],
      ['POST', `varsets/${set}/relationships/vars`, variableBody({ key: 'A', category: 'env' })],
      ['POST', `varsets/${set}/relationships/workspaces`, workspaces],
      ['DELETE', `varsets/${set}/relationships/workspaces`, workspaces],
      ['DELETE', `varsets/${set}`],
    ] as const
  }
  const statuses = async (token: string, requests: readonly (readonly unknown[])[]) => {
    const found: number[] = []
    for (const [method, path, body] of requests) {
      const options = { token, ...(body === undefined ? {} : { body }) }
      found.push((await subject.ask(String(method), String(path), options)).status)
    }
    return [...new Set(found)]
  }

  test('every request without a known token returns 401 with an error object', async () => {
    expect(await statuses('unknown', [...reads(), ...writes()])).toEqual([401])
    for (const authorization of ['', 'Bearer', 'Bearer ', 'Basic token-manage', 'token-manage']) {
      const answer = await subject.ask('GET', `varsets/${set}`, { headers: { authorization } })
      expect([answer.status, answer.body]).toEqual([
        401,
        { errors: [{ status: '401', title: 'unauthorized' }] },
      ])
    }
    const lower = await subject.ask('GET', `varsets/${set}`, {
      headers: { authorization: 'bearer token-manage' },
    })
    expect(lower.status).toBe(200)
  })

  test('a token without permission gets 404, as for a missing object (5)', async () => {
    expect(await statuses('token-none', [...reads(), ...writes()])).toEqual([404])
    const answer = await subject.ask('GET', `varsets/${set}`, { token: 'token-none' })
    expect(answer.body).toEqual({ errors: [{ status: '404', title: 'not found' }] })
  })

  test('"read variables" can read and cannot write (5)', async () => {
    expect(await statuses('token-read', reads())).toEqual([200])
    expect(await statuses('token-read', writes())).toEqual([404])
    const [whole, seen] = await Promise.all(
      [subject.sandbox.token, 'token-read'].map(token => subject.ask('GET', `varsets/${set}`, { token })),
    )
    expect(JSON.stringify(seen?.body).replace('"can-update":false', '"can-update":true')).toBe(
      JSON.stringify(whole?.body),
    )
  })

  test('"manage all workspaces" can read and write (5)', async () => {
    expect(await statuses('token-manage', reads())).toEqual([200])
    const { created } = traitsOf(subject)
    expect(await statuses('token-manage', writes())).toEqual([...new Set([...created, 200, 204])])
  })

  test('a token of another organization finds nothing here', async () => {
    expect(await statuses('token-elsewhere', [...reads(), ...writes()])).toEqual([404])
  })

  test('a path that does not exist returns 404, whatever the method', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      expect((await subject.ask(method, 'nowhere')).status).toBe(404)
    }
    expect((await subject.ask('DELETE', 'organizations/acme/varsets')).status).toBe(404)
    expect((await subject.ask('GET', 'varsets/%E0%A4%A')).status).toBe(404)
  })
}
