import type { FailureReport } from './failure-doc.ts'
import { commentText as inComment } from './neutralise.ts'
import { present } from './phrase.ts'

/** The invisible first line, by which the next run finds and replaces the comment. */
export const commentMarker = (organization: string, owner?: string): string =>
  `<!-- setpoint:${present(organization, owner).map(inComment).join('/')} -->`

/** The form of that line. */
const COMMENT_MARKER = /^<!-- setpoint:[\w!~*'().%/-]{1,410} -->$/

/** The invisible second line of a report without changes, for which no comment is created. */
export const NOTHING_CHANGES = '<!-- nothing changes -->'

/** A Markdown report to post as a comment. */
export interface CommentText {
  /** Its first line, by which the comment of the previous run is found. */
  readonly marker: string
  /** Nothing changes, so no new comment is needed. */
  readonly quiet: boolean
  readonly body: string
}

/** Reads a file with a Markdown report; `undefined` if it is not one of ours. */
export function commentText(markdown: string): CommentText | undefined {
  const body = markdown.replaceAll('\r\n', '\n').replace(/^\ufeff/, '')
  const [marker = '', second] = body.split('\n', 2)
  return COMMENT_MARKER.test(marker) ? { marker, quiet: second === NOTHING_CHANGES, body } : undefined
}

/** The same with its own marker, so that one organization and owner can have several comments. It is longer by `roomOf(name)`. */
export function markedWith(name: string, text: CommentText): CommentText {
  const marker = text.marker.replace(/ -->$/, ` ${inComment(name)} -->`)
  return { ...text, marker, body: marker + text.body.slice(text.marker.length) }
}

/** The first line of a comment for any organization, if the files did not say which one. */
const ANY_MARKER = '<!-- setpoint:* -->'

/** Characters that a name adds to the marker. */
export const roomOf = (name: string | undefined): number =>
  name === undefined ? 0 : inComment(name).length + 1

/** The first line of the comment for a run that ended with errors, in place of its report. */
export const failureMarker = ({ organization, owner }: FailureReport): string =>
  organization === undefined ? ANY_MARKER : commentMarker(organization, owner)
