import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { isInside, isOfGit } from '../git/work-tree.ts'
import { compareText, startOf } from '../model/diagnostic.ts'
import { matchesPattern } from '../model/names.ts'
import { raise } from './loader-limits.ts'
import { fileExists, isLink, type ListedEntry, listDirectory, otherEnding, shownPath } from './read.ts'
import type { SetpointFile, WrittenText } from './setpoint-file.ts'
import type { LoadContext } from './yaml-documents.ts'

/** Where a repository has its rules, beside setpoint.yaml, and their cases. They are never set files. */
export const RULES_DIRECTORY = 'rules'
export const RULES = `${RULES_DIRECTORY}/**/*.yaml`

/**
 * Absolute paths of all files that match a pattern of the configuration, sorted. Reports patterns that match nothing, except the
 * default pattern of a configuration that could not be read (`isRead`). `groups`: files with groups, which are no set files.
 */
export function listSetFiles(
  run: LoadContext,
  settings: SetpointFile,
  isRead: boolean,
  groups: readonly string[],
): readonly string[] {
  const { root, config, limits, findings } = run
  const base = dirname(config)
  const others = new Set([config, ...groups, ...(findSetFiles(root, base, RULES)?.paths ?? [])])
  const paths = new Set<string>()
  for (const { pattern, at, found } of matched(run, settings.sets)) {
    const read = found.paths.filter(path => !others.has(path))
    if (read.length === 0 && found.refused.size === 0 && isRead)
      findings.error(
        'no-set-files',
        `No file matches "${pattern}".`,
        'Patterns are relative to setpoint.yaml. To read other files, set `sets:` there.',
        at,
      )
    for (const path of read) paths.add(path)
  }
  if (paths.size > limits.files) {
    findings.error(
      'file-limit',
      `There are ${paths.size} set files, but the limit is ${limits.files}.`,
      raise('files'),
      startOf(shownPath(root, config)),
    )
    return []
  }
  return [...paths].sort(compareText)
}

export const DEFAULT_GROUPS: WrittenText = { text: 'groups.yaml' }

/** The files with groups. Reports patterns that match nothing; without patterns, `groups.yaml` may be missing. */
export function listGroupFiles(run: LoadContext, { groups }: SetpointFile): readonly string[] {
  const paths = new Set<string>()
  for (const { pattern, at, found } of matched(run, groups ?? [DEFAULT_GROUPS])) {
    if (found.paths.length === 0 && found.refused.size === 0 && groups !== undefined)
      run.findings.error(
        'no-set-files',
        `No file matches "${pattern}".`,
        'Patterns are relative to setpoint.yaml. Correct the pattern, or remove it from `groups`.',
        at,
      )
    for (const path of found.paths) paths.add(path)
  }
  return [...paths].sort(compareText)
}

/** What each valid pattern of the configuration matches. Reports the others, and what leads outside the repository. */
function matched({ root, config, findings }: LoadContext, patterns: readonly WrittenText[]) {
  const base = dirname(config)
  return patterns.flatMap(({ text: pattern, source }) => {
    const at = source ?? startOf(shownPath(root, config))
    const mistake = patternMistake(pattern)
    const found = mistake === undefined ? findSetFiles(root, base, pattern) : undefined
    if (mistake !== undefined)
      findings.error(
        'wrong-value',
        `The pattern ${mistake}.`,
        `${PATTERN_HINT} Write several patterns as a list.`,
        at,
      )
    else if (found === undefined)
      findings.error(
        'outside-repository',
        `The pattern "${pattern}" leads outside the repository.`,
        'Use a pattern inside the Git repository. It is relative to setpoint.yaml.',
        at,
      )
    const directory = /[*?]/.test(pattern) ? undefined : found?.paths.find(isDirectory)
    if (directory !== undefined) {
      findings.error(
        'no-set-files',
        `"${shownPath(root, directory)}" is a directory.`,
        `To read all files in it, write \`${pattern.replace(/\/$/, '')}/**/*.yaml\`.`,
        at,
      )
      return []
    }
    for (const [path, why] of found?.refused ?? [])
      findings.error(
        'outside-repository',
        `"${shownPath(root, path)}" ${why}.`,
        why === A_LINK ? A_LINK_HINT : NARROWER,
        at,
      )
    return found === undefined ? [] : { pattern, at, found }
  })
}

const isDirectory = (path: string): boolean => typeof listDirectory(path) !== 'string'

export interface MatchedFiles {
  /** Absolute paths, sorted. Some may be links that lead outside. */
  readonly paths: readonly string[]
  /** Directories that the pattern would enter, each with why it is not read, as the rest of a sentence. */
  readonly refused: ReadonlyMap<string, string>
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
 * The files that match a valid pattern, relative to `base`; `.yaml` and `.yml` are the same ending. Links to directories are not
 * followed. Hidden files, hidden directories and `node_modules` are left out unless the pattern names them; `.git` is always left
 * out. `root` and `base` are real paths. `undefined` if the pattern itself leaves the root.
 */
export function findSetFiles(root: string, base: string, pattern: string): MatchedFiles | undefined {
  if (isAbsolute(pattern)) return undefined
  const { start, parts } = splitPattern(base, pattern)
  if (!isInside(root, start)) return undefined
  const link = linkAbove(root, parts.length === 0 ? dirname(start) : start)
  if (link !== undefined) return { paths: [], refused: new Map([[link, A_LINK]]) }
  if (parts.length === 0) return { paths: [start, otherEnding(start)].filter(fileExists), refused: new Map() }
  const walk = new Walk(parts)
  if (isOfGit(root, start)) walk.refused.set(start, OF_GIT)
  else if (fileExists(start)) walk.visit(start, 0)
  // Reading such a file says what is wrong with it.
  for (const path of walk.paths) walk.refused.delete(path)
  return { paths: walk.paths.sort(), refused: walk.refused }
}

/** Whether a pattern, relative to `base`, matches a path, whether or not there is a file. `base` and the directory of `path` are real. */
export function matchesPath(base: string, pattern: string, path: string): boolean {
  if (isAbsolute(pattern) || patternMistake(pattern) !== undefined) return false
  const { start, parts } = splitPattern(base, pattern)
  if (parts.length === 0) return [start, otherEnding(start)].includes(path)
  if (path === start || !isInside(start, path)) return false
  const matches = (at: number, [name = '', ...rest]: readonly string[]): boolean => {
    if (parts[at] === '**' && matches(at + 1, [name, ...rest])) return true
    if (rest.length === 0) return at === parts.length - 1 && matchesName(parts[at] ?? '', name)
    const inside = partInside(parts, at, name)
    return inside !== undefined && matches(inside, rest)
  }
  return matches(0, relative(start, path).split(sep))
}

/** The directory in which a pattern begins, and its parts from there; no parts if it is a path. */
function splitPattern(
  base: string,
  pattern: string,
): { readonly start: string; readonly parts: readonly string[] } {
  const parts = pattern.split('/').filter(part => part !== '' && part !== '.')
  const first = parts.findIndex(part => /[*?]/.test(part))
  return {
    start: resolve(base, ...parts.slice(0, first < 0 ? parts.length : first)),
    parts: first < 0 ? [] : parts.slice(first),
  }
}

const A_LINK = 'is a link, and links to directories are not followed'
const OF_GIT = 'belongs to Git itself'

const NARROWER = 'Write a narrower pattern. Files there are not read.'
const A_LINK_HINT =
  'Remove it and name its files where they are, such as `sets: [sets/**/*.yaml, shared/**/*.yaml]`, or write a narrower pattern.'

/** The first link on the way from the root to a directory inside it. */
function linkAbove(root: string, path: string): string | undefined {
  if (path === root || !isInside(root, path)) return undefined
  return linkAbove(root, dirname(path)) ?? (isLink(path) ? path : undefined)
}

/** Walks only the directories that can match. */
class Walk {
  readonly paths: string[] = []
  readonly refused = new Map<string, string>()
  readonly #parts: readonly string[]
  /** Parts already looked for in a directory: with several `**`, there are many ways to it. */
  readonly #seen = new Set<string>()
  readonly #listings = new Map<string, ReturnType<typeof listDirectory>>()

  constructor(parts: readonly string[]) {
    this.#parts = parts
  }

  /** `at`: the part of the pattern that names in this directory may match. */
  visit(path: string, at: number): void {
    if (this.#seen.has(`${at} ${path}`)) return
    this.#seen.add(`${at} ${path}`)
    // It also matches no directory at all.
    if (this.#parts[at] === '**') this.visit(path, at + 1)
    const entries = this.#list(path)
    // What is not read would look deleted.
    if (typeof entries === 'string') this.refused.set(path, entries)
    else for (const entry of entries) this.#take(join(path, entry.name), entry, at)
  }

  #take(path: string, { name, kind }: ListedEntry, at: number): void {
    const inside = kind === 'file' ? undefined : partInside(this.#parts, at, name)
    const isMatch = at === this.#parts.length - 1 && matchesName(this.#parts[at] ?? '', name)
    if (kind === 'directory') {
      if (inside === undefined) return
      if (/^\.git$/i.test(name)) this.refused.set(path, OF_GIT)
      else this.visit(path, inside)
    } else if (inside !== undefined) this.refused.set(path, A_LINK)
    else if (isMatch) this.paths.push(path)
  }

  #list(path: string) {
    const listing = this.#listings.get(path) ?? listDirectory(path)
    this.#listings.set(path, listing)
    return listing
  }
}

/** The part that names inside a directory of this name may match; `undefined` if nothing in it can. */
function partInside(parts: readonly string[], at: number, name: string): number | undefined {
  const part = parts[at] ?? ''
  if (!matchesName(part, name)) return undefined
  if (part === '**') return at
  return at < parts.length - 1 ? at + 1 : undefined
}

function matchesName(part: string, name: string): boolean {
  const isNamed = name.startsWith('.') ? part.startsWith('.') : name !== 'node_modules' || part === name
  const ending = ENDING.exec(part)?.[0]
  const spelled = ending === undefined ? name : name.replace(ENDING, ending)
  return isNamed && (part === '**' || matchesPattern(part, spelled))
}
