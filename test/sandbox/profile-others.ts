import { expect } from 'vitest'
import {
  addVariable,
  at,
  createSet,
  listOf,
  many,
  namesOf,
  projectId,
  setBody,
  variable,
  variableBody,
  workspaceId,
} from '../contract/subject.ts'
import { type Check, type Checks, statusOf } from './profile-writes.ts'

const LIST = 'organizations/acme/varsets'
const A = { key: 'A', category: 'env', value: 'a' }

/** How many variables and workspaces a set has after a create and an update with both, as the responses and a read tell. */
const members =
  (created: number, updated: number, attributes: boolean): Check =>
  async subject => {
    const workspaces = many('workspaces', [workspaceId(subject, 'network-prod')])
    const body = setBody({ name: 'a' }, { workspaces, vars: { data: [variable(A)] } })
    const made = await subject.ask('POST', LIST, { body })
    const path = `varsets/${at(made.body, 'data', 'id')}`
    const more = setBody({}, { workspaces, vars: { data: [variable({ ...A, key: 'B' })] } })
    const changed = await subject.ask('PATCH', path, { body: more })
    const read = await subject.ask('GET', path)
    const both = ['vars', 'workspaces'] as const
    const lengths = [made, changed, read].map(answer =>
      both.map(name => at(answer.body, 'data', 'relationships', name, 'data', 'length')),
    )
    const assigned = Math.min(created, 1)
    expect(lengths).toEqual([
      [created, assigned],
      [updated, Math.min(updated, 1)],
      [updated, Math.min(updated, 1)],
    ])
    await addVariable(subject, String(at(made.body, 'data', 'id')), { ...A, key: 'C' })
    const shown = await subject.ask('PATCH', path, { body: setBody({ description: 'd' }) })
    expect(at(shown.body, 'data', 'relationships', 'vars', 'data', 0, 'attributes') !== undefined).toBe(
      attributes,
    )
  }

const methods =
  (others: number): Check =>
  async subject => {
    const path = `varsets/${await createSet(subject, { name: 'a' })}`
    const statuses = ['POST', 'PUT', 'PATCH'].map(method =>
      statusOf(subject, method, path, setBody({ name: 'b' })),
    )
    expect(await Promise.all(statuses)).toEqual([others, others, 200])
  }

const priority =
  (created: boolean, updated: boolean, read: boolean): Check =>
  async subject => {
    const body = setBody({ name: 'a', priority: true })
    const made = await subject.ask('POST', LIST, { body })
    const path = `varsets/${at(made.body, 'data', 'id')}`
    const changed = await subject.ask('PATCH', path, { body })
    const answers = [made, changed, await subject.ask('GET', path)]
    expect(answers.map(answer => at(answer.body, 'data', 'attributes', 'priority'))).toEqual([
      created,
      updated,
      read,
    ])
  }

const missingOrganization =
  (listed: number, created: number): Check =>
  async subject => {
    const lists = ['varsets', 'workspaces'].map(name =>
      statusOf(subject, 'GET', `organizations/nobody/${name}`),
    )
    expect([
      ...(await Promise.all(lists)),
      await statusOf(subject, 'POST', 'organizations/nobody/varsets', setBody({ name: 'a' })),
    ]).toEqual([listed, listed, created])
  }

/** A taken name, a taken key, a conflict of global sets, an unknown workspace, and a malformed request. */
const problems =
  (name: number, others: number, detail: string): Check =>
  async subject => {
    const set = await createSet(subject, { name: 'a', global: true })
    const other = await createSet(subject, { name: 'b', global: true })
    await addVariable(subject, set, A)
    const taken = await subject.ask('POST', `varsets/${set}/relationships/vars`, { body: variableBody(A) })
    expect([
      await statusOf(subject, 'POST', LIST, setBody({ name: 'a' })),
      taken.status,
      await statusOf(subject, 'POST', `varsets/${other}/relationships/vars`, variableBody(A)),
      await statusOf(
        subject,
        'POST',
        `varsets/${set}/relationships/workspaces`,
        many('workspaces', ['ws-0']),
      ),
      await statusOf(subject, 'POST', LIST, { data: {} }),
      at(taken.body, 'errors', 0, 'detail'),
    ]).toEqual([name, others, others, others, 422, expect.stringContaining(detail)])
  }

/** 21 sets: the first page, the second, a large one, and one with `q` and `include`. */
const setLists =
  (sizes: readonly number[], members: readonly string[], included: boolean): Check =>
  async subject => {
    for (let index = 0; index < 21; index += 1) await createSet(subject, { name: `set-${index}` })
    const queries: Record<string, string>[] = [
      {},
      { 'page[number]': '2' },
      { 'page[size]': '100' },
      { q: 'set-1', include: 'vars' },
    ]
    const answers = await Promise.all(queries.map(query => subject.ask('GET', LIST, { query })))
    expect(answers.map(answer => namesOf(answer).length)).toEqual(sizes)
    expect(Object.keys(answers[0]?.body ?? {}).toSorted()).toEqual(members)
    expect('included' in (answers[3]?.body ?? {})).toBe(included)
  }

const pageData =
  (members: readonly string[], size: unknown): Check =>
  async subject => {
    for (const kind of ['workspaces', 'projects']) {
      const { body } = await subject.ask('GET', `organizations/acme/${kind}`)
      expect(Object.keys(body).toSorted()).toEqual(members)
      expect(at(body, 'meta', 'pagination', 'page-size')).toEqual(size)
      expect(at(body, 'meta', 'pagination', 'total-pages')).toBe(1)
    }
  }

const counts =
  (isShown: boolean): Check =>
  async subject => {
    const set = await createSet(subject, { name: 'a' })
    await addVariable(subject, set, A)
    const shown = Object(at((await subject.ask('GET', `varsets/${set}`)).body, 'data', 'attributes'))
    const [one] = listOf(await subject.ask('GET', `varsets/${set}/relationships/vars`))
    const names = ['var-count', 'workspace-count', 'project-count', 'updated-at']
    expect(names.map(name => name in shown)).toEqual(names.map(() => isShown))
    expect('created-at' in Object(at(one, 'attributes'))).toBe(isShown)
  }

/** Requests about projects, and relationships to them, of a service whose state has projects. */
const projects =
  (status: number, isRelated: boolean): Check =>
  async subject => {
    const id = projectId(subject, 'data')
    const relationships = { projects: many('projects', [id]) }
    const set = await createSet(subject, { name: 'a' }, relationships)
    const workspace = workspaceId(subject, 'network-prod')
    const paths = ['organizations/acme/projects', `projects/${id}`, `projects/${id}/varsets`]
    for (const path of paths) expect([path, await statusOf(subject, 'GET', path)]).toEqual([path, status])
    const assigned = await statusOf(subject, 'DELETE', `varsets/${set}/relationships/projects`, {
      data: [],
    })
    expect(assigned).toBe(status === 200 ? 204 : status)
    const shown = [`varsets/${set}`, `workspaces/${workspace}`].map(path => subject.ask('GET', path))
    const related = (await Promise.all(shown)).map(({ body }) =>
      Object.keys(Object(at(body, 'data', 'relationships'))),
    )
    expect([related[0]?.includes('projects'), related[1]?.includes('project')]).toEqual([
      isRelated,
      isRelated,
    ])
  }

/** An update of one set and an assignment of another, at the same time and one after the other. */
const atOnce =
  (isRefused: boolean): Check =>
  async subject => {
    const [a, b] = [await createSet(subject, { name: 'a' }), await createSet(subject, { name: 'b' })]
    const workspaces = many('workspaces', [workspaceId(subject, 'network-prod')])
    const update = () => statusOf(subject, 'PATCH', `varsets/${a}`, setBody({ description: 'd' }))
    const assign = () => statusOf(subject, 'POST', `varsets/${b}/relationships/workspaces`, workspaces)
    const both = await Promise.all([update(), assign()])
    expect(both).toEqual(isRefused ? [500, 204] : [200, 204])
    expect([await update(), await assign()]).toEqual([200, 204])
    expect(await Promise.all([update(), update()])).toEqual([200, 200])
  }

/** Switches for servers that others wrote. */
export const otherChecks: Checks<
  | 'setMembers'
  | 'setUpdateMethods'
  | 'priority'
  | 'missingOrganization'
  | 'problemStatus'
  | 'setLists'
  | 'pageData'
  | 'counts'
  | 'projects'
  | 'parallelWrites'
> = {
  setMembers: {
    written: members(1, 2, true),
    'on-create': members(1, 1, true),
    ignored: members(0, 0, false),
  },
  setUpdateMethods: { all: methods(200), patch: methods(404) },
  priority: { kept: priority(true, true, true), lost: priority(false, true, false) },
  missingOrganization: { 'not-found': missingOrganization(404, 404), empty: missingOrganization(200, 500) },
  problemStatus: {
    422: problems(422, 422, 'Key has already been taken'),
    500: problems(409, 500, 'variable conflicts with another variable'),
  },
  setLists: {
    pages: setLists([20, 1, 21, 11], ['data', 'links', 'meta'], true),
    'pages-bare': setLists([20, 1, 21, 11], ['data'], true),
    'whole-bare': setLists([21, 21, 21, 21], ['data'], false),
  },
  pageData: {
    complete: pageData(['data', 'links', 'meta'], 20),
    'no-size': pageData(['data', 'meta'], undefined),
  },
  counts: { shown: counts(true), missing: counts(false) },
  parallelWrites: { accept: atOnce(false), deadlock: atOnce(true) },
  projects: { answered: projects(200, true), missing: projects(404, false) },
}
