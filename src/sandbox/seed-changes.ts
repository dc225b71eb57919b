import { idFrom, versionFrom } from './clock-and-chance.ts'
import { ServiceDirectory } from './directory.ts'
import {
  type AssignmentKind,
  byKind,
  oneOf,
  type PlaceRecord,
  type SetRecord,
  type StoreChange,
  UNWRITTEN_SET,
  type VariableRecord,
} from './records.ts'
import {
  checkSeed,
  type PlaceSeed,
  type SandboxSeed,
  SeedError,
  type SetSeed,
  type VariableSeed,
} from './seed.ts'
import type { Store } from './store.ts'
import { UNWRITTEN } from './variable-rules.ts'

const PREFIX = { projects: 'prj', workspaces: 'ws', stacks: 'st' } as const

/** The changes that add to the state what the seed names and the state does not have. Throws SeedError. */
export function changesOfSeed(value: unknown, store: Store, at: string): StoreChange[] {
  return new SeedReader(checkSeed(value), store, at).changes()
}

class SeedReader {
  readonly #seed: SandboxSeed
  readonly #store: Store
  readonly #at: string
  /** The places that the seed has added so far. */
  readonly #added = new ServiceDirectory()
  readonly #changes: StoreChange[] = []
  readonly #problems: string[] = []
  /** Every organization that the seed mentions. */
  readonly #organizations: ReadonlySet<string>
  /** The default organization: the only one of the seed, otherwise the only one of the state. */
  readonly #only: string | undefined
  /** Ids that the seed itself names come first, at any position. */
  readonly #given: Set<string>

  constructor(seed: SandboxSeed, store: Store, at: string) {
    this.#seed = seed
    this.#store = store
    this.#at = at
    const { organizations = [], projects = [], workspaces = [], stacks = [], sets = [] } = seed
    const all = [...projects, ...workspaces, ...stacks, ...sets]
    this.#given = new Set(all.flatMap(({ id }) => id ?? []))
    const mentioned = all.flatMap(({ organization }) => organization ?? [])
    this.#organizations = new Set([...organizations.map(({ name }) => name), ...mentioned])
    const known = this.#organizations.size > 0 ? this.#organizations : store.directory.organizations.keys()
    const [only, ...others] = known
    this.#only = others.length === 0 ? only : undefined
  }

  changes(): StoreChange[] {
    const { sets = [], tokens = [] } = this.#seed
    for (const name of this.#organizations) this.#organization(name)
    for (const kind of ['projects', 'workspaces', 'stacks'] as const) {
      for (const [index, seed] of (this.#seed[kind] ?? []).entries()) {
        const id = this.#place(kind, seed, `${kind}[${index}]`)
        if (id !== undefined && kind === 'workspaces')
          this.#variables(id, this.#seed.workspaces?.[index]?.variables ?? [])
      }
    }
    for (const [index, set] of sets.entries()) this.#set(set, `sets[${index}]`)
    for (const token of tokens) {
      if (!this.#store.tokens.has(token.token)) this.#changes.push({ type: 'put-token', token })
    }
    if (this.#problems.length > 0) throw new SeedError(this.#problems)
    return this.#changes
  }

  #organization(name: string): void {
    if (this.#store.directory.organizations.has(name)) return
    const seed = this.#seed.organizations?.find(organization => organization.name === name)
    const { email = '', attributes: kept, createdAt = this.#at } = seed ?? {}
    const organization = { name, email, kept, createdAt }
    this.#changes.push({ type: 'put-organization', organization })
  }

  /** The id of a new place; undefined if it exists or cannot be created. */
  #place(
    kind: AssignmentKind,
    seed: PlaceSeed & Partial<Pick<PlaceRecord, 'project' | 'executionMode'>>,
    path: string,
  ): string | undefined {
    const organization = this.#organizationOf(seed, path)
    const name = seed.name ?? seed.id
    if (name === undefined) this.#problems.push(`${path}: needs a name or an id`)
    if (organization === undefined || name === undefined) return undefined
    const { description = '', attributes, tags, createdAt = this.#at, updatedAt = this.#at } = seed
    const kept = tags === undefined ? attributes : { ...attributes, 'tag-bindings': tags }
    if ([name, seed.id ?? name].some(text => this.#idOf(kind, organization, text))) return undefined
    const source = `${organization}/${name}`
    const id = seed.id ?? this.#newId(PREFIX[kind], copy => (copy === 0 ? source : `${source}/${copy}`))
    const project = this.#projectOf(seed.project, organization, `${path}.project`)
    const { executionMode = 'remote' } = seed
    const own = {
      projects: {},
      workspaces: { project, executionMode, updatedAt },
      stacks: { project, updatedAt },
    }
    const record = { id, organization, name, description, kept, createdAt, ...own[kind] }
    this.#added.put(kind, record)
    this.#changes.push({ type: 'put-place', kind, place: record })
    return id
  }

  /** The id of a place given by id or name. */
  #idOf(kind: AssignmentKind, organization: string, nameOrId: string): string | undefined {
    const { directory } = this.#store
    const has = (places: ServiceDirectory) => places.get(kind, nameOrId)?.organization === organization
    if (has(directory) || has(this.#added)) return nameOrId
    const named = this.#added.named(kind, organization, nameOrId)
    return (named ?? directory.named(kind, organization, nameOrId))?.id
  }

  #projectOf(nameOrId: string | undefined, organization: string, path: string): string | undefined {
    return nameOrId === undefined ? undefined : this.#targets('projects', [nameOrId], organization, path)[0]
  }

  #set({ parent, variables = [], ...seed }: SetSeed, path: string): void {
    const organization = this.#organizationOf(seed, path)
    if (organization === undefined) return
    const { sets } = this.#store
    const isThere =
      seed.id === undefined ? this.#store.setsNamed(organization, seed.name).size > 0 : sets.has(seed.id)
    if (isThere) return
    // Equal names are allowed in a seed, so the id also depends on how often the name was there.
    const id = seed.id ?? this.#newId('varset', copy => `${organization}/${seed.name}/${copy}`)
    this.#given.add(id)
    const set = withDefaults<SetRecord>(
      { ...UNWRITTEN_SET, id, organization, ...byKind(() => []), updatedAt: this.#at },
      {
        ...seed,
        ownerProject: this.#projectOf(parent, organization, `${path}.parent`),
        ...byKind(kind => this.#targets(kind, seed[kind] ?? [], organization, `${path}.${kind}`)),
      },
    )
    this.#variables(id, variables)
    this.#changes.push({ type: 'put-set', set })
  }

  /** A renamed object keeps the id of its first name. */
  #newId(prefix: string, sourceOf: (copy: number) => string): string {
    for (let copy = 0; ; copy += 1) {
      const id = idFrom(prefix, sourceOf(copy))
      if (!this.#given.has(id) && !this.#store.isTaken(id)) return id
    }
  }

  /** Before their set, so that they do not move its `updated-at`. */
  #variables(owner: string, seeds: readonly VariableSeed[]): void {
    for (const [index, seed] of seeds.entries()) {
      const source = `${owner}/${seed.category}/${seed.key}/${index}`
      const made = {
        id: seed.id ?? idFrom('var', source),
        createdAt: this.#at,
        versionId: seed.versionId ?? versionFrom(source),
      }
      const variable = withDefaults<VariableRecord>({ ...UNWRITTEN, ...made }, seed)
      this.#changes.push({ type: 'put-variable', owner, variable })
    }
  }

  #targets(kind: AssignmentKind, names: readonly string[], organization: string, path: string): string[] {
    const ids = names.flatMap(name => {
      const id = this.#idOf(kind, organization, name)
      if (id === undefined) this.#problems.push(`${path}: there is no ${oneOf(kind)} "${name}"`)
      return id ?? []
    })
    return [...new Set(ids)]
  }

  #organizationOf(seed: { readonly organization?: string }, path: string): string | undefined {
    const organization = seed.organization ?? this.#only
    if (organization === undefined) this.#problems.push(`${path}.organization: is missing`)
    return organization
  }
}

/** `undefined` counts as not given. */
const withDefaults = <T extends object>(defaults: T, given: Partial<T>): T => ({
  ...defaults,
  ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
})
