import type { SourceRange } from '../model/diagnostic.ts'
import type { Phrase, Tone } from './phrase.ts'

/**
 * Everything that Setpoint prints for people is a headline and sections of rows. Who knows plans makes rows; who prints knows rows and no
 * plans, so a fact of one report never becomes a member here.
 */
export interface Doc {
  /** `plan`, `apply`, `explain`. */
  readonly command: string
  /** Text shows twelve digits, Markdown and the page all. */
  readonly digest?: string
  /** Of what and where: `acme`, `app.terraform.io`, `owner platform`, `3 reads`. The first also stands in headings. */
  readonly about: readonly Phrase[]
  /** The result in one line. */
  readonly headline: Phrase
  readonly tone?: Tone
  readonly sections: readonly Section[]
  /** For nobody: no comment is created. */
  readonly isQuiet?: boolean
  /** The reports that it sums up. */
  readonly parts?: readonly Doc[]
}

/**
 * - `calls`: what a person must see first. A callout, a box, a bold title.
 * - `changes`: rows with signs. Markdown shows a table of the rows if there are columns, and one `diff` block of what is below; the page cards.
 * - `list`: points.
 * - `lines`: sentences, with the mark as their label.
 */
export interface Section {
  readonly title?: Title
  readonly form: 'calls' | 'changes' | 'list' | 'lines'
  /** Headings of the cells, where a format has tables. Those of a `list` may be many: the page turns them. */
  readonly columns?: readonly (string | Phrase)[]
  readonly rows: readonly Row[]
  /** Text shows it with `--verbose`; a comment and the page to open. */
  readonly folded?: boolean
}

export interface Row {
  /** `+`, `~`, `-`, or a word such as `lost`, `failed`, `warning`. */
  readonly mark?: string
  /** By default that of the sign. */
  readonly tone?: Tone
  /** Aligned among siblings. */
  readonly cells: readonly Phrase[]
  /** Printed at the end: text as `path:line`, Markdown and the page as a link. Text shows none among calls. */
  readonly source?: SourceRange
  readonly rows?: readonly Row[]
  /** Its rows: as a folded section, and in no comment. */
  readonly folded?: boolean
}

/** Our words and figures only, by its type: it stands in HTML. Made by the tag `title`. */
export interface Title {
  readonly words: TemplateStringsArray
  readonly figures: readonly number[]
}

/** title`Values of ${3} sets`. */
export const title = (words: TemplateStringsArray, ...figures: readonly number[]): Title => ({
  words,
  figures,
})

/** The address of a place, if it has one. */
export type LinkOf = (source: SourceRange) => string | undefined
