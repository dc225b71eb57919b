import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Diagnostic } from '../model/diagnostic.ts'
import { ANY_MARKER, type Failure, failureMarkdown, withFailure } from '../report/comment.ts'
import { commentMarker } from '../report/markdown.ts'
import { WriteError, writeWhole } from '../run/write-files.ts'
import { EXIT, type Run, runCommand } from './command.ts'
import type { Call } from './io.ts'
import { appendWhole, isStepSummary } from './output-files.ts'
import { linksIn } from './publish.ts'

/**
 * The same command, with its failure or refusal written into its Markdown reports. Otherwise the comment on a pull request
 * would keep a green and outdated plan.
 */
export const reportingFailure =
  (name: 'plan' | 'apply', run: Run): Run =>
  async (io, ...rest) => {
    const reports = io.options.reports.filter(({ format }) => format === 'markdown')
    if (reports.length === 0 || io.collect !== undefined) return await run(io, ...rest)
    const heard: Diagnostic[] = []
    const hear = (diagnostics: readonly Diagnostic[]): void => {
      heard.push(...diagnostics.filter(({ severity }) => severity === 'error'))
      io.hear?.(diagnostics)
    }
    const code = await runCommand(run, { ...io, hear }, ...rest)
    if (heard.length === 0 || (code !== EXIT.error && code !== EXIT.refused)) return code
    const failure = { diagnostics: heard, ...(await linksIn(io)) }
    for (const { path } of reports) await writeFailure(io, path, HEADLINES[name], failure)
    return code
  }

const HEADLINES = { plan: 'The plan failed', apply: 'Nothing was applied' } as const

/** A report that cannot be written is not reported: the run has already failed and said why. */
async function writeFailure(io: Call, path: string, headline: string, failure: Failure): Promise<void> {
  const alone = failureMarkdown(await markerOf(io), `Setpoint: ${headline.toLowerCase()}`, failure)
  try {
    if (isStepSummary(io, path)) return await appendWhole(io.cwd, path, alone)
    const made = await readFile(resolve(io.cwd, path), 'utf8').catch(() => undefined)
    await writeWhole(io.cwd, path, made === undefined ? alone : withFailure(made, headline, failure), 0o644)
  } catch (error) {
    if (!(error instanceof WriteError)) throw error
  }
}

/** The files may be the reason for the failure, so this searches for two lines and parses nothing. */
async function markerOf(io: Call): Promise<string> {
  const text = await readFile(resolve(io.cwd, io.options.config ?? 'setpoint.yaml'), 'utf8').catch(() => '')
  const at = (name: string): string | undefined =>
    new RegExp(`^${name}: *["']?([A-Za-z0-9_-]{1,100})["']? *(?:#.*)?$`, 'm').exec(text)?.[1]
  const organization = io.env.SETPOINT_ORGANIZATION || at('organization')
  return organization === undefined ? ANY_MARKER : commentMarker(organization, at('owner'))
}
