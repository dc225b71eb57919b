import type { Checked, Diagnostic } from '../model/diagnostic.ts'

/** Environment variables by name. An empty one counts as not set: so CI systems hand over a missing secret. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Where the service is. */
export interface Address {
  /** Origin, and a base path where there is one, without a slash at the end. */
  readonly url: string
  /** With the port where it is not the scheme's own: what credentials are named after. */
  readonly host: string
  /** Where it was found, such as `TFE_ADDRESS`. */
  readonly place: string
}

const DEFAULT_ADDRESS = 'https://app.terraform.io'

/** The flag, `SETPOINT_ADDRESS`, `TFE_ADDRESS`, `TFE_HOSTNAME`, in this order; the public service where none is set. */
export function readAddress(flag: string | undefined, environment: Environment): Checked<Address> {
  const hostname = environment.TFE_HOSTNAME
  const candidates: readonly (readonly [place: string, text: string | undefined])[] = [
    ['--address', flag],
    ['SETPOINT_ADDRESS', environment.SETPOINT_ADDRESS],
    ['TFE_ADDRESS', environment.TFE_ADDRESS],
    ['TFE_HOSTNAME', hostname === undefined || hostname === '' ? undefined : `https://${hostname}`],
  ]
  const [place, text] = candidates.find(([, text]) => text !== undefined && text !== '') ?? []
  return checkAddress(text ?? DEFAULT_ADDRESS, place ?? 'default')
}

/** Not `URL.canParse`: Node 20 denies hosts with letters such as "ü" once it has been called some thousand times. */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/**
 * Refuses what could carry the token elsewhere or unencrypted. The address is not quoted: one that
 * is written wrongly may hold a password.
 */
export function checkAddress(text: string, place: string): Checked<Address> {
  const refuse = (message: string, hint: string): Checked<Address> => ({
    value: undefined,
    diagnostics: [{ severity: 'error', code: 'bad-address', message: `${place}: ${message}`, hint }],
  })
  const example = `write it like ${DEFAULT_ADDRESS}`
  if (!/^https?:\/\/[^/]/i.test(text)) return refuse('the address does not start with https://', example)
  if (/[^\x21-\x7e\u00a1-\uffff]|\\/.test(text))
    return refuse('the address holds a space, a backslash or an invisible character', example)
  const url = parseUrl(text)
  if (url === undefined) return refuse('the address makes no sense', example)
  if (url.username !== '' || url.password !== '' || /^[^/]*\/\/[^/]*@/.test(text))
    return refuse('the address holds a user name or a password', 'leave out everything up to the @')
  if (url.search !== '' || url.hash !== '' || /[?#]/.test(text))
    return refuse('the address holds a query or a fragment', 'leave out everything from the ? or # on')
  if (url.protocol !== 'https:' && !isLoopback(url.hostname))
    return refuse('plain http would send the token unencrypted', 'use https; http is for this machine only')
  const path = url.pathname.replace(/\/+$/, '')
  if (/(?:^|\/)api\/v2$/.test(path))
    return refuse('the address ends in /api/v2', 'leave that out: it is added to every request')
  const diagnostics: readonly Diagnostic[] = []
  return { value: { url: `${url.origin}${path}`, host: url.host, place }, diagnostics }
}

/**
 * Whether a host, as `new URL` writes it, is this machine: `localhost`, 127.0.0.0/8, `[::1]`. That form is canonical, so
 * `127.1` and `2130706433` have become `127.0.0.1`, and `127.0.0.1.evil.example` stays what it is.
 */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
