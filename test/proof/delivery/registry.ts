import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The document of a package in an npm registry. `npm publish` sends it with the tarballs attached. */
interface Packument {
  readonly name: string
  readonly versions: Readonly<Record<string, object>>
  readonly 'dist-tags': Readonly<Record<string, string>>
  readonly _attachments?: Readonly<Record<string, { readonly data: string }>>
}

export interface Registry {
  readonly url: string
  /** `PUT` and `GET`, in order, with their paths. */
  readonly log: readonly string[]
  close(): void
}

/**
 * The part of an npm registry that publishing and installing need, on loopback. A version can be published once, with the
 * token.
 */
export async function aRegistry(token: string): Promise<Registry> {
  const packages = new Map<string, Packument>()
  const tarballs = new Map<string, Buffer>()
  const log: string[] = []
  const server = createServer((request, response) => {
    answer(request).then(
      ([status, body]) => response.writeHead(status).end(Buffer.isBuffer(body) ? body : JSON.stringify(body)),
      () => response.destroy(),
    )
  })

  async function answer(request: IncomingMessage): Promise<[number, Buffer | object]> {
    const path = decodeURIComponent(request.url ?? '').slice(1)
    log.push(`${request.method} ${path}`)
    if (request.method === 'PUT') {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part)
      if (request.headers.authorization !== `Bearer ${token}`) return [401, { error: 'no token' }]
      return publish(path, JSON.parse(Buffer.concat(parts).toString()))
    }
    const found = request.method === 'GET' ? (tarballs.get(path) ?? packages.get(path)) : undefined
    return found === undefined ? [404, { error: 'not found' }] : [200, found]
  }

  function publish(name: string, { _attachments = {}, ...sent }: Packument): [number, object] {
    const known = packages.get(name)
    if (Object.keys(sent.versions).some(version => known?.versions[version] !== undefined))
      return [403, { error: 'a version is published once' }]
    for (const [file, { data }] of Object.entries(_attachments))
      tarballs.set(`${name}/-/${file}`, Buffer.from(data, 'base64'))
    packages.set(name, { ...sent, versions: { ...known?.versions, ...sent.versions } })
    return [201, {}]
  }

  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    log,
    close: () => server.close().closeAllConnections(),
  }
}
