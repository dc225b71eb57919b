import { compareText } from '../model/diagnostic.ts'
import type { StackId } from '../model/ids.ts'
import type { Audience, Giver } from '../plan/effective/effect.ts'
import type { Plan } from '../plan/plan-data.ts'
import { counted, figure, joined, listed, name, type Phrase, present, say, value } from './phrase.ts'

/** Whom a finding is about. */
export interface Who extends Audience {
  /** Everybody, also those who come later: the set is global. */
  readonly everywhere?: true
  /** Its projects are named however few workspaces they have, because more may come. */
  readonly byProject?: true
}

type NamedBy = Pick<Plan, 'names' | 'projectOf'> & {
  readonly facts: { readonly received: Pick<Plan['facts']['received'], 'known' | 'whole'> }
}

/** More workspaces are counted, not named: `setpoint affected` and JSON name them. */
export const MOST_NAMED = 3

/** `workspaces a, b`; `17 workspaces`; `project payments (14)`; `all 60 workspaces`; `every other workspace`. */
export function whoPhrase(who: Who, plan: NamedBy): Phrase {
  const { count, projects, others, stacks = [], everywhere } = who
  const { known, whole } = plan.facts.received
  const size = sizeOf(who)
  const isAll = count > 1 && (everywhere === true || (whole === true && count === known))
  const isNobody = count === 0 && projects.length === 0
  const every = isNobody && known === 0 ? 'every workspace' : 'every other workspace'
  const workspaces =
    everywhere && (size === undefined || size < 2)
      ? [['every workspace']]
      : present<Phrase>(
          isAll ? [`all ${figure(count)} workspaces`] : knownPhrase(who, plan),
          projects.length > 0 &&
            say`${projects.length > 1 ? 'projects' : 'project'} ${listed(namesOf(projects, plan))}`,
          others && [every],
        )
  return joined([...workspaces, ...stacksPhrase(stacks, plan)], ' and ')
}

/** Number of workspaces; `undefined` if not all of them are known. */
export const sizeOf = ({ count, projects, others }: Audience): number | undefined =>
  others || projects.length > 0 ? undefined : count

/** One workspace, one whole project, or every other workspace. */
export const isSingle = ({ count, projects, others, whole = [] }: Audience): boolean =>
  projects.length === 0 &&
  (count + (others ? 1 : 0) <= 1 ||
    (!others && count > MOST_NAMED && whole.length === 1 && whole[0]?.count === count))

/** Those whose number is known: by name, by project, or counted. */
function knownPhrase(who: Who, plan: NamedBy): Phrase | undefined {
  const { count, workspaces, byProject, whole = [] } = who
  if ((count <= MOST_NAMED && !byProject) || whole.length === 0)
    return namedPhrase(count, namesOf(workspaces, plan))
  const inside = new Set<string>(whole.map(({ project }) => project))
  const rest = workspaces.filter(id => !inside.has(plan.projectOf[id] ?? ''))
  const left = whole.reduce((sum, one) => sum - one.count, count)
  const shown = whole
    .slice(0, MOST_NAMED)
    .map(({ project, count: size }) => say`${name(plan.names[project] ?? project)} (${figure(size)})`)
  const more = whole.length - shown.length
  const projects = say`${whole.length > 1 ? 'projects' : 'project'} ${joined(shown, ', ')}${more > 0 && ` and ${figure(more)} more`}`
  return joined(present<Phrase>(projects, namedPhrase(left, namesOf(rest, plan))), ' and ')
}

function namedPhrase(count: number, names: readonly string[]): Phrase | undefined {
  if (count === 0) return undefined
  if (count > MOST_NAMED || names.length < count) return [counted(count, 'workspace')]
  return say`${count === 1 ? 'workspace' : 'workspaces'} ${listed(names)}`
}

function stacksPhrase(stacks: readonly StackId[], plan: NamedBy): Phrase[] {
  if (stacks.length === 0) return []
  if (stacks.length > MOST_NAMED) return [[counted(stacks.length, 'Stack')]]
  return [say`${stacks.length === 1 ? 'Stack' : 'Stacks'} ${listed(namesOf(stacks, plan))}`]
}

/** Sorted names; the id of what has none. */
export const namesOf = (ids: readonly string[], { names }: Pick<Plan, 'names'>): string[] =>
  ids.map(id => names[id] ?? id).toSorted(compareText)

/** The value of a set; `undefined` if it may not be shown. */
export const givenValue = (giver: Giver | undefined): Phrase | undefined =>
  giver?.secret === true ? ['(secret)'] : giver?.text === undefined ? undefined : [value(giver.text)]
