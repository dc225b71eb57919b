import type { AnySchemaObject } from 'ajv/dist/2020.js'

interface Published {
  readonly text: string
  readonly schema: AnySchemaObject
  readonly isWritten: boolean
}

export function publishedSchemas(root?: URL): Promise<ReadonlyMap<string, Published>>
