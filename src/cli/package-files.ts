import { readFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'

/**
 * What the program reads of its package. This file stands where every form of the program is as deep: `cli`, or its bundle. The
 * single executable has no package beside it: scripts/binary.mjs puts a file of its own in the place of this one.
 */
const PACKAGE = `${import.meta.dirname}/../..`
const ENDING = '.schema.json'

export const packageVersion = (): string =>
  String(/"version":\s*"([^"]+)"/.exec(readFileSync(`${PACKAGE}/package.json`, 'utf8'))?.[1])

/** The published schemas, in no order. */
export const schemaNames = async (): Promise<string[]> =>
  (await readdir(`${PACKAGE}/schemas`))
    .filter(file => file.endsWith(ENDING))
    .map(file => file.slice(0, -ENDING.length))

/** A published schema as it stands in the package. */
export const schemaText = async (name: string): Promise<string> =>
  await readFile(`${PACKAGE}/schemas/${name}${ENDING}`, 'utf8')
