import type { Checked, Diagnostic } from '../model/diagnostic.ts'
import { parseJson } from '../model/parse-json.ts'
import { type Address, type Environment, parseUrl, readAddress } from './address.ts'
import { isMembers } from './document.ts'
import { Token, tokenText } from './token.ts'

/** Where the service is and how to be let in. The token cannot be printed. */
interface Connection {
  /** Origin, and a base path where there is one, such as `https://app.terraform.io`. */
  readonly address: string
  readonly token: Token
  /** Where the two were found, such as `TFE_ADDRESS`: for `--verbose`. */
  readonly addressPlace: string
  readonly tokenPlace: string
}

/**
 * The connection that flags and environment name; a file of the repository never has a say in it.
 * There is no flag for the token: arguments are seen by every process of the machine.
 */
export function readConnection(
  flags: { readonly address?: string },
  surroundings: CredentialSources,
): Checked<Connection> {
  const address = readAddress(flags.address, surroundings.environment)
  if (address.value === undefined) return { value: undefined, diagnostics: address.diagnostics }
  const credentials = readCredentials(address.value, surroundings)
  const diagnostics = [...address.diagnostics, ...credentials.diagnostics]
  if (credentials.value === undefined) return { value: undefined, diagnostics }
  return {
    value: {
      address: address.value.url,
      token: credentials.value.token,
      addressPlace: address.value.place,
      tokenPlace: credentials.value.place,
    },
    diagnostics,
  }
}

interface Credentials {
  readonly token: Token
  /** Where it was found, such as `TFE_TOKEN` or the path of a file. */
  readonly place: string
}

/** What lies outside the files of the repository. */
interface CredentialSources {
  readonly environment: Environment
  /** The user's home directory, where there is one. */
  readonly home?: string
  /** The text of a file; `undefined` where there is none. */
  readonly readFile: (path: string) => string | undefined
}

interface FoundToken {
  readonly place: string
  readonly text: string
}

/**
 * The token for an address. `SETPOINT_TOKEN` and `TFE_TOKEN` belong to whatever address is configured; `TF_TOKEN_<host>` and
 * the files of the Terraform command line name a host, and a token goes to that host only.
 */
function readCredentials(address: Address, surroundings: CredentialSources): Checked<Credentials> {
  const diagnostics: Diagnostic[] = []
  const found =
    fromVariables(surroundings.environment) ??
    fromNamedVariables(address.host, surroundings.environment) ??
    fromFiles(address.host, surroundings, diagnostics)
  if (found === undefined) return { value: undefined, diagnostics: [...diagnostics, noToken(address)] }
  const text = tokenText(found.text)
  if (text === undefined)
    return {
      value: undefined,
      diagnostics: [
        ...diagnostics,
        {
          severity: 'error',
          code: 'no-token',
          message: `the token in ${found.place} holds a space, a line break or another character that no token has`,
          hint: 'set it again, as it was shown when it was created',
        },
      ],
    }
  return { value: { token: new Token(text), place: found.place }, diagnostics }
}

function fromVariables(environment: Environment): FoundToken | undefined {
  for (const place of ['SETPOINT_TOKEN', 'TFE_TOKEN']) {
    const text = environment[place]
    if (text !== undefined && text !== '') return { place, text }
  }
  return undefined
}

const NAMED = 'TF_TOKEN_'

/** Terraform's rule: in the name of the variable `__` stands for a hyphen and `_` for a dot. */
function fromNamedVariables(host: string, environment: Environment): FoundToken | undefined {
  for (const [place, text] of Object.entries(environment)) {
    if (!place.startsWith(NAMED) || text === undefined || text === '') continue
    const named = place.slice(NAMED.length).replaceAll('__', '-').replaceAll('_', '.')
    if (canonicalHost(named) === host) return { place, text }
  }
  return undefined
}

/** As Terraform reads them: a file named by `TF_CLI_CONFIG_FILE` stands alone. */
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
        message: `${path} is not a credentials file: it was passed over`,
      })
    const match = tokens?.find(([name]) => canonicalHost(name) === host)
    if (match !== undefined) return { place: path, text: match[1] }
  }
  return undefined
}

/** Lower case, punycode, without the port 443: as `new URL` writes a host. */
const canonicalHost = (written: string): string | undefined =>
  /^[^\s/?#@\\]+$/.test(written) ? parseUrl(`https://${written}`)?.host : undefined

const noToken = ({ host }: Address): Diagnostic => ({
  severity: 'error',
  code: 'no-token',
  message: `there is no token for ${host}`,
  hint: `set SETPOINT_TOKEN or TFE_TOKEN, or run: terraform login ${host}`,
})

type HostTokens = readonly (readonly [host: string, token: string])[]

/** The file that `terraform login` writes. `undefined` where it makes no sense. */
function jsonTokens(content: string): HostTokens | undefined {
  const document = parseJson(content)
  if (!isMembers(document)) return undefined
  const { credentials } = document
  if (credentials === undefined) return []
  return isMembers(credentials)
    ? Object.entries(credentials).flatMap(([host, entry]) =>
        isMembers(entry) && typeof entry.token === 'string' && entry.token !== ''
          ? [[host, entry.token] as const]
          : [],
      )
    : undefined
}

/** The `credentials "host" { token = "…" }` blocks of a Terraform CLI configuration; everything else is passed over. */
function blockTokens(content: string): HostTokens {
  const plain = content.replace(/"(?:[^"\\\n]|\\.)*"|\/\*[\s\S]*?\*\/|(?:#|\/\/)[^\n]*/g, match =>
    match.startsWith('"') ? match : ' ',
  )
  const blocks = plain.matchAll(/\bcredentials\s+"([^"\\]+)"\s*\{([^{}]*)\}/g)
  return [...blocks].flatMap(([, host, body]) => {
    const token = /(?:^|[\s{])token\s*=\s*"([^"\\]+)"/.exec(body ?? '')?.[1]
    return host === undefined || token === undefined ? [] : [[host, token] as const]
  })
}
