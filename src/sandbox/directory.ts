import { Multimap, within } from './multimap.ts'
import type { OrganizationRecord, ProjectRecord, WorkspaceRecord } from './records.ts'

/** Organizations, projects and workspaces, by id and by name. */
export class Directory {
  readonly organizations = new Map<string, OrganizationRecord>()
  readonly projects = new Map<string, ProjectRecord>()
  readonly workspaces = new Map<string, WorkspaceRecord>()

  readonly #members = new Multimap()
  readonly #named = new Multimap()

  idsOf(organization: string, kind: 'projects' | 'workspaces'): ReadonlySet<string> {
    return this.#members.of(within(organization, kind))
  }

  workspaceNamed(organization: string, name: string): WorkspaceRecord | undefined {
    const [id] = this.#named.of(within(organization, `workspace ${name}`))
    return id === undefined ? undefined : this.workspaces.get(id)
  }

  /** Project names are unique whatever their case (docs/service.md 12.3). */
  projectNamed(organization: string, name: string): ProjectRecord | undefined {
    const [id] = this.#named.of(within(organization, `project ${name.toLowerCase()}`))
    return id === undefined ? undefined : this.projects.get(id)
  }

  workspacesIn(project: string): ReadonlySet<string> {
    return this.#members.of(project)
  }

  putProject(project: ProjectRecord): void {
    this.removeProject(project.id)
    this.projects.set(project.id, project)
    this.#members.add(within(project.organization, 'projects'), project.id)
    this.#named.add(within(project.organization, `project ${project.name.toLowerCase()}`), project.id)
  }

  removeProject(id: string): void {
    const project = this.projects.get(id)
    if (project === undefined) return
    this.projects.delete(id)
    this.#members.remove(within(project.organization, 'projects'), id)
    this.#named.remove(within(project.organization, `project ${project.name.toLowerCase()}`), id)
  }

  putWorkspace(workspace: WorkspaceRecord): void {
    this.removeWorkspace(workspace.id)
    this.workspaces.set(workspace.id, workspace)
    this.#members.add(within(workspace.organization, 'workspaces'), workspace.id)
    this.#named.add(within(workspace.organization, `workspace ${workspace.name}`), workspace.id)
    if (workspace.project !== undefined) this.#members.add(workspace.project, workspace.id)
  }

  removeWorkspace(id: string): void {
    const workspace = this.workspaces.get(id)
    if (workspace === undefined) return
    this.workspaces.delete(id)
    this.#members.remove(within(workspace.organization, 'workspaces'), id)
    this.#named.remove(within(workspace.organization, `workspace ${workspace.name}`), id)
    if (workspace.project !== undefined) this.#members.remove(workspace.project, id)
  }

  clear(): void {
    for (const map of [this.organizations, this.projects, this.workspaces]) map.clear()
    this.#members.clear()
    this.#named.clear()
  }
}
