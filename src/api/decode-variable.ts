import { compareText } from '../model/diagnostic.ts'
import { type Category, isVariableId } from '../model/ids.ts'
import { isObject } from '../model/json.ts'
import type { ForeignVariable, ObservedVariable } from '../model/variable-set.ts'
import {
  listOf,
  type Members,
  optionalFlagAt,
  optionalTextAt,
  type Resource,
  relatedAt,
  resourceOf,
  textAt,
} from './document.ts'
import { MalformedResponseError } from './errors.ts'

export interface DecodedVariables {
  readonly variables: readonly ObservedVariable[]
  readonly foreignVariables: readonly ForeignVariable[]
}

type DecodedVariable =
  | { readonly variable: ObservedVariable; readonly foreign?: never }
  | { readonly variable?: never; readonly foreign: ForeignVariable }

/** One variable. A sensitive value never enters the program, even if the service shows one. */
export function decodeVariable(value: unknown, at: string, tool: string): DecodedVariable {
  const resource = resourceOf(value, 'vars', isVariableId, at)
  const { id } = resource
  const key = textAt(resource, 'key')
  const written = textAt(resource, 'category')
  const category = readCategory(written, tool)
  if (category === undefined) return { foreign: { id, key, category: written } }
  const versionId = resource.attributes['version-id']
  return {
    variable: {
      id,
      key: `${category}/${key}`,
      value: optionalFlagAt(resource, 'sensitive')
        ? { hidden: true }
        : { text: optionalTextAt(resource, 'value') },
      description: optionalTextAt(resource, 'description'),
      hcl: optionalFlagAt(resource, 'hcl'),
      ...(typeof versionId === 'string' && versionId !== '' && { versionId }),
    },
  }
}

/** Sorted by key, then by id. A duplicate id is malformed. */
export function decodeVariables(values: readonly unknown[], at: string, tool: string): DecodedVariables {
  const variables: ObservedVariable[] = []
  const foreignVariables: ForeignVariable[] = []
  const seen = new Set<string>()
  for (const [index, value] of values.entries()) {
    const { variable, foreign } = decodeVariable(value, `${at}[${index}]`, tool)
    const { id } = variable ?? foreign
    if (seen.has(id)) throw new MalformedResponseError(`${at}[${index}].id is a duplicate`)
    seen.add(id)
    if (variable === undefined) foreignVariables.push(foreign)
    else variables.push(variable)
  }
  return { variables: variables.sort(byKey), foreignVariables: foreignVariables.sort(byKey) }
}

/** The order of variables in a set: by key, then by id. */
export const byKey = (a: { key: string; id: string }, b: { key: string; id: string }): number =>
  compareText(a.key, b.key) || compareText(a.id, b.id)

/**
 * The variables of a set, if the response has them: embedded in the relationship (docs/service.md 2.1) or in `included`. `undefined` if it
 * shows ids only, or not all variables. Endpoint 11 lists them then.
 */
export function variablesOf(
  set: Resource,
  included: ReadonlyMap<string, Members>,
  count: number | undefined,
  tool: string,
): DecodedVariables | undefined {
  const related = relatedAt(set, 'vars')
  if (related === undefined) return count === 0 ? { variables: [], foreignVariables: [] } : undefined
  const at = `${set.at}.relationships.vars.data`
  const whole: unknown[] = []
  for (const [index, value] of listOf(related, at).entries()) {
    const found = isEmbedded(value)
      ? value
      : included.get(resourceOf(value, 'vars', isVariableId, `${at}[${index}]`).id)
    if (found === undefined) return undefined
    whole.push(found)
  }
  const decoded = decodeVariables(whole, at, tool)
  return count === undefined || count === whole.length ? decoded : undefined
}

const isEmbedded = (value: unknown): boolean =>
  isObject(value) && isObject(value.attributes) && Object.hasOwn(value.attributes, 'key')

/** The variables in `included`, by id. Other types are ignored. */
export function includedVariables(document: Members): ReadonlyMap<string, Members> {
  const found = new Map<string, Members>()
  if (!Array.isArray(document.included)) return found
  for (const value of document.included as readonly unknown[])
    if (isObject(value) && value.type === 'vars' && typeof value.id === 'string') found.set(value.id, value)
  return found
}

/** The wire name of the category `terraform` is the name of the tool (docs/service.md 2.2). `tool` is accepted as well. */
export const DEFAULT_TOOL = 'terraform'

export const writtenCategory = (category: Category, tool: string): string =>
  category === 'env' ? 'env' : tool

/** `undefined` for an unknown category. Such a variable is foreign. */
function readCategory(written: string, tool: string): Category | undefined {
  if (written === 'env') return 'env'
  return written === tool || written === DEFAULT_TOOL || written === 'tool' ? 'terraform' : undefined
}
