import { expect, test } from 'vitest'
import {
  addVariable,
  at,
  createSet,
  eachTest,
  idOf,
  MORE,
  many,
  type Open,
  projectId,
  ref,
  setBody,
  traitsOf,
  variable,
  workspaceId,
} from './subject.ts'

const CREATE = 'organizations/acme/varsets'

/** docs/service.md 2.1, 4.1, 4.3 and 4.4. */
export function setCases(open: Open): void {
  const { subject, ask } = eachTest(open)
  const show = (id: string, include?: string) =>
    ask('GET', `varsets/${id}`, include === undefined ? {} : { query: { include } })

  test('create returns the complete set: id, type, four attributes, relations, embedded variables (4.1)', async () => {
    const workspace = workspaceId(subject, 'network-prod')
    const project = projectId(subject, 'platform')
    const answer = await ask('POST', CREATE, {
      body: setBody(
        { name: 'aws', description: 'Keys.', global: false, priority: true },
        {
          workspaces: many('workspaces', [workspace]),
          projects: many('projects', [project]),
          vars: { data: [variable({ key: 'REGION', value: 'eu', category: 'env', description: 'Where.' })] },
        },
      ),
    })
    expect(answer.status).toBe(traitsOf(subject).created[0])
    expect(answer.headers['content-type']).toBe('application/vnd.api+json')
    expect(at(answer.body, 'data', 'id')).toMatch(/^varset-[1-9A-HJ-NP-Za-km-z]{16}$/)
    expect(at(answer.body, 'data', 'type')).toBe('varsets')
    expect(at(answer.body, 'data', 'attributes')).toEqual({
      name: 'aws',
      description: 'Keys.',
      global: false,
      priority: true,
      ...MORE,
    })
    expect(at(answer.body, 'data', 'relationships', 'workspaces')).toEqual(many('workspaces', [workspace]))
    expect(at(answer.body, 'data', 'relationships', 'projects')).toEqual(many('projects', [project]))
    expect(at(answer.body, 'data', 'relationships', 'vars', 'data')).toEqual([
      {
        id: expect.stringMatching(/^var-[1-9A-HJ-NP-Za-km-z]{16}$/),
        type: 'vars',
        attributes: {
          key: 'REGION',
          value: 'eu',
          sensitive: false,
          category: 'env',
          hcl: false,
          description: 'Where.',
          'version-id': expect.stringMatching(/^[0-9a-f]{36}$/),
        },
      },
    ])
  })

  test('create uses the defaults: description "", not global, no priority, no relations (2.1, 4.1)', async () => {
    const answer = await ask('POST', CREATE, {
      body: { data: { type: 'varsets', attributes: { name: 'bare' } } },
    })
    expect(at(answer.body, 'data', 'attributes')).toEqual({
      name: 'bare',
      description: '',
      global: false,
      priority: false,
      ...MORE,
    })
    for (const name of ['vars', 'workspaces', 'projects']) {
      expect(at(answer.body, 'data', 'relationships', name)).toEqual({ data: [] })
    }
  })

  test('create in an organization that does not exist returns 404 (4.1)', async () => {
    expect((await ask('POST', 'organizations/other/varsets', { body: setBody({ name: 'a' }) })).status).toBe(
      404,
    )
  })

  test('two sets with one name are refused with 422', async () => {
    await createSet(subject, { name: 'aws' })
    const answer = await ask('POST', CREATE, { body: setBody({ name: 'aws' }) })
    expect([answer.status, answer.body]).toEqual([
      422,
      {
        errors: [
          {
            status: '422',
            title: 'invalid attribute',
            detail: 'Name has already been taken',
            source: { pointer: '/data/attributes/name' },
          },
        ],
      },
    ])
  })

  test('a refused create leaves nothing behind', async () => {
    const vars = { data: [variable({ key: 'A', category: 'env' }), variable({ key: 'A', category: 'env' })] }
    expect((await ask('POST', CREATE, { body: setBody({ name: 'aws' }, { vars }) })).status).toBe(422)
    expect((await ask('GET', CREATE)).body.data).toEqual([])
  })

  test('show returns attributes with time and counts, and references without attributes (2.1, 4.4)', async () => {
    const workspace = workspaceId(subject, 'network-prod')
    const id = await createSet(
      subject,
      { name: 'aws', description: 'Keys.' },
      { workspaces: many('workspaces', [workspace]) },
    )
    const variableId = await addVariable(subject, id, { key: 'A', category: 'env' })
    const answer = await show(id)
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual({
      id,
      type: 'varsets',
      attributes: {
        name: 'aws',
        description: 'Keys.',
        global: false,
        priority: false,
        'updated-at': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        'var-count': 1,
        'workspace-count': 1,
        'project-count': 0,
        'stack-count': 0,
        ...MORE,
      },
      relationships: {
        organization: { data: ref('organizations', 'acme') },
        parent: { data: ref('organizations', 'acme') },
        vars: many('vars', [variableId]),
        workspaces: many('workspaces', [workspace]),
        projects: { data: [] },
        stacks: { data: [] },
      },
      links: { self: expect.stringContaining(`/api/v2/varsets/${id}`) },
    })
    expect(answer.body.included).toBeUndefined()
  })

  test('include=vars includes every variable with its attributes, without sensitive values (4.11)', async () => {
    const id = await createSet(subject, { name: 'aws' })
    const open = await addVariable(subject, id, { key: 'A', value: 'x', category: 'env', description: 'd' })
    const hidden = await addVariable(subject, id, {
      key: 'B',
      value: 's',
      category: 'terraform',
      sensitive: true,
    })
    const answer = await show(id, 'vars')
    expect(answer.body.included).toEqual([
      expect.objectContaining({
        id: open,
        type: 'vars',
        attributes: expect.objectContaining({
          key: 'A',
          value: 'x',
          sensitive: false,
          category: 'env',
          hcl: false,
          'created-at': expect.any(String),
          description: 'd',
        }),
      }),
      expect.objectContaining({ id: hidden, attributes: expect.objectContaining({ value: null }) }),
    ])
  })

  test('include accepts several names: workspaces and projects are included', async () => {
    const workspace = workspaceId(subject, 'ledger-prod')
    const project = projectId(subject, 'data')
    const id = await createSet(
      subject,
      { name: 'aws' },
      { workspaces: many('workspaces', [workspace]), projects: many('projects', [project]) },
    )
    const answer = await show(id, 'vars,workspaces,projects,stacks')
    expect(
      (answer.body.included as readonly unknown[]).map(one => [
        at(one, 'type'),
        at(one, 'attributes', 'name'),
      ]),
    ).toEqual([
      ['workspaces', 'ledger-prod'],
      ['projects', 'data'],
    ])
    expect(at(answer.body, 'data', 'relationships', 'stacks')).toEqual({ data: [] })
  })

  test('an unknown include returns 400 and names the parameter', async () => {
    const id = await createSet(subject, { name: 'aws' })
    const answer = await show(id, 'vars,teams')
    expect(answer.status).toBe(400)
    expect(answer.text).toContain('include parameter')
    expect((await show(id, '')).status).toBe(200)
  })

  test('delete returns no content, and removes the set everywhere (4.3)', async () => {
    const workspace = workspaceId(subject, 'network-prod')
    const id = await createSet(subject, { name: 'aws' }, { workspaces: many('workspaces', [workspace]) })
    const answer = await ask('DELETE', `varsets/${id}`)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await show(id)).status).toBe(404)
    expect((await ask('DELETE', `varsets/${id}`)).status).toBe(404)
    expect((await ask('GET', `workspaces/${workspace}/varsets`)).body.data).toEqual([])
    expect(idOf(await ask('POST', CREATE, { body: setBody({ name: 'aws' }) }))).not.toBe(id)
  })
}
