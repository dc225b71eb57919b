import {
  type AssignmentKind,
  KINDS,
  type OrganizationRecord,
  type PlaceRecord,
  type PlaceRecords,
  type WorkspaceRecord,
} from './records.ts'

type PlaceMaps = { readonly [Kind in AssignmentKind]: Map<string, PlaceRecords[Kind]> }

/** Organizations, projects, workspaces and Stacks, by id and by name. */
export class ServiceDirectory implements PlaceMaps {
  readonly organizations = new Map<string, OrganizationRecord>()
  readonly projects = new Map<string, PlaceRecords['projects']>()
  readonly workspaces = new Map<string, PlaceRecords['workspaces']>()
  readonly stacks = new Map<string, PlaceRecords['stacks']>()

  readonly #members = new Multimap()
  readonly #named = new Multimap()

  get<Kind extends AssignmentKind>(kind: Kind, id: string): PlaceRecords[Kind] | undefined {
    return placesOf(this, kind).get(id)
  }

  idsOf(organization: string, kind: AssignmentKind): ReadonlySet<string> {
    return this.#members.of(within(organization, kind))
  }

  named<Kind extends AssignmentKind>(
    kind: Kind,
    organization: string,
    name: string,
  ): PlaceRecords[Kind] | undefined {
    const [id] = this.#named.of(within(organization, nameKey(kind, name)))
    return id === undefined ? undefined : this.get(kind, id)
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
    const place = this.get(kind, id)
    if (place === undefined) return
    this[kind].delete(id)
    for (const [index, key] of this.#keysOf(kind, place)) index.remove(key, id)
  }

  clear(): void {
    for (const kept of [this.organizations, ...KINDS.map(kind => this[kind]), this.#members, this.#named]) {
      kept.clear()
    }
  }

  #keysOf(kind: AssignmentKind, place: WorkspaceRecord | PlaceRecord): (readonly [Multimap, string])[] {
    const project = kind === 'workspaces' && 'project' in place ? place.project : undefined
    return [
      [this.#members, within(place.organization, kind)],
      [this.#named, within(place.organization, nameKey(kind, place.name))],
      ...(project === undefined ? [] : [[this.#members, project] as const]),
    ]
  }
}

const placesOf = <Kind extends AssignmentKind>(all: PlaceMaps, kind: Kind): PlaceMaps[Kind] => all[kind]

/** Project names are unique regardless of case (docs/service.md 12.3). */
const nameKey = (kind: AssignmentKind, name: string) =>
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
