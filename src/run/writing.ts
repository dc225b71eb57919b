import type { Writer } from '../api/writer.ts'
import type { StepResult, WriteProofs } from '../apply/outcome.ts'
import type { ReadSecret } from '../model/secret.ts'
import type { Options } from './options.ts'
import type { Made } from './plan.ts'
import type { World } from './run.ts'
import type { Service } from './service.ts'

/** A plan that was consented to, and what it is carried out with. */
export interface Approved
  extends Pick<World, 'stop' | 'abandon' | 'sleep'>,
    Pick<Options, 'concurrency' | 'failFast'> {
  readonly made: Made
  readonly service: Service
  readonly secrets: ReadSecret
  readonly onResult?: (result: StepResult) => void
}

/** The same from the first write on, with what became of its steps so far. */
export interface Writing extends Approved {
  readonly writer: Writer
  /** What the responses proved. */
  readonly answers: WriteProofs
  /** One for each step, as it was answered. */
  readonly sent: readonly StepResult[]
  /** The same after the closing read, as far as that shows something else; `sent` before. */
  readonly results: readonly StepResult[]
  /** Why it stopped early. Then nothing new is sent. */
  readonly stopped?: string
}
