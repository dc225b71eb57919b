import type { SourceRange } from '../model/diagnostic.ts'
import type { Phrase } from './phrase.ts'

/** Something to look at before everything else. The order of the kinds is the order of the list. */
export interface Alert {
  readonly kind:
    | 'blocked'
    | 'secret'
    | 'global'
    | 'priority'
    | 'readable'
    | 'gap'
    | 'lost'
    | 'loosened'
    | 'drift'
  readonly phrase: Phrase
  readonly source?: SourceRange
}

export const alert = (kind: Alert['kind'], phrase: Phrase, source: SourceRange | undefined): Alert => ({
  kind,
  phrase,
  ...(source === undefined ? {} : { source }),
})
