import fc from 'fast-check'
import { expect, test } from 'vitest'
import { loadDesired } from '../../src/config/load.ts'
import { exportFiles } from '../../src/export/new-files.ts'
import { Redactor } from '../../src/model/secret.ts'
import { exportFrom, updatedFiles } from '../../src/run/export-organization.ts'
import type { SandboxSeed, SetSeed } from '../../src/sandbox/index.ts'
import { inDirectory } from '../config/load-text.ts'
import { plannedFor } from '../support/prepare.ts'
import { aWorld, type World } from '../support/world.ts'
import { arbitraryService } from './arbitrary-service.ts'

const REQUEST = {
  organization: 'acme',
  only: [],
  owns: [],
  known: new Redactor(),
}
const SETPOINT = 'organization: acme\n'

interface Updated {
  /** The files after the update. */
  readonly files: Readonly<Record<string, string>>
  readonly diagnostics: readonly string[]
  /** Operations of a plan of the updated files. */
  readonly steps: readonly string[] | undefined
}

/** Writes the live values of every set to the files, and plans them. */
async function update(
  world: World,
  files: Readonly<Record<string, string>>,
  patterns: readonly string[] = ['*'],
): Promise<Updated> {
  const all = { 'setpoint.yaml': SETPOINT, 'sets/none.yaml': 'variableSets: {}\n', ...files }
  const load = (now: Readonly<Record<string, string>>) =>
    inDirectory(now, directory => loadDesired({ directory }))
  const before = await load(all)
  if (before.value === undefined) throw new Error(JSON.stringify(before.diagnostics))
  const { value, diagnostics } = await updatedFiles(world, {
    desired: before.value,
    patterns,
    read: async path => files[path] ?? '',
    known: new Redactor(),
  })
  const reported = diagnostics.map(({ severity, code, message }) => `${severity} ${code} ${message}`)
  const after = { ...files, ...Object.fromEntries((value ?? []).map(({ path, text }) => [path, text])) }
  const { value: desired, diagnostics: wrong } = await load({ ...all, ...after })
  if (desired === undefined) throw new Error(JSON.stringify(wrong))
  const { value: prepared } = await plannedFor(desired, world, patterns)
  return { files: after, diagnostics: reported, steps: prepared?.plan.steps.map(({ id }) => id) }
}

test('after export --update of any differences, a plan has no changes', async () => {
  let edited = 0
  await fc.assert(
    fc.asyncProperty(arbitraryService, arbitraryService, async (first, second) => {
      // The same sets in another state: the files of the first state must become those of the second.
      const sets = (first.sets ?? []).map((set, i): SetSeed => {
        const { parent, ...other } = second.sets?.[i] ?? set
        const isGlobal = set.global ?? false
        return {
          ...other,
          id: set.id ?? '',
          name: set.name,
          global: isGlobal,
          ...(isGlobal || parent === undefined ? {} : { parent }),
        }
      })
      const changed: SandboxSeed = { ...first, sets }
      const exported = await exportFrom(await aWorld([], { seed: first }), REQUEST)
      const texts = exportFiles(exported.sets, '').map(({ path, text }) => [`sets/${path}`, text] as const)
      const world = await aWorld([], { seed: changed })
      // An export reports the same things as inexpressible.
      const whole = await exportFrom(world, REQUEST)
      const places = whole.observed.sets.map(({ name, parent }) => `${parent} ${name}`)
      // Only ids distinguish sets with the same name and owner.
      if (new Set(places).size < places.length) return
      const lost = exported.sets.some(({ name }) => !whole.sets.some(set => set.name === name))
      const unnamed = whole.diagnostics.some(({ message }) => message.includes('cannot name'))
      if (lost || unnamed || texts.length === 0) return
      const result = await update(world, Object.fromEntries(texts))
      const errors = result.diagnostics.filter(one => one.startsWith('error'))
      // An external key stays after its variable is gone, and may look like a new one.
      if (errors.some(one => one.includes('looks the same'))) return
      expect({ steps: result.steps, errors }).toEqual({ steps: [], errors: [] })
      edited++
    }),
    { numRuns: 100, seed: 3 },
  )
  expect(edited).toBeGreaterThan(30)
})

test('comments stay where all variables of a category go', async () => {
  const B = { key: 'B', value: 'y', category: 'terraform' } as const
  const world = await aWorld([{ name: 'a', variables: [B] }])
  const env = 'env: # of env\n      # about A\n      A: x'
  const text = `variableSets:\n  a:\n    ${env}\n    terraform:\n      B: y\n`
  const { files } = await update(world, { 'sets/a.yaml': text })
  expect(files['sets/a.yaml']).toBe(text.replace(env, 'env: {} # of env\n      # about A'))
})
