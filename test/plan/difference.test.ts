import { describe, expect, test } from 'vitest'
import type { ObservedSet, ResolvedSet } from '../../src/model/variable-set.ts'
import { planOf, printed } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'

const secret = { secret: { name: 'S' } }
const hidden = { hidden: true } as const

interface Row {
  readonly name: string
  readonly desired: ResolvedSet
  readonly observed?: ObservedSet
  readonly steps: readonly string[]
}

const rows: readonly Row[] = [
  {
    name: 'a set that does not exist is created with one request',
    desired: aSet('a', { variables: { 'env/X': '1', 'env/Y': secret }, workspaces: ['ws-1'] }),
    steps: ['create-set a'],
  },
  {
    name: 'an equal set needs no request',
    desired: aSet('a', { variables: { 'env/X': '1' } }),
    observed: anObserved('1', 'a', { variables: { 'env/X': '1' } }),
    steps: [],
  },
  {
    name: 'all changed settings need one request',
    desired: aSet('a', { description: 'd', priority: true }),
    observed: anObserved('1', 'a'),
    steps: ['update-set a'],
  },
  {
    name: 'one new variable is created by itself',
    desired: aSet('a', { variables: { 'env/X': '1' } }),
    observed: anObserved('1', 'a'),
    steps: ['create-variable a env/X'],
  },
  {
    name: 'new variables are created one by one',
    desired: aSet('a', { variables: { 'env/X': '1', 'env/Y': '2' } }),
    observed: anObserved('1', 'a'),
    steps: ['create-variable a env/X', 'create-variable a env/Y'],
  },
  {
    name: 'a new variable is never created in the update of the settings',
    desired: aSet('a', { description: 'd', variables: { 'env/X': '1' } }),
    observed: anObserved('1', 'a'),
    steps: ['create-variable a env/X', 'update-set a'],
  },
  {
    name: 'a changed value is an update',
    desired: aSet('a', { variables: { 'env/X': '2' } }),
    observed: anObserved('1', 'a', { variables: { 'env/X': '1' } }),
    steps: ['update-variable a env/X'],
  },
  {
    name: 'a variable that is not in the file is deleted',
    desired: aSet('a'),
    observed: anObserved('1', 'a', { variables: { 'env/X': '1' } }),
    steps: ['delete-variable a env/X'],
  },
  {
    name: 'a variable with another category is another variable',
    desired: aSet('a', { variables: { 'terraform/X': '1' } }),
    observed: anObserved('1', 'a', { variables: { 'env/X': '1' } }),
    steps: ['create-variable a terraform/X', 'delete-variable a env/X'],
  },
  {
    name: 'the final newline is part of a value',
    desired: aSet('a', { variables: { 'env/X': 'a' } }),
    observed: anObserved('1', 'a', { variables: { 'env/X': 'a\n' } }),
    steps: ['update-variable a env/X'],
  },
  {
    name: 'line endings are part of a value',
    desired: aSet('a', { variables: { 'env/X': 'a\nb' } }),
    observed: anObserved('1', 'a', { variables: { 'env/X': 'a\r\nb' } }),
    steps: ['update-variable a env/X'],
  },
  {
    name: 'a changed hcl flag is an update',
    desired: aSet('a', { variables: { 'terraform/X': { value: '[]', hcl: true } } }),
    observed: anObserved('1', 'a', { variables: { 'terraform/X': '[]' } }),
    steps: ['update-variable a terraform/X'],
  },
  {
    name: 'hcl of an environment variable is not compared',
    desired: aSet('a', { variables: { 'env/X': '1' } }),
    observed: anObserved('1', 'a', { variables: { 'env/X': { value: '1', hcl: true } } }),
    steps: [],
  },
  {
    name: 'an existing secret counts as equal',
    desired: aSet('a', { variables: { 'env/X': secret } }),
    observed: anObserved('1', 'a', { variables: { 'env/X': hidden } }),
    steps: [],
  },
  {
    name: 'a secret with another description is sent with its value',
    desired: aSet('a', { variables: { 'env/X': { value: secret, description: 'd' } } }),
    observed: anObserved('1', 'a', { variables: { 'env/X': hidden } }),
    steps: ['update-variable a env/X'],
  },
  {
    name: 'readable to secret is an update',
    desired: aSet('a', { variables: { 'env/X': secret } }),
    observed: anObserved('1', 'a', { variables: { 'env/X': '1' } }),
    steps: ['update-variable a env/X'],
  },
  {
    name: 'secret to readable is a replacement',
    desired: aSet('a', { variables: { 'env/X': '1' } }),
    observed: anObserved('1', 'a', { variables: { 'env/X': hidden } }),
    steps: ['delete-variable a env/X', 'create-variable a env/X  after delete-variable a env/X'],
  },
  {
    name: 'a changed hcl flag of a secret is a replacement',
    desired: aSet('a', { variables: { 'terraform/X': { value: secret, hcl: true } } }),
    observed: anObserved('1', 'a', { variables: { 'terraform/X': hidden } }),
    steps: [
      'delete-variable a terraform/X',
      'create-variable a terraform/X  after delete-variable a terraform/X',
    ],
  },
  {
    name: 'a replacement is never part of an update of the set',
    desired: aSet('a', { description: 'd', variables: { 'env/X': '1' } }),
    observed: anObserved('1', 'a', { variables: { 'env/X': hidden } }),
    steps: [
      'delete-variable a env/X',
      'create-variable a env/X  after delete-variable a env/X',
      'update-set a',
    ],
  },
  {
    name: 'an external variable is not changed, whether the service shows its value or not',
    desired: aSet('a', { variables: { 'env/X': { external: true }, 'env/Y': { external: true } } }),
    observed: anObserved('1', 'a', { variables: { 'env/X': hidden, 'env/Y': 'seen' } }),
    steps: [],
  },
  {
    name: 'the description of an external variable is updated',
    desired: aSet('a', { variables: { 'env/X': { value: { external: true }, description: 'd' } } }),
    observed: anObserved('1', 'a', { variables: { 'env/X': hidden } }),
    steps: ['update-variable a env/X'],
  },
  {
    name: 'a missing external variable is not created',
    desired: aSet('a', { variables: { 'env/X': { external: true } } }),
    observed: anObserved('1', 'a'),
    steps: [],
  },
  {
    name: 'a new set is created without its external variables',
    desired: aSet('a', { variables: { 'env/X': { external: true } } }),
    steps: ['create-set a'],
  },
  {
    name: 'assignments need one request per kind and direction',
    desired: aSet('a', { workspaces: ['ws-2', 'ws-3'], projects: ['prj-2'] }),
    observed: anObserved('1', 'a', { workspaces: ['ws-1', 'ws-2'], projects: ['prj-1'] }),
    steps: ['assign a workspaces', 'assign a projects', 'unassign a workspaces', 'unassign a projects'],
  },
  {
    name: 'assignments that the file does not mention are not managed',
    desired: aSet('a'),
    observed: anObserved('1', 'a', { workspaces: ['ws-1'], projects: ['prj-1'] }),
    steps: [],
  },
  {
    name: 'an empty list removes all assignments',
    desired: aSet('a', { workspaces: [] }),
    observed: anObserved('1', 'a', { workspaces: ['ws-1'] }),
    steps: ['unassign a workspaces'],
  },
  {
    name: 'a renamed set keeps its id',
    desired: aSet('b', { previousNames: ['a'] }),
    observed: anObserved('1', 'a'),
    steps: ['update-set b'],
  },
  {
    name: 'a set with an id is renamed',
    desired: aSet('b', { id: 'varset-1' }),
    observed: anObserved('1', 'a'),
    steps: ['update-set b'],
  },
]

describe('the difference of one set', () => {
  test.each(rows.map(row => [row.name, row] as const))('%s', (_, { desired, observed, steps }) => {
    const plan = planOf(aDesiredState(desired), anObservedState(...(observed ? [observed] : [])))
    expect(printed(plan)).toEqual(steps)
  })
})

test('variables of an unknown category are kept', { tags: ['F-36'] }, () => {
  const observed = {
    ...anObserved('1', 'a'),
    foreignVariables: [{ id: 'var-9', key: 'X', category: 'policy-set' }],
  }
  expect(printed(planOf(aDesiredState(aSet('a')), anObservedState(observed)))).toEqual([])
})

test('of two variables with the same key, the equal one is kept and the other is deleted', () => {
  const one = anObserved('1', 'a', { variables: { 'env/X': 'old' } })
  const two = anObserved('2', 'a', { variables: { 'env/X': 'new' } })
  const observed = { ...one, variables: [...one.variables, ...two.variables] }
  const plan = planOf(aDesiredState(aSet('a', { variables: { 'env/X': 'new' } })), anObservedState(observed))
  expect(printed(plan)).toEqual(['delete-variable a env/X (var-10)'])
})

test('operations contain the values before and after, and no place in a file', () => {
  const plan = planOf(
    aDesiredState(aSet('a', { priority: true, variables: { 'env/X': { value: secret, description: 'd' } } })),
    anObservedState(anObserved('1', 'a', { variables: { 'env/X': hidden } })),
  )
  expect(plan.steps.map(step => step.operation)).toEqual([
    {
      type: 'update-set',
      subject: { kind: 'variable-set', name: 'a', id: 'varset-1' },
      before: { name: 'a', description: '', global: false, priority: false },
      after: { name: 'a', description: '', global: false, priority: true },
    },
    {
      type: 'update-variable',
      subject: { kind: 'variable-set', name: 'a', id: 'varset-1' },
      variableId: 'var-10',
      before: { key: 'env/X', value: { hidden: true }, description: '', hcl: false },
      after: { key: 'env/X', value: { secret: { name: 'S' } }, description: 'd', hcl: false },
    },
  ])
})

test('an external HCL variable remains HCL when its description changes', () => {
  const plan = planOf(
    aDesiredState(
      aSet('a', { variables: { 'terraform/X': { value: { external: true }, description: 'd' } } }),
    ),
    anObservedState(anObserved('1', 'a', { variables: { 'terraform/X': { value: '[1]', hcl: true } } })),
  )
  expect(plan.steps.map(step => step.operation)).toMatchObject([{ after: { hcl: true, description: 'd' } }])
})

test('only the sets that "removed" names are deleted', () => {
  const desired = {
    ...aDesiredState(aSet('a')),
    removed: [{ name: 'b', source: { path: 's', line: 1, column: 1 } }],
  }
  const observed = anObservedState(anObserved('1', 'a'), anObserved('2', 'b'), anObserved('3', 'c'))
  expect(printed(planOf(desired, observed))).toEqual(['delete-set b'])
})

test('the facts count what the plan does not change', () => {
  const plan = planOf(
    aDesiredState(
      aSet('a', { variables: { 'env/S': secret } }),
      aSet('b', { variables: { 'env/T': secret, 'env/E': { external: true } } }),
    ),
    anObservedState(
      anObserved('1', 'a', { variables: { 'env/S': hidden }, workspaces: ['ws-1'], projects: ['prj-1'] }),
      anObserved('2', 'b', { variables: { 'env/E': hidden } }),
      anObserved('3', 'c'),
    ),
  )
  expect(plan.facts).toEqual({
    findings: [],
    counts: [{ set: 'b', workspaces: 0, items: { 'env/T': 0 } }],
    equalSets: 1,
    undeclaredSets: 1,
    observedSets: 3,
    unmanagedAssignments: [{ set: 'a', count: 2 }],
    secrets: [{ set: 'a', key: 'env/S', state: { state: 'not-compared', why: 'no-inventory' } }],
    secretsNotCompared: 1,
    secretsToWrite: 1,
    externals: 1,
    outsideSelection: 0,
    hidden: [],
    owners: [{ owner: null, sets: 1 }],
    leftAlone: [{ set: 'c', id: 'varset-3', why: 'unmanaged' }],
    newReach: [],
    inventory: { adopted: [], taken: [], requests: 0 },
    origins: [],
    received: {
      level: 'workspaces',
      known: 0,
      withoutProject: 0,
      changes: [],
      groups: [],
      sizes: {},
    },
    exposure: [],
    transition: { workspaces: 0, seeing: 0, gaps: [], left: 0 },
  })
})

test('a readable value that becomes a secret, in this set or another, is withheld from the plan', () => {
  const removed = [{ name: 'c', source: { path: 's', line: 1, column: 1 } }]
  const plan = planOf(
    { ...aDesiredState(aSet('a', { variables: { 'env/X': secret } }), aSet('b')), removed },
    anObservedState(
      anObserved('1', 'a', { variables: { 'env/X': 'in clear' } }),
      anObserved('2', 'b', { variables: { 'env/X': 'in clear', 'env/Y': 'plain' } }),
      anObserved('3', 'c', { variables: { 'env/X': 'in clear' } }),
    ),
  )
  expect(JSON.stringify(plan)).not.toContain('in clear')
  expect(JSON.stringify(plan)).toContain('plain')
  expect(JSON.stringify(plan).match(/"withheld":true/g)).toHaveLength(3)
})

test('a readable value that looks like a secret is withheld from the plan, in updates and deletions', () => {
  const looksSecret = (_: string, text: string): boolean => text.startsWith('AKIA')
  const plan = planOf(
    aDesiredState(aSet('a', { variables: { 'env/X': 'plain' } })),
    anObservedState(anObserved('1', 'a', { variables: { 'env/X': 'AKIA1', 'env/Y': 'AKIA2' } })),
    { looksSecret },
  )
  expect(plan.steps).toHaveLength(2)
  expect(JSON.stringify(plan)).not.toContain('AKIA')
  expect(JSON.stringify(plan)).toContain('withheld')
})
