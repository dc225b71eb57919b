import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS, type Limits } from '../../src/config/limits.ts'
import { loadDesired } from '../../src/config/load.ts'
import { parseFile } from '../../src/config/parse.ts'
import { readPlainBlocks } from '../../src/config/plain-blocks.ts'
import { sourceFile } from '../../src/config/source-file.ts'
import { textOfFile } from '../../src/config/text.ts'
import { Findings } from '../../src/model/findings.ts'
import { arbitraryYaml, MUTATIONS } from './arbitrary-yaml.ts'
import { loadText } from './load-text.ts'
import { printed } from './printed.ts'

/** What the whole parser makes of it: a tree, or mistakes. */
function whole(text: string, limits: Limits = DEFAULT_LIMITS) {
  const findings = new Findings()
  const tree = parseFile(sourceFile('sets/a.yaml', text), limits, findings)
  return findings.diagnostics.length === 0 ? tree : findings.diagnostics
}

/** Whether the quick reader took it; then the tree, places included, is the parser's. */
function isTakenAlike(text: string, limits: Limits = DEFAULT_LIMITS): boolean {
  // A text that the loader refuses before any parser sees it is no matter here.
  if (textOfFile('a.yaml', new TextEncoder().encode(text), new Findings()) === undefined) return false
  const tree = readPlainBlocks(text, limits)
  if (tree === undefined) return false
  expect(tree, JSON.stringify(text)).toEqual(whole(text, limits))
  return true
}

const ROOT = resolve(import.meta.dirname, '../..')
const yamlUnder = (directory: string) =>
  readdirSync(join(ROOT, directory), { recursive: true, encoding: 'utf8' })
    .filter(path => /\.ya?ml$/.test(path) && !path.includes('node_modules'))
    .map(path => readFileSync(join(ROOT, directory, path), 'utf8'))
const REAL = [...yamlUnder('test/config/fixtures'), ...yamlUnder('examples'), ...yamlUnder('docs')]
const FULL = `---
# Sets of the network team
bases:
  aws: { env: { REGION: eu-west-1, ROLE: { required: true } } }  # two
variableSets:
  one: # comment

    from: aws
    description: "Keys: of the role"
    workspaces: [network-prod, { name: 'its' }]
    projects:
    - platform   # why
    - { name: prj }
    env:
      ROLE: deploy-it #not a comment
      KEY: { secret: { name: KEY, version: 2026-11 } }
      URL: https://example.com:8080/a?b=c&d=[e]
    terraform:
      text:
        value: |
          first { [
            second "

          third
      list:
        data:
          - 1.10
          -   "x"
      last: |-
        a: b
  two: {}
removed: []
`

describe('the quick reader', () => {
  test('takes the plain style', () => {
    expect(
      [FULL, FULL.replaceAll(/\|.*\n(?: {8}.*\n|\n)*/g, 'x\n').replaceAll('\n', '\r\n')].map(text =>
        isTakenAlike(text),
      ),
    ).toEqual([true, true])
  })

  test('gives the tree of the parser, or nothing, for texts that are nearly YAML', () => {
    let taken = 0
    fc.assert(
      fc.property(arbitraryYaml, text => {
        if (isTakenAlike(text)) taken++
      }),
      { numRuns: 20_000, seed: 11 },
    )
    expect(taken).toBeGreaterThan(4_000)
  })

  test('of every beginning of a file', () => {
    let taken = 0
    for (const text of [FULL, FULL.replaceAll('\n', '\r\n')])
      for (let length = 0; length <= text.length; length++) if (isTakenAlike(text.slice(0, length))) taken++
    expect(taken).toBeGreaterThan(100)
  })

  test('of files as they are written, and with pieces moved, doubled, lost or put in', () => {
    let taken = 0
    fc.assert(
      fc.property(
        fc.constantFrom(FULL, ...REAL),
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
            if (isTakenAlike(changed)) taken++
        },
      ),
      { numRuns: 4_000, seed: 12 },
    )
    expect(taken).toBeGreaterThan(3_000)
  })

  test('with limits that are near', () => {
    const limits = { ...DEFAULT_LIMITS, depth: 3, keysPerMap: 4 }
    fc.assert(
      fc.property(arbitraryYaml, text => {
        isTakenAlike(text, limits)
      }),
      { numRuns: 3_000, seed: 13 },
    )
  })

  test.each([
    ['commas and bars', `a: ${'x,'.repeat(100_000)}\t`],
    ['colons', `a: ${'x:'.repeat(100_000)}\t`],
    ['spaces', `a: x${' '.repeat(100_000)}\t`],
    ['open brackets', `a: ${'['.repeat(100_000)}`],
    ['depth', Array.from({ length: 1_000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['a long key', `${'a'.repeat(1_100)}: b`],
    ['many entries', 'a: b\n'.repeat(100_000)],
    ['empty brackets', `a: [${'[],'.repeat(20_000)}b]`],
    ['a block without an end', `a: |\n${'  b\n\n'.repeat(100_000)}`.trimEnd()],
  ])('leaves %s to the parser', (_, text) => {
    expect(readPlainBlocks(text, DEFAULT_LIMITS)).toBeUndefined()
  })

  test('reads empty lines and comments without going deeper', () => {
    expect(readPlainBlocks(`a: b\n${'\n# c\n'.repeat(100_000)}`, DEFAULT_LIMITS)).toMatchObject({
      kind: 'map',
    })
  })
})

describe('with the switch on and off the loader says the same', () => {
  const FIXTURES = join(import.meta.dirname, 'fixtures')
  test.each(readdirSync(FIXTURES))('of %s', async name => {
    const directory = join(FIXTURES, name)
    const [quick, slow] = [
      await loadDesired({ directory }),
      await loadDesired({ directory, parser: 'whole' }),
    ]
    expect(quick).toEqual(slow)
    expect(printed(quick.diagnostics, directory)).toBe(printed(slow.diagnostics, directory))
  })

  test('of files with a mistake anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat({ max: FULL.length }), fc.constantFrom(...MUTATIONS), async (at, piece) => {
        const text = FULL.slice(0, at) + piece + FULL.slice(at)
        expect(await loadText(text)).toEqual(await loadText(text, { parser: 'whole' }))
      }),
      { numRuns: 400, seed: 14 },
    )
  })
})
