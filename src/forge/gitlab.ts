import type { Transport } from '../wire/transport.ts'
import { askOf, documentOf, everyPage, PAGE } from './ask.ts'
import { ForgeError } from './error.ts'
import { member, type Place } from './place.ts'
import type { Comment, Thread } from './thread.ts'

/** The notes of a merge request on GitLab. `transport` carries the token. */
export function gitlabThread(transport: Transport, { api, project, number }: Place): Thread {
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
    list: () => everyPage(page, nextPage, TOO_MANY),
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

const nextPage = (headers: Readonly<Record<string, string>>): boolean | undefined =>
  headers['x-next-page'] === undefined ? undefined : headers['x-next-page'] !== ''

const TOO_MANY = () =>
  new ForgeError('GitLab lists notes without an end.', 200, 'Is the address the one of its REST interface?')

function notesIn(document: unknown): Comment[] | undefined {
  if (!Array.isArray(document)) return undefined
  const notes = document.map((entry: unknown): Comment | undefined => {
    const id = idOf(entry)
    const body = member(entry, 'body')
    if (id === undefined || typeof body !== 'string') return undefined
    // What GitLab itself notes, such as "changed the title", is nobody's comment.
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
