import { type Diagnostic, mistake } from '../../model/diagnostic.ts'
import {
  type AffectedReport,
  affectedIds,
  affectedJson,
  affectedMatrix,
  affectedText,
  MOST_JOBS,
  membersIn,
  notesOf,
  partsOf,
} from '../../report/affected.ts'
import { counted, figure } from '../../report/phrase.ts'
import { affected } from '../../run/commands/affected.ts'
import { EXIT, fail, misuse } from '../../run/commands/ending.ts'
import type { Run } from '../command.ts'
import { type Call, layoutOf } from '../io.ts'
import type { Options } from '../options.ts'

/** Lists everybody who gets another value from the current plan, or from a saved one. */
export const run: Run = async (io, file) => {
  const mistakes = besideFormat(io.options)
  if (mistakes.length > 0) fail(io, ...mistakes)
  const result = await affected(io, file === undefined ? undefined : { file })
  return 'code' in result ? result : tell(io, result.affected, result.reads)
}

function tell(io: Call, report: AffectedReport, reads?: number): number {
  const { format } = io.options
  if (format === 'matrix') return tellMatrix(io, report)
  if (format === 'ids') sayNotes(io, notesOf(report))
  if (format === 'ids' || format === 'json') {
    io.stdout.write(format === 'ids' ? affectedIds(report) : affectedJson(report))
    return EXIT.done
  }
  io.stdout.write(affectedText(report, reads, layoutOf(io)))
  return EXIT.done
}

/** Fails if the parts that a pipeline has are too few, because the rest would get no job. */
function tellMatrix(io: Call, report: AffectedReport): number {
  const { index, of } = io.options.part ?? { index: 1, of: 1 }
  const needed = partsOf(report)
  const count = membersIn(report.affected.workspaces).length
  if (needed > of)
    misuse(
      io,
      `${counted(count, 'workspace')} need ${figure(needed)} matrices, but --part has only ${of}: GitHub runs at most ${MOST_JOBS} jobs for one.`,
      `Use a job for each part, from --part 1/${needed} to --part ${needed}/${needed}.`,
    )
  io.stdout.write(affectedMatrix(report, index))
  const here = Math.max(0, Math.min(MOST_JOBS, count - (index - 1) * MOST_JOBS))
  const stacks = membersIn(report.affected.stacks).length
  sayNotes(io, [
    `Part ${index} of ${of}: ${figure(here)} of ${counted(count, 'workspace')}. All of them need ${counted(needed, 'part')}, of at most ${MOST_JOBS} each.`,
    ...(stacks === 0 ? [] : [`${counted(stacks, 'Stack')} not in the matrix: a matrix has workspaces only.`]),
    ...notesOf(report),
  ])
  return EXIT.done
}

/** Printed beside a list for programs. */
function sayNotes(io: Call, notes: readonly string[]): void {
  if (!io.options.quiet) io.stderr.write(notes.map(note => `${note}\n`).join(''))
}

const besideFormat = ({ part, format }: Options): Diagnostic[] =>
  part === undefined || format === 'matrix'
    ? []
    : [mistake('bad-usage', '--part divides a matrix.', 'Add --format matrix, or remove --part.')]
