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
