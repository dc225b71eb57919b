import { expect, test } from 'vitest'
import type { Group } from '../../src/model/variable-set.ts'
import { groupDifferences } from '../../src/run/group-updates.ts'
import { SOMEWHERE } from '../support/states.ts'
import { aWorld, WORKSPACES } from '../support/world.ts'

const [w1, w2] = WORKSPACES
const group = (more: Partial<Group>): Group => ({
  ...{ name: 'g', source: SOMEWHERE, except: [], allowEmpty: false, members: [] },
  ...more,
})
const member = (id: typeof w1 | typeof w2, name: string) => ({ id, name, group: 'g', source: SOMEWHERE })

/** The lists of the group now, or why there are none. */
async function found(more: Partial<Group>, status?: number) {
  const world = await aWorld([], {
    between: next => async (request, signal) =>
      status !== undefined && request.path.endsWith('/workspaces')
        ? { status, headers: {}, body: '' }
        : await next(request, signal),
  })
  const { value, diagnostics } = await groupDifferences(world, {
    organization: 'acme',
    groups: [group(more)],
  })
  const [one] = value ?? []
  return one === undefined
    ? diagnostics.map(({ code }) => code)
    : [one.added, one.removed, one.renamed].map(some => some.map(({ name }) => name))
}

test.each<[string, Partial<Group>, readonly unknown[]]>([
  [
    'what is new',
    { select: { names: ['workspace-*'] }, except: ['workspace-3', w1] },
    [['workspace-2'], [], []],
  ],
  [
    'what is selected no more',
    { select: { names: ['*-1'] }, members: [member(w1, 'workspace-1'), member(w2, 'workspace-2')] },
    [[], ['workspace-2'], []],
  ],
  ['what has another name', { members: [member(w1, 'before')] }, [[], [], ['workspace-1']]],
  ['nothing for a new group', { select: { names: ['none-*'] } }, ['empty-group']],
  [
    'nothing for one with members',
    { select: { names: ['none-*'] }, members: [member(w1, 'workspace-1')] },
    ['empty-group'],
  ],
  ['nothing, which may be', { select: { names: ['none-*'] }, allowEmpty: true }, [[], [], []]],
])('the service is asked for the workspaces of a group: %s', async (_, more, lists) => {
  expect(await found(more)).toEqual(lists)
})

test.each([403, 404])('a service that lists no workspaces for this token is an error: %d', async status => {
  expect(await found({ select: { names: ['*'] } }, status)).toEqual(['no-look-up'])
})
