import { describe, expect, test } from 'vitest'
import { aDirectory, type Ran, run, type Surroundings } from '../../support/program.ts'

const FILES = {
  'setpoint.yaml': 'organization: acme\n',
  'sets/a.yaml': `variableSets:
  aws:
    env:
      KEY: { secret: AWS_KEY }
      REGION: eu-west-1
      OLD: { external: true }
    terraform:
      again: { secret: AWS_KEY }
      token: { secret: { name: GITHUB_TOKEN, allowEmpty: true } }
`,
  'sets/b.yaml': 'variableSets:\n  db:\n    env:\n      PASSWORD: { secret: DB_PASSWORD }\n',
}

/** Without address and token, so that any request would fail. */
const secrets = (argv: readonly string[] = [], other: Partial<Surroundings> = {}, files = {}): Promise<Ran> =>
  run(['secrets', ...argv], { cwd: aDirectory({ ...FILES, ...files }), ...other })

describe('setpoint secrets', () => {
  test('lists the secrets with their uses, and whether this run has them', async () => {
    const env = { SETPOINT_SECRET_DB_PASSWORD: 'hunter2' }
    const files = { 's.env': 'AWS_KEY=hunter3\n' }
    expect(await secrets(['--secrets', 's.env'], { env }, files)).toEqual({
      code: 0,
      stderr: '',
      stdout: `AWS_KEY       in --secrets
  aws env/KEY  sets/a.yaml:4
  aws terraform/again  sets/a.yaml:8
DB_PASSWORD   in the environment
  db env/PASSWORD  sets/b.yaml:4
GITHUB_TOKEN  missing
  aws terraform/token  sets/a.yaml:9

3 secrets, 1 missing in this run.
To provide one: export SETPOINT_SECRET_GITHUB_TOKEN=… or --secrets SOURCE.
For a pipeline: --format github or gitlab.
To send one again: setpoint apply --rewrite SET/KEY.

1 external variable, set in the service and never sent:
  aws env/OLD  sets/a.yaml:6
To see which of them the service does not have: setpoint plan
`,
    })
  })

  test('says what sends a secret again where there is an owner', async () => {
    const { stdout } = await secrets([], {}, { 'setpoint.yaml': 'organization: acme\nowner: us\n' })
    expect(stdout).toContain('To send one again: change its version in the file, or give it one: {')
  })

  test('an empty value counts only if every use allows it', async () => {
    const env = { SETPOINT_SECRET_GITHUB_TOKEN: '', SETPOINT_SECRET_DB_PASSWORD: '' }
    const { stdout } = await secrets([], { env })
    expect(stdout).toMatch(/^GITHUB_TOKEN {2}in the environment$/m)
    expect(stdout).toMatch(/^DB_PASSWORD {3}missing: set, but empty$/m)
  })

  test('can be limited with --only, and a pattern that matches nothing is an error', async () => {
    expect((await secrets(['--only', 'd*'])).stdout).toBe(`DB_PASSWORD  missing
  db env/PASSWORD  sets/b.yaml:4

1 secret, 1 missing in this run.
To provide one: export SETPOINT_SECRET_DB_PASSWORD=… or --secrets SOURCE.
For a pipeline: --format github or gitlab.
To send one again: setpoint apply --rewrite SET/KEY.
`)
    expect(await secrets(['--only', 'x*'])).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error unmatched-selection\n  --only "x*" matches no set in the files.\n  Write the name of a set, its id, or a pattern such as "aws-*".\n',
    })
    expect((await secrets(['--only', 'bd'])).stderr).toContain('Did you mean --only db?')
  })

  test('prints the block for a step of GitHub Actions', async () => {
    expect((await secrets(['--format', 'github'])).stdout).toBe(`env:
  # aws env/KEY  sets/a.yaml:4
  # aws terraform/again  sets/a.yaml:8
  SETPOINT_SECRET_AWS_KEY: \${{ secrets.AWS_KEY }}
  # db env/PASSWORD  sets/b.yaml:4
  SETPOINT_SECRET_DB_PASSWORD: \${{ secrets.DB_PASSWORD }}
  # aws terraform/token  sets/a.yaml:9
  # GitHub allows no secret whose name begins with GITHUB_: store it as SETPOINT_GITHUB_TOKEN
  SETPOINT_SECRET_GITHUB_TOKEN: \${{ secrets.SETPOINT_GITHUB_TOKEN }}
`)
  })

  test('prints the block for a job of GitLab, without variables inside others', async () => {
    const env = { SETPOINT_SECRET_DB_PASSWORD: 'hunter2' }
    expect((await secrets(['--format', 'gitlab'], { env })).stdout).toBe(`script:
  # aws env/KEY  sets/a.yaml:4
  # aws terraform/again  sets/a.yaml:8
  - export SETPOINT_SECRET_AWS_KEY="$AWS_KEY"
  # db env/PASSWORD  sets/b.yaml:4
  # this run has it: in the environment
  - export SETPOINT_SECRET_DB_PASSWORD="$DB_PASSWORD"
  # aws terraform/token  sets/a.yaml:9
  - export SETPOINT_SECRET_GITHUB_TOKEN="$GITHUB_TOKEN"
`)
  })

  test('prints a dotenv template, which apply accepts once it is completed', async () => {
    const { stdout } = await secrets(['--format', 'dotenv'])
    expect(stdout).toBe(`# For --secrets FILE. Keep it out of Git.
# aws env/KEY  sets/a.yaml:4
# aws terraform/again  sets/a.yaml:8
AWS_KEY=
# db env/PASSWORD  sets/b.yaml:4
DB_PASSWORD=
# aws terraform/token  sets/a.yaml:9
GITHUB_TOKEN=
`)
    const filled = stdout.replace(/=$/gm, '=hunter2')
    const again = await secrets(['--secrets', 'filled.env'], {}, { 'filled.env': filled })
    expect(again.stdout).toContain('3 secrets, 0 missing in this run.\n')
  })

  test.each(['text', 'github', 'gitlab', 'dotenv'])(
    'says that the files reference no secrets: %s',
    async format => {
      const files = {
        'sets/a.yaml': 'variableSets: { a: { env: { A: b } } }\n',
        'sets/b.yaml': 'removed: [x]\n',
      }
      const { code, stdout } = await secrets(['--format', format], {}, files)
      expect([code, stdout]).toEqual([
        0,
        format === 'text' ? 'The files reference no secrets.\n' : '# The files reference no secrets.\n',
      ])
    },
  )

  test('never prints a value, whatever the source', async () => {
    const files = { 's.yaml': 'AWS_KEY: hunter2\nDB_PASSWORD: hunter3\n', 'in/AWS_KEY': 'hunter4' }
    const env = { SETPOINT_SECRET_GITHUB_TOKEN: 'hunter5' }
    const io = { input: () => ({ all: async () => 'AWS_KEY=hunter6\n' }) }
    for (const source of ['s.yaml', 'in', '-'])
      for (const format of ['text', 'github', 'gitlab', 'dotenv']) {
        const ran = await secrets(['--secrets', source, '--format', format], { env, io }, files)
        expect(ran.code).toBe(0)
        expect(ran.stdout + ran.stderr).not.toContain('hunter')
      }
  })

  test('reports unreadable files of a source, and errors in the files', async () => {
    const unreadable = await secrets(['--secrets', 'in'], {}, { 'in/AWS_KEY/x': '' })
    expect(unreadable.stderr).toBe(
      'error unreadable-file\n  AWS_KEY in "in" cannot be used. Its file is not a regular file.\n',
    )
    expect(unreadable.stdout).toContain('AWS_KEY       missing\n')
    expect(unreadable.code).toBe(1)
    const files = { 'sets/b.yaml': 'variableSets: [x]\n' }
    expect(await secrets([], {}, files)).toMatchObject({ code: 1, stdout: '' })
  })

  test('the name of a set cannot end its comment or be a command for a runner', async () => {
    const name = JSON.stringify('x\n  EVIL: y\u2028\n::set-env::z ##[group]')
    const files = { 'sets/a.yaml': `variableSets: { ${name}: { env: { A: { secret: S } } } }\n` }
    for (const format of ['text', 'github', 'gitlab', 'dotenv']) {
      const { stdout } = await secrets(['--format', format], {}, files)
      expect(stdout).toContain('EVIL')
      expect(stdout).not.toMatch(/^\s*EVIL|\u2028|^\s*::|##\[/m)
    }
  })
})

test('lists external variables, and where to see what is missing', async () => {
  const cwd = aDirectory({
    'setpoint.yaml': 'organization: acme\n',
    'sets/a.yaml':
      'variableSets:\n  a:\n    env:\n      X: { external: true }\n    terraform:\n      y: { external: true }\n  b: { env: { Z: plain } }\n',
  })
  expect(await run(['secrets'], { cwd })).toEqual({
    code: 0,
    stderr: '',
    stdout: `The files reference no secrets.

2 external variables, set in the service and never sent:
  a env/X  sets/a.yaml:4
  a terraform/y  sets/a.yaml:6
To see which of them the service does not have: setpoint plan
`,
  })
  expect((await run(['secrets', '--only', 'b'], { cwd })).stdout).toBe('The files reference no secrets.\n')
})
