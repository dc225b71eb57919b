import { ownOrganization } from './play.ts'
import { type Answer, at, idOf, Lost, listOf, type Server, Stopped } from './server.ts'

/** A question to a server, and what it answered. */
export type Told = readonly [question: string, answer: string]

export interface First {
  readonly told: readonly Told[]
  /** Why not everything was asked. */
  readonly broke?: string
  /** What it made and could not delete. */
  readonly left: readonly string[]
}

/**
 * Asks a server what docs/service.md calls unknown: first only reads, of an organization that exists; then one set is made, changed,
 * assigned and deleted in an organization of its own. `read`: the organization that is only read.
 */
export async function firstRun(server: Server, read: string | undefined, onRead: (isOn: boolean) => void) {
  const told: Told[] = []
  let broke: string | undefined
  const ask = async (question: string, answer: () => Promise<string>) => {
    const said = await answer().catch((error: unknown) => {
      if (error instanceof Lost || error instanceof Stopped) throw error
      return `not told: ${error instanceof Error ? error.message : String(error)}`
    })
    told.push([question, said])
  }
  try {
    if (read !== undefined) {
      onRead(true)
      await readOnly(server, read, ask)
      onRead(false)
    }
    await ownOrganization(server)
    await oneSet(server, ask)
  } catch (error) {
    broke = error instanceof Error ? error.message : String(error)
  } finally {
    onRead(false)
  }
  const left = await server.cleanUp()
  return { told, left, ...(broke !== undefined && { broke }) } satisfies First
}

type Ask = (question: string, answer: () => Promise<string>) => Promise<void>

const page = (body: unknown, member: string) => at(body, 'meta', 'pagination', member)
const status = ({ status: code }: Answer) => String(code)

/** How a list tells its pages. */
function formOf({ body }: Answer): string {
  const count = `${listOf(at(body, 'data')).length} entries`
  const links =
    at(body, 'links') === undefined
      ? 'no links'
      : `links, next ${at(body, 'links', 'next') === null ? 'null' : typeof at(body, 'links', 'next')}`
  const size = page(body, 'page-size')
  const meta =
    at(body, 'meta', 'pagination') === undefined
      ? 'no meta'
      : `meta with page-size ${String(size)} and total-count ${String(page(body, 'total-count'))}`
  return `${count}, ${links}, ${meta}`
}

/** No request of it changes anything. */
async function readOnly(server: Server, organization: string, ask: Ask): Promise<void> {
  const get = (path: string) => server.ask('GET', path)
  const inside = `organizations/${organization}`
  await ask('ping', async () => {
    const { headers, status: code } = await get('ping')
    return `${code}, ${headers.get('tfp-appname') ?? 'no name'}, API ${headers.get('tfp-api-version') ?? 'unknown'}`
  })
  await ask(
    'requests a second',
    async () => (await get(inside)).headers.get('x-ratelimit-limit') ?? 'no header',
  )
  await ask('list of sets', async () => formOf(await get(`${inside}/varsets`)))
  await ask('the largest page of sets, of 1000', async () =>
    String(page((await get(`${inside}/varsets?page%5Bsize%5D=1000`)).body, 'page-size')),
  )
  await ask('the largest page of workspaces, of 1000', async () =>
    String(page((await get(`${inside}/workspaces?page%5Bsize%5D=1000`)).body, 'page-size')),
  )
  const { body } = await get(`${inside}/varsets?page%5Bsize%5D=100&include=vars`)
  const sets = listOf(at(body, 'data'))
  const [largest] = [...sets].sort((one, other) => countOf(other) - countOf(one))
  await ask('`include=vars` on the list of sets', async () => {
    const wanted = sets.reduce<number>((sum, set) => sum + countOf(set), 0)
    return `${listOf(at(body, 'included')).length} included, ${wanted} counted by the sets`
  })
  await ask(
    'attributes of a set',
    async () => Object.keys(Object(at(sets[0], 'attributes'))).join(', ') || 'no set',
  )
  await ask(
    'relationships of a set',
    async () => Object.keys(Object(at(sets[0], 'relationships'))).join(', ') || 'no set',
  )
  const variables = `varsets/${idOf(largest)}/relationships/vars`
  await ask('list of the variables of the largest set', async () =>
    largest === undefined ? 'no set' : formOf(await get(variables)),
  )
  await ask('the same with a page size of 1000', async () =>
    largest === undefined ? 'no set' : formOf(await get(`${variables}?page%5Bsize%5D=1000`)),
  )
  await ask('its `var-count`', async () => String(at(largest, 'attributes', 'var-count')))
  await ask('`include=vars` on the list of workspaces', async () => {
    const answer = await get(`${inside}/workspaces?page%5Bsize%5D=100&include=vars`)
    if (answer.status !== 200) return status(answer)
    const included = listOf(at(answer.body, 'included')).filter(one => at(one, 'type') === 'vars')
    const related = listOf(at(answer.body, 'data')).reduce<number>(
      (sum, one) => sum + listOf(at(one, 'relationships', 'vars', 'data')).length,
      0,
    )
    return `200, ${included.length} variables included, ${related} referred to`
  })
  const [workspace] = listOf(at((await get(`${inside}/workspaces?page%5Bsize%5D=1`)).body, 'data'))
  await ask('list of the variables of a workspace', async () =>
    workspace === undefined ? 'no workspace' : formOf(await get(`workspaces/${idOf(workspace)}/vars`)),
  )
  await ask('`all-vars` of a workspace', async () =>
    workspace === undefined ? 'no workspace' : status(await get(`workspaces/${idOf(workspace)}/all-vars`)),
  )
}

const countOf = (set: unknown) => Number(at(set, 'attributes', 'var-count') ?? 0)

/** One set in an organization of its own: made, shown, changed, assigned, deleted. */
async function oneSet(server: Server, ask: Ask): Promise<void> {
  const workspace = await server.keep(
    server.in('workspaces'),
    { type: 'workspaces', attributes: { name: 'setpoint-one' } },
    'workspaces',
    'the workspace "setpoint-one"',
  )
  const reference = [{ type: 'workspaces', id: workspace }]
  const variable = (key: string, value: string, more: object = {}) => ({
    type: 'vars',
    attributes: { key, value, category: 'env', ...more },
  })
  const made = await server.ask('POST', server.in('varsets'), {
    type: 'varsets',
    attributes: { name: 'setpoint-first', description: 'made by a first run', priority: true },
    relationships: {
      vars: { data: [variable('plain', ' first '), variable('hidden', 'first-secret', { sensitive: true })] },
      workspaces: { data: reference },
    },
  })
  const id = idOf(at(made.body, 'data'))
  const path = `varsets/${id}`
  const variables = `${path}/relationships/vars`
  const show = async () => at((await server.ask('GET', path)).body, 'data')
  const related = async (kind: string) => listOf(at(await show(), 'relationships', kind, 'data')).length
  await ask(
    'a set is created with two variables and a workspace',
    async () =>
      `${made.status}, ${await related('vars')} variables, ${await related('workspaces')} workspaces`,
  )
  // Not every server writes what the body of a set has.
  if ((await related('vars')) === 0)
    for (const one of [variable('plain', ' first '), variable('hidden', 'first-secret', { sensitive: true })])
      await server.ask('POST', variables, one)
  await ask('its id', async () => (/^varset-[A-Za-z0-9]{16}$/.test(id) ? 'sixteen letters and digits' : id))
  await ask('attributes of its variables', async () => {
    const list = await server.ask('GET', variables)
    return Object.keys(Object(at(list.body, 'data', 0, 'attributes'))).join(', ')
  })
  await ask('whitespace at the ends of a value', async () => {
    const all = await server.list(variables)
    const plain = all.find(one => at(one, 'attributes', 'key') === 'plain')
    return at(plain, 'attributes', 'value') === ' first ' ? 'kept' : 'dropped'
  })
  await ask('the value of a sensitive variable', async () => {
    const all = await server.list(variables)
    const hidden = Object(
      at(
        all.find(one => at(one, 'attributes', 'key') === 'hidden'),
        'attributes',
      ),
    )
    return 'value' in hidden ? JSON.stringify(hidden.value) : 'left out'
  })
  await ask('`priority` after an update without it', async () => {
    const answer = await server.ask('PATCH', path, {
      ...{ type: 'varsets', id, attributes: { description: 'changed' } },
    })
    return `${answer.status}, ${String(at(await show(), 'attributes', 'priority'))}`
  })
  await ask('`PUT` as an update', async () =>
    status(await server.ask('PUT', path, { type: 'varsets', id, attributes: { name: 'setpoint-first' } })),
  )
  await ask('a second set with its name', async () =>
    status(
      await server.ask('POST', server.in('varsets'), {
        type: 'varsets',
        attributes: { name: 'setpoint-first' },
      }),
    ),
  )
  await ask('a second variable with its key', async () =>
    status(await server.ask('POST', variables, variable('plain', 'x'))),
  )
  await ask('a new value of the sensitive variable, with its key', async () => {
    const all = await server.list(variables)
    const hidden = all.find(one => at(one, 'attributes', 'key') === 'hidden')
    const before = at(hidden, 'attributes', 'version-id')
    const answer = await server.ask('PATCH', `${variables}/${idOf(hidden)}`, {
      ...{ type: 'vars', id: idOf(hidden), attributes: { key: 'hidden', value: 'second-secret' } },
    })
    const after = at(answer.body, 'data', 'attributes', 'version-id')
    return `${answer.status}, ${after === undefined ? 'no version-id' : before === after ? 'the same version-id' : 'another version-id'}`
  })
  const assignments = `${path}/relationships/workspaces`
  for (const [question, method, ids] of [
    ['assigning what is assigned', 'POST', reference],
    ['unassigning it', 'DELETE', reference],
    ['unassigning it again', 'DELETE', reference],
    ['assigning it', 'POST', reference],
    ['assigning an unknown workspace', 'POST', [{ type: 'workspaces', id: 'ws-0000000000000000' }]],
  ] as const)
    await ask(question, async () => status(await server.ask(method, assignments, ids)))
  await ask('making the assigned set global', async () =>
    status(
      await server.ask('PATCH', path, {
        type: 'varsets',
        id,
        attributes: { name: 'setpoint-first', global: true },
      }),
    ),
  )
  await ask('deleting a variable', async () => {
    const [one] = await server.list(variables)
    return status(await server.ask('DELETE', `${variables}/${idOf(one)}`))
  })
  await ask('deleting the set', async () => status(await server.ask('DELETE', path)))
  await ask('showing the deleted set', async () => status(await server.ask('GET', path)))
}

const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ')

/** As Markdown, to be pasted into an issue or into docs/service.md. */
export const firstTable = ({ told, broke, left }: First): string =>
  [
    '| question | answer |',
    '|-|-|',
    ...told.map(([question, answer]) => `| ${question} | ${cell(answer)} |`),
    '',
    ...(broke === undefined ? [] : [`Broken off: ${cell(broke)}`]),
    ...(left.length === 0 ? [] : [`Left on the server, to be deleted by hand: ${left.join(', ')}.`]),
    '',
  ].join('\n')
