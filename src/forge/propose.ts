import type { Transport } from '../wire/transport.ts'
import { each, type Forge, ForgeError, type Hints, openForge } from './forge-client.ts'
import { type ForgeProject, member, numberAt, textAt } from './pull-request.ts'
import { clearly } from './put-comment.ts'

/** Files as they should be, in one request for review. */
export interface Proposal {
  /** The branch, which belongs to the proposal alone. */
  readonly branch: string
  readonly title: string
  /** Markdown. */
  readonly body: string
  /** Paths relative to the root of the repository. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
}

export interface Proposed {
  readonly number: number
  /** Whether its branch was made or changed, and whether the request is new. */
  readonly isPushed: boolean
  readonly isNew: boolean
}

const RIGHTS = {
  github: 'SETPOINT_BOT_TOKEN needs the permissions contents: write and pull-requests: write.',
  gitlab: 'SETPOINT_BOT_TOKEN must be a project access token with the scope "api" and the role Developer.',
} as const

/**
 * Makes what is missing of a proposal: its branch, if it has not these files, and its open request. A branch that has them is left, so that
 * approvals stay. Everything goes through the interface of the forge: nothing is pushed, and no remote gets the token. Rejects with a
 * `ForgeError`, a `TransportError` or an `UnclearError`.
 */
export async function propose(
  transport: Transport,
  project: ForgeProject,
  proposal: Proposal,
): Promise<Proposed> {
  const right = RIGHTS[project.forge]
  const hints: Hints = { 401: `The token is wrong or expired. ${right}`, 403: right, 404: right, 422: right }
  const forge = openForge(transport, project, hints)
  const target = project.forge === 'github' ? onGithub(forge, project) : onGitlab(forge)
  const main = await forge.get(
    forge.home,
    'a project',
    document => textAt(document, 'default_branch') || undefined,
  )
  let isPushed = false
  for (const { path, text } of proposal.files)
    if ((await target.textAt(path, proposal.branch)) !== text) isPushed = true
  if (isPushed) await clearly(() => target.push(proposal, main))
  const open = await target.openRequest(proposal.branch, main)
  const number = open ?? (await target.request(proposal, main))
  return { number, isPushed, isNew: open === undefined }
}

interface Target {
  /** The file of a branch; `undefined` without the branch or the file. */
  readonly textAt: (path: string, branch: string) => Promise<string | undefined>
  /** Makes the branch anew: one commit on the newest one of `main`. */
  readonly push: (proposal: Proposal, main: string) => Promise<unknown>
  readonly openRequest: (branch: string, main: string) => Promise<number | undefined>
  readonly request: (proposal: Proposal, main: string) => Promise<number>
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** What is found, or `undefined` if the forge answers that it does not exist. */
async function found<T>(ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ForgeError && error.status === 404) return undefined
    throw error
  }
}

function onGithub({ home, ask, answer, get, list }: Forge, { project }: ForgeProject): Target {
  const sha = (document: unknown) => textAt(document, 'sha') || undefined
  const made = async (path: string, body: object) =>
    (await answer({ method: 'POST', path: `${home}/git/${path}`, body }, 'a git object', sha)).value
  const tipOf = (branch: string) =>
    get(`${home}/git/ref/heads/${encoded(branch)}`, 'a branch', document => sha(member(document, 'object')))
  return {
    textAt: (path, branch) =>
      found(async () => {
        const content = await get(
          `${home}/contents/${encoded(path)}`,
          'a file',
          document => textAt(document, 'content') || undefined,
          { ref: branch },
        )
        return Buffer.from(content, 'base64').toString()
      }),
    push: async ({ branch, title, files }, main) => {
      const tip = await tipOf(main)
      const base = await get(`${home}/git/commits/${tip}`, 'a commit', document =>
        sha(member(document, 'tree')),
      )
      const entries = files.map(({ path, text }) => ({ path, mode: '100644', type: 'blob', content: text }))
      const tree = await made('trees', { base_tree: base, tree: entries })
      const commit = await made('commits', { message: title, tree, parents: [tip] })
      const exists = (await found(() => tipOf(branch))) !== undefined
      await (exists
        ? ask({
            method: 'PATCH',
            path: `${home}/git/refs/heads/${encoded(branch)}`,
            body: { sha: commit, force: true },
            repeatable: true,
          })
        : ask({
            method: 'POST',
            path: `${home}/git/refs`,
            body: { ref: `refs/heads/${branch}`, sha: commit },
          }))
    },
    openRequest: async (branch, main) => {
      const query = { state: 'open', head: `${project.split('/')[0]}:${branch}`, base: main }
      return (
        await list(
          `${home}/pulls`,
          each(entry => ({ number: numberAt(entry, 'number'), head: textAt(member(entry, 'head'), 'ref') })),
          query,
        )
      ).find(({ head }) => head === branch)?.number
    },
    request: async ({ branch, title, body }, main) =>
      (
        await answer(
          { method: 'POST', path: `${home}/pulls`, body: { title, body, head: branch, base: main } },
          'a pull request',
          document => numberIn(document, 'number'),
        )
      ).value,
  }
}

function onGitlab({ home, ask, answer, list }: Forge): Target {
  return {
    textAt: (path, branch) =>
      found(
        async () =>
          (
            await ask({
              method: 'GET',
              path: `${home}/repository/files/${encodeURIComponent(path)}/raw`,
              query: { ref: branch },
            })
          ).response.body,
      ),
    push: ({ branch, title, files }, main) =>
      ask({
        method: 'POST',
        path: `${home}/repository/commits`,
        body: {
          branch,
          start_branch: main,
          force: true,
          commit_message: title,
          actions: files.map(({ path, text }) => ({ action: 'update', file_path: path, content: text })),
        },
      }),
    openRequest: async (branch, main) =>
      (
        await list(
          `${home}/merge_requests`,
          each(entry => numberAt(entry, 'iid')),
          {
            state: 'opened',
            source_branch: branch,
            target_branch: main,
          },
        )
      )[0],
    request: async ({ branch, title, body }, main) =>
      (
        await answer(
          {
            method: 'POST',
            path: `${home}/merge_requests`,
            body: {
              title,
              description: body,
              source_branch: branch,
              target_branch: main,
              remove_source_branch: true,
            },
          },
          'a merge request',
          document => numberIn(document, 'iid'),
        )
      ).value,
  }
}

function numberIn(document: unknown, name: string): number | undefined {
  const number = member(document, name)
  return typeof number === 'number' ? number : undefined
}
