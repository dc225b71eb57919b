import { expect, test } from 'vitest'
import { observe } from '../../src/api/observe.ts'
import { applySteps, type Execute } from '../../src/apply/apply.ts'
import type { OperationId } from '../../src/plan/operation.ts'
import { applyPrepared } from '../../src/run/apply.ts'
import { planFrom } from '../../src/run/prepare.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'
import { UNDISTURBED } from '../support/undisturbed.ts'
import { aWorld, seedFrom } from '../support/world.ts'
import { everyKind, numbered, times, variables } from './shapes.ts'

const NEVER = new AbortController().signal
test('100,000 operations of every kind: planned, and each carried out once, after all it waits for', async () => {
  const { desired, observed } = everyKind(100)
  const { steps, summary } = planOf(desired, anObservedState(...observed))
  expect(steps.length).toBe(100_000)
  expect(summary).toEqual({
    create: 20_000,
    update: 42_000,
    delete: 20_000,
    assign: 9_000,
    unassign: 9_000,
    changes: 100_000,
  })
  // A move or a replacement is two that wait, a chain one less than its links.
  expect(steps.reduce((sum, { after }) => sum + after.length, 0)).toBe(11_999)
  const done = new Set<OperationId>()
  const wrong: OperationId[] = []
  const execute: Execute = async ({ id, after }) => {
    if (done.has(id) || after.some(earlier => !done.has(earlier))) wrong.push(id)
    await undefined
    done.add(id)
    return { outcome: { status: 'succeeded' } }
  }
  const { results } = await applySteps(steps, execute, {
    concurrency: 8,
    stop: NEVER,
    abandon: NEVER,
    failFast: false,
  })
  expect([results.length, done.size, wrong]).toEqual([100_000, 100_000, []])
})

test('100,000 changed variables: each written once, and the service then holds what the files say', async () => {
  const names = times(1_000, at => `set-${at}`)
  const world = await aWorld(
    names.map((name, at) => {
      const observed = anObserved('', name, { variables: variables(0, 100, 'old') })
      return seedFrom({
        ...observed,
        id: `varset-${numbered(at)}`,
        variables: observed.variables.map((variable, i) => ({
          ...variable,
          id: `var-${numbered(at * 100 + i)}`,
        })),
      })
    }),
  )
  const desired = aDesiredState(...names.map(name => aSet(name, { variables: variables(0, 100, 'new') })))
  const observed = await observe(world.reader, 'acme')
  const { prepared } = planFrom(desired, observed, { address: 'sandbox', only: [], reads: 10, names: {} }, [])
  if (prepared === undefined) throw new Error('no plan')
  const { result } = await applyPrepared({
    prepared,
    ...UNDISTURBED,
    service: world,
  })
  expect(result?.exitCode).toBe(0)
  const writes = world.log
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`)
  expect([writes.length, new Set(writes).size]).toEqual([100_000, 100_000])
  // The list before the plan, and the list at the end.
  expect(world.requests()).toEqual({ reads: 20, writes: 100_000 })
  await world.sandbox.close()
})
