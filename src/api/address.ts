import { type Checked, mistake } from '../model/diagnostic.ts'

/** Environment variables by name. An empty one counts as unset, because CI systems pass a missing secret like that. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Where the service is. */
export interface Address {
  /** Origin and base path, without a trailing slash. */
  readonly url: string
  /** With the port unless it is the default of the scheme. Credentials are named after it. */
  readonly host: string
  /** Where it was found, such as `TFE_ADDRESS`. */
  readonly source: string
}

const DEFAULT_ADDRESS = 'https://app.terraform.io'

/** The flag, `SETPOINT_ADDRESS`, `TFE_ADDRESS` or `TFE_HOSTNAME`, in this order. Default: the public service. */
export function readAddress(flag: string | undefined, environment: Environment): Checked<Address> {
  const hostname = environment.TFE_HOSTNAME
  const candidates: readonly (readonly [source: string, text: string | undefined])[] = [
    ['--address', flag],
    ['SETPOINT_ADDRESS', environment.SETPOINT_ADDRESS],
    ['TFE_ADDRESS', environment.TFE_ADDRESS],
    ['TFE_HOSTNAME', hostname === undefined || hostname === '' ? undefined : `https://${hostname}`],
  ]
  const [source, text] = candidates.find(([, text]) => text !== undefined && text !== '') ?? []
  return checkAddress(text ?? DEFAULT_ADDRESS, source ?? 'default')
}

/** Not `URL.canParse`: after some thousand calls Node 20 rejects hosts with letters such as "ü". */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** Refuses an address that could send the token elsewhere or unencrypted. Never quotes it: a malformed one may contain a password. */
export function checkAddress(text: string, source: string): Checked<Address> {
  const refuse = (problem: string, hint: string): Checked<Address> => ({
    value: undefined,
    diagnostics: [mistake('bad-address', `${source} ${problem}`, hint)],
  })
  const example = `Write it in the form ${DEFAULT_ADDRESS}.`
  if (/^https?:\/\/https?:/i.test(text))
    return refuse(
      source === 'TFE_HOSTNAME' ? 'is not a valid host name.' : 'has https:// twice.',
      source === 'TFE_HOSTNAME' ? 'Write the host alone, such as app.terraform.io.' : example,
    )
  if (!/^https?:\/\/[^/]/i.test(text)) return refuse('does not start with https://.', example)
  if (/[^\x21-\x7e\u00a1-\uffff]|\\/.test(text))
    return refuse('contains a space, a backslash or an invisible character.', example)
  const url = parseUrl(text)
  if (url === undefined) return refuse('is not a valid URL.', example)
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/]*@/.test(text))
    return refuse('contains a user name or a password.', 'Remove everything up to the @.')
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text))
    return refuse('contains a query or a fragment.', 'Remove everything from the ? or # on.')
  if (url.protocol !== 'https:' && !isLoopback(url.hostname))
    return refuse(
      'uses plain http, which would send the token unencrypted.',
      'Use https. Plain http is allowed for this machine only.',
    )
  const path = url.pathname.replace(/\/+$/, '')
  if (/(?:^|\/)api\/v2$/.test(path))
    return refuse('ends in /api/v2.', 'Remove that part. Setpoint adds it to every request.')
  if (/^\/app(?:\/|$)/.test(path))
    return refuse('is the address of a page.', `Remove what follows the host: ${example}`)
  return { value: { url: `${url.origin}${path}`, host: url.host, source }, diagnostics: [] }
}

/**
 * Whether a host is this machine: `localhost`, 127.0.0.0/8 or `[::1]`. Expects the canonical form of `new URL`, which turns `127.1` and
 * `2130706433` into `127.0.0.1`, and keeps `127.0.0.1.evil.example`.
 */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)

/** The form of `new URL`: lower case, punycode, without the port 443. `undefined` if it is no host. */
export const canonicalHost = (written: string): string | undefined =>
  /^[^\s/?#@\\]+$/.test(written) ? parseUrl(`https://${written}`)?.host : undefined
