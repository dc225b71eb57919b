import { categoryOf } from '../model/ids.ts'
import type { DesiredValue, ObservedValue, Variable } from '../model/variable-set.ts'

/**
 * Two texts the service may have made of one: line ends become LF and one trailing newline goes. Nothing else is
 * trimmed (DESIGN, section 6).
 */
export const sameText = (a: string, b: string): boolean => a === b || normalised(a) === normalised(b)

const normalised = (text: string): string => text.replaceAll('\r\n', '\n').replace(/\n$/, '')

/** `hcl` has no effect for environment variables (interface 2.2), so there it cannot differ. */
export const sameHcl = (a: Variable<unknown>, b: Variable<unknown>): boolean =>
  a.hcl === b.hcl || categoryOf(a.key) === 'env'

/**
 * What has to happen to a variable that exists. The service does not show a sensitive value, so one that exists is
 * taken as equal unless another field differs.
 */
export function changeOf(
  observed: Variable<ObservedValue>,
  desired: Variable<DesiredValue>,
): 'none' | 'update' | 'replace' {
  const sameRest = observed.description === desired.description && sameHcl(observed, desired)
  if ('external' in desired.value) return observed.description === desired.description ? 'none' : 'update'
  if ('secret' in desired.value) {
    if (!('hidden' in observed.value)) return 'update'
    // A service refuses another `hcl` on a saved sensitive variable (service-facts 1.4).
    if (!sameHcl(observed, desired)) return 'replace'
    return sameRest ? 'none' : 'update'
  }
  // A service refuses to make a sensitive variable readable: "destroy this record and create a new one".
  if ('hidden' in observed.value) return 'replace'
  return sameRest && sameText(observed.value.text, desired.value.text) ? 'none' : 'update'
}
