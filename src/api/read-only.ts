import type { ReadTransport, Transport } from '../wire/transport.ts'

/** A transport that cannot write: by its type, and for callers who know no types at run time too. */
export const readOnly =
  (next: Transport): ReadTransport =>
  async (request, signal) => {
    const method: string = request.method
    if (method !== 'GET') throw new TypeError(`a read-only transport was given a ${method}`)
    return await next(request, signal)
  }
