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

/** The items of each key, in the order of the first ones. Not every supported Node has `Map.groupBy`. */
export function grouped<K, V>(items: Iterable<V>, keyOf: (item: V) => K): Map<K, V[]> {
  const lists = new Map<K, V[]>()
  for (const item of items) append(lists, keyOf(item), item)
  return lists
}

/** The items of all lists. For many items, because `flat` and `flatMap` of Node take several times as long. */
export function flat<T>(lists: Iterable<readonly T[]>): T[] {
  const all: T[] = []
  for (const list of lists) for (const item of list) all.push(item)
  return all
}

/** `1 set`, `2 sets`. */
export const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** `a, b and 3 more`. `count`: the total, if not all are passed. */
export function shortList(texts: readonly string[], most: number, count = texts.length): string {
  const shown = texts.slice(0, most)
  return `${shown.join(', ')}${count > shown.length ? ` and ${count - shown.length} more` : ''}`
}

/** What `make` returns, made once and on the first call. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
