import { compareText } from '../model/diagnostic.ts'
import { type ChangedSet, changedSets } from '../plan/changed-sets.ts'
import type { Giver, ReceivedChange } from '../plan/effective/effect.ts'
import type { Plan } from '../plan/plan-data.ts'
import type { Reach, SetReach } from '../plan/reach.ts'
import { type Row, type Section, title } from './doc.ts'
import { figure, name, type Phrase, say } from './phrase.ts'

/** Wider or longer tables do not fit on a screen. */
const MOST_COLUMNS = 40
const MOST_ROWS = 100

/**
 * Changed sets by workspaces, and by projects and Stacks that stand for workspaces: those that a plan affects first, by project, then, if
 * `reach` is known, others where the sets apply. Only for the page. Nothing if nobody is affected.
 */
export function pictureOf(plan: Plan, reach?: Reach): Section[] {
  const seen = seenIn(plan)
  if (seen.size === 0) return []
  const sets = changedSets(plan)
  const told = {
    names: { ...reach?.names, ...plan.names },
    projectOf: { ...reach?.projectOf, ...plan.projectOf },
  }
  const applies = appliesIn(reach, told.projectOf)
  const byProject = (ids: readonly string[]): string[] =>
    ids.toSorted((a, b) => compareText(keyOf(a, told), keyOf(b, told)))
  const others = (reach === undefined ? [] : idsIn(reach, sets, told.projectOf)).filter(id => !seen.has(id))
  const columns = [...byProject([...seen.keys()]), ...byProject(others)].slice(0, MOST_COLUMNS)
  const rows = sets.slice(0, MOST_ROWS).map(
    (set): Row => ({
      mark: set.sign,
      cells: [
        [name(set.name)],
        ...columns.map(id => {
          const sign = signOf(set, seen.get(id) ?? [])
          return [sign ?? (applies(set, id) ? '·' : '')]
        }),
      ],
    }),
  )
  const left = seen.size - Math.min(seen.size, MOST_COLUMNS)
  return [
    {
      title: title`Where the changed sets apply`,
      form: 'list',
      columns: ['set', ...columns.map(id => columnOf(id, told))],
      rows,
    },
    {
      form: 'lines',
      rows: [
        {
          tone: 'quiet',
          cells: [
            [
              '+ gets a variable from the set, - loses one, ~ another value, · the set applies, without a change',
            ],
          ],
        },
        ...(left > 0 ? [more(`${figure(left)} more are affected: setpoint affected names them.`)] : []),
        ...(sets.length > MOST_ROWS ? [more(`${figure(sets.length - MOST_ROWS)} more sets are above.`)] : []),
      ],
    },
  ]
}

const more = (text: string): Row => ({ tone: 'quiet', cells: [[text]] })

type Told = Readonly<Record<'names' | 'projectOf', Readonly<Record<string, string>>>>

/** What each member receives otherwise. */
function seenIn({ facts }: Plan): ReadonlyMap<string, readonly ReceivedChange[]> {
  const { groups, changes } = facts.received
  return new Map(
    groups.flatMap(group => {
      const theirs = group.changes.flatMap(at => changes[at] ?? [])
      return group.members.map(member => [member, theirs] as const)
    }),
  )
}

/** What the set does to somebody. Several changes are one `~`, unless all are the same. */
function signOf(set: ChangedSet, changes: readonly ReceivedChange[]): string | undefined {
  const isOf = (giver: Giver | undefined): boolean =>
    giver?.set !== undefined && (giver.set === set.name || giver.set === set.previousName)
  const signs = new Set(
    changes.flatMap(({ before, after }) => {
      const [was, is] = [isOf(before), isOf(after)]
      return was && is ? ['~'] : is ? ['+'] : was ? ['-'] : []
    }),
  )
  const [only] = signs
  return signs.size > 1 ? '~' : only
}

/** Whether a set applies to a workspace, before or after. */
function appliesIn(
  reach: Reach | undefined,
  projectOf: Told['projectOf'],
): (set: ChangedSet, id: string) => boolean {
  const scopes = new Map((reach?.sets ?? []).map(one => [one.set, scopesOf(one)]))
  return ({ name: called }, id) =>
    (scopes.get(called) ?? []).some(
      ({ global, workspaces = [], projects = [], stacks = [] }) =>
        global || [...workspaces, ...projects, ...stacks].some(one => one === id || one === projectOf[id]),
    )
}

const scopesOf = ({ before, after }: SetReach) => [before, after].flatMap(scope => scope ?? [])

/** Workspaces where changed sets apply. */
function idsIn(reach: Reach, sets: readonly ChangedSet[], projectOf: Told['projectOf']): string[] {
  const changed = new Set(sets.map(set => set.name))
  const scopes = reach.sets.filter(({ set }) => changed.has(set)).flatMap(scopesOf)
  const projects = new Set(scopes.flatMap(scope => scope.projects ?? []))
  const isGlobal = scopes.some(({ global }) => global)
  const inside = Object.entries(projectOf).filter(([, project]) => isGlobal || projects.has(project))
  return [...new Set([...scopes.flatMap(scope => scope.workspaces ?? []), ...inside.map(([id]) => id)])]
}

const keyOf = (id: string, { names, projectOf }: Told): string => {
  const project = projectOf[id]
  return `${project === undefined ? '\uffff' : (names[project] ?? project)}\0${names[id] ?? id}`
}

function columnOf(id: string, { names, projectOf }: Told): Phrase {
  if (id === 'others') return ['other workspaces']
  const project = projectOf[id]
  const called = name(names[id] ?? id)
  if (project !== undefined) return say`${called} in ${name(names[project] ?? project)}`
  return id.startsWith('prj-') ? say`project ${called}` : [called]
}
