/** A secret in a block: its name, and lines about it that are harmless already (no line ends, nothing unseen). */
export interface Listed {
  readonly name: string
  readonly notes: readonly string[]
}

export interface Block {
  /** Before the name of a secret in the environment. */
  readonly prefix: string
  readonly secrets: readonly Listed[]
}

/** The environment of a step of GitHub Actions. */
export const githubBlock = ({ prefix, secrets }: Block): string =>
  `env:\n${secrets
    .map(
      ({ name, notes }) =>
        `${comments('  ', [...notes, ...(isStorable(name) ? [] : [`${NOT_STORABLE}: call it ${storedAs(name)}`])])}  ${prefix}${name}: \${{ secrets.${storedAs(name)} }}\n`,
    )
    .join('')}`

/** GitHub keeps names that begin with `GITHUB_` for itself. */
const isStorable = (name: string): boolean => !/^GITHUB_/i.test(name)
const storedAs = (name: string): string => (isStorable(name) ? name : `SETPOINT_${name}`)
const NOT_STORABLE = 'GitHub takes no secret whose name begins with GITHUB_'

/**
 * The script of a GitLab job, and not its `variables:`: there GitLab expands each `$` in a value once more, so that a
 * secret with one would arrive as another.
 */
export const gitlabBlock = ({ prefix, secrets }: Block): string =>
  `script:\n${secrets
    .map(({ name, notes }) => `${comments('  ', notes)}  - export ${prefix}${name}="$${name}"\n`)
    .join('')}`

/** A form to fill in, for `--secrets FILE`. */
export const dotenvBlock = ({ secrets }: Block): string =>
  `# For --secrets FILE. Keep it out of Git.\n${secrets
    .map(({ name, notes }) => `${comments('', notes)}${name}=\n`)
    .join('')}`

const comments = (indent: string, notes: readonly string[]): string =>
  notes.map(note => `${indent}# ${note}\n`).join('')
