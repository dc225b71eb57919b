import { ownVariables } from '../../api/observe.ts'
import { mapBounded } from '../../api/pages.ts'
import type { Reader } from '../../api/reader.ts'
import { type Diagnostic, mistake } from '../../model/diagnostic.ts'
import type { TargetId, WorkspaceId } from '../../model/ids.ts'
import {
  type Affected,
  type AffectedGroup,
  type UnknownAffected,
  verifiedBy,
} from '../../plan/effective/affected-list.ts'
import { isForbidden, type Plan } from '../../plan/plan.ts'
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
import type { Prepared } from '../../run/prepare.ts'
import { EXIT, fail, misuse, type Run, required } from '../command.ts'
import { type Call, layoutOf, sayDiagnostics } from '../io.ts'
import type { Options } from '../options.ts'
import { openRunSecrets, planNow } from '../planning.ts'
import { readSavedPlan } from '../saved-plan.ts'
import { withService } from '../session.ts'

/** Lists everybody who gets another value from the current plan, or from a saved one, which contains its list. Never writes. */
export const run: Run = async (io, file) => {
  const { verify } = io.options
  const mistakes = [...(file === undefined ? [] : besideFile(io.options)), ...besideFormat(io.options)]
  if (mistakes.length > 0) fail(io, ...mistakes)
  if (file !== undefined) {
    const plan = await readSavedPlan(io, file)
    if (plan.facts.effective.partial === true) fail(io, partialList(file))
    const report = reportOf(plan)
    const list = { value: report, diagnostics: report === undefined ? [withoutList(file)] : [] }
    return tell(io, known(io, required(io, list)))
  }
  const secrets = await openRunSecrets(io)
  return await withService(io, async session => {
    const { prepared } = await planNow(io, session, secrets, { tellsAll: true })
    sayDiagnostics(io, prepared.plan.diagnostics)
    const whole = isForbidden(prepared.plan) ? undefined : reportOf(prepared.plan)
    if (whole === undefined) return EXIT.error
    const report = known(io, whole)
    const { reader, requests } = session.service
    if (verify) session.progress.reading()
    const list = verify ? await verifyAffected(report.affected, prepared, reader) : undefined
    session.progress.end()
    return tell(io, { ...report, ...list, verified: verify }, requests().reads)
  })
}

function reportOf(plan: Plan): AffectedReport | undefined {
  const { names, facts } = plan
  const { affected } = facts
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
    affected: list,
    verified: false,
    unread: [],
  }
}

function tell(io: Call, whole: AffectedReport, reads?: number): number {
  const report = io.redactor.in(whole)
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

/** A complete report. Otherwise the command ends. */
function known(io: Call, report: AffectedReport): AffectedReport {
  const { unknown } = report.affected
  return unknown === undefined ? report : fail(io, ...unknownDiagnostics(unknown))
}

function unknownDiagnostics({ projects, others, withoutProject, stacks }: UnknownAffected): Diagnostic[] {
  const hint = 'Use a token that may read the workspaces, projects and Stacks of the organization.'
  const count =
    withoutProject === 1 ? 'one workspace or Stack' : `${figure(withoutProject)} workspaces or Stacks`
  const messages = [
    others &&
      'The plan changes what all workspaces receive, but the service does not tell this token all of them.',
    projects.length > 0 &&
      `The plan changes what the workspaces of ${projects.join(', ')} receive, but the service does not tell this token all of them.`,
    withoutProject > 0 &&
      `The plan changes what projects receive, but the service does not tell this token the project of ${count}.`,
    stacks && 'The plan changes what Stacks may read, but the service does not tell this token any Stack.',
  ].filter(message => message !== false)
  return messages.map(message => mistake('unknown-audience', message, hint))
}

/** Sets that the snapshot lacks may give values back when ours go. */
const partialList = (file: string) =>
  mistake(
    'unknown-audience',
    `${JSON.stringify(file)} was planned from a snapshot, which does not contain unmanaged sets, so workspaces may be missing.`,
    'Run setpoint affected with a connection to the service.',
  )

const withoutList = (file: string) =>
  mistake(
    'refused',
    `${JSON.stringify(file)} has no list of affected workspaces: an older version of Setpoint wrote it.`,
    'Create a new one: setpoint plan --out FILE',
  )

/** Flags that would need another plan than the one in the file. */
function besideFile(options: Options): Diagnostic[] {
  const names = ['only', 'adopt', 'rewrite', 'secrets', 'base', 'verify'] as const
  // Neither left out, nor a switch that is off, nor an empty list.
  const isGiven = (value: unknown): boolean => value !== undefined && value !== false
  const given = names.filter(name => [options[name]].flat().some(isGiven)).map(name => `--${name}`)
  return given.map(flag =>
    mistake(
      'bad-usage',
      `${flag} cannot be combined with a plan file, which contains its list.`,
      flag === '--verify'
        ? 'Run setpoint affected --verify before the apply.'
        : `Pass ${flag} to setpoint plan.`,
    ),
  )
}

const besideFormat = ({ part, format }: Options): Diagnostic[] =>
  part === undefined || format === 'matrix'
    ? []
    : [mistake('bad-usage', '--part divides a matrix.', 'Add --format matrix, or remove --part.')]

const WORKSPACES_AT_ONCE = 8

/** The list after the variables of its workspaces were read. */
interface VerifiedList {
  readonly affected: Affected
  /** Workspaces that do not show their variables to this token, and stay in the list. */
  readonly unread: readonly WorkspaceId[]
}

/**
 * Reads the variables of each workspace in the list, and drops changes that they hide. Takes one request or more per workspace.
 */
export async function verifyAffected(
  affected: Affected,
  { observed, matched }: Pick<Prepared, 'observed' | 'matched'>,
  reader: Reader,
): Promise<VerifiedList> {
  const candidates = affected.workspaces.flatMap(({ members }) => members.map(({ id }) => id))
  const read = await mapBounded(
    candidates,
    WORKSPACES_AT_ONCE,
    async id => [id, await ownVariables(reader, id)] as const,
  )
  const own = new Map(read.flatMap(([id, variables]) => (variables === undefined ? [] : [[id, variables]])))
  return {
    affected: verifiedBy(own, affected, observed, matched.match),
    unread: read.flatMap(([id, variables]) => (variables === undefined ? [id] : [])),
  }
}
