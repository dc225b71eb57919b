import { expect, test } from 'vitest'
import type { Member, Received, ReceivedKind } from '../../../src/plan/effective/effect.ts'
import { isPartlyTold, noticedIn, workspacesThatSee } from '../../../src/plan/effective/received.ts'

const receiving = (...members: readonly (readonly [ReceivedKind, Member])[]): Received => ({
  ...{ level: 'projects', known: 0, withoutProject: 0, sizes: {} },
  changes: members.map(([kind]) => ({ key: 'env/A', kind })),
  groups: members.map(([, member], at) => ({ members: [member], changes: [at] })),
})

test('who sees an effect is told by name, or is unknown as a project or as all others', () => {
  const all = receiving(
    ['value', 'ws-1'],
    ['gained', 'ws-2'],
    ['priority', 'ws-3'],
    ['sent', 'ws-4'],
    ['lost', 'st-1'],
  )
  expect([workspacesThatSee(all), isPartlyTold(all)]).toEqual([['ws-1', 'ws-2'], false])
  expect(isPartlyTold(receiving(['value', 'prj-1']))).toBe(true)
  expect(isPartlyTold(receiving(['value', 'others']))).toBe(true)
  expect(isPartlyTold(receiving(['priority', 'prj-1'], ['sent', 'others'], ['value', 'ws-1']))).toBe(false)
})

test.each([
  ['gained', undefined, {}, 'gained'],
  ['value', {}, {}, 'changed'],
  ['winner', {}, {}, 'changed'],
  ['sent', {}, {}, 'changed'],
  ['priority', {}, { priority: true }, 'precedence'],
  ['source', {}, {}, undefined],
  ['source', {}, { priority: true }, 'precedence'],
  ['source', { priority: true }, { priority: true }, undefined],
] as const)('of %s from %j to %j, a workspace notices: %s', (kind, before, after, noticed) => {
  const giver = (one: object | undefined) => one && { set: 'a', ...one }
  expect(noticedIn({ key: 'env/A', kind, before: giver(before), after: giver(after) } as never)).toBe(noticed)
})
