import fc from 'fast-check'
import { transition } from '../../transition/moves.ts'
import { watch } from '../../transition/watch.ts'
import type { Probe } from './probe.ts'

/** The number of moves without faults. The first of them have gaps of several kinds. */
const MOVES = 40

/** What workspaces see after each write is the old value, the new one, or named in the plan. */
export const whatWorkspacesSee: Probe = async () => {
  const found: string[] = []
  for (const [seed, move] of fc.sample(transition, { seed: 1, numRuns: MOVES }).entries())
    found.push(...(await watch(move, seed, [])).broken)
  return found
}
