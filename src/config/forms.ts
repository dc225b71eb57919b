/** One mistake, as the validators that are generated from the schemas report it. */
export interface FormError {
  readonly instancePath: string
  readonly schemaPath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  /** The key that is wrong, where it is the key and not what stands at it. */
  readonly propertyName?: string
  /** The part of the schema that the keyword stands in. */
  readonly parentSchema: SchemaPart
}

export interface SchemaPart {
  readonly title?: string
  readonly description?: string
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, SchemaPart>>
}

export interface Form {
  /** Which schema: sets for sets.schema.json. */
  readonly name: string
  /** What the document may hold at its top. */
  readonly keys: readonly string[]
  readonly validate: { (value: unknown): boolean; errors?: readonly FormError[] | null }
}
