import { expect, test } from 'vitest'
import { entryText } from '../../src/model/inventory.ts'
import { carryOut } from '../../src/run/apply.ts'
import type { Profile } from '../../src/sandbox/index.ts'
import type { Transport } from '../../src/wire/transport.ts'
import { appliedIn, plannedIn, UNDISTURBED } from '../support/round.ts'
import { aDesiredState, anObserved, aSet, SOMEWHERE } from '../support/states.ts'
import { aWorld, seedFrom, type World } from '../support/world.ts'

/** Names are not unique, so a set that is created twice stays. */
const PAGED: Partial<Profile> = { largestPage: 20, duplicates: 'second' }

/** The first of two pages ends before "m", which is the first entry of the second page. */
const SETS = [
  ...Array.from({ length: 20 }, (_, i) => seedFrom(anObserved(`a${i}`, `a${String(i).padStart(2, '0')}`))),
  seedFrom(anObserved('m', 'm')),
  ...['x', 'y', 'z'].map(name => seedFrom(anObserved(name, name))),
]

/** After the first page was read, another client deletes a set of it and creates one at the end, so "m" moves there. */
async function sliding(): Promise<World> {
  let isDone = false
  const between =
    (next: Transport): Transport =>
    async (request, signal) => {
      const response = await next(request, signal)
      if (isDone || (request.query?.['page[number]'] ?? '1') !== '1') return response
      isDone = true
      const { organizations = [], projects = [], workspaces = [], sets = [] } = world.sandbox.snapshot()
      const others = sets.filter(({ name }) => name !== 'a00')
      world.sandbox.restore({
        organizations,
        projects,
        workspaces,
        sets: [...others, seedFrom(anObserved('new', 'zz'))],
      })
      return response
    }
  const world: World = await aWorld(SETS, { profile: PAGED, between })
  return world
}

test.each([
  ['nothing is removed', []],
  ['another set is removed', ['y']],
])(
  'a set that moves between pages while they are read is not created again: %s',
  {
    tags: ['F-30'],
  },
  async (_, removed) => {
    const world = await sliding()
    const files = {
      ...aDesiredState(aSet('m')),
      removed: removed.map(name => ({ name, source: SOMEWHERE })),
    }
    const { value: prepared } = await plannedIn(world, files)
    if (prepared === undefined) throw new TypeError('no plan')
    expect(prepared.plan.steps.map(({ id }) => id)).toContain('create-set m')
    await carryOut({ made: prepared, ...UNDISTURBED, service: world, concurrency: 1 })
    const names = (world.sandbox.snapshot().sets ?? []).map(({ name }) => name)
    expect(names.filter(name => name === 'm')).toEqual(['m'])
  },
)

test.each([
  ['ours', 'us', 'nothing was executed'],
  ['that of another owner', 'them', 0],
])('a set that the list hides, and %s lists, keeps sets from being created: %s', async (_, owner, ended) => {
  const entry = {
    key: 'varset-hidden',
    category: 'terraform',
    value: entryText({ digest: 'd', secrets: {} }),
  } as const
  const world = await aWorld(
    [
      { id: 'varset-hidden', name: 'hidden' },
      { name: `setpoint-inventory-${owner}`, variables: [entry] },
    ],
    {
      between: next => async (request, signal) => {
        const response = await next(request, signal)
        if (request.method !== 'GET' || !request.path.endsWith('/organizations/acme/varsets')) return response
        const body = JSON.parse(response.body)
        body.data = body.data.filter(({ id }: { id: string }) => id !== 'varset-hidden')
        body.meta.pagination['total-count'] = body.data.length
        return { ...response, body: JSON.stringify(body) }
      },
    },
  )
  const applying = appliedIn(world, { ...aDesiredState(aSet('new')), owner: 'us' })
  const said = await applying.then(
    ({ exitCode }) => exitCode,
    (error: Error) => error.message,
  )
  expect(said).toBe(ended)
})
