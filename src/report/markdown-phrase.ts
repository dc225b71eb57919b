import { codeSpan } from './neutralise.ts'
import type { Phrase, Quote } from './phrase.ts'

/** Words of ours as they are; everything else as code, where no Markdown, mention or link works. */
export const phraseMarkdown = (phrase: Phrase): string =>
  phrase.map(part => (typeof part === 'string' ? part : quoteMarkdown(part))).join('')

/** A sentence or a command is longer than a name may look. */
const LIMIT = { name: 300, value: 300, place: 300, message: 2_000, command: 2_000 } as const satisfies Record<
  Quote['kind'],
  number
>

const quoteMarkdown = ({ kind, text, href }: Quote): string =>
  linkMarkdown(codeSpan(text === '' ? '""' : text, LIMIT[kind]), href)

/** Code as a link, where it has an address. */
export const linkMarkdown = (code: string, href: string | undefined): string =>
  href === undefined ? code : `[${code}](${href})`

/** In a heading: a plain word as it is, unless a forge could read it as a commit or, as in `GH-1`, as an issue. */
export const plainOrCode = (text: string): string =>
  /^[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*$/.test(text) && text.length < 100 && !REFERENCE.test(text)
    ? text
    : codeSpan(text)

const REFERENCE = /^[0-9a-f]{7,}$|-\d+$/i
