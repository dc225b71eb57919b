import { compareText, type SourceRange } from '../model/diagnostic.ts'
import type { VariableKey } from '../model/ids.ts'
import { append } from '../model/lists.ts'
import { selects } from '../model/names.ts'
import type { DesiredState } from '../model/variable-set.ts'

/** A variable that a secret is sent to. */
export interface Use {
  readonly set: string
  readonly key: VariableKey
  readonly source: SourceRange
  readonly allowEmpty: boolean
}

/** A secret that the files reference. `uses` is in the order of the sets. */
export interface WantedSecret {
  readonly name: string
  readonly uses: readonly Use[]
}

/** Every secret of the sets that `only` matches (of all sets if it is empty), sorted by name. */
export function wantedSecrets(
  { sets }: Pick<DesiredState, 'sets'>,
  only: readonly string[],
): readonly WantedSecret[] {
  const uses = new Map<string, Use[]>()
  for (const set of sets) {
    if (only.length > 0 && !selects(only, set)) continue
    for (const { key, value, source } of set.variables) {
      if (!('secret' in value)) continue
      const { name, allowEmpty = false } = value.secret
      append(uses, name, { set: set.name, key, source, allowEmpty })
    }
  }
  return [...uses].map(([name, uses]) => ({ name, uses })).sort((a, b) => compareText(a.name, b.name))
}

/** A secret in a block: its name and notes, which contain no line ends or invisible characters. */
interface ListedSecret {
  readonly name: string
  readonly notes: readonly string[]
}

export interface SecretsBlock {
  /** The prefix of secrets in the environment. */
  readonly prefix: string
  readonly secrets: readonly ListedSecret[]
}

/** `env:` for a step of GitHub Actions. */
export const githubBlock = ({ prefix, secrets }: SecretsBlock): string =>
  `env:\n${secrets
    .map(
      ({ name, notes }) =>
        `${comments('  ', [...notes, ...(isStorable(name) ? [] : [`${NOT_STORABLE}: store it as ${storedAs(name)}`])])}  ${prefix}${name}: \${{ secrets.${storedAs(name)} }}\n`,
    )
    .join('')}`

/** GitHub reserves names that begin with `GITHUB_`. */
const isStorable = (name: string): boolean => !/^GITHUB_/i.test(name)
const storedAs = (name: string): string => (isStorable(name) ? name : `SETPOINT_${name}`)
const NOT_STORABLE = 'GitHub allows no secret whose name begins with GITHUB_'

/**
 * `script:` for a GitLab job. `variables:` would not do: GitLab expands each `$` in a value again there, which would change a
 * secret that contains one.
 */
export const gitlabBlock = ({ prefix, secrets }: SecretsBlock): string =>
  `script:\n${secrets
    .map(({ name, notes }) => `${comments('  ', notes)}  - export ${prefix}${name}="$${name}"\n`)
    .join('')}`

/** A form to fill in, for `--secrets FILE`. */
export const dotenvBlock = ({ secrets }: SecretsBlock): string =>
  `# For --secrets FILE. Keep it out of Git.\n${secrets
    .map(({ name, notes }) => `${comments('', notes)}${name}=\n`)
    .join('')}`

const comments = (indent: string, notes: readonly string[]): string =>
  notes.map(note => `${indent}# ${note}\n`).join('')
