import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fingerprintsFrom } from '../../src/apply/resolve-secrets.ts'
import { Secret } from '../../src/model/secret.ts'
import type { ResolvedState } from '../../src/model/variable-set.ts'
import { carryOut } from '../../src/run/apply.ts'
import { desiredFor, observedState } from '../support/arbitrary.ts'
import { plannedIn, UNDISTURBED } from '../support/round.ts'
import { withTexts } from '../support/states.ts'
import { aWorld, seedFrom, type World } from '../support/world.ts'

const fingerprintOf = fingerprintsFrom(() => new Secret('value'), 'acme', 'k'.repeat(32))

const plan = async (world: World, desired: ResolvedState) =>
  (await plannedIn(world, { ...desired, owner: 'network' }, { fingerprintOf, adopt: ['*'] })).value

/** `more`: how many inventory entries may be written in addition to the plan. */
async function apply(world: World, desired: ResolvedState, more = 0): Promise<number | undefined> {
  const prepared = await plan(world, desired)
  if (prepared === undefined) return undefined
  const before = world.requests().writes
  const { result } = await carryOut({ made: prepared, service: world, ...UNDISTURBED })
  expect(result?.exitCode).toBe(0)
  const { steps, facts } = prepared.plan
  const unplanned = world.requests().writes - before - steps.length - facts.inventory.requests
  expect(unplanned).toBeGreaterThanOrEqual(0)
  expect(unplanned).toBeLessThanOrEqual(more)
  return steps.length
}

/** Two states of the files, one after the other, over one state of the service. */
const life = observedState.chain(observed =>
  fc.tuple(fc.constant(observed), desiredFor(observed), desiredFor({ ...observed, sets: [] })),
)

test('with an inventory, an apply sends exactly the planned requests, and the next plan is empty', {
  tags: ['I-02'],
}, async () => {
  let applied = 0
  await fc.assert(
    fc.asyncProperty(life, async ([observed, first, second]) => {
      // Unmanaged assignments may lie outside of the project that becomes the owner of the set.
      const world = await aWorld(observed.sets.map(seedFrom), { traits: { wrongTargets: 'accepted' } })
      for (const files of [first, second]) {
        if ((await apply(world, files)) === undefined) continue
        applied++
        const left = await plan(world, files)
        expect(left?.plan.steps).toEqual([])
        expect(left?.plan.facts.inventory).toEqual({ adopted: [], taken: [], requests: 0 })
        // Secrets that existed before and that we did not write are not recorded, and the plan says so.
        for (const { state } of left?.plan.facts.secrets ?? [])
          expect(['same', 'no-version', 'not-recorded']).toContain(
            state.state === 'not-compared' ? state.why : state.state,
          )
      }
    }),
    { numRuns: 200, seed: 8 },
  )
  expect(applied).toBeGreaterThan(200)
})

test.each(['trimmed', 'Unix line endings'] as const)(
  'the next plan is also empty if the service changes line breaks: %s',
  async storedValues => {
    const lines = fc.constantFrom('\n', '\r\n', '\r\nb', '\n\n')
    await fc.assert(
      fc.asyncProperty(life, lines, async ([observed, first, second], end) => {
        const world = await aWorld(observed.sets.map(seedFrom), { traits: { storedValues, lengths: 'any' } })
        for (const files of [first, second]) {
          const desired = withTexts(files, sent => sent + end)
          if ((await apply(world, desired, desired.sets.length)) === undefined) continue
          const left = await plan(world, desired)
          expect(left?.plan.steps).toEqual([])
          expect(left?.plan.facts.inventory).toEqual({ adopted: [], taken: [], requests: 0 })
        }
      }),
      { numRuns: 60, seed: 9 },
    )
  },
)
