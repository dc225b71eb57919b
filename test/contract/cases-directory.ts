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
  workspaceId,
} from './subject.ts'

/** Organizations, projects and workspaces, as a client manages them before it creates a set (docs/service.md 12.4, 12.5). */
export function directoryCases(open: Open): void {
  const { subject, ask } = eachTest(open)
  const send = (
    method: 'POST' | 'PATCH',
    path: string,
    type: string,
    attributes: Record<string, unknown>,
    relationships = {},
  ) => ask(method, path, { body: { data: { type, attributes, relationships } } })
  const shown = async (path: string) => at((await ask('GET', path)).body, 'data', 'attributes')

  test('all sent attributes of an organization, project or workspace are returned, known here or not', async () => {
    const sent = { 'speculative-plan-management-enabled': false, 'x-colour': { deep: [1, null] } }
    await send('POST', 'organizations', 'organizations', { name: 'tst', email: 'a@b.invalid', ...sent })
    expect(await shown('organizations/tst')).toMatchObject({ name: 'tst', email: 'a@b.invalid', ...sent })
    await send('PATCH', 'organizations/tst', 'organizations', { 'x-colour': 'red', email: 'c@d.invalid' })
    expect(await shown('organizations/tst')).toMatchObject({
      ...sent,
      'x-colour': 'red',
      email: 'c@d.invalid',
    })
    const project = idOf(
      await send('POST', 'organizations/tst/projects', 'projects', { name: 'web', 'x-a': 1 }),
    )
    expect(await shown(`projects/${project}`)).toMatchObject({ name: 'web', 'x-a': 1 })
    const attributes = {
      'allow-destroy-plan': false,
      'file-triggers-enabled': false,
      'queue-all-runs': true,
      'speculative-enabled': false,
      'structured-run-output-enabled': false,
      'auto-apply': true,
      'x-b': ['kept'],
    }
    const workspace = idOf(
      await send('POST', 'organizations/tst/workspaces', 'workspaces', { name: 'w', ...attributes }),
    )
    expect(await shown(`workspaces/${workspace}`)).toMatchObject({ name: 'w', ...attributes })
    await send('PATCH', `workspaces/${workspace}`, 'workspaces', { 'auto-apply': false, description: 'd' })
    expect(await shown(`workspaces/${workspace}`)).toMatchObject({
      ...attributes,
      'auto-apply': false,
      description: 'd',
    })
  })

  test('attributes that only the service writes are ignored in requests', async () => {
    const path = `workspaces/${workspaceId(subject, 'network-prod')}`
    const before = await shown(path)
    const forged = { permissions: {}, 'created-at': '1970', 'resource-count': 7, locked: true }
    const answer = await send('PATCH', path, 'workspaces', forged)
    expect(at(answer.body, 'data', 'attributes')).toEqual({
      ...(before as object),
      'updated-at': expect.any(String),
    })
    expect((await send('PATCH', 'organizations/acme', 'organizations', { name: 'other' })).status).toBe(422)
  })

  test('sent attributes are kept in a snapshot and restored', async () => {
    const path = `workspaces/${workspaceId(subject, 'network-prod')}`
    await send('PATCH', path, 'workspaces', { 'x-b': { kept: true } })
    await send('PATCH', 'organizations/acme', 'organizations', { 'x-c': 2 })
    subject.sandbox.restore(subject.sandbox.snapshot({ sensitive: true }))
    expect(await shown(path)).toMatchObject({ 'x-b': { kept: true } })
    expect(await shown('organizations/acme')).toMatchObject({ 'x-c': 2 })
  })

  test('permissions show what the token may do', async () => {
    subject.sandbox.restore({
      ...subject.sandbox.snapshot(),
      tokens: [{ token: 'reader', permission: 'read-variables' }],
    })
    const path = `workspaces/${workspaceId(subject, 'network-prod')}`
    const permissionsOf = async (where: string, token: string) =>
      at((await ask('GET', where, { token })).body, 'data', 'attributes', 'permissions')
    for (const where of [path, 'organizations/acme', `projects/${projectId(subject, 'data')}`]) {
      expect(await permissionsOf(where, subject.sandbox.token)).toMatchObject({ 'can-update': true })
      expect(await permissionsOf(where, 'reader')).toMatchObject({ 'can-update': false })
    }
    expect(await permissionsOf(path, 'reader')).toMatchObject({ 'can-force-delete': false })
  })

  test('workspaces are renamed, moved, tagged and deleted, by id and by name', async () => {
    const named = 'organizations/acme/workspaces'
    const id = workspaceId(subject, 'network-prod')
    const renamed = await send('PATCH', `${named}/network-prod`, 'workspaces', { name: 'net' })
    expect([renamed.status, idOf(renamed)]).toEqual([200, id])
    expect((await ask('GET', `${named}/network-prod`)).status).toBe(404)
    expect((await send('PATCH', `${named}/net`, 'workspaces', { name: 'ledger-prod' })).status).toBe(422)
    const tagged = (names: readonly string[]) => ({
      data: names.map(name => ({ type: 'tags', attributes: { name } })),
    })
    await send('PATCH', `${named}/net`, 'workspaces', {}, { tags: tagged(['a', 'b']) })
    await ask('POST', `workspaces/${id}/relationships/tags`, { body: tagged(['b', 'c']) })
    expect((await ask('DELETE', `workspaces/${id}/relationships/tags`, { body: tagged(['a']) })).status).toBe(
      204,
    )
    expect(await shown(`workspaces/${id}`)).toMatchObject({ 'tag-names': ['b', 'c'] })
    expect(namesOf(await ask('GET', named, { query: { 'search[tags]': 'b,c' } }))).toEqual(['net'])
    expect(namesOf(await ask('GET', named, { query: { 'search[tags]': 'a' } }))).toEqual([])
    // By the ids that the list of tags shows.
    const other = workspaceId(subject, 'network-staging')
    const tags = (workspace: string) => ask('GET', `workspaces/${workspace}/relationships/tags`)
    const [, c] = listOf(await tags(id))
    expect(c).toMatchObject({ type: 'tags', attributes: { name: 'c', 'instance-count': 1 } })
    const byId = { data: [{ type: 'tags', id: c?.id }] }
    await ask('POST', `workspaces/${other}/relationships/tags`, { body: byId })
    await ask('DELETE', `workspaces/${id}/relationships/tags`, { body: byId })
    expect([namesOf(await tags(id)), namesOf(await tags(other))]).toEqual([['b'], ['c']])
    for (const [method, path] of [
      ['DELETE', `${named}/net`],
      ['POST', `workspaces/${workspaceId(subject, 'ledger-prod')}/actions/safe-delete`],
      ['POST', `${named}/ledger-staging/actions/safe-delete`],
    ] as const) {
      expect([path, (await ask(method, path)).status]).toEqual([path, 204])
      expect([path, (await ask(method, path)).status]).toEqual([path, 404])
    }
  })

  test('projects and workspaces have tags with keys and values, and workspaces inherit those of their project', async () => {
    const project = projectId(subject, 'platform')
    const workspace = workspaceId(subject, 'network-prod')
    const bound = (values: Record<string, string>) => ({
      data: Object.entries(values).map(([key, value]) => ({
        type: 'tag-bindings',
        attributes: { key, value },
      })),
    })
    const effective = async (path: string) =>
      listOf(await ask('GET', `${path}/effective-tag-bindings`)).map(
        one => `${at(one, 'attributes', 'key')}=${at(one, 'attributes', 'value')}`,
      )
    const relation = `projects/${project}/relationships/tag-bindings`
    expect((await ask('PATCH', relation, { body: bound({ team: 'a', tier: '1' }) })).status).toBe(200)
    expect((await ask('PATCH', relation, { body: bound({ team: 'a', cost: '9' }) })).status).toBe(200)
    await ask('PATCH', `projects/${project}/tag-bindings`, { body: bound({ cost: '8' }) })
    expect(await effective(`projects/${project}`)).toEqual(['team=a', 'cost=8'])
    await send('PATCH', `workspaces/${workspace}`, 'workspaces', {}, { 'tag-bindings': bound({ team: 'b' }) })
    expect(await effective(`workspaces/${workspace}`)).toEqual(['team=b', 'cost=8'])
    const shown = await ask('GET', `workspaces/${workspace}`, {
      query: { include: 'effective_tag_bindings' },
    })
    const links = { 'inherited-from': `/api/v2/projects/${project}` }
    const listed = await ask('GET', 'organizations/acme/workspaces', {
      query: { include: 'effective_tag_bindings', 'search[name]': 'network-' },
    })
    expect(listOf(listed).map(one => at(one, 'relationships', 'effective-tag-bindings', 'data'))).toEqual(
      ['network-prod', 'network-staging'].map(name =>
        ['team', 'cost'].map(key => ({
          id: `${workspaceId(subject, name)}-${key}`,
          type: 'effective-tag-bindings',
        })),
      ),
    )
    expect((listed.body.included as readonly unknown[]).map(one => at(one, 'attributes', 'value'))).toEqual([
      'b',
      '8',
      'a',
      '8',
    ])
    expect((shown.body.included as readonly unknown[]).map(one => at(one, 'links'))).toEqual([
      undefined,
      links,
    ])
    await send('PATCH', `workspaces/${workspace}`, 'workspaces', {}, { 'tag-bindings': { data: [] } })
    expect(await effective(`workspaces/${workspace}`)).toEqual(['team=a', 'cost=8'])
  })

  test('a workspace that is moved to another project is no longer reached by the sets of the old one', async () => {
    const [from, to] = [projectId(subject, 'platform'), projectId(subject, 'data')]
    const id = workspaceId(subject, 'network-prod')
    const owned = await createSet(
      subject,
      { name: 'owned' },
      { parent: { data: ref('projects', from) }, workspaces: many('workspaces', [id]) },
    )
    const free = await createSet(subject, { name: 'free' }, { workspaces: many('workspaces', [id]) })
    await send('PATCH', `workspaces/${id}`, 'workspaces', {}, { project: { data: ref('projects', to) } })
    const reaches = async (set: string) =>
      at((await ask('GET', `varsets/${set}`)).body, 'data', 'attributes', 'workspace-count')
    expect([await reaches(owned), await reaches(free)]).toEqual([0, 1])
  })

  test('the entitlements of an organization are returned, as terraform init needs them', async () => {
    const { status, body } = await ask('GET', 'organizations/acme/entitlement-set')
    expect([status, at(body, 'data', 'type'), at(body, 'data', 'attributes', 'operations')]).toEqual([
      200,
      'entitlement-sets',
      true,
    ])
    expect((await ask('GET', 'organizations/none/entitlement-set')).status).toBe(404)
  })

  test('POST updates a set like PATCH', async () => {
    const id = await createSet(subject, { name: 'a' })
    const answer = await ask('POST', `varsets/${id}`, { body: setBody({ name: 'b' }) })
    expect([answer.status, at(answer.body, 'data', 'attributes', 'name')]).toEqual([200, 'b'])
  })
}
