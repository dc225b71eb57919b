import { loadRepositoryContext } from '../config/load.ts'
import { mistake } from '../model/diagnostic.ts'
import { holderOf } from '../model/lists.ts'
import { Redactor } from '../model/secret.ts'
import type { ConfigurationReport } from '../report/index.ts'
import { fail, misuse, required } from '../run/commands/ending.ts'
import { loadOptions } from '../run/commands/load-files.ts'
import { prepareOutputs } from '../run/commands/output-files.ts'
import { recordOf } from '../run/commands/reporting.ts'
import { redactedOne } from '../run/commands/reports.ts'
import { connectionsFor } from '../run/commands/session.ts'
import { codeOfSignal, exitCodeOfAll } from '../run/exit-codes.ts'
import type { Option } from '../run/options.ts'
import { contextOf } from './call.ts'
import { type CommandRun, runCommand } from './command.ts'
import { configurationsOf } from './configurations.ts'
import { InOrder, inLanes } from './in-order.ts'
import type { CommandContext, Io } from './io.ts'
import { publishSeveral } from './publish.ts'
import { forConfiguration } from './typed-words.ts'

/**
 * The same command for every configuration of `--config`. The service limits the requests of a token's user, so the organizations of one
 * token run one after the other, and those with tokens of their own at the same time, each with its own limiter. A failure of one does not
 * stop the others. Text and reports are in the order of the configurations.
 */
export const acrossOrganizations =
  (run: CommandRun, has: readonly Option[]): CommandRun =>
  async (given, argument, program) => {
    const io: CommandContext = { ...given, record: recordOf(given) }
    const { options } = io
    if (options.out !== undefined || options.snapshot !== undefined || argument !== undefined)
      misuse(
        io,
        'A plan file or a snapshot covers one organization, but --config or --shard selects several.',
        'Run the command for one configuration, or approve digests with --approve A,B, all 64 digits of each.',
      )
    const configurations = configurationsOf(io)
    await prepareOutputs(io)
    const connects = has.some(({ name }) => name === 'address')
    if (connects) checkOwners(io, configurations)
    const { connections, lanes } =
      connects && !options.sandbox ? connectionsOf(io, configurations) : NO_CONNECTIONS
    // With `validate --quiet`, only mistakes are printed.
    const isSilent = options.quiet && options.format === 'text' && !connects
    const order = new InOrder()
    const inside = { ...io, connections, input: readOnce(io.input) }
    const parts: ConfigurationReport[] = configurations.map(configuration => ({ configuration }))
    await inLanes(
      configurations,
      one => lanes.get(one),
      AT_ONCE,
      async (configuration, index) => {
        if (!io.stop.aborted) {
          const own = ownOutput(inside, order, index)
          if (index > 0 && options.format === 'text' && !isSilent) own.stdout.write('\n')
          parts[index] = await runOne(run, own, configuration, program)
        }
        order.end(index)
      },
    )
    const code = codeOfSignal(io) ?? exitCodeOfAll(parts)
    return isSilent ? code : await publishSeveral(io, parts, code)
  }

/** Organizations at the same time: enough to make the latency of each irrelevant, and few enough connections and memory. */
const AT_ONCE = 16

interface Connections {
  readonly connections: CommandContext['connections']
  /** What the requests of a configuration have in common with those of others: their token. */
  readonly lanes: ReadonlyMap<string, unknown>
}

const NO_CONNECTIONS: Connections = { connections: undefined, lanes: new Map() }

/** The connections of all organizations, before anything is read: those without a token are reported together. */
function connectionsOf(io: CommandContext, configurations: readonly string[]): Connections {
  const named = configurations.flatMap(config => {
    // Loading it reports why a file is not valid.
    const { value } = contextIn(io, config)
    if (value === undefined) return []
    return { config, organization: value.organization, source: value.organizationSource }
  })
  const connections = required(io, connectionsFor(io, named))
  const lanes = new Map(
    named.map(({ config, organization }) => [config, connections.get(organization)?.token]),
  )
  return { connections, lanes }
}

/** With one inventory, each of two configurations would prune the sets of the other. */
function checkOwners(io: CommandContext, configurations: readonly string[]): void {
  const first = new Map<string, string>()
  const diagnostics = configurations.flatMap(config => {
    const { value } = contextIn(io, config)
    if (value?.owner === undefined) return []
    const { organization, organizationSource, owner } = value
    const other = holderOf(first, `${organization}/${owner}`, config)
    if (other === undefined) return []
    return mistake(
      'owner-in-use',
      `The owner "${owner}" of "${organization}" is also that of ${other}.`,
      'Give each configuration of an organization an owner of its own.',
      organizationSource && { ...organizationSource, path: config },
    )
  })
  if (diagnostics.length > 0) fail(io, ...diagnostics)
}

const contextIn = (io: CommandContext, config: string) =>
  loadRepositoryContext(loadOptions({ ...io, options: { ...io.options, config } }))

/** Standard input is read once, for all organizations. */
function readOnce(input: Io['input']): Io['input'] {
  let read: Promise<string> | undefined
  return () => {
    const { all, ...others } = input()
    if (all === undefined) return others
    return {
      ...others,
      all: () => {
        read ??= all()
        return read
      },
    }
  }
}

/** The streams of one organization, and its own redactor: what the files of another one show in clear may be a secret here. */
const ownOutput = (io: CommandContext, order: InOrder, index: number): CommandContext => ({
  ...io,
  redactor: new Redactor(),
  stdout: order.sink(index, io.stdout),
  stderr: order.sink(index, io.stderr),
  input: () => {
    const { ask, ...others } = io.input()
    if (ask === undefined) return others
    return {
      ...others,
      ask: async question => {
        await order.turn(index)
        return await ask(question)
      },
    }
  },
})

/** A configuration is processed alone, and its report is part of that of all. */
const ONE = { shard: undefined, reports: [] } as const

/** Only text on stdout is written as it comes, because people follow it. */
async function runOne(
  run: CommandRun,
  io: CommandContext,
  configuration: string,
  program: Parameters<CommandRun>[2],
): Promise<ConfigurationReport> {
  const silent = { terminal: false, columns: io.stdout.columns, write: () => {} }
  const stdout = io.options.format === 'text' ? io.stdout : silent
  const typed = io.typed && forConfiguration(io.typed, configuration)
  const inside = contextOf({ ...io, stdout }, { ...io.options, ...ONE, config: configuration }, typed)
  const { code, report, validation } = await runCommand(run, inside, undefined, program)
  return { configuration, code, report: report && redactedOne(io, report), validation }
}
