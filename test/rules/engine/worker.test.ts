import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const SRC = resolve(import.meta.dirname, '../../../src')

/** Everything that is loaded with a file, without dynamic imports. */
function loadedWith(file: string, seen: Map<string, readonly string[]> = new Map()): typeof seen {
  if (seen.has(file)) return seen
  const text = readFileSync(join(SRC, file), 'utf8')
  const statements = /^(?:import|export)\s+(?!type\s)[^'"()]*?from\s+'([^']+)'/gm
  const targets = [...text.matchAll(statements)].map(match => match[1] ?? '')
  seen.set(
    file,
    targets.filter(to => !to.startsWith('.')),
  )
  for (const to of targets)
    if (to.startsWith('.')) loadedWith(relative(SRC, resolve(SRC, dirname(file), to)), seen)
  return seen
}

test.each(['run/plan', 'cli/commands/apply-command', 'cli/commands/validate-command', 'run/apply'])(
  '%s loads no code for rules before there is a rule',
  command => {
    const loaded = loadedWith(`${command}.ts`)
    expect(loaded.size).toBeGreaterThan(30)
    expect([...loaded.keys()].filter(file => file.startsWith('rules/'))).toEqual([])
    expect([...loaded.values()].flat()).not.toContain('node:worker_threads')
  },
)

test('the thread for rules imports no package, so its file is complete', () => {
  const loaded = loadedWith('rules/judge.ts')
  const packages = [...loaded.values()].flat().filter(name => !name.startsWith('node:'))
  expect(packages).toEqual([])
})
