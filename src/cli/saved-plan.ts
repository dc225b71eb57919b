import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Plan } from '../plan/plan.ts'
import { type PlanFileFault, parseSavedPlan } from '../plan/reviewed.ts'
import type { Io } from './io.ts'

/** Larger files are not read: a plan of this size would hold a million operations. */
const LARGEST = 256 * 1024 * 1024

/** The plan in a file, or why it is not accepted. */
export async function readSavedPlan(io: Io, file: string): Promise<Plan | Diagnostic> {
  const path = resolve(io.cwd, file)
  const size = await stat(path).then(
    found => (found.isFile() ? found.size : undefined),
    () => undefined,
  )
  if (size === undefined) return missing(file)
  if (size > LARGEST) return refusal(file, 'It is too large for a saved plan.')
  return await parsePlan(file, await readFile(path, 'utf8'))
}

/** The plan in a text, or why it is not accepted. `file` names it to the user. */
export async function parsePlan(file: string, text: string): Promise<Plan | Diagnostic> {
  const { isPlan } = await import('../config/plan-valid.gen.ts')
  const plan = parseSavedPlan(text, (value): value is Saved => isPlan(value))
  return typeof plan === 'string' ? refusal(file, FAULTS[plan]) : plan
}

type Saved = Plan & { readonly checksum: string }

const FAULTS: Readonly<Record<PlanFileFault, string>> = {
  cut: 'It is not valid JSON, or it is too large: it was truncated, or it is not a saved plan.',
  edited: 'It was modified after it was written: its checksum does not match.',
  'other-format': 'Another version of Setpoint wrote it, in a format that this version does not read.',
  'not-a-plan': 'It does not have the format of a saved plan.',
}

const missing = (file: string): Diagnostic => ({
  severity: 'error',
  code: 'unreadable-file',
  message: `There is no file ${JSON.stringify(file)}.`,
})

const refusal = (file: string, reason: string): Diagnostic => ({
  severity: 'error',
  code: 'refused',
  message: `${JSON.stringify(file)} is not accepted. ${reason}`,
  hint: 'Create a new one: setpoint plan --out FILE',
})
