import {
  type AffectedReport,
  affectedDoc,
  affectedIds,
  affectedJson,
  affectedMatrix,
  MOST_JOBS,
  membersIn,
  notesOf,
} from '../../report/affected-doc.ts'
import { counted } from '../../report/phrase.ts'
import { textOf } from '../../report/print-text.ts'
import { affected } from '../../run/commands/affected.ts'
import { misuse } from '../../run/commands/ending.ts'
import { EXIT } from '../../run/exit-codes.ts'
import type { CommandRun } from '../command.ts'
import { type CommandContext, layoutOf } from '../io.ts'

/** Lists everybody who gets another value from the current plan, or from a saved one. */
export const run: CommandRun = async (io, file) => {
  const result = await affected(io, file === undefined ? undefined : { file })
  return 'code' in result ? result : tell(io, result.affected, result.reads)
}

function tell(io: CommandContext, report: AffectedReport, reads?: number): number {
  const { format } = io.options
  if (format === 'matrix') return tellMatrix(io, report)
  if (format === 'ids') sayNotes(io, notesOf(report))
  if (format === 'ids' || format === 'json') {
    io.stdout.write(format === 'ids' ? affectedIds(report) : affectedJson(report))
    return EXIT.done
  }
  io.stdout.write(textOf(affectedDoc(report, reads), layoutOf(io)))
  return EXIT.done
}

/** Fails for more jobs than GitHub runs: no workspace may go without its job. */
function tellMatrix(io: CommandContext, report: AffectedReport): number {
  const count = membersIn(report.affected.workspaces).length
  if (count > MOST_JOBS)
    misuse(
      io,
      `${counted(count, 'workspace')} do not fit into one matrix: GitHub runs at most ${MOST_JOBS} jobs for it.`,
      'Make several matrices from --format json: docs/workspaces.md#formats has the command.',
    )
  io.stdout.write(affectedMatrix(report))
  const stacks = membersIn(report.affected.stacks).length
  sayNotes(io, [
    ...(stacks === 0 ? [] : [`${counted(stacks, 'Stack')} not in the matrix: a matrix has workspaces only.`]),
    ...notesOf(report),
  ])
  return EXIT.done
}

/** Printed beside a list for programs. */
function sayNotes(io: CommandContext, notes: readonly string[]): void {
  if (!io.options.quiet) io.stderr.write(notes.map(note => `${note}\n`).join(''))
}
