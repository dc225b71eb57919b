import { createServer } from 'node:http'
import { crc32, deflateRawSync } from 'node:zlib'
import { onTestFinished } from 'vitest'

/** The response of a forge for a path: a document, or a response with status, headers and bytes. */
export type Route = object | Answer
export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | Buffer
}

export interface Routes {
  readonly url: string
  /** Method and path of each request, in order; with `: another token` if the token was not the expected one. */
  readonly seen: readonly string[]
  /** The texts of posted comments, in order. */
  readonly comments: () => readonly string[]
}

/**
 * A forge as a table of paths, for requests in any order. A list is one page, unless its path has keys with `page=1`, … `token`
 * undefined: a store that must get no token. Unknown paths get 404.
 */
export async function routes(
  token: string | undefined,
  table: (url: string) => Readonly<Record<string, Route>>,
): Promise<Routes> {
  const seen: string[] = []
  const comments: string[] = []
  let url = ''
  const server = createServer((request, response) => {
    const asked = request.url ?? ''
    const path = asked
      .replace(/([?&])(?:per_page|page)=\d+/g, '$1')
      .replace(/[?&]+$/, '')
      .replace(/\?&+/, '?')
    const paged = `${request.method} ${path}&page=${/[?&]page=(\d+)/.exec(asked)?.[1]}`
    const isExpected = request.headers.authorization === (token === undefined ? undefined : `Bearer ${token}`)
    seen.push(`${request.method} ${path}${isExpected ? '' : ': another token'}`)
    let sent = ''
    request.on('data', part => {
      sent += part
    })
    request.on('end', () => {
      if (request.method === 'POST' && sent !== '') comments.push(JSON.parse(sent).body)
    })
    const known = table(url)
    const route = isExpected ? (known[paged] ?? known[`${request.method} ${path}`]) : undefined
    const answer = route === undefined ? { status: 404, body: { message: 'Not Found' } } : answerOf(route)
    const { body } = answer
    const isBytes = Buffer.isBuffer(body)
    response.writeHead(answer.status, {
      'content-type': isBytes ? 'application/zip' : 'application/json',
      ...('headers' in answer ? answer.headers : {}),
    })
    response.end(body === undefined ? '' : isBytes ? body : JSON.stringify(body))
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => new Promise<void>(done => void server.close(() => done())))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  url = `http://127.0.0.1:${address.port}`
  return { url, seen, comments: () => comments }
}

const answerOf = (route: Route): Answer =>
  'status' in route && typeof route.status === 'number' ? (route as Answer) : { status: 200, body: route }

export interface ZipFile {
  readonly name: string
  readonly text: string
  /** The following make the archive invalid. */
  readonly flags?: number
  readonly method?: number
  readonly size?: number
  readonly checksum?: number
  readonly mode?: number
  readonly localName?: string
  /** Instead of the compressed text. */
  readonly packed?: Buffer
}

/** A zip archive as a forge makes it: sizes after the data, names in UTF-8. */
export function zipOf(files: readonly ZipFile[], comment = ''): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const file of files) {
    const bytes = Buffer.from(file.text)
    const method = file.method ?? 8
    const packed = file.packed ?? (method === 8 ? deflateRawSync(bytes) : bytes)
    const flags = file.flags ?? 0b1000_0000_1000
    const checksum = file.checksum ?? crc32(bytes)
    const size = file.size ?? bytes.length
    const name = Buffer.from(file.name)
    const localName = Buffer.from(file.localName ?? file.name)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(20, 4)
    local.writeUInt16LE(flags, 6)
    local.writeUInt16LE(method, 8)
    local.writeUInt16LE(localName.length, 26)
    const descriptor = Buffer.alloc(16)
    descriptor.writeUInt32LE(0x08074b50, 0)
    descriptor.writeUInt32LE(checksum, 4)
    descriptor.writeUInt32LE(packed.length, 8)
    descriptor.writeUInt32LE(size, 12)
    const central = Buffer.alloc(46)
    central.writeUInt32LE(0x02014b50, 0)
    central.writeUInt16LE(0x0314, 4)
    central.writeUInt16LE(20, 6)
    central.writeUInt16LE(flags, 8)
    central.writeUInt16LE(method, 10)
    central.writeUInt32LE(checksum, 16)
    central.writeUInt32LE(packed.length, 20)
    central.writeUInt32LE(size, 24)
    central.writeUInt16LE(name.length, 28)
    central.writeUInt32LE(((file.mode ?? 0o100644) << 16) >>> 0, 38)
    central.writeUInt32LE(offset, 42)
    centrals.push(central, name)
    const parts = [local, localName, packed, descriptor]
    locals.push(...parts)
    offset += parts.reduce((sum, part) => sum + part.length, 0)
  }
  const list = Buffer.concat(centrals)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(files.length, 8)
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(list.length, 12)
  end.writeUInt32LE(offset, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...locals, list, end, Buffer.from(comment)])
}
