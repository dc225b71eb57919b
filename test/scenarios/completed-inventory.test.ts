import { expect, test } from 'vitest'
import { appliedIn, plannedIn } from '../support/round.ts'
import { aDesiredState, aSet } from '../support/states.ts'
import { aWorld, WORKSPACES } from '../support/world.ts'

const [workspace] = WORKSPACES
const filesOf = (names: string) => ({
  ...aDesiredState(
    ...[...names].map(name =>
      aSet(name, {
        variables: { 'env/A': name, 'env/S': { secret: { name: 'S', version: '1' } } },
        workspaces: [workspace],
      }),
    ),
  ),
  owner: 'network',
})

test.each(['otf', 'terrence'] as const)(
  'an apply with an owner ends with 0 where no body of a set writes variables: %s',
  async server => {
    const world = await aWorld([], { profile: { server } })
    for (const names of ['abc', 'abcdef', 'abcdefg']) {
      const { exitCode, inventory, results } = await appliedIn(world, filesOf(names))
      expect([names, exitCode, inventory?.state]).toEqual([names, 0, 'written'])
      expect(results.map(({ outcome }) => outcome.status)).toEqual(results.map(() => 'succeeded'))
      const left = (await plannedIn(world, filesOf(names))).value?.plan
      expect([left?.steps, left?.facts.inventory.requests]).toEqual([[], 0])
    }
  },
)
