import type { Diagnostic } from '../model/diagnostic.ts'
import { driftOf, type SetDrift } from '../plan/origin.ts'
import { type Plan, SHORT_DIGEST } from '../plan/plan.ts'

/** What a run was given to agree with. */
export interface Consent {
  readonly autoApprove: boolean
  /** A digest, or at a terminal its first twelve digits or more; several with commas between them. */
  readonly approve?: string
  /** Somebody at a terminal can be asked. */
  readonly canAsk: boolean
}

/** How a reviewed plan file stands to the plan of this moment. */
export interface Claim {
  /** Why it may not run; empty where every operation was reviewed or is done. */
  readonly refusals: readonly Diagnostic[]
}

/** What an apply does with the plan of this moment. */
export type Decision =
  | { readonly kind: 'nothing-to-do' }
  | { readonly kind: 'apply' }
  | { readonly kind: 'ask' }
  /** `showsPlan`: the reader needs this plan to go on. */
  | { readonly kind: 'refuse'; readonly why: readonly Diagnostic[]; readonly showsPlan: boolean }

/**
 * Pure. A claim that does not hold and unexpected drift stop everything. A digest means exactly this plan, guards included, and
 * needs nothing else. A guard yields to nothing but the digest. Otherwise a plan file, `--auto-approve` or a yes at the
 * terminal. What comes into the inventory is written as well, and takes the same consent. What the token may not change stops the rest
 * as well: no request is sent to be refused.
 */
export function decide(
  plan: Plan,
  consent: Consent,
  claim: Claim | undefined,
  drift: Diagnostic | undefined,
): Decision {
  if (claim !== undefined && claim.refusals.length > 0)
    return { kind: 'refuse', why: claim.refusals, showsPlan: true }
  if (drift !== undefined) return refuse(drift)
  if (plan.steps.length === 0 && plan.facts.inventory.requests === 0) return { kind: 'nothing-to-do' }
  if (plan.facts.unwritable !== undefined) return refuse(notPermitted(plan.facts.unwritable))
  if (consent.approve !== undefined)
    return approves(consent, plan.digest)
      ? { kind: 'apply' }
      : refuse(otherPlan(consent.approve, plan, consent))
  if (plan.blocked) return refuse(blocked(plan))
  if (consent.autoApprove || claim !== undefined) return { kind: 'apply' }
  return consent.canAsk ? { kind: 'ask' } : refuse(noTerminal(plan))
}

const refuse = (why: Diagnostic): Decision => ({ kind: 'refuse', why: [why], showsPlan: true })

/**
 * The whole digest; at a terminal its first twelve digits or more are enough; of several, with commas between them,
 * one. Two plans that share twelve digits take minutes to find, so a pipeline compares all of them.
 */
export const approves = ({ approve, canAsk }: Consent, digest: string): boolean =>
  (approve ?? '')
    .split(',')
    .some(one => one === digest || (one.length >= SHORT_DIGEST && digest.startsWith(one) && canAsk))

const refusal = (message: string, hint: string): Diagnostic => ({
  severity: 'error',
  code: 'refused',
  message,
  hint,
})

function otherPlan(given: string, plan: Plan, { canAsk }: Consent): Diagnostic {
  const short = given.split(',').find(one => one !== '' && plan.digest.startsWith(one))
  if (short === undefined)
    return refusal(
      `The approval is for ${JSON.stringify(given)}, but the current plan is ${plan.digest}.`,
      'Check the digest. If it was of a reviewed plan, the files or the service changed since. Review the plan above, then approve its digest.',
    )
  const digits = `The approval ${JSON.stringify(short)} has ${short.length} of ${plan.digest.length} digits`
  return refusal(
    canAsk
      ? `${digits}; at least ${SHORT_DIGEST} are needed.`
      : `${digits}; without a terminal all ${plan.digest.length} are needed, because another plan with the same first digits can be made on purpose.`,
    `Review the plan above, then add: --approve ${plan.digest}`,
  )
}

const MOST_NAMES = 5

/** An error and no refusal: another review changes nothing, another token does. */
function notPermitted({ sets, readsOnly }: NonNullable<Plan['facts']['unwritable']>): Diagnostic {
  const more = sets.length - MOST_NAMES
  const names = sets.slice(0, MOST_NAMES).map(name => JSON.stringify(name))
  return {
    severity: 'error',
    code: 'no-permission',
    message: `${readsOnly ? 'The token is read-only and' : 'The token'} cannot change ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`,
    hint: `Nothing was written. Set SETPOINT_TOKEN or TFE_TOKEN to a token that may write${readsOnly ? '' : ', or leave these sets out with --only'}.`,
  }
}

const blocked = (plan: Plan): Diagnostic =>
  refusal(
    `The plan is blocked: ${plan.blocks.map(block => block.message).join(' ')}`,
    `Review exactly this plan, then add: --approve ${plan.digest}`,
  )

const noTerminal = (plan: Plan): Diagnostic =>
  refusal(
    'There is no terminal to ask for confirmation.',
    `Add --auto-approve or --approve ${plan.digest}, or pass a reviewed plan file.`,
  )

export const DECLINED = refusal('The plan was not confirmed.', 'Nothing was written.')

/**
 * Why `--expect-no-drift` stops this run: the service was changed outside, or it cannot be told. A job that applies a merge
 * then leaves to a human what to do with the hotfix.
 */
export function unexpectedDrift(plan: Plan): Diagnostic | undefined {
  if (plan.owner === undefined)
    return {
      severity: 'error',
      code: 'bad-usage',
      message: '--expect-no-drift requires an `owner`, because the inventory records what was applied last.',
      hint: 'Add an owner to setpoint.yaml, or remove the flag.',
    }
  const sets = driftOf(plan)
  const drifted = sets.filter(({ isOutside }) => isOutside)
  const untold = sets.filter(({ isOutside, isDoubtful }) => !isOutside && isDoubtful)
  if (drifted.length === 0 && untold.length === 0) return undefined
  return {
    severity: 'error',
    code: 'refused',
    message: [
      ...(drifted.length > 0 ? [`Changed outside since the last apply: ${quoted(drifted)}.`] : []),
      ...(untold.length > 0
        ? [`Possibly changed outside, neither as last applied nor as in the files: ${quoted(untold)}.`]
        : []),
    ].join(' '),
    hint: 'Nothing was written. To keep the live values, run setpoint export --update NAME. To revert them, apply without --expect-no-drift. Add --base to leave less in doubt.',
  }
}

const quoted = (sets: readonly SetDrift[]): string => sets.map(({ set }) => JSON.stringify(set)).join(', ')
