import { compareText } from '../model/diagnostic.ts'
import { type Category, isVariableId } from '../model/ids.ts'
import type { ForeignVariable, ObservedVariable } from '../model/variable-set.ts'
import {
  isMembers,
  listOf,
  type Members,
  optionalFlagAt,
  optionalTextAt,
  type Resource,
  relatedAt,
  resourceOf,
  textAt,
} from './document.ts'
import { MalformedAnswerError } from './errors.ts'

export interface DecodedVariables {
  readonly variables: readonly ObservedVariable[]
  readonly foreignVariables: readonly ForeignVariable[]
}

type DecodedVariable =
  | { readonly variable: ObservedVariable; readonly foreign?: never }
  | { readonly variable?: never; readonly foreign: ForeignVariable }

/** One variable. A sensitive value does not enter the program, whatever the service put there. */
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
      // An older service leaves out what it does not have.
      description: optionalTextAt(resource, 'description'),
      hcl: optionalFlagAt(resource, 'hcl'),
      ...(typeof versionId === 'string' && versionId !== '' ? { versionId } : {}),
    },
  }
}

/** Sorted by key then id; an id twice makes no sense. */
export function decodeVariables(values: readonly unknown[], at: string, tool: string): DecodedVariables {
  const variables: ObservedVariable[] = []
  const foreignVariables: ForeignVariable[] = []
  const seen = new Set<string>()
  for (const [index, value] of values.entries()) {
    const { variable, foreign } = decodeVariable(value, `${at}/${index}`, tool)
    const { id } = variable ?? foreign
    if (seen.has(id)) throw new MalformedAnswerError(`${at}/${index}/id stands there twice`)
    seen.add(id)
    if (variable === undefined) foreignVariables.push(foreign)
    else variables.push(variable)
  }
  return { variables: variables.sort(byKey), foreignVariables: foreignVariables.sort(byKey) }
}

/** By key then id: the order of variables in a set. */
export const byKey = (a: { key: string; id: string }, b: { key: string; id: string }): number =>
  compareText(a.key, b.key) || compareText(a.id, b.id)

/**
 * The variables of a set where the answer carries them: embedded in the relationship with their attributes (interface
 * 2.1), or in `included`. `undefined` where it shows ids only, or not all; then endpoint 11 has them.
 */
export function variablesOf(
  set: Resource,
  included: ReadonlyMap<string, Members>,
  count: number | undefined,
  tool: string,
): DecodedVariables | undefined {
  const related = relatedAt(set, 'vars')
  if (related === undefined) return count === 0 ? { variables: [], foreignVariables: [] } : undefined
  const at = `${set.at}/relationships/vars/data`
  const whole: unknown[] = []
  for (const [index, value] of listOf(related, at).entries()) {
    const found = isEmbedded(value)
      ? value
      : included.get(resourceOf(value, 'vars', isVariableId, `${at}/${index}`).id)
    if (found === undefined) return undefined
    whole.push(found)
  }
  const decoded = decodeVariables(whole, at, tool)
  return count === undefined || count === whole.length ? decoded : undefined
}

/** Its form is checked where it is decoded. */
const isEmbedded = (value: unknown): boolean =>
  isMembers(value) && isMembers(value.attributes) && Object.hasOwn(value.attributes, 'key')

/** Variables by id of a document's `included`; other types there are none of our business. */
export function includedVariables(document: Members): ReadonlyMap<string, Members> {
  const found = new Map<string, Members>()
  if (!Array.isArray(document.included)) return found
  for (const value of document.included as readonly unknown[])
    if (isMembers(value) && value.type === 'vars' && typeof value.id === 'string') found.set(value.id, value)
  return found
}

/** How the configuration category travels: under the name of the tool (docs/service.md 2.2). The word `tool` is read too. */
export const DEFAULT_TOOL = 'terraform'

export const writtenCategory = (category: Category, tool: string): string =>
  category === 'env' ? 'env' : tool

/** `undefined` for a category that we do not know: such a variable is foreign. */
function readCategory(written: string, tool: string): Category | undefined {
  if (written === 'env') return 'env'
  return written === tool || written === DEFAULT_TOOL || written === 'tool' ? 'terraform' : undefined
}
