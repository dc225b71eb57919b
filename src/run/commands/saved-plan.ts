import { readdir, readFile, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createFile, makeDirectory } from '../../disk/write-file.ts'
import { type Diagnostic, mistake } from '../../model/diagnostic.ts'
import { quotedPath } from '../../model/names.ts'
import type { Plan } from '../../plan/plan-data.ts'
import { type PlanFileFault, parseSavedPlan } from '../../plan/reviewed-plan.ts'
import { mayWriteTo, WriteError, writePlanFile } from '../write-files.ts'
import type { PlanFile } from './decide.ts'
import { fail } from './ending.ts'
import type { RunContext } from './run-context.ts'
import { stateFile } from './run-options.ts'

/** Larger files are not read: a plan or snapshot of this size would hold a million operations. */
export const LARGEST = 256 * 1024 * 1024

/** The text of a file. `undefined` if there is no file, or if it has more than `most` bytes. */
export async function readUpTo(
  most: number,
  path: string,
): Promise<{ readonly text?: string; readonly isLarge?: boolean }> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) return {}
  return found.size > most ? { isLarge: true } : { text: await readFile(path, 'utf8') }
}

/** A saved plan: `file` is read, unless the caller has its text. Messages call it `file` either way. */
export interface SavedPlan {
  readonly file: string
  readonly text?: string
}

/** The plan that was saved. Ends the command if it is not accepted. */
export async function readSavedPlan(context: RunContext, { file, text: given }: SavedPlan): Promise<Plan> {
  const { text, isLarge = false } =
    given === undefined ? await readUpTo(LARGEST, resolve(context.cwd, file)) : { text: given }
  if (isLarge) fail(context, refusal(file, 'It is too large for a saved plan.'))
  if (text === undefined) fail(context, mistake('unreadable-file', `There is no file ${quotedPath(file)}.`))
  const plan = await parsePlan(file, text)
  if ('severity' in plan) fail(context, plan)
  return plan
}

/** The plan in a text, or why it is not accepted. `file` names it to the user. */
export async function parsePlan(file: string, text: string): Promise<Plan | Diagnostic> {
  const { isPlan } = await import('../../config/plan-valid.gen.ts')
  const plan = parseSavedPlan(text, (value): value is Saved => isPlan(value))
  return typeof plan === 'string' ? refusal(file, FAULTS[plan]) : plan
}

/** Where applies save the plans that were approved by their digest alone. */
const approvedDirectory = ({ options }: RunContext): string => stateFile(options, 'approved')

/**
 * Saves an approved plan before its first write: after a failure, only this file tells which operations were approved. Returns its
 * path. Ends the command if it cannot be written.
 */
export async function saveApproved(context: RunContext, plan: Plan): Promise<string> {
  const file = context.options.out ?? join(approvedDirectory(context), `${plan.digest}.json`)
  try {
    if (context.options.out === undefined) await makeUntracked(context.cwd, file)
    await writePlanFile(context.cwd, file, plan)
    return file
  } catch (error) {
    if (!(error instanceof WriteError)) throw error
    return fail(
      context,
      mistake(
        'unwritable-file',
        `The approved plan ${error.message}.`,
        'Nothing was written to the service. An apply that stops halfway is finished with this file. To save it elsewhere, add: --out FILE',
      ),
    )
  }
}

/** Makes the directory of a file below `.setpoint`, which Git ignores from then on. */
async function makeUntracked(cwd: string, file: string): Promise<void> {
  const directory = resolve(cwd, dirname(file))
  mayWriteTo(cwd, resolve(cwd, file))
  try {
    makeDirectory(directory)
  } catch (error) {
    throw new WriteError(file, error)
  }
  // If this fails, it exists already, or the plan cannot be written either.
  try {
    createFile(join(dirname(directory), '.gitignore'), '*\n', 0o644)
  } catch {}
}

/** The plan that an earlier apply saved, by at least the first digits of its digest. */
export async function findApproved(context: RunContext, digest: string): Promise<PlanFile | undefined> {
  const { out } = context.options
  const directory = approvedDirectory(context)
  const names = out === undefined ? await readdir(resolve(context.cwd, directory)).catch(() => []) : []
  const saved = names.filter(name => name.startsWith(digest)).map(name => join(directory, name))
  for (const file of out === undefined ? saved : [out]) {
    const { text } = await readUpTo(LARGEST, resolve(context.cwd, file)).catch(() => ({ text: undefined }))
    const plan = text === undefined ? undefined : await parsePlan(file, text)
    if (plan !== undefined && !('severity' in plan) && plan.digest.startsWith(digest)) return { file, plan }
  }
  return undefined
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
