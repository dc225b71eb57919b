import type { ProjectId, StackId, VariableKey, WorkspaceId } from '../../model/ids.ts'
import type { PrecedenceReason } from './effect.ts'
import type { Rank, Way } from './precedence.ts'

/** Which state is explained: as it is, as the files will have it, or the difference. */
export type ExplainedState = 'live' | 'files' | 'difference'

/** What every explanation says. Plain data without a secret's text. */
interface ExplanationBase {
  readonly organization: string
  readonly address: string
  readonly moment: ExplainedState
  /** What could not be seen. */
  readonly notes: readonly string[]
}

/** Everything that a workspace receives. */
export interface Explanation extends ExplanationBase {
  readonly workspace: {
    readonly id: WorkspaceId
    readonly name?: string
    readonly project?: { readonly id: ProjectId; readonly name?: string }
  }
  /** By key. */
  readonly variables: readonly ExplainedVariable[]
}

export interface ExplainedVariable {
  readonly key: VariableKey
  /** What an apply does to it; `same` where nothing is compared. */
  readonly change: 'same' | 'gained' | 'lost' | 'changed'
  readonly before?: WinningSource
  readonly after?: WinningSource
}

/** What gives a variable, and what it shadows, the next best first. */
export interface WinningSource extends VariableSource {
  readonly shadows: readonly (VariableSource & { readonly why: PrecedenceReason })[]
}

/** One source of one variable. */
export interface VariableSource {
  readonly way: Way
  readonly rank: Rank
  /** None for a variable of the workspace itself. */
  readonly set?: string
  readonly priority?: true
  readonly projectOwned?: true
  /** Left out for a secret, and where the key is a secret in another set. */
  readonly text?: string
  readonly secret?: true
  readonly hcl?: true
}

/** Every set that a Stack may read. */
export interface StackExplanation extends ExplanationBase {
  readonly stack: {
    readonly id: StackId
    readonly name?: string
    readonly project?: { readonly id: ProjectId; readonly name?: string }
  }
  /** By name. */
  readonly sets: readonly ReadableSet[]
}

/** A set that a Stack may read, whether its configuration does or not. */
export interface ReadableSet {
  readonly set: string
  /** What an apply does to it for the Stack; `same` where nothing is compared. */
  readonly change: ExplainedVariable['change']
  readonly ways: readonly StackWay[]
  /** What it gives, by key. Values are left out: which of them the Stack reads is not known. */
  readonly variables: readonly { readonly key: VariableKey; readonly secret?: true }[]
}

/** How a set comes to a Stack. */
export type StackWay = 'global' | 'project' | 'stack'
