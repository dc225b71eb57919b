import { observe } from '../../../../src/api/observe.ts'
import type { ObservedSet, ResolvedState } from '../../../../src/model/variable-set.ts'
import { createPlan } from '../../../../src/plan/create.ts'
import { applyPrepared } from '../../../../src/run/apply-prepared.ts'
import type { Profile } from '../../../../src/sandbox/index.ts'
import type { ApiResponse, Transport } from '../../../../src/wire/transport.ts'
import { OPTIONS } from '../../../support/plans.ts'
import { plannedIn, UNDISTURBED } from '../../../support/round.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../../../support/states.ts'
import { aWorld, PROJECTS, seedFrom, type World } from '../../../support/world.ts'
import type { Probe } from './probe.ts'

const PAGED: Partial<Profile> = { pageSize: 'clamp-20', setNames: 'any', listOrder: 'name' }
/** The first of two pages ends before "m", which is the first entry of the second page. */
const SETS = [
  ...Array.from({ length: 20 }, (_, i) => seedFrom(anObserved(`a${i}`, `a${String(i).padStart(2, '0')}`))),
  seedFrom(anObserved('m', 'm')),
  ...['x', 'y', 'z'].map(name => seedFrom(anObserved(name, name))),
]

type Spoil = (response: ApiResponse, world: World) => ApiResponse

/** A world whose first response for this page is changed by `spoil`. */
async function paged(page: string, spoil: Spoil, profile = PAGED): Promise<World> {
  let isDone = false
  const between =
    (next: Transport): Transport =>
    async (request, signal) => {
      const response = await next(request, signal)
      if (isDone || (request.query?.['page[number]'] ?? '1') !== page) return response
      isDone = true
      return spoil(response, world)
    }
  const world: World = await aWorld(SETS, { profile, between })
  return world
}

/** Another client deletes a set of page 1 and creates one at the end, so that "m" moves to page 1, which was already read. */
const slide: Spoil = (response, { sandbox }) => {
  const sets = sandbox.snapshot().sets ?? []
  const { organizations = [], projects = [], workspaces = [] } = sandbox.snapshot()
  sandbox.restore({
    organizations,
    projects,
    workspaces,
    sets: [...sets.filter(({ name }) => name !== 'a00'), seedFrom(anObserved('new', 'zz'))],
  })
  return response
}

/** A page without its first entry, which the totals count. */
const shorten: Spoil = response => {
  const body = JSON.parse(response.body)
  body.data.shift()
  return { ...response, body: JSON.stringify(body) }
}

/** A list without page data and without "m". */
const shortenBare: Spoil = response => {
  const body = JSON.parse(response.body)
  body.data = body.data.filter((set: { attributes: { name: string } }) => set.attributes.name !== 'm')
  return { ...response, body: JSON.stringify(body) }
}

/** The number of sets named "m" after an apply of files that declare it, and may remove another set. */
async function doubles(world: World, removed: readonly string[]): Promise<number> {
  const files = {
    ...aDesiredState(aSet('m')),
    removed: removed.map(name => ({ name, source: SOMEWHERE })),
  }
  const { prepared } = await plannedIn(world, files)
  if (prepared !== undefined)
    await applyPrepared({ prepared, ...UNDISTURBED, service: world, concurrency: 1 })
  return (world.sandbox.snapshot().sets ?? []).filter(({ name }) => name === 'm').length
}

/** An entry that moves between pages, or is missing from one, does not count as deleted (docs/fault-model.md F-30). */
export const movingLists: Probe = async () => {
  const found: string[] = []
  for (const removed of [[], ['y']]) {
    const count = await doubles(await paged('1', slide), removed)
    if (count !== 1)
      found.push(`${count} sets "m" after the list moved${removed.length > 0 ? ', with a delete' : ''}`)
  }
  const short = await observe((await paged('2', shorten)).reader, 'acme')
  if (!short.sets.some(({ name }) => name === 'm'))
    found.push('a list with fewer entries than its total was accepted')
  const unpaged = { pageData: 'unpaged' } as const
  const bare = await observe((await paged('1', shortenBare, unpaged)).reader, 'acme')
  if (!bare.sets.some(({ name }) => name === 'm'))
    found.push('a list without page data was accepted, although page 2 does not repeat it')
  return found
}

/** A set of a project is never taken for one of the organization with the same name, and a new owner needs a new set. */
export const projectSets: Probe = () => {
  const variables = { 'env/A': '1' }
  const theirs = { ...anObserved('1', 'a', { variables }), parent: PROJECTS[0] }
  const files = aDesiredState(aSet('a', { variables }))
  const removed = [{ id: theirs.id, source: SOMEWHERE }]
  const stepsOf = (desired: ResolvedState, ...observed: ObservedSet[]): string | undefined =>
    createPlan(desired, anObservedState(...observed), OPTIONS)
      .value?.steps.map(({ id, after }) => `${id} after ${after}`)
      .join(', ')
  const renamed = aDesiredState(aSet('b', { previousNames: ['a'], variables }))
  const checks: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ['a set of another owner is managed', stepsOf(files, theirs), undefined],
    ['a set of another owner is matched', stepsOf(files, theirs, anObserved('2', 'a', { variables })), ''],
    [
      'two sets have one name',
      stepsOf({ ...files, removed }, theirs),
      'delete-set a (varset-1) after , create-set a after delete-set a (varset-1)',
    ],
    [
      'a set is deleted before the one that takes over exists',
      stepsOf({ ...renamed, removed }, theirs),
      'create-set b after , delete-set a after create-set b',
    ],
  ]
  return checks.flatMap(([problem, is, due]) => (is === due ? [] : [`${problem}: ${is}`]))
}
