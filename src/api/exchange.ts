import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Dispatcher } from 'undici'
import type { ApiResponse } from '../wire/transport.ts'
import { ABORTED, codeOf, DEADLINE, NetworkFault, PROXY } from './errors.ts'

/** A response as it came, with its body still compressed. */
interface RawResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface ExchangeLimits {
  /** Milliseconds from now for connecting, sending and reading the whole response. */
  readonly deadline: number
  readonly maxBytes: number
}

/**
 * One request and its complete response, whose length undici checks. Rejects with a `NetworkFault`. It uses undici's dispatcher and not its
 * `request`, because the dispatcher tells when a request goes to a socket. Before that nothing was sent, for certain.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
  signal: AbortSignal | undefined,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let settled = false
    let status = 0
    let headers: Readonly<Record<string, string>> = {}
    const chunks: Buffer[] = []
    let size = 0

    const settle = (): boolean => {
      if (settled) return false
      settled = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      return true
    }
    const fail = (code: string): void => {
      if (!settle()) return
      reject(new NetworkFault(code, controller !== undefined))
      controller?.abort(new Error(code))
    }
    const onAbort = (): void => fail(ABORTED)
    const timer = setTimeout(() => fail(DEADLINE), limits.deadline)
    if (signal?.aborted === true) return fail(ABORTED)
    signal?.addEventListener('abort', onAbort)

    const answer: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        // It was cancelled while it waited for a connection, or the HTTP client is about to send it a second time.
        if (settled || controller !== undefined) started.abort(new Error(ABORTED))
        controller = started
      },
      onResponseStart(_, code, received) {
        status = code
        headers = joined(received)
      },
      onResponseData(_, chunk) {
        size += chunk.length
        if (size > limits.maxBytes) fail('TOO_LARGE')
        else chunks.push(chunk)
      },
      onResponseEnd() {
        if (settle()) resolve({ status, headers, body: Buffer.concat(chunks) })
      },
      onResponseError(_, error) {
        const code = codeOf(error)
        fail(code === 'UND_ERR_ABORTED' && controller === undefined ? PROXY : code)
      },
    }
    try {
      dispatcher.dispatch(request, answer)
    } catch (error) {
      fail(codeOf(error))
    }
  })
}

const joined = (headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === 'string' ? value : value.join(', ')]],
    ),
  )

const inflate = promisify(gunzip)

/** The response as text. Decompression stops at `maxBytes`, against small bombs (docs/fault-model.md F-06). Rejects with a `NetworkFault`. */
export async function unpack(
  { status, headers, body }: RawResponse,
  maxBytes: number,
  text: 'utf-8' | 'latin1' = 'utf-8',
): Promise<ApiResponse> {
  const bytes = await plainBytes(body, headers['content-encoding'], maxBytes)
  if (text === 'latin1') return { status, headers, body: bytes.toString('latin1') }
  try {
    return { status, headers, body: new TextDecoder('utf-8', { fatal: true }).decode(bytes) }
  } catch {
    throw new NetworkFault('BAD_TEXT', true)
  }
}

async function plainBytes(body: Buffer, encoding: string | undefined, maxBytes: number): Promise<Buffer> {
  const packed = (encoding ?? 'identity').trim().toLowerCase()
  if (packed === 'identity' || packed === '' || body.length === 0) return body
  if (packed !== 'gzip' && packed !== 'x-gzip') throw new NetworkFault('BAD_ENCODING', true)
  try {
    return await inflate(body, { maxOutputLength: maxBytes })
  } catch (error) {
    throw new NetworkFault(codeOf(error) === 'ERR_BUFFER_TOO_LARGE' ? 'TOO_LARGE' : 'BAD_ENCODING', true)
  }
}
