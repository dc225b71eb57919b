import { parseArgs } from 'node:util'
import { play, Unfit } from './play.ts'
import { SCENARIOS } from './scenarios.ts'
import { tableOf } from './table.ts'

const HELP = `npm run servers -- --address URL [--organization NAME] [--only TEXT] [--rate N]

Plays the main job and the scenarios against a server, with the built program, and prints what works, differs and lacks.
The token is SETPOINT_TOKEN. The organization (default: setpoint-servers) is created, or must be without sets: all sets in it are deleted.
`

/** Exit 0: nothing differs. 1: the server cannot be used. 2: something differs. */
export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      address: { type: 'string' },
      organization: { type: 'string', default: 'setpoint-servers' },
      only: { type: 'string' },
      rate: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  const { address, organization, only, rate } = values
  const token = process.env.SETPOINT_TOKEN
  if (values.help === true || address === undefined || token === undefined) {
    process.stdout.write(HELP)
    return values.help === true ? 0 : 1
  }
  try {
    const played = await play(
      { address: address.replace(/\/$/, ''), token, organization },
      {
        ...(only !== undefined && { scenarios: SCENARIOS.filter(({ name }) => name.includes(only)) }),
        ...(rate !== undefined && { rate: Number(rate) }),
        onRow: ({ scenario, result, how }) =>
          process.stderr.write(`${result.padEnd(8)}${scenario}${how && `: ${how}`}\n`),
      },
    )
    process.stdout.write(tableOf(played))
    return played.rows.some(({ result }) => result === 'differs') ? 2 : 0
  } catch (error) {
    if (!(error instanceof Unfit)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  }
}
