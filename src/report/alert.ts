import type { SourceRange } from '../model/diagnostic.ts'
import type { Phrase } from './phrase.ts'

/** Something to look at before everything else. */
export interface Alert {
  readonly kind: (typeof ORDER)[number]
  readonly phrase: Phrase
  readonly source?: SourceRange
}

/** What cannot be taken back, or takes a protection away. */
export const isGrave = ({ kind }: Alert): boolean =>
  kind === 'blocked' || kind === 'readable' || kind === 'lost' || kind === 'loosened'

/** The order of the list. */
const ORDER = [
  'blocked',
  'loosened',
  'secret',
  'global',
  'priority',
  'readable',
  'gap',
  'lost',
  'drift',
] as const

export const inOrder = (alerts: readonly Alert[]): Alert[] =>
  alerts.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))

export const alert = (kind: Alert['kind'], phrase: Phrase, source: SourceRange | undefined): Alert => ({
  kind,
  phrase,
  ...(source === undefined ? {} : { source }),
})
