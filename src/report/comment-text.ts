import type { Diagnostic } from '../model/diagnostic.ts'
import { type Failure, type FailureReport, HEADLINES, reasonText } from './failure-doc.ts'
import { COMMENT_MARKER, commentMarker, NOTHING_CHANGES } from './markdown.ts'
import { codeBlock, commentText as inComment } from './neutralise.ts'
import { figure, place, placed } from './phrase.ts'
import { phraseMarkdown } from './print-markdown.ts'

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

const MOST_CHARACTERS = 50_000

/** The first line of the comment for a run that ended with errors, in place of its report. */
export const failureMarker = ({ organization, owner }: FailureReport): string =>
  organization === undefined ? ANY_MARKER : commentMarker(organization, owner)

/** A report with the reason for a failure after its headline. */
export function withFailure(markdown: string, failure: Failure, sources: string | undefined): string {
  const [top = '', ...sections] = markdown.split('\n\n')
  return [top, `**${HEADLINES[failure.command]}**`, reasonMarkdown(failure, sources), ...sections].join(
    '\n\n',
  )
}

/** The errors in a block, cut at `limit`, and links to their places. */
export function reasonMarkdown(
  failure: Failure,
  sources: string | undefined,
  limit = MOST_CHARACTERS,
): string {
  const text = reasonText(failure).trimEnd()
  const cut = text.slice(0, Math.min(limit, MOST_CHARACTERS))
  const lines = cut.split('\n')
  const block = codeBlock(cut === text ? lines : [...lines.slice(0, -1), '…'], 'text')
  const links = sources === undefined ? [] : linksTo(failure.diagnostics, sources)
  return links.length === 0 ? block : `${block}\n\n${links.join(' · ')}`
}

/** Links do not work in the block, so the places follow it. */
function linksTo(diagnostics: readonly Diagnostic[], sources: string): string[] {
  const links = diagnostics.flatMap(({ source }) =>
    source === undefined ? [] : [phraseMarkdown([place(placed(source, sources))])],
  )
  const all = [...new Set(links)]
  return all.length > MOST_LINKS
    ? [...all.slice(0, MOST_LINKS), `and ${figure(all.length - MOST_LINKS)} more`]
    : all
}

const MOST_LINKS = 20
