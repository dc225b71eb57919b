import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.ts'
import type { Transport } from '../../src/wire/transport.ts'
import { aDirectory, run } from '../support/program.ts'

const FILES = {
  'setpoint.yaml': 'organization: acme\n',
  'directory.yaml': [
    'organization: acme',
    'workspaces:',
    '  prod: { id: ws-0000000000000001, project: core }',
    'projects: { core: prj-0000000000000001 }',
    '',
  ].join('\n'),
  'sets/a.yaml': [
    'variableSets:',
    '  wide: { global: true, env: { A: wide, G: "1" } }',
    '  near: { workspaces: [prod], env: { A: near, S: { secret: S } } }',
    '  over: { projects: [core], priority: true, env: { A: over } }',
    '',
  ].join('\n'),
}

describe('setpoint explain', () => {
  test('shows the variables that the files will give before the first apply, the strongest first', async () => {
    const { code, stdout } = await run(['explain', 'prod', '--sandbox', '--from', 'files'], {
      cwd: aDirectory(FILES),
    })
    expect({ code, lines: stdout.split('\n') }).toEqual({
      code: 0,
      lines: [
        'setpoint explain prod   acme @ SANDBOX   project core   6 reads, 0 writes',
        'After the files are applied: 3 variables.',
        '',
        '  env A  over      over (priority, its project, rank 2)',
        '         shadows near of near (the workspace, rank 11): has no priority',
        '         shadows wide of wide (global, rank 13): has no priority',
        '  env G  1         wide (global, rank 13)',
        '  env S  (secret)  near (the workspace, rank 11)',
        '',
      ],
    })
  })

  test('uses the name that the service has for a workspace, whatever the directory file says', async () => {
    const sandbox = await createSandbox()
    onTestFinished(() => sandbox.close())
    const cwd = aDirectory(FILES)
    const explain = (word: string, io = { sandbox }) => run(['explain', word, '--sandbox'], { cwd, io })
    await explain('prod')
    writeFileSync(
      join(cwd, 'directory.yaml'),
      FILES['directory.yaml']
        .replace('prod:', 'test:')
        .replace('{ core:', '{ kore:')
        .replace('project: core', 'project: kore'),
    )
    const named = await explain('test')
    expect([named.code, named.stdout]).toEqual([1, ''])
    expect(named.stderr).toContain(
      'The directory file gives "test" the id ws-0000000000000001, but the service calls that workspace "prod".',
    )
    writeFileSync(join(cwd, 'sets/a.yaml'), 'variableSets: {}\n')
    expect((await explain('ws-0000000000000001')).stdout).toMatch(/^setpoint explain prod .* project core /)
    const hidden: Transport = async (request, signal) =>
      /\/(?:workspaces|projects)(?:\/ws-\w+)?$/.test(request.path)
        ? { status: 404, headers: {}, body: '{}' }
        : sandbox.transport(request, signal)
    const { stdout } = await explain('test', { sandbox: { ...sandbox, transport: hidden } })
    expect(stdout).toMatch(/^setpoint explain test .* project prj-0000000000000001 /)
    expect(stdout).toContain('The name comes from the directory file')
  })

  test('prints JSON that matches the schema', async () => {
    const { stdout } = await run(['explain', 'prod', '--sandbox', '--format', 'json'], {
      cwd: aDirectory(FILES),
    })
    const schema = JSON.parse(
      readFileSync(join(import.meta.dirname, '../../schemas/explanation.schema.json'), 'utf8'),
    )
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
    const cwd = aDirectory(FILES)
    expect(await run(['explain', '--sandbox'], { cwd })).toMatchObject({ code: 1, stdout: '' })
    const { code, stderr } = await run(['explain', 'prd', '--sandbox'], { cwd })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'error unknown-name\n  This token sees no workspace "prd".\n  Did you mean "prod"?\n',
    })
  })

  test('neutralises untrusted text in every format', async () => {
    const hostile = '"::set-output name=x::y"'
    const cwd = aDirectory({
      ...FILES,
      'sets/a.yaml': `variableSets:\n  "::error::n": { workspaces: [prod], env: { A: ${hostile} } }\n`,
    })
    for (const format of ['text', 'markdown', 'json']) {
      const { stdout, code } = await run(['explain', 'prod', '--sandbox', '--format', format], { cwd })
      expect(code).toBe(0)
      expect(stdout).not.toMatch(/^\s*::/m)
    }
  })
})
