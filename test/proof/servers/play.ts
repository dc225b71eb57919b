import { SCENARIOS, type Scenario } from './scenarios.ts'
import { at, idOf, Server, type Where } from './server.ts'
import { Difference, type Program, Stage } from './stage.ts'
import { type Traits, traitsOf } from './traits.ts'

export interface Row {
  readonly scenario: string
  readonly result: 'works' | 'differs' | 'lacks'
  /** How it differs, or what the server lacks. */
  readonly how: string
}

export interface Played {
  readonly traits: Traits
  readonly rows: readonly Row[]
}

export interface Options {
  /** Requests per second of the program; default: what it takes without being told. */
  readonly rate?: number
  /** Default: the built program. */
  readonly program?: Program
  /** Only these. */
  readonly scenarios?: readonly Scenario[]
  readonly onRow?: (row: Row) => void
}

/** Why the organization cannot be played in. */
export class Unfit extends Error {
  override readonly name = 'Unfit'
}

const WORKSPACES = ['setpoint-one', 'setpoint-two', 'setpoint-three']

/**
 * Plays every scenario in an organization of its own. Refuses one that has sets, because it deletes all sets between two
 * scenarios. Removes what it created.
 */
export async function play(where: Where, options: Options = {}): Promise<Played> {
  const server = new Server(where)
  const created = await ownOrganization(server)
  const names = new Map<string, string>()
  try {
    for (const name of WORKSPACES)
      names.set(
        idOf(await server.do('POST', server.in('workspaces'), { type: 'workspaces', attributes: { name } })),
        name,
      )
    const traits = await traitsOf(server, [...names.keys()][0] ?? '')
    const rows: Row[] = []
    for (const scenario of options.scenarios ?? SCENARIOS) {
      const row = await rowOf(scenario, traits, new Stage(server, names, options.rate, options.program))
      rows.push(row)
      options.onRow?.(row)
      await server.deleteSets()
    }
    return { traits, rows }
  } finally {
    await server.deleteSets()
    for (const id of names.keys()) await server.do('DELETE', `workspaces/${id}`)
    if (created) await server.do('DELETE', `organizations/${where.organization}`)
  }
}

async function rowOf(scenario: Scenario, traits: Traits, stage: Stage): Promise<Row> {
  const { name, needs, play: playOne, without } = scenario
  const lacks = needs === undefined || traits[needs].has ? undefined : traits[needs].shown
  try {
    await (lacks === undefined ? playOne(stage) : without?.(stage))
    return { scenario: name, result: lacks === undefined ? 'works' : 'lacks', how: lacks ?? '' }
  } catch (error) {
    if (error instanceof Difference) return { scenario: name, result: 'differs', how: error.message }
    throw error
  } finally {
    stage.close()
  }
}

/** Creates the organization, or takes an empty one. Returns whether it was created. */
async function ownOrganization(server: Server): Promise<boolean> {
  const { organization } = server.where
  const found = await server.ask('GET', `organizations/${organization}`)
  if (found.status === 401) throw new Unfit('the server refuses the token (401)')
  if (found.status === 200) {
    const sets = await server.list(server.in('varsets'))
    if (sets.length > 0)
      throw new Unfit(
        `the organization "${organization}" has ${sets.length} sets, and every set would be deleted: name an empty one`,
      )
    return false
  }
  const attributes = { name: organization, email: 'setpoint@setpoint.invalid' }
  const made = await server.ask('POST', 'organizations', { type: 'organizations', attributes })
  if (made.status < 300) return true
  const reason = String(at(made.body, 'errors', 0, 'detail') ?? made.status)
  throw new Unfit(
    `the organization "${organization}" cannot be created (${reason}): create it, or name an empty one`,
  )
}
