import type { Transport } from '../wire/transport.ts'
import type { Token } from './token.ts'

/** Stands right above the network, so that nothing else ever sees a request that holds the token. */
export const withToken =
  (next: Transport, token: Token): Transport =>
  (request, signal) =>
    next({ ...request, headers: { ...request.headers, authorization: token.authorization() } }, signal)
