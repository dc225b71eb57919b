import { isObject, parseJson } from '../model/json.ts'
import type { Transport } from '../wire/transport.ts'
import { ArchiveError, fileInZip, LARGEST_ARCHIVE, textIn } from './archive.ts'
import { each, ForgeError, type Hints, openForge } from './forge-client.ts'
import { type ForgeProject, member, numberAt, textAt } from './pull-request.ts'

interface SnapshotQuery {
  /** Jobs that hand over a snapshot, and on GitHub their artifacts `plan` and `apply`: the newest state first. */
  readonly jobs: readonly string[]
  /** The default branch, on GitLab. */
  readonly branch: string
  /** The workflow, on GitHub. */
  readonly workflow: string
  readonly download: (address: string) => Promise<Buffer>
}

const HINTS: Hints = {
  401: 'The token of this job cannot read artifacts.',
  403: 'The job needs permissions: { contents: read, actions: read }.',
}

/** Runs that are looked at. Any of them may have failed before its snapshot. */
const MOST_RUNS = 20

/** What only the default branch starts: a branch of a fork may have its name. */
const EVENTS: ReadonlySet<string> = new Set(['push', 'schedule', 'workflow_dispatch'])

/**
 * The newest snapshot that a job of the default branch handed over, as a text; `undefined` if there is none. No pipeline of a pull request
 * counts. Rejects with a `ForgeError` or a `TransportError`.
 */
export const lastSnapshot = (
  transport: Transport,
  project: ForgeProject,
  query: SnapshotQuery,
): Promise<string | undefined> =>
  project.forge === 'github' ? onGithub(transport, project, query) : onGitlab(transport, project, query)

async function onGithub(
  transport: Transport,
  project: ForgeProject,
  { workflow, download }: SnapshotQuery,
): Promise<string | undefined> {
  const { home, ask, get, list } = openForge(transport, project, HINTS)
  const { id: repository, branch } = await get(home, 'a repository', document => ({
    id: numberAt(document, 'id'),
    branch: textAt(document, 'default_branch'),
  }))
  const path = `${home}/actions/workflows/${encodeURIComponent(workflow.split('/').at(-1) ?? '')}/runs`
  const runIn = (entry: unknown) => ({
    id: numberAt(entry, 'id'),
    path: textAt(entry, 'path').replace(/@.*$/, ''),
    isOfMain:
      EVENTS.has(textAt(entry, 'event')) &&
      textAt(entry, 'head_branch') === branch &&
      numberAt(member(entry, 'repository'), 'id') === repository &&
      numberAt(member(entry, 'head_repository'), 'id') === repository,
  })
  const page = { branch, per_page: '100' }
  const runs = (await get(path, 'a list of runs', each(runIn, 'workflow_runs'), page))
    .filter(run => run.isOfMain && run.path === workflow)
    .toSorted((a, b) => b.id - a.id)
  for (const run of runs.slice(0, MOST_RUNS)) {
    const artifactIn = (entry: unknown) => ({
      id: numberAt(entry, 'id'),
      name: textAt(entry, 'name'),
      isThere: member(entry, 'expired') === false && numberAt(entry, 'size_in_bytes') <= LARGEST_ARCHIVE,
    })
    const artifacts = await list(`${home}/actions/runs/${run.id}/artifacts`, each(artifactIn, 'artifacts'))
    for (const name of ['apply', 'plan'])
      for (const { id } of artifacts
        .filter(one => one.name === name && one.isThere)
        .toSorted((a, b) => b.id - a.id)) {
        const asked = { method: 'GET', path: `${home}/actions/artifacts/${id}/zip`, redirect: true } as const
        const { location } = (await ask(asked)).response.headers
        const found = location === undefined ? undefined : snapshotIn(handoverIn(await download(location)))
        if (found !== undefined) return found
      }
  }
  return undefined
}

function handoverIn(zip: Buffer): string | undefined {
  try {
    const bytes = fileInZip(zip, 'handover.json')
    return bytes && textIn(bytes)
  } catch (error) {
    if (error instanceof ArchiveError) return undefined
    throw error
  }
}

/** Of the newest pipeline of the default branch that succeeded. */
async function onGitlab(
  transport: Transport,
  project: ForgeProject,
  { jobs, branch }: SnapshotQuery,
): Promise<string | undefined> {
  const { home, ask } = openForge(transport, project, HINTS)
  for (const job of jobs) {
    const path = `${home}/jobs/artifacts/${encodeURIComponent(branch)}/raw/.setpoint-ci/${job}/handover.json`
    try {
      const found = snapshotIn((await ask({ method: 'GET', path, query: { job } })).response.body)
      if (found !== undefined) return found
    } catch (error) {
      if (!(error instanceof ForgeError) || error.status !== 404) throw error
    }
  }
  return undefined
}

function snapshotIn(handover: string | undefined): string | undefined {
  const value = handover === undefined ? undefined : parseJson(handover)
  return isObject(value) && typeof value.snapshot === 'string' ? value.snapshot : undefined
}
