import type { Run } from '../definitions.ts'
import { EXIT } from '../exit.ts'
export const run: Run = async () => EXIT.error
