import type { ApiResponse } from '../wire/transport.ts'
import { MEDIA_TYPE } from './limits.ts'
import type { Profile } from './profile.ts'
import type { Problem, Refusal } from './refusal.ts'

/** An answer before it is text. */
export interface Reply {
  readonly status: number
  /** Left out: no body. */
  readonly body?: unknown
  /** Left out: the interface's own. */
  readonly mediaType?: string
}

export const answered = (body: unknown, status = 200): Reply => ({ status, body })
export const emptyAnswer = (status = 204): Reply => ({ status })

export function encodeReply(reply: Reply): ApiResponse {
  if (reply.body === undefined) return { status: reply.status, headers: {}, body: '' }
  return {
    status: reply.status,
    headers: { 'content-type': reply.mediaType ?? MEDIA_TYPE },
    body: typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body),
  }
}

/** Interface 7 shows no fields; the `errorBody` axis has the known real ones and four that a client must survive. */
export function replyOfRefusal(refusal: Refusal, profile: Profile): Reply {
  const { status } = refusal
  switch (profile.errorBody) {
    case 'json-api':
      return { status, body: { errors: refusal.problems.map(problem => errorObject(problem, `${status}`)) } }
    case 'number-status':
      return { status, body: { errors: refusal.problems.map(problem => errorObject(problem, status)) } }
    case 'other-json':
      return { status, body: { error: refusal.message }, mediaType: 'application/json' }
    case 'empty':
      return { status }
    case 'html':
      return {
        status,
        body: `<!DOCTYPE html><title>${status}</title><h1>Something went wrong</h1>`,
        mediaType: 'text/html',
      }
  }
}

const errorObject = (problem: Problem, status: string | number) => ({
  status,
  title: problem.title,
  ...(problem.detail === undefined ? {} : { detail: problem.detail }),
  ...sourceOf(problem),
})

function sourceOf({ pointer, parameter }: Problem) {
  if (pointer !== undefined) return { source: { pointer } }
  return parameter === undefined ? {} : { source: { parameter } }
}
