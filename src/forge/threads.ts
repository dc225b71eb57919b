import type { Transport } from '../wire/transport.ts'
import { askOf, documentOf, everyPage, PAGE } from './client.ts'
import { member, type PullRequest } from './pull-request.ts'

/** A comment of the forge. `author` identifies its account. */
export interface Comment {
  readonly id: string
  readonly body: string
  readonly author: string
}

/** The comments of one pull or merge request. Rejects with a `ForgeError` or a `TransportError`. */
export interface Thread {
  /** Such as `pull request 7 of acme/sets`. */
  readonly name: string
  /** Maximum length of a comment, in characters. */
  readonly most: number
  /** All comments, oldest first. */
  readonly list: () => Promise<readonly Comment[]>
  /** The account of the token, as in `author`. */
  readonly self: () => Promise<string>
  readonly create: (body: string) => Promise<void>
  readonly update: (id: string, body: string) => Promise<void>
}

/** The comments of a pull request on GitHub, which are those of the issue with its number. `transport` adds the token. */
export function githubThread(transport: Transport, { api, project, number }: PullRequest): Thread {
  const ask = askOf('github', transport, 'application/vnd.github+json')
  const root = new URL(api).pathname.replace(/\/$/, '')
  const repository = `${root}/repos/${project.split('/').map(encodeURIComponent).join('/')}`
  const page = (at: number) =>
    documentOf(
      'github',
      ask({
        method: 'GET',
        path: `${repository}/issues/${number}/comments`,
        query: { per_page: String(PAGE), page: String(at) },
      }),
      'a list of comments',
      commentsIn,
    )
  return {
    name: `pull request ${number} of ${project}`,
    most: 65_536,
    list: () => everyPage('github', page),
    self: async () => {
      // The REST API tells a job's token nothing about itself. GraphQL does, for users and apps alike.
      const asked = ask({
        method: 'POST',
        path: `${root.replace(/\/v3$/, '')}/graphql`,
        body: { query: '{ viewer { databaseId } }' },
        repeatable: true,
      })
      return (await documentOf('github', asked, 'an account', viewerIn)).value
    },
    create: async body => {
      await ask({ method: 'POST', path: `${repository}/issues/${number}/comments`, body: { body } })
    },
    update: async (id, body) => {
      await ask({
        method: 'PATCH',
        path: `${repository}/issues/comments/${id}`,
        body: { body },
        repeatable: true,
      })
    },
  }
}

function commentsIn(document: unknown): Comment[] | undefined {
  if (!Array.isArray(document)) return undefined
  const comments = document.map((entry: unknown): Comment | undefined => {
    const id = member(entry, 'id')
    const body = member(entry, 'body')
    // The author of a deleted account is null, so the comment is not ours.
    const author = member(member(entry, 'user'), 'id')
    if (typeof id !== 'number') return undefined
    return { id: String(id), body: typeof body === 'string' ? body : '', author: String(author) }
  })
  return comments.every(one => one !== undefined) ? comments : undefined
}

function viewerIn(document: unknown): string | undefined {
  const id = member(member(member(document, 'data'), 'viewer'), 'databaseId')
  return typeof id === 'number' ? String(id) : undefined
}

/** The notes of a merge request on GitLab. `transport` adds the token. */
export function gitlabThread(transport: Transport, { api, project, number }: PullRequest): Thread {
  const ask = askOf('gitlab', transport, 'application/json')
  const root = new URL(api).pathname.replace(/\/$/, '')
  const notes = `${root}/projects/${encodeURIComponent(project)}/merge_requests/${number}/notes`
  const page = (at: number) =>
    documentOf(
      'gitlab',
      ask({
        method: 'GET',
        path: notes,
        query: { per_page: String(PAGE), page: String(at), order_by: 'created_at', sort: 'asc' },
      }),
      'a list of notes',
      notesIn,
    )
  return {
    name: `merge request ${number} of project ${project}`,
    most: 1_000_000,
    list: () => everyPage('gitlab', page),
    self: async () =>
      (await documentOf('gitlab', ask({ method: 'GET', path: `${root}/user` }), 'an account', idOf)).value,
    create: async body => {
      await ask({ method: 'POST', path: notes, body: { body } })
    },
    update: async (id, body) => {
      await ask({ method: 'PUT', path: `${notes}/${id}`, body: { body }, repeatable: true })
    },
  }
}

function notesIn(document: unknown): Comment[] | undefined {
  if (!Array.isArray(document)) return undefined
  const notes = document.map((entry: unknown): Comment | undefined => {
    const id = idOf(entry)
    const body = member(entry, 'body')
    if (id === undefined || typeof body !== 'string') return undefined
    // A note of GitLab itself, such as "changed the title", is not a comment.
    return {
      id,
      body: member(entry, 'system') === true ? '' : body,
      author: idOf(member(entry, 'author')) ?? '',
    }
  })
  return notes.every(one => one !== undefined) ? notes : undefined
}

function idOf(document: unknown): string | undefined {
  const id = member(document, 'id')
  return typeof id === 'number' ? String(id) : undefined
}
