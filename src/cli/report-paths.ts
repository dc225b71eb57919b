import { access, constants, lstat, realpath, rm } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Io } from './io.ts'
import type { Options } from './options.ts'
import { isStepSummary } from './step-summary.ts'

/** A file that a flag asks for, or that the run reads. */
interface Named {
  readonly flag: string
  readonly path: string
}

/**
 * What is wrong with the files that this run is to write, before it does anything else: a directory that is missing, is
 * not writable or is left through a link; something other than a file at the place; two flags for one file. Where nothing
 * is, reports of an earlier run are taken away, so that none is taken for one of this run.
 */
export async function prepareOutputs(
  io: Io,
  options: Pick<Options, 'reports' | 'out' | 'events'>,
  planFile?: string,
): Promise<Diagnostic[]> {
  const reports = options.reports.map(({ format, path }) => ({ flag: `--report ${format}`, path }))
  const others: Named[] = [
    ...(options.out === undefined ? [] : [{ flag: '--out', path: options.out }]),
    ...(options.events === undefined ? [] : [{ flag: '--events', path: options.events }]),
    ...(planFile === undefined ? [] : [{ flag: 'the reviewed plan', path: planFile }]),
  ]
  const places = new Map<string, string>()
  const diagnostics: Diagnostic[] = []
  for (const named of [...others, ...reports]) {
    const place = await placeOf(io.cwd, named)
    if (typeof place !== 'string') {
      if (named.flag.startsWith('--report')) diagnostics.push(place)
      continue
    }
    const first = places.get(place)
    if (first !== undefined) diagnostics.push(problem(`it is also the file of ${first}`, named))
    places.set(place, named.flag)
  }
  if (diagnostics.length === 0)
    for (const { path } of reports)
      if (!isStepSummary(io, path)) await rm(resolve(io.cwd, path), { force: true })
  return diagnostics
}

/** The real directory and the name in it: equal for equal files, whatever links lead there. */
async function placeOf(cwd: string, named: Named): Promise<string | Diagnostic> {
  const path = resolve(cwd, named.path)
  const directory = await realpath(dirname(path)).catch(() => undefined)
  if (directory === undefined) return problem('its directory does not exist', named)
  if (isBelow(cwd, path, named.path) && !isIn(await realpath(cwd), directory))
    return problem('a link on its way leads out of the directory that this run was started in', named)
  const writable = await access(directory, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (!writable) return problem('its directory is not writable', named)
  // A link at the place itself is replaced and never followed.
  const there = await lstat(path).catch(() => undefined)
  if (there !== undefined && !there.isFile() && !there.isSymbolicLink())
    return problem('there is something at this place that is not a file', named)
  return join(directory, basename(path))
}

/** Written as a place below the directory of the run; what was written as another place is meant so. */
const isBelow = (cwd: string, path: string, written: string): boolean =>
  !isAbsolute(written) && isIn(resolve(cwd), path)

function isIn(directory: string, path: string): boolean {
  const way = relative(directory, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

const problem = (what: string, { flag, path }: Named): Diagnostic => ({
  severity: 'error',
  code: 'bad-usage',
  message: `${flag} ${JSON.stringify(path)}: ${what}.`,
  hint: 'Nothing was read or written. Name another file, or make the directory.',
})
