import { deepEqual, ok } from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { DEFAULT_LIMITS } from '../../src/config/limits.ts'
import { type Checks, checkAll, checkedPromises } from '../proof/checks.ts'
import { atLeast, type Family, sum } from '../proof/family.ts'
import { ROOT } from '../proof/place.ts'
import { arbitraryYaml, MUTATIONS } from './arbitrary-yaml.ts'
import { loadText } from './load-text.ts'
import { FULL, isReadAlike } from './readers.ts'

/** `runs`: texts of the first promise. The others get a share of it. */
interface Task {
  readonly runs: number
  readonly seed: number
}

interface Found {
  readonly texts: number
  readonly accepted: number
  readonly broken: Readonly<Record<string, readonly string[]>>
}

const COUNTS = { whole: [20, 1_000], part: [4, 1_000], sample: [1, 400] } as const

/** Compares the quick reader of files with the complete parser. */
const readers: Family<Task, Found> = {
  name: 'readers',
  proves: [],
  tasks(size, seed) {
    const [tasks, runs] = COUNTS[size]
    return Array.from({ length: tasks }, (_, turn) => ({ runs, seed: 1_000 * (seed - 1) + 11 + turn }))
  },
  seconds: ({ runs }) => runs / 200,
  async run(task) {
    const counts = { texts: 0, accepted: 0 }
    const broken = await checkAll(CHECKS, { ...task, counts })
    return { ...counts, broken }
  },
  conclude(done, size, isAll) {
    const [all, accepted] = [sum(done, ({ found }) => found.texts), sum(done, ({ found }) => found.accepted)]
    return {
      figures: [
        ['texts that are YAML or nearly YAML', all],
        ['of them accepted by the quick reader', accepted],
      ],
      promises: [
        ...checkedPromises('readers', Object.keys(CHECKS), done),
        ...(size === 'whole'
          ? [atLeast('the quick reader accepts 7,000 texts', 7_000, accepted, isAll)]
          : []),
      ],
      section: `${all.toLocaleString('en-US')} texts that are YAML or nearly YAML. Of the ${accepted.toLocaleString('en-US')} that the quick reader accepts, it gives the same tree and positions as the complete parser. The complete parser reads the others.`,
    }
  },
}

export default readers

const yamlUnder = (directory: string): string[] =>
  readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter(path => /\.ya?ml$/.test(path) && !path.includes('node_modules'))
    .map(path => readFileSync(join(ROOT, directory, path), 'utf8'))

type Subject = Task & { readonly counts: { texts: number; accepted: number } }

/** Counts the texts, and those that the quick reader accepts. */
function tried({ counts }: Subject, text: string, limits = DEFAULT_LIMITS): void {
  counts.texts++
  if (isReadAlike(text, limits)) counts.accepted++
}

const CHECKS: Checks<Subject> = {
  'gives the same tree as the parser, or none, for texts that are nearly YAML'(subject) {
    const before = subject.counts.accepted
    fc.assert(
      fc.property(arbitraryYaml, text => tried(subject, text)),
      { numRuns: subject.runs, seed: subject.seed },
    )
    ok(subject.counts.accepted - before > subject.runs / 6)
  },

  'and for real files with pieces moved, duplicated, removed or inserted'(subject) {
    const real = [...yamlUnder('test/config/fixtures'), ...yamlUnder('examples'), ...yamlUnder('docs')]
    fc.assert(
      fc.property(
        fc.constantFrom(FULL, ...real),
        fc.nat(),
        fc.nat({ max: 30 }),
        fc.nat(),
        fc.constantFrom('', ...MUTATIONS),
        (text, at, length, to, piece) => {
          const from = at % (text.length + 1)
          const cut = text.slice(from, from + length)
          const rest = text.slice(0, from) + text.slice(from + length)
          const target = to % (rest.length + 1)
          for (const changed of [
            text.slice(0, from) + piece + text.slice(from),
            rest.slice(0, target) + cut + rest.slice(target),
            rest,
            text.slice(0, target) + cut + piece + text.slice(target),
          ])
            tried(subject, changed)
        },
      ),
      { numRuns: Math.ceil(subject.runs / 5), seed: subject.seed },
    )
  },

  'and with low limits'(subject) {
    const limits = { ...DEFAULT_LIMITS, depth: 3, keysPerMap: 4 }
    fc.assert(
      fc.property(arbitraryYaml, text => tried(subject, text, limits)),
      { numRuns: Math.ceil(subject.runs / 6), seed: subject.seed },
    )
  },

  'the loader gives the same result with either reader, for files with a mistake anywhere': async subject => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: FULL.length }), fc.constantFrom(...MUTATIONS), async (at, piece) => {
        subject.counts.texts++
        const text = FULL.slice(0, at) + piece + FULL.slice(at)
        deepEqual(await loadText(text), await loadText(text, { parser: 'whole' }))
      }),
      { numRuns: Math.ceil(subject.runs / 50), seed: subject.seed },
    )
  },
}
