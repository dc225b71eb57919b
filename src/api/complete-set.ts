import type { VariableSetId } from '../model/ids.ts'
import type { ObservedSet } from '../model/variable-set.ts'
import type { SetAnswer } from './decode-set.ts'
import { byKey, type DecodedVariables } from './decode-variable.ts'
import { isStatus } from './errors.ts'
import { MovedError } from './pages.ts'
import type { Reader } from './reader.ts'

/**
 * The whole set: asks for what an answer did not carry (fault-model F-37). Without a gap this costs no request; one where
 * the variables are missing, and one more where the assignments are. Throws a `MovedError` where they stay missing.
 */
export async function completeSet(
  reader: Reader,
  answer: SetAnswer,
  signal?: AbortSignal,
): Promise<ObservedSet> {
  const { id } = answer.set
  const shown = answer.assignmentsArrived ? answer : await unlessGone(reader.showSet(id, signal))
  if (!shown.assignmentsArrived)
    throw new MovedError('the service counts other workspaces or projects of a set than it lists')
  if (shown.variablesArrived) return shown.set
  const variables = await unlessGone(readVariables(reader, id, signal))
  const count = variables.variables.length + variables.foreignVariables.length
  if (shown.variableCount !== undefined && shown.variableCount !== count)
    throw new MovedError('the service counts other variables of a set than it lists')
  return { ...shown.set, ...variables }
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

/** The most pages of variables that are read; the interface knows one. */
const MOST_PAGES = 100

/** Endpoint 11. It has no pages in the interface; where a service announces more, they are asked for by number. */
async function readVariables(
  reader: Reader,
  id: VariableSetId,
  signal: AbortSignal | undefined,
): Promise<DecodedVariables> {
  const first = await reader.listVariables(id, 1, signal)
  if (!first.more) return { variables: first.variables, foreignVariables: first.foreignVariables }
  const variables = new Map(first.variables.map(variable => [variable.id, variable]))
  const foreign = new Map(first.foreignVariables.map(variable => [variable.id, variable]))
  for (let page = 2; page <= MOST_PAGES; page++) {
    const known = variables.size + foreign.size
    const next = await reader.listVariables(id, page, signal)
    for (const variable of next.variables) variables.set(variable.id, variable)
    for (const variable of next.foreignVariables) foreign.set(variable.id, variable)
    if (!next.more || variables.size + foreign.size === known) break
  }
  return {
    variables: [...variables.values()].sort(byKey),
    foreignVariables: [...foreign.values()].sort(byKey),
  }
}
