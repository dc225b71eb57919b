import { type AssignmentKind, byKind, KINDS, type OrganizationRecord, type PlaceRecord } from './records.ts'

/** Organizations, and the places that sets can be assigned to, by id and by name. */
export class ServiceDirectory {
  readonly organizations = new Map<string, OrganizationRecord>()
  readonly places = byKind(() => new Map<string, PlaceRecord>())
  readonly #members = new Multimap()
  readonly #named = new Multimap()

  get(kind: AssignmentKind, id: string): PlaceRecord | undefined {
    return this.places[kind].get(id)
  }

  idsOf(organization: string, kind: AssignmentKind): ReadonlySet<string> {
    return this.#members.of(within(organization, kind))
  }

  named(kind: AssignmentKind, organization: string, name: string): PlaceRecord | undefined {
    const [id] = this.#named.of(within(organization, nameKey(kind, name)))
    return id === undefined ? undefined : this.get(kind, id)
  }

  workspacesIn(project: string): ReadonlySet<string> {
    return this.#members.of(project)
  }

  put(kind: AssignmentKind, place: PlaceRecord): void {
    this.remove(kind, place.id)
    this.places[kind].set(place.id, place)
    for (const [index, key] of this.#keysOf(kind, place)) index.add(key, place.id)
  }

  remove(kind: AssignmentKind, id: string): void {
    const place = this.get(kind, id)
    if (place === undefined) return
    this.places[kind].delete(id)
    for (const [index, key] of this.#keysOf(kind, place)) index.remove(key, id)
  }

  clear(): void {
    const places = KINDS.map(kind => this.places[kind])
    for (const kept of [this.organizations, ...places, this.#members, this.#named]) kept.clear()
  }

  #keysOf(kind: AssignmentKind, place: PlaceRecord): (readonly [Multimap, string])[] {
    const project = kind === 'workspaces' ? place.project : undefined
    return [
      [this.#members, within(place.organization, kind)],
      [this.#named, within(place.organization, nameKey(kind, place.name))],
      ...(project === undefined ? [] : [[this.#members, project] as const]),
    ]
  }
}

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
