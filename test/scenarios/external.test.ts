import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SetSeed } from '../../src/sandbox/index.ts'
import { TELLING } from '../support/formats.ts'
import { aPlace, type Place } from '../support/place.ts'
import { plain } from '../support/warned.ts'

const OWNED = 'organization: acme\nowner: us\n'
const FILES = `variableSets:
  a:
    workspaces: [w, x]
    env:
      LEVEL: info
      PW: { external: true }
`
const LEVEL = { key: 'LEVEL', value: 'info', category: 'env' } as const
const PW = { key: 'PW', value: 'hunter2', category: 'env', sensitive: true } as const
const LIVE: SetSeed = { name: 'a', workspaces: ['w', 'x'], variables: [LEVEL, PW] }

const place = (configuration = OWNED, sets: readonly SetSeed[] = [LIVE]): Promise<Place> =>
  aPlace({ 'setpoint.yaml': configuration, 'sets/a.yaml': FILES }, { sets })

const MISSING = 'a PW external and not in the service: set it there; 2 workspaces receive a without it'

describe.each([
  ['with an owner', OWNED],
  ['without an owner', 'organization: acme\n'],
])('an external variable that somebody deletes, %s', (_, configuration) => {
  test('is drift, with how many workspaces, until somebody sets it', async () => {
    const { setpoint, change } = await place(configuration)
    expect((await setpoint(['apply', '--auto-approve'])).code).toBe(0)
    expect((await setpoint(['drift'])).code).toBe(0)

    change([{ ...LIVE, variables: [LEVEL] }])
    const drift = await setpoint(['drift', '--report', 'metrics=m.prom', '--report', 'json=d.json'])
    expect([drift.code, plain(drift.stdout)]).toEqual([2, expect.stringContaining(`missing ${MISSING}`)])
    expect(drift.stdout).toContain('1 set differs from the files')
    expect(drift.stdout).not.toContain('No drift')

    // An apply says it again, and has nothing to refuse or to repeat.
    for (const argv of [['plan'], ['apply', '--auto-approve']]) {
      const ran = await setpoint(argv)
      expect([argv, ran.code, plain(ran.stdout)]).toEqual([argv, 0, expect.stringContaining(MISSING)])
    }
    expect((await setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)

    change([LIVE])
    expect((await setpoint(['drift'])).code).toBe(0)
  })
})

test('a set that is created again says before and after which external values are missing', async () => {
  const { setpoint, change } = await place()
  await setpoint(['apply', '--auto-approve'])
  change([])
  const plan = await setpoint(['plan'])
  expect(plan.stdout).toMatch(/Review first\n(?:.*\n)*.*missing +a PW +external/)
  const again = await setpoint(['apply', '--auto-approve'])
  expect([again.code, plain(again.stdout)]).toEqual([0, expect.stringContaining(MISSING)])
  expect((await setpoint(['drift'])).code).toBe(2)
})

test('a selection without the set does not speak of it', async () => {
  const { setpoint } = await place(OWNED, [])
  const drift = await setpoint(['drift', '--only', 'b', '--format', 'json'])
  expect(drift.stdout).not.toContain('PW')
})

test('--expect-no-drift does not refuse: an apply would revert nothing', async () => {
  const { setpoint, change, write } = await place()
  await setpoint(['apply', '--auto-approve'])
  change([{ ...LIVE, variables: [LEVEL] }])
  await setpoint(['apply', '--auto-approve'])
  write({ 'sets/a.yaml': FILES.replace('info', 'debug') })
  const ran = await setpoint(['apply', '--auto-approve', '--expect-no-drift'])
  expect([ran.code, ran.stderr]).toEqual([0, ''])
})

test('an external secret that becomes readable is drift with an owner, until an apply records it', async () => {
  const { setpoint, change, write, sandbox } = await place()
  await setpoint(['apply', '--auto-approve'])
  const applied = sandbox.snapshot({ sensitive: true })
  change(
    (applied.sets ?? []).map(set =>
      set.name === 'a' ? { ...set, variables: [LEVEL, { ...PW, sensitive: false }] } : set,
    ),
  )
  const drift = await setpoint(['drift'])
  expect([drift.code, plain(drift.stdout)]).toEqual([
    2,
    expect.stringContaining(
      'a PW was sensitive, and everybody who may read the set can read it now; 2 workspaces receive it',
    ),
  ])
  expect(drift.stdout).not.toContain('hunter2')
  expect((await setpoint(['plan', '--format', 'json'])).stdout).toContain('"kind": "readable"')
  write({ 'sets/a.yaml': FILES.replace('info', 'debug') })
  expect((await setpoint(['apply', '--auto-approve'])).code).toBe(0)
  expect((await setpoint(['drift'])).code).toBe(0)
})

describe('an external value that became readable', () => {
  const READABLE: SetSeed = { ...LIVE, variables: [LEVEL, { ...PW, sensitive: false }] }
  const FORMATS = TELLING

  test.each(FORMATS)('is in no report as %s', async format => {
    const { setpoint, write } = await place(OWNED, [READABLE])
    write({ 'sets/a.yaml': FILES.replace('{ external: true }', '{ external: true, description: rotated }') })
    for (const command of [['plan'], ['drift'], ['apply', '--auto-approve', '--adopt', 'a']]) {
      const ran = await setpoint([...command, '--format', format])
      expect([command, ran.stdout.includes('hunter2'), ran.stderr.includes('hunter2')]).toEqual([
        command,
        false,
        false,
      ])
    }
  })

  test.each([['difference'], ['files'], ['live']])('is not explained, from %s', async from => {
    const { setpoint } = await place(OWNED, [READABLE])
    for (const format of ['text', 'markdown', 'json']) {
      const ran = await setpoint([
        'explain',
        'w',
        '--format',
        format,
        ...(from === 'difference' ? [] : ['--from', from]),
      ])
      expect([ran.code, ran.stdout.includes('PW'), ran.stdout.includes('hunter2')]).toEqual([0, true, false])
    }
  })

  test('is in no plan file, and in nothing that rules see', async () => {
    const { setpoint, cwd, write } = await place(OWNED, [READABLE])
    write({
      'sets/a.yaml': FILES.replace('{ external: true }', '{ external: true, description: rotated }'),
      'rules/a.yaml':
        'rules:\n  shown:\n    for: variable\n    level: block\n    when: variable.key == "PW"\n    require: "!has(variable.before.value)"\n    message: It is shown.\n',
    })
    const ran = await setpoint(['plan', '--out', 'plan.json'])
    expect(ran.stdout).not.toContain('It is shown')
    expect(ran.stderr).toBe('')
    expect(readFileSync(join(cwd, 'plan.json'), 'utf8')).not.toContain('hunter2')
  })
})
