import type { Diagnostic } from '../model/diagnostic.ts'
import { type Failure, type FailureReport, HEADLINES, reasonText } from './failure-report.ts'
import { COMMENT_MARKER, commentMarker, NOTHING_CHANGES } from './markdown.ts'
import { codeBlock, commentText as inComment } from './neutralise.ts'
import { counted, figure, place, placed } from './phrase.ts'
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

/** The same with its own marker, so that one organization and owner can have several comments. */
export function markedWith(name: string, text: CommentText): CommentText {
  const marker = text.marker.replace(/ -->$/, ` ${inComment(name)} -->`)
  return { ...text, marker, body: marker + text.body.slice(text.marker.length) }
}

/** Room for the notice about what is left out. */
const NOTICE = 200

/**
 * Markdown within a limit: drops whole sections, the longest first and *Review first* last, and says so. `undefined` if the
 * first section, with the marker and the headline, is already too long.
 */
export function fittedMarkdown(markdown: string, most: number): string | undefined {
  if (markdown.length <= most) return markdown
  const kept = new Set(sectionsOf(markdown))
  const [first] = kept
  const byLength = [...kept]
    .filter(section => section !== first)
    .toSorted((a, b) => Number(isCallout(a)) - Number(isCallout(b)) || b.text.length - a.text.length)
  let length = markdown.length
  let left = 0
  for (const section of byLength) {
    if (length + NOTICE <= most) break
    kept.delete(section)
    length -= section.text.length + 2
    left++
  }
  if (length + NOTICE > most) return undefined
  const notice = `${counted(left, 'section')} ${left === 1 ? 'is' : 'are'} left out here, because a comment is limited to ${figure(most)} characters. See the report of the job.`
  return `${[...kept].map(({ text }) => text.trimEnd()).join('\n\n')}\n\n${notice}\n`
}

interface TextSection {
  readonly text: string
}

const isCallout = ({ text }: TextSection): boolean => text.startsWith('> [!')

/** Sections between blank lines; a fence or a block that opens and closes is one section. */
function sectionsOf(markdown: string): TextSection[] {
  const sections: string[][] = [[]]
  let fence = ''
  let inside = 0
  for (const line of markdown.trimEnd().split('\n')) {
    const mark = /^ {0,3}(`{3,})/.exec(line)?.[1] ?? ''
    if (fence === '') {
      fence = mark
      inside += count(line, /^<details>/) - count(line, /<\/details>$/)
    } else if (mark.length >= fence.length && line.trim() === mark) fence = ''
    if (line === '' && fence === '' && inside <= 0) sections.push([])
    else sections.at(-1)?.push(line)
  }
  return sections.filter(lines => lines.length > 0).map(lines => ({ text: lines.join('\n') }))
}

const count = (line: string, pattern: RegExp): number => (pattern.test(line) ? 1 : 0)

/** The first line of a comment for any organization, if the files did not say which one. */
const ANY_MARKER = '<!-- setpoint:* -->'

const MOST_CHARACTERS = 50_000

/** A comment for a run that ended with errors, in place of its report. */
export function failureMarkdown(failure: FailureReport, sources: string | undefined, limit?: number): string {
  const { organization, owner, command } = failure
  const marker = organization === undefined ? ANY_MARKER : commentMarker(organization, owner)
  return `${marker}\n### Setpoint: ${HEADLINES[command].toLowerCase()}\n\n${reasonMarkdown(failure, sources, limit)}\n`
}

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
