import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSandbox, parseSeed } from '../../../src/sandbox/index.ts'
import type { Transport } from '../../../src/wire/transport.ts'
import { aDirectory, run } from '../../support/program.ts'
import { publishedSchema } from '../../support/published.ts'

const FILES = {
  'setpoint.yaml': 'organization: acme\n',
  'sets/a.yaml': [
    'variableSets:',
    '  wide: { global: true, env: { A: wide, G: "1" } }',
    '  near: { workspaces: [prod], env: { A: near, S: { secret: S } } }',
    '  over: { projects: [core], priority: true, env: { A: over } }',
    '',
  ].join('\n'),
}

const SEED = `projects: [{ name: core }]
workspaces: [{ id: ws-0000000000000001, name: prod, project: core }]
`
const env = { SETPOINT_SANDBOX_SEED: 'seed.yaml' }
const seeded = (files: Readonly<Record<string, string>> = {}) =>
  aDirectory({ ...FILES, 'seed.yaml': SEED, ...files })

describe('setpoint explain', () => {
  test('shows the variables that the files will give before the first apply, the strongest first', async () => {
    const { code, stdout } = await run(['explain', 'prod', '--sandbox', '--from', 'files'], {
      cwd: seeded(),
      env,
    })
    expect({ code, lines: stdout.split('\n') }).toEqual({
      code: 0,
      lines: [
        'setpoint explain   prod   acme   SANDBOX   project core   6 reads',
        'After the files are applied: 3 variables.',
        '',
        '  env A  over      over (priority, its project, rank 2)',
        '    overrides near of near (the workspace, rank 11): has no priority',
        '    overrides wide of wide (global, rank 13): has no priority',
        '  env G  1         wide (global, rank 13)',
        '  env S  (secret)  near (the workspace, rank 11)',
        '',
      ],
    })
  })

  test('with --verbose and in JSON, names the line that gives each value, in the set or in its base', async () => {
    const cwd = seeded({
      'sets/a.yaml': [
        'bases: { all: { env: { B: base } } }',
        'variableSets:',
        '  near:',
        '    from: all',
        '    workspaces: [prod]',
        '    env: { A: near }',
        '',
      ].join('\n'),
      'old.yaml': 'organization: acme\nsets: old.set\n',
      'old.set': 'variableSets: { gone: { workspaces: [prod], env: { C: live } } }\n',
    })
    const before = await run(['apply', '--sandbox', '--config', 'old.yaml', '--auto-approve'], { cwd, env })
    expect(before).toMatchObject({ code: 0 })
    const { stdout } = await run(['explain', 'prod', '--sandbox', '--verbose'], { cwd, env })
    expect(stdout.split('\n').slice(3)).toEqual([
      '+ env A  near  near (the workspace, rank 11)',
      '    sets/a.yaml:6',
      '+ env B  base  near (the workspace, rank 11)',
      '    sets/a.yaml:1',
      '  env C  live  gone (the workspace, rank 11)',
      '',
    ])
    const argv = ['explain', 'prod', '--sandbox', '--format', 'json']
    const { variables } = JSON.parse((await run(argv, { cwd, env })).stdout)
    expect(variables.map((one: { after: { source?: unknown } }) => one.after.source)).toEqual([
      { path: 'sets/a.yaml', line: 6, column: 12 },
      { path: 'sets/a.yaml', line: 1, column: 24 },
      undefined,
    ])
  })

  test('works with the id alone if the service shows no workspaces to this token', async () => {
    const sandbox = await createSandbox({ seed: parseSeed(`organizations: [{ name: acme }]\n${SEED}`) })
    onTestFinished(() => sandbox.close())
    const hidden: Transport = async (request, signal) =>
      /\/(?:workspaces|projects)(?:\/(?:ws-\w+|prod))?$/.test(request.path)
        ? { status: 404, headers: {}, body: '{}' }
        : sandbox.transport(request, signal)
    const cwd = aDirectory({ ...FILES, 'sets/a.yaml': 'variableSets: {}\n' })
    const io = { sandbox: { ...sandbox, transport: hidden } }
    const { code, stdout } = await run(['explain', 'ws-0000000000000001', '--sandbox'], { cwd, io })
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^setpoint explain {3}ws-0000000000000001 /)])
    const named = await run(['explain', 'prod', '--sandbox'], { cwd, io })
    expect([named.code, named.stderr]).toEqual([1, expect.stringContaining('error no-look-up\n')])
  })

  test('prints JSON that matches the schema', async () => {
    const { stdout } = await run(['explain', 'prod', '--sandbox', '--format', 'json'], {
      cwd: seeded(),
      env,
    })
    const schema = publishedSchema('explanation')
    const validate = new Ajv2020({ strict: true }).compile(schema)
    expect(validate(JSON.parse(stdout)) || validate.errors).toBe(true)
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'explanation',
      moment: 'difference',
      variables: [{ key: 'env/A', change: 'gained' }, { key: 'env/G' }, { key: 'env/S' }],
    })
    expect(schema.examples.every((example: unknown) => validate(example))).toBe(true)
  })

  test('requires a workspace, and suggests a similar name', async () => {
    const cwd = seeded()
    expect(await run(['explain', '--sandbox'], { cwd })).toMatchObject({ code: 1, stdout: '' })
    const { code, stderr } = await run(['explain', 'prd', '--sandbox'], { cwd, env })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'error unknown-name\n  This token sees no workspace "prd".\n  Did you mean prod?\n',
    })
  })

  test('neutralises untrusted text in every format', async () => {
    const hostile = '"::set-output name=x::y"'
    const cwd = seeded({
      'sets/a.yaml': `variableSets:\n  "::error::n": { workspaces: [prod], env: { A: ${hostile} } }\n`,
    })
    for (const format of ['text', 'markdown', 'json']) {
      const { stdout, code } = await run(['explain', 'prod', '--sandbox', '--format', format], { cwd, env })
      expect(code).toBe(0)
      expect(stdout).not.toMatch(/^\s*::/m)
    }
  })
})
