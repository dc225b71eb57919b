import type { VariableRecord } from './records.ts'
import { type Problem, refuseIfAny } from './refusal.ts'
import type { Context } from './service.ts'
import { slotOf } from './store.ts'
import { inside, keyTaken, newVariable, type VariableInput, variableProblems } from './variable-rules.ts'

/**
 * The records that a list of complete definitions adds to what a set has. Two axes say what a key that is there already
 * means: one for keys the set had, one for keys that the list itself repeats.
 */
export function addVariables(
  existing: readonly VariableRecord[],
  inputs: readonly VariableInput[],
  context: Context,
): VariableRecord[] {
  const { profile } = context
  const had = new Map(existing.map(variable => [slotOf(variable), variable]))
  const added = new Map<string, VariableRecord>()
  const bySlot = new Map<string, VariableRecord>()
  const problems: Problem[] = []
  for (const [index, input] of inputs.entries()) {
    const pointer = `/data/relationships/vars/data/${index}`
    const variable = newVariable(input, context)
    problems.push(...variableProblems(variable, profile).map(problem => inside(pointer, problem)))
    const slot = slotOf(variable)
    const earlier = bySlot.get(slot)
    const same = earlier ?? had.get(slot)
    const policy = earlier === undefined ? profile.setUpdateKnownVariable : profile.duplicateVariable
    if (same !== undefined && policy === 'refuse') problems.push(inside(pointer, keyTaken()))
    const kept =
      same !== undefined && policy === 'replace'
        ? { ...variable, id: same.id, createdAt: same.createdAt }
        : variable
    added.set(kept.id, kept)
    bySlot.set(slot, kept)
  }
  refuseIfAny(problems)
  return [...added.values()]
}
