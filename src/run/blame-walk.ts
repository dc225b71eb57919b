import { posix } from 'node:path'
import { readPastSetFile, type SetFile } from '../config/set-file.ts'
import type { CommitPair, History, PastCommit } from '../git/commits.ts'
import { itemAt, valueAt } from '../model/lists.ts'
import type { ValueLine } from '../plan/effective/explanation.ts'
import {
  type AskedLine,
  type Changes,
  isElsewhere,
  mayHold,
  type Standing,
  standingBefore,
  type VersionOf,
} from './blame-standing.ts'

/** Follows lines back from a commit until each has its answer, by their current places. */
export async function traceBack(
  history: History,
  versions: Versions,
  commit: string,
  standings: readonly Standing[],
): Promise<ReadonlyMap<AskedLine, ValueLine>> {
  const walk = new BlameWalk(history, versions)
  let next: ReadonlyMap<string, readonly Standing[]> = new Map([[commit, standings]])
  while (next.size > 0) {
    const stopped: Stopped[] = []
    for (const [tip, there] of next) stopped.push(...(await walk.from(tip, there)))
    next = await walk.beyond(stopped)
  }
  return walk.answers
}

class BlameWalk {
  readonly answers = new Map<AskedLine, ValueLine>()
  readonly #history: History
  readonly #versions: Versions

  constructor(history: History, versions: Versions) {
    this.#history = history
    this.#versions = versions
  }

  /** Walks the commits that touched the directories of these lines, because most files move within them. Returns where each line stopped. */
  async from(tip: string, standings: readonly Standing[]): Promise<Stopped[]> {
    const paths = [...new Set(standings.map(({ path }) => (path.includes('/') ? posix.dirname(path) : path)))]
    const commits = standings.length === 0 ? [] : await this.#history.touching(tip, paths)
    const changes = await this.#changesOf(commits, paths)
    const ofLines = new Set(standings.flatMap(({ kind, path }) => (kind === 'line' ? path : [])))
    const neededFor = (one: Changes): string[] =>
      versionsIn([...one.values()].filter(({ path }) => ofLines.has(path)))
    const ahead = (): string[] => [...changes.values()].flatMap(neededFor)
    const [first] = commits
    const open = new Map<string, Standing[]>(first === undefined ? [] : [[first.id, [...standings]]])
    const stopped: Stopped[] = []
    for (const commit of commits) {
      if (open.size === 0) break
      const here = open.get(commit.id)
      if (here === undefined) continue
      open.delete(commit.id)
      const parents = commit.parents.map(one => [one, changes.get(`${commit.id} ${one}`) ?? NONE] as const)
      for (const [, one] of parents) await this.#load(here, one, neededFor(one), ahead)
      const { moved, ended } = this.#step(here, parents)
      stopped.push(...ended.map(standing => ({ commit, standing })))
      for (const [parent, older] of moved) {
        into(open, parent).push(older)
        if (older.kind === 'line') ofLines.add(older.path)
      }
    }
    return stopped
  }

  /** What each commit changed in these paths, by its id and that of the parent. */
  async #changesOf(
    commits: readonly PastCommit[],
    paths: readonly string[],
  ): Promise<ReadonlyMap<string, Changes>> {
    const pairs = commits.flatMap(({ id, parents }) => parents.map((parent): CommitPair => [id, parent]))
    const lists = await this.#history.differences(pairs, paths)
    return new Map(
      pairs.map((pair, at) => [pair.join(' '), new Map(lists[at]?.map(change => [change.path, change]))]),
    )
  }

  /** The lines that a parent has already, and those that none has. */
  #step(standings: readonly Standing[], parents: readonly (readonly [parent: string, Changes])[]) {
    const moved: (readonly [parent: string, Standing])[] = []
    const ended: Standing[] = []
    for (const standing of standings) {
      const older = this.#older(standing, parents)
      if (older === undefined) ended.push(standing)
      else moved.push(older)
    }
    return { moved, ended }
  }

  /** The versions that contain the previous places of these lines. */
  async #load(
    standings: readonly Standing[],
    changes: Changes,
    wanted: readonly string[],
    ahead?: () => readonly string[],
  ): Promise<void> {
    await this.#versions.load(wanted, ahead)
    const moved = standings.find(one => isElsewhere(one, changes, this.#versions.of))
    if (moved !== undefined)
      await this.#versions.load(
        versionsIn([...changes.values()].filter(({ path }) => mayHold(moved.path, path))),
      )
  }

  /** The first parent that has the value already. */
  #older(
    standing: Standing,
    parents: readonly (readonly [parent: string, Changes])[],
  ): readonly [parent: string, Standing] | undefined {
    for (const [parent, changes] of parents) {
      const older = standingBefore(standing, changes, this.#versions.of)
      if (older !== undefined) return [parent, older]
    }
    return undefined
  }

  /**
   * Checks everything that the commits changed: a line may come from a path or a parent that the walk left out. Answers for
   * lines that began there, and returns the others by the commit to continue from.
   */
  async beyond(stopped: readonly Stopped[]): Promise<Map<string, Standing[]>> {
    const ids = [...new Set(stopped.map(({ commit }) => commit.id))]
    const parentsOf = await this.#history.parentsOf(ids)
    const pairs = ids.flatMap(id => (parentsOf.get(id)?.parents ?? []).map((one): CommitPair => [id, one]))
    const differences = await this.#history.differences(pairs)
    const changesOf = new Map<string, (readonly [parent: string, Changes])[]>(ids.map(id => [id, []]))
    for (const [at, [id, parent]] of pairs.entries())
      valueAt(changesOf, id).push([parent, new Map(itemAt(differences, at).map(one => [one.path, one]))])
    const next = new Map<string, Standing[]>()
    for (const { commit, standing } of stopped) {
      const parents = valueAt(changesOf, commit.id)
      for (const [, changes] of parents)
        await this.#load([standing], changes, versionsIn([changes.get(standing.path) ?? {}]))
      const [parent, older] = this.#older(standing, parents) ?? []
      if (parent !== undefined && older !== undefined) into(next, parent).push(older)
      else this.#settle(standing, commit, parentsOf.get(commit.id)?.whole !== false)
    }
    return next
  }

  #settle({ now }: Standing, { id, author, email, date }: PastCommit, isWhole: boolean): void {
    const shown = { author: author.slice(0, LONGEST), email: email.slice(0, LONGEST), date }
    const answer = isWhole
      ? { ...now, state: 'committed' as const, commit: id, ...shown }
      : { ...now, state: 'cut' as const }
    this.answers.set(now, answer)
  }
}

/** The newest commit at which the walk found no older one with the same value. */
interface Stopped {
  readonly commit: PastCommit
  readonly standing: Standing
}

/** The list of a commit, created if there is none. */
function into(lists: Map<string, Standing[]>, commit: string): Standing[] {
  const list = lists.get(commit) ?? []
  lists.set(commit, list)
  return list
}

const NONE: Changes = new Map()
const LONGEST = 200

function versionsIn(changes: Iterable<{ readonly before?: string; readonly after?: string }>): string[] {
  return [...changes].flatMap(({ before, after }) => [before, after].filter(id => id !== undefined))
}

/** Versions of set files by the ids of their content: each is read and parsed once. */
export class Versions {
  readonly #history: History
  readonly #most: number
  readonly #read = new Map<string, SetFile | undefined>()

  /** A larger version counts as one that cannot be read. */
  constructor(history: History, mostBytes: number) {
    this.#history = history
    this.#most = mostBytes
  }

  /** A version that was loaded. */
  readonly of: VersionOf = object => this.#read.get(object)

  /** If one of these is missing, also reads some of those that are likely to be needed next. */
  async load(wanted: readonly string[], ahead: () => readonly string[] = () => []): Promise<void> {
    const missing = [...new Set(wanted)].filter(id => !this.#read.has(id))
    const [first] = missing
    if (first === undefined) return
    const known = ahead()
    const after = known.slice(known.indexOf(first) + 1).filter(id => !this.#read.has(id))
    const ids = [...new Set([...missing, ...after.slice(0, AT_ONCE)])]
    for (let at = 0; at < ids.length; at += AT_ONCE)
      for (const [id, bytes] of await this.#history.blobs(ids.slice(at, at + AT_ONCE), this.#most)) {
        if (bytes === undefined) throw new Error('this clone lacks versions of files')
        this.#read.set(id, bytes.length > this.#most ? undefined : readPastSetFile(bytes))
      }
  }
}

const AT_ONCE = 50
