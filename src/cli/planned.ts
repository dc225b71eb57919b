import { SECRET_PREFIX, secretsOf } from '../apply/secrets.ts'
import type { DesiredState } from '../model/variable-set.ts'
import { type Reach, reachOf } from '../plan/reach.ts'
import type { SingleReport } from '../report/index.ts'
import { type Prepared, preparePlan } from '../run/prepare.ts'
import { openSecrets, type RunSecrets } from '../secrets/open.ts'
import { wantedSecrets } from '../secrets/wanted.ts'
import type { Io } from './io.ts'
import type { Options } from './options.ts'
import { prepareOutputs } from './report-paths.ts'
import { sayDiagnostics } from './say.ts'
import { wishesFrom } from './wishes.ts'
import type { Session } from './with-service.ts'

/** Whether the files that this run is to write can be written; if not, it was said why. Before anything else is done. */
export async function mayStart(io: Io, options: Options, planFile?: string): Promise<boolean> {
  const diagnostics = await prepareOutputs(io, options, planFile)
  sayDiagnostics(io, options, diagnostics)
  return diagnostics.length === 0
}

/** What all our sets reach: the report shows more than the plan carries. */
export const reachIn =
  ({ matched, resolved, names }: Prepared): (() => Reach) =>
  () =>
    reachOf(matched.match, resolved.directory, names)

/** The plan as a report of this run, whose command to approve it makes the same plan again. */
export const planReport = (options: Options, prepared: Prepared) =>
  ({
    kind: 'plan',
    plan: prepared.plan,
    again: { place: placeFlags(options), wishes: wishFlags(options) },
    reach: reachIn(prepared),
  }) as const satisfies SingleReport

/** Where the files and the service are. `--sandbox` and `--only` are in the plan itself. */
const placeFlags = ({ typedDirectory, config, address, sandbox }: Options): string[] => [
  ...(typedDirectory === undefined ? [] : ['-C', typedDirectory]),
  ...(config === undefined ? [] : ['--config', config]),
  ...(address === undefined || sandbox ? [] : ['--address', address]),
]

/** What the rest of an apply, or one that ends drift, takes: values of secrets, and what was let through. Which secrets are open is the result's affair. */
export const againFor = (options: Options) => ({
  place: placeFlags(options),
  wishes: [
    ...wishFlags({ ...options, rewrite: [] }),
    ...(options.secrets === undefined ? [] : ['--secrets', options.secrets]),
  ],
})

const wishFlags = ({ adopt, rewrite }: Pick<Options, 'adopt' | 'rewrite'>): string[] => [
  ...adopt.flatMap(pattern => ['--adopt', pattern]),
  ...rewrite.flatMap(pattern => ['--rewrite', pattern]),
]
/** From here on nothing that leaves the program holds one of these: the service knows them from this run or an earlier one. */
export function hideSecrets(io: Io, desired: DesiredState, secrets: Pick<RunSecrets, 'texts'>): void {
  const given = Object.keys(io.env).flatMap(name =>
    name.startsWith(SECRET_PREFIX) ? [name.slice(SECRET_PREFIX.length)] : [],
  )
  const wanted = wantedSecrets(desired, []).map(({ name }) => name)
  for (const [name, text] of secrets.texts([...new Set([...given, ...wanted])]))
    io.redactor.know(`[secret ${name}]`, text)
  io.redactor.spare(desired)
}

/** The plan of this moment for a command that only reads, or `undefined` after everything that is wrong was said. */
export async function planned(
  io: Io,
  options: Options,
  { desired, service, progress }: Session,
): Promise<Prepared | undefined> {
  const opened = await openSecrets(options.secrets, { ...io, environment: secretsOf(io.env) })
  sayDiagnostics(io, options, opened.diagnostics)
  if (opened.value === undefined) return undefined
  hideSecrets(io, desired, opened.value)
  const wishes = await wishesFrom(io, options, desired.organization, opened.value.textOf)
  sayDiagnostics(io, options, wishes.diagnostics)
  if (wishes.value === undefined) return undefined
  progress.reading()
  const { prepared, diagnostics } = await preparePlan(desired, service, options.only, io.stop, wishes.value)
  progress.end()
  const problems = opened.value.problems()
  if (prepared !== undefined && problems.length === 0) return prepared
  sayDiagnostics(io, options, [...(prepared === undefined ? diagnostics : []), ...problems])
  return undefined
}
