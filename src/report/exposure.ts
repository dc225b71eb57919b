import { nameOf, type VariableKey } from '../model/ids.ts'
import { type Operation, variablesSent } from '../plan/operation.ts'
import type { Step } from '../plan/plan.ts'
import { type Alert, alert } from './alert.ts'
import type { Context } from './change.ts'
import { namesOf } from './changes.ts'
import { counted, joined, listed, name, type Phrase } from './phrase.ts'
import { setKey } from './relations.ts'

/**
 * Secrets of a set that is assigned, created with targets, or becomes global. Only what the plan itself shows: a set's
 * secrets that do not change are not in it.
 */
export function secretsThatReach(context: Context): Alert[] {
  const secrets = secretsBySet(context.plan.steps)
  const reached = new Map<string, { step: Step; phrases: Phrase[] }>()
  for (const step of context.plan.steps) {
    const phrases = newReach(step.operation, context)
    if (phrases.length === 0) continue
    const key = setKey(step.operation)
    reached.set(key, { step, phrases: [...(reached.get(key)?.phrases ?? []), ...phrases] })
  }
  return [...reached].flatMap(([key, { step, phrases }]) => {
    const names = (secrets.get(key) ?? []).map(nameOf)
    if (names.length === 0) return []
    const reach = names.length === 1 ? ' newly reaches ' : ' newly reach '
    const phrase = [name(step.operation.set), ' ', ...listed(names), reach, ...joined(phrases, ' and ')]
    return [alert('secret', phrase, step.source)]
  })
}

function secretsBySet(steps: readonly Step[]): Map<string, VariableKey[]> {
  const bySet = new Map<string, VariableKey[]>()
  for (const { operation } of steps) {
    const secrets = variablesSent(operation).filter(
      sent =>
        'secret' in sent.value ||
        (operation.type === 'update-variable' && 'hidden' in operation.before.value),
    )
    const key = setKey(operation)
    const keys = bySet.get(key) ?? []
    for (const secret of secrets) keys.push(secret.key)
    bySet.set(key, keys)
  }
  return bySet
}

function newReach(operation: Operation, context: Context): Phrase[] {
  switch (operation.type) {
    case 'create-set': {
      const { global, workspaces, projects } = operation.after
      if (global) return [['every workspace']]
      return [...targets(workspaces, 'workspace', context), ...targets(projects, 'project', context)]
    }
    case 'update-set':
      return !operation.before.global && operation.after.global ? [['every workspace']] : []
    case 'assign': {
      const { kind, ids } = operation.targets
      return targets(ids, kind === 'workspaces' ? 'workspace' : 'project', context)
    }
    case 'delete-set':
    case 'create-variable':
    case 'update-variable':
    case 'delete-variable':
    case 'unassign':
      return []
  }
}

function targets(ids: readonly string[], noun: string, { plan }: Context): Phrase[] {
  if (ids.length === 0) return []
  const names = namesOf(ids, plan)
  if (ids.length === 1) return [[`${noun} `, ...listed(names)]]
  return [[`${counted(ids.length, noun)} (`, ...listed(names), ')']]
}
