import { DISCOVERY } from '../limits.ts'
import { answered, emptyAnswer } from '../reply.ts'
import type { Route } from '../service.ts'

/** What clients ask before they have a token (docs/service.md 9.5, 14.2). */
export const openRoutes: readonly Route[] = [
  { method: 'GET', path: 'api/v2/ping', access: 'open', answer: () => emptyAnswer() },
  {
    method: 'GET',
    path: '.well-known/terraform.json',
    access: 'open',
    answer: () => ({ ...answered(DISCOVERY), mediaType: 'application/json' }),
  },
]
