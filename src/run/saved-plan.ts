import { resolve } from 'node:path'
import { type Diagnostic, mistake } from '../model/diagnostic.ts'
import { quotedPath } from '../model/names.ts'
import type { Plan } from '../plan/plan-data.ts'
import { type PlanFileFault, parseSavedPlan } from '../plan/reviewed-plan.ts'
import { fail } from './commands/ending.ts'
import { writePlanFile } from './commands/output-files.ts'
import { LARGEST, readUpTo } from './read-file.ts'
import type { Run } from './run.ts'
import { WriteError } from './write-files.ts'

/** A saved plan: `file` is read, unless the caller has its text. Messages call it `file` either way. */
export interface SavedPlan {
  readonly file: string
  readonly text?: string
}

/** The plan that was saved. Ends the command if it is not accepted. */
export async function readSavedPlan(run: Run, { file, text: given }: SavedPlan): Promise<Plan> {
  const { text, isLarge = false } =
    given === undefined ? await readUpTo(LARGEST, resolve(run.cwd, file)) : { text: given }
  if (isLarge) fail(run, refusal(file, 'It is too large for a saved plan.'))
  if (text === undefined) fail(run, mistake('unreadable-file', `There is no file ${quotedPath(file)}.`))
  const plan = await parsePlan(file, text)
  if ('severity' in plan) fail(run, plan)
  return plan
}

/** The plan in a text, or why it is not accepted. `file` names it to the user. */
export async function parsePlan(file: string, text: string): Promise<Plan | Diagnostic> {
  const { isPlan } = await import('../config/plan-valid.gen.ts')
  const plan = parseSavedPlan(text, (value): value is Saved => isPlan(value))
  return typeof plan === 'string' ? refusal(file, FAULTS[plan]) : plan
}

/** Saves an approved plan before its first write. Ends the command if that is not possible. */
export async function savePlan(run: Run, file: string, plan: Plan): Promise<void> {
  try {
    await writePlanFile(run, file, plan)
  } catch (error) {
    if (!(error instanceof WriteError)) throw error
    fail(
      run,
      mistake(
        'unwritable-file',
        `The approved plan ${error.message}.`,
        'Nothing was written to the service.',
      ),
    )
  }
}

type Saved = Plan & { readonly checksum: string }

const FAULTS: Readonly<Record<PlanFileFault, string>> = {
  cut: 'It is not valid JSON, or it is too large: it was truncated, or it is not a saved plan.',
  edited: 'It was modified after it was written: its checksum does not match.',
  'other-format': 'Another version of Setpoint wrote it, in a format that this version does not read.',
  'not-a-plan': 'It does not have the format of a saved plan.',
}

const refusal = (file: string, reason: string) =>
  mistake(
    'refused',
    `${quotedPath(file)} is not accepted. ${reason}`,
    'Create a new one: setpoint plan --out FILE',
  )
