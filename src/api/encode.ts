import type { Secret } from '../model/secret.ts'
import {
  categoryOf,
  nameOf,
  type SetContents,
  type Settings,
  type Targets,
  type Variable,
} from '../model/variable-set.ts'
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
  return encoded({ type: 'varsets', attributes: settingsOf(contents), relationships }, revealed)
}

/** All four settings (interface 4.1.2); assignments never, for an empty list there clears them all. */
export function updateBody(settings: Settings, added: readonly Variable<WireValue>[], tool: string): Encoded {
  const { attributes, revealed } = variablesOf(added, tool)
  const data = { type: 'varsets', attributes: settingsOf(settings) }
  return added.length === 0
    ? encoded(data, revealed)
    : encoded({ ...data, relationships: linked('vars', attributes) }, revealed)
}

export function variableBody(variable: Variable<WireValue>, tool: string): Encoded {
  const revealed: string[] = []
  return encoded({ type: 'vars', attributes: attributesOf(variable, tool, revealed) }, revealed)
}

export const targetsBody = (targets: Targets): Encoded => encoded(references(targets.kind, targets.ids), [])

const settingsOf = ({ name, description, global, priority }: Settings): SetAttributes => ({
  name,
  description,
  global,
  priority,
})

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

function attributesOf(
  { key, value, description, hcl }: Variable<WireValue>,
  tool: string,
  revealed: string[],
): VariableAttributes {
  const category = writtenCategory(categoryOf(key), tool)
  const common = { key: nameOf(key), description, category, hcl }
  if ('keep' in value) return { ...common, sensitive: value.sensitive }
  if ('text' in value) return { ...common, value: value.text, sensitive: false }
  const text = value.secret.reveal()
  revealed.push(text)
  return { ...common, value: text, sensitive: true }
}

const encoded = <T>(data: T, revealed: readonly string[]): Encoded => ({
  body: JSON.stringify({ data } satisfies Document<T>),
  betrays: text => revealed.some(secret => sharesText(secret, text)),
})

/** A service may cut or decorate what it echoes, so a part of a secret counts as well. */
const PART = 6

function sharesText(secret: string, text: string): boolean {
  if (secret === '') return false
  if (secret.length <= PART) return text.includes(secret)
  for (let at = 0; at + PART <= text.length; at++) if (secret.includes(text.slice(at, at + PART))) return true
  return false
}
