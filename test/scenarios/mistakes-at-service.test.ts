import { describe, expect, test } from 'vitest'
import type { SetSeed } from '../../src/sandbox/index.ts'
import { aPlace, ONE } from '../support/place.ts'
import { applied, refused } from '../support/refused.ts'

describe('a conflict with the service is reported before anything is written', () => {
  const CONFLICTS: readonly (readonly [string, string, readonly SetSeed[], readonly string[]])[] = [
    [
      'a variable that is also in an unmanaged global set',
      'variableSets:\n  a: { global: true, env: { X: 1 } }\n',
      [{ name: 'theirs', global: true, variables: [{ key: 'X', category: 'env' }] }],
      ['sets/a.yaml:2:29  error global-conflict', '"env/X" is also in the global set "theirs"'],
    ],
    [
      'a workspace and a project that do not exist',
      'variableSets:\n  a:\n    workspaces: [w, ww]\n    projects: [q]\n',
      [],
      ['sets/a.yaml:3:21  error unknown-name', 'sets/a.yaml:4:16  error unknown-name', '"ww"', '"q"'],
    ],
    [
      'a pattern in place of a name',
      'variableSets:\n  a:\n    workspaces: ["w*"]\n',
      [],
      ['error wrong-value', '"w*" is a pattern, and workspaces are named one by one.'],
    ],
    [
      'two sets of one name',
      'variableSets:\n  a: {}\n',
      [
        { name: 'a', id: 'varset-AAAAAAAAAAAAAAA1' },
        { name: 'a', id: 'varset-AAAAAAAAAAAAAAA2' },
      ],
      ['sets/a.yaml:2:3  error ambiguous-set', 'varset-AAAAAAAAAAAAAAA1, varset-AAAAAAAAAAAAAAA2'],
    ],
    [
      'an id that does not exist',
      'variableSets:\n  a: { id: varset-AAAAAAAAAAAAAAA9 }\n',
      [],
      ['sets/a.yaml:2:3  error unknown-set-id', 'varset-AAAAAAAAAAAAAAA9'],
    ],
    [
      'swapped names',
      'variableSets:\n  a: { id: varset-AAAAAAAAAAAAAAA2 }\n  b: { id: varset-AAAAAAAAAAAAAAA1 }\n',
      [
        { name: 'a', id: 'varset-AAAAAAAAAAAAAAA1' },
        { name: 'b', id: 'varset-AAAAAAAAAAAAAAA2' },
      ],
      ['error name-cycle', 'First rename "b" to a name that no set has, such as "a-temporary"'],
    ],
    [
      'a set with an `id` that belongs to a project',
      'variableSets:\n  a: { id: varset-AAAAAAAAAAAAAAA1 }\n',
      [{ name: 'a', parent: 'p', id: 'varset-AAAAAAAAAAAAAAA1' }],
      ['sets/a.yaml:2:3  error foreign-set', 'write `removed: [varset-AAAAAAAAAAAAAAA1]`'],
    ],
    [
      'a `project` that does not exist',
      'variableSets:\n  a:\n    project: q\n',
      [],
      ['sets/a.yaml:3:14  error unknown-name', '"q"'],
    ],
  ]

  test.each(CONFLICTS)('%s', async (_, text, sets, expected) => {
    const place = await aPlace({ 'sets/a.yaml': text }, { sets })
    const { code, stdout, stderr } = await applied(place)
    for (const words of expected) expect(stderr).toContain(words)
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  })

  test('--adopt of a set that no file declares', async () => {
    const place = await aPlace({ 'sets/a.yaml': 'variableSets:\n  payments: { env: { A: x } }\n' })
    const { code, stderr } = await refused(place, () =>
      place.setpoint(['apply', '--auto-approve', '--adopt', 'paymets', '--adopt', 'aws-*', '--adopt', '*']),
    )
    expect([code, stderr]).toEqual([
      1,
      `error unmatched-selection
  --adopt "paymets" matches no set in the files.
  Did you mean --adopt payments?
error unmatched-selection
  --adopt "aws-*" matches no set in the files.
  Write the name of a set, its id, or a pattern such as "aws-*".
`,
    ])
  })

  test('--only that matches no set', async () => {
    const place = await aPlace(ONE)
    const argv = ['apply', '--auto-approve', '--only', 'aws-*']
    const { code, stderr } = await refused(place, () => place.setpoint(argv))
    expect(stderr).toContain('error unmatched-selection\n  --only "aws-*" matches no set in the files.')
    expect(code).toBe(1)
  })
})

describe('secrets', () => {
  const SECRETS = `variableSets:
  a:
    env:
      A: { secret: FIRST }
      B: { secret: SECOND }
      C: { secret: THIRD }
`

  test('missing and empty secrets are all reported, each with its line and the command that sets it', async () => {
    const place = await aPlace({ 'sets/a.yaml': SECRETS })
    const { code, stderr } = await applied(place, { SETPOINT_SECRET_SECOND: '', SETPOINT_SECRET_THIRD: 'x' })
    const EMPTY = `  SECOND is set, but empty. A secret that the pipeline does not define is empty. If the empty value is intended: \`secret: { name: SECOND, allowEmpty: true }\`\n`
    for (const [line, name, key, why] of [
      [4, 'FIRST', 'A', ''],
      [5, 'SECOND', 'B', EMPTY],
    ])
      expect(stderr).toContain(
        [
          `sets/a.yaml:${line}:7  error missing-secret`,
          `  No value for secret ${name}, which a/env/${key} needs.`,
          `${why}  export SETPOINT_SECRET_${name}=…\n`,
        ].join('\n'),
      )
    expect(stderr).not.toContain('THIRD')
    expect(code).toBe(1)
  })

  test('only secrets that an apply writes are required, and none for a plan', async () => {
    const variables = ['A', 'B', 'C'].map(key => ({ key, category: 'env', value: 'x', sensitive: true }))
    const place = await aPlace({ 'sets/a.yaml': SECRETS }, { sets: [{ name: 'a', variables }] })
    expect((await place.setpoint(['plan'])).code).toBe(0)
    expect((await applied(place)).code).toBe(0)
  })

  test('an environment variable without the prefix cannot be referenced', async () => {
    const place = await aPlace({ 'sets/a.yaml': 'variableSets: { a: { env: { A: { secret: HOME } } } }\n' })
    const { code, stderr } = await applied(place, { HOME: '/root' })
    expect(stderr).toContain('export SETPOINT_SECRET_HOME=…')
    expect(code).toBe(1)
  })
})
