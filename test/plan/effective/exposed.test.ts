import { describe, expect, test } from 'vitest'
import type { Directory, ObservedSet, ResolvedSet } from '../../../src/model/variable-set.ts'
import type { Exposed } from '../../../src/plan/effective/effect.ts'
import { planOf } from '../../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../../support/states.ts'

const secret = { secret: { name: 'S' } }
const hidden = { hidden: true } as const

/** Three workspaces, two of them in `prj-p`. */
const TWO_PROJECTS: Directory = {
  workspaces: ['ws-1', 'ws-2', 'ws-3'].map((id, at) => ({
    id: id as 'ws-1',
    name: `w${at + 1}`,
    project: at < 2 ? 'prj-p' : 'prj-q',
  })),
  projects: [
    { name: 'p', id: 'prj-p' },
    { name: 'q', id: 'prj-q' },
  ],
  whole: ['workspaces', 'projects', 'stacks'],
}

const exposure = (desired: ResolvedSet, observed?: ObservedSet, directory = TWO_PROJECTS) =>
  planOf(
    { ...aDesiredState(desired), directory },
    anObservedState(...(observed === undefined ? [] : [observed])),
  ).facts.exposure

const of = (kind: Exposed['kind'], all: readonly Exposed[]): Exposed[] => all.filter(one => one.kind === kind)

/** Secrets, with those whom they newly reach. */
const reached = (all: readonly Exposed[]) =>
  of('secret', all).map(({ keys, audience: { workspaces, projects, others } }) => [
    keys.join(),
    ...workspaces,
    ...projects,
    ...(others ? ['others'] : []),
  ])

describe('secrets newly reach', () => {
  test('newly assigned workspaces, even if the secrets do not change', () => {
    const variables = { 'env/S': secret, 'env/E': { external: true } as const, 'env/T': 'text' }
    const there = { 'env/S': hidden, 'env/E': hidden, 'env/T': 'text' }
    expect(
      exposure(
        aSet('a', { variables, workspaces: ['ws-1', 'ws-3'] }),
        anObserved('1', 'a', { variables: there, workspaces: ['ws-1'] }),
      ),
    ).toEqual([
      {
        kind: 'secret',
        set: 'a',
        keys: ['env/E', 'env/S'],
        audience: { count: 1, workspaces: ['ws-3'], projects: [], others: false },
      },
    ])
  })

  test('only the workspaces of a project that did not have them', () => {
    expect(
      reached(
        exposure(
          aSet('a', { variables: { 'env/S': secret }, workspaces: [], projects: ['prj-p'] }),
          anObserved('1', 'a', { variables: { 'env/S': hidden }, workspaces: ['ws-1'] }),
        ),
      ),
    ).toEqual([['env/S', 'ws-2']])
  })

  test('no workspace that already had them through its project', () => {
    expect(
      exposure(
        aSet('a', { variables: { 'env/S': secret }, workspaces: ['ws-1'], projects: ['prj-p'] }),
        anObserved('1', 'a', { variables: { 'env/S': hidden }, projects: ['prj-p'] }),
      ),
    ).toEqual([])
  })

  test('all workspaces of their set if they are new in the set', () => {
    const all = exposure(
      aSet('a', { variables: { 'env/S': secret, 'env/N': secret, 'env/WAS_TEXT': secret } }),
      anObserved('1', 'a', { variables: { 'env/S': hidden, 'env/WAS_TEXT': 'x' }, projects: ['prj-p'] }),
    )
    expect(reached(all)).toEqual([['env/N', 'ws-1', 'ws-2']])
    expect(all[0]?.audience.whole).toEqual([{ project: 'prj-p', count: 2 }])
  })

  test('those who did not have them if the set becomes global, and none if it was global', () => {
    const variables = { 'env/S': secret, 'env/T': 'x' }
    const there = { 'env/S': hidden, 'env/T': 'x' }
    const becomes = exposure(
      aSet('a', { variables, global: true }),
      anObserved('1', 'a', { variables: there, workspaces: ['ws-1'] }),
    )
    expect(reached(becomes)).toEqual([['env/S', 'ws-2', 'ws-3']])
    expect(of('global', becomes).map(({ keys, audience }) => [keys.join(), audience.count])).toEqual([
      ['env/S,env/T', 3],
    ])
    expect(
      exposure(
        aSet('a', { variables, workspaces: ['ws-1'] }),
        anObserved('1', 'a', { variables: there, global: true }),
      ),
    ).toEqual([])
  })

  test('an unknown number of workspaces if the service does not tell those of a project', () => {
    const nowhere: Directory = { workspaces: [], projects: [] }
    const all = exposure(
      aSet('a', { variables: { 'env/S': secret }, projects: ['prj-p'] }),
      undefined,
      nowhere,
    )
    expect(reached(all)).toEqual([['env/S', 'prj-p']])
  })

  test('a project without workspaces, for those that it gets', () => {
    const empty = {
      ...TWO_PROJECTS,
      projects: [...TWO_PROJECTS.projects, { name: 'e', id: 'prj-e' as const }],
    }
    const all = exposure(aSet('a', { variables: { 'env/S': secret }, projects: ['prj-e'] }), undefined, empty)
    expect(reached(all)).toEqual([['env/S', 'prj-e']])
  })

  test('a global set has no list of projects, and one that changes a value exposes nothing', () => {
    const variables = { 'env/S': secret, 'env/T': 'x' }
    const there = { 'env/S': hidden, 'env/T': 'y' }
    const shape = { global: true, projects: ['prj-p' as const] }
    expect(
      exposure(aSet('a', { ...shape, variables }), anObserved('1', 'a', { ...shape, variables: there })),
    ).toEqual([])
    const [created] = exposure(aSet('a', { ...shape, variables }))
    expect([created?.audience.count, created?.audience.whole]).toEqual([3, undefined])
  })

  test('Stacks of the set and of its projects', () => {
    const stacks = [
      { id: 'st-1' as const, name: 's1', project: 'prj-p' as const },
      { id: 'st-2' as const, name: 's2', project: 'prj-q' as const },
    ]
    const [one] = exposure(
      aSet('a', { variables: { 'env/S': secret }, projects: ['prj-p'], stacks: ['st-2'] }),
      anObserved('1', 'a', { variables: { 'env/S': hidden }, stacks: ['st-2'] }),
      { ...TWO_PROJECTS, stacks },
    )
    expect(one?.audience).toMatchObject({ count: 2, stacks: ['st-1'] })
  })

  test('every workspace if they are new in a set with priority that becomes global, which lists the new variable', () => {
    const all = exposure(
      aSet('a', { variables: { 'env/A': '1', 'env/N': '2' }, priority: true, global: true }),
      anObserved('1', 'a', { variables: { 'env/A': '1' }, priority: true, workspaces: ['ws-1'] }),
    )
    expect(of('added', all)).toMatchObject([
      { set: 'a', keys: ['env/N'], global: true, priority: true, audience: { count: 3 } },
    ])
  })
})
