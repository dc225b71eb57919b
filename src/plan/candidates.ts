import { ownersDiffer, type SetOwner } from '../model/fields.ts'
import { append } from '../model/lists.ts'
import { nameBeforeReplacement, REPLACED } from '../model/names.ts'
import type { ObservedSet, ObservedState, ResolvedSet } from '../model/variable-set.ts'

export const isAside = (name: string): boolean => nameBeforeReplacement(name) !== undefined

/**
 * The first temporary name that is free, for a set that one of another owner replaces: names are unique across owners
 * (docs/service.md 10.1). It sorts right after the original name, because names decide who wins within a rank
 * (docs/effective.md).
 */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  const names = [
    `${name}${REPLACED}`,
    ...[2, 3, 4, 5, 6, 7, 8, 9].map(n => `${name}${REPLACED.slice(0, -1)} ${n})`),
  ]
  return names.find(one => !isTaken(one)) ?? `${name}${REPLACED}`
}

/** Observed sets that nothing in the files has claimed yet. */
export class Candidates {
  readonly #byId: Map<string, ObservedSet>
  readonly #byName = new Map<string, ObservedSet[]>()
  readonly #aside = new Map<string, ObservedSet[]>()

  constructor({ sets }: ObservedState) {
    this.#byId = new Map(sets.map(set => [set.id, set]))
    for (const set of sets) {
      append(this.#byName, set.name, set)
      const before = nameBeforeReplacement(set.name)
      if (before !== undefined) append(this.#aside, before, set)
    }
  }

  claim(id: string): ObservedSet | undefined {
    const set = this.#byId.get(id)
    this.#byId.delete(id)
    return set
  }

  withId(id: string): ObservedSet[] {
    const set = this.#byId.get(id)
    return set === undefined ? [] : [set]
  }

  /** With `owner`, only sets of that owner. */
  named(name: string, owner?: SetOwner): ObservedSet[] {
    const all = (this.#byName.get(name) ?? []).filter(set => this.#byId.has(set.id))
    return owner === undefined ? all : all.filter(set => !ownersDiffer(set, owner))
  }

  /** The leftovers of an unfinished replacement, the set with the right owner first. */
  aside(set: ResolvedSet, names: readonly string[]): ObservedSet[] {
    const all = names.flatMap(name => this.#aside.get(name) ?? []).filter(({ id }) => this.#byId.has(id))
    return all.toSorted((a, b) => Number(ownersDiffer(a, set)) - Number(ownersDiffer(b, set)))
  }

  /** Whether any set has the name, claimed or not. */
  has(name: string): boolean {
    return this.#byName.has(name)
  }

  left(): ObservedSet[] {
    return [...this.#byId.values()]
  }
}
