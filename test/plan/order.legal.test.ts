import fc from 'fast-check'
import { expect, test } from 'vitest'
import { observe } from '../../src/api/observe.ts'
import { executeWith } from '../../src/apply/execute.ts'
import { Secret } from '../../src/model/secret.ts'
import { createPlan } from '../../src/plan/create.ts'
import type { Step } from '../../src/plan/plan-data.ts'
import type { SandboxSeed } from '../../src/sandbox/index.ts'
import { pairOfStates } from '../support/arbitrary.ts'
import { OPTIONS } from '../support/plans.ts'
import { NEVER } from '../support/round.ts'
import { aWorld, seedFrom } from '../support/world.ts'

/** One order in which the steps may end: `pick` chooses among the steps whose dependencies have ended. */
function anOrder(steps: readonly Step[], pick: (below: number) => number): Step[] {
  const ended = new Set<string>()
  const order: Step[] = []
  for (let rest = [...steps]; rest.length > 0; rest = rest.filter(step => !ended.has(step.id))) {
    const ready = rest.filter(({ after }) => after.every(id => ended.has(id)))
    const next = ready[pick(ready.length)]
    if (next === undefined) throw new Error('the steps wait for each other')
    ended.add(next.id)
    order.push(next)
  }
  return order
}

/** What no state may contain (docs/service.md 1.2), checked without the code of the sandbox. */
function illegalIn({ sets = [] }: SandboxSeed): string[] {
  const twice = (texts: readonly string[]) => texts.filter((text, at) => texts.indexOf(text) !== at)
  const keys = sets.map(({ name, global, variables = [] }) => ({
    name,
    global,
    keys: variables.map(({ category, key }) => `${category}/${key}`),
  }))
  return [
    ...twice(sets.map(({ name }) => name)).map(name => `two sets "${name}"`),
    ...keys.flatMap(set => twice(set.keys).map(key => `${key} twice in "${set.name}"`)),
    ...twice(keys.flatMap(set => (set.global === true ? set.keys : []))).map(
      key => `${key} in two global sets`,
    ),
  ]
}

test('in any permitted order of the steps, every intermediate state is valid and no request is rejected', {
  tags: ['F-40', 'I-06'],
}, async () => {
  let prefixes = 0
  await fc.assert(
    fc.asyncProperty(pairOfStates, fc.infiniteStream(fc.nat()), async ({ desired, observed }, numbers) => {
      const world = await aWorld(observed.sets.map(seedFrom))
      const { value: plan } = createPlan(desired, await observe(world.reader, 'acme'), OPTIONS)
      if (plan === undefined) return
      const execute = executeWith({
        reader: world.reader,
        writer: world.writer(),
        organization: 'acme',
        secrets: new Map(['S', 'T'].map(name => [name, new Secret('value')])),
        answers: new Map(),
        retriesExhausted: () => false,
        stop: NEVER,
        sleep: async () => {},
      })
      for (const step of anOrder(plan.steps, below => numbers.next().value % below)) {
        expect([step.id, (await execute(step)).outcome]).toEqual([step.id, { status: 'succeeded' }])
        expect(illegalIn(world.sandbox.snapshot())).toEqual([])
        prefixes++
      }
      const left = createPlan(desired, await observe(world.reader, 'acme'), OPTIONS)
      expect(left.value?.steps).toEqual([])
    }),
    { numRuns: 500, seed: 21 },
  )
  expect(prefixes).toBeGreaterThan(1_500)
})
