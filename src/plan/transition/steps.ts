import type { VariableKey } from '../../model/ids.ts'
import { append } from '../../model/lists.ts'
import type { Operation } from '../operation.ts'

/** An operation by its number among all steps. */
export interface NumberedStep {
  readonly node: number
  readonly operation: Operation
}

/** The steps of a set. Those of one variable are found by its key, because a set may have thousands. */
export class StepsByKey {
  readonly #all: NumberedStep[] = []
  readonly #shared: NumberedStep[] = []
  readonly #byKey = new Map<VariableKey, NumberedStep[]>()
  #onlyUpdates = true

  add(step: NumberedStep): void {
    const { operation } = step
    this.#all.push(step)
    if (operation.type !== 'update-variable') this.#onlyUpdates = false
    switch (operation.type) {
      case 'create-variable':
      case 'update-variable':
        append(this.#byKey, operation.after.key, step)
        return
      case 'delete-variable':
        append(this.#byKey, operation.before.key, step)
        return
      case 'create-set':
      case 'delete-set':
      case 'update-set':
      case 'assign':
      case 'unassign':
        this.#shared.push(step)
    }
  }

  /** Nothing but other values of variables. */
  get onlyUpdates(): boolean {
    return this.#onlyUpdates
  }

  /** Those that may concern a key, in the order in which they were added. */
  of(key: VariableKey): readonly NumberedStep[] {
    const own = this.#byKey.get(key)
    if (own === undefined) return this.#shared
    return this.#shared.length === 0 ? own : [...this.#shared, ...own].sort((a, b) => a.node - b.node)
  }
}
