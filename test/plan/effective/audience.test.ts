import { describe, expect, test } from 'vitest'
import type { ProjectId, WorkspaceId } from '../../../src/model/ids.ts'
import { audienceOf, shownGiver } from '../../../src/plan/effective/audience.ts'
import type { HeldValue, SetState } from '../../../src/plan/effective/set-state.ts'

/** `ws-a1` is the first workspace of `prj-a`, which has two; `prj-b` has one, and nobody knows how many `prj-c` has. */
const SIZES: Readonly<Record<ProjectId, number>> = { 'prj-a': 2, 'prj-b': 1 }
const names = {
  compare: (a: WorkspaceId, b: WorkspaceId) => (a < b ? -1 : 1),
  projectOf: (id: WorkspaceId): ProjectId | undefined =>
    id.startsWith('ws-x') ? undefined : `prj-${id.charAt(3)}`,
  sizeOf: (project: ProjectId) => SIZES[project],
}

describe('an audience', () => {
  test('has each member once, and names workspaces of whole projects last', () => {
    const members = ['ws-a2', 'ws-a1', 'ws-c1', 'ws-x1', 'ws-a1', 'prj-d', 'st-2', 'st-1', 'others'] as const
    expect(audienceOf(members, names)).toEqual({
      count: 4,
      workspaces: ['ws-c1', 'ws-x1', 'ws-a1', 'ws-a2'],
      projects: ['prj-d'],
      others: true,
      whole: [{ project: 'prj-a', count: 2 }],
      stacks: ['st-1', 'st-2'],
    })
    expect(audienceOf(members, names, 2)).toMatchObject({ count: 4, workspaces: ['ws-c1', 'ws-x1'] })
  })

  test.each([
    ['a part of a project', ['ws-a1']],
    ['a project of one workspace', ['ws-b1']],
    ['two workspaces of a project that may have more', ['ws-c1', 'ws-c2']],
    ['workspaces whose project is unknown', ['ws-x1', 'ws-x2']],
  ] as const)('has no whole project: %s', (_, members) => {
    expect(audienceOf(members, names)).toEqual({
      count: members.length,
      workspaces: members,
      projects: [],
      others: false,
    })
  })
})

describe('what gives a value', () => {
  const set = {
    ...{ id: 'varset-1', name: 'a', serviceName: 'a', global: false, priority: false, projectOwned: false },
    ...{ workspaces: [], projects: [], stacks: [], held: new Map(), ours: true },
  } satisfies SetState
  const value = (text: string): HeldValue => ({ secret: false, text, hcl: false })
  const shown = (held: HeldValue, more: Partial<SetState> = {}, hides = false) =>
    shownGiver({ ...set, ...more }, 'env/A', held, () => hides)

  test.each([
    ['a short text of one line', value('x'.repeat(60)), {}, { text: 'x'.repeat(60) }],
    ['a longer one', value('x'.repeat(61)), {}, {}],
    ['one of several lines', value('a\nb'), {}, {}],
    ['one of a set that no file declares', value('x'), { ours: false }, {}],
    ['one that a snapshot leaves out', { secret: false, hcl: false } as const, {}, {}],
    ['a secret', { secret: true, rewritten: false } as const, {}, { secret: true }],
  ])('has its text only if a plan may show it: %s', (_, held, more, told) => {
    expect(shown(held, more)).toEqual({ set: 'a', id: 'varset-1', ...told })
  })

  test('has no text that is hidden', () => {
    expect(shown(value('x'), {}, true)).toEqual({ set: 'a', id: 'varset-1' })
  })

  test('has no id if the plan creates it, and says that it has priority', () => {
    expect(shown(value('x'), { id: 'new a', priority: true })).toEqual({
      set: 'a',
      priority: true,
      text: 'x',
    })
  })
})
