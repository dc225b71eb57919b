import type { Assignments, ProjectId, TargetId, WorkspaceId } from '../model/ids.ts'
import type { PlannedWorkspace } from '../model/planned.gen.ts'
import type { NamesById } from './reach.ts'

/** The names of targets, and all workspaces that were asked for. */
export class KnownTargets {
  readonly #known: NamesById
  readonly #groups: ReadonlyMap<string, readonly string[]>
  readonly #workspaces = new Map<WorkspaceId, PlannedWorkspace>()

  constructor(known: NamesById, groups: ReadonlyMap<string, readonly string[]>) {
    this.#known = known
    this.#groups = groups
  }

  mentioned(): PlannedWorkspace[] {
    return [...this.#workspaces.values()]
  }

  nameOf(id: string | undefined): string | undefined {
    return id === undefined || !Object.hasOwn(this.#known.names, id) ? undefined : this.#known.names[id]
  }

  /** `undefined` if one of them is unknown. */
  names(ids: readonly TargetId[] = []): string[] | undefined {
    return allKnown(ids.map(id => this.nameOf(id)))
  }

  workspaces(ids: readonly WorkspaceId[]): readonly WorkspaceId[] {
    for (const id of ids) this.#workspace(id)
    return ids
  }

  /** The names of these projects, and of those of the workspaces. `undefined` if one of them is unknown. */
  projects(ids: readonly ProjectId[], workspaces: readonly WorkspaceId[]): string[] | undefined {
    return allKnown([...ids.map(id => this.nameOf(id)), ...workspaces.map(id => this.#workspace(id).project)])
  }

  of({ workspaces, projects, stacks }: Assignments) {
    return {
      workspaces: this.workspaces(workspaces),
      projects: this.names(projects),
      stacks: this.names(stacks),
    }
  }

  owner({ parent }: { readonly parent?: ProjectId }) {
    return { projectOwned: parent !== undefined, project: this.nameOf(parent) }
  }

  #workspace(id: WorkspaceId): PlannedWorkspace {
    const known = this.#workspaces.get(id)
    if (known !== undefined) return known
    const { projectOf } = this.#known
    const groups = this.#groups.get(id) ?? []
    const made = { id, name: this.nameOf(id), project: this.nameOf(projectOf[id]), groups }
    this.#workspaces.set(id, made)
    return made
  }
}

/** Each name once; `undefined` if one is unknown. */
export const allKnown = (names: readonly (string | undefined)[]): string[] | undefined => {
  const known = new Set<string>()
  for (const name of names) {
    if (name === undefined) return undefined
    known.add(name)
  }
  return [...known]
}
