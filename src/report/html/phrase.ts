import type { Phrase, Quote } from '../phrase.ts'
import { html, type Markup } from './markup.ts'

/** Words of ours as text; everything else in an element of its own, so that no name can pass for a word of ours. */
export const phraseMarkup = (phrase: Phrase): Markup =>
  html`${phrase.map(part => (typeof part === 'string' ? html`${part}` : quoteMarkup(part)))}`

function quoteMarkup({ kind, text, href }: Quote): Markup {
  switch (kind) {
    case 'name':
      return html`<code>${shown(text)}</code>`
    case 'value':
      return html`<code>${shown(text)}</code>`
    case 'place':
      return placeMarkup(text, href)
    case 'command':
      return html`<code class="command">${text}</code>`
    case 'message':
      return html`<span class="said">${text}</span>`
  }
}

/** A link to the line, where the forge is known. */
export const placeMarkup = (text: string, href?: string): Markup =>
  href === undefined
    ? html`<code class="place">${text}</code>`
    : html`<a class="place" href="${href}"><code>${text}</code></a>`

/** An empty text would not be seen. */
const shown = (text: string): string => (text === '' ? '""' : text)
