import { IncompleteList } from './forge-client.ts'

/** A merged pull or merge request, as the forge describes it. */
export interface MergedRequest {
  readonly number: number
  /** Such as `pull request 7`. */
  readonly name: string
  /** Its last commit, which was reviewed. */
  readonly head: string
  /** Its newest commit on the target branch. */
  readonly mergedAs: string
  /** In milliseconds; `NaN` if the forge does not say. */
  readonly mergedAt: number
  /** It came from another project. */
  readonly isFromFork: boolean
}

/**
 * Merges and their pipelines, as the forge knows them. Only reads. Each function rejects with a `ForgeError` or a
 * `TransportError`, and with a `NotReviewed` if the forge's response rules out a reviewed plan.
 */
export interface Merges {
  /** The default branch and its newest commit. */
  readonly tip: () => Promise<{ readonly branch: string; readonly commit: string }>
  /** The commits of the branch from `tip` on, each with its first parent; the newest first, page by page. */
  readonly history: (tip: string) => AsyncIterable<HistoryEntry>
  /** Whether one of these jobs succeeded for the commit, in a pipeline of the branch that a merge or a person started. */
  readonly isApplied: (branch: string, commit: string, jobs: readonly string[]) => Promise<boolean>
  /** Requests that were merged into the branch and contain the commit. */
  readonly requestsOf: (branch: string, commit: string) => Promise<readonly MergedRequest[]>
  /** The old and new paths that a request changed; `undefined` if the forge does not list all. */
  readonly changedFiles: (request: MergedRequest) => Promise<readonly string[] | undefined>
  /** Approvals of the last commit by people with the permission who are neither the author of the request nor of a commit. */
  readonly approvalsOf: (request: MergedRequest) => Promise<readonly Approval[]>
  /** The newest saved plan of the request's own pipelines for its last commit. */
  readonly planOf: (request: MergedRequest) => Promise<PlanLeft>
}

interface Approval {
  readonly user: number
  /** In milliseconds, always known. */
  readonly at: number
}

/** A saved plan in a pipeline. */
interface PlanLeft {
  readonly text: () => Promise<string>
  /** In milliseconds; `NaN` if the forge does not say. */
  readonly madeAt: number
  /** The forge knows of no other plan of the same commit. */
  readonly isOnly: boolean
  /** Who started the first pipeline of the commit: usually whoever pushed it. `NaN` if the forge does not say. */
  readonly startedBy: number
}

interface HistoryEntry {
  readonly commit: string
  readonly parents: readonly string[]
}

/** Why there is no reviewed plan: the changes were not reviewed, or that is unknown. */
export class NotReviewed extends Error {
  override readonly name = 'NotReviewed'
  readonly hint: string
  /** The merged requests, as far as they are known; the newest first. */
  readonly requests: readonly MergedRequest[]
  /** The commit that was applied last, or the one before the newest merge, as far as it is known. */
  readonly base?: string

  constructor(
    message: string,
    hint: string = BY_HAND,
    requests: readonly MergedRequest[] = [],
    base?: string,
  ) {
    super(message)
    this.requests = requests
    this.base = base
    this.hint = hint
  }
}

/** `text`: the saved plan as it was found. */
interface ReviewedPlan {
  readonly request: MergedRequest
  readonly text: string
}

export type Reviewed =
  /** A newer merge exists, whose pipeline applies. */
  | { readonly state: 'superseded'; readonly branch: string; readonly tip: string }
  | { readonly state: 'applied' }
  | {
      readonly state: 'ready'
      /** The commit before the first of these merges. */
      readonly base: string
      /** The base was applied. Otherwise no apply is known, and the plan is that of the newest merge. */
      readonly isBaseApplied: boolean
      /** In the order of their merges. */
      readonly plans: readonly ReviewedPlan[]
    }

interface Lookup {
  readonly commit: string
  /** Jobs that apply. If one succeeded for a commit, the commit is applied. */
  readonly jobs: readonly string[]
  /** Whether a change of this path requires an approval. */
  readonly isGuarded: (path: string) => boolean
}

/**
 * The plans that were reviewed in the requests merged since the last apply, for the newest commit of the default branch only.
 * Every commit must belong to a request with a plan, because anything else was not reviewed. Rejects with `NotReviewed`.
 */
export async function findReviewed(merges: Merges, { commit, jobs, isGuarded }: Lookup): Promise<Reviewed> {
  const tip = await merges.tip()
  const { branch } = tip
  if (tip.commit !== commit) return { state: 'superseded', branch, tip: tip.commit }
  const requests: MergedRequest[] = []
  let base: string | undefined
  try {
    const { commits, applied } = await sinceLastApply(merges, branch, commit, jobs)
    if (applied === commit) return { state: 'applied' }
    base = applied
    base = await collectMerged(merges, branch, commits, applied, requests)
    const plans: ReviewedPlan[] = []
    for (const request of requests.toReversed())
      plans.push({ request, text: await reviewedText(merges, request, isGuarded) })
    return { state: 'ready', base, isBaseApplied: applied !== undefined, plans }
  } catch (error) {
    if (error instanceof NotReviewed) throw new NotReviewed(error.message, error.hint, requests, base)
    if (error instanceof IncompleteList) throw new NotReviewed(error.message, BY_HAND, requests, base)
    throw error
  }
}

/** The request of a commit, if there is exactly one. */
export async function requestOf(merges: Merges, commit: string): Promise<MergedRequest> {
  const { branch } = await merges.tip()
  return one(await merges.requestsOf(branch, commit), commit, branch)
}

/** With more commits since the last apply, it is unknown. */
const MOST_COMMITS = 100

/** The newest commit of the branch that was applied, and the commits after it, the newest first. */
async function sinceLastApply(merges: Merges, branch: string, tip: string, jobs: readonly string[]) {
  const commits: string[] = []
  for await (const commit of firstParents(merges.history(tip), tip)) {
    if (await merges.isApplied(branch, commit, jobs)) return { commits, applied: commit }
    commits.push(commit)
    if (commits.length === MOST_COMMITS) break
  }
  return { commits, applied: undefined }
}

/**
 * Collects the requests of these commits, the newest first. If no apply is known, only the request of the newest commit. Returns
 * the commit before them.
 */
async function collectMerged(
  merges: Merges,
  branch: string,
  commits: readonly string[],
  applied: string | undefined,
  found: MergedRequest[],
): Promise<string> {
  const chain = new Set<string>()
  for (const commit of commits) {
    chain.add(commit)
    // A rebase merge adds several commits. The newest one, which comes first here, stands for the request.
    const requests = (await merges.requestsOf(branch, commit)).filter(({ mergedAs }) => chain.has(mergedAs))
    const newest = found.at(-1)
    const isNewest = requests.some(({ number }) => number === newest?.number)
    if (applied === undefined && newest !== undefined && !isNewest) return commit
    const request = one(requests, commit, branch)
    if (isNewest) continue
    if (found.some(({ number }) => number === request.number))
      throw new NotReviewed(`The commits of ${request.name} are not consecutive on ${branch}.`)
    found.push(request)
  }
  if (applied !== undefined) return applied
  throw new NotReviewed(
    `No apply is known among the last ${commits.length} commits of ${branch}, and no commit before ${found[0]?.name}.`,
  )
}

/** The commits of the branch itself, without merged ones; the newest first. */
async function* firstParents(history: AsyncIterable<HistoryEntry>, tip: string): AsyncGenerator<string> {
  const parents = new Map<string, string | undefined>()
  let next: string | undefined = tip
  for await (const entry of history) {
    parents.set(entry.commit, entry.parents[0])
    while (next !== undefined && parents.has(next)) {
      yield next
      next = parents.get(next)
    }
  }
}

function one(requests: readonly MergedRequest[], commit: string, branch: string): MergedRequest {
  const [request, ...others] = requests
  if (request === undefined)
    throw new NotReviewed(`No merged pull or merge request contains ${short(commit)} on ${branch}.`)
  if (others.length > 0)
    throw new NotReviewed(
      `${short(commit)} belongs to more than one pull or merge request: ${requests.map(({ name }) => name).join(', ')}.`,
    )
  return request
}

/** The text of a request's plan, if it was reviewed. */
async function reviewedText(
  merges: Merges,
  request: MergedRequest,
  isGuarded: (path: string) => boolean,
): Promise<string> {
  if (request.isFromFork)
    throw new NotReviewed(`${request.name} is from a fork. Its pipeline had no token, so it has no plan.`)
  const changed = (await merges.changedFiles(request))?.filter(isGuarded)
  const isFree = changed?.length === 0
  const approvals = await merges.approvalsOf(request)
  if (!isFree && approvals.length === 0) throw unapproved(request, changed)
  const plan = await merges.planOf(request)
  // Who pushed the commit is nobody else. If the forge does not say who that was, it may be anybody.
  const others = approvals.filter(({ user }) => !Number.isNaN(plan.startedBy) && user !== plan.startedBy)
  if (!isFree && others.length === 0) throw unapproved(request, changed)
  if (!(plan.madeAt <= request.mergedAt))
    throw new NotReviewed(`The plan of ${request.name} was made after the merge, so nobody reviewed it.`)
  if (others.length > 0 && !others.some(({ at }) => plan.madeAt < at))
    throw new NotReviewed(`The plan of ${request.name} was made after its approval, so nobody reviewed it.`)
  if (others.length === 0 && !plan.isOnly)
    throw new NotReviewed(
      `The plan of ${request.name} may have been made more than once, and nobody else approved the last commit.`,
    )
  return await plan.text()
}

const MOST_NAMED = 3

/** `files`: those that need an approval; `undefined` if the forge does not list all. */
function unapproved(request: MergedRequest, files: readonly string[] | undefined): NotReviewed {
  const paths = [...new Set(files)]
  const names = paths.slice(0, MOST_NAMED).map(path => JSON.stringify(path))
  const more = paths.length - MOST_NAMED
  const what =
    files === undefined
      ? 'more files than the forge lists'
      : `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  return new NotReviewed(
    `${request.name} changed ${what}. These files decide what runs or what is allowed, and nobody else approved the last commit.`,
  )
}

export const short = (commit: string): string => commit.slice(0, 12)

const BY_HAND =
  'Nothing was written. Plan this commit again and have the new plan approved. See "Without a reviewed plan" in docs/ci.md.'
