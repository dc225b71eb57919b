/** Adds a value to the list at a key. */
export function append<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

/** What holds a key already; `undefined` if this value takes it now. */
export function holderOf<K, V>(holders: Map<K, V>, key: K, value: V): V | undefined {
  const holder = holders.get(key)
  if (holder === undefined) holders.set(key, value)
  return holder
}

export type NonEmpty<T> = [T, ...T[]]

/** The items of each key, in the order of the first ones. Not every supported Node has `Map.groupBy`. */
export function grouped<K, V>(items: Iterable<V>, keyOf: (item: V) => K): Map<K, NonEmpty<V>> {
  const lists = new Map<K, NonEmpty<V>>()
  for (const item of items) {
    const key = keyOf(item)
    const list = lists.get(key)
    if (list === undefined) lists.set(key, [item])
    else list.push(item)
  }
  return lists
}

/** The item at an index that must exist: a bug ends the run here, instead of going on with a wrong value. */
export function itemAt<T>(list: ArrayLike<T>, index: number): T {
  if (!(index in list)) throw new RangeError(`a list of ${list.length} has no item ${index}`)
  return list[index] as T
}

/** The value of a key that must exist, like `itemAt`. */
export function valueAt<K, V>(map: ReadonlyMap<K, V>, key: K): V {
  if (!map.has(key)) throw new RangeError(`a map of ${map.size} lacks a key`)
  return map.get(key) as V
}

/** The items of all lists. For many items, because `flat` and `flatMap` of Node take several times as long. */
export function flat<T>(lists: Iterable<readonly T[]>): T[] {
  const all: T[] = []
  for (const list of lists) for (const item of list) all.push(item)
  return all
}

/** `1 set`, `2 sets`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** `a, b, c, d, e and 3 more`. */
export function shortList(texts: readonly string[]): string {
  const shown = texts.slice(0, SHOWN)
  return `${shown.join(', ')}${texts.length > SHOWN ? ` and ${texts.length - SHOWN} more` : ''}`
}

const SHOWN = 5
