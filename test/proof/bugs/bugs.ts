import { BELIEVING } from './believing.ts'
import type { Bug } from './bug.ts'
import { HIDING } from './hiding.ts'
import { JUDGING } from './judging.ts'
import { KEEPING } from './keeping.ts'
import { ORDERING } from './ordering.ts'
import { WRITING } from './writing.ts'

/** Bugs by kind of mistake. */
export const KINDS: readonly (readonly Bug[])[] = [WRITING, ORDERING, BELIEVING, KEEPING, HIDING, JUDGING]

export const BUGS: readonly Bug[] = KINDS.flat()
