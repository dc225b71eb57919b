import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Directory, ObservedSet } from '../../../src/model/variable-set.ts'
import { createPlan } from '../../../src/plan/create.ts'
import { type Affected, affectedIn } from '../../../src/plan/effective/affected-members.ts'
import { receivedBeside } from '../../../src/plan/effective/effective-facts.ts'
import type { OwnVariables } from '../../../src/plan/effective/set-state.ts'
import { matchStates } from '../../../src/plan/match-states.ts'
import type { Plan } from '../../../src/plan/plan-data.ts'
import { desiredFor, observedState, strangers } from '../../support/arbitrary.ts'
import { OPTIONS, planOf } from '../../support/plans.ts'
import { performed, type Seen, seenBy } from '../../support/reference.ts'
import { aDesiredState, anObserved, anObservedState, aSet, SOMEWHERE } from '../../support/states.ts'
import { DIRECTORY, PROJECTS, STACKS, WORKSPACES } from '../../support/world.ts'

const projectOf = (workspace: string) => PROJECTS[(WORKSPACES as readonly string[]).indexOf(workspace) % 2]

/** One line, such as `ws-1 env/A`, for each workspace and key that may get another value. */
const linesOf = ({ changes, workspaces }: Affected): string[] =>
  workspaces.flatMap(group =>
    group.members.flatMap(id => group.changes.map(at => `${id} ${changes[at]?.key}`)),
  )

const affectedOf = ({ facts }: Plan): Affected => affectedIn(facts.received)

/** The secrets that a plan sends, by set and key. */
const sentBy = ({ steps }: Plan): Set<string> =>
  new Set(
    steps.flatMap(({ operation }) => {
      const sent =
        operation.type === 'create-set'
          ? operation.after.variables
          : operation.type === 'create-variable' || operation.type === 'update-variable'
            ? [operation.after]
            : []
      const set = operation.subject.id ?? `varset-new ${operation.subject.name}`
      return sent.flatMap(({ key, value }) => ('secret' in value ? [`${set} ${key}`] : []))
    }),
  )

/** What a workspace receives for a key, without and with a workspace variable of that key. */
const views = (sets: readonly ObservedSet[], seen: Seen | undefined) => {
  const isAbove = sets.some(set => set.id === seen?.set && set.priority)
  return [seen, isAbove ? seen : 'its own'] as const
}

function isOther(
  key: string,
  sent: ReadonlySet<string>,
  a?: Seen | 'its own',
  b?: Seen | 'its own',
): boolean {
  if (typeof a !== 'object' || typeof b !== 'object') return a !== b
  if (a.secret || b.secret) return !a.secret || !b.secret || a.set !== b.set || sent.has(`${b.set} ${key}`)
  return a.text !== b.text || (key.startsWith('terraform/') && a.hcl !== b.hcl)
}

test('the list contains exactly the workspaces and keys that may get another value', () => {
  let lines = 0
  let quiet = 0
  fc.assert(
    fc.property(
      fc.tuple(observedState, strangers).chain(([state, foreign]) =>
        desiredFor(state).map(desired => ({
          desired,
          observed: { ...state, sets: [...state.sets, ...foreign] },
        })),
      ),
      ({ observed, desired }) => {
        const { value: plan } = createPlan({ ...desired, directory: DIRECTORY }, observed, OPTIONS)
        if (plan === undefined) return
        const after = performed(observed, plan)
        const sent = sentBy(plan)
        const expected = WORKSPACES.flatMap(id => {
          const was = seenBy(observed.sets, id, projectOf(id))
          const is = seenBy(after, id, projectOf(id))
          return [...new Set([...was.keys(), ...is.keys()])].flatMap(key => {
            const [before, then] = [views(observed.sets, was.get(key)), views(after, is.get(key))]
            const differs = before.some((view, at) => isOther(key, sent, view, then[at]))
            return differs ? [`${id} ${key}`] : []
          })
        })
        const affected = affectedOf(plan)
        expect(linesOf(affected).toSorted()).toEqual(expected.toSorted())
        expect(affected.unknown).toBeUndefined()
        lines += expected.length
        quiet += affected.changes.filter(({ change }) => change === 'precedence').length
      },
    ),
    { numRuns: 400, seed: 5 },
  )
  expect(lines).toBeGreaterThan(1_000)
  expect(quiet).toBeGreaterThan(20)
})

describe('the list', () => {
  const [w1, w2] = WORKSPACES
  const [p1] = PROJECTS
  const [s1] = STACKS
  const observed = anObservedState(
    anObserved('1', 'near', { variables: { 'env/A': '1', 'env/B': '2' }, workspaces: [w1, w2] }),
    anObserved('2', 'wide', { variables: { 'env/C': '1' }, projects: [p1] }),
    anObserved('3', 'read', { variables: { 'env/D': '1' }, stacks: [s1] }),
  )
  const kept = [
    aSet('near', { variables: { 'env/A': '1', 'env/B': '2' }, workspaces: [w1, w2] }),
    aSet('wide', { variables: { 'env/C': '1' }, projects: [p1] }),
    aSet('read', { variables: { 'env/D': '1' }, stacks: [s1] }),
  ]
  const listOf = (at: number, set: Partial<(typeof kept)[number]>, directory = DIRECTORY) => {
    const sets = kept.map((one, i) => (i === at ? { ...one, ...set } : one))
    return affectedOf(planOf({ ...aDesiredState(...sets), directory }, observed))
  }
  const variables = (texts: Record<string, string>) => aSet('x', { variables: texts }).variables

  test('groups workspaces with the same changes', () => {
    expect(listOf(0, { variables: variables({ 'env/A': '9' }) })).toEqual({
      changes: [
        {
          key: 'env/A',
          change: 'changed',
          before: { set: 'near', id: 'varset-1' },
          after: { set: 'near', id: 'varset-1' },
        },
        { key: 'env/B', change: 'lost', before: { set: 'near', id: 'varset-1' } },
      ],
      workspaces: [
        {
          members: [w1, w2],
          changes: [0, 1],
        },
      ],
      stacks: [],
    })
  })

  test('contains workspaces where only the priority changes, because a workspace variable may win there', () => {
    const { changes, workspaces } = listOf(0, { priority: true })
    expect(changes.map(({ key, change, after }) => [key, change, after])).toEqual([
      ['env/A', 'precedence', { set: 'near', id: 'varset-1', priority: true }],
      ['env/B', 'precedence', { set: 'near', id: 'varset-1', priority: true }],
    ])
    expect(workspaces.map(({ members }) => members)).toEqual([[w1, w2]])
  })

  test('says what is unknown if the service does not tell the workspaces of a project, or all workspaces', () => {
    const empty = { workspaces: [], projects: [] }
    const change = variables({ 'env/C': '9' })
    expect(listOf(1, { variables: change }, empty).unknown).toEqual({
      projects: [p1],
      others: false,
      withoutProject: 0,
      stacks: true,
    })
    expect(listOf(1, { variables: change, global: true, projects: [] }, empty).unknown).toMatchObject({
      others: true,
    })
    const [first, ...others] = DIRECTORY.workspaces
    const unplaced = { ...DIRECTORY, whole: [], membersOf: [p1], workspaces: others }
    const more = { variables: change, workspaces: first === undefined ? [] : [first.id] }
    expect(listOf(1, more, unplaced).unknown).toMatchObject({ projects: [], withoutProject: 1 })
    expect(listOf(0, { variables: variables({ 'env/A': '9' }) }, empty).unknown).toBeUndefined()
  })

  test('is complete without a look-up if no value changes', () => {
    const empty = { workspaces: [], projects: [] }
    expect(listOf(1, { description: 'only that' }, empty)).toEqual({
      changes: [],
      workspaces: [],
      stacks: [],
    })
  })
})

describe('Stacks in the list', () => {
  const [s1, s2] = STACKS
  const [p1, p2] = PROJECTS
  const stacks = [
    { id: s1, name: 'stack-1', project: p1 },
    { id: s2, name: 'stack-2', project: p2 },
  ]
  const directory = { ...DIRECTORY, stacks }
  const { stacks: _, ...rest } = DIRECTORY
  const without = { ...rest, whole: ['workspaces', 'projects'] as const }
  const before = { variables: { 'env/A': '1' }, stacks: [s1] }
  const observed = anObservedState(anObserved('1', 'a', before))
  const listOf = (set: Parameters<typeof aSet>[1], name = 'a', places: Directory = directory) =>
    affectedOf(
      planOf(
        {
          ...aDesiredState(
            aSet(name, { ...before, previousNames: ['a'].filter(one => one !== name), ...set }),
          ),
          directory: places,
        },
        observed,
      ),
    )
  const listed = ({ changes, stacks }: Affected) =>
    stacks.map(group => [
      group.members,
      group.changes.map(at => `${changes[at]?.key} ${changes[at]?.change}`),
    ])

  test('are listed if they may read another value, or no longer find a set by its name', () => {
    expect(listed(listOf({ variables: { 'env/A': '2' } }))).toEqual([[[s1], ['env/A changed']]])
    expect(listed(listOf({}, 'b'))).toEqual([[[s1], ['env/A changed']]])
    expect(listed(listOf({ description: 'only that' }))).toEqual([])
    const owned = { ...aDesiredState(aSet('a', { ...before, parent: p1 })), directory }
    const removed = [{ id: 'varset-1', source: SOMEWHERE } as const]
    expect(listed(affectedOf(planOf({ ...owned, removed }, observed)))).toEqual([
      [[s1], ['env/A gained', 'env/A lost']],
    ])
  })

  test('are reached through their project and by a global set, and lose what no longer reaches them', () => {
    expect(listed(listOf({ stacks: [], projects: [p1] }))).toEqual([])
    expect(listed(listOf({ stacks: [], global: true }))).toEqual([[[s2], ['env/A gained']]])
    expect(listed(listOf({ stacks: [s2] }))).toEqual([
      [[s1], ['env/A lost']],
      [[s2], ['env/A gained']],
    ])
  })

  test('are unknown if a global set changes and the service tells no Stacks', () => {
    expect(listOf({ global: true }, 'a', without).unknown).toMatchObject({ stacks: true })
    expect(listOf({ variables: { 'env/A': '2' } }, 'a', without).unknown).toBeUndefined()
  })
})

test('a workspace without variables of its own sees the same value when its set gains priority', () => {
  const [id] = WORKSPACES
  const set = { workspaces: [id], variables: { 'env/K': 'same' } } as const
  const desired = { ...aDesiredState(aSet('a', { ...set, priority: true })), directory: DIRECTORY }
  const observed = anObservedState(anObserved('1', 'a', set))
  const matched = matchStates(desired, observed, [])
  const reception = createPlan(desired, observed, OPTIONS, matched).reception?.()
  if (reception === undefined) throw new Error('there is a plan')
  const changesBeside = (own: OwnVariables) =>
    affectedIn(receivedBeside(own, reception, matched.match)).changes.map(({ change }) => change)
  expect(changesBeside(new Map())).toEqual(['precedence'])
  expect(changesBeside(new Map([[id, new Map()]]))).toEqual([])
})
