import { expect, test } from 'vitest'
import {
  at,
  createSet,
  eachTest,
  idOf,
  many,
  namesOf,
  type Open,
  projectId,
  ref,
  setBody,
} from './subject.ts'

/** Stacks, and sets that are assigned to them (docs/service.md 10.4). */
export function stackCases(open: Open): void {
  const { subject, ask } = eachTest(open)
  const stackBody = (name: string, more = {}, project = projectId(subject, 'data')) => ({
    data: {
      type: 'stacks',
      attributes: { name, ...more },
      relationships: { project: { data: ref('projects', project) } },
    },
  })
  const createStack = async (name: string) => idOf(await ask('POST', 'stacks', { body: stackBody(name) }))
  const stacksOf = async (set: string) => {
    const shown = await ask('GET', `varsets/${set}`)
    return [
      at(shown.body, 'data', 'attributes', 'stack-count'),
      at(shown.body, 'data', 'relationships', 'stacks'),
    ]
  }

  test('a Stack is created in a project, listed for its organization, shown, changed and deleted', async () => {
    const created = await ask('POST', 'stacks', { body: stackBody('net', { 'x-a': [1] }) })
    expect([created.status, idOf(created)]).toEqual([
      201,
      expect.stringMatching(/^st-[1-9A-HJ-NP-Za-km-z]{16}$/),
    ])
    const path = `stacks/${idOf(created)}`
    expect((await ask('GET', path)).body.data).toMatchObject({
      type: 'stacks',
      attributes: { name: 'net', 'x-a': [1] },
      relationships: { project: { data: ref('projects', projectId(subject, 'data')) } },
    })
    await createStack('app')
    const list = (query = {}) => ask('GET', 'organizations/acme/stacks', { query })
    expect(namesOf(await list())).toEqual(['app', 'net'])
    expect(namesOf(await list({ 'search[name]': 'NE' }))).toEqual(['net'])
    expect(namesOf(await list({ 'filter[project[id]]': projectId(subject, 'platform') }))).toEqual([])
    expect(at((await list({ 'page[size]': '1' })).body, 'meta', 'pagination', 'total-pages')).toBe(2)
    const body = { data: { type: 'stacks', attributes: { description: 'd' } } }
    expect(at((await ask('PATCH', path, { body })).body, 'data', 'attributes', 'description')).toBe('d')
    expect((await ask('DELETE', path)).status).toBe(204)
    expect((await ask('GET', path)).status).toBe(404)
  })

  test('a Stack without a project, with an unknown project, or with an existing name is refused', async () => {
    await createStack('net')
    const statusOf = async (body: unknown) => (await ask('POST', 'stacks', { body })).status
    expect(await statusOf({ data: { type: 'stacks', attributes: { name: 'a' } } })).toBe(422)
    expect(await statusOf(stackBody('a', {}, 'prj-none'))).toBe(404)
    expect(await statusOf(stackBody('net'))).toBe(422)
    expect(await statusOf(stackBody('a b'))).toBe(422)
    expect((await ask('DELETE', `projects/${projectId(subject, 'data')}`)).status).toBe(422)
  })

  test('Stacks are assigned on create, replaced by an update, and removed by []', async () => {
    const [one, two] = [await createStack('one'), await createStack('two')]
    const set = await createSet(subject, { name: 'a' }, { stacks: many('stacks', [one]) })
    expect(await stacksOf(set)).toEqual([1, many('stacks', [one])])
    const update = (ids: readonly string[]) =>
      ask('PATCH', `varsets/${set}`, { body: setBody({ name: 'a' }, { stacks: many('stacks', ids) }) })
    const answer = await update([two])
    expect(at(answer.body, 'data', 'relationships', 'stacks')).toEqual(many('stacks', [two]))
    await ask('PATCH', `varsets/${set}`, { body: setBody({ description: 'd' }) })
    expect(await stacksOf(set)).toEqual([1, many('stacks', [two])])
    await ask('DELETE', `stacks/${two}`)
    expect(await stacksOf(set)).toEqual([0, { data: [] }])
    await update([one])
    await update([])
    expect(await stacksOf(set)).toEqual([0, { data: [] }])
    expect((await update(['st-none'])).status).toBe(422)
  })

  test('POST and DELETE of the relationship assign and unassign, and leave workspaces and projects unchanged', async () => {
    const [one, two] = [await createStack('one'), await createStack('two')]
    const project = projectId(subject, 'data')
    const set = await createSet(subject, { name: 'a' }, { projects: many('projects', [project]) })
    const send = async (method: string, ids: readonly string[]) =>
      (await ask(method, `varsets/${set}/relationships/stacks`, { body: many('stacks', ids) })).status
    expect(await send('POST', [one, two])).toBe(204)
    expect(await stacksOf(set)).toEqual([2, many('stacks', [one, two])])
    expect(await send('DELETE', [one])).toBe(204)
    expect(await send('POST', ['st-none'])).toBe(422)
    expect(await stacksOf(set)).toEqual([1, many('stacks', [two])])
    const shown = await ask('GET', `varsets/${set}`)
    expect(at(shown.body, 'data', 'relationships', 'projects')).toEqual(many('projects', [project]))
    await ask('DELETE', `stacks/${two}`)
    expect(await stacksOf(set)).toEqual([0, { data: [] }])
  })

  test('include=stacks includes Stacks, in show and in lists', async () => {
    const one = await createStack('one')
    const set = await createSet(subject, { name: 'a' }, { stacks: many('stacks', [one]) })
    for (const path of [`varsets/${set}`, 'organizations/acme/varsets']) {
      const answer = await ask('GET', path, { query: { include: 'stacks,projects' } })
      expect(namesOf({ ...answer, body: { data: answer.body.included } })).toEqual(['one'])
    }
  })

  test('Stacks are kept in a snapshot and restored, and a seed can refer to them by name', async () => {
    const one = await createStack('one')
    const set = await createSet(subject, { name: 'a' }, { stacks: many('stacks', [one]) })
    subject.sandbox.restore(subject.sandbox.snapshot({ sensitive: true }))
    expect(await stacksOf(set)).toEqual([1, many('stacks', [one])])
    subject.sandbox.ensure({
      stacks: [{ name: 'two', project: 'data' }],
      sets: [{ name: 'b', stacks: ['one', 'two'] }],
    })
    const [, b] = subject.sandbox.snapshot().sets ?? []
    expect(b?.stacks).toEqual([one, subject.sandbox.snapshot().stacks?.[1]?.id])
    expect(() => subject.sandbox.ensure({ sets: [{ name: 'c', stacks: ['none'] }] })).toThrow(
      'sets[0].stacks: there is no stack "none"',
    )
  })
}
