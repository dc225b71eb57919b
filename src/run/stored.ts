import type { StepResult, WriteProofs } from '../apply/outcome.ts'
import type { ObservedState, ResolvedState } from '../model/variable-set.ts'
import { hasArrived } from '../plan/done.ts'
import { variablesSent } from '../plan/operation.ts'
import { type EndsDiffer, storesAs } from '../plan/stored-text.ts'

/**
 * Values that were just sent and that the service stored with other line ends or without a final newline. The read has to show
 * the value of the answer; if the answer was lost, another text than before the write.
 */
export function storedIn(
  observed: ObservedState,
  resolved: ResolvedState,
  results: readonly StepResult[],
  answers: WriteProofs,
): EndsDiffer[] {
  const sets = new Map(observed.sets.map(set => [set.id, set]))
  const files = new Map(resolved.sets.map(set => [set.name, set]))
  const found = results.flatMap(({ step: { id, operation }, outcome }) => {
    const answer = answers.get(id)
    const setId = operation.subject.id ?? answer?.setId
    const set = setId === undefined ? undefined : sets.get(setId)
    if (set === undefined || outcome.status === 'failed' || outcome.status === 'skipped') return []
    const { name } = operation.subject
    return variablesSent(operation).flatMap(wanted => {
      const { key, value } = wanted
      const there = set.variables.filter(variable => variable.key === key)
      const [first] = there
      if (first === undefined || there.length > 1 || !('text' in value && 'text' in first.value)) return []
      const held = first.value.text
      const shown = answer?.variables.find(variable => variable.key === key)?.value
      const isOurs =
        shown !== undefined && 'text' in shown ? shown.text === held : hasArrived(operation)(first, wanted)
      if (!isOurs || !storesAs(value.text, held)) return []
      const source = files.get(name)?.variables.find(variable => variable.key === key)?.source
      return [
        [`${set.id} ${key}`, { setId: set.id, set: name, key, sent: value.text, held, source }] as const,
      ]
    })
  })
  return [...new Map(found).values()]
}
