import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/**
 * An abort inside a parser cannot be caught (docs/fault-model.md F-62), so these run in a child process, which needs the
 * compiled code.
 */
const ROOT = resolve(import.meta.dirname, '../..')
let place = ''

beforeAll(() => {
  mkdirSync(join(ROOT, 'node_modules/.cache'), { recursive: true })
  // Inside the repository, so that the child process finds the packages.
  place = mkdtempSync(join(ROOT, 'node_modules/.cache/config-'))
  writeFileSync(join(place, 'package.json'), '{"type":"module"}')
  writeFileSync(
    join(place, 'child.js'),
    `import { loadDesired } from ${JSON.stringify(join(ROOT, 'dist/config/load.js'))}
const { value, diagnostics } = await loadDesired({ directory: process.argv[2] })
for (const { source, code } of diagnostics) console.log(source.path + ' ' + code)
process.exitCode = value === undefined ? 1 : 0
`,
  )
})
afterAll(() => rmSync(place, { recursive: true, force: true }))

/** Loads the texts as the set files of one repository in one child. */
function loadInChild(texts: Readonly<Record<string, string>>) {
  const directory = mkdtempSync(join(place, 'files-'))
  mkdirSync(join(directory, '.git'))
  mkdirSync(join(directory, 'sets'))
  writeFileSync(join(directory, 'setpoint.yaml'), 'organization: acme\n')
  for (const [name, text] of Object.entries(texts)) writeFileSync(join(directory, `sets/${name}.yaml`), text)
  const { status, signal, stdout, stderr } = spawnSync(
    process.execPath,
    ['--max-old-space-size=1500', join(place, 'child.js'), directory],
    { encoding: 'utf8' },
  )
  const codes = stdout
    .trim()
    .split('\n')
    .map(line => line.split(' '))
  return {
    status,
    signal,
    stderr,
    codes: Object.fromEntries(codes.map(([path, code]) => [path?.slice(5, -5), code])),
  }
}

const NESTED = {
  list: (n: number) => '['.repeat(n),
  closed: (n: number) => '['.repeat(n) + ']'.repeat(n),
  map: (n: number) => '{a: '.repeat(n),
  dashes: (n: number) => '- '.repeat(n),
  questions: (n: number) => '? '.repeat(n),
  keys: (n: number) => 'a: '.repeat(n),
  keysInList: (n: number) => `[${'a: '.repeat(n)}`,
  lines: (n: number) => '[\n'.repeat(n),
  quoted: (n: number) => '["", '.repeat(n),
  commented: (n: number) => '[ # ]\n'.repeat(n),
  // Broken text that nests without any indentation.
  broken: (n: number) => `"x" ${'a:\na: '.repeat(n)}`,
  value: (n: number) => `variableSets: { a: { terraform: { A: { data: ${'['.repeat(n)}`,
} as const

describe('nesting', () => {
  test.each([100, 1000, 20_000, 1_000_000])(
    '%i levels deep in every form, all files in one run',
    { tags: ['F-62'] },
    depth => {
      const texts = Object.fromEntries(Object.entries(NESTED).map(([name, text]) => [name, text(depth)]))
      const { status, signal, codes } = loadInChild(texts)
      expect([status, signal, Object.keys(codes).toSorted()]).toEqual([
        1,
        null,
        Object.keys(NESTED).toSorted(),
      ])
      for (const code of Object.values(codes))
        expect(['file-limit', 'yaml-syntax', 'wrong-type']).toContain(code)
    },
  )

  test('by indentation', () => {
    const text = Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')
    expect(loadInChild({ a: text })).toEqual({
      status: 1,
      signal: null,
      stderr: '',
      codes: { a: 'file-limit' },
    })
  })

  test('in two files, the second one deeper, does not abort the process', { tags: ['F-62'] }, () => {
    const { status, codes } = loadInChild({ a: '[\n'.repeat(5000), b: '[\n'.repeat(20_000) })
    expect([status, codes]).toEqual([1, { a: 'file-limit', b: 'file-limit' }])
  })
})

describe('size', () => {
  const full = (unit: string, start = '') =>
    start + unit.repeat(Math.floor((8 * 1024 * 1024 - start.length) / unit.length))

  test.each([
    ['commas', full(',', '['), 'file-limit'],
    ['empty maps', full('{}\n'), 'file-limit'],
    ['tags', full('! ', '['), 'yaml-feature'],
    ['anchors', full('&a ', '['), 'yaml-feature'],
    ['aliases', full('*a,', '['), 'yaml-feature'],
    ['directives', full('%a\n'), 'yaml-feature'],
    ['documents', full('---\n'), 'file-limit'],
    ['quotes', full('" "', '["'), 'file-limit'],
    ['keys', full('a:\n'), 'file-limit'],
    ['items', full('a,', '['), 'file-limit'],
    ['empty keys', full(':,', '['), 'file-limit'],
  ])('8 MiB of %s', { tags: ['F-63', 'I-24'] }, (_, text, code) => {
    const { status, codes } = loadInChild({ a: text })
    expect([status, codes]).toEqual([1, { a: code }])
  })

  test.each([
    [
      'variables',
      (count: number) => `variableSets:\n  a:\n    env:\n${'      A: a\n'.repeat(count)}`,
      240_000,
    ],
    ['items', (count: number) => `[${'a,'.repeat(count)}`, 660_000],
  ])('%s just below the limit of tokens are read to the end', { tags: ['F-63'] }, (_, text, count) => {
    const below = loadInChild({ a: text(count) })
    expect([below.status, below.signal, below.codes.a]).not.toContain('file-limit')
    expect(below.signal).toBe(null)
    expect(loadInChild({ a: text(count * 1.2) }).codes).toEqual({ a: 'file-limit' })
  })

  test('a long string is read', { tags: ['F-71'] }, () => {
    const text = `variableSets:\n  a:\n    terraform:\n      A: "${'x'.repeat(4_000_000)}"\n`
    expect(loadInChild({ a: text })).toMatchObject({ status: 0, codes: { a: 'service-limit' } })
  })

  test('anchors and aliases are refused, so they cannot expand', { tags: ['F-64'] }, () => {
    const bomb = Array.from({ length: 9 }, (_, level) =>
      level === 0 ? 'a0: &a0 [x, x, x]' : `a${level}: &a${level} [${Array(9).fill(`*a${level - 1}`)}]`,
    ).join('\n')
    const circle = 'a: &x [*x]\n'
    expect(loadInChild({ bomb, circle })).toMatchObject({
      status: 1,
      codes: { bomb: 'yaml-feature', circle: 'yaml-feature' },
    })
  })
})

test('a circular link is a mistake, and does not cause an endless loop', () => {
  const directory = mkdtempSync(join(place, 'circle-'))
  mkdirSync(join(directory, 'sets'))
  symlinkSync('..', join(directory, 'sets/up'))
  writeFileSync(join(directory, 'setpoint.yaml'), 'organization: acme\n')
  writeFileSync(join(directory, 'sets/a.yaml'), 'variableSets: {}\n')
  expect(spawnSync(process.execPath, [join(place, 'child.js'), directory]).status).toBe(1)
})
