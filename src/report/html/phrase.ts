import type { Phrase, Quote } from '../phrase.ts'
import { html, type Markup } from './markup.ts'

/** Words of ours as text; everything else in an element of its own, so that no name can pass for a word of ours. */
export const phraseMarkup = (phrase: Phrase): Markup =>
  html`${phrase.map(part => (typeof part === 'string' ? html`${part}` : quoteMarkup(part)))}`

function quoteMarkup({ kind, text }: Quote): Markup {
  switch (kind) {
    case 'name':
      return html`<code>${shown(text)}</code>`
    case 'value':
      return html`<code>${shown(text)}</code>`
    case 'place':
      return placeMarkup(text)
    case 'command':
      return html`<code class="command">${text}</code>`
    case 'message':
      return html`<span class="said">${text}</span>`
  }
}

export const placeMarkup = (text: string): Markup => html`<code class="place">${text}</code>`

/** An empty text would not be seen. */
const shown = (text: string): string => (text === '' ? '""' : text)
