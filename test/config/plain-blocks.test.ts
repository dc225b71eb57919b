import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { DEFAULT_LIMITS } from '../../src/config/limits.ts'
import { loadDesired } from '../../src/config/load.ts'
import { readPlainBlocks } from '../../src/config/plain-blocks.ts'
import { printed } from './printed.ts'
import { FULL, isReadAlike } from './readers.ts'

describe('the quick reader', () => {
  test('accepts the plain style', () => {
    expect(
      [FULL, FULL.replaceAll(/\|.*\n(?: {8}.*\n|\n)*/g, 'x\n').replaceAll('\n', '\r\n')].map(text =>
        isReadAlike(text),
      ),
    ).toEqual([true, true])
  })

  test('agrees with the parser on every beginning of a file', () => {
    let accepted = 0
    for (const text of [FULL, FULL.replaceAll('\n', '\r\n')])
      for (let length = 0; length <= text.length; length++) if (isReadAlike(text.slice(0, length))) accepted++
    expect(accepted).toBeGreaterThan(100)
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

  test('reads many empty lines and comments without recursion', () => {
    expect(readPlainBlocks(`a: b\n${'\n# c\n'.repeat(100_000)}`, DEFAULT_LIMITS)).toMatchObject({
      kind: 'map',
    })
  })
})

describe('the loader gives the same result with and without the quick reader', () => {
  const FIXTURES = join(import.meta.dirname, 'fixtures')
  test.each(readdirSync(FIXTURES))('for %s', async name => {
    const directory = join(FIXTURES, name)
    const [quick, slow] = [
      await loadDesired({ directory }),
      await loadDesired({ directory, parser: 'whole' }),
    ]
    expect(quick).toEqual(slow)
    expect(printed(quick.diagnostics, directory)).toBe(printed(slow.diagnostics, directory))
  })
})
