import type { Validation } from '../report/diagnostics.ts'
import type { ConfigurationReport } from '../report/index.ts'
import type { SingleReport } from '../report/view.ts'
import { codeOfSignal, EXIT, misuse, type Run, runCommand } from './command.ts'
import type { Call } from './io.ts'
import { configurationsOf } from './load.ts'
import type { Options } from './options.ts'
import { prepareOutputs } from './output-files.ts'
import { publish } from './publish.ts'

/**
 * The same command for every configuration of `--config`, one after the other: the rate limit is per user, and one connection
 * at a time keeps to it. A failure of one does not stop the others.
 */
export const acrossOrganizations =
  (run: Run): Run =>
  async (io, argument, program) => {
    const { options } = io
    if (options.out !== undefined || options.snapshot !== undefined || argument !== undefined)
      misuse(
        io,
        'A plan file or a snapshot covers one organization, but --config or --shard selects several.',
        'Run the command for one configuration, or approve digests with --approve A,B, all 64 digits of each.',
      )
    const configurations = configurationsOf(io)
    await prepareOutputs(io)
    const parts: ConfigurationReport[] = []
    for (const configuration of configurations) {
      if (io.stop.aborted) {
        parts.push({ configuration })
        continue
      }
      if (parts.length > 0 && options.format === 'text' && !isSilent(options, parts)) io.stdout.write('\n')
      parts.push(await runOne(run, io, configuration, program))
    }
    const code = codeOfSignal(io) ?? exitCodeOf(parts)
    if (isSilent(options, parts)) return code
    return await publish(io, { kind: 'several', parts }, code)
  }

/** With `validate --quiet`, only mistakes are printed. */
const isSilent = ({ quiet, format }: Options, parts: readonly ConfigurationReport[]): boolean =>
  quiet && format === 'text' && parts.some(({ validation }) => validation !== undefined)

/** Report files are written once, for all. Only text on stdout is written as it comes, because people follow it. */
async function runOne(
  run: Run,
  io: Call,
  configuration: string,
  program: Parameters<Run>[2],
): Promise<ConfigurationReport> {
  let report: SingleReport | undefined
  let validation: Validation | undefined
  const silent = { ...io.stdout, write: () => {} }
  const { shard: _, ...rest } = io.options
  const inside: Call = {
    ...io,
    options: { ...rest, config: configuration, reports: [] },
    stdout: rest.format === 'text' ? io.stdout : silent,
    collect: one => {
      report = one
    },
    validated: one => {
      validation = one
    },
  }
  const code = await runCommand(run, inside, undefined, program)
  return { configuration, code, report, validation }
}

/** The gravest code. If one was refused or failed after another was written, the run was partly applied. */
function exitCodeOf(parts: readonly ConfigurationReport[]): number {
  const codes = parts.flatMap(({ code }) => code ?? [])
  const isBad = codes.some(code => code === EXIT.error || code === EXIT.refused)
  const wrote = parts.some(({ report }) => report?.kind === 'apply' && report.result.requests.writes > 0)
  if (codes.includes(EXIT.partial) || (isBad && wrote)) return EXIT.partial
  for (const code of [EXIT.error, EXIT.refused, EXIT.changes]) if (codes.includes(code)) return code
  return EXIT.done
}
