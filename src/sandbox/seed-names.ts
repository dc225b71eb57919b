import type { ServiceDirectory } from './directory.ts'
import type { ProjectRecord, StackRecord, WorkspaceRecord } from './records.ts'
import type { SandboxSeed } from './seed.ts'

interface NamedRecord {
  readonly id?: string
  readonly name?: string
}

/** What names and ids mean while a seed is read: those of the state and those the seed has added so far. */
export class SeedNames {
  readonly #seed: SandboxSeed
  readonly #directory: ServiceDirectory
  readonly #added = new Map<string, string>()
  #only: { readonly name: string | undefined } | undefined

  constructor(seed: SandboxSeed, directory: ServiceDirectory) {
    this.#seed = seed
    this.#directory = directory
  }

  /** Every organization that the seed mentions. */
  organizations(): Set<string> {
    const { organizations, projects, workspaces, stacks, sets } = this.#seed
    const mentioned = [projects, workspaces, stacks, sets].flatMap(list =>
      (list ?? []).flatMap(one => one.organization ?? []),
    )
    return new Set([...(organizations ?? []).map(organization => organization.name), ...mentioned])
  }

  /** The organization that needs no mention: the seed's only one, or else the state's only one. */
  only(): string | undefined {
    this.#only ??= { name: this.#onlyOne() }
    return this.#only.name
  }

  #onlyOne(): string | undefined {
    const mentioned = [...this.organizations()]
    const names = mentioned.length > 0 ? mentioned : [...this.#directory.organizations.keys()]
    return names.length === 1 ? names[0] : undefined
  }

  /** The id of a project given by id or name. */
  project(organization: string, nameOrId: string): string | undefined {
    if (this.#directory.projects.get(nameOrId)?.organization === organization) return nameOrId
    return (
      this.#added.get(`${organization}/project-id/${nameOrId}`) ??
      this.#added.get(`${organization}/project/${nameOrId.toLowerCase()}`) ??
      this.#directory.projectNamed(organization, nameOrId)?.id
    )
  }

  workspace(organization: string, nameOrId: string): string | undefined {
    if (this.#directory.workspaces.get(nameOrId)?.organization === organization) return nameOrId
    return (
      this.#added.get(`${organization}/workspace-id/${nameOrId}`) ??
      this.#added.get(`${organization}/workspace/${nameOrId}`) ??
      this.#directory.workspaceNamed(organization, nameOrId)?.id
    )
  }

  stack(organization: string, nameOrId: string): string | undefined {
    if (this.#directory.stacks.get(nameOrId)?.organization === organization) return nameOrId
    return (
      this.#added.get(`${organization}/stack-id/${nameOrId}`) ??
      this.#added.get(`${organization}/stack/${nameOrId}`) ??
      this.#directory.stackNamed(organization, nameOrId)?.id
    )
  }

  hasStack = (organization: string, seed: NamedRecord) =>
    [seed.id, seed.name].some(text => text !== undefined && this.stack(organization, text) !== undefined)

  hasProject = (organization: string, seed: NamedRecord) =>
    [seed.id, seed.name].some(text => text !== undefined && this.project(organization, text) !== undefined)

  hasWorkspace = (organization: string, seed: NamedRecord) =>
    [seed.id, seed.name].some(text => text !== undefined && this.workspace(organization, text) !== undefined)

  addProject({ organization, id, name }: ProjectRecord): void {
    this.#added.set(`${organization}/project-id/${id}`, id)
    this.#added.set(`${organization}/project/${name.toLowerCase()}`, id)
  }

  addStack({ organization, id, name }: StackRecord): void {
    this.#added.set(`${organization}/stack-id/${id}`, id)
    this.#added.set(`${organization}/stack/${name}`, id)
  }

  addWorkspace({ organization, id, name }: WorkspaceRecord): void {
    this.#added.set(`${organization}/workspace-id/${id}`, id)
    this.#added.set(`${organization}/workspace/${name}`, id)
  }
}
