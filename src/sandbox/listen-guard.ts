import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'

export const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/**
 * Why a request is turned away before it is looked at: undefined where it is not. A page in a browser on this machine must
 * not reach the sandbox, by its own request or by a name that it points to this machine.
 * `names` are host names allowed besides loopback ones; `exposed` allows any address that is a number.
 */
export function forbiddenBecause(
  headers: IncomingHttpHeaders,
  options: { readonly names: readonly string[]; readonly exposed: boolean },
): string | undefined {
  const host = hostName(headers.host)
  if (host === undefined) return 'The Host header is missing or malformed'
  const allowed = isLoopback(host) || options.names.includes(host) || (options.exposed && isIP(host) !== 0)
  if (!allowed) return `The host "${host}" is not served here`
  const { origin } = headers
  if (origin !== undefined && origin !== `http://${headers.host}`)
    return 'Requests of other web pages are refused'
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return 'Requests of other web pages are refused'
  }
  return undefined
}

/** `localhost:8080` and `[::1]:8080` without port and brackets. */
function hostName(host: string | undefined): string | undefined {
  const found = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+))(?::\d{1,5})?$/i.exec(host ?? '')
  return (found?.[1] ?? found?.[2])?.toLowerCase()
}
