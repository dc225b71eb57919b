import type { ProjectId, StackId, TargetLists, WorkspaceId } from '../model/ids.ts'
import { lazy } from '../model/lists.ts'
import type { Directory } from '../model/variable-set.ts'
import type { FactOf } from './vocabulary.ts'

/** Workspaces, projects and Stacks as rules see them. A workspace is one object however many sets have it. */
export class Places {
  readonly #names: Readonly<Record<string, string>>
  readonly #known: () => ReadonlyMap<string, { readonly name: string; readonly project?: string }>
  readonly #workspaces = new Map<WorkspaceId, FactOf<'Workspace'>>()

  constructor({ workspaces, projects, stacks = [] }: Directory, names: Readonly<Record<string, string>>) {
    this.#names = names
    this.#known = lazy(() => new Map([...projects, ...stacks, ...workspaces].map(one => [one.id, one])))
  }

  /** Its id if the name is not known. */
  nameOf(id: ProjectId | StackId | WorkspaceId): string {
    return Object.hasOwn(this.#names, id) ? (this.#names[id] ?? id) : (this.#known().get(id)?.name ?? id)
  }

  workspace(id: WorkspaceId): FactOf<'Workspace'> {
    const known = this.#workspaces.get(id)
    if (known !== undefined) return known
    const made = { id, name: this.nameOf(id), project: this.#known().get(id)?.project ?? '' }
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
