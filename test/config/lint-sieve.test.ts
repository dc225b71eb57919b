import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signSieve } from '../../src/config/lint-sieve.ts'

const SIGNS = ['ghp_', 'SG.', 'SK', '@', 'Q~', '-us', 'é-x']
const mayHold = signSieve(SIGNS)

test('no text with a sign in it gets through the sieve unseen', () => {
  const around = fc.string({ unit: 'binary', maxLength: 12 })
  fc.assert(
    fc.property(around, fc.constantFrom(...SIGNS), around, (before, sign, after) =>
      mayHold(before + sign + after),
    ),
    { numRuns: 2_000, seed: 21 },
  )
})

test('most texts without one are let pass, so that the slow search is spared', () => {
  expect(['', 'a', 'eu-west-1.example.com', 'network-prod', 'gh_p', 'S G.'].map(mayHold)).toEqual(
    Array(6).fill(false),
  )
})
