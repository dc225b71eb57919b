import { matchesPattern } from '../model/pattern.ts'
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

  constructor(settings: Settings) {
    this.#settings = settings
  }

  set(set: WrittenSet): WrittenSet {
    const variables = set.variables.filter(lookedAt(set, this.#settings)).map(withoutText)
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
}

/** By its key in a global set, beside a base, and in a family; by itself where the version of a secret needs an owner. */
function lookedAt(
  { name, global, from }: WrittenSet,
  { owner, sameKeys }: Settings,
): (variable: DesiredVariable) => boolean {
  const byKey = global || from !== undefined || sameKeys.some(({ pattern }) => matchesPattern(pattern, name))
  return ({ value }) =>
    byKey || (owner === undefined && 'secret' in value && value.secret.version !== undefined)
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
