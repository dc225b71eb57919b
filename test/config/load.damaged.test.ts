import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkForm } from '../../src/config/form.ts'
import { Budget, DEFAULT_LIMITS } from '../../src/config/loader-limits.ts'
import { parseFile } from '../../src/config/parse.ts'
import { ReadRule } from '../../src/config/read.ts'
import { readSetFile } from '../../src/config/set-file.ts'
import { setsForm } from '../../src/config/sets-valid.gen.ts'
import { sourceFile, textOfFile } from '../../src/config/source-file.ts'
import { checkKeys } from '../../src/config/tree.ts'
import { Documents } from '../../src/config/yaml-documents.ts'
import { hasErrors } from '../../src/model/diagnostic.ts'
import { Findings } from '../../src/model/findings.ts'
import { loadText } from './load-text.ts'

const documents = new Documents({
  root: '/nowhere',
  rule: new ReadRule('/nowhere', {}),
  limits: DEFAULT_LIMITS,
  budget: new Budget(DEFAULT_LIMITS, new Findings()),
  findings: new Findings(),
})

/** Reads a set file from its bytes, as `loadDesired` does, without a disk. */
function read(bytes: Uint8Array) {
  const findings = new Findings()
  const { diagnostics } = findings
  const file = textOfFile('a.yaml', bytes, findings)
  const tree = file && parseFile(file, findings)
  if (file === undefined || tree === undefined) return { sets: undefined, diagnostics }
  checkKeys(tree, file, findings)
  checkForm(tree, setsForm, file, findings)
  const reading = { ...documents.reading('/nowhere/a.yaml', file), findings }
  const { sets } = readSetFile(tree, { ...reading, textOf: () => 'x' })
  return { sets: hasErrors(diagnostics) ? undefined : sets, diagnostics }
}

const FIXTURES = join(import.meta.dirname, 'fixtures')
const SAMPLE = `# Sets of the network team
bases:
  aws: { env: { REGION: eu-west-1, ROLE: { required: true } } }
variableSets:
  one: # comment
    from: aws
    description: "Keys: of the\\u00e9 role"
    workspaces: [network-prod, { name: 'it''s' }]
    env:
      ROLE: deploy
      KEY: { secret: { name: KEY, version: 2026-11 } }
    terraform:
      text: |
        first { [
        second "
      folded: >-
        a
        b
      data: { data: [1.10, { a: null, "b": '\${x}' }] }
  two: {}
removed: [legacy]
...
`

describe('a truncated file', () => {
  test('has fewer sets or an error, and does not throw, wherever it is truncated', { tags: ['F-61'] }, () => {
    const bytes = new TextEncoder().encode(SAMPLE)
    const whole = read(bytes)
    expect([whole.sets?.length, whole.diagnostics]).toEqual([2, []])
    let readable = 0
    for (let length = 0; length < bytes.length; length++) {
      const { sets, diagnostics } = read(bytes.subarray(0, length))
      if (sets === undefined)
        expect(hasErrors(diagnostics) || /^\s*(#.*\s*)*$/.test(SAMPLE.slice(0, length))).toBe(true)
      else readable++
    }
    expect(readable).toBeGreaterThan(0)
  })

  test('does not throw, for every fixture', () => {
    for (const path of readdirSync(FIXTURES, { recursive: true, encoding: 'utf8' })) {
      if (!path.endsWith('.yaml')) continue
      const bytes = readFileSync(join(FIXTURES, path)).subarray(0, 1500)
      for (let length = 0; length <= bytes.length; length += 7) read(bytes.subarray(0, length))
    }
  })
})

describe('no input makes the reader throw', () => {
  const always = { numRuns: 400, seed: 20261121 }

  test('random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), bytes => {
        const { sets, diagnostics } = read(bytes)
        // There are sets only without errors.
        return sets === undefined || sets.length === 0 || !hasErrors(diagnostics)
      }),
      always,
    )
  })

  test('texts that are nearly YAML', { tags: ['I-24'] }, () => {
    const parts = fc.constantFrom(
      ...'variableSets:|\n|  |    |one:| |- |? |: |[|]|{|}|,|"|\'|\\|#| #|&a|*a|!t|!!str|<<|%YAML 1.2|---|...|>|| |-|\t|\r\n|\r|\0|env:|A|data:|file:|secret:|null|~|1.0|é|\ud800|\ufeff|=======|<<<<<<<|removed:|bases:|from:|__proto__:'.split(
        '|',
      ),
      '|',
    )
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 60 }), pieces => {
        read(new TextEncoder().encode(pieces.join('')))
      }),
      { ...always, numRuns: 2000 },
    )
  })

  test('a valid file with pieces moved, duplicated or removed', () => {
    const bytes = new TextEncoder().encode(SAMPLE)
    const cut = fc.nat({ max: bytes.length })
    fc.assert(
      fc.property(cut, cut, cut, (a, b, c) => {
        const [from, to] = a < b ? [a, b] : [b, a]
        const moved = [...bytes.subarray(0, c), ...bytes.subarray(from, to), ...bytes.subarray(c)]
        read(Uint8Array.from(moved))
        read(Uint8Array.from([...bytes.subarray(0, from), ...bytes.subarray(to)]))
      }),
      always,
    )
  })
})

describe('no diagnostic quotes a value', () => {
  const CANARY = 'c4n4ry'
  const text = `variableSets:
  one:
    description: ${CANARY}-1
    env:
      A: ${CANARY}-2
      B: "${CANARY}-3"
      C: { value: '${CANARY}-4', description: ${CANARY} }
      D: { secret: ${CANARY} }
    terraform:
      E: { hcl: ${CANARY}-5 }
      F: { data: [${CANARY}, { x: ${CANARY} }] }
      G: |
        ${CANARY}
        ${CANARY}
`
  const reported = (changed: string): string => {
    const { diagnostics } = read(new TextEncoder().encode(changed))
    return JSON.stringify(diagnostics)
  }

  test.each([...':-"\'{}[]#&*!|>%@`,\n\t\\?<~'.split(''), ' x: ', '!!int ', '&a ', '<<: ', '\u0007', '\\q'])(
    'with %j inserted anywhere in a value',
    { tags: ['F-69'] },
    piece => {
      const values = [...text.matchAll(new RegExp(CANARY, 'g'))].map(match => match.index)
      for (const at of values)
        for (const offset of [0, 3, CANARY.length]) {
          const changed = text.slice(0, at + offset) + piece + text.slice(at + offset)
          // A piece that turns the rest into a key is another case, because messages show keys.
          const isKey = /c4n4?r?y?\s*: /.test(changed.replaceAll(/(description|hcl|value): /g, ''))
          if (!isKey) expect(reported(changed)).not.toContain('c4n')
        }
    },
  )

  test.each([
    'env: { A: [c4n4ry] }',
    'env: { A: { secret: c4n4ry-x } }',
    'env: { A: { secret: { name: "c4n4ry x" } } }',
    'env: { A: { external: c4n4ry } }',
    'env: { A: { value: x, secret: c4n4ry } }',
    'terraform: { A: { data: [0123, c4n4ry, +1] } }',
    'global: c4n4ry',
    'id: c4n4ry',
    'workspaces: c4n4ry',
    'env: c4n4ry',
    'env: { A: { sensitive: true, value: c4n4ry } }',
  ])('%s', body => {
    const message = reported(`variableSets: { one: { ${body} } }\n`)
    expect(message).toContain('"severity":"error"')
    expect(message).not.toContain('c4n')
  })
})

test('a file may lack the last line break, or end with a document end marker', () => {
  const withSets = (text: string) => read(new TextEncoder().encode(text)).sets?.map(({ name }) => name)
  expect(withSets('variableSets: { a: {} }')).toEqual(['a'])
  expect(withSets('---\nvariableSets: { a: {} }\n...\n')).toEqual(['a'])
  expect(withSets('variableSets: { a: {} }\n... # end\n# more\n')).toEqual(['a'])
})

test('lines and columns of places count from 1, also after CRLF', () => {
  const file = sourceFile('a.yaml', 'a\r\nbc\n\nd')
  expect(
    [0, 1, 3, 4, 6, 7, 8].map(offset => file.at(offset)).map(({ line, column }) => [line, column]),
  ).toEqual([
    [1, 1],
    [1, 2],
    [2, 1],
    [2, 2],
    [3, 1],
    [4, 1],
    [4, 2],
  ])
})

test('of a file with syntax errors the first is reported, and all mistakes of the other files', async () => {
  const good = 'variableSets:\n  one:\n    global: nothing\n  two: { env: { A: ~ } }\n'
  for (const damage of ['"x', "'x", '[x', '{ x', '@x', 'x: y', '"x"y']) {
    const broken = `variableSets:\n  a:\n    env:\n      X: ${damage}\n  b:\n    global: nothing\n    env:\n      Y: ${damage}\n`
    const { value, diagnostics } = await loadText({ 'sets/a.yaml': broken, 'sets/b.yaml': good })
    const found = diagnostics.map(({ code, source }) => `${source?.path}:${source?.line} ${code}`)
    expect([damage, value, found]).toEqual([
      damage,
      undefined,
      ['sets/a.yaml:4 yaml-syntax', 'sets/b.yaml:3 wrong-type', 'sets/b.yaml:4 null-value'],
    ])
  }
})

test('each line with control characters is one mistake, and a file that is no text is one altogether', async () => {
  const text = 'variableSets:\n  a: { env: { A: "\u0007\u0007" } }\n  b: { env: { A: "\u0007" } }\n'
  const linesOf = async (bytes: Buffer) =>
    (await loadText(bytes)).diagnostics.map(({ code, source }) => `${source?.line} ${code}`)
  expect(await linesOf(Buffer.from(text))).toEqual(['2 yaml-syntax', '3 yaml-syntax'])
  expect(await linesOf(Buffer.from(text, 'utf16le'))).toEqual(['1 yaml-syntax'])
})
