import { SETTING_NAMES } from '../model/fields.ts'
import { isVariableKey, wordOfId } from '../model/ids.ts'
import type { NamedDrift, Plan } from '../plan/plan-data.ts'
import { counted, figure, joined, keysPhrase, name, type Phrase, say } from './phrase.ts'
import type { Total } from './totals.ts'

/** Sets with a line of their own, and items on it. `--verbose` and JSON have all. */
const MOST_SETS = 10
const MOST_ITEMS = 4

type Drifting = Pick<Plan, 'onlyThisChange' | 'names'>

/** What a plan of one change leaves as it is: a line for each set. */
export function driftLines({ onlyThisChange: { drift } = NOTHING, names }: Drifting): Total[] {
  const lines = drift.map((one, at): Total => {
    const total = { label: LABEL, phrase: phraseOf(one, names, MOST_ITEMS) }
    const whole = one.items.length > MOST_ITEMS ? { whole: phraseOf(one, names, one.items.length) } : {}
    return { ...total, ...whole, ...(at < MOST_SETS ? {} : { usual: true }) }
  })
  const more = drift.length - MOST_SETS
  const rest = { label: LABEL, phrase: [`in ${counted(more, 'more set')}, not reverted`] }
  return more > 0 ? lines.toSpliced(MOST_SETS, 0, rest) : lines
}

const NOTHING = { drift: [] }

/** The same, where a reader has to see that it is the plan of one change. */
export const driftOrNone = (plan: Drifting): Total[] =>
  plan.onlyThisChange?.drift.length === 0
    ? [{ label: LABEL, phrase: ['none; this is the plan of this change alone'] }]
    : driftLines(plan)

const LABEL = 'Drift'

function phraseOf({ set, what, items }: NamedDrift, names: Plan['names'], most: number): Phrase {
  switch (what) {
    case 'missing':
      return say`${name(set)} is not in the service, and not created`
    case 'remains':
      return say`${name(set)} is still in the service, and not deleted`
    case 'differs': {
      const more = items.length - most
      const shown = joined(
        items.slice(0, most).map(item => itemPhrase(item, names)),
        ', ',
      )
      return say`${name(set)} ${shown}${more > 0 && ` and ${figure(more)} more`}, not reverted`
    }
  }
}

/** `env LOG_LEVEL`, `workspace web`, `description`. */
function itemPhrase(item: string, names: Plan['names']): Phrase {
  if (isVariableKey(item)) return keysPhrase([item])
  return isSetting(item) ? [item] : say`${wordOfId(item)} ${name(names[item] ?? item)}`
}

const isSetting = (item: string): boolean => SETTING_NAMES.some(one => one === item)
