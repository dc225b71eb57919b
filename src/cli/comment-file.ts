import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Diagnostic } from '../model/diagnostic.ts'
import { type CommentText, commentText } from '../report/comment.ts'
import { renders } from '../report/index.ts'
import type { Io } from './io.ts'
import { readSavedPlan } from './saved-plan.ts'

/** The most that is read of a file: any report in Markdown is smaller. */
const LARGEST = 16 * 1024 * 1024

/** The report to post: Markdown of ours from a file or from stdin, or a saved plan, which becomes that. */
export async function readComment(io: Io, file: string | undefined): Promise<CommentText | Diagnostic> {
  if (file === undefined) return NO_FILE
  const text = file === '-' ? await io.input().all?.() : await textOf(resolve(io.cwd, file))
  if (text === undefined) return unreadable(file)
  if (file === '-' || !/^\s*\{/.test(text)) return commentText(text) ?? notOurs(file)
  const plan = await readSavedPlan(io, file)
  if ('severity' in plan) return plan
  const markdown = renders.markdown({ kind: 'plan', plan }, {})
  return commentText(markdown) ?? notOurs(file)
}

async function textOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile() || found.size > LARGEST) return undefined
  return await readFile(path, 'utf8').catch(() => undefined)
}

const NO_FILE: Diagnostic = {
  severity: 'error',
  code: 'bad-usage',
  message: 'Which report?',
  hint: 'setpoint plan --report markdown=plan.md, then: setpoint comment plan.md',
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
