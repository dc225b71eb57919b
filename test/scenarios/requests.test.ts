import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type {
  ObservedSet,
  ObservedVariable,
  ResolvedSet,
  ResolvedState,
} from '../../src/model/variable-set.ts'
import { carryOut } from '../../src/run/apply.ts'
import { pairOfStates } from '../support/arbitrary.ts'
import { aPlace } from '../support/place.ts'
import { plannedFor } from '../support/prepare.ts'
import { plannedIn, UNDISTURBED } from '../support/round.ts'
import { aDesiredState, anObserved, aSet, asWritten, SOMEWHERE } from '../support/states.ts'
import { aWorld, PROJECTS, STACKS, seedFrom, WORKSPACES, type World } from '../support/world.ts'

const secret = { secret: { name: 'S' } }
const hidden = { hidden: true } as const

/** Plans and applies. Returns the number of `GET` and of other requests. */
async function requestsOf(
  desired: ResolvedState,
  world: World,
): Promise<{ plan: number; reads: number; writes: number }> {
  const { value: prepared } = await plannedIn(world, desired)
  const plan = world.log.length
  if (prepared === undefined) return { plan, reads: 0, writes: 0 }
  await carryOut({ made: prepared, ...UNDISTURBED, service: world })
  const sent = world.log.slice(plan)
  const reads = sent.filter(request => request.method === 'GET').length
  return { plan, reads, writes: sent.length - reads }
}

/** The table of docs/reliability.md#requests, computed independently from the states. */
function minimum(desired: ResolvedState, observed: readonly ObservedSet[]): number {
  const isRemoved = (set: ObservedSet): boolean =>
    desired.removed.some(({ id, name }) => (id === undefined ? set.name === name : set.id === id))
  const left = observed.filter(set => !isRemoved(set))
  return (
    observed.length -
    left.length +
    desired.sets.reduce((sum, set) => sum + minimumOf(set, partnerOf(set, desired, left)), 0)
  )
}

function partnerOf(
  set: ResolvedSet,
  desired: ResolvedState,
  observed: readonly ObservedSet[],
): ObservedSet | undefined {
  if (set.id !== undefined) return observed.find(other => other.id === set.id)
  const pinned = new Set(desired.sets.map(other => other.id))
  const free = observed.filter(other => !pinned.has(other.id))
  const byName = (name: string) => free.find(other => other.name === name)
  const previous = set.previousNames.find(
    name => byName(name) && !desired.sets.some(other => other.name === name),
  )
  return byName(set.name) ?? (previous === undefined ? undefined : byName(previous))
}

function minimumOf(set: ResolvedSet, observed: ObservedSet | undefined): number {
  if (observed === undefined) return 1
  const settings = (['name', 'description', 'global', 'priority'] as const).some(
    key => set[key] !== observed[key],
  )
  const before = new Map(observed.variables.map(variable => [variable.key, variable]))
  const after = new Set(set.variables.map(variable => variable.key))
  const added = set.variables.filter(({ key, value }) => !before.has(key) && !('external' in value)).length
  const removed = observed.variables.filter(({ key }) => !after.has(key)).length
  const changed = set.variables.reduce((sum, variable) => sum + costOf(variable, before.get(variable.key)), 0)
  const lists = [
    [set.workspaces, observed.workspaces],
    [set.projects, observed.projects],
    [set.stacks, observed.stacks ?? []],
  ] as const
  const assignments = lists.reduce((sum, [wanted, have]) => {
    if (wanted === undefined) return sum
    const list: readonly string[] = wanted
    const other: readonly string[] = have
    return sum + Number(list.some(id => !other.includes(id))) + Number(other.some(id => !list.includes(id)))
  }, 0)
  return Number(settings) + added + removed + changed + assignments
}

function costOf(desired: ResolvedSet['variables'][number], observed: ObservedVariable | undefined): number {
  if (observed === undefined) return 0
  const described = desired.description !== observed.description
  const flagged = desired.key.startsWith('terraform/') && desired.hcl !== observed.hcl
  // An external variable gets the hcl flag only if the service shows its value.
  const isTaken = desired.hcl && 'text' in observed.value
  if ('external' in desired.value) return Number(described || (flagged && isTaken))
  if ('hidden' in observed.value) return 'text' in desired.value || flagged ? 2 : Number(described)
  return 'secret' in desired.value
    ? 1
    : Number(
        described || flagged || !('text' in observed.value) || desired.value.text !== observed.value.text,
      )
}

describe('the number of writes', () => {
  const [w1, w2] = WORKSPACES
  const [p1, p2] = PROJECTS
  const [s1, s2] = STACKS
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`env/V${i}`, `${i}`]))
  const two = { 'env/A': '1', 'env/B': '2' }
  const rows: readonly (readonly [string, ResolvedSet, ObservedSet | undefined, number])[] = [
    [
      'create a set with everything',
      aSet('a', { variables: many, workspaces: [w1, w2], projects: [p1], stacks: [s1, s2] }),
      undefined,
      1,
    ],
    [
      'change all settings and add twenty variables',
      aSet('a', { description: 'd', priority: true, variables: many }),
      anObserved('1', 'a'),
      21,
    ],
    ['add one variable', aSet('a', { variables: { 'env/A': '1' } }), anObserved('1', 'a'), 1],
    ['add twenty variables', aSet('a', { variables: many }), anObserved('1', 'a'), 20],
    [
      'change two variables',
      aSet('a', { variables: { 'env/A': '3', 'env/B': secret } }),
      anObserved('1', 'a', { variables: two }),
      2,
    ],
    ['delete two variables', aSet('a'), anObserved('1', 'a', { variables: two }), 2],
    [
      'replace a variable',
      aSet('a', { variables: { 'env/A': '1' } }),
      anObserved('1', 'a', { variables: { 'env/A': hidden } }),
      2,
    ],
    [
      'assign and unassign every kind of target',
      aSet('a', { workspaces: [w1], projects: [p1], stacks: [s1] }),
      anObserved('1', 'a', { workspaces: [w2], projects: [p2], stacks: [s2] }),
      6,
    ],
    ['change nothing', aSet('a', { variables: two }), anObserved('1', 'a', { variables: two }), 0],
  ]
  test.each(rows)('%s', async (_, desired, observed, writes) => {
    const world = await aWorld(observed === undefined ? [] : [seedFrom(long(observed))])
    const counted = await requestsOf(aDesiredState(desired), world)
    const reads = writes === 0 ? 0 : 1
    expect(counted).toEqual({ plan: 1, reads, writes })
  })
  test('delete a set', async () => {
    const world = await aWorld([seedFrom(long(anObserved('1', 'a', { variables: two })))])
    const desired = { ...aDesiredState(), removed: [{ name: 'a', source: SOMEWHERE }] }
    expect(await requestsOf(desired, world)).toEqual({ plan: 1, reads: 1, writes: 1 })
  })
  test.each([
    ['change the owner', aSet('a', { variables: two, parent: p1 })],
    ['change the owner and the name', aSet('b', { previousNames: ['a'], variables: many, parent: p1 })],
  ])('%s', async (_, desired) => {
    const old = long(anObserved('1', 'a', { variables: two, workspaces: [w1] }))
    const removed = [{ id: old.id, source: SOMEWHERE }]
    const counted = await requestsOf({ ...aDesiredState(desired), removed }, await aWorld([seedFrom(old)]))
    expect(counted).toEqual({ plan: 1, reads: 1, writes: 2 })
  })
})

/** Pads the short ids of the builders to the length that the service uses. */
const long = (set: ObservedSet): ObservedSet => ({
  ...set,
  id: `varset-${set.id.slice(7).padEnd(16, '0')}`,
  variables: set.variables.map(variable => ({
    ...variable,
    id: `var-${variable.id.slice(4).padEnd(16, '0')}` as const,
  })),
})

test('random changes need exactly the requests of docs/reliability.md#requests', {
  tags: ['I-12', '8.5'],
}, async () => {
  let writes = 0
  await fc.assert(
    fc.asyncProperty(pairOfStates, async ({ desired, observed }) => {
      const world = await aWorld(observed.sets.map(seedFrom))
      const counted = await requestsOf(desired, world)
      if (counted.writes === 0) return
      writes += counted.writes
      expect(counted.writes).toBe(minimum(desired, observed.sets))
      expect(counted.plan).toBe(1)
      expect(counted.reads).toBe(1)
    }),
    { numRuns: 300, seed: 3 },
  )
  expect(writes).toBeGreaterThan(600)
})

describe('the number of reads', () => {
  const sets = (n: number) =>
    Array.from({ length: n }, (_, i) => ({
      name: `s${i}`,
      variables: [{ key: 'A', category: 'env', value: '1' }],
    }))
  test.each([
    [0, 1],
    [1, 1],
    [100, 1],
    [101, 2],
    [250, 3],
  ])('planning %i sets needs %i', { tags: ['F-34'] }, async (count, reads) => {
    const world = await aWorld(sets(count))
    await plannedFor(filesWith(aDesiredState()), world, [])
    expect(world.requests()).toEqual({ reads, writes: 0 })
  })
  test('any number of names needs one list for each kind of target', async () => {
    const world = await aWorld([])
    const named = { name: 'workspace-1', source: SOMEWHERE }
    const state = filesWith(aDesiredState())
    const desired = {
      ...state,
      sets: [
        { ...asWritten(aSet('a')), workspaces: [named, { ...named, name: 'workspace-2' }], projects: [] },
      ],
    }
    const { value: prepared } = await plannedFor(desired, world, [])
    expect(prepared?.plan.steps.map(step => step.id)).toEqual(['create-set a'])
    expect(world.requests()).toEqual({ reads: 3, writes: 0 })
  })
  test('the name of a Stack needs the list of Stacks, and names of several kinds need one list each', async () => {
    const named = (name: string) => [{ name, source: SOMEWHERE }]
    const bare = asWritten(aSet('a'))
    const stacks = { ...filesWith(aDesiredState()), sets: [{ ...bare, stacks: named('stack-1') }] }
    const world = await aWorld([])
    expect((await plannedFor(stacks, world, [])).value?.plan.steps).toHaveLength(1)
    // And the name of its project.
    expect(world.requests()).toEqual({ reads: 3, writes: 0 })
    const all = { ...stacks, sets: stacks.sets.map(set => ({ ...set, projects: named('project-1') })) }
    const other = await aWorld([])
    await plannedFor(all, other, [])
    expect(other.requests()).toEqual({ reads: 4, writes: 0 })
  })
  test('if a list truncates the Stacks of a set, one read of that set requests them', async () => {
    const seeds = [{ name: 'a', stacks: STACKS }, { name: 'b', workspaces: WORKSPACES }, { name: 'c' }]
    const world = await aWorld(seeds, { traits: { references: 'two' } })
    await plannedFor(filesWith(aDesiredState()), world, [])
    const included = world.log.map(({ path, query }) => `${path.split('/').at(-2)} ${query?.include}`)
    expect(included).toEqual(['acme vars', 'varsets vars,stacks', 'varsets vars'])
  })
  describe('of what a plan changes, which uses look-ups or lists, whichever are fewer', () => {
    const [w1, w2, w3] = WORKSPACES
    const bare = asWritten(aSet('a'))
    const ids = <Id extends string>(...all: Id[]) => all.map(id => ({ id, source: SOMEWHERE }))
    const one = `GET /api/v2/workspaces/${w1}`
    const list = 'GET /api/v2/organizations/acme/workspaces'
    const project = `GET /api/v2/projects/${PROJECTS[0]}`
    const projects = 'GET /api/v2/organizations/acme/projects'
    test.each([
      ['one workspace', { workspaces: ids(w1) }, [one, project]],
      ['three workspaces', { workspaces: ids(w1, w2, w3) }, [list, projects]],
      ['every kind', { workspaces: ids(w1), projects: ids(PROJECTS[0]), stacks: ids(STACKS[0]) }, 3],
      ['a project, of which all workspaces count', { projects: ids(PROJECTS[0]) }, [project, list]],
      ['no assignment', { workspaces: [], projects: [] }, []],
      ['an existing assignment', { workspaces: ids(w1) }, [], { workspaces: [w1] }],
    ] as const)('%s', async (_, targets, reads, observed?) => {
      const world = await aWorld(observed === undefined ? [] : [{ name: 'a', ...observed }])
      const state = filesWith(aDesiredState())
      const { value: prepared } = await plannedFor({ ...state, sets: [{ ...bare, ...targets }] }, world, [])
      const asked = world.log.slice(1).map(({ method, path }) => `${method} ${path}`)
      if (typeof reads === 'number') expect(asked).toHaveLength(reads)
      else expect(asked.toSorted()).toEqual(reads.toSorted())
      expect(prepared?.plan.requests.reads).toBe(1 + asked.length)
    })
    test('an unknown id needs a list, which distinguishes a missing id from a missing look-up endpoint', async () => {
      const world = await aWorld([])
      const sets = [{ ...bare, workspaces: ids('ws-AAAAAAAAAAAAAAA9') }]
      const { diagnostics } = await plannedFor({ ...filesWith(aDesiredState()), sets }, world, [])
      expect(diagnostics.map(({ code }) => code)).toEqual(['unknown-id'])
      expect(world.requests()).toEqual({ reads: 3, writes: 0 })
    })
    test('a service without look-ups is asked twice, and ids are planned', async () => {
      const world = await aWorld([], { traits: { lookUps: 'no' } })
      const sets = [{ ...bare, workspaces: ids(w1) }]
      const { value: prepared } = await plannedFor({ ...filesWith(aDesiredState()), sets }, world, [])
      expect(prepared?.plan.steps).toHaveLength(1)
      expect(world.requests()).toEqual({ reads: 3, writes: 0 })
    })
  })
  test('the closing read requests only the changed set if that is cheaper than the list', async () => {
    const world = await aWorld(sets(250))
    const desired = aDesiredState(aSet('s7', { variables: { 'env/A': '2' } }))
    expect(await requestsOf(desired, world)).toEqual({ plan: 3, reads: 1, writes: 1 })
  })
  test('several pages are read twice before anything is removed', { tags: ['F-30'] }, async () => {
    const world = await aWorld(sets(250))
    const desired = aDesiredState(aSet('s7', {}))
    expect(await requestsOf(desired, world)).toEqual({ plan: 3, reads: 3 + 1, writes: 1 })
  })
})

const filesWith = (state: ResolvedState) => ({ ...state, sets: [] })

test('an apply that sent another number of requests than planned names both', async () => {
  const file =
    'variableSets: { a: { workspaces: [w], terraform: { A: 1, B: 2 } }, b: { terraform: { C: 3 } } }\n'
  const first = /^setpoint apply .*$/m
  const whole = await aPlace({ 'sets/a.yaml': file })
  const ended = await whole.setpoint(['apply', '--auto-approve'])
  expect(ended.stdout).toContain('2 sets are created: 2 requests')
  expect(first.exec(ended.stdout)?.[0]).toMatch(/ reads, 2 writes$/)
  const parts = await aPlace({ 'sets/a.yaml': file }, { profile: { server: 'otf' } })
  const more = await parts.setpoint(['apply', '--auto-approve'])
  expect(more.stdout).toContain('2 sets are created: 2 requests')
  // Two sets, three variables, one workspace.
  expect(first.exec(more.stdout)?.[0]).toMatch(/ reads, 6 writes \(2 planned\)$/)
})
