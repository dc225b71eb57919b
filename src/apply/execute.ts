import { isStatus } from '../api/errors.ts'
import type { Reader } from '../api/reader.ts'
import type { Writer } from '../api/writer.ts'
import type { Secret } from '../model/secret.ts'
import type { Operation } from '../plan/operation.ts'
import { completeCreated } from './complete.ts'
import {
  classify,
  type Execute,
  type Executed,
  isExternalFailure,
  type WriteFailure,
  type WriteProofs,
} from './outcome.ts'
import { isShown, readBackOperation } from './read-back.ts'
import { answerOf, type Delivered, send } from './send.ts'

interface ExecuteOptions {
  /** Reader and writer end what is under way when the run is abandoned. */
  readonly reader: Reader
  readonly writer: Writer
  readonly organization: string
  readonly secrets: ReadonlyMap<string, Secret>
  /** Collects what each response proved. */
  readonly answers: WriteProofs
  /** Whether the run had too many retries to go on. */
  readonly retriesExhausted: () => boolean
  /** After it is aborted the service is not read back any more. */
  readonly stop: AbortSignal
  /** Takes milliseconds. Resolves early on the signal. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** The workspaces and projects that a refused operation names and the service does not have, in words. */
  readonly goneTargets?: (operation: Operation) => Promise<string | undefined>
}

/** How often an operation is sent at most. Before each repetition the service was read back and did not show it. */
const MOST_SENT = 3

/**
 * Sends operations and turns every failure of network or service into an outcome. A step is one request, except for a created set that the
 * service does not show whole: what is missing follows at once, before anything that waits for the step.
 */
export function executeWith(options: ExecuteOptions): Execute {
  const { writer, organization, secrets, answers } = options
  // As long as nothing was written, a refusal may mean that the token has no write permission at all.
  let isFirst = true

  /**
   * An operation that may have been carried out is never repeated blindly: the service is read back, and it is sent again only if the
   * service does not show it (docs/fault-model.md 8.1).
   */
  async function deliver(operation: Operation): Promise<Delivered> {
    for (let attempt = 1; ; attempt++) {
      const note = attempt === 1 ? undefined : LOST
      try {
        const answer = await send(writer, organization, operation, secrets)
        isFirst = false
        return { outcome: { status: 'succeeded', note }, answer }
      } catch (error) {
        if (!isExternalFailure(error)) throw error
        const failure = classify(error, operation, attempt, options.retriesExhausted())
        const ended = await resolve(failure, { operation, attempt, isFirst }, options)
        if (ended !== undefined) return ended
      }
    }
  }

  return async ({ id, operation }) => {
    const { answer, ...ended } = await deliver(operation)
    if (answer?.proof !== undefined) answers.set(id, answer.proof)
    if (operation.type !== 'create-set' || answer?.created === undefined) return ended
    const completed = await completeCreated(operation, answer.created, { ...options, deliver })
    answers.set(id, { ...answer.proof, variables: completed.variables })
    return completed.failed ?? ended
  }
}

interface Attempt {
  readonly operation: Operation
  /** Counts from 1. */
  readonly attempt: number
  /** Nothing was written in this run yet. */
  readonly isFirst: boolean
}

/** What a failed request came to. `undefined`: the service does not show it, so it is sent again. */
async function resolve(
  failure: WriteFailure,
  { operation, attempt, isFirst }: Attempt,
  options: ExecuteOptions,
): Promise<Delivered | undefined> {
  const { error, ended } = failure
  switch (failure.kind) {
    case 'final':
      return ended
    case 'refused': {
      const gone = await namesGone(error, operation, options)
      if (gone !== undefined) return gone
      return isFirst && (await mayOnlyRead(error, operation, options))
        ? { ...ended, ...readOnlyToken(options.organization) }
        : ended
    }
    case 'open': {
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
          return failure.isRefused || attempt === MOST_SENT || options.stop.aborted ? ended : undefined
      }
    }
  }
}

const readOnlyToken = (organization: string) =>
  ({
    cause: 'token',
    stops: `the token can read ${JSON.stringify(organization)}, but not write to it`,
  }) as const

/** A 404 or 422 may mean that a target is gone since the plan, and need not say which one. */
async function namesGone(
  error: Error,
  operation: Operation,
  { goneTargets, stop }: ExecuteOptions,
): Promise<Executed | undefined> {
  if (goneTargets === undefined || stop.aborted || !isStatus(error, 404, 422)) return undefined
  const gone = await goneTargets(operation)
  return gone === undefined
    ? undefined
    : {
        outcome: { status: 'failed', message: `${error.message}; ${gone}` },
        cause: isStatus(error, 422) ? 'files' : undefined,
      }
}

/** Whether the token has no write permission: after a 403, or a 404 for something that it can read (docs/service.md 5). */
async function mayOnlyRead(
  error: Error,
  operation: Operation,
  { reader, organization, stop }: ExecuteOptions,
): Promise<boolean> {
  if (isStatus(error, 403)) return true
  if (!isStatus(error, 404) || stop.aborted) return false
  try {
    return await isShown(operation, reader, organization)
  } catch (problem) {
    if (!(problem instanceof Error)) throw problem
    return false
  }
}

const LOST = 'a response was lost; verified by reading the service back'
