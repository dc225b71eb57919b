import type { Diagnostic, SourceRange } from '../model/diagnostic.ts'
import type { VariableKey, VariableSetId } from '../model/ids.ts'
import type { EffectiveFacts } from './effective/effect.ts'
import type { InventoryFacts } from './inventory.ts'
import type { Operation, OperationId, Verb } from './operation.ts'
import type { LoosenedSetting, SetOrigin } from './origin.ts'
import type { SecretNote } from './secrets.ts'

/** An operation and what it waits for. Steps stand in an order in which they may run one after the other. */
export interface Step {
  readonly id: OperationId
  readonly operation: Operation
  /** Steps that must have succeeded before this one may start. */
  readonly after: readonly OperationId[]
  /** The line in a file that wants this; none for what only the service has. */
  readonly source?: SourceRange
  /** A file that `export --update` would have to change and does not: one named by `file:`, or one with a base. */
  readonly file?: string
}

/** Stable, kebab-case, safe to match on. */
export const GUARD_CODES = [
  'reaches-workspaces',
  'reaches-others',
  'protected-name',
  'too-many-deletions',
  'too-many-updates',
  'empty-desired-state',
  'adopts-different',
  'replaces-set',
  'loses-secret',
  'loosens-pruning',
] as const

/** A reason not to apply this plan without a review of exactly this plan. Marks it; blocks only the apply. */
export interface Block {
  readonly code: (typeof GUARD_CODES)[number]
  readonly message: string
  readonly source?: SourceRange
}

/** The service's rule on global sets forces a moment in which no global set holds the variable. */
export interface Gap {
  readonly key: VariableKey
  readonly from: string
  readonly to: string
}

/** Counts by verb, in operations; `changes` is their sum. */
export type Summary = Readonly<Record<Verb | 'changes', number>>

/** Why a plan does not touch a set that the service has. */
export type WhyLeftAlone =
  /** `--only` leaves it out, and the files speak of it. */
  | 'outside-selection'
  /** As `unmanaged`, and a project owns it. */
  | 'project-owned'
  /** Another owner's inventory lists it. */
  | 'another-owner'
  /** Our inventory lists it, no file declares it, and `prune` is off. */
  | 'prune-off'
  /** As before, and `--only` suspends `prune`. */
  | 'prune-suspended'
  /** As before, and `owns` does not match its name. */
  | 'outside-owns'
  /** No file and no inventory speaks of it. */
  | 'unmanaged'

export interface LeftAlone {
  readonly set: string
  readonly id: VariableSetId
  readonly why: WhyLeftAlone
  /** Whose it is, where an inventory says so. */
  readonly owner?: string
}

/** Facts beside the operations, for the reader: nothing decides by them. */
export interface PlanFacts extends EffectiveFacts {
  /** Desired sets that need nothing. */
  readonly equalSets: number
  /** Observed sets that no file declares or removes. */
  readonly foreignSets: number
  /** Observed sets, all. */
  readonly observedSets: number
  /** Sets whose assignments the files do not manage, and how many assignments those have. */
  readonly unmanagedAssignments: readonly { readonly set: string; readonly count: number }[]
  /** What is known of each secret whose variable exists. */
  readonly secrets: readonly SecretNote[]
  /** Of those, the ones taken as equal although it cannot be told: the service does not show their values. */
  readonly secretsNotCompared: number
  readonly secretsToWrite: number
  readonly externals: number
  /** Desired sets that `--only` leaves out. */
  readonly outsideSelection: number
  readonly gaps: readonly Gap[]
  /** Keys whose new readable texts no report shows: this plan deletes a secret of that key. Sorted. */
  readonly hidden: readonly VariableKey[]
  /** How many observed sets that this plan leaves alone each owner lists; `null`: nobody does. */
  readonly owners: readonly { readonly owner: string | null; readonly sets: number }[]
  /** Every observed set that this plan leaves alone, with its reason; by name, then id. */
  readonly leftAlone: readonly LeftAlone[]
  readonly inventory: InventoryFacts
  /**
   * Sets that the plan writes to and the token may not change, as the service says; absent: none that is known. `readsOnly`: it may
   * change none of the sets of these files. Outside the digest, and no part of what was reviewed: an apply has a token of its own.
   */
  readonly unwritable?: { readonly sets: readonly string[]; readonly readsOnly: boolean }
  /** Where differences come from, as far as it is known; sets that do not change are left out. */
  readonly origins: readonly SetOrigin[]
  /** The commit that origins are told against, and settings that protect less than there. */
  readonly base?: {
    readonly ref: string
    readonly commit: string
    readonly loosened: readonly LoosenedSetting[]
  }
}

/**
 * What is to be done: plain data, complete in itself. To do it takes a connection and the secrets it refers to.
 * It holds no secret's text and no fingerprint of one.
 */
export interface Plan {
  readonly format: 2
  readonly organization: string
  /** Origin of the service, such as `https://app.terraform.io`; `sandbox` for the embedded one. */
  readonly address: string
  readonly owner?: string
  /** Version of Setpoint that made it. Shown where it differs; nothing decides by it. */
  readonly tool?: string
  /** Patterns of `--only`, sorted; empty: everything. */
  readonly only: readonly string[]
  /** SHA-256 in hex over organization, address, selection and operations. */
  readonly digest: string
  readonly steps: readonly Step[]
  readonly summary: Summary
  readonly requests: { readonly reads: number; readonly writes: number }
  readonly blocks: readonly Block[]
  readonly blocked: boolean
  /** Warnings only: a plan with an error is not made. */
  readonly diagnostics: readonly Diagnostic[]
  readonly facts: PlanFacts
  /** Names of the workspaces and projects it mentions, by id, where the service itself gave them. For the reader only. */
  readonly names: Readonly<Record<string, string>>
}

/** What is still to do after an apply: of a plan, what can be said of it without anybody's review. */
export type Remaining = Pick<Plan, 'digest' | 'steps' | 'summary'> & {
  readonly facts: Pick<PlanFacts, 'hidden'>
}

/** How many digits of the digest name a plan to a person. Two plans that share them can be made on purpose. */
export const SHORT_DIGEST = 12
export const shortDigest = (digest: string): string => digest.slice(0, SHORT_DIGEST)
