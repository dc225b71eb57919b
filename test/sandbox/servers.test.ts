import { describe, expect, test } from 'vitest'
import { BEHAVIOURS, SERVERS, type ServerName, type Traits } from '../../src/sandbox/index.ts'
import { at, many, openInProcess, type Subject, setBody, variableBody } from '../contract/subject.ts'
import { OBSERVED, SEED } from './observed-traits.ts'

const SERVER_NAMES = Object.keys(SERVERS) as ServerName[]
const NAMES = Object.keys(BEHAVIOURS) as (keyof Traits)[]

describe.each(SERVER_NAMES)('%s answers as the table says', server => {
  test.each(NAMES)('%s', async name => {
    const { observe, answers } = OBSERVED[name]
    const subject = await openInProcess({ profile: { server }, seed: SEED })
    const value = String(SERVERS[server][name])
    expect(answers).toHaveProperty([value])
    expect([value, await observe(subject)]).toEqual([value, Reflect.get(answers, value)])
    await subject.close()
  })
})

test('each value of the table is one of a server', () => {
  for (const name of NAMES) {
    const used = SERVER_NAMES.map(server => String(SERVERS[server][name]))
    expect([name, Object.keys(OBSERVED[name].answers).toSorted()]).toEqual([
      name,
      [...new Set(used)].toSorted(),
    ])
  }
})

test('`include=stacks` is refused, unless the server has Stacks or accepts the word', async () => {
  const status = async (server: ServerName) => {
    const subject = await openInProcess({ profile: { server }, seed: SEED })
    const { status: one } = await subject.ask('GET', 'organizations/acme/varsets', {
      query: { include: 'stacks' },
    })
    await subject.close()
    return one
  }
  expect(await Promise.all((['hcp', 'enterprise', '2021-11'] as const).map(status))).toEqual([200, 200, 400])
})

/** As recorded from the provider `hashicorp/tfe` 0.79.0: `priority` in the first request, the workspaces in one without it (docs/service.md 14.2). */
test.each([
  ['hcp', true],
  ['enterprise', true],
  ['interface', false],
] as const)(
  'on %s a set of the Terraform provider has its workspaces, and its priority: %s',
  async (server, priority) => {
    const subject = await openInProcess({ profile: { server }, seed: SEED })
    const workspace = at((await subject.ask('GET', 'organizations/acme/workspaces')).body, 'data', '0', 'id')
    const attributes = { global: false, name: 'aws', priority: true }
    const body = { data: { type: 'varsets', attributes } }
    const made = await subject.ask('POST', 'organizations/acme/varsets', { body })
    const id = at(made.body, 'data', 'id')
    const relationships = { workspaces: { data: [{ type: 'workspaces', id: workspace }] } }
    const updated = await subject.ask('PATCH', `varsets/${id}`, {
      query: { include: 'workspaces' },
      body: { data: { type: 'varsets', attributes: { global: false }, relationships } },
    })
    expect(updated.status).toBe(200)
    const { body: shown } = await subject.ask('GET', `varsets/${id}`)
    expect([
      at(shown, 'data', 'attributes', 'priority'),
      at(shown, 'data', 'relationships', 'workspaces', 'data', '0', 'id'),
    ]).toEqual([priority, workspace])
    await subject.close()
  },
)

describe('otf', () => {
  const LIST = 'organizations/acme/varsets'
  const created = async (subject: Subject, settings: Record<string, unknown>) =>
    `varsets/${at((await subject.ask('POST', LIST, { body: setBody(settings) })).body, 'data', 'id')}`

  test('refuses with the reasons of its database', async () => {
    const subject = await openInProcess({ profile: { server: 'otf' } })
    const set = await created(subject, { name: 'd', global: true })
    const other = await created(subject, { name: 'e', global: true })
    const key = { key: 'A', category: 'env', value: 'old' }
    const body = variableBody({ ...key, sensitive: true })
    const { body: added } = await subject.ask('POST', `${set}/relationships/vars`, { body })
    const one = `${set}/relationships/vars/${at(added, 'data', 'id')}`
    const refusals = [
      await subject.ask('POST', LIST, { body: setBody({ name: 'd' }) }),
      await subject.ask('POST', `${set}/relationships/vars`, { body: variableBody(key) }),
      await subject.ask('POST', `${other}/relationships/vars`, { body: variableBody(key) }),
      await subject.ask('POST', `${set}/relationships/workspaces`, { body: many('workspaces', ['ws-0']) }),
      await subject.ask('PATCH', one, { body: variableBody({ key: 'A', value: 'new' }) }),
      await subject.ask('PATCH', one, { body: variableBody({ sensitive: false }) }),
      await subject.ask('POST', 'organizations/nobody/varsets', { body: setBody({ name: 'a' }) }),
      await subject.ask('POST', LIST, { body: { data: {} } }),
    ]
    const clash = expect.stringContaining('variable conflicts with another variable')
    const missing = expect.stringContaining('is not present in table')
    expect(refusals.map(({ status, body: refused }) => [status, at(refused, 'errors', 0, 'detail')])).toEqual(
      [
        [409, 'resource already exists'],
        [500, clash],
        [500, clash],
        [500, missing],
        [500, 'changing the key of a sensitive variable is not allowed'],
        [500, 'cannot change a sensitive variable to a non-sensitive variable'],
        [500, missing],
        [422, expect.stringContaining('type must be')],
      ],
    )
    expect((await subject.ask('PATCH', one, { body: variableBody({ value: 'new' }) })).status).toBe(200)
    for (const list of ['varsets', 'workspaces'])
      expect((await subject.ask('GET', `organizations/nobody/${list}`)).status).toBe(200)
    await subject.close()
  })
})
