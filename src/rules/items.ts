import type { SourceRange } from '../model/diagnostic.ts'
import type { RuleItem, RuleSubject } from '../model/rule.ts'
import type { DesiredVariable } from '../model/variable-set.ts'
import type { AffectedChange } from '../plan/effective/affected-list.ts'
import type { Match } from '../plan/match.ts'
import type { SetSource } from './set-facts.ts'
import type { VariableSource } from './variable-facts.ts'
import type { FactOf } from './vocabulary.ts'

/** The item of a rule by its index, with its line in the files. */
export type ItemOf = (
  subject: RuleSubject,
  index: number,
) => { readonly item: RuleItem; readonly at?: SourceRange }

/** The items of each subject, as the worker counts them. */
interface ItemSources {
  readonly sets: readonly SetSource[]
  readonly variables: readonly VariableSource[]
  readonly exposures: readonly FactOf<'Exposure'>[]
  readonly effects: readonly AffectedChange[]
}

export function itemsIn({ sets, variables, exposures, effects }: ItemSources, match: Match): ItemOf {
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
  const of = (subject: RuleSubject, index: number): RuleItem => {
    switch (subject) {
      case 'plan':
        return { kind: subject }
      case 'set':
        return { kind: subject, set: sets[index]?.name }
      case 'variable': {
        const found = variables[index]
        return { kind: subject, set: found?.set, key: (found?.desired ?? found?.was)?.key }
      }
      case 'exposure': {
        const found = exposures[index]
        return { kind: subject, set: found?.set, detail: found?.kind }
      }
      case 'effect': {
        const found = effects[index]
        return {
          kind: subject,
          set: found?.after?.set ?? found?.before?.set,
          key: found?.key,
          detail: found?.change,
        }
      }
    }
  }
  return (subject, index) => {
    const item = of(subject, index)
    return { item, at: item.set === undefined ? undefined : placeOf(item.set, item.key) }
  }
}
