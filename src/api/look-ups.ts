import { compareText } from '../model/diagnostic.ts'
import type { ProjectId, TargetIds, TargetKind } from '../model/ids.ts'
import type { Directory, DirectoryEntry, FailedLookUp, Wanted } from '../model/variable-set.ts'
import type { TargetEntry } from './decode-target.ts'
import type { Query } from './encode.ts'
import { isStatus, unlessUnreadable } from './errors.ts'
import { mapBounded, type ReadPage, readFirstPage, readPages, untilConsistent } from './pages.ts'
import type { Reader } from './reader.ts'

/** Asks the service, once for each thing in a run, and keeps what it told. */
export interface LookUps {
  /** Whether some of it was not asked before. What the service does not show this token stays unknown, and is no failure. */
  readonly ask: (wanted: Wanted) => Promise<boolean>
  readonly told: () => Directory
}

/**
 * Asks the service until a pure function of what it told needs nothing more. `needs` is in the order in which it is asked: of what is new,
 * only the first is, because the answer may make the rest unnecessary.
 */
export async function settled<T extends { readonly needs: readonly Wanted[] }>(
  lookUps: LookUps,
  of: (told: Directory) => T,
): Promise<T> {
  for (;;) {
    const made = of(lookUps.told())
    if (!(await askFirst(lookUps, made.needs))) return made
  }
}

async function askFirst(lookUps: LookUps, needs: readonly Wanted[]): Promise<boolean> {
  for (const wanted of needs) if (await lookUps.ask(wanted)) return true
  return false
}

/** What was told before, as in a snapshot. */
export const lookUpsOf = (directory: Directory): LookUps => ({
  ask: async () => false,
  told: () => directory,
})

/** The interface has none of these look-ups (docs/service.md 12.3), so a service may lack any of them. */
export function createLookUps(reader: Reader, organization: string): LookUps {
  const workspaces = new KindLookUps('workspaces', reader, organization)
  const projects = new KindLookUps('projects', reader, organization)
  const stacks = new KindLookUps('stacks', reader, organization)
  const kinds = { workspaces, projects, stacks }
  return {
    ask: async ({ names = {}, ids = {}, membersOf = [], all = [] }) => {
      const wanted = (kind: TargetKind) => ({ names: names[kind] ?? [], all: all.includes(kind) })
      const asked = await Promise.all([
        workspaces.ask({ ...wanted('workspaces'), ids: ids.workspaces ?? [], membersOf }),
        projects.ask({ ...wanted('projects'), ids: ids.projects ?? [] }),
        stacks.ask({ ...wanted('stacks'), ids: ids.stacks ?? [] }),
      ])
      return asked.includes(true)
    },
    told: () => {
      const list = Object.values(kinds)
      return {
        workspaces: workspaces.entries(),
        projects: projects.entries(),
        ...(stacks.isTold && { stacks: stacks.entries() }),
        whole: list.flatMap(({ kind, isWhole }) => (isWhole ? kind : [])),
        membersOf: workspaces.membersOf(),
        hidden: list.flatMap(({ kind, isHidden }) => (isHidden ? kind : [])),
        failed: list.flatMap(({ failed }) => failed),
      }
    },
  }
}

interface WantedOfKind<Id> {
  readonly names: readonly string[]
  readonly ids: readonly Id[]
  readonly membersOf?: readonly ProjectId[]
  readonly all: boolean
}

const AT_ONCE = 8
/** With more requests for single things, the list is read, by hundreds. */
const MOST_READS = 40
/** So that a request with many names stays shorter than any proxy allows. */
const MOST_NAMES = 40

/** Whether the service told anything. */
type Read = () => Promise<boolean>

/** The look-ups of one kind. For several, the first page of the list is read before, because it is the whole list of most organizations. */
class KindLookUps<K extends TargetKind> {
  readonly kind: K
  isWhole = false
  /** The service tells this token nothing of the kind. */
  isHidden = false
  readonly #reader: Reader
  readonly #organization: string
  readonly #entries = new Map<string, TargetEntry<TargetIds[K]>>()
  readonly #names = new Set<string>()
  /** Ids and names that the service does not show. */
  readonly #absent = new Set<string>()
  readonly #membersOf = new Set<ProjectId>()
  /** Projects whose workspaces were asked for; a service may tell others. */
  readonly #askedMembersOf = new Set<ProjectId>()
  readonly failed: FailedLookUp[] = []
  #requests = 0
  /** The service lists the kind. */
  #isListed = false
  #last: Promise<unknown> = Promise.resolve()

  constructor(kind: K, reader: Reader, organization: string) {
    this.kind = kind
    this.#reader = reader
    this.#organization = organization
  }

  get isTold(): boolean {
    return this.isWhole || this.#entries.size > 0
  }

  /** Sorted by name. */
  entries(): readonly DirectoryEntry<TargetIds[K]>[] {
    return [...this.#entries.values()]
      .map(({ id, name, project }) => ({ name, id, ...(project !== undefined && { project }) }))
      .sort((a, b) => compareText(a.name, b.name) || compareText(a.id, b.id))
  }

  membersOf(): readonly ProjectId[] {
    return [...this.#membersOf].sort(compareText)
  }

  /** One after the other, so that nothing is asked twice. Whether anything was asked. */
  ask(wanted: WantedOfKind<TargetIds[K]>): Promise<boolean> {
    const asked = this.#last.then(async () => {
      const before = this.#requests
      await this.#ask(wanted)
      return this.#requests > before
    })
    this.#last = asked.catch(() => {})
    return asked
  }

  async #ask(wanted: WantedOfKind<TargetIds[K]>): Promise<void> {
    if (wanted.all || this.#unknown(wanted.names, this.#names).some(name => this.#isOnlyListed(name)))
      return await this.#readList()
    if (this.#reads(wanted).length > 1) await this.#readFirst()
    const reads = this.#reads(wanted)
    if (reads.length > MOST_READS) return await this.#readList()
    const told = await mapBounded(reads, AT_ONCE, read => read())
    // A 404 means that it does not exist, or that the service has no such look-up. The list tells the two apart.
    if (told.length > 0 && !told.includes(true)) await this.#readFirst()
  }

  /** What was not told yet, and may be. */
  #unknown<T extends string>(texts: readonly T[], told: { readonly has: (text: T) => boolean }): T[] {
    if (this.isWhole || this.isHidden) return []
    return [...new Set(texts)].filter(text => !told.has(text) && !this.#absent.has(text))
  }

  /** Stacks have no look-up by name. A name that would have a meaning in a path or a filter is only in the list. */
  #isOnlyListed(name: string): boolean {
    return this.kind === 'stacks' || /^\.{0,2}$|[/,]/.test(name)
  }

  /** What is still unknown, each thing with a request of its own; the names of projects together. */
  #reads({ names, ids, membersOf = [] }: WantedOfKind<TargetIds[K]>): readonly Read[] {
    return [
      ...this.#namesAtOnce(this.#unknown(names, this.#names)).map(
        some => async () => this.#absentUnless(some, await this.#named(some)),
      ),
      ...this.#unknown(ids, this.#entries).map(id => async () => {
        const entry = await this.#readable(this.#reader.showTarget(this.kind, id), [id])
        return this.#absentUnless([id], entry && [entry])
      }),
      ...this.#unknown(membersOf, this.#askedMembersOf).map(project => () => this.#readMembers(project)),
    ]
  }

  #namesAtOnce(names: readonly string[]): readonly (readonly string[])[] {
    const most = this.kind === 'workspaces' ? 1 : MOST_NAMES
    return Array.from({ length: Math.ceil(names.length / most) }, (_, at) =>
      names.slice(at * most, (at + 1) * most),
    )
  }

  async #named(names: readonly string[]): Promise<readonly TargetEntry<TargetIds[K]>[] | undefined> {
    const [name = ''] = names
    if (this.kind !== 'workspaces') return await this.#listed({ 'filter[names]': names.join() }, names)
    const entry = await this.#readable(this.#reader.showNamed(this.kind, this.#organization, name), [name])
    return entry && [entry]
  }

  /** Whether the service tells of the kind. */
  #absentUnless(
    asked: readonly string[],
    entries: readonly TargetEntry<TargetIds[K]>[] | undefined,
  ): boolean {
    this.#keep(entries ?? [])
    for (const one of asked) if (!this.#entries.has(one) && !this.#names.has(one)) this.#absent.add(one)
    return entries !== undefined
  }

  /** A service that ignores the filter tells other workspaces too: each entry names its own project. */
  async #readMembers(project: ProjectId): Promise<boolean> {
    this.#askedMembersOf.add(project)
    const entries = await this.#listed({ 'filter[project][id]': project }, [project])
    this.#keep(entries ?? [])
    if (entries?.every(one => one.project !== undefined)) this.#membersOf.add(project)
    return entries !== undefined
  }

  /** The entries of the first page, and whether the service lists the kind at all. */
  async #readFirst(): Promise<void> {
    if (this.#isListed || this.isWhole || this.isHidden) return
    const first = (await this.#readable(readFirstPage(this.#page({}))))?.first
    this.#isListed = first !== undefined
    this.isHidden = first === undefined
    this.isWhole = first !== undefined && first.entries.length === first.totalCount
    this.#keep(first?.entries ?? [])
  }

  async #readList(): Promise<void> {
    if (this.isWhole || this.isHidden) return
    const entries = await this.#listed({})
    this.isWhole = entries !== undefined
    this.isHidden = entries === undefined
    this.#keep(entries ?? [])
  }

  #page(filter: Query): ReadPage<TargetEntry<TargetIds[K]>> {
    return page => this.#reader.listTargetsPage(this.kind, this.#organization, page, filter)
  }

  async #listed(
    filter: Query,
    about?: readonly string[],
  ): Promise<readonly TargetEntry<TargetIds[K]>[] | undefined> {
    const list = untilConsistent(() => readPages(this.#page(filter), ({ id }): string => id))
    return (await this.#readable(list, about))?.entries
  }

  /** `undefined` costs names and never the plan. `about`: the names or ids that are asked for. */
  #readable<T>(
    reading: Promise<T>,
    about: readonly (string | undefined)[] = [undefined],
  ): Promise<T | undefined> {
    this.#requests++
    return unlessUnreadable(reading, why => {
      if (isStatus(why, 403, 404)) return
      const sentence = why.message.replace(/[^.]$/, '$&.')
      for (const what of about) this.failed.push({ kind: this.kind, what, why: sentence })
    })
  }

  #keep(entries: readonly TargetEntry<TargetIds[K]>[]): void {
    for (const entry of entries) {
      const { organization = this.#organization } = entry
      if (organization.toLowerCase() !== this.#organization.toLowerCase()) continue
      this.#entries.set(entry.id, entry)
      this.#names.add(entry.name)
    }
  }
}
