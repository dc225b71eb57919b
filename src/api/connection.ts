import { type Checked, type Diagnostic, hasErrors, mistake, type SourceRange } from '../model/diagnostic.ts'
import { type Address, readAddress } from './address.ts'
import { Token, tokenText } from './client.ts'
import { type CredentialSources, type FoundToken, ownVariable, tokensFor } from './tokens.ts'

/** Address and token of the service. The token cannot be printed. */
export interface Connection {
  /** Origin and base path, such as `https://app.terraform.io`. */
  readonly address: string
  /** The same object for equal tokens. */
  readonly token: Token
  /** Where the two were found, such as `TFE_ADDRESS`. Shown by `--verbose`. */
  readonly addressSource: string
  readonly tokenSource: string
  /** The file with the token, if it comes from one. */
  readonly tokenFile?: string
  /** Every token that was read, also for other hosts: none may be in the output. No request here carries that of another organization. */
  readonly known: readonly Token[]
}

/** An organization that a run is about, and where its name is written. */
export interface NamedOrganization {
  readonly organization: string
  readonly source?: SourceRange
}

/**
 * Reads the connections of organizations from flags and environment, never from a file of the repository. There is no flag for the token,
 * because every process of the machine can see arguments. A token of one organization is never used for another one: if there is any, an
 * organization without its own is an error. All of these errors are reported at once.
 */
export function readConnections(
  flags: { readonly address?: string },
  organizations: readonly NamedOrganization[],
  sources: CredentialSources,
): Checked<ReadonlyMap<string, Connection>> {
  const { value: address, diagnostics: ofAddress } = readAddress(flags.address, sources.environment)
  if (address === undefined) return { value: undefined, diagnostics: ofAddress }
  const names = organizations.map(({ organization }) => organization)
  const { shared, own, known, diagnostics: ofTokens } = tokensFor(address.host, names, sources)
  const diagnostics = [...ofAddress, ...ofTokens]
  const { directory } = sources
  const asksEach = directory === undefined ? own[0]?.source : '--tokens'
  const tokenOf = tokenMaker()
  const firstUser = firstUsers()
  const all = known.filter(({ isOf }) => !isOf).flatMap(one => tokenOf(one) ?? [])

  /** The connection of one organization, or why it has none. */
  const connect = (named: NamedOrganization): Connection | Problem => {
    const { organization } = named
    const found = asksEach === undefined ? shared : own.find(({ isOf }) => isOf?.(organization))
    if (found === undefined)
      return asksEach === undefined
        ? { about: '', problem: noToken(address) }
        : { about: organization, problem: noOwnToken(named, asksEach, directory?.path) }
    const user = firstUser(found, organization)
    if (user !== organization) return { about: organization, problem: sharedName(named, user, found) }
    const token = tokenOf(found)
    if (token === undefined) return { about: found.source, problem: invalidToken(found) }
    const tokenFile = found.isInFile && found.source
    return {
      address: address.url,
      token,
      addressSource: address.source,
      tokenSource: found.source,
      tokenFile,
      known: [token, ...all],
    }
  }

  const connections = new Map<string, Connection>()
  const problems = new Map<string, Diagnostic>()
  for (const named of organizations) {
    const result = connect(named)
    if ('problem' in result) problems.set(result.about, result.problem)
    else connections.set(named.organization, result)
  }
  diagnostics.push(...problems.values())
  return { value: hasErrors(diagnostics) ? undefined : connections, diagnostics }
}

/** Why an organization has no connection. Several organizations may have the same problem, which is reported once. */
interface Problem {
  readonly about: string
  readonly problem: Diagnostic
}

/** Tells which organization used a token of its own first. A shared token belongs to whoever asks. */
function firstUsers(): (found: FoundToken, organization: string) => string {
  const users = new Map<string, string>()
  return ({ isOf, source }, organization) => {
    if (isOf === undefined) return organization
    const user = users.get(source) ?? organization
    users.set(source, user)
    return user
  }
}

/** Makes one token of each text. */
function tokenMaker(): (found: FoundToken) => Token | undefined {
  const tokens = new Map<string, Token>()
  return ({ text }) => {
    const written = tokenText(text)
    if (written === undefined) return undefined
    const token = tokens.get(written) ?? new Token(written)
    tokens.set(written, token)
    return token
  }
}

const noToken = ({ host }: Address): Diagnostic =>
  mistake(
    'no-token',
    `There is no token for ${host}.`,
    `Set SETPOINT_TOKEN or TFE_TOKEN, or run: terraform login ${host}`,
  )

const noOwnToken = (
  { organization, source }: NamedOrganization,
  because: string,
  directory: string | undefined,
): Diagnostic =>
  mistake(
    'no-token',
    `There is no token for the organization "${organization}". It needs its own, because ${because} is set.`,
    `${directory === undefined ? 'Set' : `Write it to ${directory}/${organization}, or set`} ${ownVariable(organization)}. No other token is used while an organization has its own.`,
    source,
  )

const invalidToken = ({ source, problem = INVALID }: FoundToken): Diagnostic =>
  mistake(
    'no-token',
    `The token in ${source} ${problem}.`,
    'Set it again, exactly as it was shown when you created it.',
  )

const INVALID = 'contains a space, a line break or another character that is not allowed in a token'

/** Which of the two the token belongs to cannot be known. */
const sharedName = (
  { organization, source }: NamedOrganization,
  other: string,
  token: FoundToken,
): Diagnostic =>
  mistake(
    'no-token',
    `The organizations "${other}" and "${organization}" share the variable ${token.source}, so nobody can know whose token it has.`,
    'Use --tokens with a directory, which has a file for each.',
    source,
  )
