import { SCENARIOS, type Scenario } from './scenarios.ts'
import { Lost, type Pace, Server, Stopped, type Where } from './server.ts'
import { Difference, type Program, Stage } from './stage.ts'
import { type Traits, traitsOf } from './traits.ts'

export interface Row {
  readonly scenario: string
  readonly result: 'works' | 'differs' | 'lacks' | 'not played'
  /** How it differs, or what the server lacks. */
  readonly how: string
}

export interface Played {
  /** What was asked before the play broke off. */
  readonly traits: Partial<Traits>
  readonly rows: readonly Row[]
  /** Why not everything was played. */
  readonly broke?: string
  /** What it made and could not delete. */
  readonly left: readonly string[]
}

export interface Options extends Pace {
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
 * scenarios. Whatever happens, it tells what it played, removes what it created, and names what it could not remove. Throws
 * `Unfit` before it has created anything.
 */
export async function play(where: Where, options: Options = {}): Promise<Played> {
  const server = new Server(where, options)
  const rows: Row[] = []
  let traits: Partial<Traits> = {}
  let broke: string | undefined
  const add = (row: Row) => {
    rows.push(row)
    options.onRow?.(row)
  }
  const scenarios = options.scenarios ?? SCENARIOS
  try {
    await ownOrganization(server)
    const names = new Map<string, string>()
    for (const name of WORKSPACES) {
      const data = { type: 'workspaces', attributes: { name } }
      names.set(
        await server.keep(server.in('workspaces'), data, 'workspaces', `the workspace "${name}"`),
        name,
      )
    }
    traits = await traitsOf(server, [...names.keys()][0] ?? '')
    await server.deleteSets()
    for (const scenario of scenarios) {
      const stage = new Stage(server, traits.names?.has === false ? sameIds(names) : names, options)
      const row = await rowOf(scenario, traits, stage)
      // A server that is gone by now did not differ.
      await server.deleteSets()
      add(row)
    }
  } catch (error) {
    if (error instanceof Unfit) throw error
    broke = error instanceof Error ? error.message : String(error)
  }
  for (const { name } of scenarios.slice(rows.length)) add({ scenario: name, result: 'not played', how: '' })
  const left = await server.cleanUp()
  return { traits, rows, left, ...(broke !== undefined && { broke }) }
}

/** Where names are not told, the files use ids. */
const sameIds = (names: ReadonlyMap<string, string>) => new Map([...names.keys()].map(id => [id, id]))

async function rowOf(scenario: Scenario, traits: Partial<Traits>, stage: Stage): Promise<Row> {
  const { name, needs, play: playOne, without } = scenario
  const trait = needs === undefined ? undefined : traits[needs]
  const lacks = trait?.has === false ? trait.shown : undefined
  try {
    await (lacks === undefined ? playOne(stage) : without?.(stage))
    return { scenario: name, result: lacks === undefined ? 'works' : 'lacks', how: lacks ?? '' }
  } catch (error) {
    if (error instanceof Lost || error instanceof Stopped) throw error
    const how = error instanceof Error ? error.message : String(error)
    return { scenario: name, result: 'differs', how: error instanceof Difference ? how : `error: ${how}` }
  } finally {
    stage.close()
  }
}

/** Creates the organization, or takes an empty one, which is then kept. */
export async function ownOrganization(server: Server): Promise<void> {
  const { organization } = server.where
  const found = await askFirst(server, `organizations/${organization}`)
  if (found.status === 401) throw new Unfit('the server refuses the token (401)')
  if (found.status === 200) {
    const sets = await server.list(server.in('varsets'))
    if (sets.length > 0)
      throw new Unfit(
        `the organization "${organization}" has ${sets.length} sets, and every set would be deleted: name an empty one`,
      )
    return
  }
  const attributes = { name: organization, email: 'setpoint@setpoint.invalid' }
  const place = `the organization "${organization}"`
  await server
    .keep('organizations', { type: 'organizations', attributes }, 'organizations', place)
    .catch(error => {
      if (error instanceof Lost || error instanceof Stopped) throw error
      const reason = error instanceof Error ? error.message : String(error)
      throw new Unfit(`${place} cannot be created (${reason}): create it, or name an empty one`)
    })
}

/** Nothing was made yet, so a server that does not answer is no play. */
async function askFirst(server: Server, path: string) {
  try {
    return await server.ask('GET', path)
  } catch (error) {
    if (error instanceof Lost) throw new Unfit(error.message)
    throw error
  }
}
