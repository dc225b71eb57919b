import { describe, expect, test } from 'vitest'
import { aPlace, ONE } from '../support/place.ts'
import { run } from '../support/program.ts'
import { applied, refused } from '../support/refused.ts'

describe('all mistakes in the files are reported with their lines, and nothing is written', () => {
  const MISTAKES: readonly (readonly [string, string, readonly string[]])[] = [
    [
      'misspelt keys',
      'variableSets:\n  a:\n    descripton: x\n    evn: { A: 1 }\n    env:\n      B: { secrt: S }\n',
      [
        'sets/a.yaml:3:5  error unknown-key',
        'Did you mean "description"?',
        'sets/a.yaml:4:5  error unknown-key',
        'Did you mean "env"?',
        'sets/a.yaml:6:12  error unknown-key',
        'Did you mean "secret"?',
      ],
    ],
    [
      'wrong types',
      'variableSets:\n  a:\n    global: yes please\n    workspaces: w\n    env: [A]\n  b: text\n',
      [
        'sets/a.yaml:3:5  error wrong-type',
        'sets/a.yaml:4:5  error wrong-type',
        'sets/a.yaml:5:5  error wrong-type',
        'sets/a.yaml:6:3  error wrong-type',
      ],
    ],
    [
      'null values',
      'variableSets:\n  a:\n    env:\n      A:\n      B: ~\n      C: null\n',
      [
        'sets/a.yaml:4:7  error null-value',
        'sets/a.yaml:5:7  error null-value',
        'sets/a.yaml:6:7  error null-value',
        'Null is not a value. Write "" for an empty string, or put the word in quotes.',
      ],
    ],
    [
      'duplicate keys',
      'variableSets:\n  a:\n    env:\n      A: 1\n      A: 2\n  a: {}\n',
      ['sets/a.yaml:5:7  error duplicate-key', 'sets/a.yaml:6:3  error duplicate-key'],
    ],
    [
      'anchors, aliases and merge keys',
      'variableSets:\n  a: &base\n    env: { A: 1 }\n  b:\n    <<: *base\n',
      ['sets/a.yaml:2:6  error yaml-feature', 'sets/a.yaml:5:5  error yaml-feature', 'from'],
    ],
    ['a file that is not YAML', 'variableSets:\n  a: "open\n', ['sets/a.yaml:', 'error yaml-syntax']],
    [
      'one variable in two global sets',
      'variableSets:\n  a: { global: true, env: { X: 1 } }\n  b: { global: true, env: { X: 2 } }\n',
      ['sets/a.yaml:3:29  error global-conflict', 'env/X is in two global sets, "a" and "b"'],
    ],
    [
      'a token in a set file',
      'variableSets: { a: {} }\ntoken: abc\n',
      ['sets/a.yaml:2:1  error unknown-key'],
    ],
  ]

  test.each(MISTAKES)('%s', async (_, text, expected) => {
    const place = await aPlace({ 'sets/a.yaml': text })
    const { code, stdout, stderr } = await applied(place)
    for (const words of expected) expect(stderr).toContain(words)
    expect(stderr.split('\n').filter(line => line.includes(' error ')).length).toBeGreaterThanOrEqual(
      expected.filter(words => words.includes(' error ')).length,
    )
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(await run(['validate'], { cwd: place.cwd })).toEqual({ code, stdout, stderr })
  })

  test('no configuration', async () => {
    const place = await aPlace(ONE)
    const elsewhere = { cwd: import.meta.dirname, env: place.env }
    const { code, stderr } = await refused(place, () => run(['apply', '--auto-approve'], elsewhere))
    expect(stderr).toContain('error no-configuration\n  There is no setpoint.yaml in')
    expect(code).toBe(1)
  })

  test('a directory that does not exist', async () => {
    const { code, stderr } = await run(['validate', '-C', 'nope'], { cwd: import.meta.dirname })
    expect(stderr).toMatch(/^error no-configuration\n {2}There is no directory \S*nope\.\n/)
    expect(code).toBe(1)
  })

  test('the same set in two files', async () => {
    const place = await aPlace({ ...ONE, 'sets/b.yaml': 'variableSets:\n  a: {}\n' })
    const { code, stderr } = await applied(place)
    expect(stderr).toContain('sets/b.yaml:2:3  error duplicate-set\n')
    expect(stderr).toContain('The set "a" is already declared at sets/a.yaml:1')
    expect(code).toBe(1)
  })

  test('an address in setpoint.yaml', async () => {
    const place = await aPlace({
      'setpoint.yaml': 'organization: acme\naddress: https://evil.example\n',
      ...ONE,
    })
    const { code, stderr } = await applied(place)
    expect(stderr).toContain('setpoint.yaml:2:1  error unknown-key')
    expect(code).toBe(1)
  })
})
