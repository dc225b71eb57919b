import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { loadDesired } from '../../src/config/load.ts'
import { exportFiles, exportText } from '../../src/export/new-files.ts'
import { Redactor } from '../../src/model/secret.ts'
import { type ExportRun, exportFrom } from '../../src/run/export-organization.ts'
import { type Profile, type SandboxSeed, SERVERS, type ServerName } from '../../src/sandbox/index.ts'
import { inDirectory } from '../config/load-text.ts'
import { arbitraryService } from '../export/arbitrary-service.ts'
import { plannedFor } from '../support/prepare.ts'
import { aWorld } from '../support/world.ts'

const REQUEST = {
  organization: 'acme',
  only: [],
  owns: [],
  known: new Redactor(),
}

/** Exports, loads the files with the real loader, plans, and exports the loaded state. */
async function roundTrip(seed: SandboxSeed, profile: Partial<Profile>, isOneFile: boolean): Promise<void> {
  const world = await aWorld([], { seed, profile })
  const exported = await exportFrom(world, REQUEST)
  expect(exported.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  const files = isOneFile
    ? [{ path: 'all.yaml', text: exportText(exported.sets, '../') }]
    : exportFiles(exported.sets, '../')
  expect(new Set(files.map(({ path }) => path.toLowerCase())).size).toBe(files.length)
  for (const { path } of files) expect(path).toMatch(/^[a-z0-9_][a-z0-9._-]*\.yaml$/)
  const texts = Object.fromEntries(files.map(({ path, text }) => [`sets/${path}`, text]))
  const loaded = await inDirectory(
    { 'setpoint.yaml': 'organization: acme\n', 'sets/none.yaml': 'variableSets: {}\n', ...texts },
    directory => loadDesired({ directory }),
  )
  expect(loaded.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  if (loaded.value === undefined) throw new Error('not loaded')
  expect(exportText(loaded.value.sets, '')).toBe(exportText(exported.sets, ''))
  const { value: prepared, diagnostics } = await plannedFor(loaded.value, world, [])
  expect({
    steps: prepared?.plan.steps,
    errors: diagnostics.filter(one => one.severity === 'error'),
  }).toEqual({ steps: [], errors: [] })
  expectAllReported(exported)
}

/** Everything that is not in the files is in a diagnostic. */
function expectAllReported({ observed, ids, diagnostics }: ExportRun): void {
  const reported = diagnostics.map(({ message }) => message).join('\n')
  for (const live of observed.sets) {
    const set = ids.get(live.id)
    if (set === undefined) {
      expect(reported.includes(`"${live.name}"`) || reported.includes(live.id)).toBe(true)
      continue
    }
    const withheld = set.variables.filter(
      ({ key, value }) =>
        'external' in value && live.variables.some(one => one.key === key && 'text' in one.value),
    )
    expect(withheld.filter(({ key }) => !reported.includes(`${key} of "${live.name}"`))).toEqual([])
    expect(live.foreignVariables.filter(({ key }) => !reported.includes(`${key} (`))).toEqual([])
  }
}

describe('a plan of exported files has no changes, and exporting them again gives the same files', () => {
  test('for any state of the service', { tags: ['I-15'] }, async () => {
    await fc.assert(
      fc.asyncProperty(arbitraryService, fc.boolean(), (seed, isOneFile) => roundTrip(seed, {}, isOneFile)),
      { numRuns: 120, seed: 7 },
    )
  })

  test.each(Object.keys(SERVERS) as ServerName[])('for the server %s', async server => {
    await fc.assert(
      fc.asyncProperty(arbitraryService, seed => roundTrip(seed, { server }, false)),
      { numRuns: 5, seed: 11 },
    )
  })
})
