import type { Writer } from '../api/writer.ts'
import type { InventoryText } from '../apply/inventory.ts'
import type { Closing, StepResult, WriteProofs } from '../apply/outcome.ts'
import type { Execute } from '../apply/schedule.ts'
import type { ReadSecret } from '../apply/secrets.ts'
import type { Operation, OperationId } from '../plan/operation.ts'
import type { Step } from '../plan/plan.ts'
import type { FingerprintOf } from '../plan/secrets.ts'
import type { Prepared, ReadOnly } from './prepare.ts'

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
  /** Fingerprints for the inventory; left out without a key. */
  readonly fingerprintOf?: FingerprintOf
  /** A step is about to be sent. */
  readonly onStart?: (step: Step) => void
  readonly onResult?: (result: StepResult) => void
}

/** A connection that can write. */
export interface Service extends ReadOnly {
  /** Made when the first write is due, so that a plan never holds one. */
  readonly writer: () => Writer
  /** So many requests had to be repeated that nothing new should be started. */
  readonly retriesExhausted: () => boolean
}

/** An apply once it writes. */
export interface WritingRun extends ApplyRun {
  readonly writer: Writer
  readonly execute: Execute
  readonly answers: WriteProofs
}

/** What the service answered while the run wrote, to be compared with what it shows afterwards. */
export interface ReportedWrites {
  readonly results: readonly StepResult[]
  readonly answers: WriteProofs
  /** What was written into our inventory. */
  readonly listed: readonly InventoryText[]
}

/** What the service shows after an apply. */
export interface Evidence {
  readonly closing: Closing
  /** For each step that sent secrets to variables with a version: whether the version is the one of our write. */
  readonly moved: ReadonlyMap<OperationId, boolean>
  /** Whether the service shows what an operation is for. */
  readonly shows: (operation: Operation) => boolean
  /** Our inventory shows what was written into it, as far as it could be read. */
  readonly isListed: boolean
}

export const NOTHING_READ: Evidence = {
  closing: { state: 'not-needed' },
  moved: new Map(),
  shows: () => false,
  isListed: true,
}
