import { compareText } from '../../model/diagnostic.ts'
import { categoryOf, type ProjectId, type VariableKey, type WorkspaceId } from '../../model/ids.ts'
import type { ObservedSet, ObservedState, ObservedVariable, ResolvedState } from '../../model/variable-set.ts'
import type { Match } from '../match.ts'
import { matchStates } from '../match-states.ts'
import { type Hides, hiddenAmong, type LooksSecret } from '../secrecy.ts'
import { SecretStates } from '../secrets.ts'
import type { ExplainedState, ExplainedVariable, VariableSource, Way, WinningSource } from './explanation.ts'
import {
  type Held,
  heldNow,
  named,
  type PlacedSet,
  placedNow,
  placedThen,
  sameInOneSet,
  sameInTwoSets,
} from './placed-set.ts'
import { byStrength, OWN_RANK, type RankedSource, rankOf, reasonFor, type Ways } from './precedence.ts'

/** What is known of the workspace that is asked about. */
export interface AskedWorkspace {
  readonly id: WorkspaceId
  readonly project?: ProjectId
  /** The sets that the service says come to it; left out where it does not say. */
  readonly reached?: ReadonlySet<string>
  /** Of those, the sets that it says come through the project. */
  readonly throughProject?: ReadonlySet<string>
  readonly own: ReadonlyMap<VariableKey, ObservedVariable>
}

/** Which sets come to the workspace now, and which once the files are applied. */
export function coverageOf(
  workspace: AskedWorkspace,
  observed: ObservedState,
  desired: ResolvedState | undefined,
): {
  readonly coverage: Coverage
  readonly match: Match | undefined
  readonly project: ProjectId | undefined
} {
  const match = desired === undefined ? undefined : matchStates(desired, observed, []).match
  const project = workspace.project ?? inferredProject(workspace, observed.sets)
  const declared = new Set([
    ...(match?.pairs.flatMap(pair => pair.observed?.id ?? []) ?? []),
    ...(match?.removals.map(removal => removal.observed.id) ?? []),
  ])
  // As the files wrote them, where the inventory knows that the service stores a value otherwise.
  const paired = new Map(
    match?.pairs.flatMap(({ desired, observed: one }) =>
      one === undefined ? [] : [[one.id, named(desired, one)] as const],
    ),
  )
  const before = observed.sets.flatMap(set =>
    comingNow(placedNow(paired.get(set.id) ?? set, declared.has(set.id)), workspace, project),
  )
  return {
    coverage: { before, after: comingAfter(workspace, project, match, before), own: workspace.own },
    match,
    project,
  }
}

function comingAfter(
  workspace: AskedWorkspace,
  project: ProjectId | undefined,
  match: Match | undefined,
  before: readonly Coming[],
): Coming[] {
  if (match === undefined) return []
  const secrets = new SecretStates(match, NOT_COMPARED)
  const now = new Map(before.map(coming => [coming.set.id, coming]))
  return [
    ...match.untouched.flatMap(set => now.get(set.id) ?? []),
    ...match.pairs.flatMap(({ desired, observed }) => {
      const set = placedThen(desired, observed, secrets)
      // What the files do not manage stays as the service says it is.
      const isKept = desired.projects === undefined && now.get(set.id)?.ways.project === true
      return coming(set, workspace.id, isKept || (project !== undefined && holds(set.projects, project)))
    }),
  ]
}

const NOT_COMPARED = { inventory: false, entries: new Map(), fingerprintOf: () => [], rewrite: [] }

/** The service's own word counts, where it gives one: a directory may be old, and a project not known. */
function comingNow(set: PlacedSet, workspace: AskedWorkspace, project: ProjectId | undefined): Coming[] {
  const { id, reached, throughProject } = workspace
  const byLists = project !== undefined && holds(set.projects, project)
  if (reached === undefined) return coming(set, id, byLists)
  if (!reached.has(set.id)) return []
  const isDirect = set.global || holds(set.workspaces, id)
  // The list of a project has its own sets, assigned or not (docs/service.md 10.3).
  const isTold = throughProject?.has(set.id) && !set.global && !set.projectOwned
  return coming(set, id, isTold || byLists || !isDirect)
}

function coming(set: PlacedSet, workspace: string, throughProject: boolean): Coming[] {
  const ways = { global: set.global, workspace: holds(set.workspaces, workspace), project: throughProject }
  return ways.global || ways.workspace || ways.project ? [{ set, ways }] : []
}

const holds = (ids: readonly string[], id: string): boolean => ids.includes(id)

/** The one project that all sets have which come neither directly nor globally; none where they do not say. */
function inferredProject(
  { id, reached }: AskedWorkspace,
  sets: readonly ObservedSet[],
): ProjectId | undefined {
  const through = sets.filter(set => reached?.has(set.id) && !set.global && !holds(set.workspaces, id))
  const [first, ...others] = through.map(set => set.projects)
  const [only, another] = (first ?? []).filter(project => others.every(list => list.includes(project)))
  return another === undefined ? only : undefined
}

/** A set on its way to the workspace. */
interface Coming {
  readonly set: PlacedSet
  readonly ways: Ways
}

/** What comes to one workspace. */
interface Coverage {
  readonly before: readonly Coming[]
  readonly after: readonly Coming[]
  readonly own: ReadonlyMap<VariableKey, ObservedVariable>
}

interface Candidate extends RankedSource {
  readonly held: Held
  readonly set: PlacedSet | undefined
  readonly way: Way
}

/** Every variable with its sources, sorted by key. */
export function explainVariables(
  coverage: Coverage,
  moment: ExplainedState,
  looksSecret: LooksSecret,
): ExplainedVariable[] {
  const before = moment === 'files' ? new Map() : candidatesOf(coverage.before, coverage.own)
  const after = moment === 'live' ? new Map() : candidatesOf(coverage.after, coverage.own)
  const hides = hiddenAmong(holdersIn(coverage), looksSecret)
  const keys = [...new Set<VariableKey>([...before.keys(), ...after.keys()])].toSorted(compareText)
  return keys.map(key => {
    const was: readonly Candidate[] = before.get(key) ?? []
    const is: readonly Candidate[] = after.get(key) ?? []
    const seenBefore = seen(key, was, hides)
    const seenAfter = seen(key, is, hides)
    return {
      key,
      change: moment === 'difference' ? changeOf(key, was[0], is[0]) : 'same',
      ...(seenBefore === undefined ? {} : { before: seenBefore }),
      ...(seenAfter === undefined ? {} : { after: seenAfter }),
    }
  })
}

function changeOf(
  key: VariableKey,
  was: Candidate | undefined,
  is: Candidate | undefined,
): ExplainedVariable['change'] {
  if (was === undefined || is === undefined) return was === undefined ? 'gained' : 'lost'
  const same = was.id === is.id ? sameInOneSet(key, was.held, is.held) : sameInTwoSets(key, was.held, is.held)
  return same && was.id === is.id ? 'same' : 'changed'
}

/** For each key everything that gives it, the strongest first; of a set that comes on two ways the better one. */
function candidatesOf(
  coming: readonly Coming[],
  own: ReadonlyMap<VariableKey, ObservedVariable>,
): Map<VariableKey, Candidate[]> {
  const found = new Map<VariableKey, Candidate[]>()
  const add = (key: VariableKey, candidate: Candidate): void => {
    const known = found.get(key)
    if (known === undefined) found.set(key, [candidate])
    else known.push(candidate)
  }
  for (const [key, variable] of own)
    add(key, { rank: OWN_RANK, name: '', id: '', held: heldNow(variable), set: undefined, way: 'own' })
  for (const { set, ways } of coming) {
    const rank = rankOf(set, ways)
    if (rank === undefined) continue
    const way = wayOf(set, ways)
    for (const [key, held] of set.held) add(key, { rank, name: set.called, id: set.id, held, set, way })
  }
  for (const candidates of found.values()) candidates.sort(byStrength)
  return found
}

/** The way that counts: with priority the broadest, without it the closest. */
function wayOf({ priority }: PlacedSet, ways: Ways): Way {
  const order: readonly (keyof Ways)[] = priority
    ? ['global', 'project', 'workspace']
    : ['workspace', 'project', 'global']
  return order.find(way => ways[way]) ?? 'global'
}

function seen(
  key: VariableKey,
  [winner, ...others]: readonly Candidate[],
  hides: Hides,
): WinningSource | undefined {
  if (winner === undefined) return undefined
  return {
    ...givenOf(key, winner, hides),
    shadows: others.map(other => ({ ...givenOf(key, other, hides), why: reasonFor(winner, other) })),
  }
}

function givenOf(key: VariableKey, { held, set, way, rank }: Candidate, hides: Hides): VariableSource {
  return {
    way,
    rank,
    ...(set === undefined ? {} : { set: set.name }),
    ...(set?.priority ? { priority: true } : {}),
    ...(set?.projectOwned ? { projectOwned: true } : {}),
    ...(held.secret
      ? { secret: true }
      : held.text === undefined || hides(key, held.text)
        ? {}
        : { text: held.text }),
    ...(!held.secret && held.hcl && categoryOf(key) === 'terraform' ? { hcl: true } : {}),
  }
}

const holdersIn = ({ before, after, own }: Coverage) => [
  ...[...before, ...after].map(({ set }) => set),
  { held: new Map([...own].map(([key, variable]) => [key, heldNow(variable)])) },
]
