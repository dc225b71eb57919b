import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { choose } from './choose.ts'
import { Imports, importedBy } from './imports.ts'
import { judgeSuite } from './judge-suite.ts'
import { type Mutation, mutated, mutationsOf } from './mutations.ts'
import { section, told } from './section.ts'

const FOLDERS = ['src/api', 'src/apply', 'src/config', 'src/plan']

const root = mkdtempSync(join(tmpdir(), 'setpoint-mutations-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const changesOf = (text: string): string[] =>
  mutationsOf('src/plan/a.ts', text)
    .map(mutation => mutated(text, mutation))
    .sort()

test.each([
  ['a && b', ['(a || b)']],
  ['a < b', ['(a <= b)']],
  ['a - b', ['(a + b)']],
  ['(a || b) && c', ['((a || b) || c)', '((a && b)) && c'].sort()],
  ['a ?? b', ['a', 'b']],
  ['!a', ['a']],
  ['a as true', []],
])('an expression: %s', (expression, wanted) => {
  expect(changesOf(`const x = ${expression}`)).toEqual(wanted.map(text => `const x = ${text}`))
})

test.each([
  ['if (a) b = c', ['if (!(a)) b = c', 'if (true) b = c', 'if (false) b = c', 'if (a) {}']],
  ['f(a)', ['{}']],
  ['x = [a, b]', ['{}', 'x = []', 'x = [b]', 'x = [a]']],
  ['x = [a]', ['{}', 'x = []']],
  ['x = { a, ...b }', ['{}', 'x = { ...b }', 'x = { a }']],
  ['x = a.filter(b)', ['{}', 'x = a']],
  ['x = a.some(b)', ['{}', 'x = a.every(b)']],
  ['x = () => y', ['{}', 'x = () => undefined', 'x = () => []', "x = () => ''"]],
  ['x = () => []', ['{}', 'x = () => undefined', "x = () => ''"]],
  ['x = true', ['{}', 'x = false']],
])('a statement: %s', (statement, wanted) => {
  expect(changesOf(statement)).toEqual([...wanted].sort())
})

test('offsets count characters, whatever their encoding', () => {
  expect(changesOf("const x: 'ü€😀' = 'ü€😀'; f(a)")).toEqual(["const x: 'ü€😀' = 'ü€😀'; {}"])
})

test('the same seed chooses the same mutations that compile, another seed others, each folder by its size', async () => {
  for (const folder of FOLDERS) {
    const lines = Array.from({ length: folder === 'src/plan' ? 60 : 20 }, (_, i) => `f(${'a'.repeat(i + 1)})`)
    write(`${folder}/a.ts`, lines.join('\n'))
  }
  const short = async (some: Parameters<Parameters<typeof choose>[3]>[0]) =>
    some.filter(({ start }) => start % 2 === 0)
  const chosen = await choose(root, 12, 1, short)
  const plan = chosen.filter(({ file }) => file.startsWith('src/plan/'))
  expect([chosen.length, plan.length]).toEqual([12, 9])
  expect(chosen.filter(({ start }) => start % 2 !== 0)).toEqual([])
  expect(await choose(root, 12, 1, short)).toEqual(chosen)
  expect(await choose(root, 12, 2, short)).not.toEqual(chosen)
  const alone = await choose(root, 5, 1, short, ['src/api'])
  expect(alone.map(({ file }) => file)).toEqual(Array(5).fill('src/api/a.ts'))
})

test('imports of types do not count, and imports through other files do', () => {
  const text = [
    "import type { A } from './a.ts'",
    "import { type B, c } from './b.ts'",
    "export * from './d.ts'",
    "export type { Q } from './q.ts'",
    "const e = await import('./e.ts')",
  ].join('\n')
  expect(importedBy('x.ts', text)).toEqual(['./b.ts', './d.ts', './e.ts'])
})

test('the tests of a file are those that import it, those of its folder and the closest first', () => {
  write('src/api/wanted.ts', 'export const wanted = 1')
  write('src/api/user.ts', "export * from './wanted.ts'")
  write('test/far.test.ts', "import '../src/api/user.ts'")
  write('test/near.test.ts', "import '../src/api/wanted.ts'")
  write('test/api/placed.test.ts', "import '../../src/api/user.ts'")
  write('test/other.test.ts', "import type { wanted } from '../src/api/wanted.ts'")
  expect(new Imports(root).testsOf('src/api/wanted.ts')).toEqual([
    join(root, 'test/api/placed.test.ts'),
    join(root, 'test/near.test.ts'),
    join(root, 'test/far.test.ts'),
  ])
})

test('a mutation that a test finds, and a survivor, in a copy that is removed', async () => {
  const source = mkdtempSync(join(root, 'repository-'))
  const put = (path: string, text: string): void => write(join(basename(source), path), text)
  const text = "export const kept = (list: string[]): string[] => list.filter(one => one !== '')\n"
  put('package.json', JSON.stringify({ type: 'module', scripts: { build: 'node --version' } }))
  put(
    'tsconfig.build.json',
    JSON.stringify({ compilerOptions: { strict: true, types: [] }, include: ['src'] }),
  )
  put('vitest.config.ts', 'export default {}\n')
  for (const folder of FOLDERS) put(`${folder}/kept.ts`, text)
  const testing = (folder: string, list: string, name = basename(folder)): void =>
    put(
      `test/${name}.test.ts`,
      `import { expect, test } from 'vitest'
      import { kept } from '../${folder}/kept.ts'
      test('kept', () => expect(kept(${list})).toEqual(['a']))`,
    )
  testing('src/api', "['a', '']")
  testing('src/plan', "['a']")
  // The test that found a mutation before runs first.
  testing('src/api', "['a', '']", 'later')
  const found: string[] = []
  const mutations = FOLDERS.map(folder => `${folder}/kept.ts`).map(file => ({
    ...(mutationsOf(file, text).find(one => one.replacement === 'list') as Mutation),
  }))
  const { results, useless } = await judgeSuite({
    source,
    tests: source,
    mutations: mutations.filter(({ file }) => /api|plan/.test(file)),
    earlier: mutations
      .slice(0, 1)
      .map(mutation => ({ mutation, found: 'near', by: 'test/later.test.ts: kept' })),
    count: 0,
    seed: 1,
    seconds: 60,
    whole: 1,
    workers: 1,
    onProgress: (_, line) => found.push(line),
  })
  expect(results.judged.map(({ mutation: { file }, found, by }) => [file, found, by])).toEqual([
    ['src/api/kept.ts', 'near', 'test/later.test.ts: kept'],
    ['src/plan/kept.ts', 'survived', undefined],
  ])
  expect(useless).toEqual([])
  expect(told(results.judged, [])).toContain('1 survived.')
  expect(section([results])).toContain('| `src/plan/kept.ts` | ')
  expect(readFileSync(join(source, 'src/plan/kept.ts'), 'utf8')).toBe(text)
})
