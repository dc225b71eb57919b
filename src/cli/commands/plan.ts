import { resolve } from 'node:path'
import { type Checked, type Diagnostic, mistake } from '../../model/diagnostic.ts'
import { parseJson } from '../../model/json.ts'
import { plural } from '../../model/lists.ts'
import { isForbidden, type Plan } from '../../plan/plan.ts'
import type { Snapshot } from '../../plan/snapshot.ts'
import type { Prepared } from '../../run/prepare.ts'
import { prepareFromSnapshot } from '../../run/snapshot.ts'
import { writePlanFile } from '../../run/write-files.ts'
import { EXIT, fail, misuse, type Run } from '../command.ts'
import { type Call, type Io, sayDiagnostics } from '../io.ts'
import { loadFiles } from '../load.ts'
import { openRunSecrets, planNow, planReport, planRequestFrom, preparedOf } from '../planning.ts'
import { publish, redactedPlan } from '../publish.ts'
import { reporting } from '../reporting.ts'
import { LARGEST, readUpTo } from '../saved-plan.ts'
import { withService } from '../session.ts'

/** Loads the files, observes the service or a snapshot, plans, and reports. Never writes to the service. */
export const run: Run = reporting('plan', async io => {
  const { snapshot } = io.options
  let prepared: Prepared
  if (snapshot !== undefined) prepared = await planOffline(io, snapshot)
  else {
    const secrets = await openRunSecrets(io)
    prepared = (await withService(io, session => planNow(io, session, secrets))).prepared
  }
  const { plan } = prepared
  const forbidden = isForbidden(plan)
  const code = forbidden ? EXIT.error : io.options.detailedExitcode ? detailed(plan) : EXIT.done
  const published = await publish(io, planReport(io, prepared), code)
  if (forbidden) sayDiagnostics(io, [NOT_SAVED])
  else if (io.options.out !== undefined) await writePlanFile(io.cwd, io.options.out, redactedPlan(io, plan))
  return published
})

/** Saves no plan that cannot be applied. */
const NOT_SAVED = mistake(
  'rule-violated',
  'Rules forbid this plan. It has no digest, and is not saved.',
  'The report names each rule. Change the files, or the rules.',
)

function detailed(plan: Plan): number {
  if (plan.blocked) return EXIT.refused
  return plan.steps.length > 0 ? EXIT.changes : EXIT.done
}

/** A plan from a snapshot. Needs no connection and no token. */
async function planOffline(io: Call, file: string): Promise<Prepared> {
  if (io.options.sandbox || io.options.address !== undefined)
    misuse(io, '--snapshot replaces the service.', 'Remove --sandbox and --address.')
  const desired = await loadFiles(io)
  const { value: snapshot, diagnostics } = await readSnapshot(io, file, desired.organization)
  const { value: request, diagnostics: mistakes } = await planRequestFrom(io, desired, () => undefined)
  if (snapshot === undefined || request === undefined)
    fail(io, ...(snapshot === undefined ? diagnostics : []), ...mistakes)
  sayDiagnostics(io, mistakes)
  const planned = prepareFromSnapshot(desired, snapshot, io.options.only, request).finally(request.close)
  const prepared = preparedOf(io, await planned)
  const { plan } = prepared
  return { ...prepared, plan: { ...plan, diagnostics: [...plan.diagnostics, ...diagnostics] } }
}

/** Reads a snapshot and reports its age, or says why it is not accepted. */
async function readSnapshot(io: Io, file: string, organization: string): Promise<Checked<Snapshot>> {
  const refused = (reason: string): Checked<Snapshot> => ({
    value: undefined,
    diagnostics: [
      mistake(
        'bad-snapshot',
        `${JSON.stringify(file)} is not accepted. ${reason}`,
        'Create a new one: setpoint snapshot --out FILE',
      ),
    ],
  })
  const { text, isLarge } = await readUpTo(LARGEST, resolve(io.cwd, file))
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
  return { value, diagnostics: [age(io, value)] }
}

const age = (io: Io, { takenAt }: Snapshot): Diagnostic => ({
  severity: 'warning',
  code: 'snapshot-age',
  message: `Planned from a snapshot of ${takenAt}, ${ageText(io.now().getTime() - Date.parse(takenAt))}. Later changes are not in this plan.`,
  hint: 'The apply reads the service again, and refuses if something changed.',
})

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
