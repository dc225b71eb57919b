import { readdirSync, readFileSync } from 'node:fs'
import { getAsset, isSea } from 'node:sea'

/**
 * The files of the package that the program reads. This file is equally deep in every form of the program: in `run`, and in the
 * bundle. The single executable has no package: scripts/binary.mjs puts them inside, with the list of the schemas.
 */
const PACKAGE = `${import.meta.dirname}/../..`
const ENDING = '.schema.json'
/** Where the single executable has the names of the schemas. */
const SCHEMAS = 'schemas'

const fileText = (path: string): string =>
  isSea() ? getAsset(path, 'utf8') : readFileSync(`${PACKAGE}/${path}`, 'utf8')

export const packageVersion = (): string =>
  String(/"version":\s*"([^"]+)"/.exec(fileText('package.json'))?.[1])

/** The published schemas, unsorted. */
export const schemaNames = (): string[] =>
  (isSea() ? fileText(SCHEMAS).split('\n') : readdirSync(`${PACKAGE}/${SCHEMAS}`))
    .filter(file => file.endsWith(ENDING))
    .map(file => file.slice(0, -ENDING.length))

/** The text of a published schema. */
export const schemaText = (name: string): string => fileText(`${SCHEMAS}/${name}${ENDING}`)
