import type { StepResult } from '../apply/outcome.ts'
import type { SecretSource } from '../apply/secrets.ts'
import type { Step } from '../plan/plan.ts'
import type { FingerprintOf } from '../plan/secret-state.ts'
import type { Prepared } from './prepare.ts'
import type { Service } from './service.ts'

/** What an apply takes: what was consented to, a connection, the secrets, and how to stop. */
export interface ApplyRun {
  readonly prepared: Prepared
  readonly service: Service
  readonly secrets: SecretSource
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
