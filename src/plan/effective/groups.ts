import type { Arrival, NumberedSets } from './numbered.ts'
import type { Population } from './population.ts'

export interface Arrivals {
  readonly before: readonly Arrival[]
  readonly after: readonly Arrival[]
}

/** Workspaces to which the same sets come on the same ways. Global sets come to all and are not among these. */
export interface WorkspaceGroup extends Arrivals {
  readonly workspaces: readonly string[]
  /** Projects of whose other workspaces nothing more is known. */
  readonly projects: readonly string[]
  /** All other workspaces. */
  readonly others: boolean
}

interface GrowingGroup extends Arrivals {
  readonly workspaces: string[]
  readonly projects: string[]
  others: boolean
}

/** Everybody, grouped. */
export function groupsOf(sets: NumberedSets, population: Population): WorkspaceGroup[] {
  const toWorkspaces = new ArrivalIndex(sets, 'workspaces')
  const toProjects = new ArrivalIndex(sets, 'projects')
  const groups = new Map<string, GrowingGroup>()
  const groupAt = (workspace: string | undefined, project: string | undefined): GrowingGroup => {
    const direct = toWorkspaces.at(workspace)
    const through = toProjects.at(project)
    const signature = `${direct.signature}|${through.signature}`
    const known = groups.get(signature)
    if (known !== undefined) return known
    const group: GrowingGroup = {
      before: [...direct.before, ...through.before],
      after: [...direct.after, ...through.after],
      workspaces: [],
      projects: [],
      others: false,
    }
    groups.set(signature, group)
    return group
  }
  for (const [workspace, project] of population.projectOf)
    groupAt(workspace, project).workspaces.push(workspace)
  if (population.level === 'projects') {
    for (const project of toProjects.targets()) groupAt(undefined, project).projects.push(project)
    groupAt(undefined, undefined).others = true
  }
  return [...groups.values()]
}

const GLOBALLY = { global: true, project: false, workspace: false }

/** The global sets, which come to everybody. */
export function globalArrivals(sets: NumberedSets): Arrivals {
  const arriving = (moment: NumberedSets['before']): Arrival[] =>
    moment.flatMap(from => (from?.set.global ? (sets.arrival(from, GLOBALLY) ?? []) : []))
  return { before: arriving(sets.before), after: arriving(sets.after) }
}

interface ComingSets {
  readonly before: Arrival[]
  readonly after: Arrival[]
  signature: string
}

const NOTHING: ComingSets = { before: [], after: [], signature: '' }

/** Which sets come to each workspace, or to each project. */
class ArrivalIndex {
  readonly #coming = new Map<string, ComingSets>()

  constructor(sets: NumberedSets, kind: 'workspaces' | 'projects') {
    const ways = { global: false, project: kind === 'projects', workspace: kind === 'workspaces' }
    for (const moment of ['before', 'after'] as const)
      for (const from of sets[moment]) {
        const arrival = from === undefined ? undefined : sets.arrival(from, ways)
        if (from === undefined || arrival === undefined) continue
        for (const id of from.set[kind]) this.#add(id, moment, arrival)
      }
  }

  #add(id: string, moment: 'before' | 'after', arrival: Arrival): void {
    let coming = this.#coming.get(id)
    if (coming === undefined) {
      coming = { before: [], after: [], signature: '' }
      this.#coming.set(id, coming)
    }
    coming[moment].push(arrival)
    coming.signature += `${arrival.from.order}${moment === 'before' ? '-' : '+'}`
  }

  at(id: string | undefined): ComingSets {
    return (id === undefined ? undefined : this.#coming.get(id)) ?? NOTHING
  }

  targets(): Iterable<string> {
    return this.#coming.keys()
  }
}
