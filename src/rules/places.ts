import type { ProjectId, StackId, TargetLists, WorkspaceId } from '../model/ids.ts'
import type { Directory } from '../model/variable-set.ts'
import type { FactOf } from './vocabulary.ts'

/** Workspaces, projects and Stacks as rules see them. A workspace is one object however many sets have it. */
export class Places {
  readonly #names: ReadonlyMap<string, string>
  readonly #projectOf: ReadonlyMap<string, string>
  readonly #workspaces = new Map<WorkspaceId, FactOf<'Workspace'>>()

  constructor(directory: Directory, names: Readonly<Record<string, string>>) {
    const { workspaces, projects, stacks = [] } = directory
    this.#names = new Map([
      ...[...workspaces, ...projects, ...stacks].map(({ id, name }) => [id, name] as const),
      ...Object.entries(names),
    ])
    this.#projectOf = new Map(workspaces.flatMap(({ id, project }) => (project ? [[id, project]] : [])))
  }

  /** Its id if the name is not known. */
  nameOf(id: ProjectId | StackId | WorkspaceId): string {
    return this.#names.get(id) ?? id
  }

  workspace(id: WorkspaceId): FactOf<'Workspace'> {
    const known = this.#workspaces.get(id)
    if (known !== undefined) return known
    const made = { id, name: this.nameOf(id), project: this.#projectOf.get(id) ?? '' }
    this.#workspaces.set(id, made)
    return made
  }

  of({ workspaces = [], projects = [], stacks = [] }: TargetLists) {
    return {
      workspaces: workspaces.map(id => this.workspace(id)),
      projects: projects.map(id => this.nameOf(id)),
      stacks: stacks.map(id => this.nameOf(id)),
    }
  }
}

/** Each name once, in the order of the list. */
export const distinct = (names: readonly string[]): string[] => [...new Set(names)]
