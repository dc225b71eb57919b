import { expect, test } from 'vitest'
import {
  addVariable,
  at,
  createSet,
  eachTest,
  listOf,
  many,
  namesOf,
  type Open,
  projectId,
  workspaceId,
} from './subject.ts'

const LIST = 'organizations/acme/varsets'

/** docs/service.md 2.3, 4.5 and 7. */
export function listCases(open: Open): void {
  const { subject } = eachTest(open)
  const list = (query: Record<string, string> = {}, path = LIST) => subject.ask('GET', path, { query })
  const createMany = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      await createSet(subject, { name: `set-${String(index).padStart(2, '0')}` })
    }
  }

  test('a list without sets has one empty page (2.3)', async () => {
    const answer = await list()
    expect(answer.status).toBe(200)
    expect(answer.body.data).toEqual([])
    expect(answer.body.meta).toEqual({
      pagination: {
        'current-page': 1,
        'page-size': 20,
        'prev-page': null,
        'next-page': null,
        'total-pages': 1,
        'total-count': 0,
      },
    })
  })

  test('a page has 20 sets by default, and links to its neighbours (2.3, 4.5, 7)', async () => {
    await createMany(45)
    const answer = await list()
    expect(namesOf(answer)).toEqual(
      Array.from({ length: 20 }, (_, index) => `set-${String(index).padStart(2, '0')}`),
    )
    expect(answer.body.meta).toEqual({
      pagination: {
        'current-page': 1,
        'page-size': 20,
        'prev-page': null,
        'next-page': 2,
        'total-pages': 3,
        'total-count': 45,
      },
    })
    const links = answer.body.links as Record<string, string | null>
    const page = (number: number) =>
      expect.stringMatching(
        new RegExp(`^http://[^/]+/api/v2/${LIST}\\?page%5Bnumber%5D=${number}&page%5Bsize%5D=20$`),
      )
    expect(links).toEqual({ self: page(1), first: page(1), prev: null, next: page(2), last: page(3) })
  })

  test('page number and size select the page, and links keep the other parameters (2.3, 4.5)', async () => {
    await createMany(7)
    const answer = await list({ 'page[number]': '2', 'page[size]': '3', q: 'SET-', include: 'vars' })
    expect(namesOf(answer)).toEqual(['set-03', 'set-04', 'set-05'])
    expect(at(answer.body, 'meta', 'pagination')).toEqual({
      'current-page': 2,
      'page-size': 3,
      'prev-page': 1,
      'next-page': 3,
      'total-pages': 3,
      'total-count': 7,
    })
    const next = new URL(String(at(answer.body, 'links', 'next'))).searchParams
    expect(Object.fromEntries(next)).toEqual({
      'page[number]': '3',
      'page[size]': '3',
      q: 'SET-',
      include: 'vars',
    })
  })

  test('a page after the last is empty and has the correct total', async () => {
    await createMany(2)
    const answer = await list({ 'page[number]': '999', 'page[size]': '100' })
    expect(answer.body.data).toEqual([])
    expect(at(answer.body, 'meta', 'pagination')).toEqual({
      'current-page': 999,
      'page-size': 100,
      'prev-page': 1,
      'next-page': null,
      'total-pages': 1,
      'total-count': 2,
    })
  })

  test('the page size is at most 100', async () => {
    expect(at((await list({ 'page[size]': '500' })).body, 'meta', 'pagination', 'page-size')).toBe(100)
  })

  test('q matches a part of the name, without regard to case (4.5)', async () => {
    for (const name of ['aws-prod', 'AWS-staging', 'gcp']) await createSet(subject, { name })
    expect(namesOf(await list({ q: 'aws' }))).toEqual(['AWS-staging', 'aws-prod'])
    expect(namesOf(await list({ q: '[' }))).toEqual([])
  })

  test('an item of a list is the same as the response to show (2.1)', async () => {
    const id = await createSet(
      subject,
      { name: 'aws', priority: true },
      {
        workspaces: many('workspaces', [workspaceId(subject, 'network-prod')]),
      },
    )
    await addVariable(subject, id, { key: 'A', category: 'env' })
    expect(listOf(await list())).toEqual([(await subject.ask('GET', `varsets/${id}`)).body.data])
  })

  test('include=vars includes the variables of the sets on the page, and no others (4.11)', async () => {
    for (const name of ['a', 'b', 'c']) {
      const id = await createSet(subject, { name })
      await addVariable(subject, id, { key: `KEY_${name}`, category: 'env', value: name })
    }
    const answer = await list({ include: 'vars', 'page[size]': '2' })
    const included = answer.body.included as readonly unknown[]
    expect(included.map(one => [at(one, 'attributes', 'key'), at(one, 'attributes', 'value')])).toEqual([
      ['KEY_a', 'a'],
      ['KEY_b', 'b'],
    ])
    const references = listOf(answer).flatMap(set => at(set, 'relationships', 'vars', 'data'))
    expect(references).toEqual(included.map(one => ({ id: at(one, 'id'), type: 'vars' })))
  })

  test('a workspace that two sets are assigned to is included once', async () => {
    const workspaces = many('workspaces', [workspaceId(subject, 'network-prod')])
    await createSet(subject, { name: 'a' }, { workspaces })
    await createSet(subject, { name: 'b' }, { workspaces })
    const included = (await list({ include: 'workspaces' })).body.included as readonly unknown[]
    expect(included.map(one => at(one, 'attributes', 'name'))).toEqual(['network-prod'])
  })

  test('a project lists its sets and the global ones (4.5)', async () => {
    const project = projectId(subject, 'platform')
    await createSet(subject, { name: 'applied' }, { projects: many('projects', [project]) })
    await createSet(subject, { name: 'everywhere', global: true })
    await createSet(subject, { name: 'other' }, { projects: many('projects', [projectId(subject, 'data')]) })
    const path = `projects/${project}/varsets`
    expect(namesOf(await list({}, path))).toEqual(['applied', 'everywhere'])
    expect(namesOf(await list({ q: 'app' }, path))).toEqual(['applied'])
    expect((await list({}, 'projects/prj-none/varsets')).status).toBe(404)
  })

  test('a workspace lists its sets, those of its project and the global ones, each once (4.5)', async () => {
    const workspace = workspaceId(subject, 'network-prod')
    await createSet(
      subject,
      { name: 'direct' },
      {
        workspaces: many('workspaces', [workspace]),
        projects: many('projects', [projectId(subject, 'platform')]),
      },
    )
    await createSet(
      subject,
      { name: 'by-project' },
      { projects: many('projects', [projectId(subject, 'platform')]) },
    )
    await createSet(subject, { name: 'everywhere', global: true })
    await createSet(subject, { name: 'other' }, { projects: many('projects', [projectId(subject, 'data')]) })
    const path = `workspaces/${workspace}/varsets`
    expect(namesOf(await list({}, path))).toEqual(['by-project', 'direct', 'everywhere'])
    const page = await list({ 'page[number]': '2', 'page[size]': '2' }, path)
    expect(namesOf(page)).toEqual(['everywhere'])
    expect(at(page.body, 'meta', 'pagination', 'total-count')).toBe(3)
    expect((await list({}, 'workspaces/ws-none/varsets')).status).toBe(404)
  })

  test('a list of an organization that does not exist returns 404', async () => {
    expect((await list({}, 'organizations/other/varsets')).status).toBe(404)
  })

  test('names sort by code point, not by UTF-16 unit', async () => {
    for (const name of ['\u{1f600}', '\uffee', 'b', 'a']) await createSet(subject, { name })
    expect(namesOf(await list())).toEqual(['a', 'b', '\uffee', '\u{1f600}'])
  })
}
