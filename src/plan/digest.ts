import { createHash } from 'node:crypto'
import { compareText } from '../model/diagnostic.ts'
import { toCompactJson } from '../model/json.ts'
import { isOptional } from './operation.ts'
import type { Plan } from './plan.ts'

/**
 * SHA-256 over what a plan does: organization, address, selection, operations with their before and after. Lines,
 * paths, time, tool version, order and foreign sets are not part of it.
 */
export function digestOf(plan: Pick<Plan, 'format' | 'organization' | 'address' | 'only' | 'steps'>): string {
  const { format, organization, address, only, steps } = plan
  const operations = steps
    .filter(step => !isOptional(step.operation))
    .map(step => ({ id: step.id, operation: step.operation }))
    .toSorted((a, b) => compareText(a.id, b.id))
  const hash = createHash('sha256')
  const begin = { address, format, only }
  // A piece at a time: a plan that creates everything is as large as all files.
  hash.update(`${toCompactJson(begin).slice(0, -1)},"operations":[`)
  for (const [index, operation] of operations.entries())
    hash.update(`${index === 0 ? '' : ','}${toCompactJson(operation)}`)
  return hash.update(`],"organization":${toCompactJson(organization)}}`).digest('hex')
}
