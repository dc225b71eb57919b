import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { stderr, stdout } from 'node:process'
import { parseArgs } from 'node:util'
import { withSection } from '../page.ts'
import { ROOT } from '../place.ts'
import { judgeSuite } from './judge-suite.ts'
import { type Results, section, told } from './section.ts'

const USAGE = `Judges a suite of tests: makes small changes (mutations) of src, one at a time, and counts how many of them a test finds. Works in a temporary copy.

  npm run mutate -- --count 200 --seed 1      other mutations with another seed
  npm run mutate -- --folder src/plan         mutations of this folder alone; repeatable
  npm run mutate -- --source DIR --tests DIR  the source of one checkout, the tests of another; by default both are this one
  npm run mutate -- --save new.json           saves mutations and results
  npm run mutate -- --of old.json             judges the mutations of saved results, first by the tests that found them
  npm run mutate -- --whole 20                how many survivors run all tests
  npm run mutate -- --seconds 60              processor time for the tests that import the changed file
  npm run mutate -- --workers 2               how many test files run in parallel
  npm run mutate -- --write old.json new.json writes the table of saved results to docs/reliability.md
`

export async function main(argv: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      count: { type: 'string', default: '200' },
      folder: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
      of: { type: 'string' },
      save: { type: 'string' },
      seconds: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      source: { type: 'string', default: ROOT },
      tests: { type: 'string', default: ROOT },
      whole: { type: 'string', default: '20' },
      workers: { type: 'string', default: '2' },
      write: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    stdout.write(USAGE)
    return 0
  }
  if (values.write) {
    const page = join(ROOT, 'docs/reliability.md')
    const text = section(positionals.map(read))
    writeFileSync(page, withSection(readFileSync(page, 'utf8'), 'mutations', text))
    return 0
  }
  const { save } = values
  const of = values.of === undefined ? undefined : read(values.of)
  const { results, useless } = await judgeSuite({
    source: resolve(values.source),
    tests: resolve(values.tests),
    mutations: of?.mutations,
    earlier: of?.judged,
    count: Number(values.count),
    seed: Number(values.seed),
    folders: values.folder,
    seconds: Number(values.seconds),
    whole: Number(values.whole),
    workers: Number(values.workers),
    onProgress(results, text) {
      if (save !== undefined) writeFileSync(save, JSON.stringify(results, undefined, 1))
      stderr.write(`${text}\n`)
    },
  })
  stdout.write(told(results.judged, useless))
  return 0
}

const read = (path: string): Results => JSON.parse(readFileSync(path, 'utf8'))
