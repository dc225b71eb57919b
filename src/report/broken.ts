import type { ApplyResult, StepOutcome } from '../apply/outcome.ts'
import { categoryOf, nameOf, type VariableKey } from '../model/ids.ts'
import { itemsOf, partsOf, placeOf, takesAway } from '../plan/items.ts'
import type { Operation, OperationId } from '../plan/operation.ts'
import type { Plan } from '../plan/plan.ts'
import { counted, name, type Phrase, type PhrasePart } from './phrase.ts'

type Done = 'yes' | 'no' | 'maybe'

/**
 * Variables that workspaces had before this run and may lack now: the first half of a move or a replacement was done
 * and the second was not. Nothing where the closing read found everything as desired.
 */
export function brokenNow(result: ApplyResult): Phrase[] {
  if (result.closing.state === 'equal') return []
  const outcomes = new Map<OperationId, StepOutcome>(
    result.results.map(({ step, outcome }) => [step.id, outcome]),
  )
  const steps = result.plan.steps.map(({ id, operation }) => ({ operation, done: doneOf(outcomes.get(id)) }))
  return [...brokenMoves(result, steps), ...brokenReplacements(steps)]
}

interface Ended {
  readonly operation: Operation
  readonly done: Done
}

function doneOf(outcome: StepOutcome | undefined): Done {
  if (outcome === undefined) return 'no'
  if (outcome.status === 'skipped') return outcome.because === 'already-done' ? 'yes' : 'no'
  return outcome.status === 'succeeded' ? 'yes' : outcome.status === 'unknown' ? 'maybe' : 'no'
}

const brokenMoves = ({ plan }: ApplyResult, steps: readonly Ended[]): Phrase[] =>
  plan.facts.gaps.flatMap(({ key, from, to }) => {
    const left = steps.filter(
      step => step.operation.subject.name === from && leavesGlobal(step.operation, key),
    )
    const came = steps.filter(
      step => step.operation.subject.name === to && comesToGlobal(step.operation, key),
    )
    const gone = either(left.map(step => step.done))
    const arrived = all(came.map(step => step.done))
    if (gone === 'no' || arrived === 'yes') return []
    const sure = gone === 'yes' && arrived === 'no'
    const now = sure ? ' no global set has it now' : ' possibly no global set has it now'
    const who = whoHadIt(plan, key, from, to)
    return [[...variable(key), ' left ', name(from), ' but did not reach ', name(to), `:${now}${who}`]]
  })

/** `; 212 workspaces`, if all workspaces of the move are known. */
function whoHadIt({ facts: { effective } }: Plan, key: VariableKey, from: string, to: string): string {
  const groups = effective.groups.filter(({ effects }) =>
    effects.some(one => one.key === key && one.before?.set === from && one.after?.set === to),
  )
  const count = groups.reduce((sum, group) => sum + group.count, 0)
  const isWhole = effective.left === 0 && groups.every(group => !group.others && group.projects.length === 0)
  return isWhole && count > 0 ? `; ${counted(count, 'workspace')}` : ''
}

const leavesGlobal = (operation: Operation, key: VariableKey): boolean =>
  partsOf(operation).some(item =>
    item.kind === 'settings'
      ? item.before.global && !item.after.global
      : item.kind === 'variable' && item.key === key && takesAway(item),
  )

const comesToGlobal = (operation: Operation, key: VariableKey): boolean =>
  partsOf(operation).some(item =>
    item.kind === 'settings'
      ? !item.before.global && item.after.global
      : item.kind === 'variable' && item.key === key && !takesAway(item),
  )

function brokenReplacements(steps: readonly Ended[]): Phrase[] {
  const halves = steps.flatMap(({ operation, done }) =>
    itemsOf(operation).flatMap(item =>
      item.kind === 'variable' && item.isHalf
        ? [
            {
              operation,
              done,
              key: item.key,
              at: `${placeOf(operation)} ${item.key}`,
              isGone: takesAway(item),
            },
          ]
        : [],
    ),
  )
  const gone = new Map(halves.filter(({ isGone }) => isGone).map(({ at, done }) => [at, done]))
  return halves.flatMap(({ operation, done, key, at, isGone }) => {
    const first = gone.get(at) ?? 'no'
    if (isGone || done === 'yes' || first === 'no') return []
    const how = first === 'yes' && done === 'no' ? ' is missing from ' : ' may be missing from '
    return [[...variable(key), how, name(operation.subject.name), ' now']]
  })
}

const variable = (key: VariableKey): PhrasePart[] => [`${categoryOf(key)} `, name(nameOf(key))]

const either = (done: readonly Done[]): Done =>
  done.includes('yes') ? 'yes' : done.includes('maybe') ? 'maybe' : 'no'

const all = (done: readonly Done[]): Done =>
  done.includes('no') ? 'no' : done.includes('maybe') ? 'maybe' : 'yes'
