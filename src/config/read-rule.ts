import { type Environment, Git } from '../git/git.ts'
import { isInside, isOfGit } from '../git/work-tree.ts'
import type { Wording } from '../model/findings.ts'
import { realPath, shownPath } from './read.ts'

interface Surroundings {
  /** Finds git, to ask what it tracks. Without it every file inside the root counts as tracked. */
  readonly environment?: Environment
  /** Files and directories that this run takes secrets from. */
  readonly secretPlaces?: readonly string[]
}

/**
 * Which files inside the root are not read. Whoever changes a set file chooses what `file:` reads and so what a plan shows, and
 * a checkout holds more than what was committed: credentials in `.git`, files of other steps, the secrets of this run.
 * Paths are real.
 */
export class ReadRule {
  readonly #root: string
  readonly #secretPlaces: readonly string[]
  readonly #git: Git | undefined
  #tracked: ReturnType<Git['tracked']> | undefined

  constructor(root: string, { environment, secretPlaces = [] }: Surroundings) {
    this.#root = root
    this.#secretPlaces = secretPlaces.flatMap(path => realPath(path) ?? [])
    this.#git = environment && Git.around(root, environment)
  }

  /** What is wrong with a file of configuration; `shown` is its name in the message. */
  document(path: string, shown: string): Wording | undefined {
    if (isOfGit(this.#root, path))
      return [
        'outside-repository',
        `"${shown}" belongs to Git itself.`,
        'A checkout keeps credentials there. Files are read beside it only.',
      ]
    if (this.#secretPlaces.some(place => isInside(place, path)))
      return [
        'secret-file',
        `"${shown}" is where this run takes secrets from.`,
        'Write `secret: NAME` instead.',
      ]
    return undefined
  }

  /** What is wrong with a file whose text is a value. Git is asked once, and only where there is such a file. */
  text(path: string, shown: string): Wording | undefined {
    const wording = this.document(path, shown)
    if (wording !== undefined || this.#git === undefined) return wording
    this.#tracked ??= this.#git.tracked()
    const name = shownPath(this.#root, path)
    if (typeof this.#tracked === 'string')
      return [
        'untracked-file',
        `Git cannot be asked whether it tracks "${shown}": ${this.#tracked}.`,
        'Only files that Git tracks are read. Install git, or write the text under `value:`.',
      ]
    if (this.#tracked.has(name)) return undefined
    return [
      'untracked-file',
      `Git does not track "${shown}" in this repository.`,
      this.#hint(name, this.#tracked),
    ]
  }

  #hint(name: string, tracked: ReadonlySet<string>): string {
    for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1))
      if (tracked.has(name.slice(0, at)))
        return 'It is in a submodule, which is a repository of its own. Copy the file into this one.'
    const path = /^[\w/.@%+-]+$/.test(name) ? `:/${name}` : 'with its path'
    return `Only files that Git tracks are read. If it is no secret and belongs here: git add ${path}`
  }
}
