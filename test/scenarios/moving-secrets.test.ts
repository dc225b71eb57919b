import { describe, expect, test } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/index.ts'
import { aPlace, type Place, writeFiles } from '../support/place.ts'
import { aDirectory, type Ran, run } from '../support/program.ts'

const config = (owner: string) => ({ 'setpoint.yaml': `organization: acme\nowner: ${owner}\n` })
const declared = (moves: string) => ({ 'sets/a.yaml': `variableSets:\n${moves}` })
const MOVES = '  moves: { env: { V: { secret: { name: V, version: "1" } }, U: { secret: U } } }\n'
const SECRETS = { SETPOINT_SECRET_V: 'first-v', SETPOINT_SECRET_U: 'first-u' }
const KEY = { SETPOINT_FINGERPRINT_KEY: 'k'.repeat(32) }

interface Repository {
  readonly setpoint: (argv: readonly string[], env?: Readonly<Record<string, string>>) => Promise<Ran>
  readonly write: Place['write']
}

/** A set with secrets in the inventory of `old`, and the repository of `new`, which declares it as well. */
async function moving(
  env: Readonly<Record<string, string>> = {},
  traits: SandboxOptions['traits'] = {},
  moves = MOVES,
) {
  const place = await aPlace({ ...config('old'), ...declared(MOVES) }, { traits })
  const old: Repository = {
    setpoint: (argv, more = {}) => place.setpoint(argv, { env: more }),
    write: place.write,
  }
  const cwd = aDirectory({ ...config('new'), ...declared(moves) })
  const fresh: Repository = {
    setpoint: (argv, more = {}) => run(argv, { cwd, env: { ...place.env, ...more } }),
    write: files => writeFiles(cwd, files),
  }
  expect((await old.setpoint(['apply', '--auto-approve'], { ...SECRETS, ...env })).code).toBe(0)
  return { place, old, fresh }
}

const ADOPT = ['--auto-approve', '--adopt', 'moves']

/** The steps of a plan, and the state of each secret. */
async function planned({ setpoint }: Repository, argv: readonly string[] = [], env = {}): Promise<string[]> {
  const { code, stdout, stderr } = await setpoint(['plan', '--format', 'json', ...argv], env)
  expect(code, stderr).toBe(0)
  const { steps, facts } = JSON.parse(stdout)
  return [
    ...steps.map(({ id, operation }: { id: string; operation: { rewrite?: string } }) =>
      operation.rewrite === undefined ? id : `${id} (${operation.rewrite})`,
    ),
    ...facts.secrets.map(
      ({ key, state: { state, why = '' } }: { key: string; state: { state: string; why?: string } }) =>
        `${key} ${state} ${why}`.trimEnd(),
    ),
  ]
}

/** Somebody writes a variable in the service. */
async function rotate({ sandbox }: Place, key: string): Promise<void> {
  const set = sandbox.snapshot().sets?.find(({ name }) => name === 'moves')
  const id = set?.variables?.find(one => one.key === key)?.id
  const { status } = await sandbox.transport({
    method: 'PATCH',
    path: `/api/v2/varsets/${set?.id}/relationships/vars/${id}`,
    headers: { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/vnd.api+json' },
    body: JSON.stringify({ data: { type: 'vars', attributes: { value: `by-hand-${key}` } } }),
  })
  expect(status).toBe(200)
}

const OPEN = 'env/U not-compared no-version'

describe('a set with secrets that another owner adopts', () => {
  test('takes its records along: no secret is needed or sent, and all is known as before, there and back', async () => {
    const { place, old, fresh } = await moving()
    const before = place.live().filter(line => line.startsWith('moves'))
    expect(await planned(fresh, ['--adopt', 'moves'])).toEqual([OPEN, 'env/V same'])
    const { code, stdout } = await fresh.setpoint(['apply', ...ADOPT])
    expect([code, stdout]).toEqual([0, expect.stringContaining('The inventory now lists moves.')])
    expect(place.live().filter(line => line.startsWith('moves'))).toEqual(before)
    expect(await planned(fresh)).toEqual([OPEN, 'env/V same'])
    expect((await old.setpoint(['apply', ...ADOPT])).code).toBe(0)
    expect(await planned(old)).toEqual([OPEN, 'env/V same'])
  })

  test('is rotated by a new version in the same change, and only that secret is sent', async () => {
    const { place, fresh } = await moving({}, {}, MOVES.replace('"1"', '"2"'))
    expect(await planned(fresh, ['--adopt', 'moves'])).toEqual([
      'update-variable moves env/V (source-changed)',
      OPEN,
      'env/V write',
    ])
    expect((await fresh.setpoint(['apply', ...ADOPT], { SETPOINT_SECRET_V: 'second-v' })).code).toBe(0)
    expect(place.live().join()).toMatch(/env\/U=\(first-u\) env\/V=\(second-v\)/)
  })

  test('with a key, also a changed value is noticed: the fingerprints come along', async () => {
    const { fresh } = await moving(KEY)
    const env = { ...SECRETS, ...KEY }
    expect(await planned(fresh, ['--adopt', 'moves'], env)).toEqual(['env/U same', 'env/V same'])
    const turned = { ...env, SETPOINT_SECRET_U: 'second-u' }
    expect(await planned(fresh, ['--adopt', 'moves'], turned)).toEqual([
      'update-variable moves env/U (value-changed)',
      'env/U write',
      'env/V same',
    ])
    expect((await fresh.setpoint(['apply', ...ADOPT], env)).code).toBe(0)
    expect(await planned(fresh, [], env)).toEqual(['env/U same', 'env/V same'])
  })

  test('and that somebody wrote since: the record is not believed, so a version is sent, and no value without one', async () => {
    const { place, fresh } = await moving()
    await rotate(place, 'V')
    await rotate(place, 'U')
    expect(await planned(fresh, ['--adopt', 'moves'])).toEqual([
      'update-variable moves env/V (source-changed)',
      'env/U not-compared not-recorded',
      'env/V write',
    ])
    expect((await fresh.setpoint(['apply', ...ADOPT], SECRETS)).code).toBe(0)
    expect(await planned(fresh)).toEqual(['env/U not-compared not-recorded', 'env/V same'])
  })

  test('and whose secret has another name there, is sent', async () => {
    const { fresh } = await moving({}, {}, MOVES.replace('secret: U', 'secret: OTHER'))
    expect((await planned(fresh, ['--adopt', 'moves']))[0]).toBe(
      'update-variable moves env/U (source-changed)',
    )
  })

  test('on a service without versions of variables: a version is sent, and no value without one', async () => {
    const { fresh } = await moving({}, { versions: 'no' })
    expect(await planned(fresh, ['--adopt', 'moves'])).toEqual([
      'update-variable moves env/V (source-changed)',
      'env/U not-compared not-recorded',
      'env/V write',
    ])
  })

  test('with a text that the service stores without its newline, has no change either', async () => {
    const text = '  moves: { terraform: { motd: "hello\\n" } }\n'
    const place = await aPlace(
      { ...config('old'), ...declared(text) },
      { traits: { storedValues: 'trimmed' } },
    )
    expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    const cwd = aDirectory({ ...config('new'), ...declared(text) })
    const fresh: Repository = {
      setpoint: argv => run(argv, { cwd, env: place.env }),
      write: files => writeFiles(cwd, files),
    }
    expect(await planned(fresh, ['--adopt', 'moves'])).toEqual([])
    expect((await fresh.setpoint(['apply', ...ADOPT])).code).toBe(0)
    expect(await planned(fresh)).toEqual([])
  })

  test('and that both list, because the move was cut, is known to the new owner', async () => {
    const { place, fresh } = await moving()
    let isDown = false
    const cut = await run(['apply', ...ADOPT], {
      cwd: aDirectory({ ...config('new'), ...declared(MOVES) }),
      env: place.env,
      io: {
        transport: async (request, signal) => {
          isDown ||= request.method === 'DELETE'
          if (isDown) return { status: 503, headers: {}, body: '' }
          return await place.sandbox.transport(request, signal)
        },
      },
    })
    expect(cut.code).toBe(3)
    const seed = place.sandbox.snapshot().sets ?? []
    const listing = seed.filter(({ variables = [] }) =>
      variables.some(({ key }) => key.startsWith('varset-')),
    )
    expect(listing.map(({ name }) => name).sort()).toEqual([
      'setpoint-inventory-new',
      'setpoint-inventory-old',
    ])
    expect(await planned(fresh)).toEqual([OPEN, 'env/V same'])
  })
})
