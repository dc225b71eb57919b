import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { ApplyResult } from '../../src/apply/outcome.ts'
import type { ResolvedState } from '../../src/model/variable-set.ts'
import { renderers } from '../../src/report/index.ts'
import type { Traits } from '../../src/sandbox/index.ts'
import { type Transport, TransportError } from '../../src/wire/transport.ts'
import { aPlace, SEED } from '../support/place.ts'
import { appliedIn } from '../support/round.ts'
import { aDesiredState, aSet } from '../support/states.ts'
import { aWorld, type World } from '../support/world.ts'

const OWNED = 'organization: acme\nowner: net\n'
const SETS = 'variableSets: { team: { project: p, env: { A: 1 } } }\n'
const TOKEN = "set SETPOINT_TOKEN or TFE_TOKEN to a token that may manage the organization's variable sets"
const EXIT = 'exit 3: applied, but writing the inventory failed'

const lastTwo = (output: string): string[] => output.trimEnd().split('\n').slice(-2)

describe('with a token for one project, sets are written and the inventory is refused', () => {
  /** An apply with such a token, without an existing inventory. */
  async function applied(denied: Traits['denied'], configuration = OWNED) {
    const place = await aPlace(
      { 'setpoint.yaml': configuration, 'sets/a.yaml': SETS },
      { traits: { denied } },
    )
    place.sandbox.restore({
      ...SEED,
      tokens: [
        { token: 'theirs', permission: 'read-variables', projects: { p: 'manage' } },
        { token: 'all', permission: 'manage-workspaces' },
      ],
    })
    const as = (token: string, ...argv: readonly string[]) =>
      place.setpoint(['apply', '--auto-approve', ...argv], { env: { SETPOINT_TOKEN: token } })
    const reports = ['markdown=r.md', 'html=r.html', 'json=r.json'].flatMap(file => ['--report', file])
    return { ...place, as, first: await as('theirs', ...reports) }
  }

  const NEXT = `${TOKEN}, or remove "owner" from setpoint.yaml, then run the same apply again`

  test.each([403, 404] as const)('the report says so, and what to do: %s', async how => {
    const { cwd, first } = await applied(how)
    expect(first.code).toBe(3)
    expect(first.stdout).toContain(
      '1 done, 0 failed, 0 skipped, 0 unknown, inventory not complete. Verified by reading the service back: nothing is left to do for the sets.',
    )
    expect(first.stdout).toMatch(/ {2}failed +the inventory +POST .*\(40[34]\)/)
    expect(lastTwo(first.stdout)).toEqual([`Next: ${NEXT}`, EXIT])
    const read = (file: string): string => readFileSync(join(cwd, file), 'utf8')
    expect(read('r.md')).toContain(`Next: ${NEXT}\n`)
    expect(read('r.md')).toContain(EXIT)
    expect(read('r.html')).toContain('variable sets, or remove ')
    expect(read('r.html')).toContain(EXIT)
    const { exitCode, closing, inventory, results } = JSON.parse(read('r.json'))
    expect([exitCode, closing, results.length]).toEqual([3, { state: 'equal' }, 1])
    expect(inventory).toEqual({
      state: 'failed',
      requests: 1,
      message: expect.stringMatching(/^POST .*\(40[34]\)/),
    })
  })

  test('a second apply with the same token reports only the inventory', async () => {
    const { as } = await applied(403)
    const { code, stdout } = await as('theirs')
    expect(code).toBe(3)
    expect(stdout).toContain('\nNo set had to change. Verified by reading')
    expect(lastTwo(stdout)).toEqual([`Next: ${NEXT}`, 'exit 3: writing the inventory failed'])
  })

  /** docs/files.md#sets-of-projects, "A token for one project". */
  test('a change of the sets is blocked, because no inventory lists them', async () => {
    const { as, write, live } = await applied(403)
    write({ 'sets/a.yaml': SETS.replace('A: 1', 'A: 2') })
    const { code, stderr } = await as('theirs')
    expect([code, live()]).toEqual([4, [expect.stringContaining('env/A=1')]])
    expect(stderr).toContain('"team" is in no inventory and differs from the file')
  })

  test('if there is an inventory, nothing is written', async () => {
    const { as, write, live } = await applied(403)
    await as('all')
    write({ 'sets/a.yaml': SETS.replace('A: 1', 'A: 2') })
    const { code, stderr } = await as('theirs')
    expect([code, live().join()]).toEqual([1, expect.stringContaining('env/A=1')])
    expect(stderr).toContain('error no-permission\n  The token cannot change "setpoint-inventory-net".')
    const refused = `Nothing was written. Set SETPOINT_TOKEN or TFE_TOKEN to a token that may write every set and the inventory, which --only does not leave out.`
    expect(stderr).toContain(refused)
    expect(await as('theirs', '--only', 'team')).toMatchObject({ code: 1, stderr })
    expect((await as('theirs', '--only', 'team')).stdout).toContain(
      'Each apply writes the inventory, so --only does not leave it out; without `owner` in setpoint.yaml there is none.',
    )
  })

  test('with `prune`, which requires an owner, the only advice is another token', async () => {
    const { first } = await applied(403, `${OWNED}prune: true\nowns: ["*"]\n`)
    expect(lastTwo(first.stdout)).toEqual([`Next: ${TOKEN}, then run the same apply again`, EXIT])
  })

  test('a token that may write the inventory writes it', async () => {
    const { as, live } = await applied(403)
    expect((await as('all')).code).toBe(0)
    expect(live().join('\n')).toContain('setpoint-inventory-net')
  })

  test('without "owner" the apply succeeds', async () => {
    const { as, write } = await applied(403)
    write({ 'setpoint.yaml': 'organization: acme\n' })
    expect((await as('theirs')).code).toBe(0)
  })
})

describe('sets are written, and every write of the inventory fails', () => {
  const files = (value: string): ResolvedState => ({
    ...aDesiredState(aSet('team', { variables: { 'env/A': { text: value } } })),
    owner: 'net',
  })

  const appliedTo = (world: World, value: string): Promise<ApplyResult> => appliedIn(world, files(value))

  const answer =
    (status: number): Transport =>
    async () => ({ status, headers: {}, body: '' })
  const refuseConnection: Transport = async () => {
    throw new TransportError('POST /x: the connection was refused', { sent: 'no', code: 'ECONNREFUSED' })
  }
  const AGAIN = 'run the same apply again'
  const VALID = 'set SETPOINT_TOKEN or TFE_TOKEN to a valid token that may write'
  const CONNECTION = 'check the connection to the service (address, network, proxy)'

  test.each([
    ['it does not exist yet, 500', answer(500), false, AGAIN],
    ['it does not exist yet, 501', answer(501), false, AGAIN],
    ['it exists, 503', answer(503), true, AGAIN],
    ['it exists, 403: removing "owner" is not advised', answer(403), true, `${TOKEN}, then ${AGAIN}`],
    ['it exists, 401', answer(401), true, `${VALID}, then ${AGAIN}`],
    ['no connection', refuseConnection, false, `${CONNECTION}, then ${AGAIN}`],
  ] as const)('%s: the report says so, and what to do', async (_, fails, exists, next) => {
    let isFailing = false
    const world: World = await aWorld([], {
      between: service => async (request, signal) => {
        const ids = (world.sandbox.snapshot().sets ?? []).flatMap(({ id = '', name }) =>
          name.startsWith('setpoint-inventory-') ? [id] : [],
        )
        const isInventory =
          request.body?.includes('setpoint-inventory-') === true || ids.some(id => request.path.includes(id))
        const isWrite = request.method !== 'GET'
        return await (isFailing && isInventory && isWrite ? fails : service)(request, signal)
      },
    })
    if (exists) expect((await appliedTo(world, '1')).exitCode).toBe(0)
    isFailing = true
    const failed = await appliedTo(world, '2')
    const text = renderers.text({ kind: 'apply', result: failed }, { color: false })
    expect([failed.exitCode, failed.results.map(({ outcome }) => outcome.status)]).toEqual([3, ['succeeded']])
    expect(text).toMatch(/ {2}failed +the inventory +\w/)
    expect(lastTwo(text)).toEqual([`Next: ${next}`, EXIT])
    isFailing = false
    const { exitCode, inventory, results } = await appliedTo(world, '2')
    expect([exitCode, inventory?.state, results]).toEqual([0, 'written', []])
    expect((await appliedTo(world, '2')).inventory?.state).toBe('none')
  })
})
