import { createSandbox, SERVERS, type ServerName } from '../../../src/sandbox/index.ts'
import { run } from '../../support/run.ts'
import { again, type Family } from '../family.ts'
import { code } from '../page.ts'
import { type Played, play } from './play.ts'
import { SCENARIOS } from './scenarios.ts'

interface Task {
  readonly server: ServerName
  readonly scenario: string
}

const NAMES = Object.keys(SERVERS) as ServerName[]

/** Plays a scenario on a server of the sandbox, over HTTP. */
export async function playOn({ server, scenario }: Task): Promise<Played> {
  const sandbox = await createSandbox({ profile: { server } })
  const { url } = await sandbox.listen()
  try {
    const where = { address: url, token: sandbox.token, organization: 'servers' }
    const scenarios = SCENARIOS.filter(({ name }) => name === scenario)
    return await play(where, { scenarios, rate: 10_000, program: run })
  } finally {
    await sandbox.close()
  }
}

/** The scenarios of `npm run servers` on each server of the sandbox. */
const servers: Family<Task, Played> = {
  name: 'servers',
  proves: [],
  tasks(size, seed) {
    if (size === 'whole')
      return NAMES.flatMap(server => SCENARIOS.map(({ name }) => ({ server, scenario: name })))
    // `npm test` plays them on two servers by themselves.
    if (size === 'sample') return []
    return SCENARIOS.flatMap(({ name }, index) => {
      const server = NAMES[(index + seed) % NAMES.length]
      return server === undefined ? [] : { server, scenario: name }
    })
  },
  seconds: () => 2,
  run: playOn,
  conclude(done) {
    const rows = done.flatMap(({ task, found }) => found.rows.map(row => ({ task, row })))
    const differing = done.filter(
      ({ found }) =>
        found.broke !== undefined ||
        found.left.length > 0 ||
        found.rows.some(({ result }) => result === 'differs'),
    )
    const count = (wanted: string) => rows.filter(({ row }) => row.result === wanted).length
    return {
      figures: [
        ['scenarios on servers of the sandbox', rows.length],
        ['of them, what the server lacks is told', count('lacks')],
      ],
      promises: [
        {
          promise: 'every scenario works on every server of the sandbox, or says what the server lacks',
          broken: differing.map(({ task, found }) =>
            [
              `${task.scenario} on ${task.server}`,
              ...found.rows.map(({ how }) => how),
              ...(found.broke === undefined ? [] : [found.broke]),
              ...found.left,
              again('servers', task),
            ].join('\n'),
          ),
        },
      ],
      section: `The ${SCENARIOS.length} scenarios of \`npm run servers\` on the servers ${NAMES.map(code).join(', ')} of the sandbox, over HTTP: ${count('works')} work, and for ${count('lacks')} the user is told what the server lacks.`,
    }
  },
}

export default servers
