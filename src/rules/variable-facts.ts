import { categoryOf, nameOf } from '../model/ids.ts'
import type { DesiredVariable, ObservedVariable } from '../model/variable-set.ts'
import type { Hides } from '../plan/secrecy.ts'
import { type ActionOf, nowOf, ownVariables, type SetSource } from './set-facts.ts'
import { type Readers, type Table, tableOf } from './table.ts'
import type { FactOf } from './vocabulary.ts'

export type AnyVariable = DesiredVariable | ObservedVariable

/** For each set the variables that stay, then those that the plan deletes, as they were. */
export const variablesBySet = (sets: readonly SetSource[]): (readonly AnyVariable[])[] =>
  sets.map(set => (set.gone.length === 0 ? nowOf(set).variables : [...nowOf(set).variables, ...set.gone]))

export function variableTable(sets: readonly SetSource[], actionOf: ActionOf, hides: Hides): Table {
  let at = -1
  let beforeOf: BeforeOf = () => undefined
  const was = (one: AnyVariable, set: number): ObservedVariable | undefined => {
    if (set !== at) beforeOf = beforeIn(sets[set] as SetSource)
    at = set
    return beforeOf(one)
  }
  const readers: Readers<'Variable', AnyVariable> = {
    set: (_, set) => sets[set]?.name ?? '',
    key: ({ key }) => nameOf(key),
    category: ({ key }) => categoryOf(key),
    action: ({ key }, set) => {
      const { desired, name } = sets[set] as SetSource
      return desired === undefined ? 'delete' : (actionOf(name, key) ?? 'none')
    },
    description: ({ description }) => description,
    hcl: ({ hcl }) => hcl,
    sensitive: (one, set) => secretOf(one) !== undefined || isHidden(isExternal(one) ? was(one, set) : one),
    external: isExternal,
    secret: one => secretOf(one)?.name,
    version: one => secretOf(one)?.version,
    value: one => readable(one, hides),
    before: (one, set) => beforeFacts(was(one, set), hides),
  }
  return tableOf(variablesBySet(sets), readers)
}

type BeforeOf = (one: AnyVariable) => ObservedVariable | undefined

/** What each variable of a set was. */
export function beforeIn(source: SetSource): BeforeOf {
  // A service may hold a key twice: the first counts.
  const old = new Map(source.was?.variables.toReversed().map(one => [one.key, one]))
  const own = ownVariables(source)
  return one => {
    if ('id' in one) return one
    return isExternal(one) ? own.find(({ key }) => key === one.key) : old.get(one.key)
  }
}

const beforeFacts = (one: ObservedVariable | undefined, hides: Hides): FactOf<'VariableBefore'> | undefined =>
  one && {
    description: one.description,
    hcl: one.hcl,
    sensitive: isHidden(one),
    value: readable(one, hides),
  }

const secretOf = ({ value }: AnyVariable) => ('secret' in value ? value.secret : undefined)

const isExternal = ({ value }: AnyVariable): boolean => 'external' in value

const isHidden = (one: AnyVariable | undefined): boolean => one !== undefined && 'hidden' in one.value

/** Its value, if a rule may see it. */
export function readable({ key, value }: AnyVariable, hides: Hides): string | undefined {
  return 'text' in value && !hides(key, value.text) ? value.text : undefined
}
