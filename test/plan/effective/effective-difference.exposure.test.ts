import { describe, expect, test } from 'vitest'
import type { Directory, ObservedSet, ResolvedSet } from '../../../src/model/variable-set.ts'
import type { Exposure } from '../../../src/plan/effective/effect.ts'
import { planOf } from '../../support/plans.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../../support/states.ts'

const secret = { secret: { name: 'S' } }
const hidden = { hidden: true } as const

/** Three workspaces, two of them in `prj-p`. */
const DIRECTORY: Directory = {
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

const exposure = (desired: ResolvedSet, observed?: ObservedSet, directory = DIRECTORY): Exposure =>
  planOf(
    { ...aDesiredState(desired), directory },
    anObservedState(...(observed === undefined ? [] : [observed])),
  ).facts.exposure

describe('secrets newly reach', () => {
  test('newly assigned workspaces, even if the secrets do not change', () => {
    const variables = { 'env/S': secret, 'env/E': { external: true } as const, 'env/T': 'text' }
    const there = { 'env/S': hidden, 'env/E': hidden, 'env/T': 'text' }
    expect(
      exposure(
        aSet('a', { variables, workspaces: ['ws-1', 'ws-3'] }),
        anObserved('1', 'a', { variables: there, workspaces: ['ws-1'] }),
      ).secrets,
    ).toEqual([
      { set: 'a', keys: ['env/E', 'env/S'], everywhere: false, workspaces: ['ws-3'], projects: [], count: 1 },
    ])
  })

  test('only the workspaces of a project that did not have them', () => {
    expect(
      exposure(
        aSet('a', { variables: { 'env/S': secret }, workspaces: [], projects: ['prj-p'] }),
        anObserved('1', 'a', { variables: { 'env/S': hidden }, workspaces: ['ws-1'] }),
      ).secrets,
    ).toEqual([
      { set: 'a', keys: ['env/S'], everywhere: false, workspaces: [], projects: ['prj-p'], count: 1 },
    ])
  })

  test('no workspace that already had them through its project', () => {
    expect(
      exposure(
        aSet('a', { variables: { 'env/S': secret }, workspaces: ['ws-1'], projects: ['prj-p'] }),
        anObserved('1', 'a', { variables: { 'env/S': hidden }, projects: ['prj-p'] }),
      ).secrets,
    ).toEqual([])
  })

  test('all workspaces of their set if they are new in the set', () => {
    expect(
      exposure(
        aSet('a', { variables: { 'env/S': secret, 'env/N': secret, 'env/WAS_TEXT': secret } }),
        anObserved('1', 'a', { variables: { 'env/S': hidden, 'env/WAS_TEXT': 'x' }, projects: ['prj-p'] }),
      ).secrets,
    ).toEqual([
      { set: 'a', keys: ['env/N'], everywhere: false, workspaces: [], projects: ['prj-p'], count: 2 },
    ])
  })

  test('every workspace if the set becomes global, and none if it was global', () => {
    const variables = { 'env/S': secret, 'env/T': 'x' }
    const there = { 'env/S': hidden, 'env/T': 'x' }
    const becomes = exposure(
      aSet('a', { variables, global: true }),
      anObserved('1', 'a', { variables: there, workspaces: ['ws-1'] }),
    )
    expect(becomes).toEqual({
      secrets: [{ set: 'a', keys: ['env/S'], everywhere: true, workspaces: [], projects: [], count: 2 }],
      global: [{ set: 'a', keys: ['env/S', 'env/T'], count: 3 }],
    })
    expect(
      exposure(
        aSet('a', { variables, workspaces: ['ws-1'] }),
        anObserved('1', 'a', { variables: there, global: true }),
      ),
    ).toEqual({ secrets: [], global: [] })
  })

  test('an unknown number of workspaces if the directory does not list those of a project', () => {
    const nowhere: Directory = { workspaces: [], projects: [] }
    expect(
      exposure(aSet('a', { variables: { 'env/S': secret }, projects: ['prj-p'] }), undefined, nowhere)
        .secrets,
    ).toEqual([{ set: 'a', keys: ['env/S'], everywhere: false, workspaces: [], projects: ['prj-p'] }])
  })

  test('every workspace if they are new in a set with priority that becomes global, which lists the new variable', () => {
    const { added } = exposure(
      aSet('a', { variables: { 'env/A': '1', 'env/N': '2' }, priority: true, global: true }),
      anObserved('1', 'a', { variables: { 'env/A': '1' }, priority: true, workspaces: ['ws-1'] }),
    )
    expect(added).toEqual([{ set: 'a', keys: ['env/N'], global: false, priority: true, count: 3 }])
  })
})
