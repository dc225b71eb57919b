import { dirname, extname, resolve } from 'node:path'
import { compareText } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'
import type { Limits } from './limits.ts'
import { shownPath } from './read.ts'
import { findSetFiles, mistakeIn, PATTERN_HINT } from './set-files.ts'
import type { SetpointFile } from './setpoint-file.ts'

/** Where a load takes place. */
export interface Place {
  readonly root: string
  /** Absolute path of the configuration. */
  readonly config: string
  readonly limits: Limits
  readonly findings: Findings
}

export interface ListedFiles {
  /** Absolute paths of all files that the patterns mean, sorted. */
  readonly paths: readonly string[]
  /** Those that only their ending keeps out, with the pattern. */
  readonly almost: ReadonlyMap<string, string>
}

/**
 * What the patterns of the configuration mean; reports patterns that mean no file. Where the configuration could not be
 * read (`isRead`), its default means what is there.
 */
export function listSetFiles(
  { root, config, limits, findings }: Place,
  settings: SetpointFile,
  isRead: boolean,
): ListedFiles {
  const base = dirname(config)
  const others = new Set([config, resolve(base, settings.directory.path)])
  const paths = new Set<string>()
  const almost = new Map<string, string>()
  for (const { path: pattern, source } of settings.sets) {
    const at = source ?? { path: shownPath(root, config), line: 1, column: 1 }
    const mistake = mistakeIn(pattern)
    if (mistake !== undefined) {
      findings.error('wrong-value', at, `the pattern ${mistake}`, `${PATTERN_HINT} Write several as a list.`)
      continue
    }
    const found = findSetFiles(root, base, pattern)
    if (found === undefined) {
      findings.error(
        'outside-repository',
        at,
        `the pattern "${pattern}" leads out of the repository`,
        'Set files are read inside the Git repository only; the pattern is relative to setpoint.yaml.',
      )
      continue
    }
    for (const path of found.outside)
      findings.error(
        'outside-repository',
        at,
        `"${shownPath(root, path)}" leads out of the repository, or into .git`,
        'Sets there are not read. Remove the link, or make the pattern narrower.',
      )
    for (const path of found.almost) almost.set(path, pattern)
    const matched = found.paths.filter(path => !others.has(path))
    if (matched.length === 0 && isRead)
      findings.error(
        'no-set-files',
        at,
        `no file matches "${pattern}"`,
        'Patterns are relative to setpoint.yaml; `sets:` there names others.',
      )
    for (const path of matched) paths.add(path)
  }
  for (const path of [...paths, ...others]) almost.delete(path)
  if (paths.size > limits.files) {
    findings.error(
      'file-limit',
      { path: shownPath(root, config), line: 1, column: 1 },
      `there are ${paths.size} set files; at most ${limits.files} are read`,
    )
    return { paths: [], almost }
  }
  return { paths: [...paths].sort(compareText), almost }
}

/** Says that a file is not read, and what would have it read; `shown` is its name in messages. */
export function reportUnread(shown: string, pattern: string, findings: Findings): void {
  const ending = extname(pattern)
  const other = pattern.slice(0, -ending.length) + extname(shown)
  findings.warning(
    'unread-file',
    { path: shown, line: 1, column: 1 },
    `This file is not read: the pattern "${pattern}" means names that end in ${ending}.`,
    `Rename it so that it ends in ${ending}, or list both ${JSON.stringify(pattern)} and ${JSON.stringify(other)} under \`sets:\` in setpoint.yaml.`,
  )
}
