import { idFrom, versionFrom } from './clock-and-chance.ts'
import type {
  AssignmentKind,
  KeptAttributes,
  PlaceRecord,
  SetRecord,
  StoreChange,
  VariableRecord,
  WorkspaceRecord,
} from './records.ts'
import {
  type PlaceSeed,
  type ProjectSeed,
  type SandboxSeed,
  SeedError,
  type SetSeed,
  type StackSeed,
  type VariableSeed,
  type WorkspaceSeed,
} from './seed.ts'
import { SeedNames } from './seed-names.ts'
import { checkSeed } from './seed-shape.ts'
import type { Store } from './store.ts'

const PREFIX = { projects: 'prj', workspaces: 'ws', stacks: 'st' } as const

/** The changes that add to the state what the seed names and the state does not have. Throws SeedError. */
export function changesOfSeed(value: unknown, store: Store, at: string): StoreChange[] {
  return new SeedReader(checkSeed(value), store, at).changes()
}

class SeedReader {
  readonly #seed: SandboxSeed
  readonly #store: Store
  readonly #at: string
  readonly #names: SeedNames
  readonly #changes: StoreChange[] = []
  readonly #problems: string[] = []
  /** Ids that the seed itself names come first, wherever they stand in it. */
  readonly #given: Set<string>

  constructor(seed: SandboxSeed, store: Store, at: string) {
    this.#seed = seed
    this.#store = store
    this.#at = at
    this.#names = new SeedNames(seed, store.directory)
    const { projects = [], workspaces = [], stacks = [], sets = [] } = seed
    this.#given = new Set(
      [projects, workspaces, stacks, sets].flatMap(list => list.flatMap(({ id }) => id ?? [])),
    )
  }

  changes(): StoreChange[] {
    const { projects, workspaces, stacks, sets, tokens } = this.#seed
    for (const name of this.#names.organizations()) this.#organization(name)
    for (const [index, project] of (projects ?? []).entries()) this.#project(project, `projects[${index}]`)
    for (const [index, workspace] of (workspaces ?? []).entries()) {
      this.#workspace(workspace, `workspaces[${index}]`)
    }
    for (const [index, stack] of (stacks ?? []).entries()) this.#stack(stack, `stacks[${index}]`)
    for (const [index, set] of (sets ?? []).entries()) this.#set(set, `sets[${index}]`)
    for (const token of tokens ?? []) {
      if (!this.#store.tokens.has(token.token)) this.#changes.push({ type: 'put-token', token })
    }
    if (this.#problems.length > 0) throw new SeedError(this.#problems)
    return this.#changes
  }

  #organization(name: string): void {
    if (this.#store.directory.organizations.has(name)) return
    const seed = this.#seed.organizations?.find(organization => organization.name === name)
    const organization = { name, email: seed?.email ?? '', ...keptOf(seed), createdAt: this.#at }
    this.#changes.push({ type: 'put-organization', organization })
  }

  #project(seed: ProjectSeed, place: string): void {
    const project = this.#newPlace('projects', seed, place)
    if (project !== undefined) this.#changes.push({ type: 'put-project', project })
  }

  #workspace(seed: WorkspaceSeed, place: string): void {
    const common = this.#newPlace('workspaces', seed, place)
    if (common === undefined) return
    const project = this.#projectOf(seed.project, common.organization, `${place}.project`)
    const workspace: WorkspaceRecord = {
      ...common,
      executionMode: seed.executionMode ?? 'remote',
      ...(project === undefined ? {} : { project }),
      updatedAt: this.#at,
    }
    this.#changes.push({ type: 'put-workspace', workspace })
    this.#variables(workspace.id, seed.variables ?? [])
  }

  #stack(seed: StackSeed, place: string): void {
    const common = this.#newPlace('stacks', seed, place)
    if (common === undefined) return
    const project = this.#projectOf(seed.project, common.organization, `${place}.project`) ?? ''
    this.#changes.push({ type: 'put-stack', stack: { ...common, project, updatedAt: this.#at } })
  }

  /** What every kind of place has; undefined where it is there already or cannot be made. */
  #newPlace(kind: AssignmentKind, seed: PlaceSeed, place: string): PlaceRecord | undefined {
    const organization = this.#organizationOf(seed, place)
    const name = seed.name ?? seed.id
    if (name === undefined) this.#problems.push(`${place}: needs a name or an id`)
    if (organization === undefined || name === undefined) return undefined
    if (this.#names.has(kind, organization, seed)) return undefined
    const record: PlaceRecord = {
      id:
        seed.id ??
        this.#newId(PREFIX[kind], copy => `${organization}/${name}${copy === 0 ? '' : `/${copy}`}`),
      organization,
      name,
      description: seed.description ?? '',
      ...keptOf(seed),
      createdAt: this.#at,
    }
    this.#names.add(kind, record)
    return record
  }

  #projectOf(nameOrId: string | undefined, organization: string, place: string): string | undefined {
    if (nameOrId === undefined) return undefined
    const id = this.#names.idOf('projects', organization, nameOrId)
    if (id === undefined) this.#problems.push(`${place}: there is no project "${nameOrId}"`)
    return id
  }

  #set(seed: SetSeed, place: string): void {
    const organization = this.#organizationOf(seed, place)
    if (organization === undefined) return
    if (seed.id === undefined && this.#store.setsNamed(organization, seed.name).size > 0) return
    if (seed.id !== undefined && this.#store.sets.has(seed.id)) return
    // Equal names are allowed in a seed, so the id also depends on how often the name was there.
    const id = seed.id ?? this.#newId('varset', copy => `${organization}/${seed.name}/${copy}`)
    this.#given.add(id)
    const ownerProject = this.#projectOf(seed.parent, organization, `${place}.parent`)
    const set: SetRecord = {
      id,
      organization,
      name: seed.name,
      description: seed.description ?? '',
      global: seed.global ?? false,
      priority: seed.priority ?? false,
      ...(ownerProject === undefined ? {} : { ownerProject }),
      workspaces: this.#targets(seed.workspaces ?? [], 'workspaces', organization, `${place}.workspaces`),
      projects: this.#targets(seed.projects ?? [], 'projects', organization, `${place}.projects`),
      stacks: this.#targets(seed.stacks ?? [], 'stacks', organization, `${place}.stacks`),
      updatedAt: seed.updatedAt ?? this.#at,
    }
    this.#variables(id, seed.variables ?? [])
    this.#changes.push({ type: 'put-set', set })
  }

  /** An object that was renamed keeps the id that came of its first name. */
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
      const variable: VariableRecord = {
        id: seed.id ?? idFrom('var', source),
        key: seed.key,
        value: seed.value ?? '',
        description: seed.description ?? '',
        category: seed.category,
        hcl: seed.hcl ?? false,
        sensitive: seed.sensitive ?? false,
        createdAt: seed.createdAt ?? this.#at,
        versionId: seed.versionId ?? versionFrom(source),
      }
      this.#changes.push({ type: 'put-variable', owner, variable })
    }
  }

  #targets(names: readonly string[], kind: AssignmentKind, organization: string, place: string): string[] {
    const ids = names.flatMap(name => {
      const id = this.#names.idOf(kind, organization, name)
      if (id === undefined) this.#problems.push(`${place}: there is no ${kind.slice(0, -1)} "${name}"`)
      return id ?? []
    })
    return [...new Set(ids)]
  }

  #organizationOf(seed: { readonly organization?: string }, place: string): string | undefined {
    const organization = seed.organization ?? this.#names.only()
    if (organization === undefined) this.#problems.push(`${place}.organization: is missing`)
    return organization
  }
}

const keptOf = (seed: { readonly attributes?: KeptAttributes } | undefined) =>
  seed?.attributes === undefined ? {} : { kept: seed.attributes }
