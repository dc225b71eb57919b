import { drift } from '../../run/commands/drift.ts'
import type { Run } from '../command.ts'

/** Plans, and exits with 2 if there are changes. */
export const run: Run = io => drift(io)
