import { expect, test } from 'vitest'
import {
  at,
  createSet,
  eachTest,
  idOf,
  listOf,
  many,
  namesOf,
  type Open,
  projectId,
  ref,
  setBody,
  traitsOf,
  variable,
  variableBody,
  workspaceId,
} from './subject.ts'

/** Sets of projects (docs/service.md 10.3), and the permissions for them. */
export function projectSetCases(open: Open): void {
  const { subject, ask } = eachTest(open)
  const project = (name: string) => projectId(subject, name)
  const parent = (name: string) => ({ parent: { data: ref('projects', project(name)) } })

  test('a set of a project names its parent in every response, and an update leaves the parent unchanged', async () => {
    const body = setBody({ name: 'owned' }, parent('data'))
    const created = await ask('POST', 'organizations/acme/varsets', { body })
    const path = `varsets/${idOf(created)}`
    const moved = await ask('PATCH', path, { body: setBody({ description: 'd' }, parent('platform')) })
    const list = await ask('GET', 'organizations/acme/varsets')
    const answers = [created.body.data, moved.body.data, (await ask('GET', path)).body.data, listOf(list)[0]]
    for (const answer of answers) {
      expect(at(answer, 'relationships', 'parent')).toEqual({ data: ref('projects', project('data')) })
    }
    const plain = await createSet(subject, { name: 'plain' })
    expect(at((await ask('GET', `varsets/${plain}`)).body, 'data', 'relationships', 'parent')).toEqual({
      data: ref('organizations', 'acme'),
    })
  })

  test('a set of a project cannot be global, and its project must exist', async () => {
    const statusOf = async (attributes: object, relationships: object) =>
      (
        await ask('POST', 'organizations/acme/varsets', {
          body: setBody({ ...attributes }, { ...relationships }),
        })
      ).status
    const id = await createSet(subject, { name: 'a' }, parent('data'))
    expect((await ask('PATCH', `varsets/${id}`, { body: setBody({ global: true }) })).status).toBe(422)
    expect(await statusOf({ name: 'b', global: true }, parent('data'))).toBe(422)
    expect(await statusOf({ name: 'c' }, { parent: { data: ref('projects', 'prj-none') } })).toBe(422)
    expect(await statusOf({ name: 'd' }, { parent: { data: ref('organizations', 'acme') } })).toBe(
      traitsOf(subject).created[0],
    )
  })

  test('names are unique in the organization, whatever the owner', async () => {
    await createSet(subject, { name: 'a' }, parent('data'))
    for (const owner of [{}, parent('platform'), parent('data')]) {
      const body = setBody({ name: 'a' }, owner)
      expect((await ask('POST', 'organizations/acme/varsets', { body })).status).toBe(422)
    }
  })

  test('the list of the owning project contains the set, assigned or not, and lists of other projects do not', async () => {
    await createSet(subject, { name: 'owned' }, parent('data'))
    await createSet(subject, { name: 'everywhere', global: true })
    const applied = { projects: many('projects', [project('data')]) }
    await createSet(subject, { name: 'applied' }, applied)
    await createSet(subject, { name: 'both' }, { ...parent('data'), ...applied })
    const list = async (name: string, scope?: string) =>
      namesOf(
        await ask('GET', `projects/${project(name)}/varsets`, {
          query: scope === undefined ? {} : { scope },
        }),
      )
    expect(await list('data')).toEqual(['applied', 'both', 'everywhere', 'owned'])
    expect(await list('data', 'all')).toEqual(await list('data'))
    expect(await list('data', 'owned')).toEqual(['both', 'owned'])
    expect(await list('data', 'applied')).toEqual(['applied', 'both'])
    expect(await list('data', 'shared')).toEqual(['applied', 'everywhere'])
    expect(await list('platform')).toEqual(['everywhere'])
    const organization = await ask('GET', 'organizations/acme/varsets', { query: { scope: 'owned' } })
    expect(namesOf(organization)).toEqual(['applied', 'everywhere'])
  })

  test('a set of a project can only be assigned inside the project: on create, update, and by the relationship', async () => {
    const inside = workspaceId(subject, 'reports-prod')
    const outside = workspaceId(subject, 'network-prod')
    const id = await createSet(
      subject,
      { name: 'a' },
      { ...parent('data'), workspaces: many('workspaces', [inside]) },
    )
    const tries: (readonly [string, string, unknown])[] = [
      [
        'POST',
        'organizations/acme/varsets',
        setBody({ name: 'b' }, { ...parent('data'), workspaces: many('workspaces', [outside]) }),
      ],
      ['PATCH', `varsets/${id}`, setBody({}, { projects: many('projects', [project('platform')]) })],
      ['POST', `varsets/${id}/relationships/workspaces`, many('workspaces', [inside, outside])],
      ['POST', `varsets/${id}/relationships/projects`, many('projects', [project('platform')])],
    ]
    for (const [method, path, body] of tries) {
      const answer = await ask(method, path, { body })
      expect([path, answer.status, answer.text.includes('is not in the project')]).toEqual([path, 422, true])
    }
    const own = { body: many('projects', [project('data')]) }
    expect((await ask('POST', `varsets/${id}/relationships/projects`, own)).status).toBe(204)
    const shown = await ask('GET', `varsets/${id}`)
    expect(at(shown.body, 'data', 'attributes')).toMatchObject({ 'workspace-count': 1, 'project-count': 1 })
    const applicable = async (workspace: string) =>
      namesOf(await ask('GET', `workspaces/${workspace}/applicable-varsets`))
    await createSet(subject, { name: 'c' }, parent('data'))
    expect(await applicable(inside)).toEqual(['c'])
    expect(await applicable(outside)).toEqual([])
  })

  test('among sets with the same reach the one of the project wins, and with priority the one of the organization', async () => {
    const workspace = workspaceId(subject, 'reports-prod')
    const value = (text: string, key: string) => ({
      vars: { data: [variable({ key, value: text, category: 'env' })] },
      workspaces: many('workspaces', [workspace]),
    })
    await createSet(subject, { name: 'a' }, value('organization', 'A'))
    await createSet(subject, { name: 'b' }, { ...parent('data'), ...value('project', 'A') })
    await createSet(subject, { name: 'c', priority: true }, value('organization', 'B'))
    await createSet(subject, { name: 'd', priority: true }, { ...parent('data'), ...value('project', 'B') })
    const seen = listOf(await ask('GET', `workspaces/${workspace}/all-vars`))
    expect(seen.map(one => [at(one, 'attributes', 'key'), at(one, 'attributes', 'value')])).toEqual([
      ['B', 'organization'],
      ['A', 'project'],
    ])
  })

  test('access to a project applies to the sets that it owns: none, read, manage', async () => {
    const owned = await createSet(subject, { name: 'owned' }, parent('data'))
    const other = await createSet(subject, { name: 'other' }, parent('platform'))
    const plain = await createSet(subject, { name: 'plain' })
    const token = (name: 'none' | 'read' | 'manage', permission: 'none' | 'read-variables' = 'none') => ({
      token: `${name}-${permission}`,
      permission,
      projects: { data: name },
    })
    subject.sandbox.ensure({
      tokens: [token('none'), token('read'), token('manage'), token('manage', 'read-variables')],
    })
    const statuses = async (asker: string) => {
      const status = async (method: string, path: string, body?: unknown) =>
        (await ask(method, path, { token: asker, body })).status
      const listed = await ask('GET', 'organizations/acme/varsets', { token: asker })
      const add = variableBody({ key: asker, category: 'env' })
      return {
        shows: [
          await status('GET', `varsets/${owned}`),
          await status('GET', `varsets/${other}`),
          await status('GET', `varsets/${plain}`),
        ],
        lists: listed.status === 200 ? namesOf(listed) : listed.status,
        ofProject: await status('GET', `projects/${project('data')}/varsets`),
        adds: [
          await status('POST', `varsets/${owned}/relationships/vars`, add),
          await status('POST', `varsets/${other}/relationships/vars`, add),
        ],
        creates: [
          await status('POST', 'organizations/acme/varsets', setBody({ name: asker }, parent('data'))),
          await status('POST', 'organizations/acme/varsets', setBody({ name: `${asker}-2` })),
        ],
      }
    }
    const [made, added] = traitsOf(subject).created
    expect(await statuses('none-none')).toEqual({
      shows: [404, 404, 404],
      lists: 404,
      ofProject: 404,
      adds: [404, 404],
      creates: [404, 404],
    })
    expect(await statuses('read-none')).toEqual({
      shows: [200, 404, 404],
      lists: ['owned'],
      ofProject: 200,
      adds: [404, 404],
      creates: [404, 404],
    })
    expect(await statuses('manage-none')).toEqual({
      shows: [200, 404, 404],
      lists: ['owned'],
      ofProject: 200,
      adds: [added, 404],
      creates: [made, 404],
    })
    expect(await statuses('manage-read-variables')).toEqual({
      shows: [200, 200, 200],
      lists: ['manage-none', 'other', 'owned', 'plain'],
      ofProject: 200,
      adds: [added, 404],
      creates: [made, 404],
    })
    const mayUpdate = async (asker: string, set: string) =>
      at((await ask('GET', `varsets/${set}`, { token: asker })).body, 'data', 'attributes', 'permissions')
    expect(await mayUpdate('manage-none', owned)).toEqual({ 'can-update': true })
    expect(await mayUpdate('read-none', owned)).toEqual({ 'can-update': false })
    expect(await mayUpdate('manage-read-variables', other)).toEqual({ 'can-update': false })
    expect(await mayUpdate(subject.sandbox.token, plain)).toEqual({ 'can-update': true })
  })
}
