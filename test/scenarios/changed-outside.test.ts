import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import type { SetSeed } from '../../src/sandbox/index.ts'
import { TELLING } from '../support/formats.ts'
import { aPlace, type Place } from '../support/place.ts'

const FILES = {
  'setpoint.yaml': 'organization: acme\nowner: me\n',
  'sets/a.yaml': `variableSets:
  shared: { workspaces: [w], env: { A: 1, S: { secret: S } } }
  other: { env: { B: 1 } }
`,
}
const SECRETS = { SETPOINT_SECRET_S: 'the-secret' }

/** Files that were applied. */
async function applied(files: Readonly<Record<string, string>> = FILES): Promise<Place> {
  const place = await aPlace(files)
  expect((await place.setpoint(['apply', '--auto-approve'], { env: SECRETS })).code).toBe(0)
  return place
}

/** Changes the sets in the service, as a person would. */
function byHand(place: Place, change: (set: SetSeed) => SetSeed | undefined): void {
  const seed = place.sandbox.snapshot({ sensitive: true })
  place.sandbox.restore({ ...seed, sets: (seed.sets ?? []).flatMap(set => change(set) ?? []) })
}
const rename = (place: Place, from: string, to: string): void =>
  byHand(place, set => (set.name === from ? { ...set, name: to } : set))

const ours = (place: Place): string[] => place.live().filter(line => !line.startsWith('setpoint-inventory'))

const RENAMED = `sets/a.yaml:2:3  warning renamed-outside
  "shared" has the name "common" in the service: somebody renamed it since the last apply.
  To rename it back, write "previousNames: [common]" in the set. To keep the new name, write it in the file. Otherwise an apply creates "shared" beside it.
`

describe('a set that somebody renamed in the service', () => {
  test('is drift, with the line to write, and without advice to delete or create it', async () => {
    const place = await applied()
    rename(place, 'shared', 'common')
    const { code, stdout } = await place.setpoint(['drift'])
    expect(code).toBe(2)
    expect(stdout).toContain('1 set differs from the files: 1 changed outside.')
    expect(stdout).toContain(RENAMED)
    expect(stdout).toContain('Renamed     shared is common in the service\n')
    expect(stdout).not.toMatch(/Orphaned|Revert|Accept|setpoint apply|would restore/)
    expect((await place.setpoint(['plan'])).stdout).not.toContain('reverted')
  })

  test.each(TELLING)('is named in %s', async format => {
    const place = await applied()
    rename(place, 'shared', 'common')
    const { stdout } = await place.setpoint(['drift', '--format', format])
    expect(stdout).toContain('renamed-outside')
    if (format === 'json')
      expect(JSON.parse(stdout).facts.renamed).toEqual([
        { set: 'shared', id: expect.stringMatching(/^varset-/), name: 'common' },
      ])
  })

  test('stops --expect-no-drift, with the line to write and its place', async () => {
    const place = await applied()
    rename(place, 'shared', 'common')
    const before = place.live()
    const { code, stderr } = await place.setpoint(['apply', '--auto-approve', '--expect-no-drift'], {
      env: SECRETS,
    })
    expect([code, place.live()]).toEqual([4, before])
    expect(stderr).toBe(
      RENAMED.replace('warning renamed-outside', 'error refused').replace(
        '  To rename',
        '  Nothing was written. To rename',
      ),
    )
  })

  test('is not updated in its file, and not called deleted', async () => {
    const place = await applied()
    rename(place, 'shared', 'common')
    const { code, stdout, stderr } = await place.setpoint(['export', '--update', 'shared'])
    expect([code, stderr]).toEqual([2, RENAMED])
    expect(stdout).toContain('  shared: common in the service, where somebody renamed it.\n')
    expect(stdout + stderr).not.toMatch(/deleted for good|remove it/)
    // Exporting it would give two files to one set.
    const other = await place.setpoint(['export', '--update', 'common'])
    expect([other.code, other.stderr]).toEqual([
      1,
      `error unmatched-selection
  --update "common" matches no set in the files.
  The inventory lists it, so somebody may have renamed it, or it left the files. To see which: setpoint drift
`,
    ])
  })

  test('gets its name back by the printed line, and keeps its id', async () => {
    const place = await applied()
    const [before] = (place.sandbox.snapshot().sets ?? []).filter(({ name }) => name === 'shared')
    rename(place, 'shared', 'common')
    place.write({
      'sets/a.yaml': FILES['sets/a.yaml'].replace('shared: {', 'shared: { previousNames: [common],'),
    })
    const { code, stdout } = await place.setpoint(['apply', '--auto-approve'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('renamed, same id')])
    const [now] = (place.sandbox.snapshot().sets ?? []).filter(({ name }) => name === 'shared')
    expect(now?.id).toBe(before?.id)
    expect((await place.setpoint(['drift'])).stdout).toContain('No drift.')
  })

  test('keeps its new name if the file has it', async () => {
    const place = await applied()
    rename(place, 'shared', 'common')
    place.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('shared:', 'common:') })
    const { code, stdout } = await place.setpoint(['plan', '--detailed-exitcode'])
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('renamed-outside')])
  })

  test.each<[string, string, string]>([
    ['with an earlier name', 'shared: { previousNames: [older],', '[older, common]'],
    ['with a name that YAML would read otherwise', 'shared: {', '["on: it"]'],
  ])('%s: the line is complete', async (_, text, line) => {
    const place = await applied({ ...FILES, 'sets/a.yaml': FILES['sets/a.yaml'].replace('shared: {', text) })
    rename(place, 'shared', line.includes('on:') ? 'on: it' : 'common')
    const { stdout } = await place.setpoint(['drift', '--format', 'json'])
    const hints = JSON.parse(stdout).diagnostics.map(({ hint }: { hint: string }) => hint)
    expect(hints).toEqual([expect.stringContaining(`write "previousNames: ${line}" in the set`)])
    place.write({
      'sets/a.yaml': FILES['sets/a.yaml'].replace('shared: {', `shared: { previousNames: ${line},`),
    })
    expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    expect(ours(place).map(one => one.split('  ')[0])).toEqual(['other', 'shared'])
  })

  test('is recognized if its contents were changed as well, or if the file was', async () => {
    const place = await applied()
    byHand(place, set => (set.name === 'shared' ? { ...set, name: 'common', priority: true } : set))
    expect((await place.setpoint(['drift'])).stdout).toContain('renamed-outside')
    const other = await applied()
    rename(other, 'shared', 'common')
    other.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('A: 1', 'A: 2') })
    expect((await other.setpoint(['drift'])).stdout).toContain('renamed-outside')
  })

  test('is recognized by the files of the base if both were changed', async () => {
    const place = await applied()
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...words], {
        cwd: place.cwd,
      })
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'Applied')
    byHand(place, set => (set.name === 'shared' ? { ...set, name: 'common', priority: true } : set))
    place.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('A: 1', 'A: 2') })
    expect((await place.setpoint(['plan'])).stdout).not.toContain('renamed-outside')
    expect((await place.setpoint(['plan', '--base', 'HEAD'])).stdout).toContain('renamed-outside')
  })

  test('is named beside other drift, whose commands leave it out', async () => {
    const place = await applied()
    byHand(place, set =>
      set.name === 'other' ? { ...set, variables: [{ key: 'B', category: 'env', value: '9' }] } : set,
    )
    rename(place, 'shared', 'common')
    const { stdout } = await place.setpoint(['drift'])
    expect(stdout).toContain('Revert      setpoint apply --only other\n')
    expect(stdout).toContain('Accept      setpoint export --update other\n')
  })

  test('is also named if pruning would delete it', async () => {
    const place = await applied({ ...FILES, 'setpoint.yaml': `${FILES['setpoint.yaml']}prune: true\n` })
    rename(place, 'shared', 'common')
    const { stdout } = await place.setpoint(['drift'])
    expect(stdout).toContain('renamed-outside')
    expect(stdout).not.toMatch(/Revert|Accept/)
    const refused = await place.setpoint(['apply', '--auto-approve', '--expect-no-drift'], { env: SECRETS })
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('previousNames: [common]')])
  })

  test('is not confused with a set that the files renamed, or that somebody deleted', async () => {
    const place = await applied()
    place.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('shared:', 'newer:') })
    const renamed = await place.setpoint(['plan', '--format', 'json'])
    expect(JSON.parse(renamed.stdout).facts.renamed).toBeUndefined()
    place.write(FILES)
    byHand(place, set => (set.name === 'shared' ? undefined : set))
    const deleted = await place.setpoint(['drift', '--format', 'json'])
    expect(JSON.parse(deleted.stdout).facts.renamed).toBeUndefined()
  })
})

const MISSING = `warning missing-inventory
  The service has no inventory of the owner "me" (the set "setpoint-inventory-me").
  If something was applied for this owner before, somebody deleted or renamed the inventory. No existing set is changed. Nobody can tell what else was changed outside.
`

describe('an inventory that somebody deleted', () => {
  const withoutInventory = async (): Promise<Place> => {
    const place = await applied()
    byHand(place, set => (set.name.startsWith('setpoint-inventory') ? undefined : set))
    return place
  }

  test.each(TELLING)('is a warning of drift in %s, which still exits 0', async format => {
    const place = await withoutInventory()
    const { code, stdout } = await place.setpoint(['drift', '--format', format])
    expect(code).toBe(0)
    expect(stdout).toContain('missing-inventory')
    expect(stdout).toMatch(/The service has no inventory of the owner .{1,10}me/)
  })

  test('is written again by the next apply, after which drift is silent', async () => {
    const place = await withoutInventory()
    const { code, stderr } = await place.setpoint(['apply', '--auto-approve', '--expect-no-drift'])
    expect([code, stderr]).toEqual([0, MISSING])
    const { stdout } = await place.setpoint(['drift'])
    expect(stdout).not.toContain('missing-inventory')
  })

  test.each([
    ['changed', FILES['sets/a.yaml'].replace('A: 1', 'A: 2'), '"shared"'],
    [
      'deleted',
      'removed: [other]\nvariableSets: { shared: { workspaces: [w], env: { A: 1, S: { secret: S } } } }\n',
      '"other"',
    ],
  ])('stops --expect-no-drift if a set that exists would be %s', async (_, text, name) => {
    const place = await withoutInventory()
    place.write({ 'sets/a.yaml': text })
    const before = place.live()
    const { code, stderr } = await place.setpoint(['apply', '--auto-approve', '--expect-no-drift'], {
      env: SECRETS,
    })
    expect([code, place.live()]).toEqual([4, before])
    expect(stderr).toContain(
      `The service has no inventory of the owner "me" (the set "setpoint-inventory-me"). So nobody can tell whether ${name} changed outside.\n`,
    )
  })

  test('does not stop --expect-no-drift if sets are only created, as in a first apply', async () => {
    const place = await aPlace(FILES)
    const flags = ['apply', '--auto-approve', '--expect-no-drift']
    const { code, stderr } = await place.setpoint(flags, { env: SECRETS })
    expect([code, stderr]).toEqual([0, MISSING])
    expect(ours(place).map(line => line.split('  ')[0])).toEqual(['other', 'shared'])
  })

  test('is not expected without an owner', async () => {
    const place = await applied({ ...FILES, 'setpoint.yaml': 'organization: acme\n' })
    const { stdout } = await place.setpoint(['drift'])
    expect(stdout).not.toContain('missing-inventory')
  })
})
