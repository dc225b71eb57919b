import type { DiagnosticCode } from './codes.ts'
import { type Diagnostic, type SourceRange, sortDiagnostics } from './diagnostic.ts'

/** Code, message and hint of a finding; the caller knows its place. */
export type Wording = readonly [code: DiagnosticCode, message: string, hint: Hint]

/** What to do. A function is only called for findings that are listed. */
type Hint = string | (() => string | undefined) | undefined

/** The findings of one severity and code. */
interface Kind {
  readonly severity: Diagnostic['severity']
  readonly code: DiagnosticCode
  found: number
}

/** Collects diagnostics in any order. Of each kind it lists the first ones and counts all: a file may repeat a mistake a million times. */
export class Findings {
  readonly diagnostics: Diagnostic[] = []
  /** Number of all findings, listed or not. */
  count = 0
  /** Number of findings that the files accept. */
  accepted = 0
  readonly #kinds = new Map<string, Kind>()
  readonly #accepting = new Set<string>()

  /** From now on, count a warning of this code at `about`, or an error that is a guess, and do not list it. */
  accept(code: string, about: SourceRange): void {
    this.#accepting.add(placeOf(code, about))
  }

  error(code: DiagnosticCode, message: string, hint?: Hint, source?: SourceRange): void {
    this.#add('error', code, message, hint, source)
  }

  warning(code: DiagnosticCode, message: string, hint?: Hint, source?: SourceRange): void {
    this.#add('warning', code, message, hint, source)
  }

  /** All diagnostics by place, then how many more there are. */
  sorted(): Diagnostic[] {
    const more = [...this.#kinds.values()].filter(({ found }) => found > LISTED)
    return [...sortDiagnostics(this.diagnostics), ...more.map(others)]
  }

  #kind(severity: Diagnostic['severity'], code: DiagnosticCode): Kind {
    const key = `${severity} ${code}`
    const kind = this.#kinds.get(key) ?? { severity, code, found: 0 }
    this.#kinds.set(key, kind)
    return kind
  }

  #add(
    severity: Diagnostic['severity'],
    code: DiagnosticCode,
    message: string,
    hint: Hint,
    source: SourceRange | undefined,
  ): void {
    if (source !== undefined && (severity === 'warning' || GUESSES.has(code)))
      if (this.#accepting.has(placeOf(code, source))) {
        this.accepted++
        return
      }
    const kind = this.#kind(severity, code)
    kind.found++
    this.count++
    if (kind.found > LISTED) return
    const advice = typeof hint === 'function' ? hint() : hint
    this.diagnostics.push({
      severity,
      code,
      message: bounded(message),
      hint: advice === undefined ? undefined : bounded(advice),
      source,
    })
  }
}

/** What a set or a variable of the files accepts, and its place. */
interface Accepting {
  readonly accept?: readonly string[]
  readonly source: SourceRange
}

/** Without the warnings that a set or a variable accepts at its line. An error stays, and so does what has another place. */
export function withoutAccepted(
  diagnostics: readonly Diagnostic[],
  sets: readonly (Accepting & { readonly variables: readonly Accepting[] })[],
): Diagnostic[] {
  const accepted = new Set(
    sets
      .flatMap(set => [set, ...set.variables])
      .flatMap(({ accept = [], source }) => accept.map(code => placeOf(code, source))),
  )
  return diagnostics.filter(
    ({ severity, code, source }) =>
      severity === 'error' || source === undefined || !accepted.has(placeOf(code, source)),
  )
}

const placeOf = (code: string, { path, line, column }: SourceRange): string =>
  `${code} ${line}:${column} ${path}`

/** Errors that may be wrong about what is meant, so that a file can accept them. */
const GUESSES: ReadonlySet<DiagnosticCode> = new Set(['looks-like-a-secret'])

/** Findings of one severity and code that are listed at most. */
const LISTED = 100

function others({ severity, code, found }: Kind): Diagnostic {
  const count = found - LISTED
  return {
    severity,
    code,
    message: `There ${count === 1 ? 'is' : 'are'} ${count.toLocaleString('en-US')} more of this kind.`,
    hint: 'Correct these, then run the command again.',
  }
}

/** A name in a message may be as long as a file. */
const bounded = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, '')}…`
const LONGEST = 2000
