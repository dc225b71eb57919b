import { type FieldName, fieldsOf, type SetSettings, settingsOf } from '../model/fields.ts'
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
  const { parent, variables } = contents
  const lists = [
    ['vars', definitions(variables, tool)],
    ...TARGET_KINDS.map(kind => [kind, references(kind, contents[kind] ?? [])] as const),
  ] as const
  const relationships = {
    ...(parent !== undefined && { parent: { data: { id: parent, type: 'projects' } } }),
    ...Object.fromEntries(lists.flatMap(([name, data]) => (data.length === 0 ? [] : [[name, { data }]]))),
  }
  return encoded({ type: 'varsets', attributes: attributesOfSet(contents), relationships }, variables)
}

/** All four settings (docs/service.md 4.2). Never variables, and never assignments: an empty list would clear them all. */
export const updateBody = (settings: SetSettings): Encoded =>
  encoded({ type: 'varsets', attributes: attributesOfSet(settings) })

/** `withoutKey`: for an update, which keeps it. */
export function variableBody(
  variable: Variable<WireValue>,
  tool: string,
  { withoutKey = false }: { readonly withoutKey?: boolean } = {},
): Encoded {
  const { key, ...rest } = attributesOf(variable, tool)
  return encoded({ type: 'vars', attributes: withoutKey ? rest : { key, ...rest } }, [variable])
}

export const targetsBody = (targets: Targets): Encoded => encoded(references(targets.kind, targets.ids))

/** Settings have the same names in the interface. */
const attributesOfSet = (settings: SetSettings): SetAttributes => settingsOf(settings)

const references = (type: string, ids: readonly string[]): Reference[] => ids.map(id => ({ id, type }))

const definitions = (variables: readonly Variable<WireValue>[], tool: string) =>
  variables.map(variable => ({ type: 'vars', attributes: attributesOf(variable, tool) }))

function attributesOf(variable: Variable<WireValue>, tool: string): VariableAttributes {
  const { key, value } = variable
  const category = writtenCategory(categoryOf(key), tool)
  // The fields have the same names in the interface.
  const fields: Pick<VariableAttributes, FieldName> = fieldsOf(variable)
  const name = nameOf(key)
  if ('keep' in value) return { key: name, category, ...fields, sensitive: value.sensitive }
  const text = 'text' in value ? value.text : value.secret.reveal()
  return { key: name, category, ...fields, value: text, sensitive: 'secret' in value }
}

const encoded = <T>(data: T, sent: readonly Variable<WireValue>[] = []): Encoded => ({
  body: JSON.stringify({ data } satisfies Document<T>),
  variables: sent.length,
  hasSecret: sent.some(({ value }) => 'secret' in value),
})

/** Every request has the content type, even without a body (docs/service.md 3). */
export const HEADERS = {
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
