import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SetSeed } from '../../src/sandbox/index.ts'
import { aPlace, type Place } from '../support/place.ts'

const FILES = {
  'setpoint.yaml': 'organization: acme\nowner: us\n',
  'sets/a.yaml': `variableSets:
  a:
    env:
      LEVEL: info
      PW: { secret: { name: PW, version: "1" } }
      KEY: { secret: KEY }
`,
}
const SECRETS = { SETPOINT_SECRET_PW: 'ours-pw', SETPOINT_SECRET_KEY: 'ours-key' }
const NONE = { env: {} }
const KEYED = { ...SECRETS, SETPOINT_FINGERPRINT_KEY: 'k'.repeat(32) }

/** A repository that was applied, and whose secrets somebody has rotated by hand since. */
async function rotatedByHand(...keys: readonly string[]): Promise<Place> {
  const place = await aPlace(FILES)
  expect((await place.setpoint(['apply', '--auto-approve'], { env: SECRETS })).code).toBe(0)
  for (const key of keys) await rotate(place, key)
  return place
}

/** Somebody writes the variable in the service. */
async function rotate({ sandbox }: Place, key: string, attributes: object = { value: `by-hand-${key}` }) {
  const set = sandbox.snapshot().sets?.find(({ name }) => name === 'a')
  const id = set?.variables?.find(one => one.key === key)?.id
  const { status } = await sandbox.transport({
    method: 'PATCH',
    path: `/api/v2/varsets/${set?.id}/relationships/vars/${id}`,
    headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data: { type: 'vars', attributes } }),
  })
  expect(status).toBe(200)
}

const storedValue = (place: Place, key: string): string | undefined =>
  place.sandbox
    .snapshot({ sensitive: true })
    .sets?.find(({ name }) => name === 'a')
    ?.variables?.find(one => one.key === key)?.value

const recordOf = ({ sandbox }: Place, key: string) => {
  const inventory = sandbox.snapshot().sets?.find(({ name }) => name === 'setpoint-inventory-us')
  return JSON.parse(inventory?.variables?.[0]?.value ?? '{}').secrets[`env/${key}`]
}

const secretsIn = (stdout: string): string | undefined => /^Secrets +(.*)$/m.exec(stdout)?.[1]

const bump = (place: Place): void =>
  place.write({ 'sets/a.yaml': FILES['sets/a.yaml'].replace('"1"', '"2"') })

describe('apply --keep', () => {
  test('accepts a secret that was rotated by hand: it records it, sends nothing, and says so', async () => {
    const place = await rotatedByHand('PW')
    const before = place.live().filter(line => !line.includes('inventory'))
    const { code, stdout, stderr } = await place.setpoint(['apply', '--auto-approve', '--keep', 'a/PW'], NONE)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('No changes. 1 set equal.')
    expect(stdout).toMatch(/^Kept +a PW as version 1, not sent$/m)
    expect(stdout).toMatch(/^Secrets +1 to keep, 1 not verified \(no version, no proof by a key\)$/m)
    expect(stdout).toMatch(/^Secrets +1 kept as in the service, not sent, 1 not verified/m)
    expect(place.live().filter(line => !line.includes('inventory'))).toEqual(before)
    const plan = await place.setpoint(['plan', '--detailed-exitcode', '--verbose'])
    expect([plan.code, secretsIn(plan.stdout)]).toEqual([
      0,
      '1 same, 1 not verified (no version, no proof by a key)',
    ])
    expect((await place.setpoint(['drift'])).code).toBe(0)
  })

  test('records the version of the file, and the next version is sent', async () => {
    const place = await rotatedByHand('PW')
    bump(place)
    await place.setpoint(['apply', '--auto-approve', '--keep', 'a/PW'], NONE)
    expect(recordOf(place, 'PW')).toMatchObject({ name: 'PW', version: '2', value: 'kept' })
    expect((await place.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
    place.write(FILES)
    const plan = await place.setpoint(['plan'])
    expect(plan.stdout).toContain('will be written, was version 2')
  })

  test('a later change in the service is noticed', async () => {
    const place = await rotatedByHand('PW')
    await place.setpoint(['apply', '--auto-approve', '--keep', 'a/PW'], NONE)
    await rotate(place, 'PW')
    expect((await place.setpoint(['drift'])).stdout).toContain('possibly changed outside')
  })

  test('accepts a value that was set elsewhere when the file takes charge of it', async () => {
    const place = await aPlace({
      ...FILES,
      'sets/a.yaml': 'variableSets: { a: { env: { PW: { external: true } } } }\n',
    })
    place.change([
      { name: 'a', variables: [{ key: 'PW', value: 'right', category: 'env', sensitive: true }] },
    ])
    await place.setpoint(['apply', '--auto-approve'])
    place.write({ 'sets/a.yaml': 'variableSets: { a: { env: { PW: { secret: PW } } } }\n' })
    expect((await place.setpoint(['plan', '--detailed-exitcode'])).code).toBe(2)
    expect((await place.setpoint(['apply', '--auto-approve', '--keep', 'a'], NONE)).code).toBe(0)
    const plan = await place.setpoint(['plan', '--detailed-exitcode'])
    expect([plan.code, secretsIn(plan.stdout), storedValue(place, 'PW')]).toEqual([
      0,
      '1 not verified (no version, no proof by a key)',
      'right',
    ])
  })

  test('selects like --rewrite, leaves other secrets alone, and does nothing for a secret that is the same', async () => {
    const place = await rotatedByHand('PW', 'KEY')
    const { code, stdout } = await place.setpoint(['apply', '--auto-approve', '--keep', 'a/env/PW'], {
      env: SECRETS,
    })
    expect([code, storedValue(place, 'PW'), storedValue(place, 'KEY')]).toEqual([0, 'by-hand-PW', 'ours-key'])
    expect(stdout).toMatch(/^Secrets +1 sent .*, 1 kept as in the service, not sent/m)
    for (const pattern of ['a', '*', 'a/PW', '*/KEY']) {
      const again = await place.setpoint(['apply', '--keep', pattern], NONE)
      expect([pattern, again.code, again.stdout.includes('Kept')]).toEqual([pattern, 0, false])
    }
  })

  test('never records the fingerprint of a value that was not sent as that of the value in the service', async () => {
    const place = await rotatedByHand('PW')
    await place.setpoint(['apply', '--auto-approve', '--keep', 'a/PW'], { env: KEYED })
    expect(recordOf(place, 'PW')).toMatchObject({ seen: { text: expect.any(String) }, value: 'kept' })
    expect(recordOf(place, 'PW')).not.toHaveProperty('fingerprint')
    const plan = await place.setpoint(['plan'], { env: KEYED })
    expect(secretsIn(plan.stdout)).toContain('1 same version, value not verified')
    const turned = { ...KEYED, SETPOINT_SECRET_PW: 'turned' }
    expect((await place.setpoint(['plan'], { env: turned })).stdout).toContain('value changed')
  })

  test('accepts the value in the service although the source of this run has another one', async () => {
    const place = await aPlace(FILES)
    await place.setpoint(['apply', '--auto-approve'], { env: KEYED })
    const turned = { ...KEYED, SETPOINT_SECRET_PW: 'turned' }
    const digests = []
    for (const env of [turned, {}]) {
      const { stdout } = await place.setpoint(['plan', '--keep', 'a/PW', '--format', 'json'], { env })
      digests.push(JSON.parse(stdout).digest)
    }
    // As for the write that it replaces, only a run with the key can know of it.
    expect(digests[0]).toBe(digests[1])
    await place.setpoint(['apply', '--auto-approve', '--keep', 'a/PW'], { env: turned })
    expect(storedValue(place, 'PW')).toBe('ours-pw')
    expect((await place.setpoint(['plan', '--detailed-exitcode'], { env: turned })).code).toBe(0)
  })

  test('is part of the digest and of a reviewed plan', async () => {
    const place = await rotatedByHand()
    const digestOf = async (): Promise<string> =>
      JSON.parse((await place.setpoint(['plan', '--keep', 'a/PW', '--format', 'json'])).stdout).digest
    const nothing = await digestOf()
    await rotate(place, 'PW')
    const other = await digestOf()
    expect(other).not.toBe(nothing)
    // Another value is another acceptance.
    await rotate(place, 'PW')
    const { stdout } = await place.setpoint([
      'plan',
      '--keep',
      'a/PW',
      '--out',
      'plan.json',
      '--format',
      'json',
    ])
    const { digest, kept } = JSON.parse(stdout)
    expect(kept).toEqual([
      {
        set: 'a',
        id: expect.stringMatching(/^varset-/),
        key: 'env/PW',
        name: 'PW',
        version: '1',
        versionId: expect.any(String),
      },
    ])
    expect(digest).not.toBe(other)
    expect((await place.setpoint(['show', 'plan.json'])).stdout).toMatch(
      /^Kept +a PW as version 1, not sent$/m,
    )
    expect((await place.setpoint(['apply', '--approve', digest], NONE)).code).toBe(4)
    expect((await place.setpoint(['apply', 'plan.json'], NONE)).code).toBe(0)
    expect([storedValue(place, 'PW'), recordOf(place, 'PW').value]).toEqual(['by-hand-PW', 'kept'])
    const again = await place.setpoint(['apply', 'plan.json'], NONE)
    expect([again.code, again.stdout.includes('No changes')]).toEqual([0, true])
  })

  test('of a reviewed plan is refused if the secret was written since, and beyond the review', async () => {
    const place = await rotatedByHand('PW', 'KEY')
    await place.setpoint(['plan', '--keep', 'a/PW', '--out', 'plan.json'])
    const more = await place.setpoint(['apply', 'plan.json', '--keep', 'a/KEY'], { env: SECRETS })
    expect(more).toMatchObject({ code: 4, stderr: expect.stringContaining('keep a/env/KEY') })
    await rotate(place, 'PW')
    const { code, stderr } = await place.setpoint(['apply', 'plan.json'], { env: SECRETS })
    expect({ code, stderr }).toEqual({
      code: 4,
      stderr: expect.stringMatching(/out of date\.\n *keep a\/env\/PW/),
    })
  })

  test('is in the command that approves a blocked plan, and in the one that finishes an apply', async () => {
    const place = await rotatedByHand('PW')
    place.write({ 'setpoint.yaml': `${FILES['setpoint.yaml']}guards: { updates: 0% }\n` })
    place.write({
      'sets/b.yaml': `variableSets:\n  b:\n    env:\n${Array.from({ length: 12 }, (_, at) => `      K${at}: a\n`).join('')}`,
    })
    await place.setpoint(['apply', '--auto-approve', '--keep', 'a/PW'], { env: SECRETS })
    await rotate(place, 'PW')
    place.write({
      'sets/b.yaml': `variableSets:\n  b:\n    env:\n${Array.from({ length: 12 }, (_, at) => `      K${at}: b\n`).join('')}`,
    })
    const { stdout } = await place.setpoint(['plan', '--keep', 'a/PW'])
    expect(stdout).toMatch(/After review: setpoint apply --keep a\/PW --approve [0-9a-f]{64}/)
  })
})

describe('a secret that cannot be kept', () => {
  const refused = async (place: Place, ...argv: readonly string[]): Promise<string> => {
    const { code, stderr } = await place.setpoint(['apply', '--auto-approve', ...argv], { env: SECRETS })
    expect(code).toBe(1)
    return stderr
  }

  test('is an error at its line: no variable, a readable one, other attributes, or a rewrite', async () => {
    const sets: SetSeed[] = [
      {
        name: 'a',
        variables: [
          { key: 'LEVEL', value: 'info', category: 'env' },
          { key: 'KEY', value: 'readable', category: 'env' },
        ],
      },
    ]
    const place = await aPlace(FILES, { sets })
    const stderr = await refused(place, '--keep', 'a')
    expect(stderr).toContain('sets/a.yaml:5:7  error cannot-keep')
    expect(stderr).toContain(
      '--keep cannot accept "env/PW" of "a": the service has no such variable, so its value has to be sent.',
    )
    expect(stderr).toContain('sets/a.yaml:6:7  error cannot-keep')
    expect(stderr).toContain('it is readable in the service, so the secret has to be sent.')
    const other = await rotatedByHand('PW')
    await rotate(other, 'PW', { description: 'by hand' })
    expect(await refused(other, '--keep', 'a/PW')).toContain('other attributes of it differ from the file')
    const both = await refused(await rotatedByHand('PW'), '--keep', 'a/PW', '--rewrite', '*')
    expect(both).toContain('--keep cannot accept "env/PW" of "a": --rewrite selects it too.')
  })

  test('is an error if nothing in the files has the name', async () => {
    const place = await rotatedByHand('PW')
    expect(await refused(place, '--keep', 'a/PWD')).toContain(
      'error unmatched-selection\n  --keep "a/PWD" matches no secret in the files.\n  Did you mean "a/PW"?',
    )
    expect(await refused(place, '--keep', 'a/LEVEL')).toContain(
      '--keep "a/LEVEL" names no secret: the value of "env/LEVEL" in "a" is in the file.\n  Only the value of a variable with "secret:" can be accepted as it is.',
    )
    place.write({ 'sets/b.yaml': 'variableSets: { b: {} }\n' })
    expect(await refused(place, '--keep', 'a/PW', '--only', 'b')).toContain('is outside --only.')
  })

  test('is an error without an inventory', async () => {
    const place = await aPlace({
      'sets/a.yaml': 'variableSets: { a: { env: { PW: { secret: PW } } } }\n',
    })
    expect(await refused(place, '--keep', 'a/PW')).toContain('error needs-owner\n  --keep needs an `owner`')
  })
})

/** The words that a POSIX shell would pass to the program, without its name. */
const wordsOf = (command: string): string[] =>
  [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')

describe('the commands that reports print for a secret that was changed outside', () => {
  test('drift: each way does what it says', async () => {
    const place = await rotatedByHand('PW')
    const { code, stdout } = await place.setpoint(['drift'])
    expect(code).toBe(2)
    const [, revert = ''] = /^Revert +setpoint (.*)$/m.exec(stdout) ?? []
    const [, accept = ''] = /^Accept +setpoint (.*)$/m.exec(stdout) ?? []
    expect([revert, accept]).toEqual(['apply --only a', 'apply --only a --keep a/env/PW'])
    expect((await place.setpoint([...wordsOf(accept), '--auto-approve'], NONE)).code).toBe(0)
    expect([storedValue(place, 'PW'), (await place.setpoint(['drift'])).code]).toEqual(['by-hand-PW', 0])
    await rotate(place, 'PW')
    expect((await place.setpoint([...wordsOf(revert), '--auto-approve'], { env: SECRETS })).code).toBe(0)
    expect([storedValue(place, 'PW'), (await place.setpoint(['drift'])).code]).toEqual(['ours-pw', 0])
  })

  test('plan, export --update and --expect-no-drift name the flag', async () => {
    const place = await rotatedByHand('PW')
    expect((await place.setpoint(['plan'])).stdout).toContain(
      'it is written again (to keep it: --keep a/env/PW)',
    )
    expect((await place.setpoint(['export', '--update', 'a'])).stdout).toContain(
      'If the value in the service is right: setpoint apply --keep a/env/PW.',
    )
    const guarded = ['apply', '--auto-approve', '--expect-no-drift']
    expect((await place.setpoint(guarded, { env: SECRETS })).stderr).toContain(
      'add --keep SET/KEY for a secret',
    )
    expect((await place.setpoint([...guarded, '--keep', 'a/PW'], NONE)).code).toBe(0)
  })

  test('a snapshot carries what was kept', async () => {
    const place = await rotatedByHand('PW')
    await place.setpoint(['apply', '--auto-approve', '--keep', 'a/PW'], NONE)
    await place.setpoint(['snapshot', '--out', 'snapshot.json'])
    expect(readFileSync(join(place.cwd, 'snapshot.json'), 'utf8')).toContain('"value": "kept"')
    const { code, stdout } = await place.setpoint(['plan', '--snapshot', 'snapshot.json', '--verbose'])
    expect([code, secretsIn(stdout)]).toEqual([0, '1 same, 1 not verified (no version, no proof by a key)'])
  })
})
