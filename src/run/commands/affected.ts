import { ownVariables } from '../../api/observe.ts'
import { mapBounded } from '../../api/pages.ts'
import type { Reader } from '../../api/reader.ts'
import { compareText, type Diagnostic, mistake } from '../../model/diagnostic.ts'
import type { TargetId, WorkspaceId } from '../../model/ids.ts'
import { itemAt } from '../../model/lists.ts'
import { type Group, groupsById } from '../../model/variable-set.ts'
import { type AffectedGroup, affectedIn } from '../../plan/effective/affected-members.ts'
import type { Received, UnknownMembers } from '../../plan/effective/effect.ts'
import { receivedBeside } from '../../plan/effective/effective-facts.ts'
import { isForbidden, type Plan } from '../../plan/plan-data.ts'
import type { AffectedMember, AffectedReport, NamedGroup } from '../../report/affected-doc.ts'
import { figure } from '../../report/phrase.ts'
import { EXIT } from '../exit-codes.ts'
import { flagOf, OPTIONS, type Options, PLANNED } from '../options.ts'
import { type Made, makePlan } from '../plan.ts'
import { type Run, sayDiagnostics } from '../run.ts'
import { openRunSecrets } from '../run-secrets.ts'
import { readSavedPlan, type SavedPlan } from '../saved-plan.ts'
import { type Ending, fail } from './ending.ts'
import { withService } from './session.ts'

/** Everybody who gets another value. */
interface AffectedResult {
  readonly affected: AffectedReport
  /** Requests; absent if nothing was read. */
  readonly reads?: number
}

/** Lists everybody who gets another value from the current plan, or from a saved one, which contains its list. Never writes. */
export async function affected(run: Run, saved?: SavedPlan): Promise<AffectedResult | Ending> {
  if (saved !== undefined) return { affected: run.redactor.in(await listIn(run, saved)) }
  const secrets = await openRunSecrets(run)
  return await withService(run, async session => {
    const made = await makePlan(run, session, secrets, { tellsAll: true })
    sayDiagnostics(run, made.plan.diagnostics)
    const { plan, resolved } = made
    const list = isForbidden(plan) ? undefined : plan.facts.received
    if (list === undefined) return { code: EXIT.error }
    const report = known(run, reportOf(plan, list, resolved.groups))
    const { reader, requests } = session.service
    const { verify } = run.options
    if (verify) session.progress.reading()
    const verified = verify ? await verifyAffected(list, made, reader) : undefined
    session.progress.end()
    const result =
      verified === undefined
        ? report
        : { ...reportOf(plan, verified.received, resolved.groups), verified: true, unread: verified.unread }
    return { affected: run.redactor.in(result), reads: requests().reads }
  })
}

/** The list of a saved plan. */
async function listIn(run: Run, saved: SavedPlan): Promise<AffectedReport> {
  const { file } = saved
  const mistakes = besideFile(run.options)
  if (mistakes.length > 0) fail(run, ...mistakes)
  const plan = await readSavedPlan(run, saved)
  if (plan.facts.received.partial === true) fail(run, partialList(file))
  return known(run, reportOf(plan, plan.facts.received))
}

function reportOf(plan: Plan, received: Received, groups?: readonly Group[]): AffectedReport {
  const { organization, address, owner, only, digest, names, projectOf } = plan
  const groupsOf = groupsById(groups)
  const memberOf = (id: TargetId): AffectedMember => {
    const project = projectOf[id]
    return {
      id,
      name: names[id],
      project: project && (names[project] ?? project),
      ...(groupsOf.has(id) && { groups: groupsOf.get(id) }),
    }
  }
  const named = (alike: readonly AffectedGroup[]): NamedGroup[] =>
    alike
      .map(({ members, changes }) => ({ members: members.map(memberOf).toSorted(byName), changes }))
      .toSorted((a, b) => byName(itemAt(a.members, 0), itemAt(b.members, 0)))
  const affected = affectedIn(received)
  const { unknown } = affected
  const list = {
    changes: affected.changes,
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

const byName = (a: AffectedMember, b: AffectedMember): number =>
  compareText(a.name ?? '', b.name ?? '') || compareText(a.id, b.id)

/** A complete report. Otherwise the command ends. */
function known(run: Run, report: AffectedReport): AffectedReport {
  const { unknown } = report.affected
  return unknown === undefined ? report : fail(run, ...unknownDiagnostics(unknown))
}

function unknownDiagnostics({ projects, others, withoutProject, stacks }: UnknownMembers): Diagnostic[] {
  const hint = 'Use a token that may read the workspaces, projects and Stacks of the organization.'
  const count =
    withoutProject === 1 ? 'one workspace or Stack' : `${figure(withoutProject)} workspaces or Stacks`
  const messages = [
    others &&
      'The plan changes what all workspaces receive, but the service does not show this token all of them.',
    projects.length > 0 &&
      `The plan changes what the workspaces of ${projects.join(', ')} receive, but the service does not show this token all of them.`,
    withoutProject > 0 &&
      `The plan changes what projects receive, but the service does not show this token the project of ${count}.`,
    stacks && 'The plan changes what Stacks may read, but the service does not show this token any Stack.',
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

/** Options that would need another plan than the one in the file. */
function besideFile(options: Options): Diagnostic[] {
  // Neither left out, nor a switch that is off, nor an empty list.
  const isGiven = (value: unknown): boolean => value !== undefined && value !== false
  const given = [...PLANNED, 'verify' as const].filter(name => [options[name]].flat().some(isGiven))
  return given
    .map(name => flagOf(OPTIONS[name]))
    .map(flag =>
      mistake(
        'bad-usage',
        `${flag} cannot be combined with a plan file, which contains its list.`,
        flag === '--verify'
          ? 'Run setpoint affected --verify before the apply.'
          : `Pass ${flag} to setpoint plan.`,
      ),
    )
}

const WORKSPACES_AT_ONCE = 8

/** The list after the variables of its workspaces were read. */
interface VerifiedList {
  readonly received: Received
  /** Workspaces that do not show their variables to this token, and stay in the list. */
  readonly unread: readonly WorkspaceId[]
}

/**
 * Reads the variables of each workspace in the list, and drops changes that they hide. Takes one request or more per workspace.
 */
export async function verifyAffected(
  received: Received,
  { matched, reception }: Pick<Made, 'matched' | 'reception'>,
  reader: Reader,
): Promise<VerifiedList> {
  const candidates = affectedIn(received).workspaces.flatMap(({ members }) => members)
  const read = await mapBounded(
    candidates,
    WORKSPACES_AT_ONCE,
    async id => [id, await ownVariables(reader, id)] as const,
  )
  const own = new Map(read.flatMap(([id, variables]) => (variables === undefined ? [] : [[id, variables]])))
  return {
    received: receivedBeside(own, reception(), matched.match),
    unread: read.flatMap(([id, variables]) => (variables === undefined ? [id] : [])),
  }
}
