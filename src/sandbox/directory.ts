import type {
  AssignmentKind,
  OrganizationRecord,
  ProjectRecord,
  StackRecord,
  WorkspaceRecord,
} from './records.ts'

/** Organizations, projects, workspaces and Stacks, by id and by name. */
export class ServiceDirectory {
  readonly organizations = new Map<string, OrganizationRecord>()
  readonly projects = new Map<string, ProjectRecord>()
  readonly workspaces = new Map<string, WorkspaceRecord>()
  readonly stacks = new Map<string, StackRecord>()

  readonly #members = new Multimap()
  readonly #named = new Multimap()

  idsOf(organization: string, kind: AssignmentKind): ReadonlySet<string> {
    return this.#members.of(within(organization, kind))
  }

  workspaceNamed(organization: string, name: string): WorkspaceRecord | undefined {
    const [id] = this.#named.of(within(organization, `workspace ${name}`))
    return id === undefined ? undefined : this.workspaces.get(id)
  }

  /** Project names are unique regardless of case (docs/service.md 12.3). */
  projectNamed(organization: string, name: string): ProjectRecord | undefined {
    const [id] = this.#named.of(within(organization, `project ${name.toLowerCase()}`))
    return id === undefined ? undefined : this.projects.get(id)
  }

  stackNamed(organization: string, name: string): StackRecord | undefined {
    const [id] = this.#named.of(within(organization, `stack ${name}`))
    return id === undefined ? undefined : this.stacks.get(id)
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

  putStack(stack: StackRecord): void {
    this.removeStack(stack.id)
    this.stacks.set(stack.id, stack)
    this.#members.add(within(stack.organization, 'stacks'), stack.id)
    this.#named.add(within(stack.organization, `stack ${stack.name}`), stack.id)
  }

  removeStack(id: string): void {
    const stack = this.stacks.get(id)
    if (stack === undefined) return
    this.stacks.delete(id)
    this.#members.remove(within(stack.organization, 'stacks'), id)
    this.#named.remove(within(stack.organization, `stack ${stack.name}`), id)
  }

  clear(): void {
    for (const map of [this.organizations, this.projects, this.workspaces, this.stacks]) map.clear()
    this.#members.clear()
    this.#named.clear()
  }
}

const NOTHING: ReadonlySet<string> = new Set()

/** A map from one key to many members, in insertion order. */
export class Multimap {
  readonly #members = new Map<string, Set<string>>()

  add(key: string, member: string): void {
    const members = this.#members.get(key)
    if (members === undefined) this.#members.set(key, new Set([member]))
    else members.add(member)
  }

  remove(key: string, member: string): void {
    const members = this.#members.get(key)
    if (members === undefined) return
    members.delete(member)
    if (members.size === 0) this.#members.delete(key)
  }

  of(key: string): ReadonlySet<string> {
    return this.#members.get(key) ?? NOTHING
  }

  clear(): void {
    this.#members.clear()
  }
}

/** A key made of two parts, such as an organization and a name. The line break keeps different pairs distinct. */
export const within = (whole: string, part: string) => `${whole}\n${part}`
