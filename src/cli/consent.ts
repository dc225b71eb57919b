import type { Diagnostic } from '../model/diagnostic.ts'
import { type Plan, SHORT_DIGEST, shortDigest } from '../plan/plan.ts'
import type { Io } from './io.ts'

export interface Consent {
  readonly autoApprove: boolean
  /** A digest, or its first twelve digits or more; several with commas between them. */
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
    return approves(consent.approve, plan.digest) ? undefined : otherPlan(consent.approve, plan)
  if (plan.blocked) return blocked(plan)
  if (consent.autoApprove || consent.reviewed) return undefined
  const { ask } = io.input()
  if (ask === undefined) return noTerminal(plan)
  const answer = await ask('Apply this plan? Only "yes" is taken: ')
  return answer.trim() === 'yes' ? undefined : declined
}

/** The whole digest, or its first twelve digits or more; of several, with commas between them, one. */
export const approves = (given: string, digest: string): boolean =>
  given
    .split(',')
    .some(one => one.length >= SHORT_DIGEST && /^[0-9a-f]+$/.test(one) && digest.startsWith(one))

const refusal = (message: string, hint: string): Diagnostic => ({
  severity: 'error',
  code: 'refused',
  message,
  hint,
})

const otherPlan = (given: string, plan: Plan): Diagnostic =>
  given.length < SHORT_DIGEST && plan.digest.startsWith(given)
    ? refusal(
        `The approval ${JSON.stringify(given)} is too short to mean one plan.`,
        `Give ${SHORT_DIGEST} digits: --approve ${shortDigest(plan.digest)}`,
      )
    : refusal(
        `The approval is for ${JSON.stringify(given)}, and the plan of this moment is ${shortDigest(plan.digest)}.`,
        'Files or service moved since the review. Review the plan above, then approve its digest.',
      )

const blocked = (plan: Plan): Diagnostic =>
  refusal(
    `The plan is blocked: ${plan.blocks.map(block => block.message).join(' ')}`,
    `After a review of exactly this plan: approve ${shortDigest(plan.digest)}`,
  )

const noTerminal = (plan: Plan): Diagnostic =>
  refusal(
    'There is no terminal to ask for consent.',
    `Say it: --auto-approve, or --approve ${shortDigest(plan.digest)}, or a reviewed plan file.`,
  )

const declined = refusal('No consent was given.', 'Nothing was written.')
