import { compareText, startOf } from '../model/diagnostic.ts'
import { NO_DETAILS, NO_FIELDS, type SetSettings, serviceNameOf } from '../model/fields.ts'
import type { VariableKey, VariableSetId } from '../model/ids.ts'
import {
  type EntryContent,
  entryText,
  type InventoryEntry,
  type SecretRecord,
  type Unkept,
} from '../model/inventory.ts'
import { INVENTORY_PREFIX } from '../model/names.ts'
import {
  type DesiredVariable,
  type ObservedState,
  type ObservedVariable,
  partlyKnown,
  type ResolvedSet,
  type Variable,
} from '../model/variable-set.ts'
import { setFinder, variablesSent } from '../plan/items.ts'
import { declaredIn, type Pair } from '../plan/match.ts'
import type { Matched } from '../plan/match-states.ts'
import { digestToRecord, entryOf, externalState, staleEntries } from '../plan/ownership.ts'
import { type FingerprintOf, keyOfSecret } from '../plan/secret-states.ts'
import type { StepResult, WriteProofs } from './outcome.ts'

/** An entry as the variable that stores it. */
export type InventoryText = Variable<{ readonly text: string }>

interface RecordOptions {
  readonly fingerprintOf: FingerprintOf
  /** The results before anything was read: only they tell which secrets were sent. */
  readonly sent: readonly StepResult[]
  /** The service as it is now. */
  readonly shown: Pick<ObservedState, 'sets' | 'inventories'>
}

/** The maximum length of a value in the known real service (docs/service.md 11.2). */
const LARGEST_VALUE = 262_144

/**
 * The inventories as ordinary sets, as they are and as they are to be: with the entries of the sets whose steps all succeeded, and
 * of those that needed none; and without the entries of sets that are gone, entries that are listed twice, and those of other
 * owners for sets that ours list instead. A set with a failed or unknown step keeps its entry, so that the next run sees the same
 * difference. Without an owner, there are none.
 */
export function inventoriesAfter(
  { match, ownership }: Matched,
  results: readonly StepResult[],
  answers: WriteProofs,
  { fingerprintOf, sent, shown }: RecordOptions,
): readonly Pair[] {
  const { owner } = ownership
  if (owner === undefined) return []
  const { inventories = [] } = shown
  const done = { ...doneSets(results, answers, shown), sent: sentVariables(sent, answers) }
  const texts = new Map<VariableKey, DesiredVariable>()
  const gone = new Set(
    staleEntries(match, ownership).flatMap(entry => (done.kept.has(entry.setId) ? [] : [entry.variableId])),
  )
  for (const pair of match.pairs) {
    const { name } = pair.desired
    const setId = pair.observed?.id ?? done.ids.get(name)
    const digest = digestToRecord(pair)
    if (setId === undefined || digest === undefined || done.broken.has(name)) continue
    const entry = entryOf(pair, ownership)
    const from = entry === undefined ? ownership.otherOwnerOf(setId) : entry.from
    const recorded = pair.observed && ownership.recordedOf(pair.observed)
    const isUnkept = match.unkept?.some(one => one.setId === setId) === true
    const unkept = done.unkept.get(name) ?? (isUnkept ? recorded?.unkept : undefined)
    const entryNow = { entry: recorded, from, digest, unkept }
    const content = contentOf(pair, setId, entryNow, done, fingerprintOf)
    if (entry === undefined || entry.damaged || proofOf(entry) !== proofOf(content)) {
      const key = keyOf({ setId })
      texts.set(key, { key, value: { text: textOf(content) }, ...NO_FIELDS, source: NOWHERE })
    }
    if (entry === undefined) for (const other of ownership.entriesOfOthers(setId)) gone.add(other.variableId)
  }
  const own = inventories.filter(inventory => inventory.owner === owner)
  const listed = new Set(own.flatMap(({ entries }) => entries.map(keyOf)))
  const added = [...texts.values()].filter(({ key }) => !listed.has(key))
  const pairs = inventories.map(({ owner: theirs, id, entries }): Pair => {
    const live = entries.map(asVariable)
    const staying = live.filter(one => !gone.has(one.id)).map(one => ({ ...one, source: NOWHERE }))
    const variables =
      theirs === owner
        ? [...staying.map(one => texts.get(one.key) ?? one), ...(id === own[0]?.id ? added : [])]
        : staying
    return {
      desired: inventoryOf(theirs, variables),
      observed: partlyKnown({ ...settingsOfInventory(theirs), id, variables: live }),
    }
  })
  return own.length === 0 && added.length > 0 ? [...pairs, { desired: inventoryOf(owner, added) }] : pairs
}

const settingsOfInventory = (owner: string): SetSettings => ({
  ...NO_DETAILS,
  name: `${INVENTORY_PREFIX}${owner}`,
  description: 'What Setpoint manages for this owner. Written by it; assigned to nothing.',
})

/** Sorted, so that equal runs send equal requests. */
const inventoryOf = (owner: string, variables: readonly DesiredVariable[]): ResolvedSet => ({
  ...settingsOfInventory(owner),
  variables: variables.toSorted((a, b) => compareText(a.key, b.key)),
  previousNames: [],
  source: NOWHERE,
})

/** No file declares an inventory. */
const NOWHERE = startOf('')

const keyOf = ({ setId }: Pick<InventoryEntry, 'setId'>): VariableKey => `terraform/${setId}`

const asVariable = (entry: InventoryEntry) => ({
  id: entry.variableId,
  key: keyOf(entry),
  value: { text: entryText(entry) },
  ...NO_FIELDS,
})

/** What the results mean for each set, by its name. */
interface DoneSets {
  /** A step of it did not succeed, for another reason than a setting that the service does not keep. */
  readonly broken: ReadonlySet<string>
  readonly ids: ReadonlyMap<string, VariableSetId>
  /** Sets that were to be deleted and are still there. */
  readonly kept: ReadonlySet<VariableSetId>
  readonly unkept: ReadonlyMap<string, Unkept>
  readonly sent: SentVariables
}

/** By set and key; with the variable in the response to its write, on services that show it. */
type SentVariables = ReadonlyMap<string, ObservedVariable | undefined>

/** The variables that succeeded steps have sent. */
export function sentVariables(results: readonly StepResult[], answers: WriteProofs): SentVariables {
  const sent = new Map<string, ObservedVariable | undefined>()
  for (const { step, outcome } of results) {
    if (outcome.status !== 'succeeded') continue
    const answered = new Map(
      answers
        .get(step.id)
        ?.variables.toReversed()
        .map(variable => [variable.key, variable]),
    )
    for (const { key } of variablesSent(step.operation))
      sent.set(keyOfSecret(step.operation.subject.name, key), answered.get(key))
  }
  return sent
}

function doneSets(
  results: readonly StepResult[],
  answers: WriteProofs,
  shown: Pick<ObservedState, 'sets'>,
): Omit<DoneSets, 'sent'> {
  const setOf = setFinder(shown)
  const broken = new Set<string>()
  const ids = new Map<string, VariableSetId>()
  const kept = new Set<VariableSetId>()
  const unkept = new Map<string, Unkept>()
  for (const { step, outcome, unkept: lost } of results) {
    const { operation } = step
    const { name } = operation.subject
    const succeeded = outcome.status === 'succeeded'
    if (lost !== undefined) unkept.set(name, { ...unkept.get(name), ...lost })
    else if (!succeeded) broken.add(name)
    if (operation.type === 'delete-set' && !succeeded) kept.add(operation.subject.id)
    // A creation without a response succeeded because a read shows the set.
    const id =
      answers.get(step.id)?.setId ?? (operation.type === 'create-set' ? setOf(operation)?.id : undefined)
    if (id !== undefined) ids.set(name, id)
  }
  return { broken, ids, kept, unkept }
}

/**
 * What an entry proves. Names and external variables are recorded with it and never by themselves: an upgrade from 0.2 writes nothing, and
 * a variable that somebody set does not.
 */
const proofOf = (entry: EntryContent): string => entryText({ ...entry, name: undefined, external: undefined })

/** Of an entry that is too long, secrets go first: the set is still managed, and its secrets are reported as not verified. */
function textOf(content: EntryContent): string {
  const shorter = { ...content, secrets: {} }
  const texts = [content, shorter, { ...shorter, external: undefined }].map(entryText)
  return texts.find(text => text.length <= LARGEST_VALUE) ?? ''
}

function contentOf(
  pair: Pair,
  setId: VariableSetId,
  {
    entry,
    from,
    digest,
    unkept,
  }: {
    readonly entry: InventoryEntry | undefined
    readonly from: string | undefined
    readonly digest: string
    readonly unkept: Unkept | undefined
  },
  done: DoneSets,
  fingerprintOf: FingerprintOf,
): EntryContent {
  const { desired, observed } = pair
  const declared = declaredIn(pair)
  const { name, parent, variables } = declared
  const written = new Set(desired.variables.flatMap(({ key, value }) => ('secret' in value ? [key] : [])))
  const records = <T>(of: (variable: DesiredVariable) => T | undefined): Record<VariableKey, T> =>
    Object.fromEntries(
      variables.flatMap(variable => {
        const record = of(variable)
        return record === undefined ? [] : [[variable.key, record]]
      }),
    )
  return {
    digest,
    name: serviceNameOf(declared),
    external: records(variable => externalState(variable, observed)),
    secrets: records(variable =>
      // A secret that is left as it is keeps its record.
      pair.left === undefined || written.has(variable.key)
        ? recordOf(variable, { name, setId, observed, digest }, entry, done, fingerprintOf)
        : entry?.secrets[variable.key],
    ),
    unkept,
    from,
    parent,
  }
}

/**
 * A version belongs to a value: it is recorded when the value was sent. A secret that was not keeps its record, and of a secret
 * without one only the name is recorded.
 */
function recordOf(
  { key, value }: DesiredVariable,
  {
    name,
    setId,
    observed,
    digest,
  }: Pick<ResolvedSet, 'name'> & Pick<Pair, 'observed'> & { setId: VariableSetId; digest: string },
  entry: InventoryEntry | undefined,
  done: DoneSets,
  fingerprintOf: FingerprintOf,
): SecretRecord | undefined {
  if (!('secret' in value)) return undefined
  const ref = value.secret
  const reference = { name: ref.name, version: ref.version }
  const place = keyOfSecret(name, key)
  const versionId = done.sent.get(place)?.versionId
  // A version that stayed the same shows that nothing was written, whatever the service reported.
  const isWritten =
    versionId === undefined || !observed?.variables.some(variable => variable.versionId === versionId)
  if (done.sent.has(place) && isWritten)
    return {
      ...reference,
      fingerprint: fingerprintOf({ setId, key, ref }),
      versionId,
      value: versionId === undefined ? 'sent' : undefined,
    }
  const record = entry?.secrets[key]
  // An entry of these files without the record was too long for it.
  if (record === undefined && entry?.digest === digest) return undefined
  return record ?? { name: ref.name }
}

/** Whether the inventories of an owner contain all of these entries as they were written. */
export function showsEntries(
  { inventories = [] }: Pick<ObservedState, 'inventories'>,
  ours: string | undefined,
  written: readonly InventoryText[],
): boolean {
  if (written.length === 0) return true
  const shown = new Set(
    inventories.flatMap(({ owner, entries }) =>
      owner === ours ? entries.map(entry => `terraform/${entry.setId} ${entryText(entry)}`) : [],
    ),
  )
  return written.every(({ key, value }) => shown.has(`${key} ${value.text}`))
}
