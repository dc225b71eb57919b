import { execFileSync } from 'node:child_process'
import { git } from '../support/hostile-repository.ts'
import { aDirectory } from '../support/program.ts'

/** Author and date of a change. They are known, because the test makes the history. */
export interface Authorship {
  readonly author: string
  readonly date: string
}

interface Value {
  text: string
  by: Authorship
}

interface MadeSet {
  name: string
  previousNames: string[]
  file: string
  from?: { base: string; by: Authorship }
  readonly values: Map<string, Value>
}

interface MadeFile {
  path: string
  indent: number
  /** Each variable of a set in braces on one line. */
  braces: boolean
  comment: string
}

interface World {
  readonly sets: Map<number, MadeSet>
  readonly bases: Map<string, { file: string; values: Map<string, Value> }>
  readonly files: Map<string, MadeFile>
  /** Files with the texts of values. */
  readonly texts: Map<string, Value & { path: string; key: string; set: number; named: Authorship }>
}

export const WORKSPACE = 'prod'
const AUTHORS = ['Ada Example', 'Bo O’Test', 'Çelik Ünal', 'Dai <Example', 'Eve "Quoted"', '山田 花子']

/** A repository with a year of commits, and for each key the last change of its value. */
export interface Year {
  readonly root: string
  readonly commits: number
  readonly values: ReadonlyMap<string, Authorship>
  /** For keys from a base: the change that added the base to the set. */
  readonly included: ReadonlyMap<string, Authorship>
  /** For keys with their value in a file: the change that added the line with the path. */
  readonly named: ReadonlyMap<string, Authorship>
}

/** A random year of changes, renames, moves, new layouts and merges. */
export function aYear(seed: number, steps: number): Year {
  const random = generator(seed)
  const below = (most: number): number => Math.floor(random() * most)
  const oneOf = <T>(all: Iterable<T>): T => {
    const list = [...all]
    return list[below(list.length)] as T
  }
  const history = new FastImport()
  let count = 0
  let fresh = 0
  const world: World = { sets: new Map(), bases: new Map(), files: new Map(), texts: new Map() }
  const newAuthorship = (): Authorship => {
    const hour = new Date(Date.UTC(2025, 10, 1) + ++count * 20 * 3_600_000)
    return { author: oneOf(AUTHORS), date: hour.toISOString().replace('.000Z', '+00:00') }
  }
  const newText = (): string => `v${fresh++}`
  const addFile = (): string => {
    const id = `f${fresh++}`
    world.files.set(id, { path: `infra/sets/${id}.yaml`, indent: 2, braces: false, comment: '' })
    return id
  }
  const addSet = (by: Authorship): void => {
    const id = fresh++
    const values = new Map(
      [...Array(1 + below(4)).keys()].map(at => [`K${id}_${at}`, { text: newText(), by }]),
    )
    const file = random() < 0.4 ? addFile() : oneOf(world.files.keys())
    world.sets.set(id, { name: `set-${id}`, previousNames: [], file, values })
  }
  const ways: readonly ((by: Authorship) => void)[] = [
    by => addSet(by),
    by => void oneOf(world.sets.values()).values.set(`N${fresh++}`, { text: newText(), by }),
    ...Array<(by: Authorship) => void>(8).fill(by => change(oneOf(world.sets.values()).values, by)),
    // A set is renamed; the authors of its values stay the same.
    () => {
      const set = oneOf(world.sets.values())
      set.previousNames.push(set.name)
      set.name = `set-${fresh++}`
    },
    () => {
      // A branch may still have the old name.
      if (open.length === 0) oneOf(world.sets.values()).previousNames.length = 0
    },
    // A set moves to another file, or to a new one.
    () => {
      oneOf(world.sets.values()).file = random() < 0.3 ? addFile() : oneOf(world.files.keys())
    },
    () => {
      const file = oneOf(world.files.values())
      file.path = `infra/sets/${below(2) === 0 ? 'deeper/' : ''}r${fresh++}.yaml`
    },
    () => {
      const file = oneOf(world.files.values())
      file.indent = 1 + below(4)
      file.braces = below(3) === 0
    },
    () => {
      oneOf(world.files.values()).comment = `# Note ${fresh++}.\n`
    },
    by => change(oneOf(world.bases.values()).values, by),
    by => {
      const base = oneOf(world.bases.keys())
      const set = oneOf(world.sets.values())
      if (![...world.sets.values()].some(({ from }) => from?.base === base)) set.from = { base, by }
    },
    by => {
      const set = oneOf(world.sets.keys())
      const at = fresh++
      world.texts.set(`T${at}`, {
        path: `infra/texts/${at}.txt`,
        key: `T${at}`,
        set,
        text: newText(),
        by,
        named: by,
      })
    },
    by => {
      const text = [...world.texts.values()].at(below(Math.max(1, world.texts.size)))
      if (text !== undefined) Object.assign(text, { text: newText(), by })
    },
  ]
  const open: { readonly tip: number; readonly changed: Map<string, Value> }[] = []
  let tip = history.commit(newAuthorship(), [], filesOf(world))
  const start = newAuthorship()
  addFile()
  addFile()
  for (const name of ['net', 'log'])
    world.bases.set(name, {
      file: oneOf(world.files.keys()),
      values: new Map([...Array(3).keys()].map(at => [`B_${name}_${at}`, { text: newText(), by: start }])),
    })
  for (let at = 0; at < 12; at++) addSet(start)
  tip = history.commit(start, [tip], filesOf(world))
  for (let step = 0; step < steps; step++) {
    const by = newAuthorship()
    if (random() < 0.06 && open.length < 3) {
      // A branch changes two values.
      const branch = { tip, changed: new Map<string, Value>() }
      const copy = structuredClone(world)
      let last = tip
      for (let at = 0; at < 2; at++) {
        const author = newAuthorship()
        const [key] = change(oneOf(copy.sets.values()).values, author, branch.changed) ?? []
        if (key !== undefined) last = history.commit(author, [last], filesOf(copy))
      }
      open.push({ tip: last, changed: branch.changed })
    } else if (random() < 0.08 && open.length > 0) {
      const [branch] = open.splice(below(open.length), 1)
      for (const set of world.sets.values())
        for (const [key, value] of branch?.changed ?? []) if (set.values.has(key)) set.values.set(key, value)
      tip = history.commit(by, [tip, branch?.tip ?? tip], filesOf(world))
    } else {
      oneOf(ways)(by)
      tip = history.commit(by, [tip], filesOf(world))
    }
  }
  return { root: history.repository(tip), commits: history.count, ...authorshipIn(world) }

  /** Changes a value that no branch changes, so that merges have no conflicts. */
  function change(
    values: Map<string, Value>,
    by: Authorship,
    changed?: Map<string, Value>,
  ): [string] | undefined {
    const free = [...values.keys()].filter(key => open.every(branch => !branch.changed.has(key)))
    if (free.length === 0) return undefined
    const key = oneOf(free)
    const value = { text: newText(), by }
    values.set(key, value)
    changed?.set(key, value)
    return [key]
  }
}

function authorshipIn({ sets, bases, texts }: World) {
  const values = new Map<string, Authorship>()
  const included = new Map<string, Authorship>()
  const named = new Map<string, Authorship>()
  for (const set of sets.values()) {
    for (const [key, { by }] of set.values) values.set(key, by)
    for (const [key, { by }] of (set.from && bases.get(set.from.base)?.values) ?? []) {
      values.set(key, by)
      if (set.from !== undefined) included.set(key, set.from.by)
    }
  }
  for (const { key, by, named: line } of texts.values()) {
    values.set(key, by)
    named.set(key, line)
  }
  return { values, included, named }
}

function filesOf({ sets, bases, files, texts }: World): Map<string, string> {
  const written = new Map([
    ['infra/setpoint.yaml', 'organization: acme\n'],
    ['other/readme.md', `${sets.size}\n`],
  ])
  for (const { path, text } of texts.values()) written.set(path, `${text}\n`)
  for (const [id, { path, indent, braces, comment }] of files) {
    const pad = (depth: number): string => ' '.repeat(indent * depth)
    const block = (values: Iterable<readonly [string, string]>): string => {
      const entries = [...values].map(([key, value]) => [key, value] as const)
      if (entries.length === 0) return `${pad(2)}env: {}\n`
      if (braces) return `${pad(2)}env: { ${entries.map(entry => entry.join(': ')).join(', ')} }\n`
      return `${pad(2)}env:\n${entries.map(entry => `${pad(3)}${entry.join(': ')}\n`).join('')}`
    }
    const shown = (values: Map<string, Value>) => [...values].map(([key, { text }]) => [key, text] as const)
    const up = '../'.repeat(path.split('/').length - 2)
    const ofFile = [...sets].filter(([, set]) => set.file === id)
    const setText = ofFile.map(([number, { name, previousNames, from, values }]) => {
      const more = [...texts.values()]
        .filter(({ set }) => set === number)
        .map(({ path: at, key }) => [key, `{ file: ${up}${at.replace('infra/', '')} }`] as const)
      const before =
        previousNames.length === 0 ? '' : `${pad(2)}previousNames: [${previousNames.join(', ')}]\n`
      const base = from === undefined ? '' : `${pad(2)}from: ${from.base}\n`
      const head = `${pad(1)}${name}:\n${before}${base}${pad(2)}workspaces: [${WORKSPACE}]\n`
      return `${head}${block([...shown(values), ...more])}`
    })
    const baseText = [...bases]
      .filter(([, { file }]) => file === id)
      .map(([name, { values }]) => `${pad(1)}${name}:\n${block(shown(values))}`)
    const text = [
      ...(setText.length > 0 ? ['variableSets:\n', ...setText] : []),
      ...(baseText.length > 0 ? ['bases:\n', ...baseText] : []),
    ]
    if (text.length > 0) written.set(path, comment + text.join(''))
  }
  return written
}

/** Writes commits with whole trees in one call of git. */
class FastImport {
  count = 0
  readonly #lines: string[] = []

  commit(
    { author, date }: Authorship,
    parents: readonly number[],
    files: ReadonlyMap<string, string>,
  ): number {
    const mark = ++this.count
    const name = author.replaceAll('<', '')
    const when = `${Date.parse(date) / 1000} +0000`
    this.#lines.push(`commit refs/heads/work${mark}`, `mark :${mark}`)
    this.#lines.push(`author ${name} <a@example.test> ${when}`, `committer C <c@example.test> ${when}`)
    this.#lines.push('data 1', 'x')
    const [first, ...others] = parents
    if (first !== undefined) this.#lines.push(`from :${first}`)
    for (const other of others) this.#lines.push(`merge :${other}`)
    this.#lines.push('deleteall')
    for (const [path, text] of files)
      this.#lines.push(`M 100644 inline ${path}`, `data ${Buffer.byteLength(text)}`, text)
    return mark
  }

  repository(tip: number): string {
    const root = aDirectory()
    git(root, 'init', '-q', '-b', 'main')
    const input = `${this.#lines.join('\n')}\nreset refs/heads/main\nfrom :${tip}\n`
    execFileSync('git', ['fast-import', '--quiet'], { cwd: root, input })
    git(root, 'reset', '-q', '--hard')
    return root
  }
}

/** Mulberry32. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
