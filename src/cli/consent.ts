import type { Diagnostic } from '../model/diagnostic.ts'
import { type Plan, SHORT_DIGEST } from '../plan/plan.ts'
import type { Io } from './io.ts'

export interface Consent {
  readonly autoApprove: boolean
  /** A digest, or at a terminal its first twelve digits or more; several with commas between them. */
  readonly approve?: string
  /** A reviewed plan file was given. */
  readonly reviewed: boolean
}

/**
 * Why this plan may not run, or `undefined` where it may. A digest means exactly this plan, guards included, and needs
 * nothing else. A guard yields to nothing but the digest. Otherwise a plan file, `--auto-approve` or a yes on the
 * terminal.
 */
export async function consentTo(io: Io, plan: Plan, consent: Consent): Promise<Diagnostic | undefined> {
  if (consent.approve !== undefined)
    return approves(io, consent.approve, plan.digest) ? undefined : otherPlan(io, consent.approve, plan)
  if (plan.blocked) return blocked(plan)
  if (consent.autoApprove || consent.reviewed) return undefined
  const { ask } = io.input()
  if (ask === undefined) return noTerminal(plan)
  const answer = await ask('Apply this plan? Only "yes" is taken: ')
  return answer.trim() === 'yes' ? undefined : declined
}

/** Where a person can be asked: input and output are a terminal. */
const atTerminal = (io: Io): boolean => io.input().ask !== undefined

/**
 * The whole digest; at a terminal its first twelve digits or more are enough; of several, with commas between them,
 * one. Two plans that share twelve digits take minutes to find, so a pipeline compares all of them.
 */
export const approves = (io: Io, given: string, digest: string): boolean =>
  given
    .split(',')
    .some(one => one === digest || (one.length >= SHORT_DIGEST && digest.startsWith(one) && atTerminal(io)))

const refusal = (message: string, hint: string): Diagnostic => ({
  severity: 'error',
  code: 'refused',
  message,
  hint,
})

function otherPlan(io: Io, given: string, plan: Plan): Diagnostic {
  const short = given.split(',').find(one => one !== '' && plan.digest.startsWith(one))
  if (short === undefined)
    return refusal(
      `The approval is for ${JSON.stringify(given)}, and the plan of this moment is ${plan.digest}.`,
      'The files or the service changed since the review. Review the plan above, then approve its digest.',
    )
  const digits = `The approval ${JSON.stringify(short)} has ${short.length} of ${plan.digest.length} digits`
  return refusal(
    atTerminal(io)
      ? `${digits}; at least ${SHORT_DIGEST} are needed.`
      : `${digits}; without a terminal all ${plan.digest.length} are needed, because another plan with the same first digits can be made on purpose.`,
    `Review the plan above, then add: --approve ${plan.digest}`,
  )
}

const blocked = (plan: Plan): Diagnostic =>
  refusal(
    `The plan is blocked: ${plan.blocks.map(block => block.message).join(' ')}`,
    `Review exactly this plan, then add: --approve ${plan.digest}`,
  )

const noTerminal = (plan: Plan): Diagnostic =>
  refusal(
    'There is no terminal to ask for consent.',
    `Add --auto-approve, or --approve ${plan.digest}, or give a reviewed plan file.`,
  )

const declined = refusal('No consent was given.', 'Nothing was written.')
