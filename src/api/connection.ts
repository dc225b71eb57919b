import type { Checked, Diagnostic } from '../model/diagnostic.ts'
import { parseJson } from '../model/json.ts'
import { Token, tokenText } from './client.ts'
import { isMembers } from './document.ts'

/** Address and token of the service. The token cannot be printed. */
interface Connection {
  /** Origin and base path, such as `https://app.terraform.io`. */
  readonly address: string
  readonly token: Token
  /** Where the two were found, such as `TFE_ADDRESS`. Shown by `--verbose`. */
  readonly addressPlace: string
  readonly tokenPlace: string
}

/** Everything outside of the repository that can hold a token. */
interface CredentialSources {
  readonly environment: Environment
  /** The user's home directory, if there is one. */
  readonly home?: string
  /** The text of a file, or `undefined` if it does not exist. */
  readonly readFile: (path: string) => string | undefined
}

/**
 * Reads the connection from flags and environment, never from a file of the repository. There is no flag for the token, because every
 * process of the machine can see arguments. `SETPOINT_TOKEN` and `TFE_TOKEN` are for any address. `TF_TOKEN_<host>` and the files of the
 * Terraform command line name a host, and their tokens go to that host only.
 */
export function readConnection(
  flags: { readonly address?: string },
  sources: CredentialSources,
): Checked<Connection> {
  const { environment } = sources
  const { value: address, diagnostics: ofAddress } = readAddress(flags.address, environment)
  if (address === undefined) return { value: undefined, diagnostics: ofAddress }
  const diagnostics = [...ofAddress]
  const found =
    fromVariables(environment) ??
    fromNamedVariables(address.host, environment) ??
    fromFiles(address.host, sources, diagnostics)
  const text = found && tokenText(found.text)
  if (found === undefined || text === undefined)
    return { value: undefined, diagnostics: [...diagnostics, noToken(address, found)] }
  return {
    value: {
      address: address.url,
      token: new Token(text),
      addressPlace: address.place,
      tokenPlace: found.place,
    },
    diagnostics,
  }
}

/** `found` has a text that cannot be a token. */
const noToken = ({ host }: Address, found: FoundToken | undefined): Diagnostic => ({
  severity: 'error',
  code: 'no-token',
  ...(found === undefined
    ? {
        message: `There is no token for ${host}.`,
        hint: `Set SETPOINT_TOKEN or TFE_TOKEN, or run: terraform login ${host}`,
      }
    : {
        message: `The token in ${found.place} contains a space, a line break or another character that is not allowed in a token.`,
        hint: 'Set it again, exactly as it was shown when you created it.',
      }),
})

interface FoundToken {
  /** Such as `TFE_TOKEN` or the path of a file. */
  readonly place: string
  readonly text: string
}

const fromVariables = ({ SETPOINT_TOKEN, TFE_TOKEN }: Environment): FoundToken | undefined =>
  Object.entries({ SETPOINT_TOKEN, TFE_TOKEN }).flatMap(([place, text]) => (text ? { place, text } : []))[0]

const NAMED = 'TF_TOKEN_'

/** Terraform's rule: in the name of the variable `__` is a hyphen and `_` is a dot. */
function fromNamedVariables(host: string, environment: Environment): FoundToken | undefined {
  for (const [place, text] of Object.entries(environment)) {
    if (!place.startsWith(NAMED) || !text) continue
    const named = place.slice(NAMED.length).replaceAll('__', '-').replaceAll('_', '.')
    if (canonicalHost(named) === host) return { place, text }
  }
  return undefined
}

/** The files that Terraform reads. `TF_CLI_CONFIG_FILE` replaces the others. */
export function credentialsFiles(environment: Environment, home: string | undefined): string[] {
  const named = environment.TF_CLI_CONFIG_FILE
  if (named !== undefined && named !== '') return [named]
  return home === undefined ? [] : [`${home}/.terraform.d/credentials.tfrc.json`, `${home}/.terraformrc`]
}

function fromFiles(
  host: string,
  { environment, home, readFile }: CredentialSources,
  diagnostics: Diagnostic[],
): FoundToken | undefined {
  for (const path of credentialsFiles(environment, home)) {
    const content = readFile(path)
    if (content === undefined) continue
    const tokens: HostTokens | undefined = path.endsWith('.json') ? jsonTokens(content) : blockTokens(content)
    if (tokens === undefined)
      diagnostics.push({
        severity: 'warning',
        code: 'unreadable-file',
        message: `${path} is not a valid credentials file and was ignored.`,
      })
    const match = tokens?.find(([name]) => canonicalHost(name) === host)
    if (match !== undefined) return { place: path, text: match[1] }
  }
  return undefined
}

/** The form of `new URL`: lower case, punycode, without the port 443. */
const canonicalHost = (written: string): string | undefined =>
  /^[^\s/?#@\\]+$/.test(written) ? parseUrl(`https://${written}`)?.host : undefined

type HostTokens = readonly (readonly [host: string, token: string])[]

/** Reads the file that `terraform login` writes. `undefined` if it is malformed. */
function jsonTokens(content: string): HostTokens | undefined {
  const document = parseJson(content)
  if (!isMembers(document)) return undefined
  const { credentials = {} } = document
  if (!isMembers(credentials)) return undefined
  return Object.entries(credentials).flatMap(([host, entry]) =>
    isMembers(entry) && typeof entry.token === 'string' && entry.token !== '' ? [[host, entry.token]] : [],
  )
}

/** Reads the `credentials "host" { token = "…" }` blocks of a Terraform CLI configuration and ignores everything else. */
function blockTokens(content: string): HostTokens {
  const plain = content.replace(/"(?:[^"\\\n]|\\.)*"|\/\*[\s\S]*?\*\/|(?:#|\/\/)[^\n]*/g, match =>
    match.startsWith('"') ? match : ' ',
  )
  const blocks = plain.matchAll(/\bcredentials\s+"([^"\\]+)"\s*\{([^{}]*)\}/g)
  return [...blocks].flatMap(([, host, body]) => {
    const token = /(?:^|[\s{])token\s*=\s*"([^"\\]+)"/.exec(body ?? '')?.[1]
    return host === undefined || token === undefined ? [] : [[host, token]]
  })
}

/** Environment variables by name. An empty one counts as unset, because CI systems pass a missing secret like that. */
export type Environment = Readonly<Record<string, string | undefined>>

/** Where the service is. */
interface Address {
  /** Origin and base path, without a trailing slash. */
  readonly url: string
  /** With the port unless it is the default of the scheme. Credentials are named after it. */
  readonly host: string
  /** Where it was found, such as `TFE_ADDRESS`. */
  readonly place: string
}

const DEFAULT_ADDRESS = 'https://app.terraform.io'

/** The flag, `SETPOINT_ADDRESS`, `TFE_ADDRESS` or `TFE_HOSTNAME`, in this order. Default: the public service. */
function readAddress(flag: string | undefined, environment: Environment): Checked<Address> {
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

/** Not `URL.canParse`: after some thousand calls Node 20 rejects hosts with letters such as "ü". */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base)
  } catch {
    return undefined
  }
}

/** Refuses an address that could send the token elsewhere or unencrypted. Never quotes it: a malformed one may contain a password. */
export function checkAddress(text: string, place: string): Checked<Address> {
  const refuse = (problem: string, hint: string): Checked<Address> => ({
    value: undefined,
    diagnostics: [{ severity: 'error', code: 'bad-address', message: `${place} ${problem}`, hint }],
  })
  const example = `Write it in the form ${DEFAULT_ADDRESS}.`
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
  return { value: { url: `${url.origin}${path}`, host: url.host, place }, diagnostics: [] }
}

/**
 * Whether a host is this machine: `localhost`, 127.0.0.0/8 or `[::1]`. Expects the canonical form of `new URL`, which turns `127.1` and
 * `2130706433` into `127.0.0.1`, and keeps `127.0.0.1.evil.example`.
 */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(hostname)
