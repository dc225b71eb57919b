import type { MergedRequest, Merges } from './find-reviewed.ts'
import { each, type Forge, type ForgeQuery, PAGE } from './forge-client.ts'
import { member, numberAt, textAt, timeAt } from './pull-request.ts'

/** What one forge calls the things that both have. */
interface ForgeTerms {
  /** Such as `a project`. */
  readonly project: string
  /** Below the project: where branches and commits are, and where pipelines are. */
  readonly repository: string
  readonly pipelines: string
  /** The member with a commit's id, and those of its parents. */
  readonly commit: 'sha' | 'id'
  readonly parentsOf: (entry: unknown) => readonly string[]
  /** Selects the history of a commit. */
  readonly historyOf: (tip: string) => ForgeQuery
  /** Below a commit: the requests that contain it. */
  readonly requests: string
  readonly requestIn: (project: number, branch: string) => (entry: unknown) => MergedRequest | undefined
  /** Jobs of all attempts: their query, the member that lists them, and the member that says `success`. */
  readonly jobs: { readonly query: ForgeQuery; readonly name?: string; readonly state: string }
  /** What starts a pipeline that applies: a merge, or a person. No pull request can, and no schedule does. */
  readonly events: readonly string[]
}

/** Pages of commits. Many commits may belong to merged branches. */
const MOST_PAGES = 10

/** What both forges answer alike. `pipelinesOf`: those of this project for a commit of a branch, started by `event`. */
export function sharedMerges(
  { home, get, list }: Forge,
  terms: ForgeTerms,
  pipelinesOf: (branch: string, commit: string, event: string) => Promise<readonly { readonly id: number }[]>,
) {
  const repository = `${home}${terms.repository}`
  let known: Promise<{ id: number; branch: string }> | undefined
  const self = () => {
    known ??= get(home, terms.project, document => {
      const id = member(document, 'id')
      const branch = member(document, 'default_branch')
      return typeof id === 'number' && typeof branch === 'string' ? { id, branch } : undefined
    })
    return known
  }
  const jobsOf = (pipeline: number) => {
    const { query, name, state } = terms.jobs
    const jobIn = (entry: unknown) => ({
      id: numberAt(entry, 'id'),
      name: textAt(entry, 'name'),
      isDone: textAt(entry, state) === 'success',
      startedAt: textAt(entry, 'started_at'),
      endedAt: timeAt(entry, 'finished_at'),
      startedBy: numberAt(member(entry, 'user'), 'id'),
      // A tag may have the name of the branch.
      isOfTag: member(entry, 'tag') === true,
    })
    return list(`${home}${terms.pipelines}/${pipeline}/jobs`, each(jobIn, name), query)
  }
  const merges: Pick<Merges, 'tip' | 'isApplied' | 'history' | 'requestsOf'> = {
    tip: async () => {
      const { branch } = await self()
      const path = `${repository}/branches/${encodeURIComponent(branch)}`
      const commit = await get(path, 'a branch', document => {
        const id = textAt(member(document, 'commit'), terms.commit)
        return /^[0-9a-f]{40,64}$/.test(id) ? id : undefined
      })
      return { branch, commit }
    },
    isApplied: async (branch, commit, jobs) => {
      for (const event of terms.events)
        for (const { id } of await pipelinesOf(branch, commit, event))
          if ((await jobsOf(id)).some(job => job.isDone && !job.isOfTag && jobs.includes(job.name)))
            return true
      return false
    },
    async *history(tip) {
      const commitIn = (entry: unknown) => ({
        commit: textAt(entry, terms.commit),
        parents: terms.parentsOf(entry),
      })
      for (let page = 1; page <= MOST_PAGES; page++) {
        const query = { ...terms.historyOf(tip), per_page: `${PAGE}`, page: `${page}` }
        const commits = await get(`${repository}/commits`, 'a list of commits', each(commitIn), query)
        yield* commits
        if (commits.length < PAGE) return
      }
    },
    requestsOf: async (branch, commit) => {
      const { id } = await self()
      const found = await list(
        `${repository}/commits/${commit}/${terms.requests}`,
        each(terms.requestIn(id, branch)),
      )
      return found.filter(one => one !== undefined)
    },
  }
  return { self, jobsOf, merges }
}
