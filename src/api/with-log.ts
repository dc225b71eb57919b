import { type ApiRequest, type Transport, TransportError } from '../wire/transport.ts'
import type { Timing } from './timing.ts'

/** One attempt. No header, no body and no query is in it. */
export interface LogEntry {
  readonly method: ApiRequest['method']
  readonly path: string
  /** The status of an answer, or the code of a fault. */
  readonly result: number | string
  readonly milliseconds: number
}

export function withLog(
  next: Transport,
  write: (entry: LogEntry) => void,
  { now }: Pick<Timing, 'now'>,
): Transport {
  return async (request, signal) => {
    const start = now()
    const log = (result: number | string): void =>
      write({
        method: request.method,
        path: request.path,
        result,
        milliseconds: Math.round(now() - start),
      })
    try {
      const response = await next(request, signal)
      log(response.status)
      return response
    } catch (error) {
      log(error instanceof TransportError ? error.code : 'UNKNOWN')
      throw error
    }
  }
}
