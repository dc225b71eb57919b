import { createServer as createProxy } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, connect, type Server } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeCertificates } from '../support/certificates.ts'
import { type Ended, start } from '../support/child.ts'
import { aPlace, ONE, type Place } from '../support/place.ts'
import { titled } from '../support/skipped.ts'

const certificates = makeCertificates()
const HOST = 'elsewhere.example'

async function listening(server: Pick<Server, 'listen' | 'close' | 'address'>): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()))
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

/** The service behind TLS, for the host of the certificate. */
async function withTls({ url }: Place, { key, cert }: { readonly key: string; readonly cert: string }) {
  const server = createServer({ key, cert }, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !['host', 'connection', 'content-length', 'accept-encoding'].includes(name)
        ? [[name, value] as [string, string]]
        : [],
    )
    const body = chunks.length === 0 ? null : Buffer.concat(chunks)
    const answer = await fetch(`${url}${request.url}`, { method: request.method ?? 'GET', headers, body })
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    response.end(await answer.text())
  })
  return await listening(server)
}

/** A proxy that opens tunnels, and knows where the host is. Without the login it refuses. */
async function aProxy(port: number, login = '') {
  const seen: string[] = []
  const proxy = createProxy((_, response) => void response.writeHead(400).end())
  proxy.on('connect', ({ url, headers }, client, head) => {
    seen.push(`${url}`)
    client.on('error', () => {})
    const wanted = `Basic ${Buffer.from(login).toString('base64')}`
    if (login !== '' && headers['proxy-authorization'] !== wanted)
      return void client.end('HTTP/1.1 407 Login\r\ncontent-length: 0\r\n\r\n')
    const service = connect(port, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      service.write(head)
      service.pipe(client).pipe(service)
    })
    service.on('error', () => client.destroy())
  })
  return { port: await listening(proxy), seen }
}

/** The built program, because Node reads `NODE_EXTRA_CA_CERTS` at its start. */
describe.skipIf(certificates === undefined)(
  titled('a service behind a proxy', certificates === undefined, 'no openssl on the path'),
  () => {
    if (certificates === undefined) return
    const { foreign } = certificates

    async function behind(login = '') {
      const place = await aPlace({ ...ONE, 'authority.pem': foreign.cert })
      const proxy = await aProxy(await withTls(place, foreign), login)
      const run = (argv: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> =>
        start(argv, {
          cwd: place.cwd,
          env: {
            SETPOINT_ADDRESS: `https://${HOST}`,
            SETPOINT_TOKEN: place.sandbox.token,
            NODE_EXTRA_CA_CERTS: join(place.cwd, 'authority.pem'),
            ...env,
          },
        }).ended
      return { ...place, ...proxy, run }
    }

    test('is planned and applied through it, with the authority of docs/connect.md#proxies-and-certificates', async () => {
      const { port, seen, run, live } = await behind()
      const applied = await run(['apply', '--auto-approve'], { HTTPS_PROXY: `http://127.0.0.1:${port}` })
      expect(applied).toMatchObject({ code: 0, stderr: '' })
      expect(live()).toEqual(['a  env/A=1'])
      expect(new Set(seen)).toEqual(new Set([`${HOST}:443`]))
    })

    test('is reached with the login in the address of the proxy, and an error never shows it', async () => {
      const { port, run } = await behind('user:pass-w\u00f6rd')
      const right = await run(['plan'], { HTTPS_PROXY: `user:pass-w%C3%B6rd@127.0.0.1:${port}` })
      expect(right).toMatchObject({ code: 0, stderr: '' })
      const wrong = await run(['plan'], { HTTPS_PROXY: `user:other@127.0.0.1:${port}` })
      expect([wrong.code, wrong.stderr]).toEqual([
        1,
        `error service-failure
  GET /api/v2/organizations/acme/varsets on ${HOST}: the proxy asks for a user name and a password (407) (PROXY_LOGIN).
  Set both in HTTPS_PROXY (HTTP_PROXY for an http: address), as http://USER:PASSWORD@HOST:PORT.
`,
      ])
    })

    test('is not asked through it if NO_PROXY has the host, by a network or a name', async () => {
      const { port, seen, run } = await behind()
      const env = { HTTPS_PROXY: `http://127.0.0.1:${port}` }
      const direct = await run(['plan'], { ...env, NO_PROXY: `192.0.2.0/24,.test, *.example` })
      expect([direct.code, direct.stderr]).toEqual([1, expect.stringMatching(/ENOTFOUND|EAI_AGAIN/)])
      const other = await run(['plan'], { ...env, HTTPS_PROXY: '', HTTP_PROXY: env.HTTPS_PROXY })
      expect([other.code, other.stderr]).toEqual([1, expect.stringMatching(/ENOTFOUND|EAI_AGAIN/)])
      expect(seen).toEqual([])
    })

    test('whose certificate a private authority signed needs the file of the authority, which the error says', async () => {
      const { port, run } = await behind()
      const { code, stderr } = await run(['plan'], {
        HTTPS_PROXY: `http://127.0.0.1:${port}`,
        NODE_EXTRA_CA_CERTS: '',
      })
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(
          'the certificate of the service is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT).\n  If a private certificate authority signed it, set NODE_EXTRA_CA_CERTS to the PEM file of the authority.',
        ),
      ])
    })
  },
)
