import { resolve } from 'node:path'
import { fingerprintsFrom, LEAST_KEY, refusedSecrets } from '../../apply/resolve-secrets.ts'
import { loadDesired } from '../../config/load.ts'
import { DEFAULT_LIMITS } from '../../config/loader-limits.ts'
import { statusOf } from '../../config/read.ts'
import { isTrackedHere } from '../../git/git.ts'
import { type Checked, type Diagnostic, hasErrors, mistake, warning } from '../../model/diagnostic.ts'
import { quotedPath } from '../../model/names.ts'
import type { Rule } from '../../model/rule.ts'
import type { ReadSecret } from '../../model/secret.ts'
import { type DesiredState, wantedSecrets } from '../../model/variable-set.ts'
import { type Reach, reachOf } from '../../plan/reach.ts'
import { commandLine, type TypedCommand } from '../../report/command-line.ts'
import { shellWord } from '../../report/neutralise.ts'
import type { SingleReport } from '../../report/view.ts'
import { openSecrets, type RunSecrets, secretsFromEnvironment } from '../../secrets/open.ts'
import { baseFiles } from '../base-files.ts'
import type { Options } from '../options.ts'
import { plannedIn } from '../planned-state.ts'
import {
  type BaseState,
  type Planned,
  type PlanRequest,
  type Prepared,
  placeIn,
  preparePlan,
  stateSourceOf,
} from '../prepare.ts'
import { openRules } from '../rule-judge.ts'
import { endIfStopped, fail, required } from './ending.ts'
import { loadOptions } from './load-files.ts'
import { type RunContext, sayDiagnostics } from './run-context.ts'
import type { Session } from './session.ts'

/** The current plan, and the request that it was made for. */
export interface CurrentPlan {
  readonly prepared: Prepared
  readonly request: PlanRequest
}

/** Reads the service, matches it with the files and plans. */
export async function planNow(
  context: RunContext,
  { desired, service, progress }: Session,
  secrets: RunSecrets,
  more: Pick<PlanRequest, 'forgives' | 'tellsAll'> = {},
): Promise<CurrentPlan> {
  hideSecrets(context, desired, secrets)
  const request = { ...required(context, await planRequestFrom(context, desired, secrets.secretOf)), ...more }
  progress.reading()
  const source = stateSourceOf(service, desired.organization)
  const planned = await preparePlan(desired, source, context.options.only, request).finally(request.close)
  progress.end()
  const prepared = preparedOf(context, planned, secrets.problems())
  sayDiagnostics(context, refusedSecrets(prepared.plan.steps, secrets.secretOf, placeIn(prepared)))
  return { prepared, request }
}

/** The plan that was made. Without one, or with `problems`, the command ends. */
export const preparedOf = (
  context: RunContext,
  { prepared, diagnostics }: Planned,
  problems: readonly Diagnostic[] = [],
): Prepared =>
  required(context, {
    value: prepared,
    diagnostics: [...(prepared === undefined ? diagnostics : []), ...problems],
  })

/** The secrets of `--secrets` and the environment. */
export async function openRunSecrets(context: RunContext): Promise<RunSecrets> {
  const tracked = trackedSource(context)
  if (tracked !== undefined) fail(context, tracked)
  const opened = await openSecrets(context.options.secrets, context)
  endIfStopped(context)
  return required(context, opened)
}

/** An error if the source of secrets is in the repository: everyone who reads it has them, and whoever changes it chooses them. */
function trackedSource({ cwd, env, options: { secrets = '-' } }: RunContext): Diagnostic | undefined {
  const tracked = secrets === '-' ? false : isTrackedHere(cwd, secrets, env)
  if (tracked === false) return undefined
  const isDirectory = statusOf(resolve(cwd, secrets))?.isDirectory() === true
  const reason =
    tracked === true
      ? 'Git tracks it in this repository: everyone who reads the repository has these secrets'
      : `Git cannot tell whether it is tracked: ${tracked}`
  return mistake(
    'secret-file',
    `--secrets ${quotedPath(secrets)}: ${reason}.`,
    tracked === true
      ? `Replace these secrets, which the history has, and ${isDirectory ? 'keep them out of the repository.' : `run: git rm --cached -- ${shellWord(secrets)}`}`
      : 'Install git, keep the file out of the repository, or pass the secrets on standard input: --secrets -',
  )
}

/** As `hideSecrets`, for a command that sends none: those of the environment. */
export const hideEnvironment = (context: RunContext, desired: DesiredState | undefined): void =>
  hideSecrets(context, desired, secretsFromEnvironment(context.env))

/** Redacts these secrets in all output from here on: the service knows them from this run or an earlier one. */
function hideSecrets(
  context: RunContext,
  desired: DesiredState | undefined,
  secrets: Pick<RunSecrets, 'all'>,
): void {
  const wanted = wantedSecrets(desired?.sets ?? []).map(({ name }) => name)
  for (const [name, secret] of secrets.all(wanted)) secret.tell(context.redactor, `[secret ${name}]`)
  context.redactor.spare(desired)
}

/** What all our sets reach: more than the plan contains. */
export const reachIn =
  ({ matched, resolved }: Prepared): (() => Reach) =>
  () =>
    reachOf(matched.match, resolved.directory)

/** The plan as a report of this run. */
export function planReport(context: RunContext, prepared: Prepared) {
  const { plan } = prepared
  const planned = () => plannedIn(prepared)
  const typed = typedIn(context)
  return { kind: 'plan', plan, planned, typed, reach: reachIn(prepared) } as const satisfies SingleReport
}

/** The command of this run, without what it knows to be secret. */
export const typedIn = ({ typed, redactor }: RunContext): TypedCommand | undefined =>
  typed && redactor.in(typed)

/** What options and environment ask of a plan, in addition to the files. */
export async function planRequestFrom(
  context: RunContext,
  { organization, rules }: Pick<DesiredState, 'organization' | 'rules'>,
  source: ReadSecret,
): Promise<Checked<PlanRequest & { readonly close?: () => Promise<void> }>> {
  const key = context.env.SETPOINT_FINGERPRINT_KEY || undefined
  if (key !== undefined && key.length < LEAST_KEY) return { value: undefined, diagnostics: [WEAK_KEY] }
  const { onlyThisChange } = context.options
  if (onlyThisChange && context.options.base === undefined)
    return { value: undefined, diagnostics: [NO_BASE] }
  const base = await loadBase(context)
  if (hasErrors(base.diagnostics)) return { value: undefined, diagnostics: base.diagnostics }
  const rulesJudge = openRules({
    rules,
    base: base.value,
    redact: planned => context.redactor.in(planned),
  })
  return {
    value: {
      tool: context.version,
      adopt: context.options.adopt,
      rewrite: context.options.rewrite,
      fingerprintOf: fingerprintsFrom(source, organization, key),
      base: base.value?.state,
      onlyThisChange: onlyThisChange ? { fullPlan: fullPlanOf(context) } : undefined,
      judge: rulesJudge?.judge,
      tellsAll: rulesJudge?.asksPlaces === true || showsAll(context.options),
      close: rulesJudge?.close,
    },
    diagnostics: base.diagnostics,
  }
}

/** The plan that reverts drift as well. */
function fullPlanOf(context: RunContext): string {
  const typed = typedIn(context)
  if (typed === undefined) return 'plan without onlyThisChange'
  return commandLine(typed).as('plan').without('--only-this-change').quote.text
}

const WEAK_KEY = mistake(
  'bad-usage',
  `SETPOINT_FINGERPRINT_KEY has fewer than ${LEAST_KEY} characters.`,
  'A key that can be guessed reveals every secret that it fingerprints. Generate one: openssl rand -hex 32',
)

const NO_BASE = mistake(
  'bad-usage',
  '--only-this-change needs --base, the commit before this change.',
  'Add it, such as: --base origin/main',
)

/** Whether a report shows all our sets, changed or not. */
const showsAll = ({ format, reports }: Options): boolean =>
  [format, ...reports.map(one => one.format)].some(one => one === 'json' || one === 'html')

/** The commit that `--base` names. Its rules also count if its other files are not valid. */
interface Base {
  readonly ref: string
  readonly state?: BaseState
  readonly rules?: readonly Rule[]
}

/**
 * Neither value nor error without `--base`. If the files of the base are not valid, nothing is compared with them, because a change that
 * repairs them must get a plan. But without its rule files there is no plan: the change might break what they say.
 */
async function loadBase(context: RunContext): Promise<Checked<Base>> {
  const { base: ref, limits } = context.options
  if (ref === undefined) return { value: undefined, diagnostics: [] }
  const most = limits.fileBytes ?? DEFAULT_LIMITS.fileBytes
  const { value: files, diagnostics } = await baseFiles(context.cwd, ref, most, context.env)
  if (files === undefined) return { value: undefined, diagnostics }
  try {
    const { directory, root, commit } = files
    const loaded = await loadDesired({
      ...loadOptions(context),
      directory,
      root,
      rules: [],
      leavesCode: true,
    })
    const { value: desired, rules, ruleErrors } = loaded
    const state = desired && { ref, commit, desired }
    const broken = brokenBase(ref, loaded.diagnostics, directory, context.options.onlyThisChange)
    const said =
      ruleErrors.length > 0 ? [brokenBaseRules(ref, ruleErrors)] : desired === undefined ? [broken] : []
    return { value: { ref, state, rules }, diagnostics: [...diagnostics, ...said] }
  } finally {
    await files.close()
  }
}

const brokenBaseRules = (ref: string, [first]: readonly Diagnostic[]): Diagnostic =>
  mistake(
    'broken-base',
    `The rules of ${JSON.stringify(ref)} cannot be read, and might forbid this plan. ${first?.message}`,
    'Repair them there first, in a change that is planned without --base.',
  )

/** `place`: the temporary directory of the base, which means nothing to a user. */
const brokenBase = (
  ref: string,
  diagnostics: readonly Diagnostic[],
  place: string,
  isNeeded: boolean,
): Diagnostic => {
  const errors = diagnostics.filter(diagnostic => hasErrors([diagnostic]))
  const more = errors.length > 1 ? ` (${errors.length} errors)` : ''
  const said = errors[0]?.message.replaceAll(place.replace(/\/$/, ''), 'its directory')
  const message = `The files of ${JSON.stringify(ref)} are not valid${more}. ${said ?? 'They cannot be read.'}`
  return isNeeded
    ? mistake(
        'broken-base',
        message,
        'Without them nobody can tell what this change asks for. Plan without --only-this-change.',
      )
    : warning('broken-base', message, 'This plan shows no origins of changes and no loosened settings.')
}
