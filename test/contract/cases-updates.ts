import { expect, test } from 'vitest'
import {
  at,
  createSet,
  eachTest,
  MORE,
  many,
  type Open,
  projectId,
  setBody,
  traitsOf,
  variable,
  workspaceId,
} from './subject.ts'

/** docs/service.md 4.2. */
export function updateCases(open: Open): void {
  const { subject, ask } = eachTest(open)

  for (const method of ['PUT', 'PATCH']) {
    test(`${method} changes the attributes that it contains, and a missing priority is false, or kept (4.2, 10.2)`, async () => {
      const id = await createSet(subject, { name: 'aws', description: 'Keys.', priority: true })
      const answer = await ask(method, `varsets/${id}`, { body: setBody({ name: 'gcp' }) })
      expect(answer.status).toBe(200)
      expect(at(answer.body, 'data', 'attributes')).toEqual({
        name: 'gcp',
        description: 'Keys.',
        global: false,
        priority: traitsOf(subject).priority === 'kept',
        ...MORE,
      })
      const kept = await ask(method, `varsets/${id}`, {
        body: setBody({ priority: true, description: null }),
      })
      expect(at(kept.body, 'data', 'attributes')).toEqual({
        name: 'gcp',
        description: '',
        global: false,
        priority: true,
        ...MORE,
      })
    })
  }

  test('update adds variables, returns all of them, and removes none (4.2)', async () => {
    const id = await createSet(
      subject,
      { name: 'aws' },
      { vars: { data: [variable({ key: 'A', category: 'env' })] } },
    )
    const vars = { data: [variable({ key: 'B', category: 'env', value: 'b' })] }
    const answer = await ask('PATCH', `varsets/${id}`, { body: setBody({}, { vars }) })
    const embedded = at(answer.body, 'data', 'relationships', 'vars', 'data') as readonly unknown[]
    expect(embedded.map(one => [at(one, 'attributes', 'key'), at(one, 'attributes', 'value')])).toEqual([
      ['A', ''],
      ['B', 'b'],
    ])
    await ask('PATCH', `varsets/${id}`, { body: setBody({}, { vars: { data: [] } }) })
    expect(at((await ask('GET', `varsets/${id}`)).body, 'data', 'attributes', 'var-count')).toBe(2)
  })

  test('update replaces assignments, removes them with an empty list, and keeps them without a list (4.2)', async () => {
    const [one, other] = [workspaceId(subject, 'network-prod'), workspaceId(subject, 'network-staging')]
    const project = projectId(subject, 'data')
    const id = await createSet(
      subject,
      { name: 'aws' },
      { workspaces: many('workspaces', [one]), projects: many('projects', [project]) },
    )
    const put = (relationships: Record<string, unknown>) =>
      ask('PATCH', `varsets/${id}`, { body: setBody({}, relationships), query: { include: 'workspaces' } })
    const replaced = await put({ workspaces: many('workspaces', [other]) })
    expect(at(replaced.body, 'data', 'relationships', 'workspaces')).toEqual(many('workspaces', [other]))
    expect(at(replaced.body, 'data', 'relationships', 'projects')).toEqual(many('projects', [project]))
    await put({ projects: { data: [] } })
    const cleared = await put({ workspaces: { data: [] } })
    expect(at(cleared.body, 'data', 'relationships', 'workspaces')).toEqual({ data: [] })
    expect(at(cleared.body, 'data', 'relationships', 'projects')).toEqual({ data: [] })
  })

  test('an update of a set that does not exist returns 404, and an update to an existing name 422 (4.2)', async () => {
    await createSet(subject, { name: 'aws' })
    const id = await createSet(subject, { name: 'gcp' })
    expect((await ask('PATCH', 'varsets/varset-none', { body: setBody({}) })).status).toBe(404)
    expect((await ask('PATCH', `varsets/${id}`, { body: setBody({ name: 'aws' }) })).status).toBe(422)
    expect((await ask('PATCH', `varsets/${id}`, { body: setBody({ name: 'gcp' }) })).status).toBe(200)
  })
}
