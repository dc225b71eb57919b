import { at, idOf, listOf, type Server } from './server.ts'

/** What some servers lack of the interface. A scenario names what it needs, and the table shows all of it. */
export const TRAITS = {
  pageData: 'lists of sets have page data',
  pageSize: 'lists of workspaces have `page-size`',
  create: 'creating a set writes its variables and workspaces',
  update: 'updating a set writes its variables and workspaces',
  put: '`PUT` updates a set',
  priority: '`priority` is kept',
  projects: 'projects',
  dates: 'counts and dates',
  secretKey: 'updating a sensitive variable may repeat its `key`',
  refusals: 'a problem with the request is 422',
  missing: 'a missing organization is 404',
  ends: 'white space at both ends of a value is kept',
  repeated: 'assigning twice is accepted',
} as const

export type Trait = keyof typeof TRAITS

/** Whether the server has each, and what it does instead. */
export type Traits = Readonly<Record<Trait, { readonly has: boolean; readonly shown: string }>>

/** Asks the server itself, with sets that are deleted again. */
export async function traitsOf(server: Server, workspace: string): Promise<Traits> {
  const id = await server.createSet('probe', { priority: true })
  const path = `varsets/${id}`
  const members = {
    vars: { data: [{ type: 'vars', attributes: { key: 'A', value: 'a', category: 'env' } }] },
    workspaces: { data: [{ type: 'workspaces', id: workspace }] },
  }
  const body = { type: 'varsets', attributes: { name: 'probe-2' }, relationships: members }
  const variables = `${path}/relationships/vars`
  const assignments = `${path}/relationships/workspaces`

  const sets = await server.ask('GET', server.in('varsets'))
  const places = await server.ask('GET', server.in('workspaces'))
  const created = await server.ask('POST', server.in('varsets'), body)
  const taken = await server.ask('POST', server.in('varsets'), { ...body, relationships: {} })
  const put = await server.ask('PUT', path, { type: 'varsets', id, attributes: { name: 'probe' } })
  const updated = await server.ask('PATCH', path, {
    ...{ type: 'varsets', id, attributes: { name: 'probe', priority: true }, relationships: members },
  })
  const shown = await server.ask('GET', path)
  const projects = await server.ask('GET', server.in('projects'))
  const secret = await server.addVariable(id, 'SECRET', 'secret', true)
  const changed = await server.ask('PATCH', `${variables}/${secret}`, {
    ...{ type: 'vars', id: secret, attributes: { key: 'SECRET', value: 'other' } },
  })
  const spaced = await server.ask('POST', variables, {
    ...{ type: 'vars', attributes: { key: 'SPACE', value: ' x ', category: 'env' } },
  })
  const reference = [{ type: 'workspaces', id: workspace }]
  await server.ask('POST', assignments, reference)
  const repeated = await server.ask('POST', assignments, reference)
  const missing = await server.ask('GET', 'organizations/setpoint-nobody/varsets')
  for (const one of [id, idOf(at(created.body, 'data'))]) await server.do('DELETE', `varsets/${one}`)

  const status = (answer: { readonly status: number }) => String(answer.status)
  const given = (answer: { readonly body: unknown }) => {
    const count = (kind: string) => listOf(at(answer.body, 'data', 'relationships', kind, 'data')).length
    return { has: count('vars') === 1 && count('workspaces') === 1, shown: 'the response shows fewer' }
  }
  const attributes = Object(at(shown.body, 'data', 'attributes'))
  return {
    pageData: { has: at(sets.body, 'meta', 'pagination') !== undefined, shown: 'none' },
    pageSize: { has: at(places.body, 'meta', 'pagination', 'page-size') !== undefined, shown: 'none' },
    create: given(created),
    update: given(updated),
    put: { has: put.status === 200, shown: status(put) },
    priority: { has: attributes.priority === true, shown: 'the next read shows false' },
    projects: { has: projects.status === 200, shown: status(projects) },
    dates: { has: 'var-count' in attributes && 'updated-at' in attributes, shown: 'none' },
    secretKey: { has: changed.status === 200, shown: status(changed) },
    refusals: { has: taken.status === 422, shown: status(taken) },
    missing: { has: missing.status === 404, shown: status(missing) },
    ends: {
      has: at(spaced.body, 'data', 'attributes', 'value') === ' x ',
      shown: `" x " becomes ${JSON.stringify(at(spaced.body, 'data', 'attributes', 'value'))}`,
    },
    repeated: { has: repeated.status < 300, shown: status(repeated) },
  }
}
