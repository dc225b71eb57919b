import { plural } from '../../model/lists.ts'
import { selects } from '../../model/names.ts'
import { SECRET_PREFIX } from '../../model/secret.ts'
import {
  type DesiredSet,
  type SecretUse,
  type WantedSecret,
  wantedSecrets,
} from '../../model/variable-set.ts'
import { unmatchedSets } from '../../plan/unmatched.ts'
import { quotedText, sealLines } from '../../report/neutralise.ts'
import { loadFiles } from '../../run/commands/load-files.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { sayDiagnostics } from '../../run/run.ts'
import { openRunSecrets } from '../../run/run-secrets.ts'
import type { RunSecrets } from '../../secrets/open.ts'
import type { CommandRun } from '../command.ts'

/** Lists the secrets that the files reference, and their external variables. Needs no connection, and never prints a value. */
export const run: CommandRun = async io => {
  const desired = await loadFiles(io)
  const unmatched = unmatchedSets('--only', io.options.only, desired.sets)
  sayDiagnostics(io, unmatched)
  const secrets = await openRunSecrets(io)
  if (unmatched.length > 0) return EXIT.error
  const { only } = io.options
  const sets = desired.sets.filter(set => only.length === 0 || selects(only, set))
  const listed = wantedSecrets(sets).map(secret => secretStatus(secret, secrets))
  const problems = secrets.problems()
  sayDiagnostics(io, problems)
  io.stdout.write(
    sealLines(
      FORMATS[io.options.format]?.(listed) ?? `${listText(listed, desired.owner)}${externalText(sets)}`,
    ),
  )
  return problems.length > 0 ? EXIT.error : EXIT.done
}

/** A secret with its uses, one line each, and whether this run has a value that all of them accept. */
type SecretStatus = ReturnType<typeof secretStatus>

function secretStatus({ name, uses }: WantedSecret, secrets: RunSecrets) {
  // If one use does not accept an empty value, an empty value counts as missing.
  const isEmptyAllowed = uses.every(use => use.allowEmpty)
  const place = secrets.sourceOf(name, isEmptyAllowed)
  const isEmpty = place === undefined && secrets.sourceOf(name, true) !== undefined
  return {
    name,
    state: isEmpty ? 'missing: set, but empty' : STATES[place ?? 'none'],
    isMissing: place === undefined,
    uses: uses.map(useText),
  }
}

const STATES = { source: 'in --secrets', environment: 'in the environment', none: 'missing' } as const

const useText = ({ set, key, source }: Pick<SecretUse, 'set' | 'key' | 'source'>): string =>
  `${quotedText(set)} ${quotedText(key)}  ${quotedText(`${source.path}:${source.line}`)}`

const NONE = 'The files reference no secrets.'

/** A form to fill in, with a line for each secret below its notes, which contain no line endings or invisible characters. */
const blockOf =
  (
    head: string,
    indent: string,
    lineOf: (name: string) => string,
    notesOn: (name: string) => string[] = () => [],
  ) =>
  (listed: readonly SecretStatus[]): string => {
    const lines = listed.flatMap(({ name, state, isMissing, uses }) => [
      ...[...uses, ...(isMissing ? [] : [`this run has it: ${state}`]), ...notesOn(name)].map(
        note => `# ${note}`,
      ),
      lineOf(name),
    ])
    if (listed.length === 0) return `# ${NONE}\n`
    return `${head}\n${lines.map(line => `${indent}${line}\n`).join('')}`
  }

/** GitHub reserves names that begin with `GITHUB_`. */
const isStorable = (name: string): boolean => !/^GITHUB_/i.test(name)
const storedAs = (name: string): string => (isStorable(name) ? name : `SETPOINT_${name}`)
const NOT_STORABLE = 'GitHub allows no secret whose name begins with GITHUB_'

const FORMATS: Readonly<Record<string, (listed: readonly SecretStatus[]) => string>> = {
  github: blockOf(
    'env:',
    '  ',
    name => `${SECRET_PREFIX}${name}: \${{ secrets.${storedAs(name)} }}`,
    name => (isStorable(name) ? [] : [`${NOT_STORABLE}: store it as ${storedAs(name)}`]),
  ),
  // Not `variables:`, where GitLab expands each `$` in a value again, which would change a secret that contains one.
  gitlab: blockOf('script:', '  ', name => `- export ${SECRET_PREFIX}${name}="$${name}"`),
  dotenv: blockOf('# For --secrets FILE. Keep it out of Git.', '', name => `${name}=`),
}

function listText(listed: readonly SecretStatus[], owner: string | undefined): string {
  if (listed.length === 0) return `${NONE}\n`
  const width = Math.max(...listed.map(({ name }) => name.length))
  const missing = listed.filter(({ isMissing }) => isMissing)
  const lines = listed.flatMap(({ name, state, uses }) => [
    `${name.padEnd(width)}  ${state}`,
    ...uses.map(use => `  ${use}`),
  ])
  const [first] = missing
  const hints = first && [
    `To provide one: export ${SECRET_PREFIX}${first.name}=… or --secrets SOURCE.`,
    'For a pipeline: --format github or gitlab.',
  ]
  const total = `${plural(listed.length, 'secret')}, ${missing.length} missing in this run.`
  const again =
    owner === undefined
      ? 'To send one again: setpoint apply --rewrite SET/KEY.'
      : 'To send one again: change its version in the file, or give it one: { secret: { name: NAME, version: "1" } }.'
  return [...lines, '', total, ...(hints ?? []), again, ''].join('\n')
}

/** The variables that somebody sets in the service. Only a command that reads it knows which of them are missing there. */
function externalText(sets: readonly DesiredSet[]): string {
  const uses = sets.flatMap(({ name, variables }) =>
    variables.flatMap(({ key, value, source }) =>
      'external' in value ? `  ${useText({ set: name, key, source })}` : [],
    ),
  )
  if (uses.length === 0) return ''
  const total = `${plural(uses.length, 'external variable')}, set in the service and never sent:`
  return ['', total, ...uses, 'To see which of them the service does not have: setpoint plan', ''].join('\n')
}
