import { expect } from 'vitest'
import type { Profile } from '../../src/sandbox/index.ts'
import {
  addVariable,
  at,
  createSet,
  many,
  projectId,
  ref,
  type Subject,
  setBody,
  variable,
  variableBody,
  workspaceId,
} from '../contract/subject.ts'

export type Check = (subject: Subject) => Promise<void>
/** One check for each value of each of these switches. A value without a check does not compile. */
export type Checks<Name extends keyof Profile> = {
  readonly [Axis in Name]: { readonly [Value in Profile[Axis]]: Check }
}

const A = { key: 'A', category: 'env', value: 'old' }
const NOWHERE = 'ws-0000000000000000'

export const statusOf = async (subject: Subject, method: string, path: string, body?: unknown) =>
  (await subject.ask(method, path, body === undefined ? {} : { body })).status
const create = (subject: Subject, attributes: Record<string, unknown>, relationships = {}) =>
  statusOf(subject, 'POST', 'organizations/acme/varsets', setBody(attributes, relationships))
const stored = (subject: Subject) => subject.sandbox.snapshot({ sensitive: true }).sets ?? []
const values = (subject: Subject, set = 0) =>
  (stored(subject)[set]?.variables ?? []).map(one => `${one.key}=${one.value}`)

const twoNames =
  (first: string, second: string, expected: readonly unknown[]): Check =>
  async subject => {
    await create(subject, { name: first })
    const status = await create(subject, { name: second })
    expect([status, ...stored(subject).map(set => set.name)]).toEqual(expected)
  }

/** Adds a key twice: by two requests to one set, and by one request that lists it twice. */
const twice =
  (status: number, added: readonly string[], listed: readonly string[]): Check =>
  async subject => {
    const set = await createSet(subject, { name: 'a' })
    await addVariable(subject, set, A)
    const again = variableBody({ ...A, value: 'new' })
    const vars = { data: [variable(A), variable({ ...A, value: 'new' })] }
    expect([
      await statusOf(subject, 'POST', `varsets/${set}/relationships/vars`, again),
      await create(subject, { name: 'b' }, { vars }),
      values(subject),
      values(subject, 1),
    ]).toEqual([status, status, added, listed])
  }

/** Updates a set with a key that it has. */
const updateKnown =
  (status: number, expected: readonly string[]): Check =>
  async subject => {
    const set = await createSet(subject, { name: 'known' }, { vars: { data: [variable(A)] } })
    const body = setBody({}, { vars: { data: [variable({ ...A, value: 'new' })] } })
    const updated = await statusOf(subject, 'PATCH', `varsets/${set}`, body)
    const at = stored(subject).findIndex(({ id }) => id === set)
    expect([updated, values(subject, at)]).toEqual([status, expected])
  }

const both =
  (first: Check, second: Check): Check =>
  async subject => {
    await first(subject)
    await second(subject)
  }

const updateName =
  (priority: boolean): Check =>
  async subject => {
    const set = await createSet(subject, { name: 'a', priority: true, description: 'd' })
    await statusOf(subject, 'PATCH', `varsets/${set}`, setBody({ name: 'b' }))
    expect(stored(subject)[0]).toMatchObject({ name: 'b', description: 'd', priority })
  }

const uncover =
  (status: number): Check =>
  async subject => {
    const set = await createSet(subject, { name: 'a' })
    const id = await addVariable(subject, set, { ...A, category: 'terraform', sensitive: true })
    const path = `varsets/${set}/relationships/vars/${id}`
    for (const attributes of [{ key: 'B' }, { hcl: true }, { sensitive: false }]) {
      expect(await statusOf(subject, 'PATCH', path, variableBody(attributes))).toBe(status)
    }
  }

/** The key that the variable has. Another value alone is accepted. */
const repeatsKey: Check = async subject => {
  await uncover(500)(subject)
  const [{ id, variables } = {}] = stored(subject)
  const path = `varsets/${id}/relationships/vars/${variables?.[0]?.id}`
  const refused = await subject.ask('PATCH', path, { body: variableBody({ key: 'A', value: 'new' }) })
  expect([refused.status, at(refused.body, 'errors', 0, 'detail')]).toEqual([
    500,
    'changing the key of a sensitive variable is not allowed',
  ])
  expect(await statusOf(subject, 'PATCH', path, variableBody({ value: 'new' }))).toBe(200)
  expect(values(subject)).toEqual(['A=new'])
}

const repeat =
  (status: number, removed = status): Check =>
  async subject => {
    const one = many('workspaces', [workspaceId(subject, 'network-prod')])
    const other = many('workspaces', [workspaceId(subject, 'network-staging')])
    const path = `varsets/${await createSet(subject, { name: 'a' }, { workspaces: one })}/relationships/workspaces`
    expect([
      await statusOf(subject, 'POST', path, one),
      await statusOf(subject, 'DELETE', path, other),
    ]).toEqual([status, removed])
    expect(stored(subject)[0]?.workspaces).toHaveLength(1)
  }

const unknown =
  (status: number, created: number, assigned: number): Check =>
  async subject => {
    const both = many('workspaces', [workspaceId(subject, 'network-prod'), NOWHERE])
    const set = await createSet(subject, { name: 'a' })
    expect([
      await statusOf(subject, 'POST', `varsets/${set}/relationships/workspaces`, both),
      await create(subject, { name: 'b' }, { workspaces: both }),
    ]).toEqual([status, created])
    expect(stored(subject)[0]?.workspaces).toHaveLength(assigned)
  }

const globalWithTargets =
  (statuses: readonly number[], assigned: number): Check =>
  async subject => {
    const one = many('workspaces', [workspaceId(subject, 'network-prod')])
    const set = await createSet(subject, { name: 'a' }, { workspaces: one })
    const global = await createSet(subject, { name: 'b', global: true })
    expect([
      await statusOf(subject, 'PATCH', `varsets/${set}`, setBody({ global: true })),
      await statusOf(subject, 'POST', `varsets/${global}/relationships/workspaces`, one),
      await create(subject, { name: 'c', global: true }, { workspaces: one }),
    ]).toEqual(statuses)
    expect(stored(subject)[1]?.workspaces).toHaveLength(assigned)
  }

const keeps =
  (text: string, expected: string): Check =>
  async subject => {
    const set = await createSet(subject, { name: 'a' })
    const id = await addVariable(subject, set, { key: 'A', category: 'terraform', value: text })
    const shown = await subject.ask('GET', `varsets/${set}/relationships/vars/${id}`)
    expect(at(shown.body, 'data', 'attributes', 'value')).toBe(expected)
  }

const tooLong =
  (status: number): Check =>
  async subject => {
    const set = await createSet(subject, { name: 'a' })
    const path = `varsets/${set}/relationships/vars`
    for (const attributes of [
      { key: 'k'.repeat(129) },
      { value: 'a\nb' },
      { description: 'd'.repeat(513) },
    ]) {
      const body = variableBody({ key: Object.keys(attributes)[0], category: 'env', ...attributes })
      expect(await statusOf(subject, 'POST', path, body)).toBe(status)
    }
  }

/** A set of a project, assigned to a workspace of another one: on create and by the relationship. */
const outside =
  (status: number, assigned: number): Check =>
  async subject => {
    const owner = { parent: { data: ref('projects', projectId(subject, 'data')) } }
    const ids = many('workspaces', [workspaceId(subject, 'network-prod')])
    const set = await createSet(subject, { name: 'a' }, owner)
    expect([
      await statusOf(subject, 'POST', `varsets/${set}/relationships/workspaces`, ids),
      stored(subject)[0]?.workspaces?.length,
      await create(subject, { name: 'b' }, { ...owner, workspaces: ids }),
    ]).toEqual([status, assigned, status === 204 ? 200 : status])
  }

/** Switches that affect writes. */
export const writeChecks: Checks<
  | 'setNames'
  | 'duplicateVariable'
  | 'setUpdateOmitted'
  | 'sensitiveChange'
  | 'repeatedAssignment'
  | 'unknownTarget'
  | 'globalAssignments'
  | 'outsideProject'
  | 'text'
  | 'lengths'
> = {
  setNames: { unique: twoNames('a', 'a', [422, 'a']), any: twoNames('a', 'a', [200, 'a', 'a']) },
  duplicateVariable: {
    refuse: both(twice(422, ['A=old'], []), updateKnown(422, ['A=old'])),
    second: both(twice(200, ['A=old', 'A=new'], ['A=old', 'A=new']), updateKnown(200, ['A=old', 'A=new'])),
    replace: both(twice(200, ['A=new'], ['A=new']), updateKnown(200, ['A=new'])),
  },
  setUpdateOmitted: { 'priority-off': updateName(false), unchanged: updateName(true) },
  sensitiveChange: { refuse: uncover(422), allow: uncover(200), 'refuse-key': repeatsKey },
  repeatedAssignment: {
    accept: repeat(204),
    'not-found': repeat(404),
    refuse: repeat(422),
    conflict: repeat(409, 404),
  },
  unknownTarget: {
    refuse: unknown(422, 422, 0),
    'not-found': unknown(404, 404, 0),
    ignore: unknown(204, 200, 1),
  },
  globalAssignments: {
    kept: globalWithTargets([200, 204, 200], 1),
    cleared: globalWithTargets([200, 204, 200], 0),
    refuse: globalWithTargets([422, 422, 422], 0),
  },
  outsideProject: {
    refuse: outside(422, 0),
    'not-found': outside(404, 0),
    ignore: outside(204, 0),
    accept: outside(204, 1),
  },
  text: {
    verbatim: keeps('a\r\nb\n', 'a\r\nb\n'),
    'trim-newline': keeps('a\r\nb\n\n', 'a\r\nb\n'),
    'unix-newlines': keeps('a\r\nb\r\n', 'a\nb\n'),
    trim: keeps('\u00a0\u0085\n a\r\nb\ufeff \t', 'a\r\nb\ufeff'),
  },
  lengths: { enforced: tooLong(422), any: tooLong(200) },
}
