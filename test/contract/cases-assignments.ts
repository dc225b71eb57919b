import { beforeEach, expect, test } from 'vitest'
import { at, createSet, eachTest, many, type Open, projectId, ref, setBody, workspaceId } from './subject.ts'

/** docs/service.md 4.10. */
export function assignmentCases(open: Open): void {
  const { subject } = eachTest(open)
  let set: string
  beforeEach(async () => {
    set = await createSet(subject, { name: 'aws' })
  })
  const related = async (kind: string) =>
    at((await subject.ask('GET', `varsets/${set}`)).body, 'data', 'relationships', kind)

  for (const kind of ['workspaces', 'projects'] as const) {
    const names = kind === 'workspaces' ? ['network-prod', 'network-staging'] : ['platform', 'data']
    const ids = () => names.map(name => (kind === 'workspaces' ? workspaceId : projectId)(subject, name))
    const send = (method: string, body: unknown, id = set) =>
      subject.ask(method, `varsets/${id}/relationships/${kind}`, { body })

    test(`POST assigns the set to the listed ${kind} and keeps existing assignments (4.10)`, async () => {
      const [one = '', other = ''] = ids()
      const answer = await send('POST', many(kind, [one]))
      expect([answer.status, answer.text]).toEqual([204, ''])
      await send('POST', many(kind, [other]))
      expect(await related(kind)).toEqual(many(kind, [one, other]))
    })

    test(`DELETE with a body unassigns the listed ${kind} and no others (4.10)`, async () => {
      const [one = '', other = ''] = ids()
      await send('POST', many(kind, [one, other]))
      const answer = await send('DELETE', many(kind, [one]))
      expect([answer.status, answer.text]).toEqual([204, ''])
      expect(await related(kind)).toEqual(many(kind, [other]))
    })

    test(`assigning ${kind} again, and unassigning ${kind} that are not assigned, changes nothing`, async () => {
      const [one = '', other = ''] = ids()
      expect((await send('POST', many(kind, [one, one]))).status).toBe(204)
      expect((await send('POST', many(kind, [one]))).status).toBe(204)
      expect((await send('DELETE', many(kind, [other]))).status).toBe(204)
      expect((await send('POST', { data: [] })).status).toBe(204)
      expect(await related(kind)).toEqual(many(kind, [one]))
    })

    test(`only type and id of a reference to ${kind} are read`, async () => {
      const [one = ''] = ids()
      const whole = {
        ...ref(kind, one),
        attributes: { name: 'x' },
        relationships: { organization: { data: null } },
      }
      expect((await send('POST', { data: [whole] })).status).toBe(204)
      expect(await related(kind)).toEqual(many(kind, [one]))
    })

    test(`a set that does not exist returns 404, an unknown id among ${kind} 422, and nothing changes (4.10)`, async () => {
      const [one = ''] = ids()
      expect((await send('POST', many(kind, [one]), 'varset-none')).status).toBe(404)
      expect((await send('DELETE', many(kind, [one]), 'varset-none')).status).toBe(404)
      const answer = await send('POST', many(kind, [one, 'ws-0000000000000000']))
      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining('ws-0000000000000000')])
      expect(await related(kind)).toEqual({ data: [] })
    })

    test(`${kind} of another organization return 422 (4.10)`, async () => {
      const create = (path: string, type: string) =>
        subject.ask('POST', path, {
          body: { data: { type, attributes: { name: 'other', email: 'a@b.invalid' } } },
        })
      expect((await create('organizations', 'organizations')).status).toBe(201)
      const id = String(at((await create(`organizations/other/${kind}`, kind)).body, 'data', 'id'))
      const answer = await send('POST', many(kind, [id]))
      expect([answer.status, answer.text]).toEqual([422, expect.stringContaining(id)])
      expect(await related(kind)).toEqual({ data: [] })
    })

    test(`references to ${kind} without type or id, or of another type, return 422 (4.10)`, async () => {
      const [one = ''] = ids()
      const wrong = [
        { data: [{ id: one }] },
        { data: [{ type: kind }] },
        { data: [ref('varsets', one)] },
        { data: [{ type: kind, id: 7 }] },
        { data: [one] },
        { data: ref(kind, one) },
        { data: null },
        {},
      ]
      for (const body of wrong) {
        for (const method of ['POST', 'DELETE']) expect((await send(method, body)).status).toBe(422)
      }
      expect((await subject.ask('DELETE', `varsets/${set}/relationships/${kind}`)).status).toBe(422)
    })
  }

  test('a set that is assigned to a project reaches every workspace in it (4.10)', async () => {
    await subject.ask('POST', `varsets/${set}/relationships/projects`, {
      body: many('projects', [projectId(subject, 'payments')]),
    })
    const reaches = async (name: string) =>
      (await subject.ask('GET', `workspaces/${workspaceId(subject, name)}/varsets`)).body.data
    expect(await reaches('payments-prod')).toHaveLength(1)
    expect(await reaches('ledger-staging')).toHaveLength(1)
    expect(await reaches('network-prod')).toHaveLength(0)
  })

  test('a global set keeps its assignments, and reaches new workspaces by itself (1)', async () => {
    const workspace = workspaceId(subject, 'network-prod')
    await subject.ask('POST', `varsets/${set}/relationships/workspaces`, {
      body: many('workspaces', [workspace]),
    })
    await subject.ask('PATCH', `varsets/${set}`, { body: setBody({ global: true }) })
    expect(await related('workspaces')).toEqual(many('workspaces', [workspace]))
    const created = await subject.ask('POST', 'organizations/acme/workspaces', {
      body: { data: { type: 'workspaces', attributes: { name: 'brand-new' } } },
    })
    const id = at(created.body, 'data', 'id')
    expect((await subject.ask('GET', `workspaces/${id}/varsets`)).body.data).toHaveLength(1)
  })

  test('a deleted workspace is removed from the sets that were assigned to it', async () => {
    const workspace = workspaceId(subject, 'network-prod')
    await subject.ask('POST', `varsets/${set}/relationships/workspaces`, {
      body: many('workspaces', [workspace]),
    })
    expect((await subject.ask('DELETE', `workspaces/${workspace}`)).status).toBe(204)
    expect(await related('workspaces')).toEqual({ data: [] })
  })
}
