import { fieldsOf, ownerOf, settingsOf } from '../model/fields.ts'
import { listIn, listsOf, TARGET_KINDS, type TargetKind } from '../model/ids.ts'
import type { InventoryEntry } from '../model/inventory.ts'
import type { DesiredValue, ObservedSet, ObservedVariable, Variable } from '../model/variable-set.ts'
import { digestOfContents } from './desired-digest.ts'

/**
 * Whether the service still holds what was last applied, as far as it shows it: the digest in the inventory is made again
 * from what is there. `false` means that it cannot be told, for a file may write the same thing in several ways.
 */
export function holdsLastApplied(observed: ObservedSet, entry: InventoryEntry): boolean {
  if (entry.damaged) return false
  const variables = observed.variables.map(one => asApplied(one, entry))
  return selections(TARGET_KINDS.filter(kind => observed[kind] !== undefined)).some(managed => {
    const lists = listsOf(kind => (managed.includes(kind) ? listIn(observed, kind) : undefined))
    return (
      digestOfContents({ ...settingsOf(observed), ...ownerOf(observed), variables, ...lists }) ===
      entry.digest
    )
  })
}

/** Every choice of what the files may manage. */
const selections = (kinds: readonly TargetKind[]): readonly (readonly TargetKind[])[] =>
  kinds.reduce<readonly (readonly TargetKind[])[]>(
    (choices, kind) => choices.flatMap(chosen => [[...chosen, kind], chosen]),
    [[]],
  )

/** A sensitive variable is the reference that was written, or one whose value was left to the service. */
function asApplied(variable: ObservedVariable, { secrets }: InventoryEntry): Variable<DesiredValue> {
  const { key, value } = variable
  return { key, value: 'text' in value ? value : referenceOf(secrets[key]), ...fieldsOf(variable) }
}

const referenceOf = (record: InventoryEntry['secrets'][`env/${string}`]): DesiredValue =>
  record === undefined
    ? { external: true }
    : { secret: { name: record.name, ...(record.version === undefined ? {} : { version: record.version }) } }
