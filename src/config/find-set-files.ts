import { dirname, extname, isAbsolute, join, resolve } from 'node:path'
import { isInside, isOfGit } from '../git/work-tree.ts'
import { compareText } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'
import { matchesPattern } from '../model/names.ts'
import type { Limits } from './limits.ts'
import { fileExists, listDirectory, realPath, shownPath } from './read.ts'
import type { SetpointFile } from './setpoint-file.ts'

/** What finding the set files depends on. */
export interface LoadContext {
  readonly root: string
  /** Absolute path of the configuration. */
  readonly config: string
  readonly limits: Limits
  readonly findings: Findings
}

/** Where a repository has its rules, beside setpoint.yaml, and their cases. They are never set files. */
export const RULES = 'rules/*.yaml'
const CASES = 'rules/tests/*.yaml'

interface ListedFiles {
  /** Absolute paths of all files that match a pattern, sorted. */
  readonly paths: readonly string[]
  /** Files that match except for their ending, with the pattern. */
  readonly almost: ReadonlyMap<string, string>
}

/**
 * The files that match the patterns of the configuration. Reports patterns that match nothing, except the default pattern of a
 * configuration that could not be read (`isRead`).
 */
export function listSetFiles(
  { root, config, limits, findings }: LoadContext,
  settings: SetpointFile,
  isRead: boolean,
): ListedFiles {
  const base = dirname(config)
  const others = new Set([
    config,
    resolve(base, settings.directory.path),
    ...[RULES, CASES].flatMap(pattern => findSetFiles(root, base, pattern)?.paths ?? []),
  ])
  const paths = new Set<string>()
  const almost = new Map<string, string>()
  for (const { path: pattern, source } of settings.sets) {
    const at = source ?? { path: shownPath(root, config), line: 1, column: 1 }
    const mistake = patternMistake(pattern)
    if (mistake !== undefined) {
      findings.error(
        'wrong-value',
        at,
        `The pattern ${mistake}.`,
        `${PATTERN_HINT} Write several patterns as a list.`,
      )
      continue
    }
    const found = findSetFiles(root, base, pattern)
    if (found === undefined) {
      findings.error(
        'outside-repository',
        at,
        `The pattern "${pattern}" leads outside the repository.`,
        'Use a pattern inside the Git repository. It is relative to setpoint.yaml.',
      )
      continue
    }
    for (const path of found.outside)
      findings.error(
        'outside-repository',
        at,
        `"${shownPath(root, path)}" leads outside the repository, or into .git.`,
        'Remove the link, or make the pattern narrower. Sets there are not read.',
      )
    for (const path of found.almost) almost.set(path, pattern)
    const matched = found.paths.filter(path => !others.has(path))
    if (matched.length === 0 && isRead)
      findings.error(
        'no-set-files',
        at,
        `No file matches "${pattern}".`,
        'Patterns are relative to setpoint.yaml. To read other files, set `sets:` there.',
      )
    for (const path of matched) paths.add(path)
  }
  for (const path of [...paths, ...others]) almost.delete(path)
  if (paths.size > limits.files) {
    findings.error(
      'file-limit',
      { path: shownPath(root, config), line: 1, column: 1 },
      `There are ${paths.size} set files, but the limit is ${limits.files}.`,
      'To raise the limit, pass `--limit files=NUMBER`.',
    )
    return { paths: [], almost }
  }
  return { paths: [...paths].sort(compareText), almost }
}

/** Warns that a file is not read. `shown` is its name in messages. */
export function reportUnread(shown: string, pattern: string, findings: Findings): void {
  const ending = extname(pattern)
  const other = pattern.slice(0, -ending.length) + extname(shown)
  findings.warning(
    'unread-file',
    { path: shown, line: 1, column: 1 },
    `This file is not read: the pattern "${pattern}" matches only names that end in ${ending}.`,
    `Rename it so that it ends in ${ending}, or list both ${JSON.stringify(pattern)} and ${JSON.stringify(other)} under \`sets:\` in setpoint.yaml.`,
  )
}

interface MatchedFiles {
  /** Absolute paths, sorted. Some may be links that lead outside. */
  readonly paths: readonly string[]
  /** Directories that match and are not read: links that lead outside the repository or into `.git`, and `.git` itself. */
  readonly outside: readonly string[]
  /** Files that match except for their ending, such as `.yml` for a pattern with `.yaml`. */
  readonly almost: readonly string[]
}

const LONGEST = 256
const ENDING = /\.ya?ml$/i

/**
 * Why a text is not a valid path pattern, as the rest of a sentence; `undefined` if it is valid. Alternatives and classes of
 * other tools are refused: taken literally they would match nothing, and a set that is not found may be pruned.
 */
export function patternMistake(pattern: string): string | undefined {
  if (pattern.length > LONGEST) return `has more than ${LONGEST} characters`
  const sign = /^!|[@+!?*]\(|[[\]{}\\]/.exec(pattern)?.[0]
  return sign === undefined ? undefined : `contains "${sign}", which path patterns do not support`
}

export const PATTERN_HINT =
  'Use `*` for any text within a directory, `?` for one character, and `**/` for any directories.'

/**
 * The files that match a valid pattern, relative to `base`. Links to directories are followed if they stay inside the root.
 * Hidden files, hidden directories and `node_modules` are left out unless the pattern names them; `.git` is always left out.
 * `undefined` if the pattern itself leaves the root.
 */
export function findSetFiles(root: string, base: string, pattern: string): MatchedFiles | undefined {
  if (isAbsolute(pattern)) return undefined
  const parts = pattern.split('/').filter(part => part !== '' && part !== '.')
  const first = parts.findIndex(part => /[*?]/.test(part))
  const start = resolve(base, ...parts.slice(0, first < 0 ? parts.length : first))
  if (!isInside(root, start)) return undefined
  if (first < 0) return { paths: fileExists(start) ? [start] : [], outside: [], almost: [] }
  const walk = new Walk(root, parts.slice(first))
  walk.directory(start, [0])
  return { paths: walk.files.sort(), outside: walk.outside, almost: walk.almost }
}

/** Walks only the directories that can match, and looks at each name once, whatever the pattern is. */
class Walk {
  readonly files: string[] = []
  readonly outside: string[] = []
  readonly almost: string[] = []
  readonly #root: string
  readonly #parts: readonly string[]
  /** Parts already looked for in a real directory, because a link to an ancestor would never end. */
  readonly #seen = new Set<string>()

  constructor(root: string, parts: readonly string[]) {
    this.#root = root
    this.#parts = parts
  }

  /** `reached`: parts of the pattern that names in this directory may match. */
  directory(path: string, reached: readonly number[]): void {
    const real = realPath(path)
    if (real === undefined) return
    if (!isInside(this.#root, real) || isOfGit(this.#root, real)) {
      this.outside.push(path)
      return
    }
    const wanted = this.#withSkipped(reached).filter(at => !this.#seen.has(`${at} ${real}`))
    for (const at of wanted) this.#seen.add(`${at} ${real}`)
    if (wanted.length === 0) return
    for (const { name, kind } of listDirectory(path)) {
      const matching = wanted.filter(at => this.#matches(at, name))
      if (kind === 'file') {
        const last = this.#parts.length - 1
        if (matching.includes(last)) this.files.push(join(path, name))
        else if (wanted.includes(last) && this.#matches(last, this.#withEnding(name)))
          this.almost.push(join(path, name))
      } else {
        const below = matching.flatMap(at => this.#below(at))
        if (below.length > 0) this.directory(join(path, name), below)
      }
    }
  }

  /** `**` also matches no directory at all. */
  #withSkipped(reached: readonly number[]): readonly number[] {
    const wanted = new Set(reached)
    for (const at of wanted) if (this.#parts[at] === '**' && at + 1 < this.#parts.length) wanted.add(at + 1)
    return [...wanted]
  }

  #matches(at: number, name: string): boolean {
    const part = this.#parts[at] ?? ''
    const isNamed = name.startsWith('.') ? part.startsWith('.') : name !== 'node_modules' || part === name
    return isNamed && (part === '**' || matchesPattern(part, name))
  }

  /** The name with the YAML ending of the pattern. */
  #withEnding(name: string): string {
    const ending = ENDING.exec(this.#parts.at(-1) ?? '')?.[0]
    return ending === undefined ? name : name.replace(ENDING, ending)
  }

  #below(at: number): readonly number[] {
    if (this.#parts[at] === '**') return [at]
    return at + 1 < this.#parts.length ? [at + 1] : []
  }
}
