import { type Operation, variablesSent } from './operation.ts'
import type { Plan, Step } from './plan.ts'

/**
 * The steps of `remaining` that do nothing but what `plan` was for: what its operations should have brought about and,
 * by the closing read, did not. A set that does not show is left out: it may be late, and making it again would double
 * it.
 */
export function coveredSteps(plan: Plan, remaining: Plan): Step[] {
  const covered = remaining.steps.filter(step =>
    plan.steps.some(done => covers(done.operation, step.operation)),
  )
  const ids = new Set(covered.map(step => step.id))
  return covered.map(step => ({ ...step, after: step.after.filter(id => ids.has(id)) }))
}

/** Whether `asked` does nothing but what `done` was for. */
export function covers(done: Operation, asked: Operation): boolean {
  if (asked.type === 'create-set' || done.type === 'create-set') return coversNewSet(done, asked)
  if (done.subject.id !== asked.subject.id) return false
  switch (asked.type) {
    case 'create-variable':
    case 'update-variable':
      return variablesSent(done).some(variable => variable.key === asked.after.key)
    case 'delete-variable':
      return done.type === 'delete-variable' && done.variableId === asked.variableId
    case 'update-set':
      return done.type === 'update-set' && asked.variables.length === 0
    case 'assign':
    case 'unassign': {
      if (done.type !== asked.type) return false
      const ids: readonly string[] = done.targets.ids
      return asked.targets.ids.every(id => ids.includes(id))
    }
    case 'delete-set':
      return done.type === 'delete-set'
  }
}

/** A set that was made and shows without something that was sent with it. */
const coversNewSet = (done: Operation, asked: Operation): boolean =>
  done.type === 'create-set' &&
  done.subject.name === asked.subject.name &&
  (asked.type === 'assign' ||
    (asked.type === 'create-variable' &&
      variablesSent(done).some(variable => variable.key === asked.after.key)))
