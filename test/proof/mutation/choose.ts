import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { seededRandom } from '../../../src/sandbox/clock-and-chance.ts'
import { sum } from '../family.ts'
import { type Mutation, mutationsOf } from './mutations.ts'

/** Every folder of the source. */
const foldersOf = (root: string): string[] =>
  readdirSync(join(root, 'src'), { withFileTypes: true })
    .filter(entry => entry.isDirectory())
    .map(({ name }) => `src/${name}`)
    .sort()

/** The mutations of these that compile, all at once. */
export type Compiling = (some: readonly Mutation[]) => Promise<readonly Mutation[]>

/** A number of mutations that compile, the same for the same source, seed and folders (without any: all). A folder gets as many as its size demands. */
export async function choose(
  root: string,
  count: number,
  seed: number,
  compiling: Compiling,
  folders: readonly string[] = [],
): Promise<Mutation[]> {
  const random = seededRandom(seed)
  const draws = drawsOf(root, folders.length > 0 ? folders : foldersOf(root), count, random)
  for (;;) {
    const tried = draws.flatMap(next)
    if (tried.length === 0) break
    const good = new Set(await compiling(tried))
    for (const draw of draws) draw.chosen.push(...draw.tried.filter(one => good.has(one)))
  }
  // The first ones are a sample of all of them.
  return shuffled(
    draws.flatMap(({ chosen, due }) => chosen.slice(0, due)),
    random,
  )
}

/** The mutations of a folder, in the order in which they are tried. */
interface Draw {
  waiting: readonly Mutation[]
  tried: readonly Mutation[]
  readonly chosen: Mutation[]
  readonly due: number
}

function drawsOf(root: string, folders: readonly string[], count: number, random: () => number): Draw[] {
  const sources = folders.map(folder => filesOf(root, folder))
  let rest = sum(sources.flat(), ({ text }) => text.length)
  let left = count
  return sources.map(files => {
    const size = sum(files, ({ text }) => text.length)
    const due = Math.round((left * size) / rest)
    left -= due
    rest -= size
    const all = files.flatMap(({ file, text }) => mutationsOf(file, text))
    return { waiting: onePerPlace(shuffled(all, random)), tried: [], chosen: [], due }
  })
}

/** What to compile next, in different files, and twice as many as are missing, because about half of them compile. */
function next(draw: Draw): readonly Mutation[] {
  const together = new Map<string, Mutation>()
  for (const one of draw.waiting.slice(0, 2 * (draw.due - draw.chosen.length)))
    if (!together.has(one.file)) together.set(one.file, one)
  const tried = new Set(together.values())
  draw.waiting = draw.waiting.filter(one => !tried.has(one))
  draw.tried = [...tried]
  return draw.tried
}

interface SourceFile {
  readonly file: string
  readonly text: string
}

const filesOf = (root: string, folder: string): SourceFile[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.ts') && !name.endsWith('.gen.ts'))
    .sort()
    .map(name => ({ file: `${folder}/${name}`, text: readFileSync(join(root, folder, name), 'utf8') }))

function shuffled<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map(item => ({ item, turn: random() }))
    .sort((a, b) => a.turn - b.turn)
    .map(({ item }) => item)
}

const onePerPlace = (all: readonly Mutation[]): Mutation[] => [
  ...new Map(all.map(one => [`${one.file} ${one.start} ${one.end}`, one])).values(),
]
