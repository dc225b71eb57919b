import { type Diagnostic, type SourceRange, warning } from '../model/diagnostic.ts'
import { SETTING_NAMES, type SetSettings, settingsOf } from '../model/fields.ts'
import type { VariableSetId } from '../model/ids.ts'
import type { InventoryEntry } from '../model/inventory.ts'
import type { ObservedSet, ResolvedSet } from '../model/variable-set.ts'

/** A setting that an earlier apply sent, and that the service does not keep. */
export interface UnkeptSetting {
  readonly setId: VariableSetId
  readonly set: string
  readonly setting: keyof SetSettings
  readonly sent: string | boolean
  readonly shown: string | boolean
  readonly source?: SourceRange | undefined
}

/**
 * What the inventory remembers of a server that does not keep a setting, such as priority on OTF
 * (docs/service.md#how-otf-deviates): nobody changed it, and sending it again cannot help.
 */
export function unkeptIn(
  observed: ObservedSet,
  desired: ResolvedSet,
  entry: InventoryEntry | undefined,
): readonly UnkeptSetting[] {
  const { unkept } = entry ?? {}
  if (unkept === undefined) return []
  const wanted = settingsOf(desired)
  return SETTING_NAMES.flatMap(setting => {
    const [sent, shown] = [wanted[setting], observed[setting]]
    return setting !== 'name' && shown === unkept[setting] && sent !== shown
      ? [{ setId: observed.id, set: desired.name, setting, sent, shown, source: desired.source }]
      : []
  })
}

/** The set with these settings as they were sent, if it still shows what it showed. */
export function withKept(observed: ObservedSet, found: readonly UnkeptSetting[]): ObservedSet {
  const own = found.filter(
    ({ setId, setting, shown }) => setId === observed.id && observed[setting] === shown,
  )
  return own.length === 0
    ? observed
    : { ...observed, ...Object.fromEntries(own.map(({ setting, sent }) => [setting, sent])) }
}

export const unkeptWarning = ({ set, setting, sent, shown, source }: UnkeptSetting): Diagnostic => {
  const [was, is] = [sent, shown].map(value => JSON.stringify(value))
  return warning(
    'stored-otherwise',
    `The service does not keep "${setting}" of ${JSON.stringify(set)}: ${was} was sent, and it shows ${is}.`,
    `Write ${setting}: ${is}. Until then, each plan says so.`,
    source,
  )
}
