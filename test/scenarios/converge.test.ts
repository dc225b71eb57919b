import fc from 'fast-check'
import { expect, test } from 'vitest'
import { detailsOf, serviceNameOf } from '../../src/model/fields.ts'
import type { ObservedState, ResolvedState } from '../../src/model/variable-set.ts'
import type { Step } from '../../src/plan/plan-data.ts'
import { carryOut } from '../../src/run/apply.ts'
import type { Traits } from '../../src/sandbox/index.ts'
import { pairOfStates } from '../support/arbitrary.ts'
import { plannedIn, preparedIn, UNDISTURBED } from '../support/round.ts'
import { withTexts } from '../support/states.ts'
import { aWorld, seedFrom } from '../support/world.ts'

const RUNS = 400

/** Codes with which a pair of states may be refused before anything is sent. */
const REFUSALS = ['name-cycle', 'name-clash', 'global-conflict', 'hcl-of-secret', 'rename-both-exist']

interface Pair {
  readonly desired: ResolvedState
  readonly observed: ObservedState
}

/**
 * Plans and applies one pair, while `scheduler` decides which request arrives next. Returns the number of steps, if there is a
 * plan.
 */
async function converge(
  pair: Pair,
  scheduler: fc.Scheduler,
  concurrency: number,
  traits: Partial<Traits>,
): Promise<number | undefined> {
  const world = await aWorld(pair.observed.sets.map(seedFrom), {
    traits,
    between: next => async (request, signal) => {
      if (request.method !== 'GET') await scheduler.schedule(Promise.resolve(), request.path)
      return await next(request, signal)
    },
  })
  const { value: prepared, diagnostics } = await plannedIn(world, pair.desired)
  if (prepared === undefined) {
    const errors = diagnostics.filter(({ severity }) => severity === 'error')
    expect(errors.filter(({ code }) => !REFUSALS.includes(code))).toEqual([])
    return undefined
  }
  const done = carryOut({ made: prepared, ...UNDISTURBED, service: world, concurrency })
  await scheduler.waitFor(done)
  const { result } = await done
  expect(result?.results.filter(({ outcome }) => outcome.status !== 'succeeded')).toEqual([])
  const left = await preparedIn(world, pair.desired)
  expect(left.plan.steps.filter(step => !isStoredOtherwise(step, traits))).toEqual([])
  expect((await preparedIn(world, asStored(pair.desired, traits))).plan.steps).toEqual([])
  // A detail that no operation writes is no difference to a plan.
  for (const set of pair.desired.sets)
    expect(
      left.observed.sets.filter(({ name }) => name === serviceNameOf(set)).map(detailsOf),
    ).toContainEqual(detailsOf(set))
  expect(result?.exitCode).toBe(0)
  expect(result?.requests.writes).toBe(prepared.plan.steps.length)
  return prepared.plan.steps.length
}

/** The service stored a value with other line endings or without whitespace at its ends, so the next plan shows it again. */
const isStoredOtherwise = (
  { operation }: Step,
  { storedValues: form = 'as sent' }: Partial<Traits>,
): boolean =>
  form !== 'as sent' &&
  operation.type === 'update-variable' &&
  'text' in operation.before.value &&
  'text' in operation.after.value &&
  operation.before.value.text === stored(operation.after.value.text, form)

function stored(sent: string, form: Traits['storedValues']): string {
  switch (form) {
    case 'as sent':
      return sent
    case 'Unix line endings':
      return sent.replaceAll('\r\n', '\n')
    case 'trimmed':
      return sent.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, '')
  }
}

/** The files after the user followed the warnings. */
const asStored = (
  desired: ResolvedState,
  { storedValues: form = 'as sent' }: Partial<Traits>,
): ResolvedState => withTexts(desired, sent => stored(sent, form))

test.each(['Unix line endings', 'trimmed'] as const)(
  'any state converges to any other if the service changes the text of values: %s',
  async storedValues => {
    const lines = fc.constantFrom('', '\n', '\r\n', '\r\nb', '\n\n', '  ', ' \t\u{a0}')
    await fc.assert(
      fc.asyncProperty(pairOfStates, lines, fc.scheduler(), async (pair, end, scheduler) => {
        const desired = withTexts(pair.desired, sent => sent + end)
        await converge({ ...pair, desired }, scheduler, 4, { storedValues, lengths: 'any' })
      }),
      { numRuns: 60, seed: 3 },
    )
  },
)

test('any state converges to any other, in any permitted order, without a rejected request, and the next plan is empty', {
  tags: ['F-42', 'I-01', 'I-04'],
}, async () => {
  const steps: number[] = []
  await fc.assert(
    fc.asyncProperty(
      pairOfStates,
      fc.scheduler(),
      fc.integer({ min: 1, max: 6 }),
      async (pair, scheduler, concurrency) => {
        const count = await converge(pair, scheduler, concurrency, {})
        if (count !== undefined) steps.push(count)
      },
    ),
    { numRuns: RUNS, seed: 1 },
  )
  expect(steps.length).toBeGreaterThan(RUNS / 2)
  expect(steps.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(2 * RUNS)
})
