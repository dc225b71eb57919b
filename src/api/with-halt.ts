import { type ApiRequest, type Transport, TransportError } from '../wire/transport.ts'
import { ABORTED, REFUSED_TOKEN } from './fault.ts'

export interface Halted {
  readonly transport: Transport
  /** Aborted when the user asks to stop, or the service refuses the token: nothing is repeated any more. */
  readonly halt: AbortSignal
}

/**
 * The last thing before the network: what waited for its turn, or to be repeated, does not leave any more. After `stop`
 * that is every write, for reads still tell what came of those; after a 401 it is every request (docs/fault-model.md F-14, F-22).
 */
export function withHalt(next: Transport, stop?: AbortSignal): Halted {
  const refused = new AbortController()
  const halt = new AbortController()
  if (stop?.aborted === true) halt.abort()
  for (const one of [stop, refused.signal]) one?.addEventListener('abort', () => halt.abort())
  return {
    halt: halt.signal,
    transport: async (request, signal) => {
      if (refused.signal.aborted)
        throw unsent(request, REFUSED_TOKEN, 'not sent, for the service had refused the token')
      if (stop?.aborted === true && request.method !== 'GET')
        throw unsent(request, ABORTED, 'not sent, for the run was interrupted')
      const response = await next(request, signal)
      if (response.status === 401) refused.abort()
      return response
    },
  }
}

const unsent = ({ method, path }: ApiRequest, code: string, why: string): TransportError =>
  new TransportError(`${method} ${path}: ${why}`, { sent: 'no', code })
