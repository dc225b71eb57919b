import fc from 'fast-check'
import { expect, test } from 'vitest'
import { observe } from '../../src/api/observe.ts'
import type { Profile } from '../../src/sandbox/index.ts'
import { type ApiResponse, TransportError } from '../../src/wire/transport.ts'
import { observedState } from '../support/arbitrary.ts'
import { aWorld, seedFrom } from '../support/world.ts'

const KINDS = ['lost', '404', '403', '500', '204', 'empty', 'page', 'cut', 'another', 'no list'] as const

/** A response instead of the real one. `last`: the previous response, to another request. */
function spoilt(
  kind: (typeof KINDS)[number],
  right: ApiResponse,
  last: ApiResponse | undefined,
): ApiResponse {
  const { headers } = right
  switch (kind) {
    case 'lost':
      throw new TransportError('lost', { sent: 'maybe', code: 'ECONNRESET' })
    case '404':
    case '403':
    case '500':
    case '204':
      return { status: Number(kind), headers, body: '' }
    case 'empty':
      return { status: 200, headers, body: '' }
    case 'page':
      return { status: 200, headers: { 'content-type': 'text/html' }, body: '<!DOCTYPE html>' }
    case 'cut':
      return { ...right, body: right.body.slice(0, right.body.length / 2) }
    case 'another':
      return last ?? { status: 200, headers, body: '{}' }
    case 'no list':
      return { status: 200, headers, body: '{"data":[]}' }
  }
}

const PROFILES: readonly Partial<Profile>[] = [
  {},
  { includeVars: 'ignored', relationshipLists: 'truncated', listVariables: 'refuse' },
  { includeVars: 'embedded' },
  { pageSize: 'refuse-20' },
  { pageData: 'unpaged', includeVars: 'ignored', listVariables: 'whole-bare' },
  { server: 'otf' },
]

test('a read that fails in any way gives the complete state or none, never a smaller one', {
  tags: ['I-23'],
}, async () => {
  let none = 0
  await fc.assert(
    fc.asyncProperty(
      observedState,
      fc.constantFrom(...PROFILES),
      fc.constantFrom(...KINDS),
      fc.nat({ max: 3 }),
      async ({ sets }, profile, kind, at) => {
        let read = 0
        let last: ApiResponse | undefined
        let isSpoilt = false
        const world = await aWorld(sets.map(seedFrom), {
          profile,
          between: next => async (request, signal) => {
            const right = await next(request, signal)
            const answer = isSpoilt && read++ === at ? spoilt(kind, right, last) : right
            last = right
            return answer
          },
        })
        const whole = await observe(world.reader, 'acme')
        isSpoilt = true
        const seen = await observe(world.reader, 'acme').catch(() => undefined)
        if (seen === undefined) none++
        else expect(seen).toEqual(whole)
      },
    ),
    { numRuns: 1_500, seed: 41 },
  )
  expect(none).toBeGreaterThan(100)
})
