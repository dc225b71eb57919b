import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'

/**
 * Reads files of the package. This file is equally deep in every form of the program: in `cli`, and in the bundle. The single
 * executable has no package, so scripts/binary.mjs puts another file in place of this one.
 */
const PACKAGE = `${import.meta.dirname}/../..`
const ENDING = '.schema.json'

export const packageVersion = (): string =>
  String(/"version":\s*"([^"]+)"/.exec(readFileSync(`${PACKAGE}/package.json`, 'utf8'))?.[1])

/** The published schemas, unsorted. */
export const schemaNames = async (): Promise<string[]> =>
  (await readdir(`${PACKAGE}/schemas`))
    .filter(file => file.endsWith(ENDING))
    .map(file => file.slice(0, -ENDING.length))

/** The text of a published schema. */
export const schemaText = async (name: string): Promise<string> =>
  await readFile(`${PACKAGE}/schemas/${name}${ENDING}`, 'utf8')
