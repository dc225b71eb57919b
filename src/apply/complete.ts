import { observeSets } from '../api/observe.ts'
import { ownersDiffer } from '../model/fields.ts'
import { shortList } from '../model/lists.ts'
import type { ObservedSet, ObservedVariable } from '../model/variable-set.ts'
import { asSent } from '../plan/as-sent.ts'
import { type Completion, missingParts, otherVariables } from '../plan/completion.ts'
import type { CreateSet, Operation } from '../plan/operation.ts'
import type { Executed } from './outcome.ts'
import { type Looking, readBackOperation } from './read-back.ts'
import type { Delivered } from './send.ts'

interface Completed {
  /** The variables that were sent, as the service shows them. */
  readonly variables: readonly ObservedVariable[]
  /** Why the set is not whole. */
  readonly failed?: Executed
}

/**
 * Sends what a new set lacks, one request after the other. `answered` is the set as the response to its creation shows it. A service that
 * carries out everything also shows it, and then nothing is sent. Otherwise the set is read first, because a response that was cut on its
 * way would lead to sending a variable twice.
 */
export async function completeCreated(
  create: CreateSet,
  answered: ObservedSet,
  deliver: (operation: Operation) => Promise<Delivered>,
  looking: Looking,
): Promise<Completed> {
  const shown = asSent(answered, create.after)
  const isEnough = missingParts(create, shown).length === 0 || otherOwner(create, shown) !== undefined
  const read = isEnough ? shown : await setAlone(shown, looking)
  if (typeof read === 'string') return { variables: [], failed: inPart({ status: 'unknown', message: read }) }
  const set = asSent(read, create.after)
  const misplaced = otherOwner(create, set)
  if (misplaced !== undefined)
    return { variables: [], failed: { ...inPart({ status: 'failed', message: misplaced }), cause: 'files' } }
  const others = otherVariables(create, set)
  const keys = new Set(create.after.variables.map(({ key }) => key))
  const variables = set.variables.filter(({ key }) => keys.has(key))
  if (others.length > 0)
    return { variables, failed: inPart({ status: 'failed', message: OTHERS + shortList(others) }) }
  for (const part of missingParts(create, set)) {
    const { outcome, answer, ...why } = await sendPart(part, deliver, looking)
    if (outcome.status !== 'succeeded') return { variables, failed: { ...why, ...inPart(outcome) } }
    variables.push(...(answer?.proof?.variables ?? []))
  }
  return { variables }
}

/**
 * Why a set is not where it was to be: a server without sets of projects may ignore the owner. Its variables would reach workspaces that
 * nobody meant. A response that says nothing of owners proves nothing.
 */
function otherOwner({ after }: CreateSet, shown: ObservedSet): string | undefined {
  if (shown.ownerNotShown === true || !ownersDiffer(shown, after)) return undefined
  const [sent, is] = [after, shown].map(({ parent }) =>
    parent === undefined ? 'the organization' : `the project ${parent}`,
  )
  return `the service shows that ${is} owns it and not ${sent}, so nothing more was sent; to accept that owner, remove "project" from the set; otherwise, delete ${shown.id} in the service`
}

const OTHERS = 'the service shows variables that differ from what was sent: '

/** An assignment is answered with a status alone, and this service may have ignored one already. So it is read back. */
async function sendPart(
  part: Completion,
  deliver: (operation: Operation) => Promise<Delivered>,
  looking: Looking,
): Promise<Delivered> {
  if (looking.stop.aborted) return { outcome: { status: 'skipped', because: 'stopped' } }
  const delivered = await deliver(part)
  if (delivered.outcome.status !== 'succeeded' || part.type !== 'assign') return delivered
  const seen = await readBackOperation(part, looking)
  if (seen.state === 'done') return delivered
  const why = 'message' in seen ? seen.message : undefined
  return { outcome: { status: 'unknown', message: why ?? NOT_ASSIGNED } }
}

const NOT_ASSIGNED = 'the service accepted an assignment and does not show it'
const NOT_SHOWN = 'the service does not show the new set'

async function setAlone({ id }: ObservedSet, { reader }: Looking): Promise<ObservedSet | string> {
  try {
    const { sets } = await observeSets(reader, [id])
    return sets[0] ?? NOT_SHOWN
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return error.message
  }
}

/** The set exists, so something was written whatever became of the rest. */
function inPart(outcome: Exclude<Executed['outcome'], { status: 'succeeded' }>): Executed {
  const [status, why] =
    outcome.status === 'skipped'
      ? (['failed', 'the run stopped before all of it was sent'] as const)
      : ([outcome.status, outcome.message] as const)
  return { outcome: { status, message: `the set was created, but not completely: ${why}` }, isInPart: true }
}
