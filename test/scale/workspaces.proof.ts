import { expect, test } from 'vitest'
import type { DesiredState } from '../../src/model/variable-set.ts'
import { applyPrepared } from '../../src/run/apply.ts'
import { preparePlan } from '../../src/run/prepare.ts'
import { UNDISTURBED } from '../support/undisturbed.ts'
import { aWorld, type World } from '../support/world.ts'
import { desiredFor, idOf, nameOf, range } from './places.ts'

async function apply(desired: DesiredState, world: World) {
  const before = world.requests()
  const { prepared, diagnostics } = await preparePlan(desired, world, [])
  if (prepared === undefined) throw new Error(JSON.stringify(diagnostics))
  const planned = world.requests().reads - before.reads
  const { result } = await applyPrepared({
    prepared,
    ...UNDISTURBED,
    service: world,
  })
  const after = world.requests()
  return {
    exitCode: result?.exitCode,
    steps: prepared.plan.steps.map(({ id }) => id),
    planned,
    applied: { reads: after.reads - before.reads - planned, writes: after.writes - before.writes },
  }
}

test('5,000 workspaces of one set: looked up a hundred at a time, and a request a kind and direction', async () => {
  const world = await aWorld([], {
    seed: {
      organizations: [{ name: 'acme' }],
      projects: [{ id: 'prj-AAAAAAAAAAAAAAA1', name: 'project-1' }],
      workspaces: range(0, 7_500).map(at => ({ id: idOf(at), name: nameOf(at), project: 'project-1' })),
      sets: [],
    },
  })
  const first = await apply(desiredFor(range(0, 5_000)), world)
  // The list of sets, 75 pages of workspaces, one of projects.
  expect(first).toEqual({
    exitCode: 0,
    steps: ['create-set a'],
    planned: 77,
    applied: { reads: 1, writes: 1 },
  })
  const second = await apply(desiredFor(range(2_500, 7_500)), world)
  expect(second).toEqual({
    exitCode: 0,
    steps: ['assign a workspaces', 'unassign a workspaces'],
    planned: 77,
    applied: { reads: 1, writes: 2 },
  })
  const third = await apply(desiredFor(range(2_500, 7_500), range(0, 7_500)), world)
  expect(third).toEqual({ exitCode: 0, steps: [], planned: 1, applied: { reads: 0, writes: 0 } })
  await world.sandbox.close()
})
