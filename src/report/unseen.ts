import type { EffectiveDifference, UnseenVariable } from '../plan/effective/effect.ts'
import { counted, keysPhrase, name, type Phrase } from './phrase.ts'

/** Beyond so many lines, the rest is counted. */
const MOST_LINES = 3

/** What changes and nobody sees: a line for all variables of a set to which the same happens. */
export function unseenPhrases({ unseen = [], unseenLeft = 0 }: EffectiveDifference): Phrase[] {
  const lines = linesOf(unseen)
  const more = lines.slice(MOST_LINES).reduce((sum, { keys }) => sum + keys.length, unseenLeft)
  return [
    ...lines
      .slice(0, MOST_LINES)
      .map(
        ({ set, winner, keys }): Phrase => [
          'nobody sees ',
          ...keysPhrase(keys),
          ' of ',
          name(set),
          ': wherever it comes, another set wins, such as ',
          name(winner),
        ],
      ),
    ...(more === 0 ? [] : [[`and ${counted(more, 'more variable')} that nobody sees`]]),
  ]
}

interface UnseenLine {
  readonly set: string
  readonly winner: string
  readonly keys: UnseenVariable['key'][]
}

function linesOf(unseen: readonly UnseenVariable[]): UnseenLine[] {
  const lines = new Map<string, UnseenLine>()
  for (const { set, winner, key } of unseen) {
    const same = JSON.stringify([set, winner])
    const line = lines.get(same)
    if (line === undefined) lines.set(same, { set, winner, keys: [key] })
    else line.keys.push(key)
  }
  return [...lines.values()]
}
