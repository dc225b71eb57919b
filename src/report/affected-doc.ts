import type { TargetId, WorkspaceId } from '../model/ids.ts'
import { inertJson, toCompactJson, toJson } from '../model/json.ts'
import type { Sign } from '../plan/changed-sets.ts'
import type {
  Affected,
  AffectedChange,
  AffectedGroup,
  AffectedSource,
} from '../plan/effective/affected-members.ts'
import type { Plan } from '../plan/plan-data.ts'
import { type Doc, type Section, title } from './doc.ts'
import { counted, groupsPhrase, keysPhrase, name, type Phrase, present, say, words } from './phrase.ts'
import { aboutOf } from './plan-doc.ts'

/** Version of the JSON form: new members raise the second number, breaking changes the first. */
const AFFECTED_FORMAT = '1.1'

/** A workspace or a Stack with its names. */
export interface AffectedMember {
  readonly id: TargetId
  /** Absent if the service did not tell it. */
  readonly name?: string
  /** The name of its project if the service gave it, otherwise its id; absent if unknown. */
  readonly project?: string
  /** The groups of the files that list it. Absent if there are none, and in a saved plan. */
  readonly groups?: readonly string[]
}

export interface NamedGroup extends Pick<AffectedGroup, 'changes'> {
  /** By name. */
  readonly members: readonly AffectedMember[]
}

/** Who gets another value, with names. Groups are in the order of their first members. */
export interface NamedAffected extends Pick<Affected, 'changes' | 'unknown'> {
  readonly workspaces: readonly NamedGroup[]
  readonly stacks: readonly NamedGroup[]
}

/** Who gets another value, and by which plan. */
export interface AffectedReport extends Pick<Plan, 'organization' | 'address' | 'owner' | 'only' | 'digest'> {
  readonly affected: NamedAffected
  /** The workspace variables were read, and the names and projects come from the service. */
  readonly verified: boolean
  /** Workspaces that do not show their variables, and stay in the list. */
  readonly unread: readonly WorkspaceId[]
}

/** schemas/parts/affected.json. */
export interface AffectedDocument extends Omit<AffectedReport, 'affected'>, Omit<NamedAffected, 'unknown'> {
  readonly format: string
  readonly kind: 'affected'
}

export const affectedJson = ({ affected, ...report }: AffectedReport): string =>
  toJson<AffectedDocument>({ format: AFFECTED_FORMAT, kind: 'affected', ...report, ...affected })

/** One id a line, workspaces first. */
export const affectedIds = ({ affected: { workspaces, stacks } }: AffectedReport): string =>
  [...membersIn(workspaces), ...membersIn(stacks)].map(({ id }) => `${id}\n`).join('')

/** Jobs that GitHub runs at most for one matrix. */
export const MOST_JOBS = 256

/** The workspaces as a matrix of GitHub Actions, on one line. */
export function affectedMatrix({ affected }: AffectedReport): string {
  const all = membersIn(affected.workspaces).toSorted(byName)
  const include = all.map(({ id, name = id, project = '' }) => ({ workspace: name, id, project }))
  return inertJson(`${toCompactJson({ include })}\n`)
}

const byName = (a: AffectedMember, b: AffectedMember): number =>
  (a.name ?? a.id) < (b.name ?? b.id) ? -1 : 1

export const membersIn = (groups: readonly NamedGroup[]): AffectedMember[] =>
  groups.flatMap(({ members }) => members)

/** Who gets other values, in groups that get the same. `reads`: requests sent; absent if the plan comes from a file. */
export function affectedDoc(report: AffectedReport, reads: number | undefined): Doc {
  const { affected, organization, address, digest } = report
  const groups = (of: readonly NamedGroup[], noun: Noun): Section[] =>
    of.map(one => groupSection(one, affected, noun))
  return {
    command: 'affected',
    digest,
    about: present<Phrase>(
      ...aboutOf({ organization, address }),
      reads !== undefined && [words(counted(reads, 'read'), 'quiet')],
    ),
    headline: [headlineOf(report)],
    sections: [
      ...groups(affected.workspaces, 'workspace'),
      ...groups(affected.stacks, 'Stack'),
      { form: 'lines', rows: notesOf(report).map(note => ({ tone: 'quiet', cells: [[note]] })) },
    ],
  }
}

function headlineOf({ affected: { workspaces, stacks }, verified }: AffectedReport): string {
  const [these, those] = [membersIn(workspaces).length, membersIn(stacks).length]
  if (these + those === 0) return 'No workspace and no Stack gets another value.'
  const who = present(these > 0 && counted(these, 'workspace'), those > 0 && counted(those, 'Stack')).join(
    ' and ',
  )
  const unless = verified || these === 0 ? '' : ', unless a workspace variable overrides'
  return `${who} ${these + those === 1 ? 'gets' : 'get'} other values${unless}.`
}

type Noun = 'workspace' | 'Stack'

/** The members, and what they get. */
function groupSection(
  { members, changes }: NamedGroup,
  { changes: all }: NamedAffected,
  noun: Noun,
): Section {
  const many = members.length
  const titles = {
    workspace: many === 1 ? title`1 workspace` : title`${many} workspaces`,
    Stack: many === 1 ? title`1 Stack` : title`${many} Stacks`,
  }
  return {
    title: titles[noun],
    form: 'list',
    rows: [
      ...members.map(({ id, name: serviceName = id, project, groups }) => ({
        cells: present<Phrase>(
          [name(serviceName)],
          project !== undefined && say`project ${name(project)}`,
          groups && groupsPhrase(groups),
        ),
      })),
      ...changes
        .flatMap(at => all[at] ?? [])
        .map(change => ({
          mark: SIGNS[change.change],
          cells: [keysPhrase([change.key]), sourcePhrase(change)],
        })),
    ],
  }
}

const SIGNS = { gained: '+', lost: '-', changed: '~', precedence: '~' } as const satisfies Record<
  AffectedChange['change'],
  Sign
>

function sourcePhrase({ change, before, after }: AffectedChange): Phrase {
  switch (change) {
    case 'gained':
      return say`from ${giverOf(after)}`
    case 'lost':
      return say`no longer from ${giverOf(before)}`
    case 'changed': {
      const isSame = before?.set === after?.set && before?.id === after?.id
      return say`from ${giverOf(after)}${!isSame && say` instead of ${giverOf(before)}`}`
    }
    case 'precedence':
      return [
        giverOf(after),
        ` ${after?.priority === true ? 'now' : 'no longer'} overrides workspace variables`,
        ', with the same value',
      ]
  }
}

const giverOf = (source: AffectedSource | undefined) =>
  source?.set === undefined ? 'a workspace variable' : name(source.set)

/** What makes the list longer or shorter than it should be. */
export const notesOf = ({ unread }: AffectedReport): string[] =>
  present(
    unread.length > 0 &&
      `${counted(unread.length, 'workspace')} in the list cannot be verified: ${unread.length === 1 ? 'its' : 'their'} variables are not shown to this token.`,
  )
