import type { StepOutcome } from '../apply/outcome.ts'
import type { SourceRange } from '../model/diagnostic.ts'
import type { SetSettings } from '../model/fields.ts'
import type { Category, TargetKind } from '../model/ids.ts'
import type { OperationId } from '../plan/operation.ts'
import type { Origin } from '../plan/origin.ts'
import type { Plan, Step } from '../plan/plan.ts'
import type { Origins } from './origin.ts'
import type { Phrase } from './phrase.ts'
import type { Relations } from './relations.ts'
import type { HiddenKeys, ShownChange } from './shown.ts'

export type Sign = '+' | '~' | '-'

/** `planned` before an apply, else how it ended. */
export type Status = 'planned' | StepOutcome['status']

interface Common {
  readonly sign: Sign
  /** What else there is to say: other fields that change, what is lost, what it waits for. */
  readonly notes: readonly Phrase[]
  /** The operations behind this one entry: two for a replacement. */
  readonly operations: readonly OperationId[]
  readonly status: Status
  readonly source?: SourceRange
  /** Where the difference comes from, where it is known. */
  readonly origin?: Origin
}

/** `name` is shown with the set, so it is not among these. */
export interface SettingChange extends Common, ShownChange {
  readonly kind: 'setting'
  readonly setting: keyof SetSettings | 'owner'
}

export interface VariableChange extends Common, ShownChange {
  readonly kind: 'variable'
  readonly category: Category
  readonly name: string
  /** Deleted and created again under the same key. */
  readonly replaced: boolean
  /** A value that no one can read back goes with it. */
  readonly irreversible: boolean
  /** Its origin is what everything speaks for, and not what anybody saw. */
  readonly likely?: true
}

/** What is assigned or unassigned, of one kind. */
export interface AssignmentChange extends Common {
  readonly kind: 'assignment'
  readonly targets: TargetKind
  /** Names where known, else ids; sorted. */
  readonly names: readonly string[]
}

/** One entry under a set. */
export type Change = SettingChange | VariableChange | AssignmentChange

/** What entries are made from. */
export interface Context {
  readonly plan: Plan
  readonly relations: Relations
  readonly hidden: HiddenKeys
  readonly origins: Origins
  readonly statusOf: (step: Step) => Status
}

const GRAVITY: readonly Status[] = ['failed', 'unknown', 'skipped', 'succeeded', 'planned']

/** How several steps ended together. */
export const worst = (statuses: readonly Status[]): Status =>
  GRAVITY.find(status => statuses.includes(status)) ?? 'planned'
