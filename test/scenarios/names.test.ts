import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aPlace, SEED } from '../support/place.ts'
import type { Live } from '../support/printed-sets.ts'
import { scenario } from './scenario.ts'

scenario(
  'a rename keeps the set with its assignments and other contents',
  {
    files: 'variableSets: { old: { workspaces: [w], env: { A: 1 } } }',
    does: ['create-set old'],
    live: ['old  env/A=1  -> w'],
  },
  {
    files: 'variableSets: { new: { previousNames: [old], workspaces: [w], env: { A: 1 } } }',
    does: ['update-set new'],
    live: ['new  env/A=1  -> w'],
  },
  {
    files: 'variableSets: { new: { previousNames: [old], workspaces: [w], env: { A: 2 } } }',
    does: ['update-variable new env/A'],
    live: ['new  env/A=2  -> w'],
  },
)

scenario(
  'a chain of renames: b becomes c, and a becomes b',
  {
    files: 'variableSets: { a: { env: { A: 1 } }, b: { env: { B: 1 } } }',
    does: ['create-set a', 'create-set b'],
    live: ['a  env/A=1', 'b  env/B=1'],
  },
  {
    files: 'variableSets: { c: { previousNames: [b], env: { B: 1 } } }',
    does: ['update-set c'],
    live: ['a  env/A=1', 'c  env/B=1'],
  },
  {
    files: `
      variableSets:
        b: { previousNames: [a], env: { A: 1 } }
        c: { env: { B: 1 } }
    `,
    does: ['update-set b'],
    live: ['b  env/A=1', 'c  env/B=1'],
  },
)

scenario(
  'a new set takes the name of a set that is renamed in the same plan',
  {
    files: 'variableSets: { a: { env: { A: 1 } } }',
    does: ['create-set a'],
    live: ['a  env/A=1'],
  },
  {
    files: `
      variableSets:
        b: { id: varset-BBBBBBBBBBBBBBB1, env: { A: 1 } }
        a: { env: { A: 2 } }
    `,
    byHand: sets => sets.map(set => ({ ...set, id: 'varset-BBBBBBBBBBBBBBB1' })),
    does: ['update-set b', 'create-set a'],
    live: ['a  env/A=2', 'b  env/A=1'],
  },
)

scenario('an id decides between two sets with the same name', {
  byHand: () => [
    { organization: 'acme', id: 'varset-AAAAAAAAAAAAAAA1', name: 'twin' },
    { organization: 'acme', id: 'varset-AAAAAAAAAAAAAAA2', name: 'twin' },
  ],
  files: 'variableSets: { twin: { id: varset-AAAAAAAAAAAAAAA2, env: { A: 1 } } }',
  does: ['create-variable twin env/A'],
  live: ['twin', 'twin  env/A=1'],
})

scenario(
  'a set is removed by its id',
  { files: 'variableSets: { keep: {} }', does: ['create-set keep'], live: ['keep'] },
  {
    byHand: sets => [...sets, { organization: 'acme', id: 'varset-AAAAAAAAAAAAAAA1', name: 'keep' }],
    files: 'variableSets: { other: {} }\nremoved: [varset-AAAAAAAAAAAAAAA1]',
    does: ['create-set other', 'delete-set keep'],
    live: ['keep', 'other'],
  },
)

scenario('removing a set that is already gone changes nothing', {
  files: 'variableSets: { a: {} }\nremoved: [gone]',
  does: ['create-set a'],
  live: ['a'],
})

scenario(
  'workspaces and projects are assigned by name, by id, and by names that look like ids',
  {
    files: `
      variableSets:
        a:
          workspaces: [network-prod, ws-AAAAAAAAAAAAAAA1, { name: ws-BBBBBBBBBBBBBBB1 }]
          projects: [platform, prj-AAAAAAAAAAAAAAA1]
    `,
    does: ['create-set a'],
    live: [
      'a  -> network-prod, project platform, project prj-AAAAAAAAAAAAAAA1, ws-AAAAAAAAAAAAAAA1, ws-BBBBBBBBBBBBBBB1',
    ],
  },
  {
    files: {
      'sets/a.yaml': `
        variableSets:
          a:
            workspaces: [network-dev]
            projects: [platform, payments]
      `,
    },
    does: ['assign a workspaces', 'assign a projects', 'unassign a workspaces', 'unassign a projects'],
    live: ['a  -> network-dev, project payments, project platform'],
  },
)

test('if a workspace is replaced under its name, the next apply assigns the new one', async () => {
  const place = await aPlace({
    'sets/a.yaml': 'variableSets: { a: { env: { A: 1 }, workspaces: [w] }, b: { workspaces: [x] } }\n',
  })
  expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
  expect(place.live()).toEqual(['a  env/A=1  -> w', 'b  -> x'])
  place.sandbox.restore({
    ...SEED,
    workspaces: [{ id: 'ws-NNNNNNNNNNNNNNN1', name: 'w' }, { name: 'x' }],
    sets: [
      { name: 'a', variables: [{ key: 'A', category: 'env', value: '1' }] },
      { name: 'b', workspaces: ['x'] },
    ],
  })
  expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
  expect(place.live()).toEqual(['a  env/A=1  -> w', 'b  -> x'])
  expect((await place.setpoint(['plan', '--detailed-exitcode'])).code).toBe(0)
})

const KEYS = `{ S: { secret: S }, A: 1 }`
const [FIRST, SECOND] = ['varset-AAAAAAAAAAAAAAA1', 'varset-AAAAAAAAAAAAAAA2'] as const
/** Gives the only set an id, which the files can list under `removed`. */
const withId = (id: `varset-${string}`) => (sets: Live) => sets.map(set => ({ ...set, id }))

scenario(
  'a set moves to a project and back, each time as a new set with its own secrets',
  {
    files: `variableSets: { a: { projects: [p], env: ${KEYS} } }`,
    secrets: { S: 'first' },
    does: ['create-set a'],
    live: ['a  env/A=1 env/S=(first)  -> project p'],
  },
  {
    byHand: withId(FIRST),
    files: `variableSets: { a: { project: p, projects: [p], env: ${KEYS} } }\nremoved: [${FIRST}]`,
    secrets: { S: 'second' },
    does: [`delete-set a (${FIRST})`, 'create-set a'],
    live: ['a  of project p  env/A=1 env/S=(second)  -> project p'],
  },
  {
    files: `variableSets: { a: { project: p, projects: [p], env: { A: 2, S: { secret: S } } } }`,
    does: ['update-variable a env/A'],
    live: ['a  of project p  env/A=2 env/S=(second)  -> project p'],
  },
  {
    byHand: withId(SECOND),
    files: `variableSets: { b: { previousNames: [a], description: x, projects: [p], env: ${KEYS} } }\nremoved: [${SECOND}]`,
    secrets: { S: 'third' },
    does: ['create-set b', 'delete-set a'],
    live: ['b  "x"  env/A=1 env/S=(third)  -> project p'],
  },
)

const A = { key: 'A', value: '1', category: 'env' }
const MOVED = `variableSets: { b: { project: p, previousNames: [a], projects: [p], env: { A: 1 } } }\nremoved: [${FIRST}]`

scenario(
  'the next run completes an interrupted change of an owner',
  {
    files: 'variableSets: { a: { projects: [p] } }',
    does: ['create-set a'],
    live: ['a  -> project p'],
  },
  {
    byHand: () => [
      { organization: 'acme', id: FIRST, name: 'a', projects: ['p'] },
      { organization: 'acme', name: 'b', parent: 'p', projects: ['p'], variables: [A] },
    ],
    files: MOVED,
    does: ['delete-set a'],
    live: ['b  of project p  env/A=1  -> project p'],
  },
  {
    byHand: () => [],
    files: MOVED,
    does: ['create-set b'],
    live: ['b  of project p  env/A=1  -> project p'],
  },
)

scenario(
  'the owner decides between two sets with the same name',
  {
    files: 'variableSets: { a: { project: p } }',
    does: ['create-set a'],
    live: ['a  of project p'],
  },
  {
    byHand: sets => [...sets, { organization: 'acme', name: 'a' }],
    files: 'variableSets: { a: { project: p } }',
    does: [],
    live: ['a', 'a  of project p'],
  },
  {
    files: 'variableSets: { a: {} }',
    does: [],
    live: ['a', 'a  of project p'],
  },
)

const DOUBLES = `variableSets:
  aws: { workspaces: [w], env: { A: 1 } }
  aws-p: { name: aws, project: p, projects: [p], env: { A: 2, S: { secret: S } } }
`
const TEXT = { SETPOINT_SECRET_S: 'text-of-s' }

test('sets with one name and two owners are distinguished by their keys in the files', async () => {
  const place = await aPlace({ 'sets/a.yaml': DOUBLES }, { profile: { duplicates: 'second' } })
  const env = { ...place.env, ...TEXT }
  const stepsOf = async (...argv: string[]): Promise<string[]> => {
    const { stdout, stderr } = await place.setpoint(['plan', '--format', 'json', ...argv], { env })
    const report = stdout === '' ? { kind: 'failure' } : JSON.parse(stdout)
    if (report.kind === 'failure') return [stderr]
    return report.steps.map(({ id }: { id: string }) => id)
  }
  expect(await stepsOf()).toEqual(['create-set aws', 'create-set aws-p'])
  expect((await place.setpoint(['plan'], { env })).stdout).toContain('+ name     aws\n')
  expect((await place.setpoint(['apply', '--auto-approve'], { env })).code).toBe(0)
  expect(place.live()).toEqual([
    'aws  env/A=1  -> w',
    'aws  of project p  env/A=2 env/S=(text-of-s)  -> project p',
  ])
  expect(await stepsOf()).toEqual([])
  expect(await stepsOf('--rewrite', 'aws-p')).toEqual(['update-variable aws-p env/S'])
  place.write({ 'sets/a.yaml': DOUBLES.replace('A: 1', 'A: 3').replace('A: 2', 'A: 4') })
  expect(await stepsOf('--only', 'aws-p')).toEqual(['update-variable aws-p env/A'])
  expect(await stepsOf('--only', 'aws')).toEqual(['update-variable aws env/A'])
  expect((await place.setpoint(['apply', '--auto-approve'], { env })).code).toBe(0)
  expect(place.live()).toEqual([
    'aws  env/A=3  -> w',
    'aws  of project p  env/A=4 env/S=(text-of-s)  -> project p',
  ])
  place.write({ 'sets/a.yaml': DOUBLES.replace('aws: {', 'aws-o: { name: aws,') })
  expect((await stepsOf('--only', 'aws')).join()).toMatch(
    /--only "aws" is the name of 2 sets in the files: "aws-o" \(varset-\w+\), "aws-p" \(varset-\w+\)\./,
  )
})

test('a service that requires unique names rejects the second set, and the failure says what to do', async () => {
  const place = await aPlace({ 'sets/a.yaml': DOUBLES })
  const { code, stdout, stderr } = await place.setpoint(['apply', '--auto-approve'], {
    env: { ...place.env, ...TEXT },
  })
  expect(code).toBe(3)
  expect(stdout + stderr).toContain('the files declare several sets named "aws"')
})

test('sets with the same name need different owners and keys', async () => {
  const place = await aPlace({
    'sets/a.yaml':
      'variableSets:\n  a: {}\n  b: { name: a }\n  c: { name: a, project: p }\n  d: { name: c }\n',
  })
  const { code, stderr } = await place.setpoint(['validate'])
  expect(code).toBe(1)
  expect(stderr).toContain('The set "a" is already declared at sets/a.yaml:2')
  expect(stderr).toContain('The key "c" already identifies another set at sets/a.yaml:5')
})

test('deletions of two sets with the same name are distinguished by their ids', async () => {
  const [one, other] = ['varset-AAAAAAAAAAAAAAA1', 'varset-AAAAAAAAAAAAAAA2']
  const place = await aPlace(
    { 'sets/a.yaml': `removed: [${one}, ${other}]\n` },
    {
      profile: { duplicates: 'second' },
      sets: [one, other].map(id => ({ organization: 'acme', id, name: 'old' })),
    },
  )
  const { stdout } = await place.setpoint(['plan'])
  expect(stdout.match(/^- .*/gm)).toEqual([
    expect.stringContaining(`old (${one})`),
    expect.stringContaining(`old (${other})`),
  ])
})

test('the hint for a set whose name and previous name both exist deletes the old set', async () => {
  const place = await aPlace(
    { 'sets/a.yaml': 'variableSets: { b: { previousNames: [a] } }\n' },
    { sets: [{ name: 'a' }, { name: 'b' }] },
  )
  const { stdout } = await place.setpoint(['plan'])
  const [, previous, removed = ''] =
    /Remove "(\w+)" from previousNames\. To delete that set, add `([^`]+)` as well\./.exec(stdout) ?? []
  expect(previous).toBe('a')
  for (const file of ['variableSets: { b: {} }\n', 'variableSets: { b: { previousNames: [a] } }\n']) {
    place.write({ 'sets/a.yaml': `${file}${removed}\n` })
    const { steps, diagnostics } = JSON.parse((await place.setpoint(['plan', '--format', 'json'])).stdout)
    expect([steps.map(({ id }: { id: string }) => id), diagnostics]).toEqual([['delete-set a'], []])
  }
})

describe('the id of a set selects it', () => {
  const [A, B] = ['varset-AAAAAAAAAAAAAAA1', 'varset-AAAAAAAAAAAAAAA2']
  const variables = (value: string) => [{ key: 'A', value, category: 'env' }]
  const sets = [
    { organization: 'acme', id: A, name: 'a', variables: variables('1') },
    { organization: 'acme', id: B, name: 'b', variables: variables('1') },
  ]

  test('in export, export --update and secrets', async () => {
    const place = await aPlace({ 'sets/a.yaml': 'variableSets: {}\n' }, { sets })
    const exported = await place.setpoint(['export', '--only', B])
    expect(exported.stdout).toContain('  b:\n')
    expect(exported.stdout).not.toContain('  a:\n')
    expect((await place.setpoint(['export', '--only', B.replace('2', '3')])).stderr).toContain('Did you mean')
    expect((await place.setpoint(['export', '--update', A])).stderr).toContain(
      `The service has it. To write it into a file: setpoint export --only ${A} --out sets`,
    )
    place.write({
      'sets/a.yaml': `variableSets:
  a: { env: { A: 2 } }
  b: { id: ${B}, env: { A: 2, S: { secret: S } } }
`,
    })
    expect((await place.setpoint(['export', '--update', A])).stdout).toContain('  a: ~ env/A\n')
    expect(readFileSync(join(place.cwd, 'sets/a.yaml'), 'utf8')).toMatch(/a: .*A: "?1"?.*\n.*A: 2/)
    expect((await place.setpoint(['secrets', '--only', B])).stdout).toContain('S  missing')
    expect((await place.setpoint(['secrets', '--only', A])).stderr).toContain(`--only "${A}" matches no set`)
  })

  test('in an apply that deletes one of two sets with the same name', async () => {
    const twins = [A, B].map(id => ({ organization: 'acme', id, name: 'old' }))
    const place = await aPlace(
      { 'sets/a.yaml': `removed: [${A}, ${B}]\n` },
      { profile: { duplicates: 'second' }, sets: twins },
    )
    const { stdout } = await place.setpoint(['plan', '--only', B, '--format', 'json'])
    const { digest } = JSON.parse(stdout)
    const applied = await place.setpoint(['apply', '--only', B, '--approve', digest])
    expect([applied.code, applied.stderr]).toEqual([
      0,
      expect.stringMatching(/^If this apply stops halfway.*\n$/),
    ])
    expect(place.sandbox.snapshot({}).sets?.map(({ id }) => id)).toEqual([A])
  })
})
