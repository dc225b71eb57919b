import { resolve } from 'node:path'
import { NotReviewed, requestOf } from '../../forge/find-reviewed.ts'
import {
  type ForgeProject,
  type PullRequest,
  readForgeProject,
  readPullRequest,
} from '../../forge/pull-request.ts'
import { githubThread, gitlabThread, MOST_OF_COMMENT, type Put, putComment } from '../../forge/put-comment.ts'
import { mistake } from '../../model/diagnostic.ts'
import { quotedPath } from '../../model/names.ts'
import { type CommentText, commentText, markedWith, roomOf } from '../../report/comment-text.ts'
import { renderers } from '../../report/index.ts'
import { harmlessLines } from '../../report/neutralise.ts'
import { figure } from '../../report/phrase.ts'
import { fail, misuse, required } from '../../run/commands/ending.ts'
import { eventIn, sourcesOf } from '../../run/commands/reports.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { readUpTo } from '../../run/read-file.ts'
import { readSavedPlan } from '../../run/saved-plan.ts'
import type { Transport } from '../../wire/transport.ts'
import type { CommandRun } from '../command.ts'
import { mergesOf } from '../find-merges.ts'
import type { CommandContext } from '../io.ts'
import { withForge } from '../with-forge.ts'

/** Posts a report on the pull request of this pipeline. It only needs the forge, not the service. */
export const run: CommandRun = async (io, file = '') => {
  const { marker, merged, number } = io.options
  const comment = await readComment(io, file)
  const textFor = ({ forge }: ForgeProject): CommentText => {
    const text = comment(MOST_OF_COMMENT[forge] - roomOf(marker))
    return marker === undefined ? text : markedWith(marker, text)
  }
  if (merged !== undefined) return await onMerged(io, merged, textFor)
  const place = required(io, readPullRequest(io.env, await eventIn(io), number))
  return await withForge(io, place, transport => postComment(io, place, transport, textFor(place)))
}

/** Posts on the request that merged a commit into the default branch. A direct push has none. */
async function onMerged(
  io: CommandContext,
  commit: string,
  textFor: (place: ForgeProject) => CommentText,
): Promise<number> {
  const project = required(io, readForgeProject(io.env, 'comment'))
  return await withForge(io, project, async transport => {
    const request = await requestOf(mergesOf(io, project, transport), commit).catch(error => {
      if (error instanceof NotReviewed) return error
      throw error
    })
    if (!(request instanceof NotReviewed))
      return await postComment(io, { ...project, number: request.number }, transport, textFor(project))
    io.stdout.write(harmlessLines(`${request.message} No comment was posted.\n`))
    return EXIT.done
  })
}

/** Posts a report. Ends the command if it is longer than the forge allows: what is too long is cut where it is written. */
export async function postComment(
  io: CommandContext,
  place: PullRequest,
  transport: Transport,
  text: CommentText,
): Promise<number> {
  const thread = (place.forge === 'github' ? githubThread : gitlabThread)(transport, place)
  const most = MOST_OF_COMMENT[place.forge]
  const { length } = text.body
  if (length > most)
    misuse(
      io,
      `The report has ${figure(length)} characters, and a comment can have ${figure(most)}.`,
      `Write the report again with --markdown-limit ${most - roomOf(io.options.marker)}.`,
    )
  const put = await putComment(thread, text, () => io.sleep(PAUSE, io.stop))
  io.stdout.write(harmlessLines(`${SAID[put]} ${thread.name}.\n`))
  return EXIT.done
}

/** The time until a forge returns what it has just stored. */
const PAUSE = 2_000

const SAID = {
  created: 'Created the comment on',
  updated: 'Updated the comment on',
  unchanged: 'The comment is up to date on',
  nothing: 'There are no changes, and there is no comment on',
} as const satisfies Record<Put, string>

/** Maximum size of a report file. Every Markdown report is smaller. */
const LARGEST = 16 * 1024 * 1024

/** The report to post: a Markdown report from a file or from stdin, or a saved plan, which is rendered as Markdown within a limit. */
async function readComment(io: CommandContext, file: string): Promise<(limit: number) => CommentText> {
  const isStdin = file === '-'
  const text = isStdin ? await io.input().all?.() : await textOf(resolve(io.cwd, file))
  if (text === undefined)
    fail(
      io,
      mistake('unreadable-file', isStdin ? 'Stdin is empty.' : `There is no file ${quotedPath(file)}.`),
    )
  const isPlan = !isStdin && /^\s*\{/.test(text)
  const named = isStdin ? 'The input on stdin' : JSON.stringify(file)
  const checked = (markdown: string): CommentText =>
    commentText(markdown) ??
    misuse(
      io,
      `${named} is not a Markdown report of Setpoint.`,
      'Write the report with --report markdown=FILE. Its first line must be the marker that plan, apply and drift write.',
    )
  if (!isPlan) {
    const read = checked(text)
    return () => read
  }
  const plan = await readSavedPlan(io, { file })
  const links = await sourcesOf(io)
  return limit =>
    checked(renderers.markdown({ kind: 'plan', plan, isSaved: true }, { ...links, markdownLimit: limit }))
}

const textOf = async (path: string): Promise<string | undefined> =>
  (await readUpTo(LARGEST, path).catch(() => undefined))?.text
