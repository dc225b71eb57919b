import type { Dispatcher } from 'undici'
import { ABORTED, codeOf, DEADLINE, Fault, PROXY } from './fault.ts'

/** An answer as it came: the body still packed. */
export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface ExchangeLimits {
  /** Milliseconds from now for connecting, sending and reading to the end, however slowly bytes drip. */
  readonly deadline: number
  readonly maxBytes: number
}

/**
 * One request and its answer, read to the end; undici compares it with the length that was announced. Rejects with a
 * `Fault`. It speaks to undici's dispatcher instead of its
 * `request`, because the dispatcher says when a request goes to a socket: before that nothing was sent, for certain.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: ExchangeLimits,
  signal: AbortSignal | undefined,
): Promise<RawAnswer> {
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
      reject(new Fault(code, controller !== undefined))
      controller?.abort(new Error(code))
    }
    const onAbort = (): void => fail(ABORTED)
    const timer = setTimeout(() => fail(DEADLINE), limits.deadline)
    if (signal?.aborted === true) return fail(ABORTED)
    signal?.addEventListener('abort', onAbort)

    const answer: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        // Given up while it waited for a connection, or about to be sent a second time by the client itself.
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
