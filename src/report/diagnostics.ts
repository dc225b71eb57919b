import { type Diagnostic, sortDiagnostics } from '../model/diagnostic.ts'
import { type Line, painted, proseOf, span } from './layout.ts'
import { terminalText } from './neutralise.ts'

/** `path:line:column  severity code`, below it the message and the hint; all of them, in order of place. */
export const diagnosticsText = (
  diagnostics: readonly Diagnostic[],
  { color }: { readonly color: boolean },
): string => (diagnostics.length === 0 ? '' : painted(diagnosticLines(diagnostics), color))

export const diagnosticLines = (diagnostics: readonly Diagnostic[]): Line[] =>
  sortDiagnostics(diagnostics).flatMap(({ severity, code, message, hint, source }) => {
    const place = source === undefined ? '' : `${terminalText(source.path)}:${source.line}:${source.column}  `
    return [
      [span(place, 'bold'), span(severity, severity === 'error' ? 'red' : 'yellow'), span(` ${code}`)],
      ...indented(message),
      ...(hint === undefined ? [] : indented(hint)),
    ]
  })

/** A message may have several lines; all of them stand below their place, so that none can pass for another. */
const indented = (text: string): Line[] =>
  text.split('\n').map(line => [span('  '), ...proseOf(terminalText(line))])

/** The same as workflow commands of GitHub Actions, which shows them beside the lines. The one output that is meant to be obeyed. */
export const annotations = (diagnostics: readonly Diagnostic[]): string =>
  sortDiagnostics(diagnostics)
    .map(({ severity, code, message, hint, source }) => {
      const at =
        source === undefined ? '' : `file=${property(source.path)},line=${source.line},col=${source.column},`
      const text = hint === undefined ? message : `${message}\n${hint}`
      return `::${severity} ${at}title=${property(code)}::${commandText(text)}\n`
    })
    .join('')

const commandText = (text: string): string =>
  text
    .split('\n')
    .map(line => terminalText(line).replaceAll('%', '%25'))
    .join('%0A')

const property = (text: string): string =>
  terminalText(text).replaceAll('%', '%25').replaceAll(':', '%3A').replaceAll(',', '%2C')
