import {
  FIELD_NAMES,
  type FieldName,
  type FieldTable,
  type SetSettings,
  settingsOf,
  type VariableFields,
} from '../model/fields.ts'
import { categoryOf, nameOf, TARGET_KINDS, type Targets } from '../model/ids.ts'
import type { Secret } from '../model/secret.ts'
import type { SetContents, Variable } from '../model/variable-set.ts'
import {
  type Document,
  MEDIA_TYPE,
  type Reference,
  type SetAttributes,
  type VariableAttributes,
} from '../wire/documents.ts'
import type { ApiRequest } from '../wire/transport.ts'
import { writtenCategory } from './decode-variable.ts'

/** A value to send. `keep` leaves the value out, so that the service keeps the one it has. */
export type WireValue =
  | { readonly text: string }
  | { readonly secret: Secret }
  | { readonly keep: true; readonly sensitive: boolean }

/** The body of a request. It contains clear text and goes to the transport only. */
export interface Encoded {
  readonly body: string
  /** The number of variables in the body. */
  readonly variables: number
  /** The body contains the text of a secret. A refusal may repeat that text in any form. */
  readonly hasSecret: boolean
}

/** The whole set in one POST. Empty lists are left out, because they are the default. */
export function createBody(contents: SetContents<WireValue>, tool: string): Encoded {
  const { attributes, secrets } = variablesOf(contents.variables, tool)
  const { parent } = contents
  const relationships = Object.assign(
    parent === undefined ? {} : { parent: { data: { id: parent, type: 'projects' } } },
    linked('vars', attributes),
    ...TARGET_KINDS.map(kind => linked(kind, references(kind, contents[kind] ?? []))),
  )
  const data = { type: 'varsets', attributes: attributesOfSet(contents), relationships }
  return encoded(data, attributes.length, secrets)
}

/** All four settings (docs/service.md 4.2). Never assignments: an empty list would clear them all. */
export function updateBody(
  settings: SetSettings,
  added: readonly Variable<WireValue>[],
  tool: string,
): Encoded {
  const { attributes, secrets } = variablesOf(added, tool)
  const data = { type: 'varsets', attributes: attributesOfSet(settings) }
  return added.length === 0
    ? encoded(data, 0, 0)
    : encoded({ ...data, relationships: linked('vars', attributes) }, added.length, secrets)
}

export function variableBody(variable: Variable<WireValue>, tool: string): Encoded {
  const data = { type: 'vars', attributes: attributesOf(variable, tool) }
  return encoded(data, 1, secretsIn([variable]))
}

export const targetsBody = (targets: Targets): Encoded => encoded(references(targets.kind, targets.ids), 0, 0)

/** Settings have the same names in the interface. */
const attributesOfSet = (settings: SetSettings): SetAttributes => settingsOf(settings)

const references = (type: string, ids: readonly string[]): Reference[] => ids.map(id => ({ id, type }))

const linked = (
  name: string,
  data: readonly unknown[],
): Readonly<Record<string, { data: readonly unknown[] }>> => (data.length === 0 ? {} : { [name]: { data } })

function variablesOf(variables: readonly Variable<WireValue>[], tool: string) {
  const attributes = variables.map(variable => ({ type: 'vars', attributes: attributesOf(variable, tool) }))
  return { attributes, secrets: secretsIn(variables) }
}

const secretsIn = (variables: readonly Variable<WireValue>[]): number =>
  variables.filter(({ value }) => 'secret' in value).length

function attributesOf(variable: Variable<WireValue>, tool: string): VariableAttributes {
  const { key, value } = variable
  const category = writtenCategory(categoryOf(key), tool)
  const common = { key: nameOf(key), category, ...writtenFields(variable) }
  if ('keep' in value) return { ...common, sensitive: value.sensitive }
  if ('text' in value) return { ...common, value: value.text, sensitive: false }
  return { ...common, value: value.secret.reveal(), sensitive: true }
}

/** The attribute of each field. */
const ATTRIBUTES = { description: 'description', hcl: 'hcl' } as const satisfies FieldTable<
  keyof VariableAttributes
>

const writtenFields = (variable: VariableFields): Pick<VariableAttributes, (typeof ATTRIBUTES)[FieldName]> =>
  Object.fromEntries(FIELD_NAMES.map(name => [ATTRIBUTES[name], variable[name]]))

const encoded = <T>(data: T, variables: number, secrets: number): Encoded => ({
  body: JSON.stringify({ data } satisfies Document<T>),
  variables,
  hasSecret: secrets > 0,
})

/** Every request has the content type, even without a body (docs/service.md 3). */
const HEADERS = {
  accept: MEDIA_TYPE,
  'content-type': MEDIA_TYPE,
  'cache-control': 'no-cache',
  'user-agent': 'setpoint',
} as const

/** A path under `/api/v2/`. Every segment is percent-encoded, so that no name or id can change the path. */
export function pathOf(...segments: readonly string[]): string {
  const encoded = segments.map(segment => {
    if (/^\.{0,2}$/.test(segment))
      throw new RangeError('a path segment may not be empty, one dot or two dots')
    return encodeURIComponent(segment)
  })
  return `/api/v2/${encoded.join('/')}`
}

export type Query = Readonly<Record<string, string | undefined>>

export const getRequest = (path: string, query: Query = {}): ApiRequest & { readonly method: 'GET' } => ({
  method: 'GET',
  path,
  query: Object.fromEntries(Object.entries(query).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]]))),
  headers: HEADERS,
  repeatable: true,
})

/** `repeatable`: whether it may be sent again after its response was lost (docs/fault-model.md 8.1). */
export const writeRequest = (
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  repeatable: boolean,
  encoded?: Encoded,
): ApiRequest & { readonly method: 'POST' | 'PATCH' | 'DELETE' } => ({
  method,
  path,
  headers: HEADERS,
  repeatable,
  body: encoded?.body,
})
