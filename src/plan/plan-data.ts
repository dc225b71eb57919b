import { type Diagnostic, hasErrors, type SourceRange } from '../model/diagnostic.ts'
import type { VariableKey, VariableSetId } from '../model/ids.ts'
import { toCompactJson } from '../model/json.ts'
import type { RuleHit, RuleItem } from '../model/rule.ts'
import type { AssignedAt } from '../model/variable-set.ts'
import type { EffectiveFacts } from './effective/effect.ts'
import type { ItemName } from './items.ts'
import type { Operation, OperationId, Verb } from './operation.ts'
import type { InventoryFacts } from './ownership.ts'
import type { PlanFinding } from './plan-findings.ts'
import type { SecretNote } from './secret-states.ts'
import type { StepWait } from './step-wait.ts'

/** An operation and the steps that it waits for. Steps are listed in an order in which they may run. */
export interface Step {
  readonly id: OperationId
  readonly operation: Operation
  /** Steps that must have succeeded before this one may start. */
  readonly after: readonly StepWait[]
  /** The line in a file that asks for this; left out if no file does. */
  readonly source?: SourceRange
  /** The lines beside the sets that ask for assignments of the step, by id of the target. Absent if there are none. */
  readonly assignedAt?: readonly AssignedAt[]
  /** A file that `export --update` would have to change and does not: one named by `file:`, or one with a base. */
  readonly file?: string
}

/** All codes of blocks with their meanings, as docs/reference/diagnostics.md lists them. Stable, and not in the bundle. */
export const GUARDS = {
  'loses-values':
    'Workspaces lose values that nothing else gives: more than `guards.losses` (30 %) of what a set gives, from ten values up; any, if the set no longer reaches every workspace or a project; or three workspaces lose everything that the files gave them.',
  'reaches-others':
    'The plan deletes a set that still reaches Stacks, or targets that this version does not know.',
  'protected-name': 'The plan deletes a set that `guards.protect` matches.',
  'too-many-deletions':
    'The plan deletes more than `guards.deletions` (30 %) of the sets that the files declare. The share counts from ten up; below ten, more than two sets.',
  'too-many-updates':
    'The plan changes more than `guards.updates`, if it is set, of the sets or variables that the files declare. The share counts from ten up.',
  'empty-desired-state': 'The files declare no set, but the plan deletes something.',
  'adopts-different': 'An existing set is in no inventory and differs from the files.',
  'loses-secret': 'The plan would delete a secret that the files cannot restore.',
  'loosens-pruning': 'A change turns on pruning, which deletes sets.',
  'opens-gap':
    'The files have `guards: { gaps: forbid }`, and workspaces may see a value that is neither the old nor the new one.',
  'violates-rule': 'The plan violates a rule of the level `block`.',
}

/** A reason not to apply this plan without a review of exactly this plan. */
export interface Block {
  readonly code: keyof typeof GUARDS
  readonly message: string
  /** What is blocked. Without a set, the whole plan. */
  readonly item: RuleItem
  /** The violated rule. */
  readonly rule?: string
  readonly source?: SourceRange
}

/** What a guard is about that counts. */
export const WHOLE_PLAN: RuleItem = { kind: 'plan' }

/** Number of operations by verb; `changes` is their sum. */
export type Summary = Readonly<Record<Verb | 'changes', number>>

/** Why a plan leaves an existing set alone. */
export type WhyLeftAlone =
  /** The files mention it, but `--only` leaves it out. */
  | 'outside-selection'
  /** Like `unmanaged`, but owned by a project. */
  | 'project-owned'
  /** Another owner's inventory lists it. */
  | 'another-owner'
  /** Our inventory lists it, no file declares it, and `prune` is off. */
  | 'prune-off'
  /** Like `prune-off`, but `--only` suspends pruning. */
  | 'prune-suspended'
  /** Like `prune-off`, but `owns` does not match its name. */
  | 'outside-owns'
  /** No file and no inventory mentions it. */
  | 'unmanaged'
  /** No file and no inventory mentions it, and `owns` does not match its name. */
  | 'not-owned'

export interface LeftAlone {
  readonly set: string
  readonly id: VariableSetId
  readonly why: WhyLeftAlone
  /** Its owner, if an inventory lists it. */
  readonly owner?: string
}

/** Facts for the reader. No decision depends on them. */
export interface PlanFacts extends EffectiveFacts {
  /** What no operation can mend: drift all the same. By set, then key. */
  readonly findings: readonly PlanFinding[]
  /** Desired sets without a change and without a finding. */
  readonly equalSets: number
  /** Observed sets that no file declares or removes. */
  readonly undeclaredSets: number
  /** All observed sets. */
  readonly observedSets: number
  /** Sets with assignments that the files do not manage, and their number. */
  readonly unmanagedAssignments: readonly { readonly set: string; readonly count: number }[]
  /** The state of each existing secret. */
  readonly secrets: readonly SecretNote[]
  /** Secrets that count as equal although they cannot be compared. */
  readonly secretsNotCompared: number
  readonly secretsToWrite: number
  readonly externals: number
  /** Desired sets that `--only` leaves out. */
  readonly outsideSelection: number
  /** Keys whose new readable values no report shows, because this plan deletes a secret of that key. Sorted. */
  readonly hidden: readonly VariableKey[]
  /** Number of sets left alone by owner; `null`: without an owner. */
  readonly owners: readonly { readonly owner: string | null; readonly sets: number }[]
  /** Every observed set that the plan leaves alone, with its reason; by name, then id. */
  readonly leftAlone: readonly LeftAlone[]
  readonly inventory: InventoryFacts
  /**
   * Sets that the plan writes to but the token may not change, as the service says. `readsOnly`: it may change none
   * of the sets of these files. Not in the digest and not reviewed, because an apply has its own token.
   */
  readonly unwritable?: { readonly sets: readonly string[]; readonly readsOnly: boolean }
  /** Origins of differences, as far as known. Unchanged sets are left out. */
  readonly origins: readonly SetOrigin[]
  /** The base of origins, and the settings that this change loosens. */
  readonly base?: {
    readonly ref: string
    readonly commit: string
    readonly loosened: readonly LoosenedSetting[]
  }
}

/** What a plan of one change says of everything that differed before it. Not part of the digest. */
interface PlanOfChange {
  readonly drift: readonly NamedDrift[]
  /** What differed before this change, and is written because this change edits it. Absent if there is nothing. */
  readonly overwritten?: readonly OverwrittenSet[] | undefined
}

/** Settings and keys of variables. Sorted. */
export interface OverwrittenSet {
  readonly set: string
  readonly id: VariableSetId
  readonly items: readonly ItemName[]
}

/** A difference between service and files that a plan of one change leaves as it is. */
export interface NamedDrift {
  /** The name in the files; of a set that the files delete, its name in the service. */
  readonly set: string
  /** Left out if the service does not have the set. */
  readonly id?: VariableSetId
  /** The set differs; the service does not have it, and it is not created; or it is not deleted. */
  readonly what: 'differs' | 'missing' | 'remains'
  /** What differs: settings, keys of variables, ids of assignments. Sorted. */
  readonly items: readonly ItemName[]
}

/**
 * What has to be done, as complete plain data without secrets or fingerprints. Applying it takes a connection and the
 * secrets that it refers to.
 */
export interface Plan {
  readonly format: 2
  readonly organization: string
  /** Origin of the service, such as `https://app.terraform.io`; `sandbox` for the embedded one. */
  readonly address: string
  readonly owner?: string
  /** Version of Setpoint that made the plan. Only shown. */
  readonly tool?: string
  /** Patterns of `--only`, sorted; empty: everything. */
  readonly only: readonly string[]
  /** The plan of `--only-this-change`: what differs for another reason, and is left as it is. Absent: everything is planned. */
  readonly onlyThisChange?: PlanOfChange
  /** SHA-256 in hex over organization, address, selection, whether it is of one change, operations, and hits of rules that block. */
  readonly digest: string
  readonly steps: readonly Step[]
  readonly summary: Summary
  readonly requests: { readonly reads: number; readonly writes: number }
  readonly blocks: readonly Block[]
  readonly blocked: boolean
  /** Rules that the plan violates; absent if there are none. */
  readonly hits?: readonly RuleHit[]
  /** Warnings, and errors of rules: `isForbidden`. Any other error prevents a plan. */
  readonly diagnostics: readonly Diagnostic[]
  readonly facts: PlanFacts
  /**
   * Names of the workspaces, projects and Stacks that the plan mentions, by id, as the service told them in this run or in the
   * snapshot. Absent: it did not tell.
   */
  readonly names: Readonly<Record<string, string>>
  /** The projects of these workspaces and Stacks, by id; told and absent like names. */
  readonly projectOf: Readonly<Record<string, string>>
}

/** What is still to do after an apply. */
export type Remaining = Pick<Plan, 'steps' | 'summary' | 'blocks'> & {
  readonly facts: Pick<PlanFacts, 'hidden'>
}

/** What of guards was agreed to. */
export interface ApprovedBlocks {
  readonly blocks: readonly Pick<Block, 'code' | 'item' | 'rule'>[]
  /** Every operation was agreed to, so its share of what an interrupted apply left must not count again. */
  readonly measured?: true
}

/** The blocks that were not agreed to. Messages count objects, so they may differ between two plans. */
export function newBlocks(blocks: readonly Block[], approved: ApprovedBlocks): readonly Block[] {
  const known = new Set(approved.blocks.map(identityOf))
  return blocks.filter(block => !known.has(identityOf(block)) && !(approved.measured && isMeasured(block)))
}

/** Guards that measure how much a plan takes away or changes. */
const isMeasured = ({ code }: Block): boolean =>
  code === 'too-many-deletions' || code === 'too-many-updates' || code === 'loses-values'

const identityOf = ({ code, item, rule }: Pick<Block, 'code' | 'item' | 'rule'>): string =>
  toCompactJson({ code, item, rule })

/** Digits of the digest that identify a plan to a person. Two plans with the same digits can be made on purpose. */
export const SHORT_DIGEST = 12
export const shortDigest = (digest: string): string => digest.slice(0, SHORT_DIGEST)

/** Whether an apply has nothing to do: then there is nothing to block, and hits of `block` are only said. */
export const isIdle = ({ steps, facts }: Pick<Plan, 'steps' | 'facts'>): boolean =>
  steps.length === 0 && facts.inventory.requests === 0

/** Whether the plan cannot be approved, because rules forbid it or could not be evaluated. */
export const isForbidden = ({ diagnostics }: Pick<Plan, 'diagnostics'>): boolean => hasErrors(diagnostics)

/** `"prod-db" env/TOKEN violates the rule no-tokens: Tokens are secrets.` */
export function hitText({ rule, message, item }: RuleHit): string {
  const { set, key } = item
  const what =
    set === undefined ? 'The plan' : [JSON.stringify(set), ...(key === undefined ? [] : [key])].join(' ')
  return `${what} violates the rule ${rule}: ${message}`
}

/**
 * Why there is a difference (docs/plan-and-apply.md#drift): this change of the files, a change in the service, or an earlier
 * change that was never applied. `before` if no inventory tells the last two apart.
 */
export type Origin = 'this-change' | 'outside' | 'not-applied' | 'before'

/** The origins of the differences of one set. */
export interface SetOrigin {
  /** The name as in operations. */
  readonly set: string
  /** Of a set that was changed outside: its last change in the service, ISO 8601. Absent if that may have been an apply. */
  readonly updatedAt?: string
  /** Origins by item. Unknown origins are left out. */
  readonly items: Readonly<Record<ItemName, Origin>>
}

/** A protecting setting that this change loosens. */
export interface LoosenedSetting {
  readonly setting: string
  readonly base: string
  readonly head: string
}
