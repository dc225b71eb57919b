import type { LinkOf } from '../doc.ts'
import { terminalText } from '../neutralise.ts'
import { ARROW, type Phrase, type Quote } from '../phrase.ts'

/** A complete piece of HTML. Only `html` makes one, so every text inside is escaped. */
export class Markup {
  readonly #text: string

  constructor(parts: readonly string[]) {
    this.#text = parts.join('')
  }

  toString(): string {
    return this.#text
  }
}

type Inside = string | number | Markup | readonly Markup[] | undefined | false

/** HTML with untrusted text between our words. The text becomes text or a quoted attribute, never an element. */
export function html(words: readonly string[], ...inside: readonly Inside[]): Markup {
  return new Markup(words.flatMap((word, at) => [word, at < inside.length ? markupOf(inside[at]) : '']))
}

function markupOf(inside: Inside): string {
  if (inside === undefined || inside === false) return ''
  if (typeof inside === 'string') return htmlText(inside)
  if (typeof inside === 'number') return String(inside)
  return inside instanceof Markup ? inside.toString() : inside.map(String).join('')
}

/**
 * A text for an element or a quoted attribute. Names invisible characters, as on a terminal: the page may be printed to a
 * log, and a character that reverses the writing direction does so in a browser too.
 */
export const htmlText = (text: string): string =>
  terminalText(text).replace(/[&<>"'`]/g, character => `&#${character.charCodeAt(0)};`)

/** Only for our own style sheet and script, whose hashes are in the policy of the page. */
export const ours = (text: string): Markup => new Markup([text])

/**
 * Our words as text; every quote in an element of its own, so that no name looks like our words. Of a value that becomes another one, the old
 * one is struck.
 */
export const phraseMarkup = (phrase: Phrase, link?: LinkOf): Markup =>
  html`${phrase.map((part, at) => {
    const shown = partMarkup(part, link)
    if (isArrow(part)) return html` <span class="arrow">-&gt; </span>`
    if (isArrow(phrase[at + 1])) return html`<del>${shown}</del>`
    return isArrow(phrase[at - 1]) ? html`<ins>${shown}</ins>` : shown
  })}`

const isArrow = (part: Phrase[number] | undefined): boolean =>
  typeof part === 'object' && part.kind === 'words' && part.text === ARROW.text

function partMarkup(part: Phrase[number], link: LinkOf | undefined): Markup {
  if (typeof part === 'string') return html`${part}`
  if (part.kind !== 'words') return quoteMarkup(part, link)
  return part.tone === undefined ? html`${part.text}` : html`<span class="${part.tone}">${part.text}</span>`
}

function quoteMarkup({ kind, text, source }: Quote, link: LinkOf | undefined): Markup {
  const href = source && link?.(source)
  switch (kind) {
    case 'name':
    case 'value':
      // An empty text would be invisible.
      return html`<code>${text === '' ? '""' : text}</code>`
    case 'place':
      return href === undefined
        ? html`<code class="place">${text}</code>`
        : html`<a class="place" href="${href}"><code>${text}</code></a>`
    case 'command':
      return html`<code class="command">${text}</code>`
    case 'message':
      return html`<span class="message">${text}</span>`
  }
}
