import type { Guards } from '../../model/variable-set.ts'
import type { Transition } from '../effective/effect.ts'
import type { Block, Step } from '../plan.ts'

/** Blocks a plan with gaps if the files forbid them. Its place is the line of the step that ends the first gap. */
export function guardGaps(steps: readonly Step[], { gaps, left }: Transition, guards: Guards): Block[] {
  const [first] = gaps
  if (guards.gaps === undefined || first === undefined) return []
  const found = gaps.length + left
  const what =
    found === 1
      ? `A workspace may see a value of ${first.key} that is neither the old nor the new one`
      : `Workspaces may see ${found} values that are neither the old nor the new ones`
  const source = steps.find(({ id }) => id === first.between[1])?.source
  const message = `${what}, and guards.gaps forbids it.`
  return [{ code: 'opens-gap', message, ...(source === undefined ? {} : { source }) }]
}
