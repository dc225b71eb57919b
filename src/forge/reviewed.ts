/** A merged pull or merge request, as the forge describes it. */
export interface MergedRequest {
  readonly number: number
  /** Such as `pull request 7`. */
  readonly name: string
  /** Its last commit, which was reviewed. */
  readonly head: string
  /** Its newest commit on the branch. */
  readonly mergedAs: string
  /** In milliseconds; `NaN` if the forge does not say. */
  readonly mergedAt: number
  /** It came from another project. */
  readonly isForeign: boolean
}

/**
 * Merges and their pipelines, as the forge knows them. Only reads. Each function rejects with a `ForgeError` or a
 * `TransportError`.
 */
export interface Merges {
  /** The default branch and its newest commit. */
  readonly tip: () => Promise<{ readonly branch: string; readonly commit: string }>
  /** The commit of the newest pipeline of the branch in which one of these jobs succeeded. */
  readonly lastApplied: (branch: string, jobs: readonly string[]) => Promise<string | undefined>
  /** The commits of the branch from `tip` on, each with its first parent; the newest first, page by page. */
  readonly history: (tip: string) => AsyncIterable<HistoryEntry>
  /** Requests that were merged into the branch and contain the commit. */
  readonly requestsOf: (branch: string, commit: string) => Promise<readonly MergedRequest[]>
  /** The old and new paths that a request changed; `undefined` if the forge does not list all. */
  readonly changedFiles: (request: MergedRequest) => Promise<readonly string[] | undefined>
  /** Whether somebody with the permission, and not its author, approved the last commit after the given moment. */
  readonly isApproved: (request: MergedRequest, after?: number) => Promise<boolean>
  /** The saved plan from the pipeline of the request. */
  readonly planOf: (request: MergedRequest) => Promise<PlanLeft>
}

/** A saved plan from a pipeline. */
export interface PlanLeft {
  readonly text: string
  /** In milliseconds; `NaN` if the forge does not say. */
  readonly madeAt: number
  /** It replaced an earlier plan of the same commit, which may be the one that was reviewed. */
  readonly isAgain: boolean
}

export interface HistoryEntry {
  readonly commit: string
  readonly parents: readonly string[]
}

/** Why there is no reviewed plan: the changes were not reviewed, or that is unknown. */
export class NotReviewed extends Error {
  override readonly name = 'NotReviewed'
  readonly hint: string
  /** The merged requests, as far as they are known; the newest first. */
  readonly requests: readonly MergedRequest[]

  constructor(message: string, hint: string = BY_HAND, requests: readonly MergedRequest[] = []) {
    super(message)
    this.requests = requests
    this.hint = hint
  }
}

/** `text`: the saved plan as it was found. */
type ReviewedPlan = Pick<PlanLeft, 'text'> & { readonly request: MergedRequest }

export type Reviewed =
  /** A newer merge exists, whose pipeline applies. */
  | { readonly state: 'superseded'; readonly branch: string; readonly tip: string }
  | { readonly state: 'applied' }
  | {
      readonly state: 'ready'
      /** The commit before the first of these merges. */
      readonly base: string
      /** In the order of their merges. */
      readonly plans: readonly ReviewedPlan[]
    }

export interface Lookup {
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
  const last = await merges.lastApplied(branch, jobs)
  if (last === commit) return { state: 'applied' }
  const requests: MergedRequest[] = []
  try {
    const base = await mergedSince(merges, branch, commit, last, requests)
    const plans: ReviewedPlan[] = []
    for (const request of requests.toReversed()) {
      await checkGuarded(merges, request, isGuarded)
      const plan = await merges.planOf(request)
      await checkMoment(merges, request, plan)
      plans.push({ request, text: plan.text })
    }
    return { state: 'ready', base, plans }
  } catch (error) {
    if (error instanceof NotReviewed) throw new NotReviewed(error.message, error.hint, requests)
    throw error
  }
}

/** The request of a commit, if there is exactly one. */
export async function requestOf(merges: Merges, commit: string): Promise<MergedRequest> {
  const { branch } = await merges.tip()
  return one(await merges.requestsOf(branch, commit), commit, branch)
}

/** With more commits since the last apply, a person has to look. */
const MOST_COMMITS = 100

/**
 * Collects the requests merged after `last`, the newest first. If no apply is known, only the request of the newest commit. Returns
 * the commit before them.
 */
async function mergedSince(
  merges: Merges,
  branch: string,
  tip: string,
  last: string | undefined,
  found: MergedRequest[],
): Promise<string> {
  const chain = new Set<string>()
  for await (const commit of firstParents(merges.history(tip), tip)) {
    if (commit === last) return commit
    if (chain.size === MOST_COMMITS) break
    chain.add(commit)
    // A rebase merge adds several commits. The newest one, which comes first here, stands for the request.
    const requests = (await merges.requestsOf(branch, commit)).filter(({ mergedAs }) => chain.has(mergedAs))
    const newest = found.at(-1)
    if (
      last === undefined &&
      newest !== undefined &&
      requests.every(({ number }) => number !== newest.number)
    )
      return commit
    const request = one(requests, commit, branch)
    if (newest?.number === request.number) continue
    if (found.some(({ number }) => number === request.number))
      throw new NotReviewed(`The commits of ${request.name} are not consecutive on ${branch}.`)
    found.push(request)
  }
  // It is unknown which of them are applied already.
  found.splice(1)
  throw new NotReviewed(
    last === undefined
      ? `The history of ${branch} has no commit before ${found[0]?.name ?? short(tip)}.`
      : `The last apply was of ${short(last)}, which is not among the last ${chain.size} commits of ${branch}.`,
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
      `${short(commit)} belongs to more than one request: ${requests.map(({ name }) => name).join(', ')}.`,
    )
  return request
}

/** A plan that was made after the merge, or again after the approval, was not seen by those who approved. */
async function checkMoment(merges: Merges, request: MergedRequest, plan: PlanLeft): Promise<void> {
  if (!(plan.madeAt <= request.mergedAt))
    throw new NotReviewed(`The plan of ${request.name} was made after the merge, so nobody reviewed it.`)
  if (plan.isAgain && !(await merges.isApproved(request, plan.madeAt)))
    throw new NotReviewed(
      `The plan of ${request.name} was made again for the same commit, and nobody else approved it after that.`,
    )
}

const MOST_NAMED = 3

async function checkGuarded(
  merges: Merges,
  request: MergedRequest,
  isGuarded: (path: string) => boolean,
): Promise<void> {
  if (request.isForeign)
    throw new NotReviewed(`${request.name} is from a fork. Its pipeline had no token, so it has no plan.`)
  const changed = await merges.changedFiles(request)
  const guarded = changed?.filter(isGuarded)
  if (guarded?.length === 0 || (await merges.isApproved(request))) return
  const names = guarded?.slice(0, MOST_NAMED).map(path => JSON.stringify(path))
  const more = (guarded?.length ?? 0) - MOST_NAMED
  const what =
    names === undefined
      ? 'more files than the forge lists'
      : `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
  throw new NotReviewed(
    `${request.name} changed ${what}. These files decide what runs or what is allowed, and nobody else approved the last commit.`,
  )
}

export const short = (commit: string): string => commit.slice(0, 12)

const BY_HAND =
  'Nothing was written. Plan this commit again and have the new plan approved. See "Without a reviewed plan" in docs/ci.md.'
