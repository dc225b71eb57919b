import { expect } from 'vitest'
import {
  addVariable,
  at,
  createSet,
  listOf,
  many,
  namesOf,
  projectId,
  ref,
  type Subject,
  setBody,
  variableBody,
  workspaceId,
} from '../contract/subject.ts'
import { type Check, type Checks, statusOf } from './profile-writes.ts'

const LIST = 'organizations/acme/varsets'
const A = { key: 'A', category: 'env', value: 'old' }

/** What a service shows of a set with priority, a Stack and a project, and what it has of requests about them. */
async function shownBy(subject: Subject) {
  const project = projectId(subject, 'data')
  const relationships = { projects: many('projects', [project]), stacks: { data: [] } }
  const set = await createSet(subject, { name: 'a', priority: true }, relationships)
  await createSet(subject, { name: 'b' })
  const path = `varsets/${set}`
  const shown = await subject.ask('GET', path)
  const attribute = (name: string) => at(shown.body, 'data', 'attributes', name)
  const related = Object.keys(Object(at(shown.body, 'data', 'relationships')))
  const workspace = await subject.ask('GET', `workspaces/${workspaceId(subject, 'network-prod')}`)
  return {
    name: shown.headers['tfp-appname'],
    priority: attribute('priority'),
    projects: [
      attribute('project-count'),
      related.includes('projects'),
      at(workspace.body, 'data', 'relationships', 'project') !== undefined,
      await statusOf(subject, 'GET', 'organizations/acme/projects'),
      await statusOf(subject, 'GET', `projects/${project}`),
      await statusOf(subject, 'GET', `projects/${project}/varsets`),
      await statusOf(subject, 'POST', `${path}/relationships/projects`, { data: [] }),
    ],
    includesProjects: (await subject.ask('GET', LIST, { query: { include: 'projects' } })).status,
    stacks: [
      attribute('stack-count'),
      related.includes('stacks'),
      await statusOf(subject, 'POST', `${path}/relationships/stacks`, { data: [] }),
      await statusOf(subject, 'GET', 'organizations/acme/stacks'),
    ],
    includesStacks: (await subject.ask('GET', path, { query: { include: 'stacks' } })).status,
    found: namesOf(await subject.ask('GET', LIST, { query: { q: 'a' } })),
  }
}

/** Who owns a set that is created in a project, what a token may do with it, and versions of variables. */
async function ownershipBy(subject: Subject) {
  const parent = { data: ref('projects', projectId(subject, 'data')) }
  const set = await createSet(subject, { name: 'owned' }, { parent })
  await addVariable(subject, set, A)
  const { data } = (await subject.ask('GET', `varsets/${set}`)).body
  const [variable] = listOf(await subject.ask('GET', `varsets/${set}/relationships/vars`))
  return [
    at(data, 'attributes', 'permissions'),
    at(data, 'relationships', 'parent') !== undefined,
    typeof at(variable, 'attributes', 'version-id'),
    subject.sandbox.snapshot().sets?.find(({ name }) => name === 'owned')?.parent !== undefined,
  ]
}

const MORE = [{ 'can-update': true }, true, 'string', true]
const NO_MORE = [undefined, false, 'undefined', false]
type Shown = readonly (number | boolean | undefined)[]
const PROJECTS: Shown = [1, true, true, 200, 200, 200, 204]
const NO_PROJECTS: Shown = [undefined, false, false, 404, 404, 404, 404]
const STACKS: Shown = [0, true, 204, 200]
const NO_STACKS: Shown = [undefined, false, 404, 404]

const HCP = {
  name: 'HCP Terraform',
  priority: true as boolean | undefined,
  projects: PROJECTS,
  includesProjects: 200,
  stacks: STACKS,
  includesStacks: 200,
  found: ['a'],
}
const PUBLISHED = { ...HCP, stacks: NO_STACKS, includesStacks: 400 }
const EVERYTHING = ['a', 'b']

const has =
  (expected: typeof HCP, more: readonly unknown[]): Check =>
  async subject => {
    expect(await shownBy(subject)).toEqual(expected)
    expect(await ownershipBy(subject)).toEqual(more)
  }

/** How OTF deviates from the interface (docs/service.md#servers-that-others-wrote). */
const otf: Check = async subject => {
  expect(await shownBy(subject)).toEqual({
    ...HCP,
    priority: false,
    projects: NO_PROJECTS,
    stacks: NO_STACKS,
    found: EVERYTHING,
  })
  expect(await ownershipBy(subject)).toEqual(NO_MORE)
  await answersAsOtf(subject)
  await writesAsOtf(subject)
  await refusesAsOtf(subject)
}

/** No page data, no counts and times, and nothing that is included. */
async function answersAsOtf(subject: Subject): Promise<void> {
  const list = await subject.ask('GET', LIST, { query: { 'page[size]': '1', include: 'vars' } })
  expect([Object.keys(list.body), listOf(list).length]).toEqual([['data'], 3])
  const names = ['var-count', 'workspace-count', 'updated-at']
  const [set] = listOf(list)
  expect(names.filter(name => name in Object(at(set, 'attributes')))).toEqual([])
  const owned = subject.sandbox.snapshot().sets?.find(({ name }) => name === 'owned')
  const [variable] = listOf(await subject.ask('GET', `varsets/${owned?.id}/relationships/vars`))
  expect('created-at' in Object(at(variable, 'attributes'))).toBe(false)
}

/** `priority` is repeated by the response to an update and not stored. Only PATCH updates. */
async function writesAsOtf(subject: Subject): Promise<void> {
  const path = `varsets/${await createSet(subject, { name: 'c' })}`
  const body = setBody({ name: 'c', priority: true })
  const answers = [await subject.ask('PATCH', path, { body }), await subject.ask('GET', path)]
  expect(answers.map(answer => at(answer.body, 'data', 'attributes', 'priority'))).toEqual([true, false])
  for (const method of ['POST', 'PUT']) expect(await statusOf(subject, method, path, body)).toBe(404)
}

/** 409 and 500 where the interface has 422, with the reason; text where OTF has no such path or token. */
async function refusesAsOtf(subject: Subject): Promise<void> {
  const set = `varsets/${await createSet(subject, { name: 'd', global: true })}`
  const other = `varsets/${await createSet(subject, { name: 'e', global: true })}`
  const id = await addVariable(subject, set.slice('varsets/'.length), { ...A, sensitive: true })
  const variables = '/relationships/vars'
  const refusals = [
    await subject.ask('POST', LIST, { body: setBody({ name: 'd' }) }),
    await subject.ask('POST', set + variables, { body: variableBody(A) }),
    await subject.ask('POST', other + variables, { body: variableBody(A) }),
    await subject.ask('POST', `${set}/relationships/workspaces`, { body: many('workspaces', ['ws-0']) }),
    await subject.ask('PATCH', `${set}${variables}/${id}`, {
      body: variableBody({ key: 'A', value: 'new' }),
    }),
    await subject.ask('PATCH', `${set}${variables}/${id}`, { body: variableBody({ sensitive: false }) }),
    await subject.ask('POST', 'organizations/nobody/varsets', { body: setBody({ name: 'a' }) }),
    await subject.ask('POST', LIST, { body: { data: {} } }),
  ]
  const clash = expect.stringContaining('variable conflicts with another variable')
  const missing = expect.stringContaining('is not present in table')
  expect(refusals.map(({ status, body }) => [status, at(body, 'errors', 0, 'detail')])).toEqual([
    [409, 'resource already exists'],
    [500, clash],
    [500, clash],
    [500, missing],
    [500, 'changing the key of a sensitive variable is not allowed'],
    [500, 'cannot change a sensitive variable to a non-sensitive variable'],
    [500, missing],
    [422, expect.stringContaining('type must be')],
  ])
  expect(await statusOf(subject, 'PATCH', `${set}${variables}/${id}`, variableBody({ value: 'new' }))).toBe(
    200,
  )
  for (const list of ['varsets', 'workspaces'])
    expect(await statusOf(subject, 'GET', `organizations/nobody/${list}`)).toBe(200)
  const texts = [
    await subject.ask('GET', 'varsets/varset-none'),
    await subject.ask('GET', 'nothing'),
    await subject.ask('GET', LIST, { token: 'unknown' }),
  ]
  const type = 'content-type'
  expect(texts.map(({ status, headers, text }) => [status, headers[type], text])).toEqual([
    [404, 'application/vnd.api+json', expect.stringContaining('"status":"404"')],
    [404, 'text/plain; charset=utf-8', '404 page not found\n'],
    [401, 'text/plain; charset=utf-8', 'invalid JWT\n'],
  ])
}

export const serverChecks: Checks<'server'> = {
  server: {
    hcp: has(HCP, MORE),
    enterprise: has({ ...HCP, name: 'Terraform Enterprise', stacks: NO_STACKS }, MORE),
    published: has(PUBLISHED, NO_MORE),
    '2023-10': has({ ...PUBLISHED, found: EVERYTHING }, NO_MORE),
    '2023-03': has({ ...PUBLISHED, priority: undefined, found: EVERYTHING }, NO_MORE),
    '2021-11': has(
      { ...PUBLISHED, priority: undefined, projects: NO_PROJECTS, includesProjects: 400, found: EVERYTHING },
      NO_MORE,
    ),
    otf,
  },
}
