import { expect } from 'vitest'
import type { SandboxSeed, SetSeed, Traits } from '../../src/sandbox/index.ts'
import {
  type Answer,
  at,
  type Json,
  listOf,
  many,
  ref,
  type Subject,
  setBody,
  variable,
  variableBody,
} from '../contract/subject.ts'

const LIST = 'organizations/acme/varsets'
const [SET, OTHER, GLOBAL] = ['varset-AAAAAAAAAAAAAAAA', 'varset-BBBBBBBBBBBBBBBB', 'varset-CCCCCCCCCCCCCCCC']
const [W1, W2, P] = ['ws-AAAAAAAAAAAAAAAA', 'ws-BBBBBBBBBBBBBBBB', 'prj-AAAAAAAAAAAAAAAA']
const NOWHERE = 'ws-0000000000000000'
const [HIDDEN, READABLE] = ['var-AAAAAAAAAAAAAAAA', 'var-BBBBBBBBBBBBBBBB']
const VARS = `varsets/${SET}/relationships/vars`
const variables = Array.from({ length: 21 }, (_, index) => ({ key: `K${10 + index}`, category: 'env' }))

/** What every check finds: it does not depend on what a server makes of writes. */
export const SEED: SandboxSeed = {
  organizations: [{ name: 'acme' }],
  projects: [{ name: 'p', id: P }],
  workspaces: [{ name: 'one', id: W1, project: 'p', variables }, { name: 'two', id: W2 }, { name: 'three' }],
  sets: [
    {
      ...{ name: 'm', id: SET, workspaces: ['one', 'two', 'three'], updatedAt: '2026-01-03T00:00:00.000Z' },
      variables: [
        { id: HIDDEN, key: 'hidden', category: 'env', value: 'hush', sensitive: true },
        { id: READABLE, key: 'readable', category: 'env', value: 'shown' },
        ...variables,
      ],
    },
    { name: 'n', id: OTHER, global: true, updatedAt: '2026-01-02T00:00:00.000Z' },
    { name: 'o', id: GLOBAL, global: true, variables: [{ key: 'everywhere', category: 'env' }] },
    ...Array.from({ length: 22 }, (_, index) => ({ name: `s${10 + index}` })),
  ],
  tokens: [{ token: 'token-none', permission: 'none' }],
}

/** What requests show of a trait, and what they show under each of its values. A value without an answer does not compile. */
interface Observed<Value> {
  readonly observe: (subject: Subject) => Promise<unknown>
  readonly answers: {
    readonly [One in Value extends string | number ? `${Value}` : string]: unknown
  }
}

const attributes = (value: unknown) => Object(at(value, 'attributes')) as Json
const related = (value: unknown) => Object(at(value, 'relationships')) as Json
const shown = async (subject: Subject, set = SET) => (await subject.ask('GET', `varsets/${set}`)).body.data
const created = (subject: Subject, settings: Json, relationships: Json = {}) =>
  subject.ask('POST', LIST, { body: setBody(settings, relationships) })
const idIn = ({ body }: Answer) => String(at(body, 'data', 'id'))
const isDone = ({ status }: Answer) => status < 300
const stored = (subject: Subject, find: (set: SetSeed) => boolean) =>
  subject.sandbox.snapshot({ sensitive: true }).sets?.find(find)
/** The variable that was added last. */
const lastStored = (subject: Subject) => stored(subject, ({ id }) => id === SET)?.variables?.at(-1)

/** The first page or the whole list, whether it has links and `meta`, and how many a page of five has. */
async function listed(subject: Subject, path: string): Promise<readonly unknown[]> {
  const answer = await subject.ask('GET', path)
  const five = await subject.ask('GET', path, { query: { 'page[size]': '5' } })
  const { links, meta } = answer.body
  return [listOf(answer).length, links !== undefined, meta !== undefined, listOf(five).length]
}

export const OBSERVED: { readonly [Name in keyof Traits]: Observed<Traits[Name]> } = {
  application: {
    observe: async subject => (await subject.ask('GET', 'ping')).headers['tfp-appname'],
    answers: {
      'HCP Terraform': 'HCP Terraform',
      'Terraform Enterprise': 'Terraform Enterprise',
      none: undefined,
    },
  },
  projects: {
    observe: async subject => [
      (await subject.ask('POST', `varsets/${SET}/relationships/projects`, { body: { data: [] } })).status,
      (await subject.ask('GET', `projects/${P}`)).status,
      'projects' in related(await shown(subject)),
    ],
    answers: { yes: [204, 200, true], no: [404, 404, false] },
  },
  stacks: {
    observe: async subject => [
      (await subject.ask('POST', `varsets/${SET}/relationships/stacks`, { body: { data: [] } })).status,
      (await subject.ask('GET', 'organizations/acme/stacks')).status,
      'stacks' in related(await shown(subject)),
    ],
    answers: { yes: [204, 200, true], 'a word': [404, 404, false], no: [404, 404, false] },
  },
  owners: {
    observe: async subject => {
      const id = idIn(await created(subject, { name: 'owned' }, { parent: { data: ref('projects', P) } }))
      const set = await shown(subject, id)
      return [at(set, 'relationships', 'parent', 'data', 'type'), attributes(set).permissions]
    },
    answers: {
      yes: ['projects', { 'can-update': true }],
      'not kept': ['organizations', undefined],
      no: [undefined, undefined],
    },
  },
  priority: {
    observe: async subject => {
      const id = idIn(await created(subject, { name: 'first', priority: true }))
      const before = attributes(await shown(subject, id)).priority
      const body = setBody({ name: 'first', priority: true })
      const answer = await subject.ask('PATCH', `varsets/${id}`, { body })
      await subject.ask('PATCH', `varsets/${id}`, { body: setBody({ description: 'd' }) })
      return [before, attributes(answer.body.data).priority, attributes(await shown(subject, id)).priority]
    },
    answers: {
      defaults: [true, true, false],
      kept: [true, true, true],
      'not kept': [false, true, false],
      no: [undefined, undefined, undefined],
    },
  },
  search: {
    observe: async subject => listOf(await subject.ask('GET', LIST, { query: { q: 'M' } })).length > 1,
    answers: { yes: false, no: true },
  },
  lookUps: {
    observe: async subject =>
      (
        await Promise.all(
          ['organizations/acme/workspaces', 'organizations/acme/workspaces/one', `workspaces/${W1}`].map(
            path => subject.ask('GET', path),
          ),
        )
      ).map(({ status }) => status),
    answers: { yes: [200, 200, 200], no: [404, 404, 404] },
  },
  effective: {
    observe: async subject => {
      const paths = [
        `workspaces/${W1}/all-vars`,
        `workspaces/${W1}/applicable-varsets`,
        `projects/${P}/varsets`,
      ]
      return (await Promise.all(paths.map(path => subject.ask('GET', path)))).map(({ status }) => status)
    },
    answers: { yes: [200, 200, 200], no: [404, 404, 404] },
  },
  trailingSlash: {
    observe: async subject => (await subject.ask('GET', `${LIST}/`)).status,
    answers: { yes: 200, no: 404 },
  },
  updates: {
    observe: async subject =>
      (
        await Promise.all(
          ['PATCH', 'PUT', 'POST'].map(method =>
            subject.ask(method, `varsets/${SET}`, { body: setBody({ name: 'm' }) }),
          ),
        )
      ).map(({ status }) => status),
    answers: { 'PATCH, PUT, POST': [200, 200, 200], PATCH: [200, 404, 404] },
  },
  variableLists: {
    observe: async subject => [await listed(subject, VARS), await listed(subject, `workspaces/${W1}/vars`)],
    answers: {
      whole: [
        [23, true, false, 5],
        [21, true, false, 5],
      ],
      counted: [
        [20, true, true, 5],
        [20, true, true, 5],
      ],
      linked: [
        [20, true, false, 5],
        [20, true, false, 5],
      ],
      bare: [
        [23, false, false, 23],
        [21, false, false, 21],
      ],
    },
  },
  setLists: {
    observe: subject => listed(subject, LIST),
    answers: { counted: [20, true, true, 5], bare: [25, false, false, 25] },
  },
  placeLists: {
    observe: async subject => {
      const { body } = await subject.ask('GET', 'organizations')
      return [body.links !== undefined, at(body, 'meta', 'pagination', 'page-size')]
    },
    answers: { counted: [true, 20], unsized: [false, undefined] },
  },
  listOrder: {
    observe: async subject => {
      const names = listOf(await subject.ask('GET', LIST)).map(set => attributes(set).name)
      return names.indexOf('m') < names.indexOf('n')
    },
    answers: { name: true, 'updated-at': false },
  },
  references: {
    observe: async subject => {
      const set = listOf(await subject.ask('GET', LIST)).find(({ id }) => id === SET)
      return ['workspaces', 'vars'].map(kind => at(set, 'relationships', kind, 'data', 'length'))
    },
    answers: { all: [3, 23], two: [2, 2] },
  },
  include: {
    observe: async subject => {
      const query = { include: 'vars' }
      const answer = await subject.ask('GET', `varsets/${SET}`, { query })
      const first = at(answer.body.data, 'relationships', 'vars', 'data', 0)
      return [at(answer.body, 'included', 'length'), attributes(first).key]
    },
    answers: { included: [23, undefined], embedded: [0, 'hidden'], ignored: [undefined, undefined] },
  },
  links: {
    observe: async subject =>
      at((await subject.ask('GET', VARS)).body, 'data', 0, 'links', 'self')
        ?.toString()
        .split('/')[2],
    answers: { own: 'sandbox.invalid', foreign: 'elsewhere.invalid' },
  },
  counts: {
    observe: async subject => {
      const [one] = listOf(await subject.ask('GET', VARS))
      const set = attributes(await shown(subject))
      return ['var-count' in set, 'updated-at' in set, 'created-at' in attributes(one)]
    },
    answers: { yes: [true, true, true], 'without times': [true, false, false], no: [false, false, false] },
  },
  versions: {
    observe: async subject =>
      'version-id' in attributes((await subject.ask('GET', `${VARS}/${READABLE}`)).body.data),
    answers: { yes: true, no: false },
  },
  sensitiveValue: {
    observe: async subject => attributes((await subject.ask('GET', `${VARS}/${HIDDEN}`)).body.data).value,
    answers: { null: null, empty: '', 'left out': undefined, mask: '(sensitive value)' },
  },
  extras: {
    observe: async subject => {
      const known = ['id', 'type', 'attributes', 'relationships', 'links']
      const answer = await subject.ask('GET', LIST)
      return listOf(answer).some(set => Object.keys(set).some(name => !known.includes(name)))
    },
    answers: { none: false, random: true },
  },
  ids: {
    observe: async subject => {
      const id = idIn(
        await subject.ask('POST', VARS, { body: variableBody({ key: 'NEW', category: 'env' }) }),
      )
      return id.slice('var-'.length).includes('-')
    },
    answers: { letters: false, hyphens: true },
  },
  created: {
    observe: async subject => {
      const body = variableBody({ key: 'NEW', category: 'env' })
      return [
        (await created(subject, { name: 'x' })).status,
        (await subject.ask('POST', VARS, { body })).status,
      ]
    },
    answers: { '200,200': [200, 200], '201,201': [201, 201], '201,200': [201, 200] },
  },
  deleted: {
    observe: async subject => {
      const one = await subject.ask('DELETE', `${VARS}/${READABLE}`)
      const set = await subject.ask('DELETE', `varsets/${SET}`)
      return [set.status, one.status, set.text, one.text]
    },
    answers: { '204,204': [204, 204, '', ''], '200,200': [200, 200, '', ''], '204,200': [204, 200, '', ''] },
  },
  setBody: {
    observe: async subject => {
      const more = (key: string) => ({
        workspaces: many('workspaces', [W1]),
        vars: { data: [variable({ key, category: 'env' })] },
      })
      const answer = await created(subject, { name: 'x' }, more('a'))
      const path = `varsets/${idIn(answer)}`
      const changed = await subject.ask('PATCH', path, { body: setBody({}, more('b')) })
      const lengths = [answer, changed, await subject.ask('GET', path)].map(one =>
        ['vars', 'workspaces'].map(name => at(one.body, 'data', 'relationships', name, 'data', 'length')),
      )
      const first = at(changed.body, 'data', 'relationships', 'vars', 'data', 0)
      return [...lengths, attributes(first).key]
    },
    answers: {
      written: [[1, 1], [2, 1], [2, 1], 'a'],
      ignored: [[0, 0], [0, 0], [0, 0], undefined],
    },
  },
  setNames: {
    observe: async subject => isDone(await created(subject, { name: 'n' })),
    answers: { unique: false, any: true },
  },
  storedNames: {
    observe: async subject => {
      await created(subject, { name: ' X y ' })
      return stored(subject, ({ name }) => name.trim().toLowerCase() === 'x y')?.name
    },
    answers: { 'as sent': ' X y ', trimmed: 'X y', 'lower case': ' x y ' },
  },
  storedKeys: {
    observe: async subject => {
      await subject.ask('POST', VARS, { body: variableBody({ key: ' Key ', category: 'env' }) })
      const key = lastStored(subject)?.key
      return key?.trim().toLowerCase() === 'key' ? key : 'refused'
    },
    answers: { 'as sent': expect.toBeOneOf([' Key ', 'refused']), trimmed: 'Key', 'lower case': ' key ' },
  },
  storedValues: {
    observe: async subject => {
      const value = '\u00a0\u0085\n a\r\nb\ufeff \t'
      const body = variableBody({ key: 'V', category: 'terraform', value })
      await subject.ask('POST', VARS, { body })
      return lastStored(subject)?.value
    },
    answers: {
      'as sent': '\u00a0\u0085\n a\r\nb\ufeff \t',
      trimmed: 'a\r\nb\ufeff',
      'Unix line endings': '\u00a0\u0085\n a\nb\ufeff \t',
    },
  },
  lengths: {
    observe: async subject => {
      const tooLong = [{ key: 'k'.repeat(129) }, { value: 'a\nb' }, { description: 'd'.repeat(513) }]
      const answers = tooLong.map((one, index) =>
        subject.ask('POST', VARS, { body: variableBody({ key: `L${index}`, category: 'env', ...one }) }),
      )
      return (await Promise.all(answers)).map(isDone)
    },
    answers: {
      any: [true, true, true],
      limited: [false, false, false],
      'lines allowed': [false, true, false],
    },
  },
  keys: {
    observe: async subject => {
      const add = async (key: string, category: string) =>
        isDone(await subject.ask('POST', VARS, { body: variableBody({ key, category }) }))
      return [await add('a.b', 'env'), await add('readable', 'terraform')]
    },
    answers: { any: [true, true], identifiers: [false, false] },
  },
  globalConflicts: {
    observe: async subject => {
      const body = variableBody({ key: 'everywhere', category: 'env' })
      return isDone(await subject.ask('POST', `varsets/${OTHER}/relationships/vars`, { body }))
    },
    answers: { refused: false, accepted: true },
  },
  sensitiveChanges: {
    observe: async subject => {
      const changes = [{ key: 'hidden', value: 'x' }, { hcl: true }, { sensitive: false, value: 'x' }]
      const answers: boolean[] = []
      for (const one of changes)
        answers.push(isDone(await subject.ask('PATCH', `${VARS}/${HIDDEN}`, { body: variableBody(one) })))
      return answers
    },
    answers: {
      refused: [true, false, false],
      'with its key': [false, false, false],
      accepted: [true, true, true],
    },
  },
  repeatedAssignments: {
    observe: async subject => [
      isDone(await assign(subject, 'POST', SET, W1)),
      isDone(await assign(subject, 'DELETE', OTHER, W1)),
    ],
    answers: { accepted: [true, true], refused: [false, false] },
  },
  wrongTargets: {
    observe: async subject => [
      (await assign(subject, 'POST', OTHER, NOWHERE, W1)).status,
      stored(subject, ({ id }) => id === OTHER)?.workspaces,
    ],
    answers: { 422: [422, []], 404: [404, []], 500: [500, []], accepted: [204, [W1]] },
  },
  writesThatMeet: {
    observe: async subject => {
      const update = () => subject.ask('PATCH', `varsets/${SET}`, { body: setBody({ name: 'm' }) })
      const both = await Promise.all([update(), assign(subject, 'POST', OTHER, W1)])
      const later = [await update(), await assign(subject, 'POST', OTHER, W2)]
      return [...both, ...later, ...(await Promise.all([update(), update()]))].map(({ status }) => status)
    },
    answers: { accepted: [200, 204, 200, 204, 200, 200], deadlock: [500, 204, 200, 204, 200, 200] },
  },
  denied: {
    observe: async subject => (await subject.ask('GET', LIST, { token: 'token-none' })).status,
    answers: { 404: 404, 403: 403 },
  },
  wrongToken: {
    observe: async subject => (await subject.ask('GET', LIST, { token: 'unknown' })).status,
    answers: { 401: 401, 404: 404 },
  },
  emptyBodies: {
    observe: async subject => (await subject.ask('DELETE', `varsets/${OTHER}`)).headers['content-type'],
    answers: { plain: undefined, typed: 'application/vnd.api+json' },
  },
  missingOrganization: {
    observe: async subject => (await subject.ask('GET', 'organizations/nobody/varsets')).status,
    answers: { '404': 404, 'empty lists': 200 },
  },
  refusals: {
    observe: async subject => {
      const body = variableBody({ key: 'readable', category: 'env' })
      return (await subject.ask('POST', VARS, { body })).status
    },
    answers: { 422: 422, database: 500 },
  },
  errorBodies: {
    observe: async subject => {
      const answers = [
        await subject.ask('GET', 'varsets/varset-none'),
        await subject.ask('GET', 'nothing'),
        await subject.ask('GET', LIST, { token: 'unknown' }),
      ]
      return answers.map(({ headers, text }) => [headers['content-type'], text.slice(0, 10)])
    },
    answers: {
      'JSON:API': Array(3).fill(['application/vnd.api+json', '{"errors":']),
      text: [
        ['application/vnd.api+json', '{"errors":'],
        ['text/plain; charset=utf-8', '404 page n'],
        ['text/plain; charset=utf-8', 'invalid JW'],
      ],
      'other JSON': Array(3).fill(['application/json', '{"error":"']),
      none: Array(3).fill([undefined, '']),
    },
  },
}

function assign(subject: Subject, method: string, set: string, ...workspaces: readonly string[]) {
  return subject.ask(method, `varsets/${set}/relationships/workspaces`, {
    body: many('workspaces', workspaces),
  })
}
