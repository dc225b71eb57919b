import { readFileSync } from 'node:fs'
import { getAsset, isSea } from 'node:sea'
import type { SCHEMA_NAMES } from './schema-names.gen.ts'

/**
 * The files of the package that the program reads. This file is equally deep in every form of the program: in `run`, and in the
 * bundle. The single executable has no package: scripts/binary.mjs puts them inside.
 */
const PACKAGE = `${import.meta.dirname}/../..`

const fileText = (path: string): string =>
  isSea() ? getAsset(path, 'utf8') : readFileSync(`${PACKAGE}/${path}`, 'utf8')

export const packageVersion = (): string =>
  String(/"version":\s*"([^"]+)"/.exec(fileText('package.json'))?.[1])

/** The text of a published schema. */
export const schemaText = (name: (typeof SCHEMA_NAMES)[number]): string =>
  fileText(`dist/schemas/${name}.schema.json`)
