/** A pull or merge request that was merged, as the forge says. */
export interface MergedRequest {
  readonly number: number
  /** Such as `pull request 7`. */
  readonly name: string
  /** Its last commit: what was reviewed. */
  readonly head: string
  /** The newest commit that it put on the branch. */
  readonly mergedAs: string
  /** It came from another project. */
  readonly isForeign: boolean
}

/** What a forge knows of merges and of their pipelines. It only reads. Each rejects with a `ForgeError` or a `TransportError`. */
export interface Merges {
  /** The default branch and its newest commit. */
  readonly tip: () => Promise<{ readonly branch: string; readonly commit: string }>
  /** The commit of the newest pipeline of the branch in which one of these jobs succeeded. */
  readonly lastApplied: (branch: string, jobs: readonly string[]) => Promise<string | undefined>
  /** The commits of the branch from `tip` on, each with its first parent, the newest first, page by page. */
  readonly history: (tip: string) => AsyncIterable<HistoryEntry>
  /** Requests merged into the branch to which a commit belongs. */
  readonly requestsOf: (branch: string, commit: string) => Promise<readonly MergedRequest[]>
  /** Paths that a request changed, old and new; `undefined`: more than the forge lists. */
  readonly changedFiles: (request: MergedRequest) => Promise<readonly string[] | undefined>
  /** Whether somebody who may, and who did not write it, approved its last commit. */
  readonly isApproved: (request: MergedRequest) => Promise<boolean>
  /** The saved plan that the pipeline of the request left behind. */
  readonly planOf: (request: MergedRequest) => Promise<string>
}

export interface HistoryEntry {
  readonly commit: string
  readonly parents: readonly string[]
}

/** Why nothing is handed out: what would be applied was not reviewed, or it cannot be told. */
export class NotReviewed extends Error {
  override readonly name = 'NotReviewed'
  readonly hint: string

  constructor(message: string, hint: string = BY_HAND) {
    super(message)
    this.hint = hint
  }
}

export interface ReviewedPlan {
  readonly request: MergedRequest
  /** A saved plan, as it was found. */
  readonly text: string
}

export type Reviewed =
  /** Somebody merged since: the pipeline of that commit applies. */
  | { readonly state: 'superseded'; readonly branch: string; readonly tip: string }
  | { readonly state: 'applied'; readonly branch: string }
  | {
      readonly state: 'ready'
      readonly branch: string
      /** The commit before the first of these merges. */
      readonly base: string
      /** In the order of their merges. */
      readonly plans: readonly ReviewedPlan[]
    }

export interface Lookup {
  readonly commit: string
  /** Jobs that apply: where one succeeded, its commit is applied. */
  readonly jobs: readonly string[]
  /** Whether a change of this path needs an approval. */
  readonly isGuarded: (path: string) => boolean
}

/**
 * The plans that were reviewed in the requests merged since the last apply, for the newest commit of the default branch and
 * no other. Every request has to have one: what came onto the branch in another way was not reviewed. Rejects with `NotReviewed`.
 */
export async function findReviewed(merges: Merges, { commit, jobs, isGuarded }: Lookup): Promise<Reviewed> {
  const tip = await merges.tip()
  const { branch } = tip
  if (tip.commit !== commit) return { state: 'superseded', branch, tip: tip.commit }
  const last = await merges.lastApplied(branch, jobs)
  if (last === commit) return { state: 'applied', branch }
  const { requests, base } = await mergedSince(merges, branch, commit, last)
  const plans: ReviewedPlan[] = []
  for (const request of requests) {
    await checkGuarded(merges, request, isGuarded)
    plans.push({ request, text: await merges.planOf(request) })
  }
  return { state: 'ready', branch, base, plans }
}

/** The request of a commit, where it is one and no more. */
export async function requestOf(merges: Merges, commit: string): Promise<MergedRequest> {
  const { branch } = await merges.tip()
  return one(await merges.requestsOf(branch, commit), commit, branch)
}

/** More commits since the last apply than this are for somebody to look at. */
const MOST_COMMITS = 100

/** The requests merged after `last`; where nothing is known to be applied, the one of the newest commit. */
async function mergedSince(
  merges: Merges,
  branch: string,
  tip: string,
  last: string | undefined,
): Promise<{ requests: MergedRequest[]; base: string }> {
  const found: MergedRequest[] = []
  const chain = new Set<string>()
  for await (const commit of firstParents(merges.history(tip), tip)) {
    if (commit === last) return { requests: found.toReversed(), base: commit }
    if (chain.size === MOST_COMMITS) break
    chain.add(commit)
    // A rebase puts several commits on the branch. The newest of them stands for the request, and was met first.
    const requests = (await merges.requestsOf(branch, commit)).filter(({ mergedAs }) => chain.has(mergedAs))
    const newest = found.at(-1)
    if (
      last === undefined &&
      newest !== undefined &&
      requests.every(({ number }) => number !== newest.number)
    )
      return { requests: [newest], base: commit }
    const request = one(requests, commit, branch)
    if (newest?.number === request.number) continue
    if (found.some(({ number }) => number === request.number))
      throw new NotReviewed(`The commits of ${request.name} are not consecutive on ${branch}.`)
    found.push(request)
  }
  throw new NotReviewed(
    last === undefined
      ? `The history of ${branch} has no commit before ${found[0]?.name ?? short(tip)}.`
      : `The last apply was of ${short(last)}, which is not among the last ${chain.size} commits of ${branch}.`,
  )
}

/** The commits that the branch itself had, one after the other, the newest first. */
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
    `${request.name} changed ${what}. These files decide what a pipeline runs, and nobody else approved the last commit.`,
  )
}

const NAMES = new Set([
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  '.npmrc',
  '.gitlab-ci.yml',
  'setpoint.yaml',
  'CODEOWNERS',
])

/** Files that decide which program a pipeline runs and what it may do. */
export function decidesWhatRuns(path: string): boolean {
  const parts = path.split('/')
  const name = parts.at(-1) ?? ''
  return (
    NAMES.has(name) ||
    name.endsWith('.tgz') ||
    /^(?:Dockerfile|action\.ya?ml)$/.test(name) ||
    parts.some(part => part === '.github' || part === '.gitlab' || part === 'node_modules')
  )
}

export const short = (commit: string): string => commit.slice(0, 12)

const BY_HAND =
  'Nothing was written. Plan this commit again and have the new plan approved. See "When nothing reviewed is found" in docs/ci.md.'

/** Pages of commits. Many may be of branches that were merged. */
const MOST_PAGES = 10

/** A history that comes in pages, as far as somebody asks for it. */
export async function* pagesOfHistory(
  page: (at: number) => Promise<{ readonly value: readonly HistoryEntry[] }>,
  size: number,
): AsyncGenerator<HistoryEntry> {
  for (let at = 1; at <= MOST_PAGES; at++) {
    const { value } = await page(at)
    yield* value
    if (value.length < size) return
  }
}
