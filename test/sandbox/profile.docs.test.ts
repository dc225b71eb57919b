import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSandbox, parseFaults, parseSeed, withFaults } from '../../src/sandbox/index.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/sandbox.md'), 'utf8')
const blocks = (language: string) =>
  [...PAGE.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(found => found[1] ?? '')

test('the example of docs/sandbox.md runs and prints the output that is shown there', async () => {
  const [example = ''] = blocks('ts')
  const printed: unknown[][] = []
  const code = example.replace(/^import .*$/m, '')
  const AsyncFunction = (async () => undefined).constructor as FunctionConstructor
  const run = new AsyncFunction('createSandbox', 'withFaults', 'console', code)
  await run(createSandbox, withFaults, { log: (...values: unknown[]) => printed.push(values) })
  expect(printed).toEqual([[200], ['TransportError', 'maybe'], [['aws', 'gcp']]])
})

test('the seed and the fault schedule of docs/sandbox.md are valid', async () => {
  const seed = blocks('yaml').find(text => text.includes('sets:')) ?? ''
  const faults = blocks('yaml').find(text => text.includes('probability:')) ?? ''
  const sandbox = await createSandbox({ seed: parseSeed(seed) })
  expect(sandbox.snapshot().sets?.map(set => [set.name, set.variables?.length])).toEqual([
    ['aws', 2],
    ['platform-only', 0],
  ])
  expect(parseFaults(faults).probability).toBe(0.05)
  await sandbox.close()
})
