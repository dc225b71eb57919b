import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLookUps } from '../../src/api/look-ups.ts'
import { explainKey } from '../../src/run/explain-key.ts'
import { explainWorkspace } from '../../src/run/explain-target.ts'
import { KEYS, observedState, strangers } from '../support/arbitrary.ts'
import { aDesiredState } from '../support/states.ts'
import { aWorld, seedFrom, WORKSPACES } from '../support/world.ts'

test('a key has the same sources as in the explanation of each workspace', async () => {
  let seen = 0
  const desired = { ...aDesiredState(), sets: [] }
  await fc.assert(
    fc.asyncProperty(observedState, strangers, async (state, others) => {
      const world = await aWorld([...others, ...state.sets].map(seedFrom))
      const byKey = new Map<string, unknown>()
      for (const key of KEYS) {
        const { value } = await explainKey(desired, world, key, 'live', createLookUps(world.reader, 'acme'))
        for (const { receivers, before } of value?.received ?? [])
          for (const { id } of receivers) byKey.set(`${id} ${key}`, before)
      }
      for (const workspace of WORKSPACES) {
        const { value } = await explainWorkspace(desired, world, workspace, 'live')
        for (const { key, before } of value?.variables ?? []) {
          // The key asks all sets whether it is a secret, a workspace only its own.
          const texts = /"text":"[^"]*",?/g
          const plain = (one: unknown) => JSON.stringify(one)?.replace(texts, '')
          expect(plain(byKey.get(`${workspace} ${key}`))).toBe(plain(before))
          byKey.delete(`${workspace} ${key}`)
          seen++
        }
      }
      expect([...byKey.keys()].filter(one => WORKSPACES.some(id => one.startsWith(`${id} `)))).toEqual([])
    }),
    { numRuns: 60, seed: 9 },
  )
  expect(seen).toBeGreaterThan(200)
})
