import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import type { SetSeed } from '../../src/sandbox/index.ts'
import type { Transport } from '../../src/wire/transport.ts'
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

const idOf = (place: Place, name: string) =>
  (place.sandbox.snapshot().sets ?? []).find(set => set.name === name)?.id

describe('the time of a change made outside', () => {
  test('is told until an apply writes the set, whose own time is nobody else’s', async () => {
    let hour = 1
    const now = (): Date => new Date(`2026-11-20T0${hour}:00:00Z`)
    const place = await aPlace(FILES, { now })
    const setpoint = (...argv: readonly string[]) => place.setpoint(argv, { env: SECRETS })
    const git = (...words: readonly string[]): void => {
      const who = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test']
      execFileSync('git', [...who, ...words], { cwd: place.cwd, stdio: 'pipe' })
    }
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'Begin')
    expect((await setpoint('apply', '--auto-approve')).code).toBe(0)
    hour = 2
    await editText(place, 'B', '9')
    hour = 3
    expect((await setpoint('drift')).stdout).toContain(
      '9 -> 1, changed outside, set updated 2026-11-20 02:00Z',
    )
    place.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('B: 1 }', 'B: 1, C: 1 }') })
    git('commit', '-qam', 'Add C')
    const only = ['--only-this-change', '--base', 'HEAD~1']
    expect((await setpoint('apply', ...only, '--auto-approve')).code).toBe(0)
    hour = 4
    const { code, stdout } = await setpoint('drift')
    expect([code, stdout]).toEqual([2, expect.stringContaining('9 -> 1, changed outside   sets/a.yaml')])
    expect(stdout).not.toContain('set updated')
  })
})

/** Another client gives the variable of a set another value. */
async function editText({ sandbox, url }: Place, name: string, value: string): Promise<void> {
  const seed = sandbox.snapshot()
  const set = seed.sets?.find(({ variables = [] }) => variables.some(({ key }) => key === name))
  const vars = `${url}/api/v2/varsets/${set?.id}/relationships/vars`
  const headers = { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/vnd.api+json' }
  const { data } = (await (await fetch(vars, { headers })).json()) as {
    data: { id: string; attributes: { key: string } }[]
  }
  const id = data.find(({ attributes }) => attributes.key === name)?.id
  const body = JSON.stringify({ data: { type: 'vars', id, attributes: { value } } })
  expect((await fetch(`${vars}/${id}`, { method: 'PATCH', headers, body })).status).toBe(200)
}

describe('a set that somebody renamed in the service', () => {
  test('is drift of its name, with both ways out, and no other set is created or deleted', async () => {
    const place = await applied()
    rename(place, 'shared', 'common')
    const { code, stdout } = await place.setpoint(['drift'])
    expect(code).toBe(2)
    expect(stdout).toContain('1 set differs from the files: 1 changed outside')
    expect(stdout).toMatch(/^~ common -> shared {2}renamed, same id, changed outside.* {3}sets\/a\.yaml:2$/m)
    expect(stdout).toMatch(/^Revert +setpoint apply --only shared$/m)
    expect(stdout).toMatch(/^Accept +by hand: rename shared to common in the file$/m)
    expect(stdout).not.toMatch(/Orphaned|will be written|newly in/)
  })

  test('is renamed back by the printed command, and keeps its id and its secrets', async () => {
    const place = await applied()
    const before = idOf(place, 'shared')
    rename(place, 'shared', 'common')
    const { code, stdout } = await place.setpoint(['apply', '--auto-approve', '--only', 'shared'])
    expect([code, stdout]).toEqual([0, expect.stringContaining('renamed, same id')])
    expect(idOf(place, 'shared')).toBe(before)
    expect(place.live().join()).toContain('env/S=(the-secret)')
    expect((await place.setpoint(['drift'])).stdout).toContain('No drift.')
  })

  test('keeps its new name if the file has it, and the inventory follows', async () => {
    const place = await applied()
    const before = idOf(place, 'shared')
    rename(place, 'shared', 'common')
    place.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('shared:', 'common:') })
    expect((await place.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
    expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    expect([idOf(place, 'common'), (await place.setpoint(['drift'])).code]).toEqual([before, 0])
    rename(place, 'common', 'third')
    expect((await place.setpoint(['drift'])).stdout).toMatch(/^~ third -> common {2}renamed, same id/m)
  })

  test('stops --expect-no-drift', async () => {
    const place = await applied()
    rename(place, 'shared', 'common')
    const before = place.live()
    const { code, stderr } = await place.setpoint(['apply', '--auto-approve', '--expect-no-drift'])
    expect([code, place.live()]).toEqual([4, before])
    expect(stderr).toContain('Changed outside Setpoint since the last apply: "shared".')
  })

  test('is not updated in its file: the name is said, and other drift of it is taken', async () => {
    const place = await applied()
    byHand(place, set => (set.name === 'shared' ? { ...set, name: 'common', priority: true } : set))
    const { code, stdout } = await place.setpoint(['export', '--update', 'shared'])
    expect([code, stdout]).toEqual([
      2,
      expect.stringContaining(
        '  shared: common in the service, where somebody renamed it. To accept that, write this name in the file; setpoint apply renames it back.\n',
      ),
    ])
    expect((await place.setpoint(['drift'])).stdout).not.toContain('priority')
  })

  test('and changed as well, in the service and in the file: each difference has its origin', async () => {
    const place = await applied()
    byHand(place, set => (set.name === 'shared' ? { ...set, name: 'common', priority: true } : set))
    place.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('A: 1', 'A: 2') })
    const { stdout } = await place.setpoint(['plan', '--format', 'json'])
    const { steps, facts } = JSON.parse(stdout)
    expect(steps.map(({ id }: { id: string }) => id)).toEqual([
      'update-variable shared env/A',
      'update-set shared',
    ])
    expect(facts.origins[0].items.name).toBe('outside')
    expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    expect(ours(place)).toEqual(['other  env/B=1', 'shared  env/A=2 env/S=(the-secret)  -> w'])
  })

  test('and that the file renames as well, gets the name of the file', async () => {
    const place = await applied()
    const before = idOf(place, 'shared')
    rename(place, 'shared', 'common')
    place.write({
      'sets/a.yaml': FILES['sets/a.yaml'].replace('shared: {', 'newer: { previousNames: [common],'),
    })
    expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    expect(idOf(place, 'newer')).toBe(before)
  })

  test('and that the file renames as well, from the name that it had, gets the name of the file', async () => {
    const place = await applied()
    const before = idOf(place, 'shared')
    rename(place, 'shared', 'common')
    place.write({
      'sets/a.yaml': FILES['sets/a.yaml'].replace('shared: {', 'newer: { previousNames: [shared],'),
    })
    const refused = await place.setpoint(['apply', '--auto-approve', '--expect-no-drift'])
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringContaining('Changed outside Setpoint since the last apply: "newer".'),
    ])
    const { code, stdout } = await place.setpoint(['apply', '--auto-approve'])
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^~ common -> newer {2}renamed, same id/m)])
    expect([idOf(place, 'newer'), (await place.setpoint(['drift'])).code]).toEqual([before, 0])
  })

  test('and that the file removes, stays, and the warning has the line that deletes it', async () => {
    const place = await applied()
    rename(place, 'other', 'third')
    const shared = FILES['sets/a.yaml'].replace(/ {2}other: .*\n/, '')
    place.write({ 'sets/a.yaml': `${shared}removed: [other]\n` })
    const { code, stdout } = await place.setpoint(['plan', '--detailed-exitcode'])
    const [, line = ''] = /somebody renamed to "third", write its id: (removed: .*)$/m.exec(stdout) ?? []
    expect([code, line]).toEqual([0, `removed: [${idOf(place, 'third')}]`])
    place.write({ 'sets/a.yaml': `${shared}${line}\n` })
    expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    expect(ours(place).map(one => one.split('  ')[0])).toEqual(['shared'])
  })

  test('with prune is not pruned', async () => {
    const place = await applied({ ...FILES, 'setpoint.yaml': `${FILES['setpoint.yaml']}prune: true\n` })
    rename(place, 'shared', 'common')
    expect((await place.setpoint(['drift'])).stdout).toMatch(/^~ common -> shared /m)
    expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    expect(ours(place).map(line => line.split('  ')[0])).toEqual(['other', 'shared'])
  })

  test('of which only this change is applied, keeps its name as named drift', async () => {
    const place = await applied()
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...words], {
        cwd: place.cwd,
      })
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'Applied')
    rename(place, 'shared', 'common')
    place.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('A: 1', 'A: 2') })
    const flags = ['--base', 'HEAD', '--only-this-change']
    const { code, stdout } = await place.setpoint(['apply', '--auto-approve', ...flags])
    expect(code, stdout).toBe(0)
    expect(ours(place)).toEqual(['common  env/A=2 env/S=(the-secret)  -> w', 'other  env/B=1'])
    expect((await place.setpoint(['drift'])).stdout).toMatch(/^~ common -> shared {2}renamed, same id/m)
  })

  test('and whose name another set has now, is a located error with both ids', async () => {
    const place = await applied()
    const id = idOf(place, 'shared')
    rename(place, 'shared', 'common')
    const seed = place.sandbox.snapshot({ sensitive: true })
    place.sandbox.restore({ ...seed, sets: [...(seed.sets ?? []), { name: 'shared' }] })
    const other = idOf(place, 'shared')
    const before = place.live()
    const { code, stderr } = await place.setpoint(['apply', '--auto-approve'])
    expect([code, place.live()]).toEqual([1, before])
    expect(stderr).toBe(`sets/a.yaml:2:3  error name-clash
  Another set is already named "shared" (${other}), and this plan does not manage it. The inventory knows the set ${id} by this name, which somebody renamed to "common".
  Rename or delete one of them in the service, or write the id of the set that is meant: \`id: ${id}\` with another name, or \`id: ${other}\`.
`)
    // Each way does what it says.
    place.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('shared: {', `common: { id: ${id},`) })
    expect((await place.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
    place.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('shared: {', `shared: { id: ${other},`) })
    expect((await place.setpoint(['plan'])).stdout).toContain('~ shared ')
  })

  test('and swapped with another one, is refused, and one rename by hand is enough', async () => {
    const place = await applied()
    rename(place, 'shared', 'third')
    rename(place, 'other', 'shared')
    rename(place, 'third', 'other')
    const { code, stderr } = await place.setpoint(['apply', '--auto-approve'])
    expect(code).toBe(1)
    expect(stderr).toContain('error name-cycle')
    expect(stderr).toMatch(
      /If somebody swapped names in the service, it is enough to give "(?:shared|other)" such a name there\.$/m,
    )
    const [, first = ''] = /enough to give "(\w+)" such a name there/.exec(stderr) ?? []
    rename(place, first, 'third')
    expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    expect(ours(place)).toEqual(['other  env/B=1', 'shared  env/A=1 env/S=(the-secret)  -> w'])
  })

  test('is not confused with a set that the files renamed, or that somebody deleted', async () => {
    const place = await applied()
    place.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('shared:', 'newer:') })
    const renamed = await place.setpoint(['plan', '--format', 'json'])
    expect(JSON.parse(renamed.stdout).steps.map(({ id }: { id: string }) => id)).toEqual(['create-set newer'])
    place.write(FILES)
    byHand(place, set => (set.name === 'shared' ? undefined : set))
    const deleted = await place.setpoint(['drift', '--format', 'json'])
    expect(JSON.parse(deleted.stdout).steps.map(({ id }: { id: string }) => id)).toEqual([
      'create-set shared',
    ])
  })

  test('and has an entry of 0.2, which has no name: it is found while its file is as it was applied', async () => {
    const place = await applied()
    byHand(place, set => {
      if (!set.name.startsWith('setpoint-inventory'))
        return set.name === 'shared' ? { ...set, name: 'common' } : set
      const variables = (set.variables ?? []).map(one => {
        const { name: _, external: __, ...entry } = JSON.parse(one.value ?? '{}')
        return { ...one, value: JSON.stringify(entry) }
      })
      return { ...set, variables }
    })
    expect((await place.setpoint(['drift'])).stdout).toMatch(/^~ common -> shared {2}renamed, same id/m)
    place.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('A: 1', 'A: 2') })
    const { stdout } = await place.setpoint(['plan'])
    expect(stdout).toMatch(/^ {2}warning {2}.* {2}probable-rename$/m)
  })
})

describe('a set that somebody deleted in the service', () => {
  const APPLY = ['apply', '--auto-approve', '--expect-no-drift']
  const DELETED = 'Deleted outside Setpoint since the last apply: "shared".'
  const deleted = async (): Promise<Place> => {
    const place = await applied()
    byHand(place, set => (set.name === 'shared' ? undefined : set))
    return place
  }
  const NEWER = FILES['sets/a.yaml'].replace('A: 1', 'A: 2')

  test.each([
    ['as it is', FILES['sets/a.yaml'], DELETED],
    ['changed as well', NEWER, DELETED],
    [
      'under another name',
      NEWER.replace('shared: {', 'newer: { previousNames: [shared],'),
      DELETED.replace('shared', 'newer'),
    ],
  ])('stops --expect-no-drift if the file declares it %s', async (_, text, why) => {
    const place = await deleted()
    place.write({ 'sets/a.yaml': text })
    const before = place.live()
    const { code, stderr } = await place.setpoint(APPLY, { env: SECRETS })
    expect([code, place.live()]).toEqual([4, before])
    expect(stderr).toContain(
      `${why}\n  Nothing was written. To leave a set deleted, remove it from the files. To apply the plan all the same, leave out --expect-no-drift.\n`,
    )
    const words = APPLY.filter(word => word !== '--expect-no-drift')
    expect((await place.setpoint(words, { env: SECRETS })).code).toBe(0)
    expect((await place.setpoint(APPLY, { env: SECRETS })).code).toBe(0)
  })

  test.each([
    ['removes it', `removed: [shared]\nvariableSets:\n  other: { env: { B: 2 } }\n`, []],
    ['no longer declares it', `variableSets:\n  other: { env: { B: 2 } }\n`, []],
    ['is applied without it', NEWER.replace('B: 1', 'B: 2'), ['--only', 'other']],
  ])('does not stop it if nothing would be reverted: the file %s', async (_, text, more) => {
    const place = await deleted()
    place.write({ 'sets/a.yaml': text })
    const { code } = await place.setpoint([...APPLY, ...more], { env: SECRETS })
    expect([code, ours(place)]).toEqual([0, ['other  env/B=2']])
  })

  test('and that our own apply deleted is created again', async () => {
    const place = await applied()
    place.write({
      'sets/a.yaml': FILES['sets/a.yaml'].replace('  other: { env: { B: 1 } }', 'removed: [other]'),
    })
    expect((await place.setpoint(APPLY)).code).toBe(0)
    place.write(FILES)
    expect((await place.setpoint(APPLY, { env: SECRETS })).code).toBe(0)
  })

  test('and that the file replaces by its id, is created by the apply that finishes', async () => {
    const place = await applied()
    const id = idOf(place, 'shared')
    byHand(place, set => (set.name === 'shared' ? undefined : set))
    place.write({ 'sets/a.yaml': `${NEWER}removed: [${id}]\n` })
    expect((await place.setpoint(APPLY, { env: SECRETS })).code).toBe(0)
  })

  test('with an entry of 0.2, which has no name: every set that is created may be it, but for those that are new', async () => {
    const place = await deleted()
    byHand(place, set => {
      if (!set.name.startsWith('setpoint-inventory')) return set
      const variables = (set.variables ?? []).map(one => {
        const { name: _, external: __, ...entry } = JSON.parse(one.value ?? '{}')
        return { ...one, value: JSON.stringify(entry) }
      })
      return { ...set, variables }
    })
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...words], {
        cwd: place.cwd,
      })
    git('init', '-q')
    git('add', '.')
    git('commit', '-qm', 'Applied')
    const other = '  other: { env: { B: 1 } }\n'
    for (const [text, flags, exit, said] of [
      [FILES['sets/a.yaml'], [], 4, DELETED],
      [
        NEWER,
        [],
        4,
        'Possibly changed outside Setpoint (neither as last applied nor as in the files): "shared".',
      ],
      [NEWER, ['--base', 'HEAD'], 4, DELETED],
      [`variableSets:\n${other}  new: {}\n`, [], 4, 'in the files): "new".'],
      [`variableSets:\n${other}  new: {}\n`, ['--base', 'HEAD'], 0, ''],
    ] as const) {
      place.write({ 'sets/a.yaml': text })
      const { code, stderr } = await place.setpoint([...APPLY, ...flags], { env: SECRETS })
      expect([text, code, stderr]).toEqual([text, exit, expect.stringContaining(said)])
    }
  })
})

const MISSING = `warning missing-inventory
  The service has no inventory of the owner "me" (the set "setpoint-inventory-me").
  If something was applied for this owner before, somebody deleted or renamed the inventory. No existing set is changed. It is unknown what else was changed outside Setpoint.
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
      `The service has no inventory of the owner "me" (the set "setpoint-inventory-me"). So it is unknown whether ${name} changed outside.\n`,
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

describe('what an apply left that stopped halfway', () => {
  const CHANGED = FILES['sets/a.yaml'].replace('A: 1', 'A: 2, N: 1')

  /** An apply whose writes all get 503 after the first ones, so that it stops. */
  async function stopped(place: Place, files: Readonly<Record<string, string>>, writes: number) {
    place.write(files)
    let left = writes
    const transport: Transport = async (request, signal) => {
      if (request.method === 'GET' || left-- > 0) return await place.sandbox.transport(request, signal)
      return { status: 503, headers: {}, body: '' }
    }
    const { code } = await place.setpoint(['apply', '--auto-approve'], { env: SECRETS, io: { transport } })
    expect(code).toBe(3)
    return await place.setpoint(['drift'])
  }

  test('of a set is not offered to be accepted, which would undo the merge', async () => {
    const place = await applied()
    const { code, stdout } = await stopped(place, { 'sets/a.yaml': CHANGED }, 1)
    expect(code).toBe(2)
    expect(stdout).not.toContain('export')
    expect(stdout).not.toContain('Revert')
    expect(stdout).toMatch(
      /\nApply +setpoint apply --only shared\nAccept +by hand: the files of shared changed since they were applied, or an apply stopped halfway\n/,
    )
    expect(
      (await place.setpoint(['apply', '--only', 'shared', '--auto-approve'], { env: SECRETS })).code,
    ).toBe(0)
    expect((await place.setpoint(['drift'])).code).toBe(0)
  })

  test('of a new set is not reverted and not accepted, and the drift of another set is', async () => {
    const place = await applied()
    byHand(place, set => (set.name === 'other' ? { ...set, description: 'by hand' } : set))
    place.write({ 'sets/b.yaml': 'variableSets: { new: { env: { N: 1 } } }\n' })
    const { stdout } = await place.setpoint(['drift'])
    expect(stdout).toMatch(/\nRevert +setpoint apply\nAccept +setpoint export --update other\n/)
    const alone = await place.setpoint(['drift', '--only', 'new'])
    expect(alone.stdout).toMatch(/\nApply +setpoint apply --only new\n/)
    expect(alone.stdout).not.toMatch(/Revert|Accept/)
  })
})

test('the command that reverts says so if a guard blocks it, and what it prints is enough', async () => {
  const place = await applied({
    ...FILES,
    'sets/a.yaml': 'variableSets: { shared: { workspaces: [w], env: { A: 1 } } }\n',
  })
  byHand(place, set => (set.name === 'shared' ? { ...set, global: true } : set))
  const { stdout } = await place.setpoint(['drift'])
  expect(stdout).toMatch(
    /\nRevert +setpoint apply --only shared\n +a guard blocks it: it says what to approve\n/,
  )
  const refused = await place.setpoint(['apply', '--only', 'shared', '--auto-approve'])
  expect(refused.code).toBe(4)
  const [, digest = ''] = /add: --approve (\w{64})/.exec(refused.stderr) ?? []
  expect((await place.setpoint(['apply', '--only', 'shared', '--approve', digest])).code).toBe(0)
  expect((await place.setpoint(['drift'])).code).toBe(0)
})

test('a plan without changes says what its apply writes to the inventory, and the next one says nothing', async () => {
  const place = await applied()
  place.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('B: 1', 'B: 2') })
  byHand(place, set =>
    set.name === 'other' ? { ...set, variables: [{ key: 'B', category: 'env', value: '2' }] } : set,
  )
  const { stdout } = await place.setpoint(['plan'])
  expect(stdout).toMatch(/\nNo changes\. 2 sets equal\.\n(?:.*\n)*Inventory +out of date, 1 request\n/)
  const { stdout: said } = await place.setpoint(['apply', '--auto-approve'])
  expect(said).toContain('1 write\nNo other changes. The inventory is up to date.')
  expect((await place.setpoint(['plan'])).stdout).not.toContain('Inventory')
})

test('without an owner, a set that somebody renamed is probably the one that is created, and the printed line keeps it', async () => {
  const place = await applied({ ...FILES, 'setpoint.yaml': 'organization: acme\n' })
  const id = idOf(place, 'shared')
  rename(place, 'shared', 'theirs')
  const { stdout } = await place.setpoint(['plan'])
  expect(stdout).toContain('"shared" is created with the keys and targets of "theirs", which is in no file.')
  const [, line] = /add `(previousNames: \["theirs"\])` to "shared"/.exec(stdout) ?? []
  place.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('shared: {', `shared: { ${line},`) })
  expect((await place.setpoint(['apply', '--auto-approve'], { env: SECRETS })).code).toBe(0)
  expect([idOf(place, 'shared'), ours(place).length]).toEqual([id, 2])
})
