import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLookUps } from '../../src/api/look-ups.ts'
import { explainKey } from '../../src/run/explain-key.ts'
import { explainWorkspace } from '../../src/run/explain-target.ts'
import { KEYS, observedState, strangers } from '../support/arbitrary.ts'
import { aDesiredState } from '../support/states.ts'
import { aWorld, PROJECTS, seedFrom, WORKSPACES } from '../support/world.ts'

const NOT_TOLD =
  'The service does not show this token all workspaces: some that receive the key may be missing here.'
const NO_PROJECTS =
  'The projects of some workspaces are unknown: what they receive through a project may be missing here.'

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

test.each([
  ['everything', 200, { projects: [PROJECTS[0]] }, []],
  ['no workspaces', 404, {}, [NOT_TOLD]],
  ['no workspaces, where a set has a project', 404, { projects: [PROJECTS[0]] }, [NOT_TOLD, NO_PROJECTS]],
])('notes say what may be missing from a service that tells %s', async (_, status, reach, notes) => {
  const variables = [{ key: 'K', category: 'env' }] as const
  const world = await aWorld([{ name: 'a', workspaces: [WORKSPACES[1]], ...reach, variables }], {
    between: next => async (request, signal) =>
      status !== 200 && request.path.endsWith('/workspaces')
        ? { status, headers: {}, body: '' }
        : await next(request, signal),
  })
  const desired = { ...aDesiredState(), sets: [] }
  const { value } = await explainKey(desired, world, 'K', 'live', createLookUps(world.reader, 'acme'))
  expect(value?.notes.slice(1)).toEqual(notes)
})
