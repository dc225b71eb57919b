import type {
  AssignmentKind,
  OrganizationRecord,
  PlaceRecord,
  PlaceRecords,
  WorkspaceRecord,
} from './records.ts'

type Places = { readonly [Kind in AssignmentKind]: Map<string, PlaceRecords[Kind]> }

/** Organizations, projects, workspaces and Stacks, by id and by name. */
export class ServiceDirectory {
  readonly organizations = new Map<string, OrganizationRecord>()
  readonly projects = new Map<string, PlaceRecords['projects']>()
  readonly workspaces = new Map<string, PlaceRecords['workspaces']>()
  readonly stacks = new Map<string, PlaceRecords['stacks']>()

  readonly #members = new Multimap()
  readonly #named = new Multimap()

  idsOf(organization: string, kind: AssignmentKind): ReadonlySet<string> {
    return this.#members.of(within(organization, kind))
  }

  named<Kind extends AssignmentKind>(
    kind: Kind,
    organization: string,
    name: string,
  ): PlaceRecords[Kind] | undefined {
    const [id] = this.#named.of(within(organization, nameKey(kind, name)))
    return id === undefined ? undefined : placesOf(this, kind).get(id)
  }

  workspacesIn(project: string): ReadonlySet<string> {
    return this.#members.of(project)
  }

  put<Kind extends AssignmentKind>(kind: Kind, place: PlaceRecords[Kind]): void {
    this.remove(kind, place.id)
    placesOf(this, kind).set(place.id, place)
    for (const [index, key] of this.#keysOf(kind, place)) index.add(key, place.id)
  }

  remove(kind: AssignmentKind, id: string): void {
    const place = placesOf(this, kind).get(id)
    if (place === undefined) return
    placesOf(this, kind).delete(id)
    for (const [index, key] of this.#keysOf(kind, place)) index.remove(key, id)
  }

  clear(): void {
    for (const map of [this.organizations, this.projects, this.workspaces, this.stacks]) map.clear()
    this.#members.clear()
    this.#named.clear()
  }

  *#keysOf(kind: AssignmentKind, place: WorkspaceRecord | PlaceRecord): Generator<[Multimap, string]> {
    yield [this.#members, within(place.organization, kind)]
    yield [this.#named, within(place.organization, nameKey(kind, place.name))]
    if (kind === 'workspaces' && 'project' in place && place.project !== undefined) {
      yield [this.#members, place.project]
    }
  }
}

const placesOf = <Kind extends AssignmentKind>(all: Places, kind: Kind): Places[Kind] => all[kind]

/** Project names are unique regardless of case (docs/service.md 12.3). */
export const nameKey = (kind: AssignmentKind, name: string) =>
  `${kind} ${kind === 'projects' ? name.toLowerCase() : name}`

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
