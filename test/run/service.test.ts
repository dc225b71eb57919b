import { expect, test } from 'vitest'
import { MissingOrganizationError, observeOrganization } from '../../src/run/service.ts'
import { aWorld } from '../support/world.ts'

const PLACE = { address: 'https://service.test' }

test.each([
  ['a set', [{ name: 'a' }], 0],
  ['an inventory alone', [{ name: 'setpoint-inventory-us' }], 0],
  ['nothing', [], 1],
])('an organization is asked for only if the service shows no set of it: %s', async (_, sets, asked) => {
  const world = await aWorld(sets)
  await observeOrganization({ ...world, ...PLACE }, 'acme')
  expect(world.log.filter(({ path }) => path === '/api/v2/organizations/acme')).toHaveLength(asked)
})

test.each([
  ['not shown, but has workspaces', ['/api/v2/organizations/acme'], true],
  ['not shown, and neither are workspaces', ['/api/v2/organizations/acme', '/workspaces'], false],
])('an organization that is %s is there: %s', async (_, hidden, isThere) => {
  const world = await aWorld([], {
    between: next => async (request, signal) =>
      hidden.some(path => request.path.endsWith(path))
        ? { status: 404, headers: {}, body: '' }
        : await next(request, signal),
  })
  const observing = observeOrganization({ ...world, ...PLACE }, 'acme')
  if (isThere) expect((await observing).sets).toEqual([])
  else await expect(observing).rejects.toThrow(MissingOrganizationError)
})
