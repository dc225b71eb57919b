import { compareText, type SourceRange } from '../model/diagnostic.ts'
import type { VariableKey } from '../model/ids.ts'
import { matchesAny } from '../model/names.ts'
import type { DesiredState } from '../model/variable-set.ts'

/** One place that a secret is sent to. */
export interface Use {
  readonly set: string
  readonly key: VariableKey
  readonly source: SourceRange
  readonly allowEmpty: boolean
}

/** A secret that the files name. `uses` is in order of the sets. */
export interface WantedSecret {
  readonly name: string
  readonly uses: readonly Use[]
}

/** Every secret of the sets that `only` matches (none: of all), sorted by name. */
export function wantedSecrets(
  { sets }: Pick<DesiredState, 'sets'>,
  only: readonly string[],
): readonly WantedSecret[] {
  const uses = new Map<string, Use[]>()
  for (const set of sets) {
    if (only.length > 0 && !matchesAny(only, set.name)) continue
    for (const { key, value, source } of set.variables) {
      if (!('secret' in value)) continue
      const { name, allowEmpty = false } = value.secret
      const use = { set: set.name, key, source, allowEmpty }
      const known = uses.get(name)
      if (known === undefined) uses.set(name, [use])
      else known.push(use)
    }
  }
  return [...uses].map(([name, uses]) => ({ name, uses })).sort((a, b) => compareText(a.name, b.name))
}
