import {
  FIELD_NAMES,
  type FieldTable,
  type Settings,
  settingsOf,
  type VariableFields,
} from '../model/fields.ts'
import { categoryOf, nameOf } from '../model/ids.ts'
import type { Secret } from '../model/secret.ts'
import type { SetContents, Targets, Variable } from '../model/variable-set.ts'
import type { Document, Reference, SetAttributes, VariableAttributes } from '../wire/documents.ts'
import { writtenCategory } from './category.ts'

/** A value on its way out. `keep`: the value is left out, so that what the service has stays. */
export type WireValue =
  | { readonly text: string }
  | { readonly secret: Secret }
  | { readonly keep: true; readonly sensitive: boolean }

/** The body of a request. Holds clear text: it goes to the transport and nowhere else. */
export interface Encoded {
  readonly body: string
  /** Whether a text, such as the service's reason to refuse, repeats a part of a secret in the body. */
  readonly betrays: (text: string) => boolean
}

/** The whole set in one POST. Empty lists are left out: they are the default. */
export function createBody(contents: SetContents<WireValue>, tool: string): Encoded {
  const { attributes, revealed } = variablesOf(contents.variables, tool)
  const relationships = {
    ...linked('vars', attributes),
    ...linked('workspaces', references('workspaces', contents.workspaces)),
    ...linked('projects', references('projects', contents.projects)),
  }
  return encoded({ type: 'varsets', attributes: attributesOfSet(contents), relationships }, revealed)
}

/** All four settings (docs/service.md 4.2); assignments never, for an empty list there clears them all. */
export function updateBody(settings: Settings, added: readonly Variable<WireValue>[], tool: string): Encoded {
  const { attributes, revealed } = variablesOf(added, tool)
  const data = { type: 'varsets', attributes: attributesOfSet(settings) }
  return added.length === 0
    ? encoded(data, revealed)
    : encoded({ ...data, relationships: linked('vars', attributes) }, revealed)
}

export function variableBody(variable: Variable<WireValue>, tool: string): Encoded {
  const revealed: string[] = []
  return encoded({ type: 'vars', attributes: attributesOf(variable, tool, revealed) }, revealed)
}

export const targetsBody = (targets: Targets): Encoded => encoded(references(targets.kind, targets.ids), [])

/** Each setting has its name in the interface. */
const attributesOfSet = (settings: Settings): SetAttributes => settingsOf(settings)

const references = (type: string, ids: readonly string[]): Reference[] => ids.map(id => ({ id, type }))

const linked = (
  name: string,
  data: readonly unknown[],
): Readonly<Record<string, { data: readonly unknown[] }>> => (data.length === 0 ? {} : { [name]: { data } })

function variablesOf(variables: readonly Variable<WireValue>[], tool: string) {
  const revealed: string[] = []
  const attributes = variables.map(variable => ({
    type: 'vars',
    attributes: attributesOf(variable, tool, revealed),
  }))
  return { attributes, revealed }
}

function attributesOf(variable: Variable<WireValue>, tool: string, revealed: string[]): VariableAttributes {
  const { key, value } = variable
  const category = writtenCategory(categoryOf(key), tool)
  const common = { key: nameOf(key), category, ...writtenFields(variable) }
  if ('keep' in value) return { ...common, sensitive: value.sensitive }
  if ('text' in value) return { ...common, value: value.text, sensitive: false }
  const text = value.secret.reveal()
  revealed.push(text)
  return { ...common, value: text, sensitive: true }
}

/** The attribute that carries each field. */
const ATTRIBUTES = { description: 'description', hcl: 'hcl' } as const satisfies FieldTable<
  keyof VariableAttributes
>

const writtenFields = (variable: VariableFields): Pick<VariableAttributes, 'description' | 'hcl'> =>
  Object.fromEntries(FIELD_NAMES.map(name => [ATTRIBUTES[name], variable[name]]))

const encoded = <T>(data: T, revealed: readonly string[]): Encoded => ({
  body: JSON.stringify({ data } satisfies Document<T>),
  betrays: text => repeats(text, revealed),
})

/** A service may cut or decorate what it echoes, so a part of a secret counts as well: so many bytes in a row. */
const PART = 6

/**
 * Whether a text holds a part of one of the secrets, as it is or in a form that a service may write it in: escaped for
 * JSON, for a URL, in base64, or in two of these one inside the other. The text is brought back, and not the secrets
 * forward, so that no spelling of a form is missed; case is not looked at, for a host name loses it.
 */
function repeats(text: string, secrets: readonly string[]): boolean {
  const wanted = secrets.filter(secret => secret !== '').map(secret => folded(bytesOf(secret)))
  if (wanted.length === 0) return false
  const readings = readingsOf(text)
  const parts = new Set<string>()
  for (const reading of readings)
    for (let at = 0; at + PART <= reading.length; at++) parts.add(reading.slice(at, at + PART))
  return wanted.some(secret => {
    if (secret.length < PART) return readings.some(reading => reading.includes(secret))
    for (let at = 0; at + PART <= secret.length; at++) if (parts.has(secret.slice(at, at + PART))) return true
    return false
  })
}

/** UTF-8, a character a byte: what base64 and URLs are about. */
const bytesOf = (text: string): string => Buffer.from(text).toString('latin1')
const folded = (bytes: string): string => bytes.toLowerCase()

function readingsOf(text: string): readonly string[] {
  const plain = bytesOf(text)
  const once = [plain, ...READERS.map(read => read(plain))]
  return [...new Set([...once, ...once.flatMap(reading => READERS.map(read => read(reading)))].map(folded))]
}

/** Each undoes one form wherever it stands in a text. Base64 that was cut may begin with any character of its four. */
const READERS: readonly ((bytes: string) => string)[] = [
  bytes => bytes.replace(/((?:\\u[0-9a-fA-F]{4})+)|\\([\s\S])/g, (_, units, sign) => unescaped(units, sign)),
  bytes => fromUrl(bytes),
  bytes => fromUrl(bytes.replaceAll('+', ' ')),
  ...[0, 1, 2, 3].map(
    skipped => (bytes: string) => bytes.replace(/[A-Za-z0-9+/_-]+/g, run => fromBase64(run.slice(skipped))),
  ),
]

const SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }
const unescaped = (units: string | undefined, sign: string): string =>
  units === undefined ? (SHORT[sign] ?? sign) : bytesOf(String(JSON.parse(`"${units}"`)))
const fromUrl = (bytes: string): string =>
  bytes.replace(/%([0-9a-fA-F]{2})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
const fromBase64 = (run: string): string => Buffer.from(run, 'base64').toString('latin1')
