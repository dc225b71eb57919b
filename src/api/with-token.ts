import type { ApiResponse, Transport } from '../wire/transport.ts'
import type { Token } from './token.ts'

/**
 * Stands right above the network, so that nothing else ever sees a request that holds the token; nor an answer that does,
 * for a service or a proxy may quote it in an error.
 */
export const withToken =
  (next: Transport, token: Token): Transport =>
  async (request, signal) => {
    const headers = { ...request.headers, authorization: token.authorization() }
    return withoutToken(await next({ ...request, headers }, signal), token)
  }

/** What the service stores is never changed by chance: what is compared has to stay what it is. */
function withoutToken(response: ApiResponse, token: Token): ApiResponse {
  if (response.status >= 200 && response.status <= 299) return response
  const headers = Object.entries(response.headers).map(([name, value]) => [name, token.removeFrom(value)])
  return { ...response, headers: Object.fromEntries(headers), body: token.removeFrom(response.body) }
}
