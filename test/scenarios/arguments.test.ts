import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aDirectory, run } from '../support/program.ts'

const SECRET = 'hunter2canary'
/** Of several lines: parsers of arguments look at the first one only. */
const KEY = `-----BEGIN PRIVATE KEY-----\n${SECRET}\n-----END PRIVATE KEY-----\n`
const JSON_TEXT = `{"DB_PASSWORD":"${SECRET}"}`

const COMMANDS = [
  'plan',
  'apply',
  'drift',
  'affected',
  'validate',
  'secrets',
  'groups',
  'snapshot',
  'export',
  'init',
]

/** What people type by mistake: the secret itself where its place is expected, or in a flag that does not exist. */
const MISTAKES: readonly (readonly string[])[] = [
  ['--secrets', `DB_PASSWORD=${SECRET}`],
  [`--secrets=DB_PASSWORD=${SECRET}`],
  ['--secrets', SECRET],
  ['--secrets', JSON_TEXT],
  ['--secrets', KEY],
  ['--secrets', `${'x/'.repeat(3000)}${SECRET}`],
  ['--secrets', `--${SECRET}`],
  ['--tokens', SECRET],
  ['--tokens', `acme=${SECRET}`],
  ['--tokens', JSON_TEXT],
  ['--tokens', KEY],
  ['--token', SECRET],
  [`--token=${SECRET}`],
  [`--token=${KEY}`],
  [`--token=a\n(Did you mean ${SECRET}?)`],
  [`--secret=DB_PASSWORD=${SECRET}`],
  ['--secret', `DB_PASSWORD=${SECRET}`],
  [`--password=${SECRET}`],
  [`-p${SECRET}`],
  [`-p=${SECRET}`],
  ['-p', SECRET],
  [KEY],
  [`--=${SECRET}`],
  ['--address', `https://user:${SECRET}@host.example`],
  ['--address', SECRET],
  ['--approve', SECRET],
  ['--config', JSON_TEXT],
  ['--config', `organization=${SECRET}`],
  ['--config', KEY],
  ['--snapshot', JSON_TEXT],
]

describe('a secret among the arguments is never printed', () => {
  test.each(MISTAKES.map(words => [words.join(' ').replaceAll(SECRET, '…').slice(0, 60), words] as const))(
    '%s',
    async (_, words) => {
      for (const command of COMMANDS) {
        const cwd = aDirectory({
          'setpoint.yaml': 'organization: acme\n',
          'sets/a.yaml': 'variableSets: {}\n',
        })
        const env = { SETPOINT_ADDRESS: 'http://127.0.0.1:9', SETPOINT_TOKEN: 'a-token' }
        for (const more of [
          [],
          ['--report', 'json=report.json', '--report', 'markdown=report.md'],
          ['--verbose'],
        ]) {
          const { stdout, stderr } = await run([command, ...more, ...words], { cwd, env })
          const written = ['report.json', 'report.md'].map(name => join(cwd, name)).filter(existsSync)
          const texts = [stdout, stderr, ...written.map(path => readFileSync(path, 'utf8'))]
          expect([command, texts.filter(text => text.includes(SECRET))]).toEqual([command, []])
        }
      }
    },
  )

  test.each([
    ['before the command', {}, [`--token=${SECRET}`, 'plan']],
    ['as the command', {}, [`DB_PASSWORD=${SECRET}`, 'plan']],
    ['as the command, of several lines', {}, [KEY]],
    ['as a plan file', {}, ['apply', JSON_TEXT, '--sandbox']],
    ['as a plan file, by show', {}, ['show', JSON_TEXT]],
    ['as a comment', {}, ['comment', JSON_TEXT]],
    ['as a token of the sandbox', {}, ['sandbox', '--token', SECRET]],
    ['as a token of the sandbox with a wrong permission', {}, ['sandbox', '--token', `${SECRET}=all`]],
    ['as a variable of the environment', { SETPOINT_APPROVE: SECRET }, ['apply', '--sandbox']],
  ])('%s', async (_, env, argv) => {
    const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n', 'sets/a.yaml': 'variableSets: {}\n' })
    const { code, stdout, stderr } = await run(argv, { cwd, env: { GITHUB_REPOSITORY: 'a/b', ...env } })
    expect([code, stdout + stderr]).toEqual([1, expect.not.stringContaining(SECRET)])
  })

  test('what helps is still named', async () => {
    const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n' })
    const said = async (...argv: string[]) => (await run(argv, { cwd })).stderr
    expect(await said('plan', '--otu', 'x')).toContain("Unknown option '--otu'.\n  Did you mean --out?")
    expect(await said('plan', '-target=x')).toContain("Unknown option '-target'.")
    expect(await said('plan', '-pX')).toContain("Unknown option '-p'.")
    expect(await said('plna')).toContain("Unknown command 'plna'.\n  Did you mean plan?")
    expect(await said('plan', '--config', 'infra/prod.yaml')).toContain(
      'There is no file "infra/prod.yaml" in',
    )
    expect(await said('show', 'my plan.json')).toContain('There is no file "my plan.json".')
    expect(await said('plan', '--secrets', 'X=y')).toBe(
      'error unreadable-file\n  --secrets: The source does not exist.\n  Pass the path of a file or a directory, or - for standard input. Never pass a secret itself: other programs can read the arguments of a command.\n',
    )
  })
})
