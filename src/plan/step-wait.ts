import type { VariableKey } from '../model/ids.ts'
import type { Audience } from './effective/effect.ts'
import type { OperationId } from './operation.ts'

/** A step that another one waits for. */
export interface StepWait {
  readonly step: OperationId
  readonly why: WaitReason
}

export type WaitReason =
  /** The service would refuse the other order, or the files ask for this one. */
  | SlotReason
  /** A workspace would see another value, or later steps rely on this order. */
  | ReceivedReason

/** What has to be free first. */
export type SlotReason =
  /** No set has the name any more. */
  | { readonly kind: 'name'; readonly name: string }
  /** No other global set has the key. */
  | { readonly kind: 'global-key'; readonly key: VariableKey }
  /** The variable that is replaced is deleted. */
  | { readonly kind: 'replaced'; readonly key: VariableKey }
  /** A set stops being global before its other changes, and becomes global after them. */
  | { readonly kind: 'global-set'; readonly set: string }
  /** The set that takes over exists (docs/files.md#move-a-set-to-another-project). */
  | { readonly kind: 'taken-over'; readonly set: string }

/** What the two steps do to one key for the same workspaces. Another key or other workspaces may be a reason as well. */
export interface ReceivedReason {
  readonly kind: 'received'
  readonly key: VariableKey
  readonly first: KeyDeed
  readonly next: KeyDeed
  /** Names a few. */
  readonly audience: Audience
  /** What they would see if the second step came first, if that is neither the old nor the new value. */
  readonly instead?: {
    /** Absent: no set would give the key. */
    readonly set?: string
  }
}

/** What a step does to a key: its set gives it then, gives it no longer, or gives it otherwise. */
export type KeyDeed = 'brings' | 'takes' | 'changes'
