import { at, idOf, Lost, listOf, type Server, Stopped } from './server.ts'

/** What some servers lack of the interface. A scenario names what it needs, and the table shows all of it. */
export const TRAITS = {
  names: 'workspaces are found by name',
  pageData: 'lists of sets have page data',
  pageSize: 'lists of workspaces have `page-size`',
  variables: 'lists of variables are whole, or have page data',
  create: 'creating a set writes its variables and workspaces',
  update: 'updating a set writes its variables and workspaces',
  put: '`PUT` updates a set',
  priority: '`priority` is kept',
  projects: 'projects',
  owners: 'a project can own a set',
  dates: 'counts and dates',
  secretKey: 'updating a sensitive variable may repeat its `key`',
  refusals: 'a problem with the request is 422',
  missing: 'a missing organization is 404',
  unique: 'names of sets are unique',
  keys: 'capital letters of names and keys are kept',
  ends: 'whitespace at both ends of a name or a value is kept',
  repeated: 'assigning twice is accepted',
} as const

export type Trait = keyof typeof TRAITS

export interface Told {
  readonly has: boolean
  /** What the server does instead. */
  readonly shown: string
}

/** Whether the server has each, and what it does instead. */
export type Traits = Readonly<Record<Trait, Told>>

const yes = (has: boolean, shown: string): Told => ({ has, shown })
const VARIABLE = { type: 'vars', attributes: { key: 'a', value: 'a', category: 'env' } }

/** Asks the server itself, with sets that the caller deletes. A question that fails is one that the server lacks, with the reason. */
export async function traitsOf(server: Server, workspace: string): Promise<Traits> {
  const id = await server.createSet('probe', { priority: true })
  const path = `varsets/${id}`
  const variables = `${path}/relationships/vars`
  const reference = [{ type: 'workspaces', id: workspace }]
  const members = { vars: { data: [VARIABLE] }, workspaces: { data: reference } }
  const body = { type: 'varsets', attributes: { name: 'probe-2' }, relationships: members }
  const get = (what: string) => server.ask('GET', what)
  const attributesOf = async () => Object(at((await get(path)).body, 'data', 'attributes'))
  const given = (answer: { readonly body: unknown }) => {
    const count = (kind: string) => listOf(at(answer.body, 'data', 'relationships', kind, 'data')).length
    return yes(count('vars') === 1 && count('workspaces') === 1, 'the response shows fewer')
  }
  const is = (status: number, wanted: number) => yes(status === wanted, String(status))

  const questions: Readonly<Record<Trait, () => Promise<Told>>> = {
    async names() {
      const { status } = await get(server.in('workspaces/setpoint-one'))
      return is(status, 200)
    },
    async pageData() {
      const { body: sets } = await get(server.in('varsets'))
      return yes(at(sets, 'meta', 'pagination') !== undefined, 'none')
    },
    async pageSize() {
      const { body: places } = await get(server.in('workspaces'))
      return yes(at(places, 'meta', 'pagination', 'page-size') !== undefined, 'none')
    },
    async variables() {
      for (let number = 0; number < 21; number += 1) await server.addVariable(id, `v${10 + number}`, 'x')
      const { body: list } = await get(variables)
      const isWhole = listOf(at(list, 'data')).length === 21
      return yes(isWhole || at(list, 'meta', 'pagination') !== undefined, 'pages with neither')
    },
    create: async () => given(await server.ask('POST', server.in('varsets'), body)),
    async unique() {
      const again = { type: 'varsets', attributes: { name: 'probe-2' } }
      return yes(
        (await server.ask('POST', server.in('varsets'), again)).status >= 400,
        'a second one is made',
      )
    },
    async refusals() {
      const data = { type: 'vars', attributes: { key: 'v10', value: 'x', category: 'env' } }
      return is((await server.ask('POST', variables, data)).status, 422)
    },
    async put() {
      const { status } = await server.ask('PUT', path, { type: 'varsets', id, attributes: { name: 'probe' } })
      return is(status, 200)
    },
    async update() {
      const attributes = { name: 'probe', priority: true }
      const sent = { vars: { data: [{ ...VARIABLE }] }, workspaces: { data: reference } }
      const other = await server.createSet('probe-3')
      return given(
        await server.ask('PATCH', `varsets/${other}`, {
          type: 'varsets',
          id: other,
          attributes: { ...attributes, name: 'probe-3' },
          relationships: sent,
        }),
      )
    },
    async priority() {
      await server.ask('PATCH', path, { type: 'varsets', id, attributes: { name: 'probe', priority: true } })
      const { priority } = await attributesOf()
      return yes(priority === true, `the next read shows ${String(priority)}`)
    },
    projects: async () => is((await get(server.in('projects'))).status, 200),
    async owners() {
      const project = idOf(listOf(at((await get(server.in('projects'))).body, 'data'))[0])
      const parent = { data: { type: 'projects', id: project } }
      const owned = { type: 'varsets', attributes: { name: 'probe-4' }, relationships: { parent } }
      const answer = await server.ask('POST', server.in('varsets'), owned)
      const type = at(answer.body, 'data', 'relationships', 'parent', 'data', 'type')
      return yes(type === 'projects', type === undefined ? 'no parent is shown' : 'the organization owns it')
    },
    async dates() {
      const attributes = await attributesOf()
      return yes(
        'var-count' in attributes && 'updated-at' in attributes,
        'var-count' in attributes ? 'only counts' : 'none',
      )
    },
    async secretKey() {
      const secret = await server.addVariable(id, 'secret', 'secret', true)
      const attributes = { key: 'secret', value: 'other' }
      return is(
        (await server.ask('PATCH', `${variables}/${secret}`, { type: 'vars', id: secret, attributes }))
          .status,
        200,
      )
    },
    missing: async () => is((await get('organizations/setpoint-nobody/varsets')).status, 404),
    async keys() {
      const set = { type: 'varsets', attributes: { name: 'Probe' } }
      const name = at(await server.do('POST', server.in('varsets'), set), 'attributes', 'name')
      const data = { type: 'vars', attributes: { key: 'Key', value: 'x', category: 'env' } }
      const key = at(await server.do('POST', variables, data), 'attributes', 'key')
      const shown = `"Probe" becomes ${JSON.stringify(name)}, "Key" ${JSON.stringify(key)}`
      return yes(name === 'Probe' && key === 'Key', shown)
    },
    async ends() {
      const set = { type: 'varsets', attributes: { name: ' spaced ' } }
      const name = at(await server.do('POST', server.in('varsets'), set), 'attributes', 'name')
      const data = { type: 'vars', attributes: { key: 'space', value: ' x ', category: 'env' } }
      const value = at(await server.do('POST', variables, data), 'attributes', 'value')
      const shown = `a name becomes ${JSON.stringify(name)}, a value ${JSON.stringify(value)}`
      return yes(name === ' spaced ' && value === ' x ', shown)
    },
    async repeated() {
      await server.ask('POST', `${path}/relationships/workspaces`, reference)
      const { status } = await server.ask('POST', `${path}/relationships/workspaces`, reference)
      return yes(status < 300, String(status))
    },
  }
  const told: [string, Told][] = []
  for (const [name, question] of Object.entries(questions))
    told.push([
      name,
      await question().catch((error: unknown) => {
        if (error instanceof Lost || error instanceof Stopped) throw error
        return yes(false, `not told: ${error instanceof Error ? error.message : String(error)}`)
      }),
    ])
  return Object.fromEntries(told) as unknown as Traits
}
