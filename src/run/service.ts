import type { Reader } from '../api/reader.ts'
import type { Writer } from '../api/writer.ts'
import type { ObservedState } from '../model/variable-set.ts'

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
