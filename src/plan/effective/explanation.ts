import type { ProjectId, VariableKey, WorkspaceId } from '../../model/ids.ts'
import type { Rank, Reason } from './precedence.ts'

/** On which way a variable comes; `own`: the workspace has it by itself. */
export type Way = 'own' | 'global' | 'project' | 'workspace'

/** One source of one variable. */
export interface VariableSource {
  readonly way: Way
  readonly rank: Rank
  /** None for a variable of the workspace's own. */
  readonly set?: string
  readonly priority?: true
  readonly projectOwned?: true
  /** Left out for a secret, and where the key is a secret in another set. */
  readonly text?: string
  readonly secret?: true
  readonly hcl?: true
}

/** What gives a variable, and what it shadows, the next best first. */
export interface WinningSource extends VariableSource {
  readonly shadows: readonly (VariableSource & { readonly why: Reason })[]
}

export interface ExplainedVariable {
  readonly key: VariableKey
  /** What an apply does to it; `same` where nothing is compared. */
  readonly change: 'same' | 'gained' | 'lost' | 'changed'
  readonly before?: WinningSource
  readonly after?: WinningSource
}

/** Which moment is explained: as it is, as the files will have it, or both. */
export type ExplainedState = 'live' | 'files' | 'difference'

/** Everything that a workspace receives. Plain data without a secret's text. */
export interface Explanation {
  readonly organization: string
  readonly address: string
  readonly moment: ExplainedState
  readonly workspace: {
    readonly id: WorkspaceId
    readonly name?: string
    readonly project?: { readonly id: ProjectId; readonly name?: string }
  }
  /** By key. */
  readonly variables: readonly ExplainedVariable[]
  /** What could not be seen. */
  readonly notes: readonly string[]
}
