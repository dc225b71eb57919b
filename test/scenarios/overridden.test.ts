import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { SandboxSeed, SetSeed } from '../../src/sandbox/index.ts'
import { TELLING } from '../support/formats.ts'
import { aPlace, type Place, SEED } from '../support/place.ts'
import { plain } from '../support/warned.ts'

/** A set that no file declares and no inventory lists wins over one of ours. */

const WORKSPACES = Array.from({ length: 17 }, (_, at) => ({
  id: `ws-${String(at).padStart(16, '0')}`,
  name: `w${at}`,
  project: 'p',
}))
const FILES =
  'variableSets:\n  aws-prd:\n    projects: [p]\n    env: { AWS_REGION: eu-west-1, LEVEL: info }\n'
const one = (key: string, value: string) => ({ key, value, category: 'env' }) as const
const ROGUE: SetSeed = {
  name: 'rogue',
  global: true,
  priority: true,
  variables: [one('AWS_REGION', 'us-east-1'), one('OTHER', 'x')],
}
const FINDING = 'aws-prd AWS_REGION overridden by rogue (unmanaged) in 17 workspaces'

async function applied(configuration = 'owner: us\n', sets: string = FILES): Promise<Place> {
  const place = await aPlace({
    'setpoint.yaml': `organization: acme\n${configuration}`,
    'sets/a.yaml': sets,
  })
  place.sandbox.restore({ ...SEED, workspaces: WORKSPACES })
  expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
  expect((await place.setpoint(['drift'])).code).toBe(0)
  return place
}

function add({ sandbox }: Place, ...sets: readonly SetSeed[]): void {
  const seed: SandboxSeed = sandbox.snapshot({ sensitive: true })
  sandbox.restore({ ...seed, sets: [...(seed.sets ?? []), ...sets] })
}

describe.each([
  ['with an owner', 'owner: us\n'],
  ['without an owner', ''],
])('a global set made by hand with priority, %s', (_, configuration) => {
  test('is drift with how many workspaces, until it is gone', async () => {
    const place = await applied(configuration)
    const before = place.sandbox.snapshot({ sensitive: true })
    add(place, ROGUE)
    const drift = await place.setpoint(['drift', '--report', 'metrics=m.prom'])
    expect([drift.code, plain(drift.stdout)]).toEqual([2, expect.stringContaining(`override ${FINDING}`)])
    expect(drift.stdout).toContain('1 set differs from the files')
    expect(readFileSync(join(place.cwd, 'm.prom'), 'utf8')).toMatch(/state="equal"[^\n]* 0$/m)
    // No apply would change it, so nothing is refused, and each says it.
    for (const argv of [
      ['plan', '--detailed-exitcode'],
      ['apply', '--auto-approve', '--expect-no-drift'],
    ]) {
      if (configuration === '' && argv.includes('--expect-no-drift')) continue
      const ran = await place.setpoint(argv)
      expect([argv, ran.code, plain(ran.stdout)]).toEqual([argv, 0, expect.stringContaining(FINDING)])
    }
    place.write({ 'sets/a.yaml': FILES.replace('info', 'debug') })
    const changed = await place.setpoint(['apply', '--auto-approve'])
    expect([changed.code, plain(changed.stdout)]).toEqual([
      0,
      expect.stringContaining(`Overridden ${FINDING}`),
    ])
    place.write({ 'sets/a.yaml': FILES })
    place.sandbox.restore(before)
    expect((await place.setpoint(['drift'])).code).toBe(0)
  })
})

test.each(TELLING)('is in each report, as %s', async format => {
  const place = await applied()
  add(place, ROGUE)
  const { code, stdout } = await place.setpoint(['drift', '--format', format])
  expect([code, stdout.replace(/<[^>]*>|[`*\\]/g, '').includes('rogue')]).toEqual([2, true])
})

test('JSON has the set, its id, and the line of the variable', async () => {
  const place = await applied()
  add(place, ROGUE)
  const { stdout } = await place.setpoint(['drift', '--format', 'json'])
  expect(JSON.parse(stdout).facts.findings).toEqual([
    {
      kind: 'overridden',
      by: { set: 'rogue', id: expect.stringMatching(/^varset-/) },
      set: 'aws-prd',
      key: 'env/AWS_REGION',
      workspaces: 17,
      source: { path: 'sets/a.yaml', line: 4, column: 12 },
    },
  ])
})

test('the line of the variable accepts it', async () => {
  const place = await applied()
  add(place, ROGUE)
  const accepting = FILES.replace(
    'AWS_REGION: eu-west-1',
    'AWS_REGION: { value: eu-west-1, accept: [overridden] }',
  )
  place.write({ 'sets/a.yaml': accepting })
  expect((await place.setpoint(['validate'])).code).toBe(0)
  const { code, stdout } = await place.setpoint(['drift'])
  expect([code, plain(stdout)]).toEqual([0, expect.not.stringContaining('rogue')])
})

test('a set of another owner is told, and is no drift', async () => {
  const place = await applied()
  place.write({
    'setpoint.yaml': 'organization: acme\nowner: platform\n',
    'sets/a.yaml':
      'variableSets: { common: { priority: true, workspaces: [w1, w2], env: { AWS_REGION: us-east-1 } } }\n',
  })
  expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
  place.write({ 'setpoint.yaml': 'organization: acme\nowner: us\n', 'sets/a.yaml': FILES })
  const drift = await place.setpoint(['drift', '--report', 'metrics=m.prom'])
  expect([drift.code, plain(drift.stdout)]).toEqual([
    0,
    expect.stringContaining('aws-prd AWS_REGION overridden by common (owned by platform) in 2 workspaces'),
  ])
  expect(drift.stdout).toContain('No drift. 1 set equal.')
  expect(readFileSync(join(place.cwd, 'm.prom'), 'utf8')).toMatch(/state="equal"[^\n]* 1$/m)
  const again = await place.setpoint(['apply', '--auto-approve'])
  expect([again.code, again.stdout.includes('Overridden')]).toEqual([0, false])
})

describe('what overrides nothing is not told', () => {
  const quiet: Readonly<Record<string, SetSeed>> = {
    'a weaker set': { ...ROGUE, priority: false },
    'the same value': { ...ROGUE, variables: [one('AWS_REGION', 'eu-west-1')] },
    'another key': { ...ROGUE, variables: [one('OTHER', 'x')] },
    'another category': { ...ROGUE, variables: [{ ...one('AWS_REGION', 'x'), category: 'terraform' }] },
    'no workspace of ours': { ...ROGUE, global: false, projects: ['empty'] },
  }

  test.each(Object.entries(quiet))('%s', async (_, set) => {
    const place = await applied()
    const seed = place.sandbox.snapshot({ sensitive: true })
    place.sandbox.restore({
      ...seed,
      projects: [...(seed.projects ?? []), { name: 'empty' }],
      sets: [...(seed.sets ?? []), set],
    })
    const { code, stdout } = await place.setpoint(['drift'])
    expect([code, plain(stdout)]).toEqual([0, expect.not.stringContaining('rogue')])
  })

  test('outside the selection', async () => {
    const place = await applied('owner: us\n', `${FILES}  other: { env: { O: 1 } }\n`)
    add(place, ROGUE)
    const { code, stdout } = await place.setpoint(['drift', '--only', 'other'])
    expect([code, plain(stdout)]).toEqual([0, expect.not.stringContaining('rogue')])
  })

  test('where a stronger set of ours gives the key, also outside the selection', async () => {
    const place = await applied(
      'owner: us\n',
      `${FILES}  top: { priority: true, projects: [p], env: { AWS_REGION: eu-west-2 } }\n`,
    )
    add(place, { ...ROGUE, global: false, priority: false, workspaces: ['w1'] })
    for (const only of [[], ['--only', 'aws-prd']])
      expect((await place.setpoint(['drift', ...only])).code).toBe(0)
  })

  test('where a stronger global set of ours gives the key', async () => {
    const place = await applied(
      'owner: us\n',
      `${FILES}  top: { priority: true, global: true, env: { AWS_REGION: eu-west-1 } }\n`,
    )
    add(place, { ...ROGUE, global: false, workspaces: ['w1'] })
    const { code, stdout } = await place.setpoint(['drift'])
    expect([code, plain(stdout)]).toEqual([0, expect.not.stringContaining('rogue')])
  })
})

test('where a stronger set of ours gives the key through a project', async () => {
  const place = await applied(
    'owner: us\n',
    'variableSets:\n  a: { workspaces: [ws-0000000000000001], env: { AWS_REGION: one } }\n  top: { priority: true, projects: [p], env: { AWS_REGION: two } }\n',
  )
  add(place, { ...ROGUE, name: 'A', global: false, priority: false, workspaces: ['w1'] })
  expect((await place.setpoint(['drift'])).code).toBe(0)
})

describe.each<readonly [string, SetSeed, number]>([
  ['assigned to workspaces', { ...ROGUE, global: false, priority: false, workspaces: ['w1', 'w2', 'w3'] }, 3],
  ['assigned to the project, with priority', { ...ROGUE, global: false, projects: ['p'] }, 17],
  [
    'assigned to the project, with a name that comes first',
    { ...ROGUE, name: 'aaa', global: false, priority: false, projects: ['p'] },
    17,
  ],
])('a set %s', (_, set, count) => {
  test('overrides in as many workspaces as receive both', async () => {
    const place = await applied()
    add(place, set)
    const { code, stdout } = await place.setpoint(['drift'])
    expect([code, plain(stdout)]).toEqual([
      2,
      expect.stringContaining(
        `aws-prd AWS_REGION overridden by ${set.name} (unmanaged) in ${count} workspaces`,
      ),
    ])
  })
})

test('a secret may differ, so another secret under its key overrides it', async () => {
  const place = await aPlace({
    'sets/a.yaml': 'variableSets: { a: { workspaces: [w], env: { TOKEN: { external: true } } } }\n',
  })
  const secret = { ...one('TOKEN', 'hunter2'), sensitive: true }
  place.change([
    { name: 'a', workspaces: ['w'], variables: [secret] },
    { name: 'rogue', priority: true, workspaces: ['w'], variables: [secret] },
  ])
  const { code, stdout } = await place.setpoint(['drift'])
  expect([code, plain(stdout)]).toEqual([2, expect.stringContaining('a TOKEN overridden by ')])
})

test('one set of ours accepts it, and the others do not', async () => {
  const own = '  own: { workspaces: [w1], env: { AWS_REGION: { value: one, accept: [overridden] } } }\n'
  const place = await applied('owner: us\n', FILES + own)
  add(place, ROGUE)
  const { code, stdout } = await place.setpoint(['drift'])
  expect([code, plain(stdout)]).toEqual([2, expect.stringContaining(FINDING.replace('17', '16'))])
  expect(stdout).not.toContain('of own')
})

test('secrets under one key: where ours is the strongest, nothing is overridden', async () => {
  const secret = { ...one('TOKEN', 'hunter2'), sensitive: true }
  const place = await aPlace({
    'sets/a.yaml':
      'variableSets:\n  a: { workspaces: [w], env: { TOKEN: { external: true } } }\n  top: { priority: true, workspaces: [w], env: { TOKEN: { external: true } } }\n',
  })
  place.change([
    { name: 'a', workspaces: ['w'], variables: [secret] },
    { name: 'top', priority: true, workspaces: ['w'], variables: [secret] },
    { name: 'aaa', workspaces: ['w'], variables: [secret] },
  ])
  expect((await place.setpoint(['drift'])).code).toBe(0)
})

test('without look-ups, only the number is missing', async () => {
  const place = await aPlace(
    { 'sets/a.yaml': `variableSets:\n  a: { projects: [${PROJECT}], env: { AWS_REGION: eu-west-1 } }\n` },
    { traits: { lookUps: 'no' } },
  )
  place.sandbox.restore({
    ...SEED,
    projects: [{ name: 'p', id: PROJECT }],
    workspaces: WORKSPACES,
    sets: [{ name: 'a', projects: ['p'], variables: [one('AWS_REGION', 'eu-west-1')] }, ROGUE],
  })
  const { code, stdout } = await place.setpoint(['drift'])
  expect([code, plain(stdout)]).toEqual([
    2,
    expect.stringMatching(/a AWS_REGION overridden by rogue \(unmanaged\)$/m),
  ])
})

const PROJECT = 'prj-aaaaaaaaaaaaaaaa'

test('a plan from a snapshot tells it as well, as far as the snapshot has it', async () => {
  const place = await applied()
  add(place, ROGUE)
  expect((await place.setpoint(['snapshot', '--out', 's.json'])).code).toBe(0)
  const { stdout } = await place.setpoint(['plan', '--snapshot', 's.json'])
  expect(plain(stdout)).toContain(FINDING)
})
