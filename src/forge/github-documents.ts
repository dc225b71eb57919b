import { listOf, member, numberAt, textAt, timeAt } from './pull-request.ts'
import type { HistoryEntry, MergedRequest } from './reviewed.ts'

/** Decodes responses of GitHub, as far as they are needed. A missing value equals nothing. */
export const entriesIn = (document: unknown): readonly unknown[] | undefined =>
  Array.isArray(document) ? document : undefined

export const idIn = (value: unknown, name: string): number | undefined => {
  const id = member(member(value, name), 'id')
  return typeof id === 'number' ? id : undefined
}

export function commitIn(value: unknown): string | undefined {
  const commit = member(value, 'sha')
  return typeof commit === 'string' && /^[0-9a-f]{40,64}$/.test(commit) ? commit : undefined
}

export const entryIn = (entry: unknown): HistoryEntry => ({
  commit: textAt(entry, 'sha'),
  parents: listOf(member(entry, 'parents')).map(parent => textAt(parent, 'sha')),
})

export type WorkflowRun = ReturnType<typeof runOf>
export const runOf = (entry: unknown) => ({
  id: numberAt(entry, 'id'),
  event: textAt(entry, 'event'),
  head: textAt(entry, 'head_sha'),
  // The path of a required workflow of the organization ends with a ref.
  path: textAt(entry, 'path').replace(/@.*$/, ''),
  conclusion: textAt(entry, 'conclusion'),
  attempt: numberAt(entry, 'run_attempt'),
  /** Of the newest attempt. */
  startedAt: timeAt(entry, 'run_started_at'),
  repository: idIn(entry, 'repository'),
  headRepository: idIn(entry, 'head_repository'),
})

export const artifactIn = (entry: unknown) => {
  const run = member(entry, 'workflow_run')
  return {
    id: numberAt(entry, 'id'),
    name: textAt(entry, 'name'),
    expired: member(entry, 'expired') !== false,
    madeAt: timeAt(entry, 'created_at'),
    run: numberAt(run, 'id'),
    head: textAt(run, 'head_sha'),
    repository: numberAt(run, 'repository_id'),
    headRepository: numberAt(run, 'head_repository_id'),
  }
}

export const jobIn = (entry: unknown) => ({
  name: textAt(entry, 'name'),
  conclusion: textAt(entry, 'conclusion'),
})

export const reviewIn = (entry: unknown) => ({
  user: idIn(entry, 'user'),
  // The token of any job can approve as a bot, if the repository allows it.
  isPerson: textAt(member(entry, 'user'), 'type') === 'User',
  state: textAt(entry, 'state'),
  head: textAt(entry, 'commit_id'),
  at: timeAt(entry, 'submitted_at'),
  mayWrite: ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(textAt(entry, 'author_association')),
})

/** A pull request that was merged into the branch of this repository. */
export const pullIn =
  (repository: number, branch: string) =>
  (entry: unknown): MergedRequest | undefined => {
    const base = member(entry, 'base')
    const head = member(entry, 'head')
    const number = member(entry, 'number')
    const isMerged = typeof member(entry, 'merged_at') === 'string' && textAt(base, 'ref') === branch
    if (!isMerged || idIn(base, 'repo') !== repository || typeof number !== 'number') return undefined
    return {
      number,
      name: `pull request ${number}`,
      head: textAt(head, 'sha'),
      mergedAs: textAt(entry, 'merge_commit_sha'),
      mergedAt: timeAt(entry, 'merged_at'),
      isForeign: idIn(head, 'repo') !== repository,
    }
  }
