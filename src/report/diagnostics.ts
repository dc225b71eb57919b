import { type Diagnostic, hasErrors, sortDiagnostics } from '../model/diagnostic.ts'
import { plural } from '../model/lists.ts'
import type { DesiredState } from '../model/variable-set.ts'
import type { Row } from './doc.ts'
import { type Line, painted, span } from './layout.ts'
import { terminalText } from './neutralise.ts'
import { type Phrase, present, spot } from './phrase.ts'

/** `path:line:column  severity code`, then the message and the hint; all diagnostics, by place. */
export const diagnosticsText = (
  diagnostics: readonly Diagnostic[],
  { color }: { readonly color: boolean },
): string => (diagnostics.length === 0 ? '' : painted(diagnosticLines(diagnostics), color))

export const diagnosticLines = (diagnostics: readonly Diagnostic[]): Line[] =>
  sortDiagnostics(diagnostics).flatMap(({ severity, code, message: text, hint, source }) => {
    const place = source === undefined ? '' : `${terminalText(source.path)}:${source.line}:${source.column}  `
    return [
      [span(place, 'bold'), span(severity, severity === 'error' ? 'red' : 'yellow'), span(` ${code}`)],
      ...indented(text),
      ...(hint === undefined ? [] : indented(hint)),
    ]
  })

/** A diagnostic in a report: its place and code, and below them the lines of its message and its hint. */
export const diagnosticRow = ({ severity, code, message: text, hint, source }: Diagnostic): Row => ({
  mark: severity,
  tone: severity === 'error' ? 'bad' : 'heed',
  cells: present<Phrase>(source && [spot(source)], [code]),
  rows: present(text, hint)
    .flatMap(one => one.split('\n'))
    .map(line => ({ cells: [[{ kind: 'message' as const, text: line }]] })),
})

/** All lines of a message are indented, so that none looks like another diagnostic. */
const indented = (text: string): Line[] =>
  text.split('\n').map(line => [span('  '), span(terminalText(line))])

/** Diagnostics as workflow commands, which GitHub shows beside the lines. The only output that a runner should obey. */
export const annotations = (diagnostics: readonly Diagnostic[]): string =>
  sortDiagnostics(diagnostics)
    .map(({ severity, code, message: said, hint, source }) => {
      const at =
        source === undefined ? '' : `file=${property(source.path)},line=${source.line},col=${source.column},`
      const text = hint === undefined ? said : `${said}\n${hint}`
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

/** Version of `schemas/parts/validation.json`: new members raise the second number, breaking changes the first. */
const VALIDATION_FORMAT = '1.0'

/** What `validate` found. The counts are there if the files are valid. */
export interface Validation {
  readonly format: string
  readonly kind: 'validation'
  readonly valid: boolean
  readonly organization?: string
  readonly sets?: number
  readonly variables?: number
  readonly files?: number
  /** Warnings that the files accept. */
  readonly accepted?: number
  readonly diagnostics: readonly Diagnostic[]
}

export const validationOf = (
  state: Pick<DesiredState, 'organization' | 'sets' | 'files'> | undefined,
  diagnostics: readonly Diagnostic[],
  accepted = 0,
): Validation => ({
  format: VALIDATION_FORMAT,
  kind: 'validation',
  valid: state !== undefined && !hasErrors(diagnostics),
  ...(state === undefined
    ? {}
    : {
        organization: state.organization,
        sets: state.sets.length,
        variables: state.sets.reduce((sum, set) => sum + set.variables.length, 0),
        files: state.files,
        accepted,
      }),
  diagnostics,
})

/** One line for valid files. */
export const validationText = ({ sets = 0, variables = 0, files = 0, accepted = 0 }: Validation): string =>
  `Valid: ${plural(sets, 'set')}, ${plural(variables, 'variable')} in ${plural(files, 'file')}.${accepted === 0 ? '' : ` ${plural(accepted, 'warning')} accepted.`}\n`
