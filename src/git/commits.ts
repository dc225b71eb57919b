import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Git } from './git.ts'

/** A commit as it describes itself: anybody can write any name and date. */
export interface PastCommit {
  readonly id: string
  /** The next older commits that touched the same paths. */
  readonly parents: readonly string[]
  readonly author: string
  readonly email: string
  /** When it was written: ISO 8601 with its zone. Absent if the commit has none that makes sense. */
  readonly date?: string
}

/** The objects at a path in a commit and in one of its parents; without an id, there is no file. */
export interface PathChange {
  readonly path: string
  readonly before?: string
  readonly after?: string
}

/** A commit and the older one that it is compared with. */
export type CommitPair = readonly [commit: string, older: string]

/**
 * What the commits of a repository say. Everything is asked with commands that read objects alone: no attribute, filter, mail map or
 * configured order has a say. Rejects with an `Error` if git fails.
 */
export class History {
  readonly #git: Git

  constructor(git: Git) {
    this.#git = git
  }

  /** The commit of HEAD; `undefined` before the first one. */
  async head(): Promise<string | undefined> {
    const found = await this.#git.run(['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'])
    if (found.status < 0 || found.error !== '') throw new Error(found.error)
    const commit = found.output.trim()
    return found.status === 0 && OBJECT.test(commit) ? commit : undefined
  }

  /** The ids of the files at these paths of a commit. */
  async objectsAt(commit: string, paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const listed = await this.#output(['ls-tree', '-z', '--full-tree', commit, '--', ...paths])
    return new Map(entriesIn(listed).map(({ path, object }) => [path, object]))
  }

  /** The commits that explain how the files at these paths became what they are in `commit`. Newer commits before older ones. */
  async touching(commit: string, paths: readonly string[]): Promise<PastCommit[]> {
    const form = '--format=%an%x00%ae%x00%aI'
    const order = ['--parents', '--topo-order', '--encoding=UTF-8']
    const listed = await this.#output(['rev-list', ...order, form, commit, '--', ...paths])
    const lines = listed.split('\n')
    const commits: PastCommit[] = []
    // A name cannot contain a line end, so every other line is a commit.
    for (let at = 0; at + 1 < lines.length; at += 2) {
      const [, id = '', ...parents] = lines[at]?.split(' ') ?? []
      const [author = '', email = '', date = ''] = lines[at + 1]?.split('\0') ?? []
      commits.push({ id, parents, author, email, ...(DATE.test(date) && { date }) })
    }
    return commits
  }

  /** How each pair differs; with paths, there alone. A renamed file is one that is gone and one that is new. */
  async differences(pairs: readonly CommitPair[], paths: readonly string[] = []): Promise<PathChange[][]> {
    if (pairs.length === 0) return []
    const how = ['--stdin', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', '--always']
    const input = pairs.map(([commit, older]) => `${commit} ${older}\n`).join('')
    const limited = paths.length === 0 ? [] : ['--', ...paths]
    const parts = (await this.#output(['diff-tree', ...how, ...limited], input)).split('\0')
    const all: PathChange[][] = []
    for (let at = 0; at < parts.length - 1; at++) {
      const [, ...modes] = /^:(\d+) (\d+) (\w+) (\w+) /.exec(parts[at] ?? '') ?? []
      const [old = '', now = '', before, after] = modes
      if (before === undefined || after === undefined) all.push([])
      else all.at(-1)?.push({ path: parts[++at] ?? '', before: idOf(old, before), after: idOf(now, after) })
    }
    return all
  }

  /** The parents that commits name themselves, and whether this clone has all of them: a shallow one has not. */
  async parentsOf(
    commits: readonly string[],
  ): Promise<ReadonlyMap<string, { readonly parents: readonly string[]; readonly whole: boolean }>> {
    const named = new Map<string, string[]>()
    const wanted = commits.map(object => ({ object }))
    await this.#git.objects(wanted, LONGEST_COMMIT, ({ object }, bytes) => {
      const header = bytes?.toString('latin1').split('\n\n', 1)[0] ?? ''
      named.set(
        object,
        [...header.matchAll(/^parent (\w+)$/gm)].map(([, parent = '']) => parent),
      )
    })
    const there = new Set<string>()
    const parents = [...new Set([...named.values()].flat())].map(object => ({ object }))
    await this.#git.objects(parents, 0, ({ object }, bytes) => void (bytes && there.add(object)))
    return new Map(
      [...named].map(([commit, all]) => {
        const known = all.filter(parent => there.has(parent))
        return [commit, { parents: known, whole: known.length === all.length }]
      }),
    )
  }

  /** Blobs by id, cut one byte after `mostBytes`. One that this clone lacks is `undefined`. */
  async blobs(ids: readonly string[], mostBytes: number): Promise<ReadonlyMap<string, Buffer | undefined>> {
    const found = new Map<string, Buffer | undefined>()
    const wanted = ids.map(object => ({ object }))
    await this.#git.objects(wanted, mostBytes, ({ object }, bytes) => void found.set(object, bytes))
    return found
  }

  async #output(words: readonly string[], input?: string): Promise<string> {
    const { status, output, error } = await this.#git.run(words, input === undefined ? {} : { input })
    if (status !== 0) throw new Error(error)
    return output
  }
}

const OBJECT = /^[0-9a-f]{40,64}$/
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/
/** The header is at its beginning. */
const LONGEST_COMMIT = 64 * 1024

const SUBMODULE = '160000'

const idOf = (mode: string, object: string): string | undefined =>
  mode === SUBMODULE || /^0+$/.test(object) ? undefined : object

interface CommitFile {
  readonly mode: string
  readonly object: string
  readonly path: string
}

/**
 * Writes the files of a commit below `directory`, byte for byte as Git stores them, without attributes, filters and line end conversion.
 * A file that is longer than `mostBytes` is cut one byte after that. Submodules are left out. Rejects with an `Error` about the commit
 * or the disk.
 */
export async function writeCommit(
  git: Git,
  commit: string,
  directory: string,
  mostBytes: number,
): Promise<void> {
  const listed = await git.run(['ls-tree', '-r', '-z', '--full-tree', commit])
  if (listed.status !== 0) throw new Error(listed.error)
  const made = new Set<string>()
  const links: { readonly path: string; readonly target: string }[] = []
  const entries = entriesIn(listed.output)
  // No checkout has such a path, but a handmade commit may.
  const odd = entries.find(({ path }) => path.split('/').some(name => /^(?:\.{0,2}|\.git)$/i.test(name)))
  if (odd !== undefined) throw new Error(`it contains the path ${JSON.stringify(odd.path)}`)
  await git.objects(entries, mostBytes, (entry, bytes) => {
    if (bytes === undefined) throw new Error(`this clone lacks ${JSON.stringify(entry.path)}`)
    const path = join(directory, entry.path)
    if (!made.has(dirname(path))) mkdirSync(dirname(path), { recursive: true })
    made.add(dirname(path))
    if (entry.mode === LINK) links.push({ path, target: bytes.toString() })
    else writeFileSync(path, bytes)
  })
  // Last, so that nothing is written through one.
  for (const { path, target } of links) symlinkSync(target, path)
}

/** The files in the output of `ls-tree -z`. */
const entriesIn = (listing: string): CommitFile[] =>
  listing.split('\0').flatMap(line => {
    const [, mode, object, path] = /^(\d+) blob (\w+)\t(.+)$/s.exec(line) ?? []
    return mode === undefined || object === undefined || path === undefined ? [] : { mode, object, path }
  })

const LINK = '120000'
