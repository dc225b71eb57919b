import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { start } from '../support/child.ts'
import { aPlace, type Place } from '../support/place.ts'
import { hearing, READY } from '../support/signals.ts'

const SETS = `variableSets:
  a:
    env:
      A: { secret: FIRST }
      B: { secret: SECOND }
`
const FILES = { 'sets/a.yaml': SETS }
const AUTO = ['apply', '--auto-approve']

const place = (files: Readonly<Record<string, string>> = {}): Promise<Place> => aPlace({ ...FILES, ...files })

describe('apply --secrets', () => {
  test.each([
    ['JSON', 's.json', '{"FIRST": "f1", "SECOND": 2.0}'],
    ['YAML', 's.yaml', 'FIRST: f1\nSECOND: 2.0\n'],
    ['dotenv', 's.env', 'export FIRST=f1\nSECOND="2.0"\n'],
    ['a file without a known extension', 'secrets', 'FIRST=f1\nSECOND=2.0\n'],
  ])('sends the values of a file: %s', async (_, path, text) => {
    const here = await place({ [path]: text })
    const { code } = await here.setpoint([...AUTO, '--secrets', path])
    expect(here.live()).toEqual(['a  env/A=(f1) env/B=(2.0)'])
    expect(code).toBe(0)
  })

  test('sends the values of a directory, and those of the environment for missing files', async () => {
    const here = await place({ 'in/FIRST': 'f1\n' })
    const env = { SETPOINT_SECRET_FIRST: 'not this', SETPOINT_SECRET_SECOND: 's2' }
    expect((await here.setpoint([...AUTO, '--secrets', 'in'], { env })).code).toBe(0)
    expect(here.live()).toEqual(['a  env/A=(f1) env/B=(s2)'])
  })

  test('sends values from standard input', async () => {
    const here = await place()
    const io = { input: () => ({ all: async () => 'FIRST: f1\nSECOND: s2\n' }) }
    expect((await here.setpoint([...AUTO, '--secrets', '-'], { io })).code).toBe(0)
    expect(here.live()).toEqual(['a  env/A=(f1) env/B=(s2)'])
  })

  test('reads only the needed files of a directory', async () => {
    const here = await place({ 'in/FIRST': 'f1', 'in/SECOND': 's2' })
    writeFileSync(join(here.cwd, 'in/OTHER'), Buffer.from([0xff]))
    mkdirSync(join(here.cwd, 'in/THIRD'))
    expect(await here.setpoint([...AUTO, '--secrets', 'in'])).toMatchObject({ code: 0, stderr: '' })
  })

  test('a malformed or missing source ends the run before any request', {
    tags: ['I-20'],
  }, async () => {
    const here = await place({ 's.json': '{"FIRST": "hunter2", "SECOND": {"x": "hunter3"}}' })
    const broken = await here.setpoint([...AUTO, '--secrets', 's.json'])
    expect(broken).toEqual({
      code: 1,
      stdout: '',
      stderr: `s.json:1:32  error wrong-type
  A secret must be a string, not a map.
  Write one flat map of names to strings. Put a value with structure in quotes.
`,
    })
    const missing = await here.setpoint([...AUTO, '--secrets', 'none.env'])
    expect(missing).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error unreadable-file\n  --secrets: The source does not exist.\n  Pass the path of a file or a directory, or - for standard input. Never pass a secret itself: other programs can read the arguments of a command.\n',
    })
    expect(here.live()).toEqual([])
  })

  test('an unreadable file in a directory is reported beside the missing secret', async () => {
    const here = await place({ 'in/FIRST/x': '', 'in/SECOND': 's2' })
    const { code, stderr } = await here.setpoint([...AUTO, '--secrets', 'in'])
    expect(stderr).toContain('No value for secret FIRST, which a/env/A needs.')
    expect(stderr).toContain(
      'error unreadable-file\n  FIRST in "in" cannot be used. Its file is not a regular file.\n',
    )
    expect([code, here.live()]).toEqual([1, []])
  })

  test('an unreadable file is also reported if its secret would only be compared', async () => {
    const here = await place({ 'setpoint.yaml': 'organization: acme\nowner: us\n', 'in/FIRST/x': '' })
    const env = {
      SETPOINT_SECRET_FIRST: 'f1',
      SETPOINT_SECRET_SECOND: 's2',
      SETPOINT_FINGERPRINT_KEY: '0123456789abcdef0123456789abcdef',
    }
    expect((await here.setpoint(AUTO, { env })).code).toBe(0)
    expect(await here.setpoint(AUTO, { env })).toMatchObject({ code: 0, stderr: '' })
    expect(await here.setpoint([...AUTO, '--secrets', 'in'], { env })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error unreadable-file\n  FIRST in "in" cannot be used. Its file is not a regular file.\n',
    })
  })

  test('a missing secret is reported with the line to paste and the flag for a file', {
    tags: ['F-41'],
  }, async () => {
    const here = await place({ 's.env': 'FIRST=x\n' })
    const { code, stderr } = await here.setpoint([...AUTO, '--secrets', 's.env'])
    expect(stderr).toBe(`sets/a.yaml:5:7  error missing-secret
  No value for secret SECOND, which a/env/B needs.
  export SETPOINT_SECRET_SECOND=…
  Or pass a file that contains it: --secrets FILE
`)
    expect(code).toBe(1)
  })

  test('an empty value counts as missing, unless the file allows it', async () => {
    const sets = SETS.replace('secret: SECOND', 'secret: { name: SECOND, allowEmpty: true }')
    const here = await aPlace({ 'sets/a.yaml': sets, 's.env': 'FIRST=\nSECOND=\n' })
    const env = { SETPOINT_SECRET_SECOND: 'not this' }
    expect((await here.setpoint([...AUTO, '--secrets', 's.env'], { env })).stderr).toContain(
      `No value for secret FIRST, which a/env/A needs.
  FIRST is set, but empty. A secret that the pipeline does not define is empty. If the empty value is intended: \`secret: { name: FIRST, allowEmpty: true }\`
  export SETPOINT_SECRET_FIRST=…
`,
    )
    const both = { ...env, SETPOINT_SECRET_FIRST: 'f1' }
    expect((await here.setpoint([...AUTO, '--secrets', 's.env'], { env: both })).code).toBe(0)
    expect(here.live()).toEqual(['a  env/A=(f1) env/B=()'])
  })

  test('a name with the prefix of the environment in a source is named', async () => {
    const here = await place({ 's.env': 'FIRST=x\nSETPOINT_SECRET_SECOND=y\n' })
    const { stderr } = await here.setpoint([...AUTO, '--secrets', 's.env'])
    expect(stderr).toContain(
      'The source of --secrets has SETPOINT_SECRET_SECOND. In the source, write SECOND: only environment variables have the prefix.',
    )
    expect(stderr).not.toContain('empty')
  })

  test.each([
    ['a final newline', 'hunter2\n', true],
    ['a blank at the start', ' hunter2', true],
    ['a final newline of several lines', 'hunter\n2\n', false],
    ['two final newlines', 'hunter\n2\n\n', true],
    ['blanks inside', 'hunter 2', false],
  ])(
    'surrounding whitespace in a value is sent, with a warning unless it is a usual final newline: %s',
    async (_, text, warns) => {
      const sets = 'variableSets:\n  a:\n    terraform:\n      a: { secret: FIRST }\n'
      const here = await aPlace({ 'sets/a.yaml': sets, 's.json': JSON.stringify({ FIRST: text }) })
      const { code, stderr } = await here.setpoint([...AUTO, '--secrets', 's.json'])
      expect(stderr).toBe(
        warns
          ? `sets/a.yaml:4:7  warning secret-white-space
  The value of FIRST begins or ends with whitespace. It is sent unchanged.
  Check whether a line break slipped in, as from echo instead of printf.
`
          : '',
      )
      expect(code).toBe(0)
      expect(here.sandbox.snapshot({ sensitive: true }).sets?.[0]?.variables?.[0]?.value).toBe(text)
    },
  )
})

test.each([
  ['has several lines', 'begin\nend\n'],
  ['ends with a newline', 'hunter2\n'],
])(
  'there is a warning about a secret under env that %s, at its place, if its value is known',
  async (what, text) => {
    const sets =
      'variableSets:\n  a:\n    env:\n      A: { secret: FIRST }\n    terraform:\n      b: { secret: FIRST }\n'
    const here = await aPlace({ 'sets/a.yaml': sets, 's.json': JSON.stringify({ FIRST: text }) })
    const unknown = await here.setpoint(['plan'])
    expect([unknown.code, unknown.stderr]).toEqual([0, ''])
    for (const command of ['plan', 'apply']) {
      const { stderr } = await here.setpoint([command, '--secrets', 's.json'])
      expect(stderr).toContain(
        `sets/a.yaml:4:7  warning service-limit\n  The value of secret FIRST ${what}, which HCP Terraform refuses for an environment variable.\n`,
      )
      expect(stderr.match(/service-limit/g)).toHaveLength(1)
      expect(stderr).not.toContain(text.trim().split('\n').at(-1))
    }
    // There is no warning about a secret that is not sent.
    const settled = await aPlace(
      {
        'sets/a.yaml': 'variableSets: { a: { env: { A: { secret: FIRST } } } }\n',
        's.json': JSON.stringify({ FIRST: text }),
      },
      { sets: [{ name: 'a', variables: [{ key: 'A', category: 'env', value: 'x', sensitive: true }] }] },
    )
    expect((await settled.setpoint(['plan', '--secrets', 's.json'])).stderr).toBe('')
  },
)

describe('the program as a process', () => {
  test('reads secrets from a pipe', async () => {
    const here = await place()
    const child = start([...AUTO, '--secrets', '-'], {
      cwd: here.cwd,
      env: here.env,
      input: '{"FIRST": "f1", "SECOND": "\u00e9\u{1f600}"}',
    })
    expect(await child.ended).toMatchObject({ code: 0, stderr: '' })
    expect(here.live()).toEqual(['a  env/A=(f1) env/B=(\u00e9\u{1f600})'])
  })

  test('ends on a signal while it waits for a pipe', async () => {
    const here = await place()
    const child = start([...AUTO, '--secrets', '-', '--verbose'], {
      cwd: here.cwd,
      env: { ...here.env, NODE_OPTIONS: READY },
      reply: () => undefined,
    })
    // The program listens for signals before it reads.
    await hearing(child.process)()
    child.process.kill('SIGTERM')
    expect(await child.ended).toMatchObject({ code: 143, stdout: '' })
    expect(here.live()).toEqual([])
  })
})
