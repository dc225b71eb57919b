import type { Writer } from '../api/writer.ts'
import type { InventoryText } from '../apply/inventory-writes.ts'
import type { Closing, Execute, StepResult, WriteProofs } from '../apply/outcome.ts'
import type { ReadSecret } from '../model/secret.ts'
import type { Operation, OperationId } from '../plan/operation.ts'
import type { FingerprintOf } from '../plan/secret-states.ts'
import type { Prepared, ReadOnly } from './prepare.ts'

/** Everything that an apply needs: the approved plan, a connection, the secrets, and how to stop. */
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
  readonly onResult?: (result: StepResult) => void
}

/** A connection that can write. */
export interface Service extends ReadOnly {
  /** Created for the first write, so that a plan never has one. The signal cancels its requests. */
  readonly writer: (signal?: AbortSignal) => Writer
  /** Whether so many requests were repeated that nothing new should be started. */
  readonly retriesExhausted: () => boolean
}

/** An apply from its first write on. */
export interface WritingRun extends ApplyRun {
  readonly writer: Writer
  readonly execute: Execute
  readonly answers: WriteProofs
}

/** The responses to the writes of a run, to compare with what the service shows afterwards. */
export interface ReportedWrites {
  readonly results: readonly StepResult[]
  readonly answers: WriteProofs
  /** What was written to our inventory. */
  readonly listed: readonly InventoryText[]
}

/** What the service shows after an apply. */
export interface Evidence {
  readonly closing: Closing
  /** For each step that sent secrets to variables with a version: whether the version is that of our write. */
  readonly moved: ReadonlyMap<OperationId, boolean>
  /** Whether the service shows the result of an operation. */
  readonly isVisible: (operation: Operation) => boolean
  /** Whether the service shows a part of a set that an operation creates. */
  readonly showsPart: (operation: Operation) => boolean
  /** Whether the service shows another value than an operation wrote, and than there was before: somebody else wrote it. */
  readonly overtaken: (operation: Operation) => boolean
  /** Whether our inventory shows what was written to it, as far as it could be read. */
  readonly isListed: boolean
}

export const NOTHING_READ: Evidence = {
  closing: { state: 'not-needed' },
  moved: new Map(),
  isVisible: () => false,
  showsPart: () => false,
  overtaken: () => false,
  isListed: true,
}
