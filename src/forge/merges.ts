import { each, type Forge, type ForgeQuery, PAGE } from './client.ts'
import { member, numberAt, textAt, timeAt } from './pull-request.ts'
import type { MergedRequest, Merges } from './reviewed.ts'

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
}

/** A pipeline, by its number in the forge, and its commit. */
interface BranchPipeline {
  readonly id: number
  readonly commit: string
}

/** Pages of commits. Many commits may belong to merged branches. */
const MOST_PAGES = 10

/** What both forges answer alike. `newest`: the newest pipelines of this project for the branch. */
export function sharedMerges(
  { home, get, list }: Forge,
  terms: ForgeTerms,
  newest: (branch: string) => Promise<readonly BranchPipeline[]>,
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
      endedAt: timeAt(entry, 'finished_at'),
    })
    return list(`${home}${terms.pipelines}/${pipeline}/jobs`, each(jobIn, name), query)
  }
  const merges: Pick<Merges, 'tip' | 'lastApplied' | 'history' | 'requestsOf'> = {
    tip: async () => {
      const { branch } = await self()
      const path = `${repository}/branches/${encodeURIComponent(branch)}`
      const commit = await get(path, 'a branch', document => {
        const id = textAt(member(document, 'commit'), terms.commit)
        return /^[0-9a-f]{40,64}$/.test(id) ? id : undefined
      })
      return { branch, commit }
    },
    lastApplied: async (branch, jobs) => {
      for (const { id, commit } of await newest(branch))
        if ((await jobsOf(id)).some(({ name, isDone }) => isDone && jobs.includes(name))) return commit
      return undefined
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
