import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { execPath } from 'node:process'
import { describe, expect, test } from 'vitest'
import { aDirectory } from '../support/program.ts'
import { again, atLeast, type Family } from './family.ts'
import { readArguments } from './main.ts'
import { withSection } from './page.ts'
import { type Findings, jobsOf, joined } from './run.ts'
import { brokenText, endText, figuresText, verdictOn } from './verdict.ts'

/** Counts the tasks. An odd number is a broken promise. */
const counting: Family<unknown, unknown> = {
  name: 'counting',
  proves: [],
  tasks: size => Array.from({ length: size === 'whole' ? 20 : 3 }, (_, at) => at),
  seconds: task => (task === 7 ? 100 : 1),
  run: async task => task,
  conclude: (done, _, isAll) => ({
    figures: [['numbers', done.length]],
    promises: [
      {
        promise: 'all numbers are even',
        broken: done.flatMap(({ task, found }) =>
          Number(found) % 2 === 0 ? [] : [`${found}\n${again('counting', { task })}`],
        ),
      },
      atLeast('1,000 numbers are found', 1_000, done.length, isAll),
    ],
    section: '',
  }),
}

const PART = { size: 'whole', seed: 1, slice: 1, of: 1 } as const
const found = (slice: number, of: number, numbers: readonly number[]): Findings => ({
  part: { ...PART, slice, of },
  done: { counting: numbers.map(task => ({ task, found: task })) },
  crashed: [],
})

describe('slices', () => {
  test('contain every task once, the largest first', () => {
    const slices = [1, 2, 3].map(slice => jobsOf([counting], { ...PART, slice, of: 3 }))
    expect(slices.map(jobs => jobs.length)).toEqual([7, 7, 6])
    expect(slices[0]?.[0]?.task).toBe(7)
    const tasks = slices.flat().map(({ task }) => Number(task))
    expect(tasks.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, at) => at))
  })

  test('can be joined only if they are all slices of one proof', () => {
    const one = joined([found(2, 2, [2]), found(1, 2, [4])])
    expect(one).toEqual({ ...found(1, 1, [2, 4]) })
    expect(() => joined([found(1, 2, []), found(1, 2, [])])).toThrow(
      'not 2 slices of one proof: 1/2 of whole',
    )
    expect(() => joined([found(1, 3, []), found(2, 3, [])])).toThrow('not 3 slices')
    const other = { ...found(2, 2, []), part: { ...PART, seed: 2, slice: 2, of: 2 } }
    expect(() => joined([found(1, 2, []), other])).toThrow('slice')
  })

  test('do not have to reach the minimum numbers of the whole proof', () => {
    expect(endText(verdictOn([counting], found(1, 2, [2])))).toBe('3 promises kept, 0 broken\n')
    expect(brokenText(verdictOn([counting], found(1, 1, [2])))).toBe(
      'BROKEN counting: 1,000 numbers are found\n  1 of at least 1,000\n',
    )
  })
})

describe('a broken promise', () => {
  test('is reported with the command that repeats its task', () => {
    const verdict = verdictOn([counting], found(1, 2, [2, 3]))
    expect(brokenText(verdict)).toBe(`BROKEN counting: all numbers are even
  3
  npm run proof -- --again 'counting {"task":3}'
`)
    expect(endText(verdict)).toBe('2 promises kept, 1 broken\n')
    expect(figuresText(verdict)).toBe('counting  numbers  2\n')
  })

  test('includes tasks that end with an error', () => {
    const verdict = verdictOn([counting], { ...found(1, 2, [2]), crashed: ['Error: no'] })
    expect(brokenText(verdict)).toBe('BROKEN all: every task ends without an error\n  Error: no\n')
  })

  test('lists at most five examples', () => {
    const odd = Array.from({ length: 8 }, (_, at) => 2 * at + 1)
    const text = brokenText(verdictOn([counting], found(1, 2, odd)))
    expect(text.split('\n').filter(line => line.includes('--again'))).toHaveLength(5)
    expect(text).toContain('  and 3 more\n')
  })

  test('makes the command exit with 1, and is counted in its last line', () => {
    const kept = { requests: 9, ends: { 'killed before': 1 }, reruns: 0, same: 0 }
    const findings: Findings = {
      part: { ...PART, size: 'part', seed: 7 },
      done: { kills: [{ task: { pair: 3 }, found: { ...kept, broken: ['two sets have one name'] } }] },
      crashed: [],
    }
    const file = join(aDirectory(), 'kills.json')
    writeFileSync(file, JSON.stringify(findings))
    const main = resolve(import.meta.dirname, 'main.mjs')
    const { status, stdout } = spawnSync(execPath, [main, '--join', file], { encoding: 'utf8' })
    expect(status).toBe(1)
    expect(stdout).toContain(`  two sets have one name\n  npm run proof -- --again 'kills {"pair":3}'\n`)
    expect(stdout.split('\n').at(-2)).toBe('proof, part, --seed 7: 1 promises kept, 1 broken')
  })
})

describe('the command', () => {
  test('accepts a slice, a size and a seed', () => {
    const { part, threads } = readArguments(['--slice', '3/8', '--seed', '7', '--threads', '1'])
    expect([part, threads]).toEqual([{ size: 'whole', seed: 7, slice: 3, of: 8 }, 1])
    expect(readArguments([]).part.seed).toBe(1)
    expect(readArguments(['--size', 'part']).part.seed).toBe(1)
  })

  test.each([
    [['--slice', '9/8'], '--slice requires a number and the number of slices, such as 3/8.'],
    [['--slice', 'x'], '--slice requires a number and the number of slices, such as 3/8.'],
    [['--size', 'large'], '--size must be one of whole, part, sample.'],
    [['--seed', '0'], '--seed must be a whole number from 1.'],
    [['--threads', 'two'], '--threads must be a whole number from 1.'],
    [['--slice', '1/2', '--write'], '--write needs the whole proof'],
    [['--nonsense'], "Unknown option '--nonsense'"],
  ])('refuses %j', (argv, message) => {
    expect(() => readArguments(argv)).toThrow(message)
  })
})

test('withSection replaces one section of the page and nothing else', () => {
  const page = 'a\n<!-- x -->\n\nold\n\n<!-- /x -->\nb\n'
  expect(withSection(page, 'x', 'new\n')).toBe('a\n<!-- x -->\n\nnew\n\n<!-- /x -->\nb\n')
  expect(() => withSection(page, 'y', '')).toThrow('The page has no section "y".')
})

test('each family of the proof has a section of docs/reference/proof.md', () => {
  const page = readFileSync(resolve('docs/reference/proof.md'), 'utf8')
  const names = readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.family.ts'))
    .map(file => basename(file, '.family.ts'))
  expect(names.length).toBeGreaterThan(10)
  for (const name of [...names, 'made']) expect(() => withSection(page, name, ''), name).not.toThrow()
})
