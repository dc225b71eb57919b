import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadDesired } from '../../src/config/load.ts'
import { printed } from './printed.ts'

const FIXTURES = join(import.meta.dirname, 'fixtures')

describe('every mistake is a located diagnostic', () => {
  test.each(readdirSync(FIXTURES))('%s', { tags: ['F-67', 'F-70'] }, async name => {
    const directory = join(FIXTURES, name)
    const { value, diagnostics } = await loadDesired({ directory })
    expect(value === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'))
    // docs/plan-and-apply.md: every mistake in a file names its line and column.
    for (const { source } of diagnostics)
      expect(source).toMatchObject({ line: expect.any(Number), column: expect.any(Number) })
    await expect(printed(diagnostics, directory)).toMatchFileSnapshot(join(directory, 'expected.txt'))
  })
})
