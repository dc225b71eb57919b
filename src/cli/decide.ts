import { type Diagnostic, hasErrors, mistake } from '../model/diagnostic.ts'
import { plural, shortList } from '../model/lists.ts'
import { driftOf, type SetDrift } from '../plan/facts.ts'
import { isForbidden, isIdle, type Plan, SHORT_DIGEST } from '../plan/plan.ts'

/** How an apply may get its consent. */
export interface Consent {
  readonly autoApprove: boolean
  /** A digest, or at a terminal at least its first twelve digits. Commas separate several. */
  readonly approve?: string
  readonly canAsk: boolean
}

/** Whether every operation of the current plan was reviewed or is already done, or why the plan may not run. */
export type Claim = 'holds' | Diagnostic

/** What an apply does with the current plan. */
export type Decision =
  | { readonly kind: 'nothing-to-do' }
  | { readonly kind: 'apply' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'refuse'; readonly why: Diagnostic }

/**
 * Pure. A plan that rules forbid cannot be approved. A reviewed plan that no longer holds and unexpected drift stop everything. So do
 * sets that the token may not change: no request is sent only to be refused. A digest approves exactly this plan, with its guards,
 * and needs nothing else. Only a digest overrides a guard. Otherwise a plan file, `--auto-approve` or a "yes" at the terminal is
 * enough. A write of the inventory alone needs the same consent.
 */
export function decide(
  plan: Plan,
  consent: Consent,
  claim: Claim | undefined,
  drift: Diagnostic | undefined,
): Decision {
  if (isForbidden(plan)) return refuse(forbidden(plan))
  if (claim !== undefined && claim !== 'holds') return refuse(claim)
  if (drift !== undefined) return refuse(drift)
  if (isIdle(plan)) return { kind: 'nothing-to-do' }
  if (plan.facts.unwritable !== undefined) return refuse(notPermitted(plan.facts.unwritable))
  if (consent.approve !== undefined)
    return approves(consent, plan.digest) ? { kind: 'apply' } : refuse(otherPlan(consent.approve, plan))
  if (plan.blocked) return refuse(blocked(plan))
  if (consent.autoApprove || claim !== undefined) return { kind: 'apply' }
  return consent.canAsk ? { kind: 'ask' } : refuse(noTerminal(plan))
}

const refuse = (why: Diagnostic): Decision => ({ kind: 'refuse', why })

/**
 * The whole digest, or at a terminal at least its first twelve digits; of several, one is enough. Another plan with the same
 * twelve digits can be found in minutes, so a pipeline compares all of them.
 */
export const approves = ({ approve, canAsk }: Consent, digest: string): boolean =>
  (approve ?? '')
    .split(',')
    .some(one => one === digest || (one.length >= SHORT_DIGEST && digest.startsWith(one) && canAsk))

function otherPlan(given: string, plan: Plan): Diagnostic {
  const short = given.split(',').find(one => plan.digest.startsWith(one))
  if (short === undefined)
    return mistake(
      'refused',
      `The approval is for ${JSON.stringify(given)}, but the current plan is ${plan.digest}.`,
      'Check the digest. If it was of a reviewed plan, the files or the service changed since. Review the plan above, then approve its digest.',
    )
  return mistake(
    'refused',
    `The approval ${JSON.stringify(short)} has ${short.length} of ${plan.digest.length} digits; without a terminal all ${plan.digest.length} are needed, because an attacker can create another plan with the same first digits.`,
    `Review the plan above, then add: --approve ${plan.digest}`,
  )
}

/** Why an approval cannot be the digest of any plan; `undefined` if it can. `from` is the flag or variable. */
export function approvalMistake(approve: string, from: string): Diagnostic | undefined {
  const wrong = approve.split(',').find(one => !/^[0-9a-f]{12,64}$/.test(one))
  if (wrong === undefined) return undefined
  return mistake(
    'bad-usage',
    `${from}: ${JSON.stringify(wrong)} is not the digest of a plan.`,
    'Copy all 64 digits from the end of the plan. At a terminal, the first 12 are enough. Separate several digests with commas.',
  )
}

/** An error and not a refusal: another token helps, and another review does not. */
function notPermitted({ sets, readsOnly }: NonNullable<Plan['facts']['unwritable']>): Diagnostic {
  const names = sets.map(name => JSON.stringify(name))
  return mistake(
    'no-permission',
    `${readsOnly ? 'The token is read-only and' : 'The token'} cannot change ${shortList(names, MOST_NAMES)}.`,
    `Nothing was written. Set SETPOINT_TOKEN or TFE_TOKEN to a token that may write${readsOnly ? '' : ', or leave these sets out with --only'}.`,
  )
}

const MOST_NAMES = 5

function blocked(plan: Plan): Diagnostic {
  const more = plan.blocks.length - MOST_NAMES
  const reasons = plan.blocks.slice(0, MOST_NAMES).map(block => block.message)
  return mistake(
    'refused',
    `The plan is blocked: ${reasons.join(' ')}${more > 0 ? ` And ${more} more.` : ''}`,
    `Review exactly this plan, then add: --approve ${plan.digest}`,
  )
}

/** An error and no refusal: an approval changes nothing. */
function forbidden({ diagnostics }: Plan): Diagnostic {
  const errors = diagnostics.filter(one => hasErrors([one]))
  const [first] = errors
  return {
    severity: 'error',
    code: first?.code ?? 'rule-violated',
    message: `Rules forbid this plan (${plural(errors.length, 'error')}). ${first?.message ?? ''}`,
    hint: 'Nothing was written. Change the files, or the rules.',
    source: first?.source,
  }
}

const noTerminal = (plan: Plan): Diagnostic =>
  mistake(
    'refused',
    'There is no terminal to ask for confirmation.',
    `Add --auto-approve or --approve ${plan.digest}, or pass a reviewed plan file.`,
  )

export const DECLINED = mistake('refused', 'The plan was not confirmed.', 'Nothing was written.')

/**
 * Why `--expect-no-drift` stops this run: the service was changed outside, or that is unknown. A person decides what happens to
 * the manual change.
 */
export function unexpectedDrift(plan: Plan): Diagnostic | undefined {
  if (plan.owner === undefined)
    return mistake(
      'bad-usage',
      '--expect-no-drift requires an `owner`, because the inventory records what was applied last.',
      'Add an owner to setpoint.yaml, or remove the flag.',
    )
  const sets = driftOf(plan)
  const drifted = sets.filter(({ isOutside }) => isOutside)
  const doubtful = sets.filter(({ isOutside, isDoubtful }) => !isOutside && isDoubtful)
  if (drifted.length === 0 && doubtful.length === 0) return undefined
  return mistake(
    'refused',
    [
      ...(drifted.length > 0 ? [`Changed outside since the last apply: ${quoted(drifted)}.`] : []),
      ...(doubtful.length > 0
        ? [`Possibly changed outside, neither as last applied nor as in the files: ${quoted(doubtful)}.`]
        : []),
    ].join(' '),
    'Nothing was written. To keep the live values, run setpoint export --update NAME. To revert them, apply without --expect-no-drift. To resolve more of these cases, add --base.',
  )
}

const quoted = (sets: readonly SetDrift[]): string => sets.map(({ set }) => JSON.stringify(set)).join(', ')
