import type { Reader } from '../api/reader.ts'
import type { Writer } from '../api/writer.ts'
import type { StepResult } from '../apply/outcome.ts'
import type { ReadSecret } from '../apply/secrets.ts'
import type { ObservedState } from '../model/variable-set.ts'
import type { Step } from '../plan/plan.ts'
import type { FingerprintOf } from '../plan/secrets.ts'
import type { Prepared } from './prepare.ts'

/** What an apply takes: what was consented to, a connection, the secrets, and how to stop. */
export interface ApplyRun {
  readonly prepared: Prepared
  readonly service: Service
  readonly secrets: ReadSecret
  readonly concurrency: number
  readonly failFast: boolean
  readonly stop: AbortSignal
  readonly abandon: AbortSignal
  /** Milliseconds; resolves early on the signal. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Fingerprints for the inventory; none where there is no key. */
  readonly fingerprintOf?: FingerprintOf
  /** A step is about to be sent. */
  readonly onStart?: (step: Step) => void
  readonly onResult?: (result: StepResult) => void
}

/** A connection as a run sees it: what can be read, what can be written, and what it has cost so far. */
export interface Service {
  /** Origin, or `sandbox`. Part of a plan's digest. */
  readonly address: string
  /** Cannot write, by type: all that planning gets. */
  readonly reader: Reader
  /** Made when the first write is due, so that a plan never holds one. */
  readonly writer: () => Writer
  /** So many requests had to be repeated that nothing new should be started. */
  readonly retriesExhausted: () => boolean
  /** The first reading of all sets, where one is under way already; whoever asks first gets it. */
  readonly begun?: () => Promise<ObservedState> | undefined
  /** Requests sent, retries included. */
  readonly requests: () => { readonly reads: number; readonly writes: number }
}
