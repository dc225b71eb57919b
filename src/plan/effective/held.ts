import { categoryOf, type VariableKey } from '../../model/ids.ts'
import type { DesiredValue, ObservedVariable, Variable } from '../../model/variable-set.ts'
import { changeOf, isKept } from '../equality.ts'
import type { SecretState } from '../secret-state.ts'

/** What a set gives for one key. `rewritten`: another secret than before, as far as can be told. */
export type Held =
  | { readonly secret: true; readonly rewritten: boolean }
  /** Without a text: the snapshot that the plan is made from leaves it out. */
  | { readonly secret: false; readonly text?: string; readonly hcl: boolean }

export const heldNow = ({ value, hcl }: Pick<ObservedVariable, 'value' | 'hcl'>): Held =>
  'hidden' in value
    ? { secret: true, rewritten: false }
    : { secret: false, ...('text' in value ? value : {}), hcl }

/** What it gives once the files are applied; `undefined` for an external variable that is not there, which nobody makes. */
export function heldThen(
  desired: Variable<DesiredValue>,
  observed: ObservedVariable | undefined,
  state: SecretState | undefined,
): Held | undefined {
  if ('external' in desired.value) {
    if (observed === undefined) return undefined
    const { hcl } = isKept('hcl', observed, desired) ? observed : desired
    return heldNow({ value: observed.value, hcl })
  }
  if ('text' in desired.value) return { secret: false, text: desired.value.text, hcl: desired.hcl }
  const rewritten =
    observed === undefined ||
    !('hidden' in observed.value) ||
    state?.state === 'write' ||
    changeOf(observed, desired) === 'replace'
  return { secret: true, rewritten }
}

/** Whether a reader of the variable sees the same, where one set gave it before and gives it after. */
export function sameInOneSet(key: VariableKey, before: Held, after: Held): boolean {
  if (before.secret || after.secret) return before.secret && after.secret && !after.rewritten
  if (before.text === undefined || after.text === undefined)
    return before.text === after.text && before.hcl === after.hcl
  return sameHeldText(key, before, after)
}

/** The same of two sets: nobody can tell whether two secrets are equal. */
export const sameInTwoSets = (key: VariableKey, before: Held, after: Held): boolean =>
  !before.secret && !after.secret && sameHeldText(key, before, after)

const sameHeldText = (
  key: VariableKey,
  before: Held & { readonly secret: false },
  after: Held & { readonly secret: false },
): boolean =>
  before.text !== undefined &&
  after.text !== undefined &&
  before.text === after.text &&
  (before.hcl === after.hcl || categoryOf(key) === 'env')
