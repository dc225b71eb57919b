import fc from 'fast-check'
import { expect, test } from 'vitest'
import { observe } from '../../src/api/observe.ts'
import { executeWith } from '../../src/apply/execute.ts'
import { Secret } from '../../src/model/secret.ts'
import type { ObservedState, ResolvedSet, ResolvedState } from '../../src/model/variable-set.ts'
import { createPlan } from '../../src/plan/create.ts'
import type { Step } from '../../src/plan/plan-data.ts'
import type { SandboxSeed } from '../../src/sandbox/index.ts'
import { performedOn } from '../proof/orders/oracle.ts'
import { pairOfStates } from '../support/arbitrary.ts'
import { OPTIONS, planOf, printed, waitsOf } from '../support/plans.ts'
import { NEVER } from '../support/round.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'
import { aWorld, PROJECTS, seedFrom } from '../support/world.ts'

const global = true

test('to move a variable between global sets, it is deleted before it is created', () => {
  const plan = planOf(
    aDesiredState(aSet('a', { global }), aSet('b', { global, variables: { 'env/X': '1' } })),
    anObservedState(
      anObserved('1', 'a', { global, variables: { 'env/X': '1' } }),
      anObserved('2', 'b', { global }),
    ),
  )
  expect(printed(plan)).toEqual([
    'delete-variable a env/X',
    'create-variable b env/X  after delete-variable a env/X',
  ])
  expect(plan.facts.transition.gaps).toMatchObject([
    { key: 'env/X', between: ['delete-variable a env/X', 'create-variable b env/X'], why: 'slot' },
  ])
})

test('a set stops being global before anything is added to it', () => {
  const plan = planOf(
    aDesiredState(aSet('a', { variables: { 'env/X': 'new' }, workspaces: ['ws-1'] })),
    anObservedState(anObserved('1', 'a', { global, variables: { 'env/X': { hidden: true } } })),
  )
  expect(printed(plan)).toEqual([
    'update-set a',
    'delete-variable a env/X  after update-set a',
    'create-variable a env/X  after delete-variable a env/X, update-set a',
    'assign a workspaces  after create-variable a env/X, delete-variable a env/X, update-set a',
  ])
})

test('a key waits for the set that stops being global, and not for each of its variables', () => {
  const plan = planOf(
    aDesiredState(aSet('a'), aSet('b', { global, variables: { 'env/X': '1' } })),
    anObservedState(
      anObserved('1', 'a', { global, variables: { 'env/X': '1' } }),
      anObserved('2', 'b', { global }),
    ),
  )
  expect(printed(plan)).toEqual([
    'update-set a',
    'create-variable b env/X  after update-set a',
    'delete-variable a env/X  after create-variable b env/X',
  ])
})

test('a key of a set that is not global waits for no global set', () => {
  const desired = {
    ...aDesiredState(aSet('b', { variables: { 'env/X': '1' } })),
    removed: [{ name: 'a', source: SOMEWHERE }],
  }
  const plan = planOf(desired, anObservedState(anObserved('1', 'a', { global, variables: { 'env/X': '1' } })))
  expect(printed(plan)).toEqual(['create-set b', 'delete-set a'])
})

test('a set becomes global after all its other changes', () => {
  const plan = planOf(
    aDesiredState(aSet('a', { global, variables: { 'env/X': '2', 'env/Y': '1' }, workspaces: [] })),
    anObservedState(
      anObserved('1', 'a', { variables: { 'env/X': '1', 'env/Z': '1' }, workspaces: ['ws-1'] }),
    ),
  )
  expect(printed(plan)).toEqual([
    'create-variable a env/Y',
    'update-variable a env/X',
    'delete-variable a env/Z',
    'unassign a workspaces  after update-variable a env/X',
    'update-set a  after create-variable a env/Y, delete-variable a env/Z, unassign a workspaces, update-variable a env/X',
  ])
})

test('a global set is deleted before another set gets its variables', () => {
  const desired = {
    ...aDesiredState(aSet('b', { global, variables: { 'env/X': '1' } })),
    removed: [{ name: 'a', source: { path: 's', line: 1, column: 1 } }],
  }
  const plan = planOf(desired, anObservedState(anObserved('1', 'a', { global, variables: { 'env/X': '1' } })))
  expect(printed(plan)).toEqual(['delete-set a', 'create-set b  after delete-set a'])
})

test('sets that exchange being global wait for a key in the spelling of the files', () => {
  const variables = { 'env/Mixed Case': '1' }
  const plan = planOf(
    aDesiredState(aSet('a', { variables }), aSet('b', { global, variables })),
    anObservedState(anObserved('1', 'a', { global, variables }), anObserved('2', 'b', { variables })),
  )
  expect(plan.steps.flatMap(({ after }) => after)).toEqual([
    { step: 'update-set a', why: { kind: 'global-key', key: 'env/Mixed Case' } },
  ])
})

test('a set releases its name before another set takes it', () => {
  const plan = planOf(
    aDesiredState(aSet('b', { id: 'varset-1' }), aSet('c', { id: 'varset-2' })),
    anObservedState(anObserved('1', 'a'), anObserved('2', 'b')),
  )
  expect(printed(plan)).toEqual(['update-set c', 'update-set b  after update-set c'])
})

test('a set of another owner with the name of a new one is deleted first', () => {
  const theirs = { ...anObserved('1', 'a'), parent: PROJECTS[0] }
  const plan = planOf(
    { ...aDesiredState(aSet('a')), removed: [{ id: theirs.id, source: SOMEWHERE }] },
    anObservedState(theirs),
  )
  expect(printed(plan)).toEqual(['delete-set a (varset-1)', 'create-set a  after delete-set a (varset-1)'])
})

test('changes that wait for each other are refused, with what each does', () => {
  const desired = aDesiredState(
    aSet('b', { id: 'varset-1', variables: { 'env/X': '1' } }),
    aSet('c', { id: 'varset-2', global, variables: { 'env/X': '1' } }),
  )
  const observed = anObservedState(
    anObserved('1', 'a', { global, variables: { 'env/X': '1' } }),
    anObserved('2', 'b', { variables: { 'env/X': '1' } }),
  )
  const { value, diagnostics } = createPlan(desired, observed, OPTIONS)
  expect(value).toBeUndefined()
  expect(diagnostics.map(d => [d.code, d.message, d.source])).toEqual([
    [
      'name-cycle',
      'These changes wait for each other: "a" is renamed to "b", "b" is renamed to "c".',
      SOMEWHERE,
    ],
  ])
})

const variables = { 'env/X': '1' }

test.each([
  [
    'two names',
    [aSet('b', { id: 'varset-1' }), aSet('a', { id: 'varset-2' })],
    [anObserved('1', 'a'), anObserved('2', 'b')],
    'First rename "b" to a name that no set has, such as "a-temporary", and apply that. Then rename it to "a". If somebody swapped names in the service, it is enough to give "b" such a name there.',
  ],
  [
    'three names',
    [aSet('b', { id: 'varset-1' }), aSet('c', { id: 'varset-2' }), aSet('a', { id: 'varset-3' })],
    [anObserved('1', 'a'), anObserved('2', 'b'), anObserved('3', 'c')],
    'First rename "c" to a name that no set has, such as "a-temporary", and apply that. Then rename it to "a". If somebody swapped names in the service, it is enough to give "c" such a name there.',
  ],
  [
    'a name and a key of global sets',
    [aSet('a', { id: 'varset-1', global, variables }), aSet('b', { id: 'varset-2', variables })],
    [anObserved('1', 'b', { variables }), anObserved('2', 'z', { global, variables })],
    'First rename "z" to a name that no set has, such as "b-temporary", and apply that. Then rename it to "b". If somebody swapped names in the service, it is enough to give "z" such a name there.',
  ],
])('the advice of the error resolves a circle of %s', (_, sets, observed, advice) => {
  const desired = aDesiredState(...sets)
  const before = anObservedState(...observed)
  expect(createPlan(desired, before, OPTIONS).diagnostics.map(d => d.hint)).toEqual([advice])
  const [, temporary, final] = [...advice.matchAll(/"([^"]+)"/g)].map(([, name]) => name)
  const renamed = (set: ResolvedSet) => (set.name === final ? { ...set, name: `${temporary}` } : set)
  const first = applied(aDesiredState(...sets.map(renamed)), before)
  const last = applied(desired, first)
  expect(planOf(desired, last).steps).toEqual([])
})

const applied = (desired: ResolvedState, observed: ObservedState): ObservedState => ({
  ...observed,
  sets: planOf(desired, observed).steps.reduce(
    (sets: ObservedState['sets'], { operation }) => performedOn(sets, operation),
    observed.sets,
  ),
})

test('a global set is not deleted after a new one with the same key', () => {
  const created = aSet('b', { global, variables, previousNames: ['a'] })
  const observed = anObservedState(
    anObserved('1', 'a', { global, variables, parent: 'prj-1' }),
    anObserved('2', 'c', {}),
  )
  const removed = [{ id: 'varset-1', source: SOMEWHERE } as const]
  const { diagnostics } = createPlan({ ...aDesiredState(created), removed }, observed, OPTIONS)
  expect(diagnostics.map(d => `${d.message} ${d.hint}`)).toEqual([
    'These changes wait for each other: "b" is created, "a" is deleted. First apply the files without `previousNames` of "b": then it waits for the deletion, and the plan names the gap.',
  ])
  const desired = { ...aDesiredState({ ...created, previousNames: [] }), removed }
  expect(printed(planOf(desired, observed))).toEqual(['delete-set a', 'create-set b  after delete-set a'])
})

test('swapped names are refused', () => {
  const { value, diagnostics } = createPlan(
    aDesiredState(aSet('b', { id: 'varset-1' }), aSet('a', { id: 'varset-2' })),
    anObservedState(anObserved('1', 'a'), anObserved('2', 'b')),
    OPTIONS,
  )
  expect(value).toBeUndefined()
  expect(diagnostics.map(d => [d.code, d.message])).toEqual([
    ['name-cycle', 'These changes wait for each other: "b" is renamed to "a", "a" is renamed to "b".'],
  ])
})

test('make before break: a set is assigned before another set with the same variable is unassigned', () => {
  const plan = planOf(
    aDesiredState(
      aSet('a', { variables: { 'env/X': '1' }, workspaces: [] }),
      aSet('b', { variables: { 'env/X': '2' }, workspaces: ['ws-1'] }),
    ),
    anObservedState(
      anObserved('1', 'a', { variables: { 'env/X': '1' }, workspaces: ['ws-1'] }),
      anObserved('2', 'b', { variables: { 'env/X': '2' } }),
    ),
  )
  expect(printed(plan)).toEqual(['assign b workspaces', 'unassign a workspaces  after assign b workspaces'])
})

test('make before break: each of 600 deletions waits only for the creation of the same key', () => {
  const keys = Array.from({ length: 600 }, (_, at) => `env/V${at}`)
  const variables = Object.fromEntries(keys.map(key => [key, '1']))
  const workspaces = ['ws-1'] as const
  const name = (at: number) => `b${String(at).padStart(3, '0')}`
  const plan = planOf(
    aDesiredState(
      aSet('a', { workspaces }),
      ...keys.map((key, at) => aSet(name(at), { workspaces, variables: { [key]: '1' } })),
    ),
    anObservedState(
      anObserved('a', 'a', { workspaces, variables }),
      ...keys.map((_, at) => anObserved(`${at}`, name(at), { workspaces })),
    ),
  )
  const deletions = plan.steps.filter(step => step.operation.type === 'delete-variable')
  expect(deletions.map(step => [step.id, waitsOf(step)]).toSorted()).toEqual(
    keys.map((key, at) => [`delete-variable a ${key}`, [`create-variable ${name(at)} ${key}`]]).toSorted(),
  )
})

test('make before break: if 1,200 sets change places, every other step waits only for the assignment that wins in the end', () => {
  const names = Array.from({ length: 1_200 }, (_, at) => `s${at}`)
  const set = (at: number, isHere: boolean) => ({
    variables: { 'env/X': `${at}` },
    workspaces: isHere ? (['ws-1'] as const) : [],
  })
  const plan = planOf(
    aDesiredState(...names.map((name, at) => aSet(name, set(at, at % 2 === 0)))),
    anObservedState(...names.map((name, at) => anObserved(`${at}`, name, set(at, at % 2 === 1)))),
  )
  expect(plan.steps.length).toBe(1_200)
  const arrives = 'assign s0 workspaces'
  expect(Object.fromEntries(plan.steps.map(step => [step.id, waitsOf(step)]))).toEqual(
    Object.fromEntries(plan.steps.map(({ id }) => [id, id === arrives ? [] : [arrives]])),
  )
  expect(plan.facts.transition).toEqual({ workspaces: 1, seeing: 0, gaps: [], left: 0 })
})

test('make before break: a set is created before another is deleted if both apply to one workspace', () => {
  const removed = [{ name: 'a', source: { path: 's', line: 1, column: 1 } }]
  const observed = anObservedState(
    anObserved('1', 'a', { variables: { 'env/X': '1' }, workspaces: ['ws-1'] }),
  )
  const plan = planOf(
    { ...aDesiredState(aSet('b', { variables: { 'env/X': '2' }, workspaces: ['ws-1'] })), removed },
    observed,
  )
  expect(printed(plan)).toEqual(['create-set b', 'delete-set a  after create-set b'])
  const elsewhere = planOf(
    { ...aDesiredState(aSet('b', { variables: { 'env/X': '2' }, workspaces: ['ws-2'] })), removed },
    observed,
  )
  expect(printed(elsewhere)).toEqual(['create-set b', 'delete-set a'])
})

/** One order in which the steps may end: `pick` chooses among the steps whose dependencies have ended. */
function anOrder(steps: readonly Step[], pick: (below: number) => number): Step[] {
  const ended = new Set<string>()
  const order: Step[] = []
  for (let rest = [...steps]; rest.length > 0; rest = rest.filter(step => !ended.has(step.id))) {
    const ready = rest.filter(({ after }) => after.every(({ step }) => ended.has(step)))
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
