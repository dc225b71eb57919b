import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { observe } from '../../src/api/observe.ts'
import { createPlan } from '../../src/plan/create.ts'
import { desiredDigest } from '../../src/plan/ownership.ts'
import { carryOut } from '../../src/run/apply.ts'
import type { Transport } from '../../src/wire/transport.ts'
import { aPlace } from '../support/place.ts'
import { OPTIONS } from '../support/plans.ts'
import { plannedFor } from '../support/prepare.ts'
import { UNDISTURBED } from '../support/round.ts'
import { aDesiredState, anObserved, anObservedState, aSet, asWritten, SOMEWHERE } from '../support/states.ts'
import { aWorld, STACKS, seedFrom, WORKSPACES } from '../support/world.ts'

const A = 'st-aaaaaaaaaaaaaaaa'
const NAMED = { 'sets/a.yaml': `variableSets:\n  a: { env: { A: 1 }, stacks: [stack-b, ${A}] }\n` }
const file = (text: string) => ({ 'sets/a.yaml': `variableSets:\n  a: ${text}\n` })

describe('Stacks are managed if a file lists them', () => {
  test('by name and by id; [] removes all, and without `stacks` nothing changes', async () => {
    const place = await aPlace(NAMED)
    expect((await place.setpoint(['apply', '--auto-approve'])).stdout).toMatch(
      /, 1 write\nApplied: 1 created\./,
    )
    expect(place.live()).toEqual(['a  env/A=1  -> Stack stack-a, Stack stack-b'])
    expect((await place.setpoint(['plan'])).stdout).toContain('No changes. 1 set equal.')

    place.write(file('{ env: { A: 1 }, stacks: [stack-b, stack-c] }'))
    const moved = await place.setpoint(['apply', '--auto-approve'])
    expect(moved.stdout).toContain('+ Stack  stack-c')
    expect(moved.stdout).toContain('- Stack  ')
    expect(moved.stdout).toContain(': 2 requests')
    expect([moved.code, ...place.live()]).toEqual([0, 'a  env/A=1  -> Stack stack-b, Stack stack-c'])

    place.write(file('{ env: { A: 1 } }'))
    const left = await place.setpoint(['plan'])
    expect(left.stdout).toContain('No changes. 1 set equal.')
    expect(left.stdout).toContain('Assignments  2 unmanaged, in 1 set')

    place.write(file('{ env: { A: 1 }, stacks: [] }'))
    await place.setpoint(['apply', '--auto-approve'])
    expect(place.live()).toEqual(['a  env/A=1'])
  })

  test('an unknown name and a duplicate are errors at their place', async () => {
    const place = await aPlace(file('{ stacks: [stack-d, stack-a, st-aaaaaaaaaaaaaaaa] }'))
    const { code, stderr } = await place.setpoint(['plan'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/^sets\/a\.yaml:2:17 {2}error unknown-name\n {2}There is no Stack "stack-d"\.$/m)
    expect(stderr).toMatch(/^sets\/a\.yaml:2:35 {2}error duplicate-target$/m)
  })
})

describe('who newly receives a secret', () => {
  const SECRET = '{ env: { K: { secret: S } }, projects: [p], stacks: [stack-a] }'
  const K = { key: 'K', category: 'env', sensitive: true, value: 's' }

  test('includes Stacks, and the Stacks of a project if they are known', async () => {
    const place = await aPlace(file(SECRET), {
      sets: [
        { name: 'a', variables: [K] },
        { name: 'other', stacks: [A] },
      ],
    })
    const { stdout } = await place.setpoint(['plan'])
    expect(stdout).toContain('  secret  a K  newly in project p and Stacks stack-a, stack-b, stack-c')
    place.write(file('{ env: { K: { secret: S } }, global: true }'))
    const { stdout: everybody } = await place.setpoint(['plan'])
    expect(everybody).toContain('a K  now global: in all 2 workspaces; 3 Stacks may read it')
  })

  test('does not include a Stack that had it through its project', async () => {
    const place = await aPlace(file(SECRET), { sets: [{ name: 'a', variables: [K], projects: ['p'] }] })
    const { stdout } = await place.setpoint(['plan'])
    expect(stdout).toContain('+ Stack  stack-a')
    expect(stdout).not.toContain('newly in')
  })
})

test('no set of a project is created if the service does not show the owners of sets, which is reported once', async () => {
  const files = {
    'sets/a.yaml': 'variableSets:\n  a: { project: p, env: { A: 1 } }\n  b: { project: p }\n',
  }
  for (const name of ['a', 'other']) {
    const place = await aPlace(files, { sets: [{ name }], traits: { owners: 'no' } })
    const { code, stderr } = await place.setpoint(['apply', '--auto-approve'])
    expect(code).toBe(1)
    expect(stderr.match(/no-project-sets/g)).toHaveLength(1)
    expect(stderr).toMatch(
      /^sets\/a\.yaml:2:17 {2}error no-project-sets\n {2}The service does not say which project owns a set/m,
    )
    expect(place.live()).toEqual([name])
  }
})

describe('a service without Stacks', () => {
  const TWO = { 'sets/a.yaml': `variableSets:\n  a: { stacks: [${A}] }\n  b: { stacks: [stack-b] }\n` }
  const other = [{ name: 'other' }]

  test.each([
    ['an id', file(`{ stacks: [${A}] }`), other, 17],
    ['a name', file('{ stacks: [stack-a] }'), other, 17],
    ['two sets', TWO, other, 17],
    ['an organization without sets', file(`{ stacks: [${A}] }`), [], 17],
  ])('is reported once, at the first Stack: %s', async (_, files, sets) => {
    for (const server of ['enterprise', '2021-11'] as const) {
      const place = await aPlace(files, { sets, profile: { server } })
      const { code, stderr } = await place.setpoint(['apply', '--auto-approve'])
      expect(code).toBe(1)
      expect(stderr.match(/no-stacks/g)).toHaveLength(1)
      expect(stderr).toMatch(
        /^sets\/a\.yaml:\d:\d+ {2}error no-stacks\n {2}The service has no Stacks, or shows none to this token\./m,
      )
      expect(place.live()).toEqual(sets.map(({ name }) => name))
    }
  })

  test('accepts files without Stacks', async () => {
    const place = await aPlace(file('{ env: { A: 1 }, stacks: [] }'), { profile: { server: 'enterprise' } })
    expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
    expect((await place.setpoint(['plan'])).stdout).toContain('No changes.')
  })

  test.each(['interface', 'hcp', 'enterprise'] as const)(
    'no request mentions Stacks if no set and no file has one: %s',
    async server => {
      const world = await aWorld([{ name: 'a', workspaces: WORKSPACES }], { profile: { server } })
      const sets = [asWritten(aSet('a', { variables: { 'env/A': '1' }, workspaces: [] }))]
      const { value: prepared } = await plannedFor({ ...aDesiredState(), sets }, world, [])
      if (prepared === undefined) throw new Error('there is no plan')
      await carryOut({ made: prepared, ...UNDISTURBED, service: world })
      expect(world.requests()).toEqual({ reads: 4, writes: 2 })
      expect(JSON.stringify(world.log)).not.toContain('stack')
    },
  )
})

test('Stacks that the service counts and does not list are not managed, which is an error if a file lists Stacks', async () => {
  const silent: (next: Transport) => Transport = next => async (request, signal) => {
    const answer = await next(request, signal)
    const body = JSON.parse(answer.body, (key, value) => (key === 'stacks' ? undefined : value))
    return { ...answer, body: JSON.stringify(body) }
  }
  const world = await aWorld([seedFrom(anObserved('A', 'a', { stacks: STACKS }))], { between: silent })
  const { sets } = await observe(world.reader, 'acme')
  expect(sets.map(({ stacks, others }) => ({ stacks, others }))).toEqual([
    { stacks: undefined, others: [{ what: 'stacks', count: 3 }] },
  ])
  const bare = asWritten(aSet('a'))
  const managed = { ...bare, stacks: [{ id: STACKS[0], source: SOMEWHERE }] }
  const { diagnostics } = await plannedFor({ ...aDesiredState(), sets: [managed] }, world, [])
  expect(diagnostics.map(({ code, message }) => `${code} ${message}`)).toEqual([
    'no-stacks The service counts 3 Stacks of "a" and does not list them.',
  ])
  expect((await plannedFor({ ...aDesiredState(), sets: [bare] }, world, [])).value?.plan.steps).toEqual([])
})

describe('without Stacks, digests do not depend on what the service says of them', () => {
  const set = aSet('aws', {
    variables: { 'env/A': '1', 'env/S': { secret: { name: 'S' } } },
    workspaces: ['ws-AAAAAAAAAAAAAAA1'],
    projects: [],
  })
  const desired = {
    ...aDesiredState(set, aSet('new', { variables: { 'env/B': '2' }, projects: ['prj-AAAAAAAAAAAAAAA1'] })),
    removed: [{ name: 'old', source: SOMEWHERE }],
  }

  test.each([
    ['a service without Stacks', {}],
    ['a service with Stacks', { stacks: [] }],
  ])('the digest of a plan, on %s', (_, there) => {
    const observed = anObservedState(
      anObserved('1', 'aws', { workspaces: ['ws-AAAAAAAAAAAAAAA2'], ...there }),
      anObserved('2', 'old', { variables: { 'env/O': '1' }, ...there }),
    )
    expect(createPlan(desired, observed, OPTIONS).value?.digest).toBe(
      'dcb113dd1b8367086dd907f04247b76b2c230c0a1e5102b27bbf24329ce709e5',
    )
  })

  test('the digest that an inventory stores', () => {
    const stored = 'a209b7bc8e91d237a78c01607d64e7bc45d6c3e7cd6ef27cfedf348f09c1cf3f'
    expect(desiredDigest(set)).toBe(stored)
    expect(desiredDigest({ ...set, stacks: [] })).not.toBe(stored)
  })
})

describe('explain of a Stack', () => {
  const K = { key: 'K', category: 'env', sensitive: true, value: 'in-clear' }
  const sets = [
    { name: 'direct', stacks: [A], variables: [K] },
    { name: 'elsewhere', stacks: ['st-bbbbbbbbbbbbbbbb'] },
    { name: 'everywhere', global: true, priority: true },
    { name: 'goes', stacks: [A] },
    { name: 'through', projects: ['p'] },
  ]
  const files = {
    'sets/a.yaml': 'variableSets: { goes: { stacks: [] }, comes: { stacks: [stack-a], env: { N: 1 } } }\n',
  }

  test('lists the sets that it may read, why, and what an apply changes', async () => {
    const place = await aPlace(files, { sets })
    const explained = await place.setpoint(['explain', 'stack-a'])
    expect({ code: explained.code, stderr: explained.stderr }).toEqual({ code: 0, stderr: '' })
    const [, headline, , ...rows] = explained.stdout.split('\n')
    expect(headline).toContain(': 5 sets, 2 of them changed.')
    expect(rows.slice(0, 7)).toEqual([
      '+ comes       the Stack',
      '    env N',
      '  direct      the Stack',
      '    env K (secret)',
      '  everywhere  global',
      '- goes        the Stack',
      '  through     its project',
    ])
    const { stdout } = await place.setpoint(['explain', A, '--from', 'live', '--format', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'stack-explanation',
      stack: { id: A, name: 'stack-a', project: { name: 'p' } },
      sets: ['direct', 'everywhere', 'goes', 'through'].map(set => ({ set, change: 'same' })),
    })
    expect(explained.stdout + stdout).not.toContain('in-clear')
  })

  test('rejects an unknown name, and a service without Stacks', async () => {
    const place = await aPlace({ 'sets/a.yaml': 'variableSets: {}\n' })
    const wrong = await place.setpoint(['explain', 'stack-aa'])
    expect([wrong.code, wrong.stderr.match(/^error .*$/gm)]).toEqual([
      1,
      ['error unknown-name', 'error unknown-name'],
    ])
    expect(wrong.stderr).toContain('Did you mean stack-a?')
    const none = await aPlace({ 'sets/a.yaml': 'variableSets: {}\n' }, { profile: { server: 'enterprise' } })
    const hidden = await none.setpoint(['explain', A])
    expect([hidden.code, hidden.stderr]).toEqual([
      1,
      expect.stringContaining(`shows no Stack ${A} to this token`),
    ])
  })
})

test('init writes sets with their Stacks', async () => {
  const place = await aPlace({ 'setpoint.yaml': '' }, { sets: [{ name: 'a', stacks: [A] }] })
  rmSync(join(place.cwd, 'setpoint.yaml'))
  const { code, stderr } = await place.setpoint(['init', 'acme', '--pipeline', 'none'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect((await place.setpoint(['validate', '--resolved'])).stdout).toContain(
    '    stacks:\n      - stack-a\n',
  )
})
