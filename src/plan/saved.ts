import { createHash } from 'node:crypto'
import { type Serialisable, toJson } from '../model/json.ts'
import { parseJson } from '../model/parse-json.ts'
import { digestOf } from './digest.ts'
import type { Plan } from './plan.ts'

const FORMAT: Plan['format'] = 2

/**
 * The bytes of a saved plan: canonical JSON with a checksum over everything else in it, so that a file that was cut
 * or edited anywhere is known. It proves integrity, not origin: whoever edits can compute it anew, which is why an
 * apply holds the plan against the one of the moment and executes that.
 */
export function savedPlan(plan: Plan & Serialisable<Plan>): string {
  return toJson({ ...plan, checksum: checksumOf(plan) })
}

const checksumOf = (plan: Plan): string => createHash('sha256').update(toJson(plan)).digest('hex')

export type PlanFileFault = 'cut' | 'edited' | 'not-a-plan' | 'other-format'

/** The plan that a saved file holds, or what is wrong with the file. `isPlan` checks the form. */
export function parseSavedPlan(
  text: string,
  isPlan: (value: unknown) => value is Plan & { readonly checksum: string },
): Plan | PlanFileFault {
  const value = parseJson(text)
  if (value === undefined) return 'cut'
  if (!isPlan(value)) return isOfOtherFormat(value) ? 'other-format' : 'not-a-plan'
  const { checksum: _, ...plan } = value
  const whole = savedPlan(plan)
  return whole === text && plan.digest === digestOf(plan) ? plan : 'edited'
}

/** An older or newer version wrote it. */
const isOfOtherFormat = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'format' in value &&
  typeof value.format === 'number' &&
  value.format !== FORMAT
