import { BELIEVING } from './believing.ts'
import type { Bug } from './bug.ts'
import { HIDING } from './hiding.ts'
import { KEEPING } from './keeping.ts'
import { ORDERING } from './ordering.ts'
import { WRITING } from './writing.ts'

export const BUGS: readonly Bug[] = [...WRITING, ...ORDERING, ...BELIEVING, ...KEEPING, ...HIDING]
