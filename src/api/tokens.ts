import { type Diagnostic, warning } from '../model/diagnostic.ts'
import { isObject, parseJson } from '../model/json.ts'
import { canonicalHost, type Environment } from './address.ts'

/**
 * Everything outside of the repository that can hold a token, by name. No member is optional: the compiler names every place that makes
 * one, so that a new source of tokens is forgotten nowhere.
 */
export interface TokenPlaces {
  readonly environment: Environment
  /** The user's home directory, if there is one. */
  readonly home: string | undefined
  /** The directory of `--tokens`, with a file for each organization. */
  readonly directory: Pick<TokenDirectory, 'path'> | undefined
}

/** The same, to be read. */
export interface CredentialSources extends TokenPlaces {
  /** The text of a file, or `undefined` if it does not exist. */
  readonly readFile: (path: string) => string | undefined
  readonly directory: TokenDirectory | undefined
}

export interface TokenDirectory {
  readonly path: string
  /** The token of an organization as it is written, `undefined` if there is none, or why it cannot be read. */
  readonly tokenOf: (organization: string) => string | undefined | { readonly problem: string }
}

/** A token as it was found: its text may be no token at all. */
export interface FoundToken {
  /** Such as `TFE_TOKEN` or the path of a file. */
  readonly source: string
  readonly text: string
  /** Why it cannot be read. Then the text is empty. */
  readonly problem?: string
  /** The only host that may get it. Without one, the address of the run gets it. */
  readonly host?: string
  /** It belongs to one organization, and no request for another one may carry it. */
  readonly isOf?: (organization: string) => boolean
  /** The source is a file. */
  readonly isInFile?: true
}

interface TokenSource {
  /** The environment variables that hold its tokens: a whole name, or the beginning of one with `*` after it. */
  readonly variables: readonly string[]
  /** The files that may hold its tokens. */
  readonly files: (places: TokenPlaces) => readonly string[]
  /** Every token that it has, for whatever host, and what is wrong with its files. A directory is asked for these organizations only. */
  readonly tokens: (sources: CredentialSources, organizations: readonly string[]) => FoundTokens
}

interface FoundTokens {
  readonly tokens: readonly FoundToken[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Every source that may hold a token of the service. The first one with a token for the address wins. Whatever has to know these places asks this
 * list: the connection, the redactor, the loader (which reads no value from such a file), the check that Git does not track the file, the
 * library, and the tests of the jobs that must have no token.
 */
const TOKEN_SOURCES: readonly TokenSource[] = [
  {
    variables: [],
    files: ({ directory }) => (directory === undefined ? [] : [directory.path]),
    tokens: ({ directory }, organizations) =>
      found(directory === undefined ? [] : tokensInDirectory(directory, organizations)),
  },
  {
    variables: ['SETPOINT_TOKEN_*'],
    files: () => [],
    tokens: ({ environment }) => found(organizationTokens(environment)),
  },
  variable('SETPOINT_TOKEN'),
  variable('TFE_TOKEN'),
  { variables: ['TF_TOKEN_*'], files: () => [], tokens: ({ environment }) => found(hostTokens(environment)) },
  { variables: [], files: credentialsFiles, tokens: tokensInFiles },
]

/** The environment variables that hold a token: whole names, or beginnings of names with `*` after them. */
export const TOKEN_VARIABLES: readonly string[] = TOKEN_SOURCES.flatMap(({ variables }) => variables)

/** The files and directories that may hold a token. */
export const tokenFiles = (places: TokenPlaces): string[] =>
  TOKEN_SOURCES.flatMap(({ files }) => files(places))

/** The environment without the variables that hold a token. */
export const withoutTokens = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !isTokenVariable(name)))

/** Whether a variable of the environment holds a token. */
export const hasToken = (environment: Environment): boolean =>
  Object.entries(environment).some(([name, value]) => Boolean(value) && isTokenVariable(name))

const isTokenVariable = (name: string): boolean =>
  TOKEN_VARIABLES.some(one => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one))

interface Search {
  /** The first one for any organization that fits. */
  readonly shared?: FoundToken
  /** Those of one organization each. If there is any, only they are used. */
  readonly own: readonly FoundToken[]
  /** Every token that was read, also for other hosts. */
  readonly known: readonly FoundToken[]
  readonly diagnostics: readonly Diagnostic[]
}

/** Finds the tokens for a host. Reads credentials files only as long as there is none. */
export function tokensFor(
  host: string,
  organizations: readonly string[],
  sources: CredentialSources,
): Search {
  const known: FoundToken[] = []
  const own: FoundToken[] = []
  const diagnostics: Diagnostic[] = []
  let shared: FoundToken | undefined
  for (const source of TOKEN_SOURCES) {
    if ((shared !== undefined || own.length > 0) && source.files(sources).length > 0) continue
    const { tokens, diagnostics: ofSource } = source.tokens(sources, organizations)
    known.push(...tokens)
    diagnostics.push(...ofSource)
    own.push(...tokens.filter(({ isOf }) => isOf !== undefined))
    shared ??= tokens.find(token => !token.isOf && (token.host === undefined || token.host === host))
  }
  return { shared, own, known, diagnostics }
}

const found = (tokens: readonly FoundToken[]): FoundTokens => ({ tokens, diagnostics: [] })

/** One variable, for any address. */
function variable(name: string): TokenSource {
  return {
    variables: [name],
    files: () => [],
    tokens: ({ environment: { [name]: text } }) => found(text ? [{ source: name, text }] : []),
  }
}

const tokensInDirectory = (
  { path, tokenOf }: TokenDirectory,
  organizations: readonly string[],
): FoundToken[] =>
  [...new Set(organizations)].flatMap((organization): FoundToken[] => {
    const text = tokenOf(organization)
    if (text === undefined || text === '') return []
    const of = { source: `${path}/${organization}`, isOf: (one: string) => one === organization }
    return [typeof text === 'string' ? { ...of, text, isInFile: true } : { ...of, text: '', ...text }]
  })

const OWN = 'SETPOINT_TOKEN_'

/** The variable with the token of an organization: its name in upper case, every other character as `_`. */
export const ownVariable = (organization: string): string =>
  `${OWN}${organization.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`

export const hasOrganizationTokens = (environment: Environment): boolean =>
  organizationTokens(environment).length > 0

const organizationTokens = (environment: Environment): FoundToken[] =>
  Object.entries(environment).flatMap(([source, text]) =>
    source.startsWith(OWN) && text
      ? [{ source, text, isOf: organization => ownVariable(organization) === source }]
      : [],
  )

const NAMED = 'TF_TOKEN_'

/** Terraform's rule: in the name of the variable `__` is a hyphen and `_` is a dot. */
const hostTokens = (environment: Environment): FoundToken[] =>
  Object.entries(environment).flatMap(([source, text]) => {
    if (!source.startsWith(NAMED) || !text) return []
    const host = canonicalHost(source.slice(NAMED.length).replaceAll('__', '-').replaceAll('_', '.'))
    return host === undefined ? [] : [{ source, text, host }]
  })

/** The files that Terraform reads. `TF_CLI_CONFIG_FILE` replaces the others. */
function credentialsFiles({ environment, home }: TokenPlaces): string[] {
  const named = environment.TF_CLI_CONFIG_FILE
  if (named !== undefined && named !== '') return [named]
  return home === undefined ? [] : [`${home}/.terraform.d/credentials.tfrc.json`, `${home}/.terraformrc`]
}

function tokensInFiles(sources: CredentialSources): FoundTokens {
  const diagnostics: Diagnostic[] = []
  const tokens = credentialsFiles(sources).flatMap(path => {
    const content = sources.readFile(path)
    if (content === undefined) return []
    const ofHosts = path.endsWith('.json') ? jsonTokens(content) : blockTokens(content)
    if (ofHosts === undefined)
      diagnostics.push(warning('unreadable-file', `${path} is not a valid credentials file and was ignored.`))
    return (ofHosts ?? []).flatMap(([name, text]): FoundToken[] => {
      const host = canonicalHost(name)
      return host === undefined ? [] : [{ source: path, text, host, isInFile: true }]
    })
  })
  return { tokens, diagnostics }
}

type HostTokens = readonly (readonly [host: string, token: string])[]

/** Reads the file that `terraform login` writes. `undefined` if it is malformed. */
function jsonTokens(content: string): HostTokens | undefined {
  const document = parseJson(content)
  if (!isObject(document)) return undefined
  const { credentials = {} } = document
  if (!isObject(credentials)) return undefined
  return Object.entries(credentials).flatMap(([host, entry]) =>
    isObject(entry) && typeof entry.token === 'string' && entry.token !== '' ? [[host, entry.token]] : [],
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
