import { resolve } from 'node:path'
import { type Checked, type Diagnostic, mistake, warning } from '../../model/diagnostic.ts'
import { parseJson } from '../../model/json.ts'
import { plural } from '../../model/lists.ts'
import { quotedPath } from '../../model/names.ts'
import { isForbidden } from '../../plan/plan-data.ts'
import type { Snapshot } from '../../plan/snapshot.ts'
import { EXIT, exitCodeOfPlan } from '../exit-codes.ts'
import type { Prepared } from '../prepare.ts'
import { LARGEST, readUpTo } from '../read-file.ts'
import { prepareFromSnapshot } from '../take-snapshot.ts'
import { type Ending, fail, misuse } from './ending.ts'
import { loadFiles } from './load-files.ts'
import { writePlanFile } from './output-files.ts'
import { openRunSecrets, planNow, planReport, planRequestFrom, preparedOf } from './planning.ts'
import { reported } from './reporting.ts'
import { published, redactedPlan } from './reports.ts'
import { type RunContext, sayDiagnostics, type World } from './run-context.ts'
import { withService } from './session.ts'

/** Loads the files, observes the service or a snapshot, plans, and reports. Never writes to the service. */
export const plan = (context: RunContext): Promise<Ending> => reported('plan', context, planned)

async function planned(context: RunContext): Promise<Ending> {
  const { snapshot } = context.options
  let prepared: Prepared
  if (snapshot !== undefined) prepared = await planOffline(context, snapshot)
  else {
    const secrets = await openRunSecrets(context)
    prepared = (await withService(context, session => planNow(context, session, secrets), 'told')).prepared
  }
  const made = prepared.plan
  const forbidden = isForbidden(made)
  const code = forbidden ? EXIT.error : context.options.detailedExitcode ? exitCodeOfPlan(made) : EXIT.done
  const ending = await published(context, planReport(context, prepared), code)
  const { out } = context.options
  if (forbidden) sayDiagnostics(context, [NOT_SAVED])
  else if (out !== undefined) await writePlanFile(context, out, redactedPlan(context, made))
  return ending
}

/** Saves no plan that cannot be applied. */
const NOT_SAVED = mistake(
  'rule-violated',
  'Rules forbid this plan. It has no digest, and is not saved.',
  'The report names each rule. Change the files, or the rules.',
)

/** A plan from a snapshot. Needs no connection and no token. */
async function planOffline(context: RunContext, file: string): Promise<Prepared> {
  if (context.options.sandbox || context.options.address !== undefined)
    misuse(context, '--snapshot replaces the service.', 'Remove --sandbox and --address.')
  const desired = await loadFiles(context, 'told')
  const { value: snapshot, diagnostics } = await readSnapshot(context, file, desired.organization)
  const { value: request, diagnostics: mistakes } = await planRequestFrom(context, desired, () => undefined)
  if (snapshot === undefined || request === undefined)
    fail(context, ...(snapshot === undefined ? diagnostics : []), ...mistakes)
  sayDiagnostics(context, mistakes)
  const planned = prepareFromSnapshot(desired, snapshot, context.options.only, request).finally(request.close)
  const prepared = preparedOf(context, await planned)
  const { plan } = prepared
  return { ...prepared, plan: { ...plan, diagnostics: [...plan.diagnostics, ...diagnostics] } }
}

/** Reads a snapshot and reports its age, or says why it is not accepted. */
async function readSnapshot(context: World, file: string, organization: string): Promise<Checked<Snapshot>> {
  const refused = (reason: string): Checked<Snapshot> => ({
    value: undefined,
    diagnostics: [
      mistake(
        'bad-snapshot',
        `${quotedPath(file)} is not accepted. ${reason}`,
        'Create a new one: setpoint snapshot --out FILE',
      ),
    ],
  })
  const { text, isLarge } = await readUpTo(LARGEST, resolve(context.cwd, file))
  if (text === undefined)
    return refused(isLarge ? 'It is larger than any snapshot.' : 'There is no such file.')
  const value = parseJson(text)
  if (value === undefined)
    return refused('It is not JSON, or larger than any snapshot: it was truncated, or is something else.')
  const { isSnapshot } = await import('../../config/snapshot-valid.gen.ts')
  const isWhole = (one: unknown): one is Snapshot => isSnapshot(one)
  if (!isWhole(value)) return refused('It does not have the format of a snapshot.')
  if (value.organization !== organization)
    return refused(
      `It is for ${JSON.stringify(value.organization)}, but the files are for ${JSON.stringify(organization)}.`,
    )
  return { value, diagnostics: [age(context, value)] }
}

const age = (context: World, { takenAt }: Snapshot): Diagnostic =>
  warning(
    'snapshot-age',
    `Planned from a snapshot of ${takenAt}, ${ageText(context.now().getTime() - Date.parse(takenAt))}. Later changes are not in this plan.`,
    'The apply reads the service again, and refuses if something changed.',
  )

/** `14 hours old`, in whole units of the largest that fits. */
function ageText(milliseconds: number): string {
  if (!(milliseconds >= 0)) return 'from the future by the clock of this machine'
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const
  for (const [unit, length] of units) {
    const count = Math.floor(milliseconds / length)
    if (count > 0) return `${plural(count, unit)} old`
  }
  return 'less than a minute old'
}
