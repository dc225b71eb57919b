import { TransportError } from '../wire/transport.ts'
import { ForgeError } from './client.ts'
import type { Comment, Thread } from './threads.ts'

interface WantedComment {
  /** The first line of the body. It identifies the comment. */
  readonly marker: string
  readonly body: string
  /** Only update an existing comment. */
  readonly quiet: boolean
}

/** A write with an ambiguous response. It may have been carried out. */
export class UnclearError extends Error {
  override readonly name = 'UnclearError'
  readonly reason: ForgeError | TransportError

  constructor(reason: ForgeError | TransportError) {
    super(reason.message)
    this.reason = reason
  }
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
const mayBeDone = (error: unknown): error is ForgeError | TransportError =>
  error instanceof TransportError
    ? error.sent === 'maybe'
    : error instanceof ForgeError && error.status >= 500

async function clearly(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    throw mayBeDone(error) ? new UnclearError(error) : error
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

const firstLine = (text: string): string => text.split('\n', 1)[0]?.trimEnd() ?? ''

/** Forges change line ends and trailing whitespace. */
const sameBody = (one: string, other: string): boolean =>
  one.replaceAll('\r\n', '\n').trimEnd() === other.replaceAll('\r\n', '\n').trimEnd()
