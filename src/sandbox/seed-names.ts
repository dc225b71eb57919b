import { nameKey, type ServiceDirectory } from './directory.ts'
import type { AssignmentKind, PlaceRecord } from './records.ts'
import type { PlaceSeed, SandboxSeed } from './seed.ts'

/** Names and ids while a seed is read: those of the state, and those that the seed has added so far. */
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

  /** The default organization: the only one of the seed, otherwise the only one of the state. */
  only(): string | undefined {
    this.#only ??= { name: this.#onlyOne() }
    return this.#only.name
  }

  #onlyOne(): string | undefined {
    const mentioned = [...this.organizations()]
    const names = mentioned.length > 0 ? mentioned : [...this.#directory.organizations.keys()]
    return names.length === 1 ? names[0] : undefined
  }

  /** The id of a place given by id or name. */
  idOf(kind: AssignmentKind, organization: string, nameOrId: string): string | undefined {
    if (this.#directory[kind].get(nameOrId)?.organization === organization) return nameOrId
    return (
      this.#added.get(`${organization}/${kind}-id/${nameOrId}`) ??
      this.#added.get(`${organization}/${nameKey(kind, nameOrId)}`) ??
      this.#directory.named(kind, organization, nameOrId)?.id
    )
  }

  has(kind: AssignmentKind, organization: string, { id, name }: PlaceSeed): boolean {
    return [id, name].some(text => text !== undefined && this.idOf(kind, organization, text) !== undefined)
  }

  add(kind: AssignmentKind, { organization, id, name }: PlaceRecord): void {
    this.#added.set(`${organization}/${kind}-id/${id}`, id)
    this.#added.set(`${organization}/${nameKey(kind, name)}`, id)
  }
}
