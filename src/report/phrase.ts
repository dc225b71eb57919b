import type { SourceRange } from '../model/diagnostic.ts'
import { categoryOf, nameOf, type VariableKey } from '../model/ids.ts'
import { grouped, type NonEmpty } from '../model/lists.ts'
import type { UpdateVariable } from '../plan/operation.ts'

/** Untrusted text inside a phrase. Its kind decides how a sink lays it out; every sink neutralises it. */
export interface Quote {
  /** `name` and `value` may be quoted; a `message` is a sentence; a `command` is for copying. */
  readonly kind: 'name' | 'value' | 'message' | 'place' | 'command'
  readonly text: string
  /** Of a place. A printer makes its address. */
  readonly source?: SourceRange
}

/** How a reader should take it. Each format has its colours. */
export type Tone = 'good' | 'bad' | 'heed' | 'quiet'

/** Our words with a tone, such as `(secret)`. */
export interface Words {
  readonly kind: 'words'
  readonly text: string
  readonly tone?: Tone
}

/** Our words are strings and stay as they are; what others wrote is a quote. */
type PhrasePart = string | Quote | Words
export type Phrase = readonly PhrasePart[]

export const words = (text: string, tone?: Tone): Words => ({ kind: 'words', text, tone })

/** Between an old and a new value. */
export const ARROW: Words = words(' -> ', 'quiet')

/** `old -> new`. The page strikes the old one, and marks the new one. */
export const became = (before: Phrase, after: Phrase): Phrase => [...before, ARROW, ...after]

export const name = (text: string): Quote => ({ kind: 'name', text })
export const value = (text: string): Quote => ({ kind: 'value', text })
/** On one line: a sentence of a server or of another program may have several. */
export const message = (text: string): Quote => ({
  kind: 'message',
  text: text
    .split(/[\r\n]+/)
    .map(line => line.trim())
    .filter(line => line !== '')
    .join(' '),
})
export const command = (text: string): Quote => ({ kind: 'command', text })
export const place = (source: SourceRange): Quote => ({
  kind: 'place',
  text: `${source.path}:${source.line}`,
  source,
})

/** The same with its column. */
export const spot = (source: SourceRange): Quote => ({
  ...place(source),
  text: `${source.path}:${source.line}:${source.column}`,
})

/** Our words with quotes and phrases between them: say`${name(set)} becomes global`. Without what is undefined or false. */
export function say(
  words: readonly string[],
  ...inside: readonly (PhrasePart | Phrase | undefined | false)[]
): Phrase {
  const parts: PhrasePart[] = []
  let ours = ''
  for (const [at, word] of words.entries()) {
    const one = inside[at] || ''
    if (typeof one === 'string') ours += word + one
    else {
      parts.push(ours + word, ...[one].flat())
      ours = ''
    }
  }
  return [...parts, ours].filter(part => part !== '')
}

/** The given ones: without what is undefined or false. */
export const present = <T>(...all: readonly (T | undefined | false)[]): T[] =>
  all.filter((one): one is T => one !== undefined && one !== false)

/** `3 workspaces`, `1,203 lines`. */
export const counted = (count: number, noun: string): string =>
  `${figure(count)} ${noun}${count === 1 ? '' : 's'}`

/** `2026-11-20 03:12Z`; other formats stay as they are. */
export const shortTime = (time: string): string =>
  time.replace(/^(\d{4}-\d{2}-\d{2})T(\d{2}:\d{2})[\d:.]*Z$/, '$1 $2Z')

/** `1,203`, for whole numbers. `Intl` takes longer to load than most reports take to write. */
export const figure = (count: number): string => String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')

export const joined = (phrases: readonly (Phrase | Quote)[], separator: string): Phrase =>
  phrases.flatMap((phrase, at) => (at === 0 ? phrase : [separator, phrase].flat()))

/** `group a`, or `groups a, b and 37 more`. */
export const groupsPhrase = (groups: readonly string[]): Phrase =>
  say`${groups.length === 1 ? 'group' : 'groups'} ${listed(groups)}`

/** `a, b and 37 more`. */
export function listed(names: readonly string[], most = 3): Phrase {
  const shown = names.length <= most + 1 ? names : names.slice(0, most)
  const rest = names.length - shown.length
  return say`${joined(shown.map(name), ', ')}${rest > 0 && ` and ${figure(rest)} more`}`
}

/** `sets/a.yaml:2, sets/b.yaml:3 and 1 more place`, each line once. */
export function placesPhrase(sources: readonly SourceRange[], most = 3): Phrase {
  const places = [...new Map(sources.map(place).map(one => [one.text, one])).values()]
  const left = places.length - most
  return say`${joined(places.slice(0, most), ', ')}${left > 0 && ` and ${counted(left, 'more place')}`}`
}

/** `env REGION`; of several, their names: `A, B and 3 more`. */
export function keysPhrase(keys: readonly VariableKey[]): Phrase {
  const [first, ...others] = keys
  if (first !== undefined && others.length === 0) return [`${categoryOf(first)} `, name(nameOf(first))]
  return listed(keys.map(nameOf))
}

/** Groups by key, in the order of their first members. Members without a key stand alone. */
export const groupedBy = <T>(all: readonly T[], keyOf: (one: T) => string | undefined): NonEmpty<T>[] => [
  ...grouped(all, one => keyOf(one) ?? {}).values(),
]

/** `SET/env/KEY`, as `--rewrite` takes it. */
export const secretPlace = ({ subject, after }: Pick<UpdateVariable, 'subject' | 'after'>): string =>
  `${subject.name}/${after.key}`

/** What to do about a plan that rules forbid: nobody can approve it. */
export const FORBIDDEN_NEXT = 'Nobody can approve this plan: change the files, or the rules.'
