import type { Writer } from '../api/writer.ts'
import type { Execute, StepResult, WriteProofs } from '../apply/outcome.ts'
import type { ReadSecret } from '../model/secret.ts'
import type { FingerprintOf } from '../plan/secret-states.ts'
import type { Made } from './plan.ts'
import type { Service } from './service.ts'

/** Everything that an apply needs: the approved plan, a connection, the secrets, and how to stop. */
export interface ApplyRun {
  readonly prepared: Made
  readonly service: Service
  readonly secrets: ReadSecret
  readonly concurrency: number
  readonly failFast: boolean
  readonly stop: AbortSignal
  readonly abandon: AbortSignal
  /** Milliseconds; resolves early on the signal. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Fingerprints for the inventory; left out without a key. */
  readonly fingerprintOf?: FingerprintOf
  readonly onResult?: (result: StepResult) => void
}

/** An apply from its first write on. */
export interface WritingRun extends ApplyRun {
  readonly writer: Writer
  readonly execute: Execute
  readonly answers: WriteProofs
}
