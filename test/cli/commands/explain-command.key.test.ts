import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { aDirectory, run } from '../../support/program.ts'
import { publishedSchema } from '../../support/published.ts'

const SEED = `projects: [{ name: core }]
workspaces:
  - { id: ws-0000000000000001, name: prod, project: core }
  - { id: ws-0000000000000002, name: stage }
  - { id: ws-0000000000000003, name: dev }
`
const FILES = {
  'seed.yaml': SEED,
  'setpoint.yaml': 'organization: acme\n',
  'groups.yaml':
    'groups:\n  live:\n    workspaces:\n      prod: ws-0000000000000001\n      stage: ws-0000000000000002\n',
  'sets/a.yaml': [
    'variableSets:',
    '  wide: { global: true, env: { A: wide, P: cleartext }, terraform: { A: hcl } }',
    '  near: { workspaces: ["group:live"], env: { A: near, P: { secret: P } } }',
    '  spare: { workspaces: [], env: { A: spare } }',
    '  held: { projects: [core], env: { E: { external: true } } }',
    '  token: { workspaces: [dev], env: { T: { value: AKIAQ3EGRZ5TPLMWX2VD, accept: [looks-like-a-secret] } } }',
    '',
  ].join('\n'),
}
const env = { SETPOINT_SANDBOX_SEED: 'seed.yaml', SETPOINT_SECRET_P: 'canary-of-p' }
const explain = async (argv: readonly string[], cwd = aDirectory(FILES)) =>
  await run(['explain', ...argv, '--sandbox'], { cwd, env })

describe('setpoint explain --key', () => {
  test('shows who receives a name in both categories, from which set, and who loses against whom', async () => {
    const { code, stdout } = await explain(['--key', 'A', '--from', 'files'])
    expect({ code, lines: stdout.split('\n') }).toEqual({
      code: 0,
      lines: [
        'setpoint explain --key   A   acme   SANDBOX   3 reads',
        'After the files are applied: received by 3 workspaces.',
        '',
        '  env A        wide  wide (global, rank 13)',
        '    workspace dev',
        '  env A        near  near (the workspace, rank 11)',
        '    workspaces prod, stage',
        '    overrides wide of wide (global, rank 13): a weaker rank',
        '  terraform A  hcl   wide (global, rank 13)',
        '    workspaces dev, prod, stage',
        '  env A        of spare, which no workspace receives',
        '',
        'Workspace variables are not read here, and may override the value. To see them:',
        '    setpoint explain --sandbox WORKSPACE',
        '',
      ],
    })
  })

  test('takes a category, marks what an apply changes, and is Markdown and JSON as well', async () => {
    const { stdout } = await explain(['--key', 'terraform/A'])
    expect(stdout).toContain('received by 3 workspaces, 3 of them changed.')
    expect(stdout).toContain('+ terraform A  hcl  wide (global, rank 13)')
    expect(stdout).not.toContain('env A')
    const markdown = (await explain(['--key', 'env/A', '--format', 'markdown'])).stdout
    expect(markdown).toContain(
      '### Setpoint explain --key `env/A`: After this plan is applied: received by 3 workspaces, 3 of them changed.\n',
    )
    expect(markdown).toContain('+ env A  near  near (the workspace, rank 11)\n      workspaces prod, stage')
    const json = JSON.parse((await explain(['--key', 'env/A', '--format', 'json'])).stdout)
    const validate = new Ajv2020().compile(publishedSchema('key-explanation'))
    expect(validate(json) || validate.errors).toBe(true)
    expect(json).toMatchObject({ kind: 'key-explanation', asked: 'env/A', unreceived: [{ set: 'spare' }] })
  })

  test('shows no value that is secret or looks like one, also not that of another set under the key of a secret', async () => {
    for (const format of ['text', 'markdown', 'json'])
      for (const key of ['P', 'T']) {
        const { code, stdout } = await explain(['--key', key, '--format', format])
        expect([code, stdout]).toEqual([0, expect.not.stringMatching(/cleartext|canary|AKIA/)])
      }
    expect((await explain(['--key', 'P'])).stdout).toContain(
      'overrides (not shown) of wide (global, rank 13): a weaker rank',
    )
  })

  test('names an external variable that the service does not have, by its key and at a workspace', async () => {
    const row = '! env E  external in held (sets/a.yaml:5), and missing in the service'
    const byKey = await explain(['--key', 'E'])
    expect([byKey.code, byKey.stdout.split('\n')]).toEqual([0, expect.arrayContaining([row])])
    expect((await explain(['prod'])).stdout.split('\n')).toContain(row)
    expect((await explain(['dev'])).stdout).not.toContain('missing')
    const { missing } = JSON.parse((await explain(['prod', '--format', 'json'])).stdout)
    expect(missing).toMatchObject([{ key: 'env/E', set: 'held', source: { path: 'sets/a.yaml', line: 5 } }])
  })

  test('at a workspace, names the group through which a set came', async () => {
    const { stdout } = await explain(['prod'])
    expect(stdout).toContain('env A        near      near (the workspace through group live, rank 11)')
    expect((await explain(['dev'])).stdout).not.toContain('through group')
  })

  test.each([
    [
      ['--key', 'DB'],
      'No variable set in the files or in the service has a variable "DB".',
      'Write the name',
    ],
    [
      ['--key', 'env/E', '--from', 'live'],
      'No variable set in the service has the variable "env/E".',
      'Write',
    ],
    [['--key', 'terraform/P'], 'has the variable "terraform/P".', 'There is env/P.'],
    [
      ['--key', 'A', 'prod'],
      'A workspace and --key exclude each other.',
      'setpoint explain --sandbox --key KEY',
    ],
    [[], 'Missing argument: WORKSPACE.', 'setpoint explain --sandbox --key KEY'],
  ])('%j is an error with a hint', async (argv, message, hint) => {
    const { code, stdout, stderr } = await explain(argv)
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
  })

  test('suggests a key that is similar', async () => {
    const cwd = aDirectory({
      'seed.yaml': SEED,
      'setpoint.yaml': 'organization: acme\n',
      'sets/a.yaml': 'variableSets: { a: { global: true, env: { DB_PASSWORD: { external: true } } } }\n',
    })
    const { stderr } = await explain(['--key', 'DB_PASWORD'], cwd)
    expect(stderr).toContain('Did you mean --key DB_PASSWORD?')
  })
})
