import { type Diagnostic, hasErrors, mistake } from '../model/diagnostic.ts'
import { itemAt, plural, shortList } from '../model/lists.ts'
import { INVENTORY_PREFIX } from '../model/names.ts'
import type { ResolvedSet } from '../model/variable-set.ts'
import { beyondDigest } from '../plan/consent.ts'
import { driftOf } from '../plan/facts.ts'
import {
  type ApprovedBlocks,
  type Block,
  isForbidden,
  isIdle,
  newBlocks,
  type Plan,
  SHORT_DIGEST,
} from '../plan/plan-data.ts'
import { type CommandLine, commandLine, type TypedCommand } from '../report/command-line.ts'
import { ANY_TOKEN } from '../report/next-steps.ts'
import { type Made, missingInventory } from './plan.ts'

/** How an apply may get its consent. */
export interface Consent {
  readonly autoApprove: boolean
  /** A digest, or at a terminal at least its first twelve digits. Commas separate several. */
  readonly approve?: string
  readonly canAsk: boolean
  /** Where the token of the organization belongs, if it has its own. */
  readonly token?: string
  /** The command of this apply, if one was typed. */
  readonly typed?: TypedCommand
  /** Nothing is written, so the token needs no permission to. */
  readonly readsOnly?: boolean
}

/** Reviewed plans, compared with the current one. */
export interface Compared {
  readonly files: readonly PlanFile[]
  /** What blocks now, and is in none of them. */
  readonly blocks: readonly Block[]
  /** Why the current plan is not what is left of them; absent if it is. */
  readonly conflict?: Diagnostic
}

/** A plan that was reviewed, and its file as the user named it. */
export interface PlanFile {
  readonly file: string
  readonly plan: Plan
}

/** What an apply does with the current plan. */
export type Decision =
  | { readonly kind: 'nothing-to-do' }
  | { readonly kind: 'apply' }
  | { readonly kind: 'ask' }
  | { readonly kind: 'refuse'; readonly why: Diagnostic }

/**
 * Pure. A plan that rules forbid cannot be approved. A reviewed plan that no longer holds and unexpected drift stop everything. So do
 * sets that the token may not change: no request is sent only to be refused. Only a digest overrides a guard:
 *
 * - The digest of the current plan approves exactly this plan, with its guards, and needs nothing else.
 * - The digest of a plan file approves what is left of this file, past what the file names as blocked. A file that says `blocked`
 *   is never applied without it, whatever guards and rules this run has.
 *
 * If no guard blocks, a plan file, `--auto-approve` or a "yes" at the terminal is enough. A write of the inventory alone needs the
 * same consent.
 */
export function decide(
  plan: Plan,
  consent: Consent,
  reviewed: Compared | undefined,
  drift: Diagnostic | undefined,
): Decision {
  const { files = [], conflict } = reviewed ?? {}
  if (isForbidden(plan)) return refuse(forbidden(plan))
  if (conflict !== undefined) return refuse(conflict)
  if (drift !== undefined) return refuse(drift)
  if (isIdle(plan)) return { kind: 'nothing-to-do' }
  const { unwritable } = plan.facts
  if (unwritable !== undefined && consent.readsOnly !== true)
    return refuse(notPermitted(unwritable, consent.token))
  const approved = approvedFiles(consent, files)
  const unapproved = files.find(one => one.plan.blocked && !approved.includes(one))
  if (unapproved !== undefined) return refuse(blockedFile(unapproved))
  if (consent.approve !== undefined) {
    if (approves(consent, plan.digest)) return alone(plan, files, consent.typed)
    if (approved.length === 0) return refuse(otherPlan(consent.approve, plan))
  }
  const blocks = newBlocks(reviewed?.blocks ?? plan.blocks, approvedBlocks(consent, files))
  if (blocks.length > 0) return refuse(approved.length > 0 ? notNamed(plan, blocks) : blocked(plan))
  if (consent.autoApprove || files.length > 0) return { kind: 'apply' }
  return consent.canAsk ? { kind: 'ask' } : refuse(noTerminal(plan))
}

/** A digest covers everything that is agreed to, but for members of projects: only a file tells which ones were. */
function alone(plan: Plan, files: readonly PlanFile[], typed: TypedCommand | undefined): Decision {
  const untold = files.length > 0 ? undefined : beyondDigest(plan)
  if (untold === undefined) return { kind: 'apply' }
  const commands = typed === undefined ? [] : throughFile(plan, commandLine(typed))
  const hint = `Nothing was written. Save the plan, and apply the plan file${commands.length > 0 ? ':' : '.'}`
  return refuse(mistake('refused', untold, [hint, ...commands.map(({ quote }) => quote.text)].join('\n')))
}

/** The commands that save this plan, and apply it from its file: in this order. */
const throughFile = ({ blocked, digest }: Plan, line: CommandLine): readonly CommandLine[] => {
  const apply = line.without('--approve', '--out', '--only').withFile(SAVED)
  return [line.as('plan').with('--out', SAVED), blocked ? apply.with('--approve', digest) : apply]
}

const SAVED = 'plan.json'

/** The files whose digest is approved. All digits, because nobody sees the plan of a file before it is applied. */
export const approvedFiles = ({ approve = '' }: Consent, files: readonly PlanFile[]): readonly PlanFile[] =>
  files.filter(({ plan }) => digestsIn(approve).includes(plan.digest))

/** What guards may block and these files approve: what they name, and if all are approved, by how much they take away and change. */
export function approvedBlocks(consent: Consent, files: readonly PlanFile[]): ApprovedBlocks {
  const approved = approvedFiles(consent, files)
  const isAll = approved.length > 0 && approved.length === files.length
  return { blocks: approved.flatMap(one => one.plan.blocks), measured: isAll || undefined }
}

const refuse = (why: Diagnostic): Decision => ({ kind: 'refuse', why })

/**
 * The whole digest, or at a terminal at least its first twelve digits; of several, one is enough. Another plan with the same
 * twelve digits can be found in minutes, so a pipeline compares all of them.
 */
export const approves = ({ approve, canAsk }: Consent, digest: string): boolean =>
  digestsIn(approve ?? '').some(
    one => one === digest || (one.length >= SHORT_DIGEST && digest.startsWith(one) && canAsk),
  )

function otherPlan(given: string, plan: Plan): Diagnostic {
  const short = digestsIn(given).find(one => plan.digest.startsWith(one))
  if (short === undefined)
    return mistake(
      'refused',
      `The approval is for ${JSON.stringify(given)}, but the current plan is ${plan.digest}.`,
      'Check the digest. If it was of a reviewed plan, the files or the service changed since. Review the plan above, then approve its digest. If an apply of that plan stopped halfway, the rest needs a new review, or the file of the plan: setpoint apply PLANFILE --approve DIGEST',
    )
  return mistake(
    'refused',
    `The approval ${JSON.stringify(short)} has ${short.length} of ${plan.digest.length} digits; without a terminal all ${plan.digest.length} are needed, because an attacker can create another plan with the same first digits.`,
    `Review the plan above, then add: --approve ${plan.digest}`,
  )
}

/** Those between commas. What was copied with them is none: whitespace, and a comma at an end. */
const digestsIn = (approve: string): string[] =>
  approve
    .split(',')
    .map(one => one.trim())
    .filter(one => one !== '')

/** Why an approval cannot be the digest of any plan; `undefined` if it can. `from` is the flag or variable. */
export function approvalMistake(approve: string, from: string): Diagnostic | undefined {
  const digests = digestsIn(approve)
  const wrong = digests.length === 0 ? approve : digests.find(one => !/^[0-9a-f]{12,64}$/.test(one))
  if (wrong === undefined) return undefined
  return mistake(
    'bad-usage',
    // Something else may be in its place.
    `${from}: ${/^[0-9a-f]{0,80}$/i.test(wrong) ? JSON.stringify(wrong) : 'this'} is not the digest of a plan.`,
    'Copy all 64 digits, as in "digest" of --format json and at the end of --format markdown. At a terminal, the 12 digits in the first line of a plan are enough. Separate several digests with commas.',
  )
}

/** An error and not a refusal: another token helps, and another review does not. */
function notPermitted(
  { sets, readsOnly }: NonNullable<Plan['facts']['unwritable']>,
  token = ANY_TOKEN,
): Diagnostic {
  const names = sets.map(name => JSON.stringify(name))
  return mistake(
    'no-permission',
    `${readsOnly ? 'The token is read-only and' : 'The token'} cannot change ${shortList(names)}.`,
    `Nothing was written. Set ${token} to a token that may write${wayAround(sets, readsOnly)}.`,
  )
}

/** `--only` leaves sets out, and never the inventory, which records what every apply writes. */
function wayAround(sets: readonly string[], readsOnly: boolean): string {
  if (readsOnly) return ''
  return sets.some(name => name.startsWith(INVENTORY_PREFIX))
    ? ' every set and the inventory, which --only does not leave out'
    : ', or leave these sets out with --only'
}

const MOST_NAMES = 5

const blocked = (plan: Plan): Diagnostic =>
  mistake(
    'refused',
    `The plan is blocked: ${reasonsIn(plan.blocks)}`,
    `Review exactly this plan, then add: --approve ${plan.digest}`,
  )

const blockedFile = ({ file, plan }: PlanFile): Diagnostic =>
  mistake(
    'refused',
    `The plan in ${JSON.stringify(file)} is blocked: ${reasonsIn(plan.blocks)}`,
    `Review exactly that plan, then add: --approve ${plan.digest}`,
  )

const notNamed = (plan: Plan, blocks: readonly Block[]): Diagnostic =>
  mistake(
    'refused',
    `The plan is blocked, and the approved plan file does not name this: ${reasonsIn(blocks)}`,
    `Review the plan above, then apply it without the plan file: --approve ${plan.digest}`,
  )

function reasonsIn(blocks: readonly Block[]): string {
  const more = blocks.length - MOST_NAMES
  const reasons = blocks.slice(0, MOST_NAMES).map(({ message }) => message)
  return `${reasons.join(' ')}${more > 0 ? ` And ${more} more.` : ''}`
}

/** An error and no refusal: an approval changes nothing. */
function forbidden({ diagnostics }: Plan): Diagnostic {
  const errors = diagnostics.filter(one => hasErrors([one]))
  const first = itemAt(errors, 0)
  return mistake(
    first.code,
    `Rules forbid this plan (${plural(errors.length, 'error')}). ${first.message}`,
    'Nothing was written. Change the files, or the rules.',
    first.source,
  )
}

const noTerminal = (plan: Plan): Diagnostic =>
  mistake(
    'refused',
    'There is no terminal to ask for confirmation.',
    `Add --auto-approve or --approve ${plan.digest}, or pass a reviewed plan file.`,
  )

export const DECLINED = mistake('refused', 'The plan was not confirmed.', 'Nothing was written.')

/**
 * Why `--expect-no-drift` stops this run: a set that exists differs, and that was done outside or nobody can tell; or our inventory lists
 * a set that the service lacks, and the plan would create it again. A person decides what happens to the manual change.
 */
export function unexpectedDrift({
  plan,
  matched,
  base,
}: Pick<Made, 'plan' | 'matched' | 'base'>): Diagnostic | undefined {
  if (plan.owner === undefined)
    return mistake(
      'bad-usage',
      '--expect-no-drift requires an `owner`, because the inventory records what was applied last.',
      'Add an owner to setpoint.yaml, or remove the flag.',
    )
  const missing = missingInventory({ plan, matched })
  const { deleted, perhaps } = deletedOutside(plan, matched, base)
  const sets = driftOf(plan).filter(({ set }) => !deleted.includes(set))
  const namesOf = (some: readonly { readonly set: string }[]) => some.map(({ set }) => set)
  const changed = plan.steps.flatMap(({ operation: { subject } }) =>
    subject.id === undefined ? [] : [subject.name],
  )
  const unknown =
    missing === undefined
      ? [...namesOf(sets.filter(({ isOutside, isDoubtful }) => !isOutside && isDoubtful)), ...perhaps]
      : [...new Set(changed)]
  const found = [
    {
      names: namesOf(sets.filter(({ isOutside }) => isOutside)),
      says: (names: string) => `Changed outside Setpoint since the last apply: ${names}.`,
      hints: [KEEP],
    },
    {
      names: deleted,
      says: (names: string) => `Deleted outside Setpoint since the last apply: ${names}.`,
      hints: ['To leave a set deleted, remove it from the files.'],
    },
    {
      names: unknown,
      says: (names: string) =>
        missing === undefined
          ? `Possibly changed outside Setpoint (neither as last applied nor as in the files): ${names}.`
          : `${missing.message} So it is unknown whether ${names} changed outside.`,
      hints: [KEEP, ...(missing === undefined && plan.facts.base === undefined ? [ADD_BASE] : [])],
    },
  ].filter(({ names }) => names.length > 0)
  if (found.length === 0) return undefined
  const hints = new Set(found.flatMap(one => one.hints))
  return mistake(
    'refused',
    found.map(({ names, says }) => says(names.map(name => JSON.stringify(name)).join(', '))).join(' '),
    ['Nothing was written.', ...hints, 'To apply the plan all the same, leave out --expect-no-drift.'].join(
      ' ',
    ),
  )
}

const KEEP =
  'To keep the live values, run setpoint export --update NAME; for a secret, put the value into its source and raise its version.'
const ADD_BASE = 'To resolve more of these cases, add --base.'

/**
 * Sets that the plan creates and our inventory lists. An entry of 0.2 has no name, so that every set that is not new in this change may
 * be its one.
 */
function deletedOutside(
  { steps }: Plan,
  { match, ownership }: Made['matched'],
  base: Made['base'],
): { readonly deleted: readonly string[]; readonly perhaps: readonly string[] } {
  const created = new Set(
    steps.flatMap(({ operation: { type, subject } }) => (type === 'create-set' ? [subject.name] : [])),
  )
  const before = base && new Map(base.match.pairs.map(({ desired }) => [desired.name, desired]))
  const isNameless = ownership.gone.some(({ name }) => name === undefined)
  const sets = match.pairs.map(({ desired }) => desired).filter(({ name }) => created.has(name))
  const wasThere = (set: ResolvedSet | undefined) => set !== undefined && ownership.wasThere(set)
  const deleted = sets.flatMap(set => (wasThere(set) || wasThere(before?.get(set.name)) ? set.name : []))
  const others = sets.map(({ name }) => name).filter(name => !deleted.includes(name))
  return { deleted, perhaps: isNameless ? others.filter(name => before?.has(name) !== false) : [] }
}

/** What `--expect-no-drift` could not check, where it does not stop the run. */
export const uncheckedDrift = (made: Pick<Made, 'plan' | 'matched'>): Diagnostic[] => {
  const missing = missingInventory(
    made,
    'No existing set is changed. It is unknown what else was changed outside Setpoint.',
  )
  return missing === undefined ? [] : [missing]
}
