import { access, constants, lstat, realpath, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { appendToFile } from '../../disk/write-file.ts'
import { linkInTheWay } from '../../git/work-tree.ts'
import { type Diagnostic, mistake } from '../../model/diagnostic.ts'
import { mayWriteTo, WriteError } from '../write-files.ts'
import { fail } from './ending.ts'
import type { RunContext, World } from './run-context.ts'

const REVIEWED = 'the reviewed plan'
const OUT = '--out'

interface FlaggedPath {
  readonly flag: string
  readonly path: string
}

/**
 * Checks the files that this run is to write, before it does anything else: a directory that is missing, not writable or behind
 * a link; something other than a file at the place; two flags for one file. If nothing is wrong, it removes the reports of an
 * earlier run, so that none is taken for one of this run.
 */
export async function prepareOutputs(context: RunContext, planFiles: readonly string[] = []): Promise<void> {
  const { out } = context.options
  const reports = context.options.reports.map(({ format, path }) => ({ flag: `--report ${format}`, path }))
  const others: FlaggedPath[] = [
    ...(out === undefined ? [] : [{ flag: OUT, path: out }]),
    ...planFiles.map(path => ({ flag: REVIEWED, path })),
  ]
  const places = new Map<string, string>()
  const diagnostics: Diagnostic[] = []
  for (const named of [...others, ...reports]) {
    const link =
      named.flag === REVIEWED ? undefined : linkInTheWay(context.cwd, resolve(context.cwd, named.path))
    const place = link === undefined ? await placeOf(context.cwd, named) : problem(link, named)
    if (typeof place !== 'string') {
      if (named.flag !== REVIEWED) diagnostics.push(place)
      continue
    }
    const first = places.get(place)
    if (first !== undefined) diagnostics.push(problem(`it is also the file of ${first}`, named))
    places.set(place, named.flag)
  }
  if (diagnostics.length > 0) fail(context, ...diagnostics)
  // Metrics keep the time of the last success.
  const outdated = context.options.reports.filter(({ format }) => format !== 'metrics')
  for (const { path } of outdated)
    if (!isStepSummary(context, path)) await removeFile(resolve(context.cwd, path))
}

/** The real directory and the name in it: equal for equal files, whatever links lead to them. */
async function placeOf(cwd: string, named: FlaggedPath): Promise<string | Diagnostic> {
  const path = resolve(cwd, named.path)
  const directory = await realpath(dirname(path)).catch(() => undefined)
  if (directory === undefined) return problem('its directory does not exist', named)
  const writable = await access(directory, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!writable) return problem('its directory is not writable', named)
  // A link of the system, such as /dev/stdout, is followed.
  const there = await lstat(path).catch(() => undefined)
  // A plan may be written into a pipe.
  const isRefused =
    named.flag === OUT ? there?.isDirectory() : there?.isFile() === false && !there.isSymbolicLink()
  if (isRefused === true) return problem('it exists and is not a file', named)
  return join(directory, basename(path))
}

async function removeFile(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined)
  if (found?.isFile()) await rm(path)
}

const problem = (what: string, { flag, path }: FlaggedPath) =>
  mistake(
    'bad-usage',
    `${flag} ${JSON.stringify(path)}: ${what}.`,
    'Nothing was read or written. Choose another file, or create the directory.',
  )

/** The Markdown file that GitHub Actions shows on the page of the run. Others write to it too, so it is only appended to. */
export const isStepSummary = ({ env, cwd }: World, path: string): boolean =>
  env.GITHUB_STEP_SUMMARY ? resolve(cwd, path) === resolve(env.GITHUB_STEP_SUMMARY) : false

export async function appendWhole(directory: string, name: string, text: string): Promise<void> {
  const path = resolve(directory, name)
  mayWriteTo(directory, path)
  try {
    await appendToFile(path, `\n${text}`)
  } catch (error) {
    throw new WriteError(path, error)
  }
}
