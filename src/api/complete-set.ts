import { TARGETS } from '../model/ids.ts'
import type { ObservedSet } from '../model/variable-set.ts'
import type { SetAnswer } from './decode-set.ts'
import { isStatus } from './errors.ts'
import { MovedError } from './pages.ts'
import type { Reader } from './reader.ts'
import { readVariables } from './variable-lists.ts'

/**
 * The whole set: asks for what an answer did not carry (docs/fault-model.md F-37). Without a gap this costs no request; one or
 * more where the variables are missing, and one more where the assignments are. Throws a `MovedError` where they stay missing;
 * Stacks that the service counts and does not list are `others` then.
 */
export async function completeSet(
  reader: Reader,
  answer: SetAnswer,
  signal?: AbortSignal,
): Promise<ObservedSet> {
  const { id } = answer.set
  const included = answer.missing.filter(kind => TARGETS[kind].included === true)
  const shown = answer.missing.length === 0 ? answer : await unlessGone(reader.showSet(id, signal, included))
  if (shown.missing.some(kind => TARGETS[kind].without !== 'kind is unknown'))
    throw new MovedError('the service counts other workspaces or projects of a set than it lists')
  if (shown.variablesArrived) return shown.set
  const listed = readVariables(page => reader.listVariables(id, page, signal), shown.variableCount)
  return { ...shown.set, ...(await unlessGone(listed)) }
}

/** A set that was shown a moment ago: a 404 means that the list moved on, not that the organization is not there. */
async function unlessGone<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (isStatus(error, 404)) throw new MovedError('a set went away while it was read')
    throw error
  }
}
