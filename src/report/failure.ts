import type { Diagnostic } from '../model/diagnostic.ts'
import { diagnosticsText } from './diagnostics.ts'
import { codeBlock } from './neutralise.ts'

/** A first line that stands for the comment of any organization: the files did not say which one it is. */
export const ANY_MARKER = '<!-- setpoint:* -->'

const MOST_CHARACTERS = 50_000

/** A run that ended with errors, as a comment in the place of its report. `marker` is the first line of that. */
export const failureMarkdown = (
  marker: string,
  headline: string,
  diagnostics: readonly Diagnostic[],
): string => `${marker}\n### ${headline}\n\n${saidIn(diagnostics)}\n`

/** A report with the reason why nothing of it was done, behind its headline. */
export function withFailure(markdown: string, headline: string, diagnostics: readonly Diagnostic[]): string {
  const [top = '', ...sections] = markdown.split('\n\n')
  return [top, `**${headline}**`, saidIn(diagnostics), ...sections].join('\n\n')
}

function saidIn(diagnostics: readonly Diagnostic[]): string {
  const text = diagnosticsText(diagnostics, { color: false }).trimEnd()
  const cut = text.slice(0, MOST_CHARACTERS)
  const lines = cut.split('\n')
  return codeBlock(cut === text ? lines : [...lines.slice(0, -1), '…'], 'text')
}
