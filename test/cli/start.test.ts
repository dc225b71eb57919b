import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROOT } from '../proof/place.ts'

const BUNDLE = join(ROOT, 'dist/bundle')

test('--version loads a few kilobytes, and not the program', () => {
  const start = readdirSync(BUNDLE).find(name => /^start-.*\.js$/.test(name)) ?? ''
  const loaded = [...readFileSync(join(BUNDLE, start), 'utf8').matchAll(/^(?:.* = )?require\("\.\/(.+)"\)/gm)]
  const files = [start, ...loaded.map(([, name = '']) => name)]
  expect(files.length).toBeGreaterThan(2)
  const bytes = files.reduce((sum, name) => sum + statSync(join(BUNDLE, name)).size, 0)
  expect(bytes).toBeLessThan(20_000)
})
