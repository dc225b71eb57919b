import { dirname, join, resolve } from 'node:path'
import type { LoadOptions } from '../config/load.ts'
import { DEFAULT_LIMITS } from '../config/loader-limits.ts'
import { readInside, realPath, shownPath } from '../config/read.ts'
import { readPastSetFile, type SetFile } from '../config/set-file.ts'
import { History } from '../git/commits.ts'
import { Git } from '../git/git.ts'
import { type Checked, mistake, none, type SourceRange } from '../model/diagnostic.ts'
import type { DesiredVariable } from '../model/variable-set.ts'
import type { ValueLine } from '../plan/effective/explanation.ts'
import { type AskedLine, type Holder, isSameValue, lineIn, type Standing, valueIn } from './blame-standing.ts'
import { traceBack, Versions } from './blame-walk.ts'

/**
 * The lines and files that give each variable its value, with the commit that last changed it. Needs git and a repository.
 * Without a value, a diagnostic says what is missing.
 */
export async function blame(
  { directory, config = 'setpoint.yaml', limits, environment = {} }: LoadOptions,
  variables: readonly DesiredVariable[],
): Promise<Checked<ReadonlyMap<DesiredVariable, readonly ValueLine[]>>> {
  const here = realPath(dirname(resolve(directory, config)))
  const git = here === undefined ? undefined : Git.around(here, environment)
  if (git === undefined) return noHistory(`there is no work tree around ${JSON.stringify(directory)}`)
  try {
    const run = new Blame(git, limits?.fileBytes ?? DEFAULT_LIMITS.fileBytes)
    const asked = variables.map(variable => [variable, run.linesOf(variable)] as const)
    const answers = await run.trace()
    const answer = (line: AskedLine): ValueLine => answers.get(line) ?? { ...line, state: 'uncommitted' }
    const value = new Map(asked.map(([variable, lines]) => [variable, lines.map(answer)]))
    return { value, diagnostics: [] }
  } catch (error) {
    return noHistory(error instanceof Error ? error.message : String(error))
  }
}

const noHistory = (why: string): Checked<never> =>
  none(
    mistake(
      'no-history',
      `\`--blame\` needs git and a repository with its history: ${why}.`,
      'Install git, clone without --filter, and run this in the clone. Setpoint fetches nothing.',
    ),
  )

class Blame {
  readonly #git: Git
  readonly #history: History
  readonly #most: number
  readonly #versions: Versions
  /** Versions of the work tree, by path. */
  readonly #working = new Map<string, SetFile | undefined>()
  readonly #open: { readonly standing: Standing; readonly text?: string }[] = []

  constructor(git: Git, mostBytes: number) {
    this.#git = git
    this.#history = new History(git)
    this.#most = mostBytes
    this.#versions = new Versions(this.#history, mostBytes)
  }

  /** Starts to trace the lines that provide a variable, and returns them. */
  linesOf(variable: DesiredVariable): readonly AskedLine[] {
    const { source, base, file, value } = variable
    const { path, line } = base ?? source
    const lines: AskedLine[] = [{ part: base === undefined ? 'value' : 'base', path, line }]
    this.#begin(lines[0] as AskedLine, base ?? source, variable)
    if (file !== undefined && 'text' in value) {
      const named: AskedLine = { part: 'file', path: file }
      lines.push(named)
      const standing: Standing = { kind: 'file', now: named, path: this.#real(file), object: '' }
      this.#open.push({ standing, text: value.text })
    }
    if (base !== undefined) {
      const taken: AskedLine = { part: 'from', path: source.path, line: source.line }
      lines.push(taken)
      this.#begin(taken, source, undefined)
    }
    return lines
  }

  #begin(now: AskedLine, source: SourceRange, variable: DesiredVariable | undefined): void {
    const path = this.#real(source.path)
    if (!this.#working.has(path)) this.#working.set(path, this.#readNow(path))
    const version = this.#working.get(path)
    const isHere = (one: SourceRange | undefined): boolean =>
      one?.line === source.line && one.column === source.column
    const all: readonly Holder[] = [...(version?.sets ?? []), ...(version?.bases ?? [])]
    const holder = all.find(one =>
      variable === undefined
        ? 'from' in one && isHere(one.from?.source)
        : one.variables.some(({ key, source: at }) => key === variable.key && isHere(at)),
    )
    const held = holder && valueIn(holder, variable?.key)
    if (version === undefined || holder === undefined || held === undefined) return
    this.#open.push({ standing: { kind: 'line', now, key: variable?.key, ...held, path, holder, version } })
  }

  /** Relative to the root, after links are followed. */
  #real(path: string): string {
    const full = join(this.#git.root, path)
    return shownPath(this.#git.root, realPath(full) ?? full)
  }

  #readNow(path: string): SetFile | undefined {
    const read = readInside(this.#git.root, join(this.#git.root, path), this.#most)
    return 'bytes' in read ? readPastSetFile(read.bytes) : undefined
  }

  /** From the work tree to HEAD, and from there back until every line has its answer. */
  async trace(): Promise<ReadonlyMap<AskedLine, ValueLine>> {
    const head = await this.#history.head()
    if (head === undefined) return new Map()
    return await traceBack(this.#history, this.#versions, head, await this.#committed(head))
  }

  /** The lines that HEAD has unchanged. */
  async #committed(head: string): Promise<Standing[]> {
    const paths = [...new Set(this.#open.map(({ standing }) => standing.path))]
    const objects = await this.#history.objectsAt(head, paths)
    const lines = this.#open.filter(({ standing }) => standing.kind === 'line')
    await this.#versions.load(lines.flatMap(({ standing }) => objects.get(standing.path) ?? []))
    const files = this.#open.flatMap(({ standing, text }) =>
      text === undefined ? [] : (objects.get(standing.path) ?? []),
    )
    const contents = await this.#history.blobs([...new Set(files)], this.#most)
    return this.#open.flatMap(({ standing, text }) => {
      const object = objects.get(standing.path)
      if (object === undefined) return []
      if (standing.kind === 'file') {
        const isSame = withoutReturns(contents.get(object)?.toString() ?? '') === withoutReturns(text ?? '')
        return isSame ? { ...standing, object } : []
      }
      const version = this.#versions.of(object)
      const found = version && lineIn(version, standing, standing.path)
      return found !== undefined && isSameValue(found, standing) ? found : []
    })
  }
}

const withoutReturns = (text: string): string => text.replaceAll('\r\n', '\n')
