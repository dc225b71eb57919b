import { expect, test } from 'vitest'
import type { ApiRequest } from '../../src/wire/transport.ts'
import { aPlace } from '../support/place.ts'
import { appliedIn } from '../support/round.ts'
import { aDesiredState, aSet } from '../support/states.ts'
import { aWorld } from '../support/world.ts'

const SETS = (description: string) =>
  `variableSets:\n  a:\n    env: { PASSWORD: { secret: PASSWORD, description: ${description} } }\n`
const AUTO = ['apply', '--auto-approve', '--rewrite', 'a']
const env = { SETPOINT_SECRET_PASSWORD: 'a-canary-of-this-test' }

/** The bodies of updates of variables that arrived, without the value. */
const updatesIn = (requests: readonly ApiRequest[]) =>
  requests.flatMap(({ method, path, body = '' }) =>
    method === 'PATCH' && path.includes('/vars/') ? Object.keys(JSON.parse(body).data.attributes) : [],
  )

async function aService(server: 'hcp' | 'otf') {
  const requests: ApiRequest[] = []
  const place = await aPlace(
    { 'sets/a.yaml': SETS('old') },
    {
      profile: { server },
      faults: {
        matches: request => {
          requests.push(request)
          return false
        },
      },
    },
  )
  expect(await place.setpoint(AUTO, { env })).toMatchObject({ code: 0 })
  requests.length = 0
  place.write({ 'sets/a.yaml': SETS('new') })
  return { place, requests }
}

const WITHOUT_KEY = ['category', 'description', 'hcl', 'value', 'sensitive']

test('an update of a secret that a server refuses for its unchanged key is sent once more without it', async () => {
  const { place, requests } = await aService('otf')
  const { code, stderr } = await place.setpoint(AUTO, { env: { ...env, SETPOINT_SECRET_PASSWORD: 'second' } })
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(place.live()).toEqual([expect.stringContaining('env/PASSWORD=(second)')])
  expect(updatesIn(requests).toSorted()).toEqual(['key', ...WITHOUT_KEY, ...WITHOUT_KEY].toSorted())
})

test('an update of a secret that is not refused is sent once, with its key', async () => {
  const { place, requests } = await aService('hcp')
  expect(await place.setpoint(AUTO, { env })).toMatchObject({ code: 0 })
  expect(updatesIn(requests).toSorted()).toEqual(['key', ...WITHOUT_KEY].toSorted())
})

test('a secret that a server refuses to change in any way fails once, with what to do', async () => {
  const reason = 'changing the key of a sensitive variable is not allowed'
  const body = JSON.stringify({ errors: [{ title: 'Internal Server Error', detail: reason }] })
  const world = await aWorld([{ name: 'a', variables: [{ key: 'PW', category: 'env', sensitive: true }] }], {
    between: next => async (request, signal) =>
      request.method === 'PATCH' ? { status: 500, headers: {}, body } : await next(request, signal),
  })
  const files = aDesiredState(aSet('a', { variables: { 'env/PW': { value: { secret: { name: 'PW' } } } } }))
  const { results, exitCode } = await appliedIn(world, files, { rewrite: ['a'] })
  expect(exitCode).toBe(1)
  expect(results.map(({ outcome, cause }) => ({ ...outcome, cause }))).toEqual([
    {
      status: 'failed',
      message: expect.stringMatching(
        new RegExp(
          `responded with 500; Internal Server Error: ${reason}; .*delete the variable there, then apply again$`,
        ),
      ),
      cause: 'files',
    },
  ])
  expect(world.log.filter(({ method }) => method === 'PATCH')).toHaveLength(2)
})

test.each([false, true])(
  'an external variable keeps its value, and whether it is sensitive: %s',
  async sensitive => {
    const variable = { key: 'E', category: 'env', value: 'of somebody else', sensitive } as const
    const world = await aWorld([{ name: 'a', variables: [variable] }])
    const files = aDesiredState(
      aSet('a', { variables: { 'env/E': { value: { external: true }, description: 'new' } } }),
    )
    expect((await appliedIn(world, files)).exitCode).toBe(0)
    const [sent] = world.log.flatMap(({ method, body }) => (method === 'PATCH' ? JSON.parse(body ?? '') : []))
    expect(sent.data.attributes).toEqual({
      ...{ key: 'E', category: 'env', hcl: false },
      ...{ description: 'new', sensitive },
    })
  },
)
