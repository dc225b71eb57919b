import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aPlace } from '../../support/place.ts'
import { aDirectory, run } from '../../support/program.ts'

const SECRET = 'canary-of-a-secret'
const FILES = {
  'setpoint.yaml': 'organization: acme\nowner: team\n',
  'sets/a.yaml':
    'variableSets:\n  a:\n    workspaces: [web]\n    env: { A: "1", S: { secret: S } }\n  b: { global: true, env: { G: x } }\n  owned: { project: payments }\n',
}
const HOUR = 3_600_000

/** A service with three managed sets, one of them owned by a project, and one unmanaged set; and a snapshot of it. */
async function aSnapshot(): Promise<{ cwd: string; text: string }> {
  const cwd = aDirectory(FILES)
  const other = aDirectory({
    'setpoint.yaml': 'organization: acme\n',
    'sets/o.yaml':
      'variableSets:\n  other: { env: { HIDDEN_FROM_US: their-value } }\n  wide: { global: true, env: { WIDE: their-value } }\n',
  })
  const env = { SETPOINT_SANDBOX_FILE: join(cwd, '.setpoint/sandbox'), SETPOINT_SECRET_S: SECRET }
  await run(['apply', '--sandbox', '--auto-approve'], { cwd, env })
  await run(['apply', '--sandbox', '--auto-approve'], { cwd: other, env })
  const taken = await run(['snapshot', '--sandbox', '--out', 'snapshot.json'], { cwd, env })
  expect([taken.code, taken.stderr]).toEqual([0, expect.stringContaining('contains 2 values')])
  return { cwd, text: readFileSync(join(cwd, 'snapshot.json'), 'utf8') }
}

const plan = (cwd: string, hours = 0, ...args: readonly string[]) =>
  run(['plan', '--snapshot', 'snapshot.json', ...args], {
    cwd,
    io: { now: () => new Date(Date.parse('2026-01-01T00:00:00Z') + hours * HOUR) },
  })

describe('a snapshot', () => {
  test('contains managed sets completely, of other sets only names and keys of global ones, and no secrets', async () => {
    const { text } = await aSnapshot()
    const { sets, others } = JSON.parse(text)
    expect(sets.map((set: { name: string }) => set.name)).toEqual(['a', 'b', 'owned'])
    expect(others).toMatchObject([
      { name: 'other', keys: [] },
      { name: 'wide', keys: ['env/WIDE'] },
    ])
    for (const hidden of [SECRET, 'their-value', 'HIDDEN_FROM_US']) expect(text).not.toContain(hidden)
  })

  test('results in the same plan and digest as the service, without a request', async () => {
    const { cwd } = await aSnapshot()
    writeFileSync(join(cwd, 'sets/a.yaml'), FILES['sets/a.yaml'].replace('"1"', '"2"'))
    const { digest, ...offline } = JSON.parse((await plan(cwd, 0, '--format', 'json')).stdout)
    const live = await run(['plan', '--sandbox', '--format', 'json'], { cwd })
    expect(digest).toBe(JSON.parse(live.stdout).digest)
    expect(offline.requests.reads).toBe(0)
  })

  test('omits readable values that may be secrets, and still results in the same plan', async () => {
    const leaked = `AKIA${'IOSFODNN7EXAMPL3'}`
    const values = {
      FILE_SAYS_SECRET: 'left-out-1',
      FILE_SAYS_EXTERNAL: 'left-out-2',
      SECRET_ELSEWHERE: 'left-out-3',
    }
    const kept = { IN_FILE: 'stays-1', OTHER: 'stays-2' }
    const variables = Object.entries({ ...values, ...kept, LOOKS: leaked }).map(([key, value]) => ({
      key,
      value,
      category: 'env',
    }))
    const place = await aPlace(
      {
        'sets/a.yaml': `variableSets:
  a:
    env:
      FILE_SAYS_SECRET: { secret: ONE }
      FILE_SAYS_EXTERNAL: { external: true, description: changed }
      SECRET_ELSEWHERE: plain
      IN_FILE: stays-1
      OTHER: changed
  b: { env: { SECRET_ELSEWHERE: { secret: TWO } } }
`,
      },
      { sets: [{ name: 'a', variables }] },
    )
    const taken = await place.setpoint(['snapshot', '--out', 'snapshot.json'])
    expect([taken.code, taken.stderr]).toEqual([
      0,
      `warning readable-values
  The snapshot contains 2 values that everyone with read access can see.
  Do not share it: an artifact of a public repository is public. It contains no secrets, and omits 4 readable values that the files declare as secret, that look like secrets, or that contain a secret of this run.
`,
    ])
    const text = readFileSync(join(place.cwd, 'snapshot.json'), 'utf8')
    for (const secret of [...Object.values(values), leaked]) expect(text).not.toContain(secret)
    for (const value of Object.values(kept)) expect(text).toContain(value)
    const steps = (ran: { stdout: string }): string[] =>
      JSON.parse(ran.stdout).steps.map(({ id }: { id: string }) => id)
    const offline = await plan(place.cwd, 0, '--format', 'json')
    expect(steps(offline)).toEqual(steps(await place.setpoint(['plan', '--format', 'json'])))
    const shown = (await plan(place.cwd)).stdout
    expect(shown).toMatch(/~ env FILE_SAYS_SECRET .*becomes sensitive/)
    expect(shown).toMatch(/~ env SECRET_ELSEWHERE +\(not shown\) -> plain/)
    expect(shown).toMatch(/- env LOOKS +\(not shown\)/)
  })

  test('has an age, which the plan reports', async () => {
    const { cwd } = await aSnapshot()
    expect((await plan(cwd, 0)).stdout).toContain('less than a minute old')
    expect((await plan(cwd, 14)).stdout).toContain('14 hours old')
    expect((await plan(cwd, 50)).stdout).toContain('2 days old')
    expect((await plan(cwd, -1)).stdout).toContain('from the future')
  })

  test('shows a conflict with an unmanaged global set', async () => {
    const { cwd } = await aSnapshot()
    writeFileSync(join(cwd, 'sets/c.yaml'), 'variableSets:\n  c: { global: true, env: { WIDE: mine } }\n')
    const { code, stderr } = await plan(cwd)
    expect([code, stderr]).toEqual([1, expect.stringContaining('global-conflict')])
  })

  test('cannot be used to plan a set of which it has only the name', async () => {
    const { cwd } = await aSnapshot()
    writeFileSync(join(cwd, 'sets/c.yaml'), 'variableSets:\n  other: {}\n  new: { previousNames: [wide] }\n')
    const { code, stderr } = await plan(cwd)
    expect(code).toBe(1)
    expect(stderr.match(/not-in-snapshot/g)).toHaveLength(2)
    expect(stderr).toContain('sets/c.yaml:2')
  })

  test('is refused if it is truncated, of another format, or of another organization', async () => {
    const { cwd, text } = await aSnapshot()
    const wrong = [
      text.slice(0, -20),
      '{}',
      text.replace('"format": 1', '"format": 2'),
      text.replace('"organization": "acme"', '"organization": "globex"'),
    ]
    for (const one of wrong) {
      writeFileSync(join(cwd, 'snapshot.json'), one)
      const { code, stderr } = await plan(cwd)
      expect([code, stderr]).toEqual([1, expect.stringContaining('bad-snapshot')])
    }
    expect((await run(['plan', '--snapshot', 'none.json'], { cwd })).stderr).toContain(
      'There is no such file.',
    )
    expect((await plan(cwd, 0, '--sandbox')).code).toBe(1)
  })
})
