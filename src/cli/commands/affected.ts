import type { Diagnostic } from '../../model/diagnostic.ts'
import type { TargetId } from '../../model/ids.ts'
import type { AffectedGroup, UnknownAffected } from '../../plan/effective/affected-list.ts'
import type { Plan } from '../../plan/plan.ts'
import { isForbidden } from '../../plan/rule-hits.ts'
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
import { verifyAffected } from '../../run/affected.ts'
import { EXIT, type Run } from '../command.ts'
import { type Io, sayDiagnostics, wantsColor } from '../io.ts'
import type { Options } from '../options.ts'
import { openRunSecrets, planNow } from '../planning.ts'
import { readSavedPlan } from '../saved-plan.ts'
import { withService } from '../session.ts'

/** Lists everybody who gets another value from the current plan, or from a saved one. Never writes. */
export const run: Run = (io, options, file) => listAffected(io, options, file, readSavedPlan)

/** As `run`; `read` returns the saved plan. */
export async function listAffected(
  io: Io,
  options: Options,
  file: string | undefined,
  read: typeof readSavedPlan,
): Promise<number> {
  const mistakes = [...(file === undefined ? [] : besideFile(options)), ...besideFormat(options)]
  sayDiagnostics(io, options, mistakes)
  if (mistakes.length > 0) return EXIT.error
  if (file !== undefined) return await ofSavedPlan(io, options, file, read)
  const secrets = await openRunSecrets(io, options)
  if (typeof secrets === 'number') return secrets
  return await withService(io, options, async session => {
    const { verify } = options
    const current = await planNow(io, options, session, secrets, { listsAll: verify })
    if (current === undefined) return EXIT.error
    const { prepared } = current
    sayDiagnostics(io, options, prepared.plan.diagnostics)
    const report = isForbidden(prepared.plan) ? undefined : reportOf(prepared.plan)
    if (report === undefined || isUnknown(io, options, report)) return EXIT.error
    const { reader, requests } = session.service
    if (verify) session.progress.reading()
    const list = verify ? await verifyAffected(report.affected, prepared, reader) : undefined
    session.progress.end()
    return tell(io, options, { ...report, ...list, verified: verify }, requests().reads)
  })
}

/** A saved plan contains its list, so only the file is read. */
async function ofSavedPlan(
  io: Io,
  options: Options,
  file: string,
  read: typeof readSavedPlan,
): Promise<number> {
  const plan = await read(io, file)
  if ('severity' in plan) {
    sayDiagnostics(io, options, [plan])
    return plan.code === 'refused' ? EXIT.refused : EXIT.error
  }
  const report = reportOf(plan)
  if (report === undefined) {
    sayDiagnostics(io, options, [withoutList(file)])
    return EXIT.error
  }
  return isUnknown(io, options, report) ? EXIT.error : tell(io, options, report)
}

function reportOf(plan: Plan): AffectedReport | undefined {
  const { names, facts } = plan
  const { affected, effective } = facts
  if (affected === undefined) return undefined
  const { organization, address, owner, only, digest } = plan
  const named = <Id extends TargetId>(groups: readonly AffectedGroup<Id>[]): AffectedGroup<Id>[] =>
    groups.map(group => ({
      ...group,
      members: group.members.map(one => ({
        ...one,
        name: one.name ?? names[one.id],
        project: one.project && (names[one.project] ?? one.project),
      })),
    }))
  const { unknown } = affected
  const list = {
    ...affected,
    workspaces: named(affected.workspaces),
    stacks: named(affected.stacks),
    unknown: unknown && { ...unknown, projects: unknown.projects.map(id => names[id] ?? id) },
  }
  return {
    organization,
    address,
    owner,
    only,
    digest,
    partial: effective.partial,
    affected: list,
    verified: false,
    unread: [],
  }
}

function tell(io: Io, options: Options, whole: AffectedReport, reads?: number): number {
  const report = io.redactor.in(whole)
  const { format } = options
  if (format === 'matrix') return tellMatrix(io, options, report)
  if (format === 'ids') sayNotes(io, options, notesOf(report))
  if (format === 'ids' || format === 'json') {
    io.stdout.write(format === 'ids' ? affectedIds(report) : affectedJson(report))
    return EXIT.done
  }
  io.stdout.write(
    affectedText(report, reads, {
      color: options.color ?? wantsColor(io, io.stdout),
      width: Math.max(40, Math.min(io.stdout.columns, 140)),
      fits: io.stdout.terminal,
    }),
  )
  return EXIT.done
}

/** Fails if the parts that a pipeline has are too few, because the rest would get no job. */
function tellMatrix(io: Io, options: Options, report: AffectedReport): number {
  const { index, of } = options.part ?? { index: 1, of: 1 }
  const needed = partsOf(report)
  const count = membersIn(report.affected.workspaces).length
  if (needed > of) {
    sayDiagnostics(io, options, [tooFewParts(count, needed, of)])
    return EXIT.error
  }
  io.stdout.write(affectedMatrix(report, index))
  const here = Math.max(0, Math.min(MOST_JOBS, count - (index - 1) * MOST_JOBS))
  const stacks = membersIn(report.affected.stacks).length
  sayNotes(io, options, [
    `Part ${index} of ${of}: ${figure(here)} of ${counted(count, 'workspace')}. All of them need ${counted(needed, 'part')}, of at most ${MOST_JOBS} each.`,
    ...(stacks === 0 ? [] : [`${counted(stacks, 'Stack')} not in the matrix: a matrix has workspaces only.`]),
    ...notesOf(report),
  ])
  return EXIT.done
}

/** Printed beside a list for programs. */
function sayNotes(io: Io, { quiet }: Options, notes: readonly string[]): void {
  if (!quiet) io.stderr.write(notes.map(note => `${note}\n`).join(''))
}

const tooFewParts = (count: number, needed: number, of: number): Diagnostic => ({
  severity: 'error',
  code: 'bad-usage',
  message: `${counted(count, 'workspace')} need ${figure(needed)} matrices, but --part says ${of}: GitHub runs at most ${MOST_JOBS} jobs of one.`,
  hint: `Use a job for each part, from --part 1/${needed} to --part ${needed}/${needed}.`,
})

/** Reports who may be missing from the list. */
function isUnknown(io: Io, options: Options, { affected }: AffectedReport): boolean {
  if (affected.unknown === undefined) return false
  sayDiagnostics(io, options, unknownDiagnostics(affected.unknown, options))
  return true
}

function unknownDiagnostics(
  { projects, others, withoutProject, stacks }: UnknownAffected,
  { verify }: Pick<Options, 'verify'>,
): Diagnostic[] {
  const hint = verify
    ? 'The service does not list them for this token. Use a token that may read them, or write the directory file by hand.'
    : 'Run: setpoint directory. Then plan again. If that does not help, add --verify, which asks the service in place of the file.'
  const messages = [
    ...(others
      ? ['The plan changes what all workspaces receive, but the directory does not list all of them.']
      : []),
    ...(projects.length > 0
      ? [
          `The plan changes what the workspaces of ${projects.join(', ')} receive, but the directory does not list all of them.`,
        ]
      : []),
    ...(withoutProject > 0
      ? [
          `The plan changes what projects receive, but the directory has no project for ${withoutProject === 1 ? 'one workspace or Stack' : `${figure(withoutProject)} workspaces or Stacks`}.`,
        ]
      : []),
    ...(stacks ? ['The plan changes what Stacks may read, but the directory does not list any.'] : []),
  ]
  return messages.map(message => ({ severity: 'error', code: 'unknown-audience', message, hint }))
}

const withoutList = (file: string): Diagnostic => ({
  severity: 'error',
  code: 'refused',
  message: `${JSON.stringify(file)} does not say who is affected: an older version of Setpoint wrote it.`,
  hint: 'Create a new one: setpoint plan --out FILE',
})

/** Flags that would need another plan than the one in the file. */
function besideFile({ verify, only, adopt, rewrite, secrets, base }: Options): Diagnostic[] {
  const given = [
    ...(only.length > 0 ? ['--only'] : []),
    ...(adopt.length > 0 ? ['--adopt'] : []),
    ...(rewrite.length > 0 ? ['--rewrite'] : []),
    ...(secrets === undefined ? [] : ['--secrets']),
    ...(base === undefined ? [] : ['--base']),
    ...(verify ? ['--verify'] : []),
  ]
  return given.map(flag => ({
    severity: 'error',
    code: 'bad-usage',
    message: `${flag} cannot be combined with a plan file, which contains its list.`,
    hint:
      flag === '--verify'
        ? 'Run setpoint affected --verify before the apply.'
        : `Give ${flag} to setpoint plan.`,
  }))
}

const besideFormat = ({ part, format }: Options): Diagnostic[] =>
  part === undefined || format === 'matrix'
    ? []
    : [
        {
          severity: 'error',
          code: 'bad-usage',
          message: '--part divides a matrix.',
          hint: 'Add --format matrix, or remove --part.',
        },
      ]
