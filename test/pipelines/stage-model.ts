export type ForgeKind = 'github' | 'gitlab'
export type Files = Readonly<Record<string, string>>

/** What a forge knows. The tests change it by hand where people do. */
export interface Model {
  readonly kind: ForgeKind
  url: string
  tip: string
  readonly parents: Map<string, string[]>
  readonly requests: RequestModel[]
  readonly pipelines: PipelineModel[]
  readonly comments: { request: number; id: number; body: string; author: number }[]
  readonly issues: IssueModel[]
  /** Files of branches that the interface made. */
  readonly branches: Map<string, Map<string, string>>
  readonly proposed: { number: number; branch: string; body: string }[]
  /** What is answered in place of a request: a status, for each that matches, once. */
  readonly failures: { method: string; path: RegExp; status: number; isDone?: boolean }[]
  readonly seen: { method: string; path: string; token: string }[]
  /** A time that moves on with every call. */
  readonly now: () => string
  /** Who started the job that runs, on GitLab. */
  starter?: number
}

export interface RequestModel {
  readonly number: number
  readonly head: string
  readonly files: readonly string[]
  readonly author: number
  readonly isFork: boolean
  readonly approvals: { user: number; at: string; name?: string }[]
  merged?: { as: string; at: string }
}

export interface PipelineModel {
  readonly id: number
  readonly event: 'pull' | 'push' | 'web' | 'schedule'
  /** The commit of its checkout, and that of the request. */
  readonly commit: string
  readonly request?: RequestModel
  readonly user: number
  readonly at: string
  readonly jobs: JobModel[]
  /** Who approved the environment of the run. */
  readonly approvals: { user: number; type: string; environment: string; state?: string }[]
}

interface JobModel {
  readonly id: number
  readonly name: string
  readonly isDone: boolean
  readonly user: number
  readonly at: string
  readonly files: Files
}

export interface IssueModel {
  readonly number: number
  title: string
  body: string
  isOpen: boolean
  readonly author: number
  readonly notes: string[]
}

export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: Record<string, unknown>
}

export interface Answer {
  readonly status?: number
  readonly body?: unknown
  readonly bytes?: Buffer
  readonly headers?: Readonly<Record<string, string>>
}

/** The accounts of the tokens that write to the forge. */
export const BOT = 41

/** Writes of a forge's interface. GitHub and GitLab differ in paths and names only. */
export function openIssue(model: Model, title: unknown, body: unknown): number {
  const number = 100 + model.issues.length
  model.issues.push({
    number,
    title: String(title),
    body: String(body),
    isOpen: true,
    author: BOT,
    notes: [],
  })
  return number
}

export function changeIssue(issue: IssueModel, body: unknown, isClosed: boolean): void {
  if (isClosed) issue.isOpen = false
  if (typeof body === 'string') issue.body = body
}

export const addComment = (model: Model, request: string | undefined, body: unknown): void =>
  void model.comments.push({
    request: Number(request),
    id: 500 + model.comments.length,
    body: String(body),
    author: BOT,
  })

export function changeComment(model: Model, id: string | undefined, body: unknown): void {
  const comment = model.comments.find(one => `${one.id}` === id)
  if (comment !== undefined) comment.body = String(body)
}

export function propose(model: Model, branch: unknown, body: unknown): number {
  const number = 200 + model.proposed.length
  model.proposed.push({ number, branch: String(branch), body: String(body) })
  return number
}

/** A commit and those before it, in the words of both. */
export function historyOf({ parents }: Model, tip: string): object[] {
  const all: object[] = []
  for (let at: string | undefined = tip; at !== undefined; at = parents.get(at)?.[0])
    all.push({
      sha: at,
      id: at,
      parents: (parents.get(at) ?? []).map(sha => ({ sha })),
      parent_ids: parents.get(at) ?? [],
    })
  return all
}
