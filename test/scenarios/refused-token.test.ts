import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ApiResponse, apply, type Transport, TransportError } from '../../src/library/index.ts'
import { createSandbox, type TokenSeed, type Traits } from '../../src/sandbox/index.ts'
import { FOR_PEOPLE } from '../support/formats.ts'
import { aPlace, ONE, SEED } from '../support/place.ts'
import { aDirectory } from '../support/program.ts'
import { asRows } from '../support/warned.ts'

/** An apply with a read-only token. */
async function appliedByReader(denied: Traits['denied']) {
  const place = await aPlace(ONE, { traits: { denied } })
  place.sandbox.restore({ ...SEED, tokens: [{ token: 'reader', permission: 'read-variables' }] })
  const { code, stdout } = await place.setpoint(['apply', '--auto-approve'], {
    env: { SETPOINT_TOKEN: 'reader' },
  })
  return { code, next: stdout.split('\n').find(line => line.startsWith('Next: ')) }
}

test('a read that is forbidden has a hint', async () => {
  const place = await aPlace(ONE, { traits: { denied: 403 } })
  place.sandbox.restore({ ...SEED, tokens: [{ token: 'nobody', permission: 'none' }] })
  const { code, stderr } = await place.setpoint(['plan'], { env: { SETPOINT_TOKEN: 'nobody' } })
  expect([code, stderr]).toEqual([1, expect.stringContaining('the token lacks the permission (403)')])
  expect(stderr).toContain('The token is valid at 127.0.0.1:')
  expect(stderr).toContain(', but may not do this.')
})

test('a wrong token has the host in its hint', async () => {
  const place = await aPlace(ONE)
  const { code, stderr } = await place.setpoint(['plan'], { env: { SETPOINT_TOKEN: 'wrong' } })
  expect(code).toBe(1)
  expect(stderr).toMatch(/If you meant another host than 127\.0\.0\.1:\d+, set SETPOINT_ADDRESS\./)
  const embedded = await place.setpoint(['plan', '--sandbox'])
  expect(embedded.stderr).not.toContain('SETPOINT_ADDRESS')
})

const NEXT =
  'Next: set SETPOINT_TOKEN or TFE_TOKEN to a valid token that may write, then run the same apply again'

test('after a refused write, the report advises to change the token', async () => {
  expect(await appliedByReader(404)).toEqual({ code: 1, next: NEXT })
})

describe('if the service does not tell that the token is read-only', () => {
  const NAMES = ['a', 'b', 'c']
  const sets = (value: string) => ({
    'sets/a.yaml': `variableSets:\n${NAMES.map(name => `  ${name}: { env: { A: ${value} } }\n`).join('')}`,
  })

  /** `expires`: the token ends before the first write arrives. */
  async function appliedWithReader(denied: Traits['denied'], more = {}, expires = false) {
    let end: (() => void) | undefined
    const place = await aPlace(sets('1'), {
      traits: { denied, owners: 'no' },
      faults: {
        matches: ({ method }) => {
          if (method !== 'GET') end?.()
          return false
        },
      },
    })
    await place.setpoint(['apply', '--auto-approve'])
    const before = place.live()
    place.write({ ...sets('2'), ...more })
    const { tokens: _, ...seed } = place.sandbox.snapshot({ sensitive: true })
    place.sandbox.restore({ ...seed, tokens: [{ token: 'reader', permission: 'read-variables' }] })
    if (expires) end = () => place.sandbox.restore(seed)
    const argv = ['apply', '--auto-approve', '--concurrency', '1', '--verbose']
    const { code, stdout, stderr } = await place.setpoint(argv, { env: { SETPOINT_TOKEN: 'reader' } })
    const writes = stderr.split('\n').filter(line => /^(?:POST|PATCH|PUT|DELETE) /.test(line)).length
    expect(place.live()).toEqual(before)
    return { code, stdout, writes }
  }

  test.each([
    [403, 'the token lacks the permission (403)', NEXT],
    [
      404,
      'not found, or the token lacks the permission to see or change it (404)',
      'Next: run the same apply again',
    ],
  ] as const)(
    'every step fails with the words of its response, and stops no other: %s',
    { tags: ['F-14', 'F-15'] },
    async (denied, said, next) => {
      const { code, stdout, writes } = await appliedWithReader(denied)
      expect([code, writes]).toEqual([1, NAMES.length])
      expect(stdout.split(said)).toHaveLength(NAMES.length + 1)
      expect(stdout).not.toContain('Stopped: ')
      expect(stdout).toContain(`${next}\n`)
    },
  )

  test('a token that is not valid any more stops the run at the first refused write', {
    tags: ['F-14'],
  }, async () => {
    const { code, stdout, writes } = await appliedWithReader(404, {}, true)
    expect([code, writes]).toEqual([3, 1])
    expect(stdout).toContain('Stopped: the service refused the token\n')
    expect(stdout).toContain(`${NEXT}\n`)
  })

  test('a 404 for a new set is about the organization, and stops the run', { tags: ['F-15'] }, async () => {
    const first = { 'sets/0.yaml': 'variableSets: { "0": { env: { B: 1 } } }\n' }
    const { code, stdout, writes } = await appliedWithReader(404, first)
    expect(code).toBe(1)
    expect(writes).toBeLessThanOrEqual(NAMES.length + 1)
    expect(stdout).toContain('Stopped: the organization is gone, or the token may not write to it\n')
    expect(stdout).toContain(`${NEXT}\n`)
  })
})

const THREE = (value: string): string =>
  ['org', 'other', 'team']
    .map(name => `  ${name}:\n    ${name === 'team' ? 'project: p\n    ' : ''}env: { A: ${value} }\n`)
    .join('')

/** Applied with full permission. Later runs have a token of the given kind. */
async function aPlaceWith(
  token: Omit<TokenSeed, 'token'>,
  { owner = '', changed = `variableSets:\n${THREE('2')}` }: { owner?: string; changed?: string } = {},
) {
  const place = await aPlace({
    'setpoint.yaml': `organization: acme\n${owner}`,
    'sets/a.yaml': `variableSets:\n${THREE('1')}`,
  })
  expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
  const { tokens: _, ...seed } = place.sandbox.snapshot({ sensitive: true })
  place.sandbox.restore({ ...seed, tokens: [{ token: 'theirs', ...token }] })
  place.write({ 'sets/a.yaml': changed })
  const before = place.live()
  const withToken = async (...argv: readonly string[]) => {
    const ran = await place.setpoint([...argv, '--verbose'], { env: { SETPOINT_TOKEN: 'theirs' } })
    const writes = ran.stderr.split('\n').filter(line => /^(?:POST|PATCH|PUT|DELETE) /.test(line))
    return { ...ran, writes: writes.length, messages: ran.stderr.replace(/^GET .*\n/gm, '') }
  }
  return { ...place, withToken, before }
}

const READER = { permission: 'read-variables' } as const
const TEAM = { permission: 'read-variables', projects: { p: 'manage' } } as const

describe('if the service tells what the token may do', () => {
  test('a plan with a read-only token says so once, and can be applied with another token', async () => {
    const { withToken, setpoint, before, live } = await aPlaceWith(READER)
    const planned = await withToken('plan', '--detailed-exitcode', '--out', 'plan.json', '--format', 'json')
    const report = JSON.parse(planned.stdout)
    expect([planned.code, report.blocked, report.diagnostics]).toEqual([2, false, []])
    expect(report.facts.unwritable).toEqual({ sets: ['org', 'other', 'team'], readsOnly: true })
    // A comment is short: it leaves out what changes nothing for its readers.
    for (const format of FOR_PEOPLE.filter(one => one !== 'markdown')) {
      const { stdout } = await withToken('plan', '--verbose', '--format', format)
      expect(stdout.match(/read-only; an apply needs write access/g)).toHaveLength(1)
    }
    const refused = await withToken('apply', 'plan.json')
    expect([refused.code, refused.writes]).toEqual([1, 0])
    expect(refused.stderr).toContain(
      'error no-permission\n  The token is read-only and cannot change "org", "other", "team".\n  Nothing was written. Set SETPOINT_TOKEN or TFE_TOKEN',
    )
    expect((await withToken('apply', '--approve', report.digest)).code).toBe(1)
    expect(live()).toEqual(before)
    expect((await setpoint(['plan', '--format', 'json'])).stdout).toContain(report.digest)
    expect((await setpoint(['apply', 'plan.json'])).code).toBe(0)
  })

  test('an apply is refused if the plan changes a set that the token may not change, with the line of the set', async () => {
    const changed = `variableSets:\n${THREE('2').replace(/( {2}other:\n.*A: )2/, '$11')}`
    const { withToken, before, live } = await aPlaceWith(TEAM, { changed })
    const planned = await withToken('plan')
    expect(planned.code).toBe(0)
    expect(planned.stdout).toContain(
      asRows('sets/a.yaml:2:3  warning no-permission\n  The token cannot change "org".\n'),
    )
    expect(planned.stdout.match(/no-permission/g)).toHaveLength(1)
    expect(planned.stdout).not.toContain('read-only')
    const refused = await withToken('apply', '--auto-approve')
    expect([refused.code, refused.writes]).toEqual([1, 0])
    expect(refused.messages).toContain('The token cannot change "org".\n')
    expect(live()).toEqual(before)
    expect((await withToken('apply', '--auto-approve', '--only', 'team')).code).toBe(0)
    const markdown = (await withToken('plan', '--format', 'markdown')).stdout
    expect(markdown).toContain('The token cannot change "org".')
  })

  test('sets that are deleted and the inventory are checked as well', async () => {
    const changed = `variableSets:\n${THREE('1').replace(/ {2}other:\n.*\n/, '')}removed: [other]\n`
    const { withToken } = await aPlaceWith(TEAM, { owner: 'owner: net\n', changed })
    const { facts, diagnostics } = JSON.parse((await withToken('plan', '--format', 'json')).stdout)
    expect(facts.unwritable).toEqual({ sets: ['other', 'setpoint-inventory-net'], readsOnly: false })
    expect(diagnostics).toMatchObject([{ source: { line: 7 } }, { code: 'no-permission' }])
  })

  test('a read-only token is not mentioned by drift, snapshot, and a plan without changes', async () => {
    const { withToken, write, cwd } = await aPlaceWith(READER)
    const drift = await withToken('drift', '--format', 'json')
    expect(drift.stdout).not.toMatch(/unwritable|no-permission/)
    expect((await withToken('drift')).stdout).not.toContain('Token')
    expect((await withToken('snapshot', '--out', 'snapshot.json')).code).toBe(0)
    expect(readFileSync(join(cwd, 'snapshot.json'), 'utf8')).not.toContain('unwritable')
    write({ 'sets/a.yaml': `variableSets:\n${THREE('1')}` })
    expect((await withToken('plan')).stdout).not.toContain('Token')
    expect((await withToken('apply', '--auto-approve')).code).toBe(0)
  })
})

test.each([
  ['the first was deleted', 1],
  ['the token may not change a later one', 2],
])('a refusal for one set does not stop the others: %s', async (_, nth) => {
  const sets = (value: string) =>
    `variableSets:\n${['a', 'b', 'c'].map(name => `  ${name}: { env: { A: ${value} } }\n`).join('')}`
  const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n', 'sets/a.yaml': sets('1') })
  const sandbox = await createSandbox()
  await apply({ cwd, sandbox, autoApprove: true })
  writeFileSync(join(cwd, 'sets/a.yaml'), sets('2'))
  let writes = 0
  const transport: Transport = async (request, signal) => {
    if (request.method === 'GET' || ++writes !== nth) return await sandbox.transport(request, signal)
    if (nth > 1) return { status: 404, headers: {}, body: '' }
    const path = request.path.replace(/\/relationships\/.*/, '')
    await sandbox.transport({ method: 'DELETE', path, headers: request.headers })
    return await sandbox.transport(request, signal)
  }
  const { report } = await apply({ cwd, sandbox: { ...sandbox, transport }, autoApprove: true })
  if (report?.kind !== 'apply') throw new Error('it was applied')
  expect(report.stopped).toBeUndefined()
  expect(report.results.map(({ status }) => status).toSorted()).toEqual(['failed', 'succeeded', 'succeeded'])
})

describe('if some writes fail, the report says what to change before the next run', () => {
  const sets = (value: string) =>
    `variableSets:\n${['a', 'b'].map(name => `  ${name}: { env: { A: ${value} } }\n`).join('')}`

  /** An apply of two changes. `fails` answers the writes to the set `b`. */
  async function appliedWith(fails: () => ApiResponse, onlyThese: 'b' | 'all' = 'b') {
    const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n', 'sets/a.yaml': sets('1') })
    const sandbox = await createSandbox()
    await apply({ cwd, sandbox, autoApprove: true })
    writeFileSync(join(cwd, 'sets/a.yaml'), sets('2'))
    const b = sandbox.snapshot().sets?.find(({ name }) => name === 'b')?.id ?? ''
    const transport: Transport = async (request, signal) =>
      request.method !== 'GET' && (onlyThese === 'all' || request.path.includes(b))
        ? fails()
        : await sandbox.transport(request, signal)
    const { exitCode, output } = await apply({
      cwd,
      sandbox: { ...sandbox, transport },
      autoApprove: true,
      concurrency: 1,
    })
    return [exitCode, output.split('\n').find(line => line.startsWith('Next: '))]
  }

  const refusedConnection = (): ApiResponse => {
    throw new TransportError('PATCH /x: the connection was refused', { sent: 'no', code: 'ECONNREFUSED' })
  }
  const CHECK = 'check the connection to the service (address, network, proxy)'
  const TOKEN = 'set SETPOINT_TOKEN or TFE_TOKEN to a valid token that may write'
  const AGAIN = 'then run the same apply again'
  test('the connection is refused', async () => {
    expect(await appliedWith(refusedConnection, 'all')).toEqual([1, `Next: ${CHECK}, ${AGAIN}`])
    expect(await appliedWith(refusedConnection)).toEqual([3, `Next: ${CHECK}, ${AGAIN}`])
  })

  test('the permission is missing for a later set', async () => {
    const forbidden = () => ({ status: 403, headers: {}, body: '' })
    expect(await appliedWith(forbidden)).toEqual([3, `Next: ${TOKEN}, ${AGAIN}`])
  })
})
