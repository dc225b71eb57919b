import { ownersDiffer } from '../model/fields.ts'
import { categoryOf, nameOf, type VariableKey } from '../model/ids.ts'
import type { DesiredVariable, ObservedVariable } from '../model/variable-set.ts'
import type { Hides } from '../plan/secrecy.ts'
import type { SetSource } from './set-facts.ts'
import { type Asked, picked, type Readers, type Table, tableOf } from './table.ts'

/** Where the fields of a variable come from. Without `desired`, the plan deletes it. */
export type VariableSource = { readonly set: string; readonly action: string } & (
  | { readonly desired: DesiredVariable; readonly was?: ObservedVariable }
  | { readonly desired?: undefined; readonly was: ObservedVariable }
)

/** The variables of a set that stay, with what they were if that is asked for, and those that the plan deletes. */
export function variablesOf(
  { desired, was, changed }: SetSource,
  hasBefore: boolean,
): { readonly stay: readonly VariableSource[]; readonly go: readonly VariableSource[] } {
  if (desired === undefined)
    return { stay: was.variables.map(one => ({ set: was.name, action: 'delete', was: one })), go: [] }
  const { name, variables } = desired
  // A set that replaces another one has none of its variables.
  const there = was === undefined || ownersDiffer(was, desired) ? [] : was.variables
  // A service may hold a key twice: the first counts.
  const old = new Map(hasBefore ? was?.variables.toReversed().map(one => [one.key, one]) : [])
  const oldOf = ({ key, value }: DesiredVariable) =>
    'external' in value ? there.find(one => one.key === key) : old.get(key)
  const stay = variables.map(one => ({
    set: name,
    action: changed?.get(one.key) ?? 'none',
    desired: one,
    was: oldOf(one),
  }))
  const isGone = (key: VariableKey): boolean =>
    changed?.get(key) === 'delete' && !variables.some(one => one.key === key)
  const go = changed === undefined ? [] : there.filter(({ key }) => isGone(key))
  return { stay, go: go.map(one => ({ set: name, action: 'delete', was: one })) }
}

export function variableTable(variables: readonly VariableSource[], hides: Hides, asked: Asked): Table {
  const before = beforeReaders(hides)
  const readers: Readers<'Variable', VariableSource> = {
    set: one => one.set,
    key: one => nameOf(nowOf(one).key),
    category: one => categoryOf(nowOf(one).key),
    action: one => one.action,
    description: one => nowOf(one).description,
    hcl: one => nowOf(one).hcl,
    sensitive: one =>
      secretOf(one) !== undefined || ((isExternal(one) || one.desired === undefined) && isHidden(one.was)),
    external: isExternal,
    secret: one => secretOf(one)?.name,
    version: one => secretOf(one)?.version,
    value: one => valueNow(one, hides),
    before: ({ was }) => was && picked('VariableBefore', was, before, asked),
  }
  return tableOf(variables, readers, asked.Variable)
}

const beforeReaders = (hides: Hides): Readers<'VariableBefore', ObservedVariable> => ({
  description: one => one.description,
  hcl: one => one.hcl,
  sensitive: isHidden,
  value: one => readable(one, hides),
})

const nowOf = ({ desired, was }: VariableSource) => desired ?? was

const secretOf = ({ desired }: VariableSource) =>
  desired !== undefined && 'secret' in desired.value ? desired.value.secret : undefined

const isExternal = ({ desired }: VariableSource): boolean =>
  desired !== undefined && 'external' in desired.value

const isHidden = (was: ObservedVariable | undefined): boolean => was !== undefined && 'hidden' in was.value

/** Its value after the plan. */
export const valueNow = (one: VariableSource | undefined, hides: Hides): string | undefined =>
  one && readable(nowOf(one), hides)

/** Its value before the plan. */
export const valueBefore = (one: VariableSource | undefined, hides: Hides): string | undefined =>
  one?.was && readable(one.was, hides)

function readable(
  { key, value }: { readonly key: VariableKey; readonly value: object },
  hides: Hides,
): string | undefined {
  return 'text' in value && typeof value.text === 'string' && !hides(key, value.text) ? value.text : undefined
}
