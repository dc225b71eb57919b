import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseSync } from 'rolldown/utils'

/** The imports of the files of a repository, without those of types alone. */
export class Imports {
  readonly #root: string
  readonly #of = new Map<string, readonly string[]>()

  constructor(root: string) {
    this.#root = root
  }

  /** The test files that import a file, directly or through others: those in its folder first, then the closest, then the smallest. */
  testsOf(file: string): string[] {
    const wanted = join(this.#root, file)
    const near = this.#tests().flatMap(test => {
      const distances = this.#distances(test)
      const distance = distances.get(wanted)
      return distance === undefined
        ? []
        : [{ test, away: this.#away(test, file), distance, size: distances.size }]
    })
    return near
      .sort((a, b) => a.away - b.away || a.distance - b.distance || a.size - b.size)
      .map(({ test }) => test)
  }

  /** How far the place of a test is from that of a source file: its own test, a test in its folder, or another one. */
  #away(test: string, file: string): number {
    const [own, folder] = [file.replace(/\.ts$/, '.'), `${dirname(file)}/`].map(place =>
      join(this.#root, place.replace(/^src/, 'test')),
    )
    if (own !== undefined && test.startsWith(own)) return 0
    return folder !== undefined && test.startsWith(folder) ? 1 : 2
  }

  /** Every test file, in the order of their names. */
  allTests(): readonly string[] {
    return this.#tests()
  }

  #tests(): readonly string[] {
    this.#allTests ??= readdirSync(join(this.#root, 'test'), { recursive: true, encoding: 'utf8' })
      .filter(name => name.endsWith('.test.ts'))
      .map(name => join(this.#root, 'test', name))
      .sort()
    return this.#allTests
  }
  #allTests: readonly string[] | undefined

  /** How many imports lead to each file. */
  #distances(test: string): ReadonlyMap<string, number> {
    const known = this.#distancesOf.get(test)
    if (known !== undefined) return known
    const distances = new Map([[test, 0]])
    for (const [file, distance] of distances)
      for (const imported of this.#importsOf(file))
        if (!distances.has(imported)) distances.set(imported, distance + 1)
    this.#distancesOf.set(test, distances)
    return distances
  }
  readonly #distancesOf = new Map<string, ReadonlyMap<string, number>>()

  #importsOf(file: string): readonly string[] {
    const known = this.#of.get(file)
    if (known !== undefined) return known
    const imports = importedBy(file, readFileSync(file, 'utf8'))
      .filter(name => name.startsWith('.'))
      .map(name => resolve(dirname(file), name))
      .filter(path => path.endsWith('.ts') && existsSync(path))
    this.#of.set(file, imports)
    return imports
  }
}

/** What a file imports, as it is written there. */
export function importedBy(file: string, text: string): string[] {
  const { staticImports, staticExports, dynamicImports } = parseSync(file, text).module
  const isUsed = (entries: readonly { readonly isType: boolean }[]): boolean =>
    entries.length === 0 || entries.some(({ isType }) => !isType)
  return [
    ...staticImports.filter(({ entries }) => isUsed(entries)).map(({ moduleRequest }) => moduleRequest.value),
    ...staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ isType, moduleRequest }) => (isType ? [] : (moduleRequest?.value ?? []))),
    ),
    ...dynamicImports.map(({ moduleRequest: { start, end } }) => text.slice(start + 1, end - 1)),
  ]
}
