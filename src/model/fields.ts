import { type Category, categoryOf, type ProjectId, type VariableKey } from './ids.ts'

/**
 * The attributes of a variable, except its key and value. Add a new attribute of the service here: the compiler then names
 * every place that has to know it.
 */
export interface VariableFields {
  readonly description: string
  /** The value is HCL code (docs/service.md 2.2). */
  readonly hcl: boolean
}

/** An optional member would compile wherever it is forgotten: give it a default in `NO_FIELDS` or `NO_DETAILS` instead. */
type NoneOptional<T extends Required<T>> = T

export type FieldName = keyof NoneOptional<VariableFields>

export type FieldTable<T> = { readonly [F in FieldName]: T }

interface FieldRule {
  /** Variables of this category ignore the field: it is not compared, and the service keeps its value. */
  readonly withoutEffectUnder?: Category
  /** The field belongs to the value: an external variable keeps that of the service. */
  readonly belongsToValue?: true
  /** The service refuses to change the field of a sensitive variable, so the variable is replaced. */
  readonly fixedOnSecrets?: true
}

/** How each field is compared. */
export const FIELDS: FieldTable<FieldRule> = {
  description: {},
  hcl: { withoutEffectUnder: 'env', belongsToValue: true, fixedOnSecrets: true },
}

export const NO_FIELDS: VariableFields = { description: '', hcl: false }

export const fieldsOf = ({ description, hcl }: VariableFields): VariableFields => ({ description, hcl })

export const FIELD_NAMES = Object.keys(FIELDS) as readonly FieldName[]

/** The result of `of` for each field. */
export const fieldsBy = <T>(of: (name: FieldName) => T): FieldTable<T> => ({
  description: of('description'),
  hcl: of('hcl'),
})

/**
 * What the digest of a set has of its attributes or of those of a variable: a newer attribute only if it differs from its default, so
 * that the digests in inventories stay valid.
 */
export const attributesInDigest = <T extends object>(values: T, defaults: T): Partial<T> => {
  const names = Object.keys(defaults) as (keyof T)[]
  const kept = names.filter(name => ALWAYS_IN_DIGESTS.has(name) || values[name] !== defaults[name])
  return Object.fromEntries(kept.map(name => [name, values[name]])) as Partial<T>
}

/** Those that the first digests had at every value. Never add one. */
const ALWAYS_IN_DIGESTS: ReadonlySet<PropertyKey> = new Set(['description', 'hcl', 'global', 'priority'])

type Keyed = VariableFields & { readonly key: VariableKey }

const isOrdinary = (): boolean => true

/** Whether two variables of one key differ in a field that has an effect; `counts` leaves fields out. */
export const fieldsDiffer = (
  a: Keyed,
  b: Keyed,
  counts: (name: FieldName, rule: FieldRule) => boolean = isOrdinary,
): boolean =>
  FIELD_NAMES.some(name => a[name] !== b[name] && hasEffect(name, a.key) && counts(name, FIELDS[name]))

export const hasEffect = (name: FieldName, key: VariableKey): boolean =>
  FIELDS[name].withoutEffectUnder !== categoryOf(key)

/** The fields of `wanted`, with those of `kept` where `keeps` says so. */
export const mergedFields = (
  wanted: VariableFields,
  kept: VariableFields,
  keeps: (name: FieldName) => boolean,
): VariableFields => {
  const merged: { -readonly [F in FieldName]: unknown } = { ...fieldsOf(wanted) }
  for (const name of FIELD_NAMES) if (keeps(name)) merged[name] = kept[name]
  return merged as VariableFields
}

/**
 * The texts and flags of a set besides its name, each with a default. Files, digests, exports and reports take every one of them
 * from here.
 */
export interface SetDetails {
  readonly description: string
  readonly global: boolean
  readonly priority: boolean
}

export type DetailName = keyof NoneOptional<SetDetails>

export const NO_DETAILS: SetDetails = { description: '', global: false, priority: false }

export const DETAIL_NAMES = Object.keys(NO_DETAILS) as readonly DetailName[]

export const detailsOf = ({ description, global, priority }: SetDetails): SetDetails => ({
  description,
  global,
  priority,
})

/** The result of `of` for each detail; `initial` is its default. */
export const detailsBy = (
  of: (name: DetailName, initial: string | boolean) => string | boolean,
): SetDetails => {
  const details: { -readonly [D in DetailName]: unknown } = { ...NO_DETAILS }
  for (const name of DETAIL_NAMES) details[name] = of(name, NO_DETAILS[name])
  return details as SetDetails
}

/** The attributes of a set. An update always sends all of them, because `priority` has a default there. */
export interface SetSettings extends SetDetails {
  readonly name: string
}

/** The name in the service, if it differs from the key in the file, which is `name`. */
export interface ServiceName {
  readonly serviceName?: string
}

export const serviceNameOf = ({
  name,
  serviceName = name,
}: Pick<SetSettings, 'name'> & ServiceName): string => serviceName

/** Only the settings of a set, with its name in the service. */
export const settingsOf = ({
  name,
  serviceName,
  description,
  global,
  priority,
}: SetSettings & ServiceName): SetSettings => ({
  name: serviceName ?? name,
  description,
  global,
  priority,
})

export const NO_SETTINGS: SetSettings = settingsOf({ name: '', ...NO_DETAILS })

export const SETTING_NAMES = Object.keys(NO_SETTINGS) as readonly (keyof SetSettings)[]

export const settingsDiffer = (a: SetSettings, b: SetSettings): boolean =>
  SETTING_NAMES.some(name => a[name] !== b[name])

/** The owner of a set. It never changes: another owner needs another set (docs/service.md 10.3). */
export interface SetOwner {
  /** The project that owns the set; absent: the organization. */
  readonly parent?: ProjectId
}

export const ownerOf = ({ parent }: { readonly parent?: ProjectId | undefined }): SetOwner =>
  parent === undefined ? {} : { parent }

export const ownersDiffer = (a: SetOwner, b: SetOwner): boolean => a.parent !== b.parent
