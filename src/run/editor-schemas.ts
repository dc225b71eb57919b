import { dirname, join, relative, resolve } from 'node:path'
import {
  configurationIn,
  fileExists,
  readInside,
  realPath,
  repositoryRoot,
  shownPath,
} from '../config/read.ts'
import { type NewFile, SCHEMA_DIRECTORY } from '../export/new-files.ts'
import { type Diagnostic, mistake, startOf, warning } from '../model/diagnostic.ts'
import { schemaText } from './package-files.ts'
import { WRITTEN_SCHEMAS } from './schema-names.gen.ts'
import { writeNewFiles, writeWhole } from './write-files.ts'

/** A copy of a schema beside `setpoint.yaml`, for editors: Setpoint may be installed anywhere. `path` is relative to that directory. */
interface SchemaCopy extends NewFile {
  readonly name: string
  /** `stale`: the schema of another version of Setpoint. `foreign`: something else. */
  readonly state: 'missing' | 'equal' | 'stale' | 'foreign'
}

/** The copies that a directory does not have yet. */
export const missingSchemas = (directory: string): NewFile[] =>
  copiesIn(directory).filter(({ state }) => state === 'missing')

/** A warning if copies beside the configuration are not those of this version. A repository without copies has none. */
export function staleSchemas(configFile: string): Diagnostic[] {
  const directory = realPath(dirname(configFile))
  if (directory === undefined || !fileExists(join(directory, SCHEMA_DIRECTORY))) return []
  const stale = copiesIn(directory).filter(({ state }) => state === 'stale')
  const [first] = stale
  if (first === undefined) return []
  return [
    warning(
      'stale-schema',
      `The schemas for your editor are of another version of Setpoint: ${stale.map(({ name }) => name).join(', ')}.`,
      'To replace them, run: setpoint validate --fix-schema',
      startOf(shownPath(repositoryRoot(directory), join(directory, first.path))),
    ),
  ]
}

/** Paths that were written, relative to the directory of the run, or why none was. */
interface FixedSchemas {
  readonly written: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Writes the copies that are missing or stale beside the configuration; `home` is the directory of the run. Writes nothing if there is no
 * configuration, or if a file is not a schema of Setpoint. Rejects with a `WriteError`.
 */
export async function fixSchemas(home: string, configFile: string): Promise<FixedSchemas> {
  if (!fileExists(configFile)) return { written: [], diagnostics: [] }
  const directory = dirname(configFile)
  const copies = copiesIn(directory)
  const shown = (of: readonly SchemaCopy[]) =>
    of.map(({ path }) => relative(home, join(directory, path)).replaceAll('\\', '/'))
  const foreign = copies.filter(({ state }) => state === 'foreign')
  if (foreign.length > 0) return { written: [], diagnostics: [notOurs(shown(foreign))] }
  const stale = copies.filter(({ state }) => state === 'stale')
  const missing = copies.filter(({ state }) => state === 'missing')
  for (const { path, text } of stale) writeWhole(home, join(directory, path), text, 0o644)
  await writeNewFiles(home, directory, missing, 'left')
  return { written: shown([...stale, ...missing]), diagnostics: [] }
}

/** The configuration of a run. */
export const configurationOf = (cwd: string, config: string | undefined): string =>
  resolve(cwd, config ?? configurationIn(cwd))

function copiesIn(directory: string): SchemaCopy[] {
  const root = realPath(directory) ?? directory
  return WRITTEN_SCHEMAS.map(name => {
    const path = `${SCHEMA_DIRECTORY}/${name}.schema.json`
    const text = schemaText(name)
    const found = readInside(root, join(root, path), LARGEST)
    if ('problem' in found)
      return { name, path, text, state: found.problem === 'missing' ? 'missing' : 'foreign' }
    return { name, path, text, state: compare(Buffer.from(found.bytes).toString(), text, name) }
  })
}

const LARGEST = 1024 * 1024

function compare(found: string, text: string, name: string): SchemaCopy['state'] {
  if (found === text || compact(found) === compact(text)) return 'equal'
  return found.includes(`urn:setpoint:schema:${name}:`) ? 'stale' : 'foreign'
}

/** Without whitespace, which the formatter of a repository may change. */
function compact(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text))
  } catch {
    return text
  }
}

const notOurs = (paths: readonly string[]): Diagnostic =>
  mistake(
    'file-exists',
    `Not a schema of Setpoint: ${paths.join(', ')}.`,
    'Nothing was written. Move what is there, and run the command again.',
  )
