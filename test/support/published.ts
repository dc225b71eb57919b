import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AnySchemaObject } from 'ajv/dist/2020.js'
import { ROOT } from '../proof/place.ts'

/** The schemas as the package has them. `npm run generate` writes them, the first step of a build. */
export const SCHEMAS = join(ROOT, 'dist/schemas')

export const schemaFile = (name: string): string => join(SCHEMAS, `${name}.schema.json`)

export const publishedSchema = (name: string): AnySchemaObject =>
  JSON.parse(readFileSync(schemaFile(name), 'utf8'))
