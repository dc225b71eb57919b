import type { SourceRange } from '../model/diagnostic.ts'
import type { RuleItem, RuleSubject } from '../model/rule.ts'
import type { DesiredVariable } from '../model/variable-set.ts'
import type { Match } from '../plan/match.ts'
import { type Facts, variablesIn } from './vocabulary.ts'

/** The item of a rule by its index, with its line in the files. */
export type ItemOf = (
  subject: RuleSubject,
  index: number,
) => { readonly item: RuleItem; readonly at?: SourceRange }

/** Items by subject and index, as the worker counts them. */
export function itemsIn(facts: Facts, match: Match): ItemOf {
  const declared = new Map<
    string,
    { readonly source?: SourceRange; readonly variables?: readonly DesiredVariable[] }
  >([
    ...match.pairs.map(({ desired }) => [desired.name, desired] as const),
    ...match.removals.map(({ observed, source }) => [observed.name, { source }] as const),
  ])
  const placeOf = (set: string, key?: string): SourceRange | undefined => {
    const found = declared.get(set)
    return found?.variables?.find(one => one.key === key)?.source ?? found?.source
  }
  let variables: ReturnType<typeof variablesIn> | undefined
  const of = (subject: RuleSubject, index: number): RuleItem => {
    switch (subject) {
      case 'plan':
        return { kind: subject }
      case 'set':
        return { kind: subject, set: facts.sets[index]?.name }
      case 'variable': {
        variables ??= variablesIn(facts)
        const found = variables[index]?.variable
        return { kind: subject, set: found?.set, key: found && `${found.category}/${found.key}` }
      }
      case 'exposure': {
        const found = facts.exposures[index]
        return { kind: subject, set: found?.set, detail: found?.kind }
      }
      case 'effect': {
        const found = facts.effects[index]
        const key = found && `${found.category}/${found.key}`
        return { kind: subject, set: found?.to ?? found?.from, key, detail: found?.kind }
      }
    }
  }
  return (subject, index) => {
    const item = of(subject, index)
    return { item, at: item.set === undefined ? undefined : placeOf(item.set, item.key) }
  }
}
