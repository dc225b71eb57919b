import { resolvedYaml } from '../config/write.ts'
import type { DesiredSet } from '../model/variable-set.ts'
import { fileNames } from './file-names.ts'

/** A file to be written. The path is relative to the directory that was asked for. */
export interface NewFile {
  readonly path: string
  readonly text: string
}

/** The line that tells an editor which schema a file has; `up` leads from the file to the folder where Setpoint is installed. */
export const schemaLine = (schema: 'setpoint' | 'sets', up: string): string =>
  `# yaml-language-server: $schema=${up}node_modules/setpoint/schemas/${schema}.schema.json\n`

/** All sets as one document. Without `up`, for a file at a place that is not known, it names no schema. */
export const exportText = (sets: readonly DesiredSet[], up?: string): string =>
  `${up === undefined ? '' : schemaLine('sets', up)}${resolvedYaml({ sets, removed: [] })}`

/** One file a set. */
export function exportFiles(sets: readonly DesiredSet[], up: string): NewFile[] {
  const names = fileNames(sets)
  return sets.map(set => ({ path: names.get(set) ?? '', text: exportText([set], up) }))
}
