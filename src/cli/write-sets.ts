import { dirname, join, relative, resolve, sep } from 'node:path'
import { configurationIn, fileExists, repositoryRoot } from '../config/read.ts'
import { exportFiles, exportText, type NewFile, SCHEMA_DIRECTORY } from '../export/new-files.ts'
import { SECRET_PREFIX } from '../model/secret.ts'
import type { DesiredSet, DesiredVariable, WantedSecret } from '../model/variable-set.ts'
import { quotedText, sealLines } from '../report/neutralise.ts'
import { counted } from '../report/phrase.ts'
import { endIfStopped, required } from '../run/commands/ending.ts'
import { missingSchemas } from '../run/editor-schemas.ts'
import { type IfUnchanged, type WrittenFiles, writeNewFiles } from '../run/write-files.ts'
import type { CommandContext } from './io.ts'

/** Writes to stdout as one document, or to new files. */
export async function writeSets(io: CommandContext, sets: readonly DesiredSet[]): Promise<void> {
  const { out } = io.options
  if (out === undefined) return io.stdout.write(exportText(sets))
  const directory = resolve(io.cwd, out)
  const home = schemaHome(directory, io.cwd)
  const files = exportFiles(sets, wayUp(directory, home))
  endIfStopped(io)
  const { written, unchanged } = await writeFiles(io, directory, files, 'left')
  const schemas = await writeFiles(io, home, missingSchemas(home), 'left')
  const variables = sets.flatMap(set => set.variables)
  io.stdout.write(
    `${out}: ${counted(sets.length, 'set')}, ${counted(variables.length, 'variable')}${kinds(variables)} in ${counted(written.length, 'new file')}${
      unchanged.length > 0 ? `, ${counted(unchanged.length, 'file')} as before` : ''
    }.\n`,
  )
  if (schemas.written.length === 0) return
  const shown = [relative(io.cwd, home), SCHEMA_DIRECTORY].filter(Boolean).join('/').replaceAll(sep, '/')
  io.stdout.write(`${shown}: ${counted(schemas.written.length, 'schema')} for editors.\n`)
}

/** Writes all of these files or none. */
export async function writeFiles(
  io: CommandContext,
  directory: string,
  files: readonly NewFile[],
  same: IfUnchanged,
): Promise<WrittenFiles> {
  const made = await writeNewFiles(io.cwd, directory, files, same)
  return required(io, { value: made, diagnostics: made.diagnostics })
}

/**
 * The directory with the schemas of files: that of the nearest `setpoint.yaml` above them; without one, where the
 * program was started, or the root of their repository.
 */
function schemaHome(directory: string, started: string): string {
  const above = [directory]
  for (let at = directory; dirname(at) !== at; at = dirname(at)) above.push(dirname(at))
  const root = repositoryRoot(directory)
  const end = Math.max(above.indexOf(root), above.indexOf(started))
  const configured = above.slice(0, end + 1).find(at => fileExists(join(at, configurationIn(at))))
  return configured ?? (above.includes(started) ? started : root)
}

/** The path from a directory to another one, for the first line of a file. */
function wayUp(directory: string, home: string): string {
  const way = relative(directory, home)
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

export const secretLine = ({ name, uses }: WantedSecret): string =>
  `  ${SECRET_PREFIX}${name}  ${uses.map(({ set, key }) => `${quotedText(set)} ${quotedText(key)}`).join(', ')}`

/** The secrets to provide after an export that wrote references. Empty if it wrote none. */
export const referencesText = (secrets: readonly WantedSecret[]): string =>
  secrets.length === 0
    ? ''
    : sealLines(
        [
          `${counted(secrets.length, 'secret')} to provide, for an apply that sends one (setpoint secrets --format github, gitlab or dotenv):`,
          ...secrets.map(secretLine),
          '',
        ].join('\n'),
      )
