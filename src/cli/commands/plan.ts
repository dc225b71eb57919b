import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Checked, Diagnostic } from '../../model/diagnostic.ts'
import { plural } from '../../model/lists.ts'
import { parseJson } from '../../model/parse-json.ts'
import type { Plan } from '../../plan/plan.ts'
import { isForbidden } from '../../plan/rule-hits.ts'
import type { Snapshot } from '../../plan/snapshot.ts'
import type { Prepared } from '../../run/prepare.ts'
import { prepareFromSnapshot } from '../../run/snapshot.ts'
import { writePlanFile } from '../../run/write-files.ts'
import { EXIT, type Run } from '../command.ts'
import { reportingFailure } from '../failure-report.ts'
import { type Io, sayDiagnostics } from '../io.ts'
import { loadFiles } from '../load.ts'
import type { Options } from '../options.ts'
import { prepareOutputs } from '../output-files.ts'
import { openRunSecrets, planNow, planReport, planRequestFrom } from '../planning.ts'
import { publish, redactedPlan } from '../publish.ts'
import { withService } from '../session.ts'

/** Loads the files, observes the service or a snapshot, plans, and reports. Never writes to the service. */
export const run: Run = reportingFailure('plan', async (io, options) => {
  if (!(await prepareOutputs(io, options))) return EXIT.error
  if (options.snapshot !== undefined)
    return await show(io, options, await planOffline(io, options, options.snapshot))
  const secrets = await openRunSecrets(io, options)
  if (typeof secrets === 'number') return secrets
  return await withService(io, options, async session =>
    show(io, options, (await planNow(io, options, session, secrets))?.prepared),
  )
})

async function show(io: Io, options: Options, prepared: Prepared | undefined): Promise<number> {
  if (prepared === undefined) return EXIT.error
  const { plan } = prepared
  const forbidden = isForbidden(plan)
  const code = forbidden ? EXIT.error : options.detailedExitcode ? detailed(plan) : EXIT.done
  const published = await publish(io, options, planReport(options, prepared), code)
  if (forbidden) sayDiagnostics(io, options, [NOT_SAVED])
  else if (options.out !== undefined) await writePlanFile(io.cwd, options.out, redactedPlan(io, plan))
  return published
}

/** No file of a plan that nobody may apply. */
const NOT_SAVED: Diagnostic = {
  severity: 'error',
  code: 'rule-violated',
  message: 'Rules forbid this plan. It has no digest, and is not saved.',
  hint: 'The report names each rule. Change the files, or the rules.',
}

function detailed(plan: Plan): number {
  if (plan.blocked) return EXIT.refused
  return plan.steps.length > 0 ? EXIT.changes : EXIT.done
}

/** A plan from a snapshot. Needs no connection and no token. */
export async function planOffline(io: Io, options: Options, file: string): Promise<Prepared | undefined> {
  if (options.sandbox || options.address !== undefined) {
    sayDiagnostics(io, options, [TWO_PLACES])
    return undefined
  }
  const desired = await loadFiles(io, options)
  if (desired === undefined) return undefined
  const snapshot = await readSnapshot(io, file, desired.organization)
  const wishes = await planRequestFrom(io, options, desired, () => undefined)
  if (snapshot.value === undefined || wishes.value === undefined) {
    sayDiagnostics(io, options, [
      ...(snapshot.value === undefined ? snapshot.diagnostics : []),
      ...wishes.diagnostics,
    ])
    return undefined
  }
  sayDiagnostics(io, options, wishes.diagnostics)
  const { prepared, diagnostics } = await prepareFromSnapshot(
    desired,
    snapshot.value,
    options.only,
    wishes.value,
  ).finally(wishes.value.close)
  if (prepared === undefined) {
    sayDiagnostics(io, options, diagnostics)
    return undefined
  }
  const { plan } = prepared
  return { ...prepared, plan: { ...plan, diagnostics: [...plan.diagnostics, ...snapshot.diagnostics] } }
}

const TWO_PLACES: Diagnostic = {
  severity: 'error',
  code: 'bad-usage',
  message: '--snapshot replaces the service.',
  hint: 'Remove --sandbox and --address.',
}

/** Larger files are not read. */
const LARGEST = 256 * 1024 * 1024

/** Reads a snapshot and reports its age, or says why it is not accepted. */
export async function readSnapshot(io: Io, file: string, organization: string): Promise<Checked<Snapshot>> {
  const path = resolve(io.cwd, file)
  const size = await stat(path).then(
    found => (found.isFile() ? found.size : undefined),
    () => undefined,
  )
  if (size === undefined) return notTaken(file, 'There is no such file.')
  if (size > LARGEST) return notTaken(file, 'It is larger than any snapshot.')
  const value = parseJson(await readFile(path, 'utf8'))
  if (value === undefined)
    return notTaken(
      file,
      'It is not JSON, or larger than any snapshot: it was truncated, or is something else.',
    )
  const { isSnapshot } = await import('../../config/snapshot-valid.gen.ts')
  const isWhole = (one: unknown): one is Snapshot => isSnapshot(one)
  if (!isWhole(value)) return notTaken(file, 'It does not have the format of a snapshot.')
  if (value.organization !== organization)
    return notTaken(
      file,
      `It is for ${JSON.stringify(value.organization)}, but the files are for ${JSON.stringify(organization)}.`,
    )
  return { value, diagnostics: [age(io, value)] }
}

const notTaken = (file: string, reason: string): Checked<Snapshot> => ({
  value: undefined,
  diagnostics: [
    {
      severity: 'error',
      code: 'bad-snapshot',
      message: `${JSON.stringify(file)} is not accepted. ${reason}`,
      hint: 'Create a new one: setpoint snapshot --out FILE',
    },
  ],
})

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
