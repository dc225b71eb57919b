import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { repositoryRoot } from '../config/read.ts'
import { exportFiles, exportText, type NewFile } from '../export/document.ts'
import type { DesiredSet, DesiredVariable } from '../model/variable-set.ts'
import { counted } from '../report/phrase.ts'
import { type IfUnchanged, type WrittenFiles, writeNewFiles } from '../run/write-files.ts'
import { codeOfSignal, EXIT } from './command.ts'
import { type Io, sayDiagnostics } from './io.ts'
import type { Options } from './options.ts'

/** Writes to stdout as one document, or to new files. */
export async function writeSets(io: Io, options: Options, sets: readonly DesiredSet[]): Promise<number> {
  if (options.out === undefined) {
    io.stdout.write(exportText(sets))
    return EXIT.done
  }
  const directory = resolve(io.cwd, options.out)
  const files = filesOf(sets, wayUp(directory, options.directory), options.oneFile)
  const interrupted = codeOfSignal(io)
  if (interrupted !== undefined) return interrupted
  const made = await writeOrSay(io, options, directory, files, 'left')
  if (made === undefined) return EXIT.error
  const { written, unchanged } = made
  const variables = sets.flatMap(set => set.variables)
  io.stdout.write(
    `${options.out}: ${counted(sets.length, 'set')}, ${counted(variables.length, 'variable')}${kinds(variables)} in ${counted(written.length, 'new file')}${
      unchanged.length > 0 ? `, ${counted(unchanged.length, 'file')} as before` : ''
    }.\n`,
  )
  return EXIT.done
}

/** What was written, or `undefined` after it was reported why nothing was. */
export async function writeOrSay(
  io: Io,
  options: Options,
  directory: string,
  files: readonly NewFile[],
  same: IfUnchanged,
): Promise<WrittenFiles | undefined> {
  const made = await writeNewFiles(io.cwd, directory, files, same)
  sayDiagnostics(io, options, made.diagnostics)
  return made.diagnostics.length === 0 ? made : undefined
}

const filesOf = (sets: readonly DesiredSet[], up: string, isOneFile: boolean): NewFile[] =>
  isOneFile ? [{ path: 'variable-sets.yaml', text: exportText(sets, up) }] : exportFiles(sets, up)

/**
 * The path from a directory to the one where Setpoint is installed: above the files if it is there already, otherwise where the
 * program was started, or the root of the repository with the files.
 */
export function wayUp(directory: string, started: string): string {
  const above = [directory]
  for (let at = directory; dirname(at) !== at; at = dirname(at)) above.push(dirname(at))
  const installed = above.find(at => existsSync(join(at, 'node_modules/setpoint')))
  const way = relative(
    directory,
    installed ?? (above.includes(started) ? started : repositoryRoot(directory)),
  )
  return way === '' ? '' : `${way.split(sep).join('/')}/`
}

function kinds(variables: readonly DesiredVariable[]): string {
  const external = variables.filter(({ value }) => 'external' in value).length
  const secret = variables.filter(({ value }) => 'secret' in value).length
  const parts = [secret > 0 ? `${secret} secret` : '', external > 0 ? `${external} external` : ''].filter(
    Boolean,
  )
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}
