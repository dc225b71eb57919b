import { expect, test } from 'vitest'
import {
  addVariable,
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
  variable,
  variableBody,
  workspaceId,
} from './subject.ts'

/** What real clients request beyond the interface (docs/service.md 12, 14). */
export function clientCases(open: Open): void {
  const { subject, ask } = eachTest(open)
  const post = (path: string, type: string, attributes: Record<string, unknown>, relationships = {}) =>
    ask('POST', path, { body: { data: { type, attributes, relationships } } })

  test('the ping needs no token and identifies the service', async () => {
    const answer = await ask('GET', 'ping', { token: 'unknown' })
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(answer.headers).toMatchObject({ 'tfp-api-version': '2.6', 'tfp-appname': 'HCP Terraform' })
  })

  test('service discovery needs no token and is plain JSON', async () => {
    const answer = await subject.sandbox.transport({
      method: 'GET',
      path: '/.well-known/terraform.json',
      headers: {},
    })
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json'])
    expect(JSON.parse(answer.body)).toMatchObject({
      'tfe.v2': '/api/v2/',
      'tfe.v2.2': '/api/v2/',
      'modules.v1': '/api/registry/v1/modules/',
    })
  })

  test('an organization is created with a project, and deleted with everything in it', async () => {
    const created = await post('organizations', 'organizations', { name: 'tst', email: 'a@b.invalid' })
    expect([created.status, idOf(created)]).toEqual([201, 'tst'])
    expect(at(created.body, 'data', 'relationships', 'default-project', 'data', 'type')).toBe('projects')
    expect((await post('organizations', 'organizations', { name: 'tst' })).status).toBe(422)
    expect((await post('organizations', 'organizations', { name: 'a b' })).status).toBe(422)
    expect(listOf(await ask('GET', 'organizations')).map(one => one.id)).toEqual(['acme', 'tst'])
    const set = idOf(await ask('POST', 'organizations/tst/varsets', { body: setBody({ name: 'a' }) }))
    expect(
      (await ask('GET', 'organizations/tst/stacks', { query: { 'page[size]': '100' } })).body.data,
    ).toEqual([])
    expect((await ask('DELETE', 'organizations/tst')).status).toBe(204)
    expect((await ask('GET', 'organizations/tst')).status).toBe(404)
    expect((await ask('GET', `varsets/${set}`)).status).toBe(404)
    expect((await ask('GET', 'organizations/acme')).status).toBe(200)
  })

  test('projects are created, listed by name without regard to case, changed and deleted', async () => {
    const created = await post('organizations/acme/projects', 'projects', { name: 'Web Shop' })
    expect([created.status, idOf(created)]).toEqual([
      201,
      expect.stringMatching(/^prj-[1-9A-HJ-NP-Za-km-z]{16}$/),
    ])
    expect((await post('organizations/acme/projects', 'projects', { name: 'web shop' })).status).toBe(422)
    expect((await post('organizations/acme/projects', 'projects', { name: 'a!' })).status).toBe(422)
    const list = (query: Record<string, string>) => ask('GET', 'organizations/acme/projects', { query })
    expect(namesOf(await list({}))).toEqual(['Web Shop', 'data', 'payments', 'platform'])
    expect(namesOf(await list({ 'filter[names]': 'PLATFORM,web shop', q: 'pay' }))).toEqual([
      'Web Shop',
      'platform',
    ])
    expect(namesOf(await list({ q: 'PAY' }))).toEqual(['payments'])
    const path = `projects/${idOf(created)}`
    const body = { data: { type: 'projects', attributes: { description: 'd' } } }
    expect(at((await ask('PATCH', path, { body })).body, 'data', 'attributes', 'description')).toBe('d')
    expect(at((await ask('GET', path)).body, 'data', 'relationships', 'organization')).toEqual({
      data: ref('organizations', 'acme'),
    })
    expect((await ask('DELETE', path)).status).toBe(204)
    expect((await ask('GET', path)).status).toBe(404)
    expect((await ask('DELETE', `projects/${projectId(subject, 'platform')}`)).status).toBe(422)
  })

  test('workspaces are created in a project, read by id and by name, listed in pages, and deleted', async () => {
    const project = projectId(subject, 'data')
    const created = await post(
      'organizations/acme/workspaces',
      'workspaces',
      { name: 'fresh' },
      {
        project: { data: ref('projects', project) },
      },
    )
    expect([created.status, idOf(created)]).toEqual([
      201,
      expect.stringMatching(/^ws-[1-9A-HJ-NP-Za-km-z]{16}$/),
    ])
    expect(at(created.body, 'data', 'relationships', 'project')).toEqual({ data: ref('projects', project) })
    const byName = await ask('GET', 'organizations/acme/workspaces/fresh')
    expect(byName.body).toEqual((await ask('GET', `workspaces/${idOf(created)}`)).body)
    expect((await ask('GET', 'organizations/acme/workspaces/none')).status).toBe(404)
    expect((await post('organizations/acme/workspaces', 'workspaces', { name: 'fresh' })).status).toBe(422)
    const list = (query: Record<string, string>) => ask('GET', 'organizations/acme/workspaces', { query })
    expect(namesOf(await list({ 'filter[project][id]': project }))).toEqual([
      'fresh',
      'reports-prod',
      'reports-staging',
      'warehouse-prod',
      'warehouse-staging',
    ])
    expect(namesOf(await list({ 'search[wildcard-name]': '*-prod', 'search[name]': 'WORK' }))).toEqual([
      'network-prod',
    ])
    const page = await list({ 'page[number]': '2', 'page[size]': '10' })
    expect([namesOf(page), at(page.body, 'meta', 'pagination', 'total-count')]).toEqual([
      ['reports-staging', 'warehouse-prod', 'warehouse-staging'],
      13,
    ])
    expect((await ask('DELETE', `workspaces/${idOf(created)}`)).status).toBe(204)
    expect((await ask('GET', `workspaces/${idOf(created)}`)).status).toBe(404)
  })

  test('variables of a workspace are created, read, changed and deleted, with configurable instead of varset', async () => {
    const workspace = workspaceId(subject, 'network-prod')
    const path = `workspaces/${workspace}/vars`
    const created = await ask('POST', path, {
      body: variableBody({ key: 'A', value: 's', category: 'env', sensitive: true }),
    })
    expect(created.status).toBe(201)
    expect(created.body.data).toMatchObject({
      type: 'vars',
      attributes: { key: 'A', value: null, sensitive: true, category: 'env' },
      relationships: { configurable: { data: ref('workspaces', workspace) } },
    })
    const id = idOf(created)
    expect((await ask('POST', path, { body: variableBody({ key: 'A', category: 'env' }) })).status).toBe(422)
    expect((await ask('PATCH', `${path}/${id}`, { body: variableBody({ sensitive: false }) })).status).toBe(
      422,
    )
    expect((await ask('PATCH', `${path}/${id}`, { body: variableBody({ description: 'd' }) })).status).toBe(
      200,
    )
    expect(listOf(await ask('GET', path)).map(one => at(one, 'attributes', 'description'))).toEqual(['d'])
    const shown = await ask('GET', `workspaces/${workspace}`)
    expect(at(shown.body, 'data', 'relationships', 'vars')).toEqual(many('vars', [id]))
    expect((await ask('DELETE', `${path}/${id}`)).status).toBe(204)
    expect((await ask('GET', `${path}/${id}`)).status).toBe(404)
  })

  test('all-vars returns the effective variables (12.2)', async () => {
    const workspace = workspaceId(subject, 'network-prod')
    const value = (text: string) => ({
      vars: { data: [variable({ key: 'REGION', value: text, category: 'env' })] },
    })
    await createSet(subject, { name: 'global', global: true }, value('global'))
    const direct = await createSet(
      subject,
      { name: 'direct' },
      { ...value('direct'), workspaces: many('workspaces', [workspace]) },
    )
    const effective = async () =>
      listOf(await ask('GET', `workspaces/${workspace}/all-vars`)).map(one => at(one, 'attributes', 'value'))
    expect(await effective()).toEqual(['direct'])
    await ask('POST', `workspaces/${workspace}/vars`, {
      body: variableBody({ key: 'REGION', value: 'own', category: 'env' }),
    })
    expect(await effective()).toEqual(['own'])
    await addVariable(subject, direct, { key: 'REGION', value: 'other category', category: 'terraform' })
    expect(await effective()).toEqual(['own', 'other category'])
    const applicable = await ask('GET', `workspaces/${workspace}/applicable-varsets`)
    expect(applicable.body.data).toEqual([])
    await createSet(subject, { name: 'elsewhere' })
    expect(namesOf(await ask('GET', `workspaces/${workspace}/applicable-varsets`))).toEqual(['elsewhere'])
  })

  test('lists accept the filters of the real service', async () => {
    await createSet(subject, { name: 'everywhere', global: true })
    await createSet(subject, { name: 'some' })
    const list = (query: Record<string, string>) => ask('GET', 'organizations/acme/varsets', { query })
    expect(namesOf(await list({ 'filter[global]': 'true' }))).toEqual(['everywhere'])
    expect(namesOf(await list({ 'filter[global]': 'false', include: '' }))).toEqual(['some'])
  })

  test('lists can include the names of workspaces, for imports by name', async () => {
    await createSet(
      subject,
      { name: 'a' },
      { workspaces: many('workspaces', [workspaceId(subject, 'ledger-prod')]) },
    )
    const answer = await ask('GET', 'organizations/acme/varsets', { query: { include: 'workspaces,stacks' } })
    expect((answer.body.included as readonly unknown[]).map(one => at(one, 'attributes', 'name'))).toEqual([
      'ledger-prod',
    ])
    expect(at(answer.body, 'data', 0, 'relationships', 'stacks')).toEqual({ data: [] })
  })
}
