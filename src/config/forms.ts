/** One mistake, as a generated validator reports it. */
export interface FormError {
  readonly instancePath: string
  readonly schemaPath: string
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  /** The wrong key, if the mistake is the key and not its value. */
  readonly propertyName?: string
  /** The part of the schema that contains the keyword. */
  readonly parentSchema: SchemaPart
}

export interface SchemaPart {
  readonly title?: string
  readonly description?: string
  readonly pattern?: string
  readonly properties?: Readonly<Record<string, SchemaPart>>
  readonly propertyNames?: SchemaPart
}

export interface Form {
  /** Which schema: sets for sets.schema.json. */
  readonly name: string
  /** The keys that the document can have at its top level. */
  readonly keys: readonly string[]
  readonly validate: { (value: unknown): boolean; errors?: readonly FormError[] | null }
}
