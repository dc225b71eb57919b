import { type Transport, TransportError } from '../wire/transport.ts'
import { type Forge, ForgeError, openForge } from './forge-client.ts'
import { type ForgeProject, member, type PullRequest } from './pull-request.ts'

/** A comment of the forge. `author` identifies its account. */
interface Comment {
  readonly id: string
  readonly body: string
  readonly author: string
}

/** The comments of one pull or merge request. Rejects with a `ForgeError` or a `TransportError`. */
interface Thread {
  /** Such as `pull request 7 of acme/sets`. */
  readonly name: string
  /** All comments, oldest first. */
  readonly list: () => Promise<readonly Comment[]>
  /** The account of the token, as in `author`. */
  readonly self: () => Promise<string>
  readonly create: (body: string) => Promise<unknown>
  readonly update: (id: string, body: string) => Promise<unknown>
}

/** Maximum length of a comment, in characters. */
export const MOST_OF_COMMENT = { github: 65_536, gitlab: 1_000_000 } as const satisfies Record<
  ForgeProject['forge'],
  number
>

interface WantedComment {
  /** The first line of the body. It identifies the comment. */
  readonly marker: string
  readonly body: string
  /** Only update an existing comment. */
  readonly quiet: boolean
}

/** A write with an ambiguous response, its `cause`. It may have been carried out. */
export class UnclearError extends Error {
  override readonly name = 'UnclearError'
}

export type Put = 'created' | 'updated' | 'unchanged' | 'nothing'

/**
 * Creates the comment with this marker, or updates it in place. Only a comment of the token's own account counts, because anybody can write
 * the marker. After an ambiguous response the comment is searched for before it is created again.
 */
export async function putComment(
  thread: Thread,
  wanted: WantedComment,
  pause: () => Promise<void>,
): Promise<Put> {
  const own = await ownComment(thread, wanted.marker)
  if (own === undefined) {
    if (wanted.quiet) return 'nothing'
    await createOnce(thread, wanted, pause)
    return 'created'
  }
  const body = keptMarker(own, wanted)
  if (sameBody(own.body, body)) return 'unchanged'
  await clearly(() => thread.update(own.id, body))
  return 'updated'
}

/** Our oldest comment. The account of the token is requested only if there is a comment with the marker. */
async function ownComment(thread: Thread, marker: string): Promise<Comment | undefined> {
  const marked = (await thread.list()).filter(({ body }) => isOf(firstLine(body), marker))
  if (marked.length === 0) return undefined
  const self = await thread.self()
  return marked.find(({ author }) => author === self)
}

async function createOnce(
  thread: Thread,
  { marker, body }: WantedComment,
  pause: () => Promise<void>,
): Promise<void> {
  try {
    await thread.create(body)
  } catch (error) {
    if (!mayBeDone(error)) throw error
    await pause()
    if ((await ownComment(thread, marker)) === undefined) await clearly(() => thread.create(body))
  }
}

/** Whether a request that failed may have been carried out. */
export const mayBeDone = (error: unknown): boolean =>
  error instanceof TransportError
    ? error.sent === 'maybe'
    : error instanceof ForgeError && error.status >= 500

/** A write whose failure says whether it may have been carried out. Rejects with an `UnclearError` if it may. */
export async function clearly(write: () => Promise<unknown>): Promise<void> {
  try {
    await write()
  } catch (error) {
    throw mayBeDone(error) ? new UnclearError('', { cause: error }) : error
  }
}

const MARKER = /^<!-- setpoint:(\S+)( .*)? -->$/

/**
 * Whether two first lines belong to one comment. `*` stands for any organization, because a failed run may not know its own.
 */
function isOf(one: string, other: string): boolean {
  if (one === other) return true
  const [, target, name] = MARKER.exec(one) ?? []
  const [, wanted, wantedName] = MARKER.exec(other) ?? []
  return (
    (target === '*' || wanted === '*') && target !== undefined && wanted !== undefined && name === wantedName
  )
}

/** A marker for any organization does not replace one that is known. */
const keptMarker = (own: Comment, { marker, body }: WantedComment): string =>
  MARKER.exec(marker)?.[1] === '*' ? firstLine(own.body) + body.slice(marker.length) : body

export const firstLine = (text: string): string => text.split('\n', 1)[0]?.trimEnd() ?? ''

/** Forges change line endings and trailing whitespace. */
export const sameBody = (one: string, other: string): boolean =>
  one.replaceAll('\r\n', '\n').trimEnd() === other.replaceAll('\r\n', '\n').trimEnd()

/** The comments of a pull request on GitHub, which are those of the issue with its number. `transport` adds the token. */
export function githubThread(transport: Transport, pull: PullRequest): Thread {
  const forge = openForge(transport, pull)
  const { home, ask, list } = forge
  const comments = `${home}/issues/${pull.number}/comments`
  return {
    name: `pull request ${pull.number} of ${pull.project}`,
    list: () => list(comments, commentsOf(commentIn), {}, 'a list of comments'),
    self: () => accountOf(forge, pull),
    create: body => ask({ method: 'POST', path: comments, body: { body } }),
    update: (id, body) =>
      ask({ method: 'PATCH', path: `${home}/issues/comments/${id}`, body: { body }, repeatable: true }),
  }
}

/** All entries of a page as comments; `undefined` if one is none. */
const commentsOf =
  (read: (entry: unknown) => Comment | undefined) =>
  (document: unknown): Comment[] | undefined => {
    const comments = Array.isArray(document) ? document.map(read) : [undefined]
    return comments.every(one => one !== undefined) ? comments : undefined
  }

function commentIn(entry: unknown): Comment | undefined {
  const id = member(entry, 'id')
  const body = member(entry, 'body')
  // The author of a deleted account is null, so the comment is not ours.
  const author = member(member(entry, 'user'), 'id')
  if (typeof id !== 'number') return undefined
  return { id: String(id), body: typeof body === 'string' ? body : '', author: String(author) }
}

/** The account of the token, as forges name the author of a comment or an issue. */
export async function accountOf({ root, answer, get }: Forge, { forge }: ForgeProject): Promise<string> {
  if (forge === 'gitlab') return await get(`${root}/user`, 'an account', idOf)
  // The REST API tells a job's token nothing about itself. GraphQL does, for users and apps alike.
  const path = `${root.replace(/\/v3$/, '')}/graphql`
  const body = { query: '{ viewer { databaseId } }' }
  return (await answer({ method: 'POST', path, body, repeatable: true }, 'an account', viewerIn)).value
}

function viewerIn(document: unknown): string | undefined {
  const id = member(member(member(document, 'data'), 'viewer'), 'databaseId')
  return typeof id === 'number' ? String(id) : undefined
}

/** The notes of a merge request on GitLab. `transport` adds the token. */
export function gitlabThread(transport: Transport, pull: PullRequest): Thread {
  const forge = openForge(transport, pull)
  const { home, ask, list } = forge
  const notes = `${home}/merge_requests/${pull.number}/notes`
  return {
    name: `merge request ${pull.number} of project ${pull.project}`,
    list: () => list(notes, commentsOf(noteIn), { order_by: 'created_at', sort: 'asc' }, 'a list of notes'),
    self: () => accountOf(forge, pull),
    create: body => ask({ method: 'POST', path: notes, body: { body } }),
    update: (id, body) => ask({ method: 'PUT', path: `${notes}/${id}`, body: { body }, repeatable: true }),
  }
}

function noteIn(entry: unknown): Comment | undefined {
  const id = idOf(entry)
  const body = member(entry, 'body')
  if (id === undefined || typeof body !== 'string') return undefined
  const author = idOf(member(entry, 'author')) ?? ''
  // A note of GitLab itself, such as "changed the title", is not a comment.
  return { id, body: member(entry, 'system') === true ? '' : body, author }
}

export function idOf(document: unknown): string | undefined {
  const id = member(document, 'id')
  return typeof id === 'number' ? String(id) : undefined
}
