const NOTHING: ReadonlySet<string> = new Set()

/** One key, many members, in the order in which they came. */
export class Multimap {
  readonly #members = new Map<string, Set<string>>()

  add(key: string, member: string): void {
    const members = this.#members.get(key)
    if (members === undefined) this.#members.set(key, new Set([member]))
    else members.add(member)
  }

  remove(key: string, member: string): void {
    const members = this.#members.get(key)
    if (members === undefined) return
    members.delete(member)
    if (members.size === 0) this.#members.delete(key)
  }

  of(key: string): ReadonlySet<string> {
    return this.#members.get(key) ?? NOTHING
  }

  clear(): void {
    this.#members.clear()
  }
}

/** A key of two parts, such as an organization and a name in it. The line break keeps any two pairs apart. */
export const within = (whole: string, part: string) => `${whole}\n${part}`
