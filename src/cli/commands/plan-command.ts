import { plan } from '../../run/commands/plan.ts'
import type { Run } from '../command.ts'

/** Shows what an apply would change. */
export const run: Run = io => plan(io)
