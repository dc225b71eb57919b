import type { Diagnostic } from '../model/diagnostic.ts'
import { ownersDiffer, serviceNameOf } from '../model/fields.ts'
import { categoryOf, nameOf } from '../model/ids.ts'
import type { InventoryEntry } from '../model/inventory.ts'
import { formIndex, isStoredFormOf, type ShownTexts } from '../model/stored-form.ts'
import type {
  DesiredVariable,
  ObservedSet,
  ObservedVariable,
  ResolvedSet,
  Variable,
} from '../model/variable-set.ts'
import type { Pair } from './match.ts'
import { desiredDigest, holdsLastApplied } from './ownership.ts'
import { type StoredDifferently, type shownIn, withSent, wouldBeStoredAs } from './stored-text.ts'

interface Stored {
  /** What counts as the files have it. */
  readonly found: readonly StoredDifferently[]
  /** Errors for keys that would be created beside another form of themselves. */
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * The name, keys and readable values of a set that the service stores in another form than the file has them (`isStoredFormOf`). They count
 * as equal if they were sent like that: the inventory has the name and the digest of what was applied last. `always`: without
 * asking it. Otherwise a key is an error, because creating it would make a second variable.
 */
export function storedBy(
  observed: ObservedSet,
  desired: ResolvedSet,
  entry: InventoryEntry | undefined,
  shown: ReturnType<typeof shownIn>,
  always = false,
): Stored {
  const keys = keysOf(observed, desired, shown.key)
  const name = nameIn(observed, desired, shown.name)
  const isNameKnown = always || (entry !== undefined && entry.name === serviceNameOf(desired))
  const [named] = withSent([observed], isNameKnown ? [...name, ...keys] : keys)
  const values = valuesOf(named ?? observed, desired, shown.value)
  const all = [...(isNameKnown ? name : []), ...keys, ...values]
  const isKnown = always || (entry !== undefined && all.length > 0 && wasSent(observed, desired, entry, all))
  // Of a set that is listed: the file changed from one form to the other, or it was sent like that.
  const isOurs = isKnown || (entry !== undefined && !holdsLastApplied(observed, entry, desired))
  return {
    found: [...(isNameKnown ? name : []), ...(isOurs ? keys : []), ...(isKnown ? values : [])],
    diagnostics: entry !== undefined || isOurs ? [] : keys.map(one => wouldBeStoredAs(one, shown.key)),
  }
}

function nameIn(observed: ObservedSet, desired: ResolvedSet, shown: ShownTexts): StoredDifferently[] {
  const [sent, held] = [serviceNameOf(desired), observed.name]
  return isStoredFormOf(sent, held, { shown })
    ? [{ of: 'name', setId: observed.id, set: desired.name, sent, held, source: desired.source }]
    : []
}

function valuesOf(observed: ObservedSet, desired: ResolvedSet, shown: ShownTexts): StoredDifferently[] {
  const wanted = new Map(desired.variables.map(variable => [variable.key, variable]))
  return observed.variables.flatMap(({ key, value }): StoredDifferently[] => {
    const variable = wanted.get(key)
    if (variable === undefined || !('text' in value && 'text' in variable.value)) return []
    const [sent, held] = [variable.value.text, value.text]
    const { source, hcl } = variable
    return isStoredFormOf(sent, held, { shown, hcl })
      ? [{ of: 'value', setId: observed.id, set: desired.name, key, sent, held, hcl, source }]
      : []
  })
}

const keysOf = (observed: ObservedSet, desired: ResolvedSet, shown: ShownTexts): StoredDifferently[] =>
  pairedKeys(observed.variables, desired.variables, shown).map(([there, variable]) => ({
    of: 'key',
    setId: observed.id,
    set: desired.name,
    key: variable.key,
    variableId: there.id,
    sent: nameOf(variable.key),
    held: nameOf(there.key),
    source: variable.source,
  }))

/** Variables that are there under another form of their key: each has one key that was sent, and no other one. */
function pairedKeys<V extends Pick<DesiredVariable, 'key'>>(
  held: readonly ObservedVariable[],
  sent: readonly V[],
  shown?: ShownTexts,
): (readonly [ObservedVariable, V])[] {
  const there = new Set(held.map(({ key }) => key))
  const wanted = new Set(sent.map(({ key }) => key))
  const missing = sent.filter(({ key }) => !there.has(key))
  const others = missing.length === 0 ? [] : held.filter(({ key }) => !wanted.has(key))
  if (others.length === 0) return []
  const taken = new Set<ObservedVariable>()
  const formsOf = formIndex(others, ({ key }) => nameOf(key))
  return missing.flatMap(variable => {
    const one = formsOf(nameOf(variable.key)).find(
      other =>
        !taken.has(other) &&
        categoryOf(other.key) === categoryOf(variable.key) &&
        isStoredFormOf(nameOf(variable.key), nameOf(other.key), { shown }),
    )
    if (one === undefined) return []
    taken.add(one)
    return [[one, variable] as const]
  })
}

/** A set that an id identifies, with its name and keys as they were sent: the service may show them in another form. */
export function asSent(
  set: ObservedSet,
  {
    name,
    variables,
  }: { readonly name?: string; readonly variables: readonly Pick<Variable<never>, 'key'>[] },
): ObservedSet {
  const keys = new Map(pairedKeys(set.variables, variables).map(([{ id }, { key }]) => [id, key]))
  if (keys.size === 0 && (name === undefined || name === set.name)) return set
  return {
    ...set,
    name: name ?? set.name,
    variables: set.variables.map(one => ({ ...one, key: keys.get(one.id) ?? one.key })),
  }
}

/** Declared sets that would be created beside a set as which the service may store them. Names that a file declares belong to their own sets. */
export function storedAsOther(
  pairs: readonly Pair[],
  untouched: readonly ObservedSet[],
  declared: ReadonlySet<string>,
  shown: ShownTexts,
): Diagnostic[] {
  const formsOf = formIndex(
    untouched.filter(({ name }) => !declared.has(name)),
    ({ name }) => name,
  )
  return pairs.flatMap(({ desired, observed }) => {
    if (observed !== undefined || desired.id !== undefined) return []
    for (const sent of [serviceNameOf(desired), ...desired.previousNames]) {
      const other = formsOf(sent).find(
        set => !ownersDiffer(set, desired) && isStoredFormOf(sent, set.name, { shown }),
      )
      if (other === undefined) continue
      const { name: set, source } = desired
      return [wouldBeStoredAs({ of: 'name', set, sent, held: other.name, source }, shown)]
    }
    return []
  })
}

/** The files are as they were applied, or the service is, but for these texts. */
function wasSent(
  observed: ObservedSet,
  desired: ResolvedSet,
  entry: InventoryEntry,
  found: readonly StoredDifferently[],
): boolean {
  if (entry.damaged) return false
  return (
    entry.digest === desiredDigest(desired) ||
    withSent([observed], found).some(set => holdsLastApplied(set, entry, desired))
  )
}
