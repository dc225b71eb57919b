import { compareText } from '../../model/diagnostic.ts'
import type { ProjectId, WorkspaceId } from '../../model/ids.ts'
import { itemAt, valueAt } from '../../model/lists.ts'
import type {
  Audience,
  DisplacedValue,
  Displacement,
  Effect,
  EffectGroup,
  EffectiveDifference,
  EffectKind,
  WholeProject,
} from './effect.ts'
import type { ShownChange } from './seen-changes.ts'
import type { Population, WorkspaceGroup } from './workspace-groups.ts'

/** Effects that a plan lists at most. The operations show the rest. */
const MOST_EFFECTS = 2_000
/** Workspaces of a group that are named at most. */
const MOST_NAMED = 50
/** Workspaces of a displacement that are named at most: as many as fit on a line of a report. */
const MOST_DISPLACED = 4

/** The order of a report: effects that no operation shows come first. */
const KINDS: readonly EffectKind[] = ['winner', 'lost', 'gained', 'value', 'source']

/** Changes that the same groups see. A group sees at most one change of a key. */
interface SharedChanges {
  readonly groups: readonly WorkspaceGroup[]
  readonly audience: Audience
  readonly changes: ShownChange[]
}

/** Lists each effect once, with all workspaces that see it. */
export function differenceOf(changes: readonly ShownChange[], population: Population): EffectiveDifference {
  const { level, isWhole, projectOf, withoutProject } = population
  const shared = sharedChanges(changes, population)
  const all = shared
    .map(({ audience, changes }) => ({
      ...audience,
      effects: changes.toSorted(byKind).map(({ effect }) => effect),
    }))
    .toSorted(byInterest)
  const kept = withinLimit(all)
  const displaced = displacements(shared, population)
  const seeing = new Set(shared.flatMap(({ groups }) => groups))
  const certain = new Set(shared.flatMap(({ groups, changes }) => (changes.some(isCertain) ? groups : [])))
  const unlessOwn = certain.size < seeing.size
  return {
    level,
    known: projectOf.size,
    whole: isWhole || undefined,
    withoutProject,
    changed: workspacesIn(seeing),
    unlessOwn,
    certain: unlessOwn && certain.size > 0 ? workspacesIn(certain) : undefined,
    groups: kept,
    left: effectsIn(all) - effectsIn(kept),
    displaced: displaced.length > 0 ? displaced : undefined,
  }
}

function sharedChanges(changes: readonly ShownChange[], population: Population): SharedChanges[] {
  const shared = new Map<string, SharedChanges>()
  const signatures = new Map<readonly WorkspaceGroup[], string>()
  for (const change of changes) {
    const { groups } = change
    const signature = signatures.get(groups) ?? signatureOf(groups)
    signatures.set(groups, signature)
    const known = shared.get(signature)
    if (known !== undefined) known.changes.push(change)
    else shared.set(signature, { groups, audience: audienceOf(groups, population), changes: [change] })
  }
  return [...shared.values()]
}

const signatureOf = (groups: readonly WorkspaceGroup[]): string =>
  groups
    .map(({ number }) => number)
    .sort((a, b) => a - b)
    .join()

/** Everybody in these groups. Names the first `most` workspaces. */
export function audienceOf(
  groups: Iterable<WorkspaceGroup>,
  { order, ...population }: Population,
  most = MOST_NAMED,
): Audience {
  const all = [...groups]
  const workspaces = all.flatMap(group => group.workspaces)
  const whole = wholeProjects(workspaces, population)
  const inside = new Set<ProjectId | undefined>(whole.map(({ project }) => project))
  const isInside = (id: WorkspaceId): number => Number(inside.has(population.projectOf.get(id)))
  return {
    count: workspaces.length,
    workspaces: workspaces
      .sort((a, b) => isInside(a) - isInside(b) || valueAt(order, a) - valueAt(order, b))
      .slice(0, most),
    projects: all.flatMap(({ projects }) => projects).sort(compareText),
    others: all.some(({ others }) => others),
    whole: whole.length > 0 ? whole : undefined,
  }
}

/** Projects whose workspaces are all among these, with more than one. */
function wholeProjects(
  workspaces: readonly WorkspaceId[],
  { projectOf, membersOf }: Pick<Population, 'projectOf' | 'membersOf'>,
): WholeProject[] {
  const counts = new Map<ProjectId, number>()
  for (const id of workspaces) {
    const project = projectOf.get(id)
    if (project !== undefined) counts.set(project, (counts.get(project) ?? 0) + 1)
  }
  return [...counts]
    .flatMap(([project, count]) =>
      count > 1 && count === membersOf.get(project)?.length ? [{ project, count }] : [],
    )
    .sort((a, b) => b.count - a.count || compareText(a.project, b.project))
}

/** Whether a set with priority gives the variable, before or after: no variable of the workspace itself hides the change. */
const isCertain = ({ before, after }: ShownChange): boolean =>
  before?.priority === true || after?.priority === true

export const workspacesIn = (groups: Iterable<WorkspaceGroup>): number =>
  [...groups].reduce((sum, { workspaces }) => sum + workspaces.length, 0)

const effectsIn = (groups: readonly EffectGroup[]): number =>
  groups.reduce((sum, { effects }) => sum + effects.length, 0)

const rankOf = (kind: EffectKind): number => KINDS.indexOf(kind)

const byKind = (a: ShownChange, b: ShownChange): number =>
  rankOf(a.effect.kind) - rankOf(b.effect.kind) || compareText(a.effect.key, b.effect.key)

const byInterest = (a: EffectGroup, b: EffectGroup): number =>
  rankOf(itemAt(a.effects, 0).kind) - rankOf(itemAt(b.effects, 0).kind) ||
  Number(b.others) - Number(a.others) ||
  b.count - a.count ||
  compareText(itemAt(a.effects, 0).key, itemAt(b.effects, 0).key) ||
  compareText(a.workspaces[0] ?? a.projects[0] ?? '', b.workspaces[0] ?? b.projects[0] ?? '')

function withinLimit(groups: readonly EffectGroup[]): EffectGroup[] {
  let room = MOST_EFFECTS
  return groups.flatMap(group => {
    const effects = group.effects.slice(0, room)
    room -= effects.length
    return effects.length === 0 ? [] : [{ ...group, effects }]
  })
}

interface Displacing extends Pick<Displacement, 'kind' | 'set'> {
  readonly values: { readonly change: ShownChange; readonly shared: SharedChanges }[]
}

/** What each set overrides, changes or takes away, by name. Nothing is left out, because a review relies on it. */
function displacements(all: readonly SharedChanges[], population: Population): Displacement[] {
  const found = new Map<string, Displacing>()
  for (const shared of all)
    for (const change of shared.changes) {
      const cause = causeOf(change.effect)
      if (cause === undefined) continue
      const identity = JSON.stringify(cause)
      const known = found.get(identity) ?? { ...cause, values: [] }
      known.values.push({ change, shared })
      found.set(identity, known)
    }
  return [...found.values()]
    .map(one => displacementOf(one, population))
    .toSorted((a, b) => compareText(a.set, b.set) || compareText(a.kind, b.kind))
}

/** The set to review; `undefined` if no workspace loses a value. */
function causeOf({ kind, before, after, why }: Effect): Pick<Displacement, 'kind' | 'set'> | undefined {
  const [was, is] = [before?.set ?? '', after?.set ?? '']
  switch (kind) {
    case 'gained':
    case 'source':
      return undefined
    case 'lost':
      return { kind, set: was }
    case 'value':
      return { kind, set: is }
    case 'winner':
      return why === 'gone' ? { kind: 'fallback', set: was } : { kind: 'override', set: is }
  }
}

function displacementOf({ kind, set, values }: Displacing, population: Population): Displacement {
  const groups = new Set(values.flatMap(({ shared }) => shared.groups))
  return {
    kind,
    set,
    ...fewNamed(audienceOf(groups, population)),
    values: values
      .map(({ change: { effect }, shared }) => ({
        key: effect.key,
        before: effect.before,
        after: effect.after,
        audience: shared.groups.length === groups.size ? undefined : fewNamed(shared.audience),
      }))
      .toSorted(byKey),
    certain: values.every(({ change }) => isCertain(change)) ? true : undefined,
  }
}

const fewNamed = (audience: Audience): Audience => ({
  ...audience,
  workspaces: audience.workspaces.slice(0, MOST_DISPLACED),
})

const byKey = (a: DisplacedValue, b: DisplacedValue): number =>
  compareText(a.key, b.key) ||
  compareText(a.before?.set ?? '', b.before?.set ?? '') ||
  compareText(a.after?.set ?? '', b.after?.set ?? '') ||
  compareText(firstOf(a.audience), firstOf(b.audience))

const firstOf = (audience: Audience | undefined): string =>
  audience?.workspaces[0] ?? audience?.projects[0] ?? ''
