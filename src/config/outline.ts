import type { VariableKey } from '../model/ids.ts'
import type { DesiredVariable, RemovedSet } from '../model/variable-set.ts'
import type { Base, Keeping, WrittenSet } from './set-file.ts'
import type { SetpointFile } from './setpoint-file.ts'

type Settings = Pick<SetpointFile, 'owner' | 'sameKeys'>

/**
 * Of what a file says, what the rules across all sets still look at: for whoever asks whether files are right and not what
 * they say. The texts of a file can then leave the memory before the next one is read.
 */
export class Outline implements Keeping {
  /** Variables that were left out. */
  left = 0
  readonly #settings: Settings
  readonly #keys = new Map<VariableKey, DesiredVariable>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  set(set: WrittenSet): WrittenSet {
    const variables = this.#variablesOf(set)
    this.left += set.variables.length - variables.length
    const { from, workspaces, projects, ...rest } = set
    return {
      ...rest,
      name: ownText(set.name),
      description: '',
      variables,
      ...(from === undefined ? {} : { from: { ...from, name: ownText(from.name) } }),
      // A global set is asked whether it has any.
      ...(set.global && workspaces !== undefined ? { workspaces } : {}),
      ...(set.global && projects !== undefined ? { projects } : {}),
      previousNames: set.previousNames.map(ownText),
    }
  }

  base(base: Base): Base {
    const variables = base.variables.map(variable => ('value' in variable ? withoutText(variable) : variable))
    return { ...base, variables }
  }

  removed(removed: RemovedSet): RemovedSet {
    return removed.name === undefined ? removed : { ...removed, name: ownText(removed.name) }
  }

  /** Of most sets none; where there are families, or beside a base, the keys. */
  #variablesOf({ global, from, variables }: WrittenSet): DesiredVariable[] {
    if (global) return variables.map(withoutText)
    const { owner, sameKeys } = this.#settings
    const hasVersion = ({ value }: DesiredVariable): boolean =>
      owner === undefined && 'secret' in value && value.secret.version !== undefined
    if (from === undefined && sameKeys.length === 0) return variables.filter(hasVersion).map(withoutText)
    return variables.map(variable => (hasVersion(variable) ? withoutText(variable) : this.#keyOf(variable)))
  }

  /** One for all sets: outside of global sets nobody is told where a key stands. */
  #keyOf(variable: DesiredVariable): DesiredVariable {
    const known = this.#keys.get(variable.key)
    if (known !== undefined) return known
    const key = withoutText({ ...variable, value: EMPTY })
    this.#keys.set(key.key, key)
    return key
  }
}

const EMPTY = { text: '' } as const

const withoutText = (variable: DesiredVariable): DesiredVariable => ({
  key: variable.key,
  value: 'text' in variable.value ? EMPTY : variable.value,
  description: '',
  hcl: variable.hcl,
  source: variable.source,
})

/** A copy: a part of a text keeps the whole text in memory. */
const ownText = (text: string): string => Buffer.from(text).toString()
