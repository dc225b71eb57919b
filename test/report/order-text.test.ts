import { expect, test } from 'vitest'
import type { ObservedSet, ResolvedSet } from '../../src/model/variable-set.ts'
import { renderers } from '../../src/report/index.ts'
import { planOf } from '../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../support/states.ts'
import { DIRECTORY, PROJECTS, WORKSPACES } from '../support/world.ts'

const [w1, w2] = WORKSPACES
const global = true

interface Case {
  readonly desired: readonly ResolvedSet[]
  readonly observed: readonly ObservedSet[]
  readonly removed?: readonly string[]
}

const planned = ({ desired, observed, removed = [] }: Case) =>
  planOf(
    {
      ...aDesiredState(...desired),
      removed: removed.map(name => ({ name, source: SOMEWHERE })),
      directory: DIRECTORY,
    },
    anObservedState(...observed),
  )

/** What `--verbose` says of the order. */
const order = (given: Case): string[] =>
  renderers
    .text({ kind: 'plan', plan: planned(given) }, { color: false, verbose: true })
    .split('\n')
    .filter(line => line.startsWith('Order'))
    .map(line => line.slice('Order'.length).trim())

/** The reasons in JSON. */
const reasons = (given: Case) => planned(given).steps.flatMap(({ after }) => after.map(({ why }) => why))

const moved: Case = {
  desired: [
    aSet('base', { workspaces: [w1] }),
    aSet('net', { workspaces: [w1], variables: { 'env/REGION': 'b' } }),
  ],
  observed: [
    anObserved('1', 'base', { workspaces: [w1], variables: { 'env/REGION': 'a' } }),
    anObserved('2', 'net', { workspaces: [w1] }),
  ],
}

test('--verbose says why a step waits, with what would be seen otherwise', () => {
  expect(order(moved)).toEqual([
    '"delete-variable base env/REGION" waits for "create-variable net env/REGION": it brings REGION to workspace workspace-1 before base takes it away, which would leave no value',
  ])
  expect(reasons(moved)).toEqual([
    {
      kind: 'received',
      key: 'env/REGION',
      first: 'brings',
      next: 'takes',
      audience: { count: 1, workspaces: [w1], projects: [], others: false },
      instead: {},
    },
  ])
  expect(
    order({
      desired: [
        aSet('a', { global, variables: { 'env/X': 'weak' } }),
        aSet('b', { workspaces: [w1, w2], variables: { 'env/X': 'strong' } }),
      ],
      observed: [],
    }),
  ).toEqual([
    '"create-set a" waits for "create-set b": it brings X to workspaces workspace-1, workspace-2 before a brings it, which would show the value of a',
  ])
})

test('--verbose says which slot a step waits for', () => {
  const here = { workspaces: [w1] }
  expect(
    order({
      desired: [aSet('b', { id: 'varset-1' }), aSet('c', { id: 'varset-2' })],
      observed: [anObserved('1', 'a'), anObserved('2', 'b')],
    }),
  ).toEqual(['"update-set b" waits for "update-set c": then the name b is free'])
  expect(
    order({
      desired: [aSet('a', { global }), aSet('b', { global, variables: { 'env/X': '1' } })],
      observed: [
        anObserved('1', 'a', { global, variables: { 'env/X': '1' } }),
        anObserved('2', 'b', { global }),
      ],
    }),
  ).toEqual([
    '"create-variable b env/X" waits for "delete-variable a env/X": a key may be in one global set only, and then X is free',
  ])
  expect(
    order({
      desired: [aSet('a', { ...here, variables: { 'env/X': 'readable' } })],
      observed: [anObserved('1', 'a', { ...here, variables: { 'env/X': { hidden: true } } })],
    }),
  ).toEqual(['"create-variable a env/X" waits for "delete-variable a env/X": then the old X is gone'])
  expect(
    order({
      desired: [aSet('a', { global, variables: { 'env/Y': '1' } })],
      observed: [anObserved('1', 'a', { variables: {} })],
    }),
  ).toEqual([
    '"update-set a" waits for "create-variable a env/Y": a is not global while its other changes are made',
  ])
  expect(
    order({
      desired: [aSet('b', { ...here, variables: { 'env/X': '1' }, previousNames: ['a'] })],
      observed: [anObserved('1', 'a', { ...here, parent: PROJECTS[0], variables: { 'env/X': '1' } })],
      removed: ['a'],
    }),
  ).toEqual(['"delete-set a" waits for "create-set b": b takes over'])
})

test('a long list ends with where to find the rest', () => {
  const keys = Array.from({ length: 120 }, (_, at) => `env/K${at}`)
  const variables = Object.fromEntries(keys.map(key => [key, '1']))
  const lines = order({
    desired: [aSet('a', { workspaces: [w1] }), aSet('b', { workspaces: [w1], variables })],
    observed: [
      anObserved('1', 'a', { workspaces: [w1], variables }),
      anObserved('2', 'b', { workspaces: [w1] }),
    ],
  })
  expect(lines).toHaveLength(101)
  expect(lines.at(-1)).toBe('20 more: "after" in --format json')
})
