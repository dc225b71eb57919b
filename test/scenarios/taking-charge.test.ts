import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Secret } from '../../src/model/secret.ts'
import type { DesiredValue, ResolvedState } from '../../src/model/variable-set.ts'
import { desiredDigest } from '../../src/plan/ownership.ts'
import type { SetSeed, Traits } from '../../src/sandbox/index.ts'
import type { ApiRequest } from '../../src/wire/transport.ts'
import { aPlace, type Place } from '../support/place.ts'
import { planOf } from '../support/plans.ts'
import { appliedIn, preparedIn } from '../support/round.ts'
import { aDesiredState, anObserved, anObservedState, aSet } from '../support/states.ts'
import { asRows } from '../support/warned.ts'
import { aWorld } from '../support/world.ts'

const OWNED = 'organization: acme\nowner: us\n'
const VALUE = { env: { SETPOINT_SECRET_PW: 'the-new-one' } }
const NOTHING = { env: {} }

/** A set file with one variable. */
const declaring = (variable: string) =>
  `variableSets:\n  a:\n    env:\n      LEVEL: info\n      PW: ${variable}\n`
const EXTERNAL = '{ external: true }'
const PLAIN = '{ secret: PW }'
const VERSIONED = '{ secret: { name: PW, version: "1" } }'

const leaked: SetSeed[] = [
  {
    name: 'a',
    variables: [
      { key: 'LEVEL', value: 'info', category: 'env' },
      { key: 'PW', value: 'leaked', category: 'env', sensitive: true },
    ],
  },
]

/** A repository of which this file is the first version, and a service that has the set with a secret of somebody else. */
async function aRepository(variable: string, { traits = {}, configuration = OWNED } = {}) {
  const files = { 'setpoint.yaml': configuration, 'sets/a.yaml': declaring(variable) }
  const place = await aPlace(files, { sets: leaked, traits })
  commit(place)
  return place
}

function commit({ cwd }: Place): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false']
  execFileSync('git', ['init', '-q'], { cwd })
  execFileSync('git', ['add', '.'], { cwd })
  execFileSync('git', [...identity, 'commit', '-qm', 'Files'], { cwd, stdio: 'pipe' })
}

/** Commits the next version of the file. */
function change(place: Place, variable: string): void {
  place.write({ 'sets/a.yaml': declaring(variable) })
  commit(place)
}

const storedValue = ({ sandbox }: Place): string | undefined =>
  sandbox
    .snapshot({ sensitive: true })
    .sets?.find(({ name }) => name === 'a')
    ?.variables?.find(({ key }) => key === 'PW')?.value

const apply = (place: Place, given: typeof VALUE | typeof NOTHING = VALUE, ...argv: readonly string[]) =>
  place.setpoint(['apply', '--auto-approve', ...argv], given)

/** The exit code of a plan and its line about secrets. */
async function planned(place: Place, ...argv: readonly string[]): Promise<string> {
  const { code, stdout } = await place.setpoint(['plan', '--detailed-exitcode', '--verbose', ...argv])
  return `${code} ${/^Secrets +(.*)$/m.exec(stdout)?.[1]}`
}

const version = (text: string) => ({ secret: { name: 'PW', version: text } })

/** A service with the set, behind a proxy that refuses, pretends or shortens when it is told to. */
async function aRefusing(matches: (request: ApiRequest) => boolean, sets: readonly SetSeed[] = leaked) {
  const is = { refusing: false, pretending: false, stripping: false }
  const world = await aWorld(sets, {
    between: next => async (request, signal) => {
      if (is.refusing && matches(request)) return { status: 422, headers: {}, body: '{"errors":[]}' }
      if (is.pretending && request.method === 'PATCH' && !request.body?.includes('digest'))
        return await next({ method: 'GET', path: request.path, headers: request.headers }, signal)
      const response = await next(request, signal)
      if (!is.stripping || request.method === 'GET') return response
      return { ...response, body: response.body.replace(/"version-id":"[^"]*",?/g, '').replace(/,}/g, '}') }
    },
  })
  const files = (value: DesiredValue): ResolvedState => ({
    ...aDesiredState(aSet('a', { variables: { 'env/LEVEL': 'info', 'env/PW': value } })),
    owner: 'us',
  })
  return {
    refuse: (yes: boolean) => (is.refusing = yes),
    pretend: (yes: boolean) => (is.pretending = yes),
    strip: (yes: boolean) => (is.stripping = yes),
    apply: (value: DesiredValue, secret = 'the-new-one') =>
      appliedIn(world, files(value), {}, { secrets: () => new Secret(secret) }),
    steps: async (value: DesiredValue): Promise<string[]> =>
      (await preparedIn(world, files(value))).plan.steps.map(({ id, operation }) =>
        'rewrite' in operation ? `${id} (${operation.rewrite})` : id,
      ),
    value: (): string | undefined =>
      world.sandbox
        .snapshot({ sensitive: true })
        .sets?.find(({ name }) => name === 'a')
        ?.variables?.find(({ key }) => key === 'PW')?.value,
  }
}

const record = ({ sandbox }: Place): unknown => {
  const inventory = sandbox.snapshot().sets?.find(({ name }) => name === 'setpoint-inventory-us')
  const { versionId, ...rest } = JSON.parse(inventory?.variables?.[0]?.value ?? '{}').secrets['env/PW'] ?? {}
  return { ...rest, isSent: versionId !== undefined }
}

describe('a variable that becomes a secret of the files', () => {
  test.each([
    ['with a version', VERSIONED, '0 1 same'],
    [
      'without one',
      PLAIN,
      '0 1 not verified (no version and no fingerprint key; to send one, write a new version)',
    ],
  ])('%s is sent if the inventory shows that its value was set elsewhere', async (_, variable, after) => {
    const place = await aRepository(EXTERNAL)
    expect((await apply(place)).code).toBe(0)
    change(place, variable)
    const plan = await place.setpoint(['plan', '--detailed-exitcode'])
    expect(plan.code).toBe(2)
    expect(plan.stdout).toMatch(
      /~ a {2}~ env PW {2}\(secret\).*no write recorded(?: {2}.*)? {3}sets\/a.yaml:5/,
    )
    const { code, stdout } = await apply(place)
    expect({ code, value: storedValue(place) }).toEqual({ code: 0, value: 'the-new-one' })
    expect(stdout).toContain('Secrets  1 sent')
    expect(await planned(place)).toBe(after)
  })

  test('needs its value before the first write', async () => {
    const place = await aRepository(EXTERNAL)
    await apply(place)
    place.write({ 'sets/a.yaml': declaring(VERSIONED).replace('info', 'debug') })
    const { code, stderr } = await apply(place, NOTHING)
    expect({ code, live: place.live().join() }).toEqual({ code: 1, live: expect.stringContaining('info') })
    expect(stderr).toContain('sets/a.yaml:5:7  error missing-secret')
  })

  test('is sent again after it was external in between', async () => {
    const place = await aRepository(VERSIONED)
    await apply(place)
    change(place, EXTERNAL)
    await apply(place)
    change(place, VERSIONED)
    expect(await planned(place)).toBe('2 1 to write')
  })

  test('is sent by a later run if this one fails', async () => {
    const world = await aRefusing(({ body = '' }) => body.includes('"value":"the-new-one"'))
    await world.apply({ external: true })
    world.refuse(true)
    expect((await world.apply(version('1'))).exitCode).toBe(1)
    world.refuse(false)
    expect(await world.steps(version('1'))).toEqual(['update-variable a env/PW (taken-charge)'])
  })

  test('is sent by a reviewed plan, and a second time is already done', async () => {
    const place = await aRepository(EXTERNAL)
    await apply(place)
    change(place, PLAIN)
    await place.setpoint(['plan', '--out', 'plan.json'])
    const { code, stderr } = await place.setpoint(['apply', 'plan.json'], VALUE)
    expect({ code, stderr, value: storedValue(place) }).toEqual({ code: 0, stderr: '', value: 'the-new-one' })
    const again = await place.setpoint(['apply', 'plan.json'], VALUE)
    expect([again.code, again.stderr]).toEqual([0, 'already done: "update-variable a env/PW"\n'])
  })

  test('is sent although the file changed elsewhere in between, or the variable was readable or missing', async () => {
    for (const byHand of [{ sensitive: false }, undefined]) {
      const place = await aRepository(EXTERNAL)
      const { sets = [], ...rest } = place.sandbox.snapshot({ sensitive: true })
      const without = sets.map(set => ({
        ...set,
        variables: (set.variables ?? []).flatMap(one =>
          one.key !== 'PW' ? one : byHand === undefined ? [] : { ...one, ...byHand },
        ),
      }))
      place.sandbox.restore({ ...rest, sets: without })
      await apply(place)
      const now = place.sandbox.snapshot({ sensitive: true }).sets ?? []
      place.sandbox.restore({
        ...rest,
        sets: now.map(set => (set.name === 'a' ? { ...set, variables: leaked[0]?.variables ?? [] } : set)),
      })
      place.write({ 'sets/a.yaml': declaring(PLAIN).replace('info', 'debug') })
      expect((await apply(place)).code).toBe(0)
      expect(storedValue(place)).toBe('the-new-one')
    }
  })
})

describe('docs/bad-days.md, a secret that leaked: the line of the pull request', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/bad-days.md'), 'utf8')
  const [, documented = ''] = /DB_PASSWORD: (\{ secret: \{.*version.*)$/m.exec(page) ?? []

  test.each([
    ['after the first apply of these files', true],
    ['as the first apply of these files', false],
  ])('rotates a secret of files that init wrote, %s', async (_, isApplied) => {
    const place = await aPlace({}, { sets: leaked })
    rmSync(join(place.cwd, 'setpoint.yaml'))
    expect((await place.setpoint(['init', 'acme', '--owner', 'us'])).code).toBe(0)
    if (isApplied) expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    const file = readFileSync(join(place.cwd, 'sets/a.yaml'), 'utf8')
    expect(file).toMatch(/PW:\n +external: true\n/)
    place.write({ 'sets/a.yaml': file.replace(/PW:\n +external: true\n/, `PW: ${documented}\n`) })
    const plan = await place.setpoint(['plan', '--detailed-exitcode'])
    expect([plan.code, plan.stdout]).toEqual([2, expect.stringContaining('version 2026-11')])
    const env = { SETPOINT_SECRET_DB_PASSWORD: 'the-new-one' }
    expect((await place.setpoint(['apply', '--auto-approve'], { env })).code).toBe(0)
    expect([storedValue(place), await planned(place)]).toEqual(['the-new-one', '0 1 same'])
  })
})

const NOT_SENT = asRows(`sets/a.yaml:5:7  warning not-sent
  "a" has secrets whose values are not sent: env/PW. No write of them is recorded, so it is unknown what the service has.
  To send them, write a version:
    PW: { secret: { name: PW, version: "1" } }
  If the service has the right value: \`accept: [not-sent]\` at the variable.
`)

describe('a set that the inventory does not list, equal to the files', () => {
  test('with a version of a secret is listed, and the secret is sent without an adoption', async () => {
    const place = await aRepository(VERSIONED)
    expect(await planned(place)).toBe('2 1 to write')
    expect((await apply(place)).code).toBe(0)
    expect(storedValue(place)).toBe('the-new-one')
    expect(await planned(place)).toBe('0 1 same')
  })

  test('is still blocked if it differs in anything else', async () => {
    const place = await aRepository(VERSIONED)
    place.write({ 'sets/a.yaml': declaring(VERSIONED).replace('info', 'debug') })
    expect((await apply(place)).stderr).toContain('"a" is in no inventory and differs from the file')
  })

  test('without a version is listed, its secret is not sent, and a later version sends it', async () => {
    const place = await aRepository(PLAIN)
    expect(await planned(place)).toBe(
      '0 1 not verified (no write recorded; to send one, write a new version)',
    )
    expect((await apply(place, NOTHING)).stdout).toContain(
      'Secrets  1 not verified (no write recorded; to send one, write a new version)',
    )
    expect(record(place)).toEqual({ name: 'PW', isSent: false })
    expect(await planned(place)).toBe(
      '0 1 not verified (no write recorded; to send one, write a new version)',
    )
    change(place, VERSIONED)
    expect(await planned(place)).toBe('2 1 to write')
    await apply(place)
    expect(storedValue(place)).toBe('the-new-one')
    expect(record(place)).toEqual({ name: 'PW', version: '1', isSent: true })
  })

  test('and a base that shows the secret as external, is not sent, and the warning has the line that sends it', async () => {
    const place = await aRepository(EXTERNAL)
    change(place, PLAIN)
    const { code, stdout } = await place.setpoint(['plan', '--detailed-exitcode', '--base', 'HEAD^1'])
    expect([code, stdout]).toEqual([0, expect.stringContaining(NOT_SENT)])
    const applied = await apply(place, NOTHING, '--base', 'HEAD^1')
    expect([applied.code, applied.stdout]).toEqual([0, expect.stringContaining(NOT_SENT)])
    expect(storedValue(place)).toBe('leaked')
    // The warning stays, also without the base, until the line is written.
    const [line = ''] = /PW: \{ secret: \{ name.*$/m.exec((await place.setpoint(['plan'])).stdout) ?? []
    expect(line).toBe('PW: { secret: { name: PW, version: "1" } }')
    place.write({ 'sets/a.yaml': declaring(PLAIN).replace('PW: { secret: PW }', line) })
    expect((await apply(place)).code).toBe(0)
    expect([storedValue(place), await planned(place)]).toEqual(['the-new-one', '0 1 same'])
    expect((await place.setpoint(['plan'])).stdout).not.toContain('not-sent')
  })

  test('is silent with `accept: [not-sent]`, and keeps the value of the service', async () => {
    const place = await aRepository('{ secret: PW, accept: [not-sent] }')
    const { code, stdout } = await apply(place, NOTHING)
    expect([code, stdout]).toEqual([0, expect.not.stringContaining('not-sent')])
    expect(storedValue(place)).toBe('leaked')
  })

  test('after the inventory was deleted, the secret with a version is sent, and no other is called unwritten', async () => {
    for (const [variable, said] of [
      [VERSIONED, '2 1 to write'],
      [PLAIN, '0 1 not verified (no write recorded; to send one, write a new version)'],
    ] as const) {
      const place = await aRepository(variable)
      await apply(place, VALUE, '--rewrite', 'a', '--adopt', 'a')
      const { sets = [], ...rest } = place.sandbox.snapshot({ sensitive: true })
      place.sandbox.restore({ ...rest, sets: sets.filter(({ name }) => name === 'a') })
      expect(await planned(place)).toBe(said)
    }
  })
})

describe('a version is recorded only with its value', () => {
  test('if the write of the inventory fails, a changed version is sent by the next apply', async () => {
    const world = await aRefusing(({ body = '' }) => body.includes('setpoint-inventory-'), [])
    world.refuse(true)
    const first = await world.apply(version('1'), 'old')
    // The set itself was verified: only the inventory is left.
    expect([first.exitCode, first.inventory?.state, first.closing.state]).toEqual([3, 'failed', 'equal'])
    world.refuse(false)
    expect(await world.steps(version('1'))).toEqual(['update-variable a env/PW (taken-charge)'])
    expect((await world.apply(version('2'))).exitCode).toBe(0)
    expect([world.value(), await world.steps(version('2'))]).toEqual(['the-new-one', []])
  })

  test('a rotation whose inventory entry could not be written is done, and is done again', async () => {
    const world = await aRefusing(
      ({ method, body = '' }) => method === 'PATCH' && body.includes('digest'),
      [],
    )
    await world.apply(version('1'), 'old')
    world.refuse(true)
    const { exitCode, closing, results } = await world.apply(version('2'))
    expect([exitCode, closing.state, results.map(({ outcome }) => outcome.status)]).toEqual([
      3,
      'equal',
      ['succeeded'],
    ])
    world.refuse(false)
    expect(await world.steps(version('2'))).toEqual(['update-variable a env/PW (source-changed)'])
  })

  test('not if the service reports success and the variable keeps its version', async () => {
    const world = await aRefusing(() => false, [])
    await world.apply(version('1'), 'old')
    world.pretend(true)
    expect((await world.apply(version('2'))).exitCode).toBe(3)
    world.pretend(false)
    expect(await world.steps(version('2'))).toEqual(['update-variable a env/PW (source-changed)'])
  })

  test('a response without a version id is no reason to send the secret again', async () => {
    const world = await aRefusing(() => false, [])
    world.strip(true)
    await world.apply(version('1'))
    world.strip(false)
    expect(await world.steps(version('1'))).toEqual([])
  })
})

describe('on a service without version ids', () => {
  const traits: Partial<Traits> = { versions: 'no' }

  test.each([
    [VERSIONED, '0 1 not verified (no version id of the last write; to send one, write a new version)'],
    [PLAIN, '0 1 not verified (no version and no fingerprint key; to send one, write a new version)'],
  ])('an external variable becomes a secret once: %s', async (variable, after) => {
    const place = await aRepository(EXTERNAL, { traits })
    await apply(place)
    change(place, variable)
    expect(await planned(place)).toBe('2 1 to write')
    await apply(place)
    expect(storedValue(place)).toBe('the-new-one')
    expect(record(place)).toMatchObject({ name: 'PW', value: 'sent' })
    expect(await planned(place)).toBe(after)
  })
})

test('without an inventory, nothing is sent, and the plan says what sends it; with a base at the line', async () => {
  const place = await aRepository(EXTERNAL, { configuration: 'organization: acme\n' })
  change(place, PLAIN)
  const open =
    '0 1 not verified (the API never returns sensitive values; to send one again: --rewrite SET/KEY)'
  expect(await planned(place)).toBe(open)
  expect((await place.setpoint(['plan'])).stdout).not.toContain('not-sent')
  expect(await planned(place, '--base', 'HEAD^1')).toBe(open)
  const { stdout } = await place.setpoint(['plan', '--base', 'HEAD^1'])
  expect(stdout).toContain('  warning  sets/a.yaml:5:7  not-sent\n')
  const [, command = ''] = /To send them: setpoint (apply .*)$/m.exec(stdout) ?? []
  expect(command).toBe('apply --rewrite a/env/PW')
  expect((await place.setpoint([...command.split(' '), '--auto-approve'], VALUE)).code).toBe(0)
  expect(storedValue(place)).toBe('the-new-one')
})

test('without an inventory, another name of a secret is not sent either, and with a base the warning says so', async () => {
  for (const before of ['{ secret: OLD }', 'readable now']) {
    const place = await aRepository(before, { configuration: 'organization: acme\n' })
    change(place, PLAIN)
    expect((await place.setpoint(['plan', '--base', 'HEAD^1'])).stdout).toContain(
      '  warning  sets/a.yaml:5:7  not-sent\n',
    )
    // A change of something else does not name it again.
    place.write({ 'sets/a.yaml': `# later\n${declaring(PLAIN)}` })
    commit(place)
    expect((await place.setpoint(['plan', '--base', 'HEAD^1'])).stdout).not.toContain('not-sent')
  }
})

/** An entry that is too long is written without its records. */
test('an entry without records says nothing about the secrets of a file that has not changed', () => {
  const hidden = { variables: { 'env/PW': { hidden: true } } } as const
  const set = aSet('a', { variables: { 'env/PW': { secret: { name: 'PW' } } } })
  const changed = { ...set, description: 'new' }
  const entry = {
    setId: 'varset-1',
    variableId: 'var-9',
    digest: desiredDigest(set),
    secrets: {},
    damaged: false,
  } as const
  const observed = {
    ...anObservedState(anObserved('1', 'a', hidden)),
    inventories: [{ owner: 'us', id: 'varset-9' as const, entries: [entry] }],
  }
  const steps = (one: typeof set) =>
    planOf({ ...aDesiredState(one), owner: 'us' }, observed).steps.map(({ id }) => id)
  expect(steps(set)).toEqual([])
  expect(steps(changed)).toEqual(['update-set a', 'update-variable a env/PW'])
})
