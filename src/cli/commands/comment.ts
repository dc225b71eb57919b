import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { type PullRequest, readForgeProject, readPullRequest } from '../../forge/pull-request.ts'
import { type Put, putComment } from '../../forge/put-comment.ts'
import { NotReviewed, requestOf } from '../../forge/reviewed.ts'
import { githubThread, gitlabThread } from '../../forge/threads.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { type CommentText, commentText, fittedMarkdown, markedWith } from '../../report/comment.ts'
import { renderers } from '../../report/index.ts'
import { harmlessLines } from '../../report/neutralise.ts'
import { figure } from '../../report/phrase.ts'
import type { Transport } from '../../wire/transport.ts'
import { EXIT, type Run } from '../command.ts'
import { type Io, sayDiagnostics } from '../io.ts'
import type { Options } from '../options.ts'
import { eventIn, linksIn } from '../publish.ts'
import { readSavedPlan } from '../saved-plan.ts'
import { withForge } from '../with-forge.ts'
import { mergesOf } from './reviewed.ts'

/** Posts a report on the pull request of this pipeline. It only needs the forge, not the service. */
export const run: Run = async (io, options, file = '') => {
  const read = await readComment(io, file)
  if ('severity' in read) {
    sayDiagnostics(io, options, [read])
    return read.code === 'refused' ? EXIT.refused : EXIT.error
  }
  const text = options.marker === undefined ? read : markedWith(options.marker, read)
  const { merged } = options
  if (merged !== undefined) return await onMerged(io, options, merged, text)
  const { value: place, diagnostics } = readPullRequest({
    environment: io.env,
    ...(await eventIn(io)),
    ...(options.number === undefined ? {} : { number: options.number }),
  })
  sayDiagnostics(io, options, diagnostics)
  if (place === undefined) return EXIT.error
  return await withForge(io, options, place, transport => post(io, options, place, transport, text))
}

/** Posts on the request that merged a commit into the default branch. A direct push has none. */
async function onMerged(io: Io, options: Options, commit: string, text: CommentText): Promise<number> {
  const { value: project, diagnostics } = readForgeProject(io.env)
  sayDiagnostics(io, options, diagnostics)
  if (project === undefined) return EXIT.error
  return await withForge(io, options, project, async transport => {
    const request = await requestOf(mergesOf(io, options, project, transport, ''), commit).catch(error => {
      if (error instanceof NotReviewed) return error
      throw error
    })
    if (!(request instanceof NotReviewed))
      return await post(io, options, { ...project, number: request.number }, transport, text)
    io.stdout.write(harmlessLines(`${request.message} No comment was posted.\n`))
    return EXIT.done
  })
}

async function post(
  io: Io,
  options: Options,
  place: PullRequest,
  transport: Transport,
  text: CommentText,
): Promise<number> {
  const thread = (place.forge === 'github' ? githubThread : gitlabThread)(transport, place)
  const body = fittedMarkdown(text.body, thread.most)
  if (body === undefined) {
    const most = figure(thread.most)
    sayDiagnostics(io, options, [
      {
        severity: 'error',
        code: 'bad-usage',
        message: `The report is too long. A comment can have at most ${most} characters.`,
        hint: 'Create the report again with a lower --markdown-limit.',
      },
    ])
    return EXIT.error
  }
  const put = await putComment(thread, { ...text, body }, () => io.sleep(PAUSE, io.stop))
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

/** The report to post: a Markdown report from a file or from stdin, or a saved plan, which is rendered as Markdown. */
export async function readComment(io: Io, file: string): Promise<CommentText | Diagnostic> {
  const text = file === '-' ? await io.input().all?.() : await textOf(resolve(io.cwd, file))
  if (text === undefined) return unreadable(file)
  if (file === '-' || !/^\s*\{/.test(text)) return commentText(text) ?? notOurs(file)
  const plan = await readSavedPlan(io, file)
  if ('severity' in plan) return plan
  const markdown = renderers.markdown({ kind: 'plan', plan }, await linksIn(io))
  return commentText(markdown) ?? notOurs(file)
}

async function textOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile() || found.size > LARGEST) return undefined
  return await readFile(path, 'utf8').catch(() => undefined)
}

const unreadable = (file: string): Diagnostic => ({
  severity: 'error',
  code: 'unreadable-file',
  message: file === '-' ? 'Stdin is empty.' : `There is no file ${JSON.stringify(file)}.`,
})

const notOurs = (file: string): Diagnostic => ({
  severity: 'error',
  code: 'bad-usage',
  message: `${file === '-' ? 'The input on stdin' : JSON.stringify(file)} is not a Markdown report of Setpoint.`,
  hint: 'Write the report with --report markdown=FILE. Its first line must be the marker that plan, apply and drift write.',
})
