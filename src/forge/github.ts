import type { Transport } from '../wire/transport.ts'
import { askOf, documentOf, everyPage, PAGE } from './ask.ts'
import { ForgeError } from './error.ts'
import { member, type Place } from './place.ts'
import type { Comment, Thread } from './thread.ts'

/** The comments of a pull request on GitHub, which are those of the issue with its number. `transport` carries the token. */
export function githubThread(transport: Transport, { api, project, number }: Place): Thread {
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
    list: () =>
      everyPage(page, ({ link }) => (link === undefined ? undefined : /rel="?next/.test(link)), TOO_MANY),
    self: async () => {
      // The REST interface tells a job's token nothing about itself; this does, and users and apps alike.
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

const TOO_MANY = () =>
  new ForgeError(
    'GitHub lists comments without an end.',
    200,
    'Is the address the one of its REST interface?',
  )

function commentsIn(document: unknown): Comment[] | undefined {
  if (!Array.isArray(document)) return undefined
  const comments = document.map((entry: unknown): Comment | undefined => {
    const id = member(entry, 'id')
    const body = member(entry, 'body')
    // Of an account that was deleted GitHub says null: nobody's, and so not ours.
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
