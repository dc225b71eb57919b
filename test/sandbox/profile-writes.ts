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

const repeat =
  (status: number, removed: number): Check =>
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

/** Assigns a workspace that does not exist beside one that does, and one outside of the project that owns the set. */
const wrongTarget =
  (status: number, known: number, outside: number): Check =>
  async subject => {
    const created = status === 204 ? 200 : status
    const both = many('workspaces', [workspaceId(subject, 'network-prod'), NOWHERE])
    const set = await createSet(subject, { name: 'a' })
    const owner = { parent: { data: ref('projects', projectId(subject, 'data')) } }
    const owned = await createSet(subject, { name: 'c' }, owner)
    const one = many('workspaces', [workspaceId(subject, 'network-prod')])
    expect([
      await statusOf(subject, 'POST', `varsets/${set}/relationships/workspaces`, both),
      await create(subject, { name: 'b' }, { workspaces: both }),
      await statusOf(subject, 'POST', `varsets/${owned}/relationships/workspaces`, one),
      await create(subject, { name: 'd' }, { ...owner, workspaces: one }),
    ]).toEqual([status, created, status, created])
    expect(
      stored(subject)
        .slice(0, 2)
        .map(({ workspaces }) => workspaces?.length),
    ).toEqual([known, outside])
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

/** Whether a create and an update write variables and workspaces, as their responses and a read tell. */
const members =
  (isWritten: boolean): Check =>
  async subject => {
    const workspaces = many('workspaces', [workspaceId(subject, 'network-prod')])
    const body = setBody({ name: 'a' }, { workspaces, vars: { data: [variable(A)] } })
    const made = await subject.ask('POST', 'organizations/acme/varsets', { body })
    const path = `varsets/${at(made.body, 'data', 'id')}`
    const more = setBody({}, { workspaces, vars: { data: [variable({ ...A, key: 'B' })] } })
    const changed = await subject.ask('PATCH', path, { body: more })
    const lengths = [made, changed, await subject.ask('GET', path)].map(answer =>
      (['vars', 'workspaces'] as const).map(name =>
        at(answer.body, 'data', 'relationships', name, 'data', 'length'),
      ),
    )
    expect(lengths).toEqual(
      isWritten
        ? [
            [1, 1],
            [2, 1],
            [2, 1],
          ]
        : [
            [0, 0],
            [0, 0],
            [0, 0],
          ],
    )
    await addVariable(subject, String(at(made.body, 'data', 'id')), { ...A, key: 'C' })
    const shown = await subject.ask('PATCH', path, { body: setBody({ description: 'd' }) })
    const attributes = at(shown.body, 'data', 'relationships', 'vars', 'data', 0, 'attributes')
    expect(attributes !== undefined).toBe(isWritten)
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

/** Switches that affect writes. */
export const writeChecks: Checks<
  | 'setNames'
  | 'duplicateVariable'
  | 'setMembers'
  | 'repeatedAssignment'
  | 'wrongTarget'
  | 'globalAssignments'
  | 'parallelWrites'
  | 'text'
  | 'lengths'
> = {
  setNames: { unique: twoNames('a', 'a', [422, 'a']), any: twoNames('a', 'a', [200, 'a', 'a']) },
  duplicateVariable: {
    refuse: both(twice(422, ['A=old'], []), updateKnown(422, ['A=old'])),
    second: both(twice(200, ['A=old', 'A=new'], ['A=old', 'A=new']), updateKnown(200, ['A=old', 'A=new'])),
    replace: both(twice(200, ['A=new'], ['A=new']), updateKnown(200, ['A=new'])),
  },
  setMembers: { written: members(true), ignored: members(false) },
  repeatedAssignment: { accept: repeat(204, 204), refuse: repeat(409, 404) },
  wrongTarget: {
    refuse: wrongTarget(422, 0, 0),
    'not-found': wrongTarget(404, 0, 0),
    accept: wrongTarget(204, 1, 1),
  },
  globalAssignments: {
    kept: globalWithTargets([200, 204, 200], 1),
    refuse: globalWithTargets([422, 422, 422], 0),
  },
  parallelWrites: { accept: atOnce(false), deadlock: atOnce(true) },
  text: {
    verbatim: keeps('a\r\nb\n', 'a\r\nb\n'),
    'unix-newlines': keeps('a\r\nb\r\n', 'a\nb\n'),
    trim: keeps('\u00a0\u0085\n a\r\nb\ufeff \t', 'a\r\nb\ufeff'),
  },
  lengths: { enforced: tooLong(422), any: tooLong(200) },
}
