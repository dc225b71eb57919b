import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { openClient } from '../../api/client.ts'
import { httpTransport, proxiesOf } from '../../api/http.ts'
import { withToken } from '../../api/token.ts'
import { ForgeError } from '../../forge/client.ts'
import { type PullRequest, readPullRequest } from '../../forge/pull-request.ts'
import { type Put, putComment, UnclearError } from '../../forge/put-comment.ts'
import { githubThread, gitlabThread, type Thread } from '../../forge/threads.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { type CommentText, commentText, fittedMarkdown, markedWith } from '../../report/comment.ts'
import { renderers } from '../../report/index.ts'
import { harmlessLines } from '../../report/neutralise.ts'
import { figure } from '../../report/phrase.ts'
import { TransportError } from '../../wire/transport.ts'
import type { Run } from '../command.ts'
import { EXIT } from '../exit.ts'
import { type Io, sayDiagnostics, sayFailure } from '../io.ts'
import type { Options } from '../options.ts'
import { eventIn } from '../publish.ts'
import { readSavedPlan } from '../saved-plan.ts'
import { signalCode } from '../session.ts'

/** A report into the pull request of this pipeline. Asks the forge only: the service is not needed. */
export const run: Run = async (io, options, file = '') => {
  const read = await readComment(io, file)
  if ('severity' in read) {
    sayDiagnostics(io, options, [read])
    return read.code === 'refused' ? EXIT.refused : EXIT.error
  }
  const text = options.marker === undefined ? read : markedWith(options.marker, read)
  const { value: place, diagnostics } = readPullRequest({
    environment: io.env,
    ...(await eventIn(io)),
    ...(options.number === undefined ? {} : { number: options.number }),
  })
  sayDiagnostics(io, options, diagnostics)
  if (place === undefined) return EXIT.error
  return await onThread(io, options, place, async thread => {
    const body = fittedMarkdown(text.body, thread.most)
    if (body === undefined) {
      const most = figure(thread.most)
      sayDiagnostics(io, options, [
        {
          severity: 'error',
          code: 'bad-usage',
          message: `The report does not fit: a comment there may have ${most} characters.`,
          hint: 'Make it anew with --markdown-limit.',
        },
      ])
      return EXIT.error
    }
    const put = await putComment(thread, { ...text, body }, () => io.sleep(PAUSE, io.stop))
    io.stdout.write(harmlessLines(`${SAID[put]} ${thread.name}.\n`))
    return EXIT.done
  })
}

/** Until a forge shows what it has just taken. */
const PAUSE = 2_000

const SAID = {
  created: 'Made the comment on',
  updated: 'Updated the comment on',
  unchanged: 'The comment is up to date on',
  nothing: 'Nothing changes, and there is no comment on',
} as const satisfies Record<Put, string>

async function onThread(
  io: Io,
  options: Options,
  place: PullRequest,
  body: (thread: Thread) => Promise<number>,
): Promise<number> {
  const { origin } = new URL(place.api)
  place.token.tell(io.redactor)
  const network = httpTransport(origin, {
    proxies: proxiesOf(io.env),
    certificatesUnchecked: io.env.NODE_TLS_REJECT_UNAUTHORIZED === '0',
  })
  const line = openClient(withToken(network, place.token), {
    timing: { now: io.elapsed, sleep: io.sleep, random: io.random },
    rate: 'unlimited',
    stop: io.stop,
    ...(options.verbose
      ? {
          onAttempt: ({ method, path, result, milliseconds }) =>
            io.stderr.write(harmlessLines(`${method} ${path} ${result} ${milliseconds} ms\n`)),
        }
      : {}),
  })
  const thread = place.forge === 'github' ? githubThread : gitlabThread
  try {
    return await body(thread(line.transport, place))
  } catch (error) {
    const reason = error instanceof UnclearError ? error.reason : error
    if (!(reason instanceof ForgeError) && !(reason instanceof TransportError)) throw error
    const unclear = error instanceof UnclearError
    sayFailure(
      io,
      options,
      unclear ? `${reason.message} The comment may be there all the same.` : reason.message,
      reason instanceof ForgeError ? reason.hint : UNREACHABLE,
    )
    const signal = io.stoppedBy()
    if (signal !== undefined) return signalCode(signal)
    return unclear ? EXIT.partial : EXIT.error
  } finally {
    await network.close()
  }
}

const UNREACHABLE = 'Check the address of the forge and the network, and run the job again.'

/** The most that is read of a file: any report in Markdown is smaller. */
const LARGEST = 16 * 1024 * 1024

/** The report to post: Markdown of ours from a file or from stdin, or a saved plan, which becomes that. */
export async function readComment(io: Io, file: string): Promise<CommentText | Diagnostic> {
  const text = file === '-' ? await io.input().all?.() : await textOf(resolve(io.cwd, file))
  if (text === undefined) return unreadable(file)
  if (file === '-' || !/^\s*\{/.test(text)) return commentText(text) ?? notOurs(file)
  const plan = await readSavedPlan(io, file)
  if ('severity' in plan) return plan
  const markdown = renderers.markdown({ kind: 'plan', plan }, {})
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
  message:
    file === '-' ? 'Nothing is piped into this run.' : `There is no file ${JSON.stringify(file)} to read.`,
})

const notOurs = (file: string): Diagnostic => ({
  severity: 'error',
  code: 'bad-usage',
  message: `${file === '-' ? 'What came over stdin' : JSON.stringify(file)} is no report of Setpoint in Markdown.`,
  hint: 'Its first line has to be the marker that plan, apply and drift write: --report markdown=FILE.',
})
