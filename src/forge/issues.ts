import type { Transport } from '../wire/transport.ts'
import { each, type ForgeQuery, type Hints, openForge } from './forge-client.ts'
import { type ForgeProject, member, textAt } from './pull-request.ts'
import { accountOf, clearly, firstLine, idOf, mayBeDone, sameBody } from './put-comment.ts'

/** Something that is so, or is over: an issue is open exactly while it is so. */
export interface Matter {
  /** Identifies the issue: its first line is `<!-- setpoint:NAME -->`. */
  readonly name: string
  readonly title: string
  readonly state: 'so' | 'over' | 'unknown'
  /** Markdown. */
  readonly body: string
  /** Said when it is closed. */
  readonly closing: string
}

export type KeptIssue = 'opened' | 'updated' | 'unchanged' | 'closed' | 'nothing'

interface Issue {
  readonly id: string
  readonly body: string
  readonly author: string
}

const HINTS: Readonly<Record<ForgeProject['forge'], Hints>> = {
  github: {
    401: 'The token is wrong or expired. Replace SETPOINT_COMMENT_TOKEN, or GITHUB_TOKEN without it.',
    403: 'Give the job permissions: { issues: write }.',
    404: 'Check whether the token can read the repository.',
    410: 'Issues are switched off in this repository. Switch them on.',
  },
  gitlab: {
    401: 'The token is wrong or expired. Replace SETPOINT_COMMENT_TOKEN.',
    403: 'Give the token the scope "api" and at least the role Reporter. The project needs issues.',
    404: 'Check whether the token can read the project, and whether it has issues.',
  },
}

/** Characters of an issue, with room for its first line. */
export const MOST_OF_ISSUE = 65_000

/**
 * Opens, updates or closes the issues of these matters: one each. Only an open issue of the token's own account with the hidden first line
 * counts, because anybody can write the line. After an ambiguous response an issue is searched for before it is opened again. Rejects with
 * a `ForgeError`, a `TransportError`, or an `UnclearError`.
 */
export async function keepIssues(
  transport: Transport,
  project: ForgeProject,
  matters: readonly Matter[],
  pause: () => Promise<void>,
): Promise<KeptIssue[]> {
  const forge = openForge(transport, project, HINTS[project.forge])
  const { ask, list } = forge
  const isGithub = project.forge === 'github'
  const issues = `${forge.home}/issues`
  const open = isGithub ? 'open' : 'opened'
  const query: ForgeQuery = isGithub ? { state: open } : { state: open, scope: 'all' }
  const own = async (marker: string): Promise<Issue | undefined> => {
    const all = await list<Issue | undefined>(issues, each(issueIn), query, 'a list of issues')
    const marked = all.filter(one => one !== undefined).filter(({ body }) => firstLine(body) === marker)
    if (marked.length === 0) return undefined
    const self = await accountOf(forge, project)
    return marked.find(({ author }) => author === self)
  }
  const update = (id: string, body: object) =>
    clearly(() =>
      ask({ method: isGithub ? 'PATCH' : 'PUT', path: `${issues}/${id}`, body, repeatable: true }),
    )
  const written = (text: string): object => (isGithub ? { body: text } : { description: text })
  const create = (title: string, text: string) =>
    ask({ method: 'POST', path: issues, body: { title, ...written(text) } })
  const createOnce = async (title: string, text: string, marker: string): Promise<KeptIssue> => {
    try {
      await create(title, text)
    } catch (error) {
      if (!mayBeDone(error)) throw error
      await pause()
      if ((await own(marker)) === undefined) await clearly(() => create(title, text))
    }
    return 'opened'
  }
  const close = async (id: string, closing: string): Promise<KeptIssue> => {
    // The sentence comes first: an issue that is closed without it would not be found again.
    const said = `${issues}/${id}/${isGithub ? 'comments' : 'notes'}`
    await ask({ method: 'POST', path: said, body: { body: closing } })
    await update(id, isGithub ? { state: 'closed' } : { state_event: 'close' })
    return 'closed'
  }
  const keep = async ({ name, title, state, body, closing }: Matter): Promise<KeptIssue> => {
    if (state === 'unknown') return 'nothing'
    const marker = `<!-- setpoint:${name} -->`
    const text = `${marker}\n${body}`
    const issue = await own(marker)
    if (state === 'over') return issue === undefined ? 'nothing' : await close(issue.id, closing)
    if (issue === undefined) return await createOnce(title, text, marker)
    if (sameBody(issue.body, text)) return 'unchanged'
    await update(issue.id, written(text))
    return 'updated'
  }
  const kept: KeptIssue[] = []
  for (const matter of matters) kept.push(await keep(matter))
  return kept
}

/** An open issue. GitHub lists pull requests as well, which are none. */
function issueIn(entry: unknown): Issue | undefined {
  if (member(entry, 'pull_request') !== undefined) return undefined
  const number = member(entry, 'number') ?? member(entry, 'iid')
  if (typeof number !== 'number') return undefined
  const body = textAt(entry, 'body') || textAt(entry, 'description')
  return { id: String(number), body, author: idOf(member(entry, 'user') ?? member(entry, 'author')) ?? '' }
}
