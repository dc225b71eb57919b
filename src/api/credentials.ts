import type { Checked, Diagnostic } from '../model/diagnostic.ts'
import { type Address, type Environment, parseUrl } from './address.ts'
import { blockTokens, type HostTokens, jsonTokens } from './credentials-file.ts'
import { Token, tokenText } from './token.ts'

export interface Credentials {
  readonly token: Token
  /** Where it was found, such as `TFE_TOKEN` or the path of a file. */
  readonly place: string
}

/** What lies outside the files of the repository. */
export interface Surroundings {
  readonly environment: Environment
  /** The user's home directory, where there is one. */
  readonly home?: string
  /** The text of a file; `undefined` where there is none. */
  readonly readFile: (path: string) => string | undefined
}

interface Found {
  readonly place: string
  readonly text: string
}

/**
 * The token for an address. `SETPOINT_TOKEN` and `TFE_TOKEN` belong to whatever address is configured; `TF_TOKEN_<host>` and
 * the files of the Terraform command line name a host, and a token goes to that host only.
 */
export function readCredentials(address: Address, surroundings: Surroundings): Checked<Credentials> {
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

function fromVariables(environment: Environment): Found | undefined {
  for (const place of ['SETPOINT_TOKEN', 'TFE_TOKEN']) {
    const text = environment[place]
    if (text !== undefined && text !== '') return { place, text }
  }
  return undefined
}

const NAMED = 'TF_TOKEN_'

/** Terraform's rule: in the name of the variable `__` stands for a hyphen and `_` for a dot. */
function fromNamedVariables(host: string, environment: Environment): Found | undefined {
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
  { environment, home, readFile }: Surroundings,
  diagnostics: Diagnostic[],
): Found | undefined {
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
