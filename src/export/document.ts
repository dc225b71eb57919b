import { createHash } from 'node:crypto'
import { resolvedYaml } from '../config/write.ts'
import type { DesiredSet } from '../model/variable-set.ts'

/** A file to write. The path is relative to the requested directory. */
export interface NewFile {
  readonly path: string
  readonly text: string
}

/** The line that tells an editor the schema of a file. `up` leads from the file to the folder where Setpoint is installed. */
export const schemaLine = (schema: 'setpoint' | 'sets', up: string): string =>
  `# yaml-language-server: $schema=${up}node_modules/setpoint/schemas/${schema}.schema.json\n`

/** All sets as one document. Without `up`, for an unknown place, it names no schema. */
export const exportText = (sets: readonly DesiredSet[], up?: string): string =>
  `${up === undefined ? '' : schemaLine('sets', up)}${resolvedYaml({ sets, removed: [] })}`

/** One file a set. */
export function exportFiles(sets: readonly DesiredSet[], up: string): NewFile[] {
  const names = fileNames(sets)
  return sets.map(set => ({ path: names.get(set) ?? '', text: exportText([set], up) }))
}

/**
 * A file name for each set: only lower-case letters, digits, `.`, `_` and `-`; never hidden, never reserved by Windows, and
 * different from all others regardless of case. A name that would equal another one gets a part of its hash.
 */
export function fileNames(sets: readonly DesiredSet[]): ReadonlyMap<DesiredSet, string> {
  const taken = new Set<string>()
  return new Map(
    sets.map(set => {
      const plain = slug(set.name)
      let name = plain
      for (let length = 8; name === '' || taken.has(name); length += 8)
        name = `${plain || 'set'}-${hash(`${set.name}\0${set.id ?? ''}`).slice(0, length)}`
      taken.add(name)
      return [set, `${name}.yaml`]
    }),
  )
}

const MOST_CHARACTERS = 80

function slug(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .slice(0, MOST_CHARACTERS)
    .replace(/^[-.]+|[-.]+$/g, '')
  return RESERVED.test(plain) ? `set-${plain}` : plain
}

/** Device names of Windows, with any extension. */
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/

const hash = (text: string): string => createHash('sha256').update(text).digest('hex')
