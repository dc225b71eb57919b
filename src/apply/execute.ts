import { AmbiguousResponseError } from '../api/errors.ts'
import type { Writer } from '../api/writer.ts'
import type { VariableSetId } from '../model/ids.ts'
import type { Secret } from '../model/secret.ts'
import type { Operation } from '../plan/operation.ts'
import { completeCreated } from './complete.ts'
import { classify, type Execute, isExternalFailure, type WriteFailure, type WriteProofs } from './outcome.ts'
import { type Looking, readBackOperation } from './read-back.ts'
import { answerOf, type Delivered, send } from './send.ts'

/** Reader and writer end what is under way when the run is abandoned. */
interface ExecuteOptions extends Looking {
  readonly writer: Writer
  readonly secrets: ReadonlyMap<string, Secret>
  /** The sets that were there before the run: a response that names one of them is no response to a creation. */
  readonly known?: ReadonlySet<VariableSetId>
  /** Collects what each response proved. */
  readonly answers: WriteProofs
  /** Whether the run had too many retries to go on. */
  readonly retriesExhausted: () => boolean
}

/** How often an operation is sent at most. Before each repetition the service was read back and did not show it. */
const MOST_SENT = 3

/**
 * Sends operations and turns every failure of network or service into an outcome. A step is one request, except for a created set that the
 * service does not show whole: what is missing follows at once, before anything that waits for the step.
 */
export function executeWith(options: ExecuteOptions): Execute {
  const { writer, organization, secrets, answers } = options

  /**
   * An operation that may have been carried out is never repeated blindly: the service is read back, and it is sent again only if the
   * service does not show it (docs/fault-model.md 8.1).
   */
  async function deliver(operation: Operation): Promise<Delivered> {
    for (let attempt = 1; ; attempt++) {
      const note = attempt === 1 ? undefined : LOST
      try {
        const answer = await send(writer, organization, operation, secrets)
        if (answer.created !== undefined && options.known?.has(answer.created.id))
          throw new AmbiguousResponseError('data is another set', CREATION)
        return { outcome: { status: 'succeeded', note }, answer }
      } catch (error) {
        if (!isExternalFailure(error)) throw error
        const failure = classify(error, operation, attempt, options.retriesExhausted())
        const ended = await resolve(failure, operation, attempt, options)
        if (ended !== undefined) return ended
      }
    }
  }

  return async ({ id, operation }) => {
    const { answer, ...ended } = await deliver(operation)
    if (answer?.proof !== undefined) answers.set(id, answer.proof)
    if (operation.type !== 'create-set' || answer?.created === undefined) return ended
    const completed = await completeCreated(operation, answer.created, deliver, options)
    answers.set(id, { ...answer.proof, variables: completed.variables })
    return completed.failed ?? ended
  }
}

/** What a failed request came to; `attempt` counts from 1. `undefined`: the service does not show it, so it is sent again. */
async function resolve(
  { kind, error, ended, isRefused }: WriteFailure,
  operation: Operation,
  attempt: number,
  options: ExecuteOptions,
): Promise<Delivered | undefined> {
  if (kind === 'final') return ended
  const seen = await readBackOperation(operation, options)
  switch (seen.state) {
    case 'done':
    case 'partly':
      return { outcome: { status: 'succeeded', note: LOST }, answer: seen.set && answerOf(seen.set) }
    case 'several':
      return { outcome: { status: 'unknown', message: seen.message }, stops: seen.message }
    case 'unclear':
      return seen.message === undefined
        ? ended
        : { outcome: { status: 'unknown', message: `${error.message}; ${seen.message}` } }
    case 'missing':
      return isRefused || attempt === MOST_SENT ? ended : undefined
  }
}

const CREATION = { method: 'POST', path: 'varsets' } as const
const LOST = 'a response was lost; verified by reading the service back'
