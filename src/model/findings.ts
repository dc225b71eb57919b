import { type Diagnostic, type DiagnosticCode, type SourceRange, sortDiagnostics } from './diagnostic.ts'

/** Code, message and hint of a finding whose place is known elsewhere. */
export type Wording = readonly [DiagnosticCode, string, Hint?]

/** What to do. As a function where finding it out is work, which is done for what is listed only. */
type Hint = string | (() => string | undefined) | undefined

/** What is wrong, in any order. Of one kind the first ones are listed and all are counted: a file may repeat a mistake a million times. */
export class Findings {
  /** Those that are listed. */
  readonly diagnostics: Diagnostic[] = []
  /** Of all, listed or not. */
  count = 0
  /** Warnings that the files say are meant. */
  accepted = 0
  readonly #kinds = new Map<string, number>()
  readonly #accepting = new Map<string, { readonly source: SourceRange; isUsed: boolean }>()

  /** From now on a warning of this code at `about` is counted and not listed; `source` is where the file says so. */
  accept(code: string, about: SourceRange, source: SourceRange): void {
    this.#accepting.set(placeOf(code, about), { source, isUsed: false })
  }

  /** What is accepted and was not warned of: to be asked for when everything was looked at. */
  unused(): SourceRange[] {
    return [...this.#accepting.values()].flatMap(({ source, isUsed }) => (isUsed ? [] : [source]))
  }

  error(code: DiagnosticCode, source: SourceRange | undefined, message: string, hint?: Hint): void {
    this.#add('error', code, source, message, hint)
  }

  warning(code: DiagnosticCode, source: SourceRange | undefined, message: string, hint?: Hint): void {
    const accepting = source && this.#accepting.get(placeOf(code, source))
    if (accepting === undefined) this.#add('warning', code, source, message, hint)
    else {
      accepting.isUsed = true
      this.accepted++
    }
  }

  /** In order of place, then how many more there are. */
  sorted(): Diagnostic[] {
    const more = [...this.#kinds].flatMap(([kind, count]) =>
      count > LISTED ? [others(kind, count - LISTED)] : [],
    )
    return [...sortDiagnostics(this.diagnostics), ...more]
  }

  #add(
    severity: Diagnostic['severity'],
    code: DiagnosticCode,
    source: SourceRange | undefined,
    message: string,
    hint: Hint,
  ): void {
    const kind = `${severity} ${code}`
    const found = (this.#kinds.get(kind) ?? 0) + 1
    this.#kinds.set(kind, found)
    this.count++
    if (found > LISTED) return
    const advice = typeof hint === 'function' ? hint() : hint
    this.diagnostics.push({
      severity,
      code,
      message: bounded(message),
      ...(advice === undefined ? {} : { hint: bounded(advice) }),
      ...(source === undefined ? {} : { source }),
    })
  }
}

const placeOf = (code: string, { path, line, column }: SourceRange): string =>
  `${code} ${line}:${column} ${path}`

/** Of one severity and code. */
const LISTED = 100

function others(kind: string, count: number): Diagnostic {
  const [severity, code] = kind.split(' ') as [Diagnostic['severity'], DiagnosticCode]
  return {
    severity,
    code,
    message: `There ${count === 1 ? 'is' : 'are'} ${count.toLocaleString('en-US')} more of this kind.`,
    hint: 'Correct those above, then run it again.',
  }
}

/** A name in a message may be as long as a file. */
const bounded = (text: string): string =>
  text.length <= LONGEST ? text : `${text.slice(0, LONGEST).replace(/[\ud800-\udbff]$/, '')}…`
const LONGEST = 2000
