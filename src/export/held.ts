import { readSetText } from '../config/read-text.ts'
import { resolvedYaml } from '../config/write.ts'
import { compareText } from '../model/diagnostic.ts'
import { fieldsOf, settingsOf } from '../model/fields.ts'
import { TARGET_KINDS } from '../model/ids.ts'
import { toCompactJson } from '../model/json.ts'
import type { DesiredSet, TargetRef } from '../model/variable-set.ts'

/**
 * Why a file cannot hold a set, or `undefined` where it can: it is written, read back by the loader's own parts, and
 * compared. So whatever a service holds, what an export says of it is true.
 */
export function whyNotHeld(set: DesiredSet): string | undefined {
  const { value, diagnostics } = readSetText('export.yaml', resolvedYaml({ sets: [set], removed: [] }))
  const error = diagnostics.find(({ severity }) => severity === 'error')
  // Lines of a file that was never there are no help.
  if (error !== undefined) return error.message.replace(/ the key on line \d+/, ' another key')
  const [read] = value?.sets ?? []
  return read !== undefined && meaning(read) === meaning(set)
    ? undefined
    : 'it would not be read back as it is'
}

/** A set without its places. */
const meaning = (set: DesiredSet): string =>
  toCompactJson({
    settings: [settingsOf(set), set.id, set.previousNames],
    variables: set.variables
      .map(variable => toCompactJson([variable.key, variable.value, fieldsOf(variable)]))
      .toSorted(compareText),
    project: set.project && written(set.project),
    targets: TARGET_KINDS.map(kind => set[kind]?.map(written)),
  })

const written = (target: TargetRef<string>): string =>
  'id' in target ? `id ${target.id}` : `name ${target.name}`
