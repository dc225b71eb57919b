import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { aPlace, SEED } from '../support/place.ts'
import { aDirectory } from '../support/program.ts'

/** The words that a POSIX shell makes of a text. */
const wordsOf = (text: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${text}`], { encoding: 'utf8', cwd: aDirectory({}) })
    .split('\0')
    .slice(0, -1)

const meant = (printed: string): string =>
  /^ {2}Did you mean (.*)\?$/m.exec(printed)?.[1] ?? `nothing: ${printed}`

/** Names that mean something to a shell, to YAML or to the parser of options. */
const NAMES = [
  'payments',
  'a b c d',
  "it's mine",
  '$HOME-x',
  '-leading',
  '--lead',
  'x"quoted"',
  'a`b`cd',
  'back\\slash',
  '!bang',
  'é-è-ê',
  'semi;colon',
  '#hash',
  '~tilde',
]
const SETS = `variableSets:\n${NAMES.map(name => `  ${JSON.stringify(name)}: { env: { K: { secret: S } } }\n`).join('')}`
const FILES = { 'setpoint.yaml': 'organization: acme\nowner: me\n', 'sets/a.yaml': SETS }

describe('what a command that selects may mean is printed as it is typed', () => {
  // The parser takes a value that begins with two dashes for a flag.
  test.each(NAMES.filter(name => !name.startsWith('--')))('%s', async name => {
    const place = await aPlace(FILES)
    const env = { SETPOINT_SECRET_S: 'x' }
    expect((await place.setpoint(['apply', '--auto-approve'], { env })).code).toBe(0)
    const wrong = `${name}q`
    for (const [flag, suffix, ...argv] of [
      ['--only', '', 'plan'],
      ['--only', '', 'apply', '--auto-approve'],
      ['--only', '', 'drift'],
      ['--only', '', 'secrets'],
      ['--only', '', 'export'],
      ['--adopt', '', 'plan'],
      ['--rewrite', '', 'plan'],
      ['--rewrite', '/K', 'plan'],
      ['--update', '', 'export'],
    ] as const) {
      const refused = await place.setpoint([...argv, `${flag}=${wrong}${suffix}`], { env })
      expect([flag, ...argv, refused.code, refused.stderr]).toEqual([
        flag,
        ...argv,
        1,
        expect.stringContaining('error unmatched-selection\n'),
      ])
      const words = wordsOf(meant(refused.stderr))
      expect(words.join(' ')).toContain(name)
      const again = await place.setpoint([...argv, ...words], { env })
      expect([flag, ...argv, again.code, again.stderr]).toEqual([
        flag,
        ...argv,
        0,
        expect.not.stringContaining('error'),
      ])
    }
  })
})

test.each(NAMES)('so are workspaces: %s', async name => {
  const place = await aPlace({
    'sets/a.yaml': `variableSets: { a: { workspaces: [${JSON.stringify(name)}], env: { LOG_LEVEL: 1 } } }\n`,
  })
  place.sandbox.restore({ ...SEED, workspaces: [{ name }] })
  expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
  const refused = await place.setpoint(['explain', '--', `${name}q`])
  const again = await place.setpoint(['explain', '--', ...wordsOf(meant(refused.stderr))])
  expect([refused.code, again.code, again.stderr]).toEqual([1, 0, ''])
})

test('so are keys and groups', async () => {
  const place = await aPlace({
    'groups.yaml': 'groups:\n  prod: { workspaces: { web: ws-aaaaaaaaaaaaaaaa } }\n',
    'sets/a.yaml': 'variableSets: { a: { workspaces: ["group:prod"], env: { LOG_LEVEL: 1 } } }\n',
  })
  place.sandbox.restore({ ...SEED, workspaces: [{ id: 'ws-aaaaaaaaaaaaaaaa', name: 'web' }] })
  expect((await place.setpoint(['apply', '--auto-approve'])).code).toBe(0)
  for (const [command, wrong] of [
    ['explain', '--key=LOG_LEVLE'],
    ['explain', '--key=env/LOG_LEVLE'],
    ['groups', '--update=prdo'],
  ] as const) {
    const refused = await place.setpoint([command, wrong])
    const again = await place.setpoint([command, ...wordsOf(meant(refused.stderr))])
    expect([wrong, refused.code, again.code, again.stderr]).toEqual([wrong, 1, 0, ''])
  }
})

test.each(NAMES)('a name of a file is printed as it is written there: %s', async name => {
  const [right, wrong] = [JSON.stringify(name), JSON.stringify(`${name}q`)]
  for (const text of [
    `variableSets: { a: { workspaces: [${wrong}] } }\n`,
    `variableSets: { a: { project: ${wrong} } }\n`,
    `bases: { ${right}: { env: { A: "1" } } }\nvariableSets: { a: { from: ${wrong} } }\n`,
  ]) {
    const place = await aPlace({ 'sets/a.yaml': text })
    place.sandbox.restore({ ...SEED, workspaces: [{ name }], projects: [{ name }] })
    const refused = await place.setpoint(['plan'])
    const printed = meant(refused.stderr)
    expect([text, refused.code, printed]).toEqual([text, 1, expect.stringContaining('"')])
    place.write({ 'sets/a.yaml': text.replace(wrong, () => printed) })
    const again = await place.setpoint(['plan'])
    expect([text, printed, again.code, again.stderr]).toEqual([text, printed, 0, ''])
  }
})

test('a group of a file is printed as it is written there', async () => {
  const sets = (group: string) => `variableSets: { a: { workspaces: [${group}] } }\n`
  const place = await aPlace({
    'groups.yaml': 'groups:\n  prod: { workspaces: { w: ws-aaaaaaaaaaaaaaaa } }\n',
    'sets/a.yaml': sets('"group:prdo"'),
  })
  place.sandbox.restore({ ...SEED, workspaces: [{ id: 'ws-aaaaaaaaaaaaaaaa', name: 'w' }] })
  const refused = await place.setpoint(['plan'])
  place.write({ 'sets/a.yaml': sets(meant(refused.stderr)) })
  const again = await place.setpoint(['plan'])
  expect([refused.code, again.code, again.stderr]).toEqual([1, 0, ''])
})
