import { describe, expect, test } from 'vitest'
import {
  createSandbox,
  parseSeed,
  type Sandbox,
  type SandboxSeed,
  SeedError,
} from '../../src/sandbox/index.ts'
import { MEDIA, setBody, variableBody } from '../contract/subject.ts'

const SEED: SandboxSeed = {
  organizations: [{ name: 'one', email: 'a@b.invalid' }, { name: 'two' }],
  projects: [{ organization: 'one', name: 'Core', description: 'd' }],
  workspaces: [
    {
      organization: 'one',
      id: 'ws-aaaaaaaaaaaaaaaa',
      name: 'prod',
      project: 'core',
      variables: [{ key: 'OWN', category: 'env', value: '1' }],
    },
    { organization: 'two', name: 'prod' },
  ],
  sets: [
    {
      organization: 'one',
      name: 'twin',
      description: 'first',
      global: true,
      priority: true,
      workspaces: ['prod', 'ws-aaaaaaaaaaaaaaaa'],
      projects: ['Core'],
      variables: [
        { key: 'A', category: 'env', value: 'x', sensitive: true },
        { key: 'B', category: 'policy-set', value: 'y', hcl: true, description: 'b' },
      ],
      updatedAt: '2020-01-01T00:00:00.000Z',
    },
    { organization: 'one', name: 'twin', parent: 'Core' },
  ],
  tokens: [{ token: 't', permission: 'read-variables', organizations: ['one'] }],
}

const A = variableBody({ key: 'A', category: 'env' })

/** The id in the answer. */
async function ask(sandbox: Sandbox, method: 'POST' | 'PATCH', path: string, body: unknown): Promise<string> {
  const answer = await sandbox.transport({
    method,
    path: `/api/v2/${path}`,
    headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': MEDIA },
    body: JSON.stringify(body),
  })
  expect(answer.status).toBeLessThan(300)
  return JSON.parse(answer.body).data.id
}

const problemsOf = (action: () => unknown) => {
  try {
    action()
    return []
  } catch (error) {
    return error instanceof SeedError ? error.problems : [error]
  }
}

describe('a seed', () => {
  test('can contain states that no request could create: equal names, unknown categories', async () => {
    const sandbox = await createSandbox({ seed: SEED })
    const { sets = [], workspaces = [], projects = [] } = sandbox.snapshot({ sensitive: true })
    expect(sets.map(set => [set.name, set.global, set.parent === projects[0]?.id])).toEqual([
      ['twin', true, false],
      ['twin', false, true],
    ])
    expect(sets[0]).toMatchObject({
      workspaces: ['ws-aaaaaaaaaaaaaaaa'],
      projects: [projects[0]?.id],
      updatedAt: '2020-01-01T00:00:00.000Z',
      variables: [
        { key: 'A', value: 'x', sensitive: true },
        { key: 'B', category: 'policy-set', hcl: true, description: 'b' },
      ],
    })
    expect(workspaces.map(one => [one.organization, one.name, one.project])).toEqual([
      ['one', 'prod', projects[0]?.id],
      ['two', 'prod', undefined],
    ])
    await sandbox.close()
  })

  test('gets the same valid ids each time', async () => {
    const ids = async () => {
      const sandbox = await createSandbox()
      const { projects = [], workspaces = [] } = sandbox.snapshot()
      return [...projects, ...workspaces].map(one => [one.name, one.id])
    }
    const first = await ids()
    expect(await ids()).toEqual(first)
    for (const [, id] of first) expect(id).toMatch(/^(ws|prj)-[A-Za-z0-9]{16}$/)
    expect(first.map(([name]) => name).slice(0, 5)).toEqual([
      'platform',
      'payments',
      'data',
      'network-prod',
      'network-staging',
    ])
    expect(first).toHaveLength(15)
  })

  test('can be taken from a snapshot, and creates the same state again', async () => {
    const sandbox = await createSandbox({ seed: SEED })
    const snapshot = sandbox.snapshot({ sensitive: true })
    const other = await createSandbox({ seed: parseSeed(JSON.stringify(snapshot)) })
    expect({ ...other.snapshot({ sensitive: true }), tokens: [] }).toEqual({ ...snapshot, tokens: [] })
    other.restore({ organizations: [{ name: 'acme' }] })
    other.restore(snapshot)
    expect({ ...other.snapshot({ sensitive: true }), tokens: [] }).toEqual({ ...snapshot, tokens: [] })
  })

  test.each([
    ['created', async (seed: SandboxSeed) => createSandbox({ seed })],
    [
      'restored',
      async (seed: SandboxSeed) => {
        const sandbox = await createSandbox({ seed: {} })
        sandbox.restore(seed)
        return sandbox
      },
    ],
  ])('%s, never leads to an id or version that is already used', async (_, open) => {
    const first = await createSandbox()
    const set = await ask(first, 'POST', 'organizations/acme/varsets', setBody({ name: 'old' }))
    const kept = await ask(first, 'POST', `varsets/${set}/relationships/vars`, A)
    const seed = first.snapshot({ sensitive: true })
    const versionOf = (sandbox: Sandbox) =>
      sandbox.snapshot().sets?.flatMap(one => one.variables?.map(variable => variable.versionId) ?? [])

    const sandbox = await open(seed)
    const before = versionOf(sandbox)
    const made = new Set([set, kept])
    for (let round = 0; round < 4; round += 1) {
      made.add(await ask(sandbox, 'POST', 'organizations/acme/varsets', setBody({ name: `new ${round}` })))
    }
    expect(made.size).toBe(6)
    for (let round = 0; round < 8; round += 1) {
      const versions = versionOf(sandbox)
      await ask(sandbox, 'PATCH', `varsets/${set}/relationships/vars/${kept}`, A)
      expect(versionOf(sandbox)).not.toEqual(versions)
      expect(versionOf(sandbox)).not.toEqual(before)
    }
    const names = sandbox.snapshot().sets?.map(one => one.name)
    expect(names).toEqual(expect.arrayContaining(['old', 'new 0', 'new 1', 'new 2', 'new 3']))
  })

  test('in ensure does not match an object by an earlier name', async () => {
    const sandbox = await createSandbox({
      seed: { organizations: [{ name: 'acme' }], projects: [{ name: 'core' }] },
    })
    const id = sandbox.snapshot().projects?.[0]?.id
    await ask(sandbox, 'PATCH', `projects/${id}`, {
      data: { type: 'projects', attributes: { name: 'base' } },
    })
    sandbox.ensure({ projects: [{ name: 'core', organization: 'acme' }] })
    expect(sandbox.snapshot().projects?.map(project => project.name)).toEqual(['base', 'core'])
  })

  test('appears in a snapshot without sensitive values and tokens, unless requested', async () => {
    const sandbox = await createSandbox({ seed: SEED })
    const text = JSON.stringify(sandbox.snapshot())
    expect(text).not.toContain('"x"')
    expect(text).not.toContain(sandbox.token)
    expect(text).toContain('"y"')
    expect(sandbox.snapshot().tokens).toBeUndefined()
  })

  test('may omit the organization if there is one, and needs a name or an id', async () => {
    const sandbox = await createSandbox({
      seed: {
        organizations: [{ name: 'solo' }],
        workspaces: [{ id: 'ws-bbbbbbbbbbbbbbbb' }],
        sets: [{ name: 's' }],
      },
    })
    expect(sandbox.snapshot().workspaces?.[0]).toMatchObject({
      organization: 'solo',
      id: 'ws-bbbbbbbbbbbbbbbb',
      name: 'ws-bbbbbbbbbbbbbbbb',
    })
    await expect(createSandbox({ seed: { workspaces: [{ name: 'w' }] } })).rejects.toThrow(
      'workspaces[0].organization: is missing',
    )
  })

  test('reports all its mistakes together, with their places', async () => {
    const text = `
organizations: [{ name: acme }]
projects: [{ description: nameless }]
workspaces: [{ name: w, project: none }]
sets: [{ name: s, workspaces: [none], projects: [w], parent: none }]
`
    const found = await createSandbox({ seed: parseSeed(text) }).catch(error => error.problems)
    expect(found).toEqual([
      'projects[0]: needs a name or an id',
      'workspaces[0].project: there is no project "none"',
      'sets[0].parent: there is no project "none"',
      'sets[0].workspaces: there is no workspace "none"',
      'sets[0].projects: there is no project "w"',
    ])
    expect(
      problemsOf(() =>
        parseSeed('sets: [{ nme: a, global: yes }]\ntokens: [{ token: t, permission: all }]\nx: 1'),
      ),
    ).toEqual([
      'x: is not known',
      'sets[0].nme: is not known',
      'sets[0].name: is missing',
      'sets[0].global: must be true or false',
      'tokens[0].permission: must be one of none, read-variables, manage-workspaces, admin',
    ])
    expect(problemsOf(() => parseSeed('sets: { a: 1 }'))).toEqual(['sets: must be a list'])
    expect(problemsOf(() => parseSeed('- a'))).toEqual(['the seed: must be a map'])
    expect(problemsOf(() => parseSeed('a: [')).length).toBe(1)
    expect(parseSeed('')).toEqual({})
  })

  test('with mistakes changes nothing', async () => {
    const sandbox = await createSandbox({ seed: SEED })
    const before = sandbox.snapshot({ sensitive: true })
    const wrong: SandboxSeed = {
      organizations: [{ name: 'acme' }],
      sets: [{ name: 's', workspaces: ['none'] }],
    }
    expect(problemsOf(() => sandbox.restore(wrong))).toHaveLength(1)
    expect(problemsOf(() => sandbox.ensure(wrong))).toHaveLength(1)
    expect(sandbox.snapshot({ sensitive: true })).toEqual(before)
  })

  test('in restore leaves the two tokens of the sandbox valid', async () => {
    const sandbox = await createSandbox()
    sandbox.restore(SEED)
    for (const token of [sandbox.token, sandbox.adminToken, 't']) {
      const headers = { authorization: `Bearer ${token}` }
      const path = '/api/v2/organizations/one/varsets'
      expect((await sandbox.transport({ method: 'GET', path, headers })).status).toBe(200)
    }
  })
})

describe('ensure', () => {
  test('adds what is missing, by name or id, and does not change the rest', async () => {
    const sandbox = await createSandbox({ seed: SEED })
    const before = sandbox.snapshot({ sensitive: true })
    sandbox.ensure(SEED)
    expect(sandbox.snapshot({ sensitive: true })).toEqual(before)
    sandbox.ensure({
      projects: [
        { organization: 'one', name: 'CORE' },
        { organization: 'three', id: 'prj-cccccccccccccccc', name: 'new' },
      ],
      workspaces: [
        { organization: 'one', id: 'ws-aaaaaaaaaaaaaaaa', name: 'renamed' },
        { organization: 'one', name: 'prod', project: 'Core' },
        { organization: 'three', name: 'fresh', project: 'prj-cccccccccccccccc' },
      ],
      sets: [
        { organization: 'one', name: 'twin', description: 'changed' },
        { organization: 'three', name: 'more' },
      ],
    })
    const after = sandbox.snapshot({ sensitive: true })
    expect(after.organizations?.slice(2)).toEqual([{ name: 'three' }])
    expect(after.projects?.slice(1).map(one => one.id)).toEqual(['prj-cccccccccccccccc'])
    expect(after.workspaces?.slice(2).map(one => [one.name, one.project])).toEqual([
      ['fresh', 'prj-cccccccccccccccc'],
    ])
    expect(after.sets?.slice(2).map(one => one.name)).toEqual(['more'])
    expect(after.workspaces?.slice(0, 2)).toEqual(before.workspaces)
    expect(after.sets?.slice(0, 2)).toEqual(before.sets)
  })
})
