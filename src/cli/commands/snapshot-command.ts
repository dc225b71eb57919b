import { type Diagnostic, warning } from '../../model/diagnostic.ts'
import { toJson } from '../../model/json.ts'
import { counted } from '../../report/phrase.ts'
import { required } from '../../run/commands/ending.ts'
import { prepareOutputs, writeOutput } from '../../run/commands/output-files.ts'
import { withService } from '../../run/commands/session.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { type Run, sayDiagnostics } from '../../run/run.ts'
import { hideEnvironment } from '../../run/run-secrets.ts'
import { takeSnapshot } from '../../run/take-snapshot.ts'
import type { CommandRun } from '../command.ts'

/** Reads what a plan needs to know, so that a job without credentials can plan. */
export const run: CommandRun = async io => {
  await prepareOutputs(io, [], 'snapshot')
  const text = await snapshotText(io)
  if (io.options.out === undefined) io.stdout.write(text)
  else await writeOutput(io, { path: io.options.out, kind: 'snapshot' }, text)
  return EXIT.done
}

/** A snapshot as it is saved. Says what everybody could read in it. */
export const snapshotText = (io: Run): Promise<string> =>
  withService(io, async ({ desired, service }) => {
    hideEnvironment(io, desired)
    const value = required(io, await takeSnapshot(desired, service, io.now().toISOString(), io.redactor))
    const values = value.sets.flatMap(({ variables }) => variables.map(variable => variable.value))
    const readable = values.filter(one => 'text' in one).length
    const withheld = values.filter(one => 'withheld' in one).length
    if (readable + withheld > 0) sayDiagnostics(io, [readableValues(readable, withheld)])
    return toJson(value)
  })

const readableValues = (count: number, withheld: number): Diagnostic =>
  warning(
    'readable-values',
    `The snapshot contains ${count === 1 ? 'a value' : `${count} values`} that everyone with read access can see.`,
    `Do not share it: an artifact of a public repository is public. It contains no secrets${
      withheld === 0
        ? ''
        : `, and omits ${counted(withheld, 'readable value')} that the files declare as secret, that look like secrets, or that contain a secret of this run`
    }.`,
  )
