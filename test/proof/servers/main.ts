import { parseArgs } from 'node:util'
import { firstRun, firstTable } from './first.ts'
import { play, Unfit } from './play.ts'
import { type Recording, recordTo } from './record.ts'
import { SCENARIOS } from './scenarios.ts'
import { Server } from './server.ts'
import { tableOf } from './table.ts'

const HELP = `npm run servers -- --address URL [--organization NAME] [--only TEXT] [--rate N] [--record FILE]
npm run servers -- --address URL --first [--organization NAME] [--read NAME] [--record FILE]

Plays the main job and the scenarios against a server, with the built program, and prints what works, differs and lacks.
The token is SETPOINT_TOKEN. The organization (default: setpoint-servers) is created, or must be without sets: all sets in it are deleted.

  --first        only ask the server what is unknown of it: one set is made, changed, assigned and deleted
  --read NAME    before that, read another organization, and change nothing in it
  --rate N       requests a second, of this tool and of the program (default: 20)
  --only TEXT    the scenarios whose name contains the text
  --record FILE  write a transcript of all requests to a new file, without tokens and values
`

/** Exit 0: nothing differs. 1: the server cannot be used, or was lost. 2: something differs. */
export async function main(argv: readonly string[], stop?: AbortSignal): Promise<number> {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      address: { type: 'string' },
      organization: { type: 'string', default: 'setpoint-servers' },
      only: { type: 'string' },
      rate: { type: 'string' },
      record: { type: 'string' },
      first: { type: 'boolean' },
      read: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  const { address, organization, only, record } = values
  const token = process.env.SETPOINT_TOKEN
  const rate = values.rate === undefined ? undefined : Number(values.rate)
  const isWrong = address === undefined || token === undefined || (rate !== undefined && !(rate > 0))
  if (values.help === true || isWrong) {
    process.stdout.write(HELP)
    return values.help === true ? 0 : 1
  }
  let recording: Recording | undefined
  try {
    const target = address.replace(/\/$/, '')
    recording = record === undefined ? undefined : await recordTo(record, target, token)
    const where = { address: recording?.address ?? target, token, organization }
    const pace = { stop, ...(rate !== undefined && { rate }) }
    if (values.first === true) {
      const found = await firstRun(new Server(where, pace), values.read, isOn => {
        if (recording !== undefined) recording.shapesOnly = isOn
      })
      process.stdout.write(firstTable(found))
      return found.broke === undefined && found.left.length === 0 ? 0 : 1
    }
    const played = await play(where, {
      ...pace,
      ...(only !== undefined && { scenarios: SCENARIOS.filter(({ name }) => name.includes(only)) }),
      onRow: ({ scenario, result, how }) =>
        process.stderr.write(`${result.padEnd(11)}${scenario}${how && `: ${how}`}\n`),
    })
    process.stdout.write(tableOf(played))
    if (played.broke !== undefined || played.left.length > 0) return 1
    return played.rows.some(({ result }) => result === 'differs') ? 2 : 0
  } catch (error) {
    const isUse = error instanceof Unfit || (error instanceof Error && 'code' in error)
    if (!isUse) throw error
    process.stderr.write(`${error instanceof Error ? error.message : ''}\n`)
    return 1
  } finally {
    await recording?.close()
  }
}
