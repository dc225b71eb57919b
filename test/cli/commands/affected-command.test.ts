import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSandbox, type SandboxSeed } from '../../../src/sandbox/index.ts'
import type { Transport } from '../../../src/wire/transport.ts'
import { aDirectory, run } from '../../support/program.ts'
import { publishedSchema } from '../../support/published.ts'

const id = (prefix: string, number: number) => `${prefix}-${String(number).padStart(16, '0')}`
const [PAYMENTS, CORE] = [id('prj', 1), id('prj', 2)]

const SEED: SandboxSeed = {
  organizations: [{ name: 'acme' }],
  projects: [
    { id: PAYMENTS, name: 'payments' },
    { id: CORE, name: 'core' },
  ],
  workspaces: [
    { id: id('ws', 1), name: 'billing', project: 'payments' },
    {
      id: id('ws', 2),
      name: 'ledger',
      project: 'payments',
      variables: [{ key: 'REGION', value: 'own', category: 'env' }],
    },
    { id: id('ws', 3), name: 'web', project: 'core' },
  ],
  stacks: [{ id: id('st', 1), name: 'edge', project: 'payments' }],
  sets: [
    {
      id: id('varset', 1),
      name: 'region',
      projects: [PAYMENTS],
      variables: [{ key: 'REGION', value: 'eu-west-1', category: 'env' }],
    },
  ],
}

/** A service that tells nothing of workspaces, projects and Stacks. */
const withoutLookUps =
  (transport: Transport): Transport =>
  async (request, signal) =>
    /\/(workspaces|projects|stacks)(\?|\/[^/]*$|$)/.test(request.path)
      ? { status: 404, headers: {}, body: '{}' }
      : transport(request, signal)

const REGION = 'variableSets:\n  region: { projects: [payments], env: { REGION: eu-central-1 } }\n'

/** A repository and a service whose requests are logged. */
async function aPlace({ sets = REGION, seed = SEED }: { sets?: string; seed?: SandboxSeed } = {}) {
  const sandbox = await createSandbox({ seed })
  onTestFinished(() => sandbox.close())
  const log: string[] = []
  const transport: Transport = (request, signal) => {
    log.push(`${request.method} ${request.path}`)
    return sandbox.transport(request, signal)
  }
  const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n', 'sets/a.yaml': sets })
  const setpoint = (...argv: string[]) =>
    run([...argv, '--sandbox'], { cwd, io: { sandbox: { ...sandbox, transport } } })
  const local = (...argv: string[]) => run(argv, { cwd })
  return {
    cwd,
    sandbox,
    log,
    setpoint,
    local,
    write: (text: string) => writeFileSync(join(cwd, 'sets/a.yaml'), text),
  }
}

describe('setpoint affected', () => {
  test('lists all workspaces that may see a change, with the requests of a plan, and the list of Stacks', async () => {
    const { setpoint, log } = await aPlace()
    await setpoint('plan')
    const planned = log.splice(0)
    const { code, stdout, stderr } = await setpoint('affected')
    expect(log.toSorted()).toEqual([...planned, 'GET /api/v2/organizations/acme/stacks'].toSorted())
    expect({ code, lines: stdout.replace(/[0-9a-f]{12}/, 'DIGEST').split('\n'), stderr }).toEqual({
      code: 0,
      lines: [
        'setpoint affected DIGEST   acme   SANDBOX   4 reads',
        '2 workspaces and 1 Stack get other values, unless a workspace variable overrides.',
        '',
        '2 workspaces',
        '    billing     project payments',
        '    ledger      project payments',
        '  ~ env REGION  from region',
        '',
        '1 Stack',
        '    edge        project payments',
        '  ~ env REGION  from region',
        '',
      ],
      stderr: '',
    })
  })

  test('with --verify drops workspaces that see no change, and reads the variables of each candidate', async () => {
    const { setpoint, log } = await aPlace()
    const { code, stdout } = await setpoint('affected', '--verify')
    expect(code).toBe(0)
    expect(stdout).toContain(
      '1 workspace and 1 Stack get other values.\n\n1 workspace\n    billing     project payments\n',
    )
    expect(stdout).not.toMatch(/ledger/)
    expect(log.map(line => line.replace(/\?.*/, '')).toSorted()).toEqual([
      'GET /api/v2/organizations/acme/projects',
      'GET /api/v2/organizations/acme/stacks',
      'GET /api/v2/organizations/acme/varsets',
      'GET /api/v2/organizations/acme/workspaces',
      `GET /api/v2/workspaces/${id('ws', 1)}/vars`,
      `GET /api/v2/workspaces/${id('ws', 2)}/vars`,
    ])
  })

  test('keeps a workspace whose variables it may not read, and says so', async () => {
    const { cwd, sandbox } = await aPlace()
    const hidden: Transport = async (request, signal) =>
      /\/vars\?/.test(request.path) || request.path.endsWith('/vars')
        ? { status: 404, headers: {}, body: '{}' }
        : sandbox.transport(request, signal)
    const io = { sandbox: { ...sandbox, transport: hidden } }
    const { code, stdout } = await run(['affected', '--verify', '--sandbox'], { cwd, io })
    expect([code, stdout]).toEqual([0, expect.stringContaining('  ledger      project payments\n')])
    expect(stdout).toContain(
      '2 workspaces in the list cannot be verified: their variables are not shown to this token.\n',
    )
    const { stdout: json } = await run(['affected', '--verify', '--sandbox', '--format', 'json'], { cwd, io })
    expect(JSON.parse(json)).toMatchObject({ verified: true, unread: [id('ws', 1), id('ws', 2)] })
  })

  test('fails if the service does not tell who is affected', async () => {
    const sets = REGION.replace('payments', PAYMENTS)
    const { cwd, sandbox, write } = await aPlace({ sets })
    const io = { sandbox: { ...sandbox, transport: withoutLookUps(sandbox.transport) } }
    for (const format of ['text', 'json', 'ids', 'matrix']) {
      const { code, stdout, stderr } = await run(['affected', '--sandbox', '--format', format], { cwd, io })
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toBe(
        [
          'error unknown-audience',
          `  The plan changes what the workspaces of ${PAYMENTS} receive, but the service does not show this token all of them.`,
          '  Use a token that may read the workspaces, projects and Stacks of the organization.',
          '',
        ].join('\n'),
      )
    }
    const said = async () => (await run(['affected', '--sandbox'], { cwd, io })).stderr
    write(`variableSets:\n  wide: { global: true, env: { A: "1" } }\n`)
    expect(await said()).toContain('The plan changes what all workspaces receive')
    write(
      `variableSets:\n  region: { projects: [${PAYMENTS}], stacks: [${id('st', 1)}], env: { REGION: x } }\n`,
    )
    expect(await said()).toContain('The plan changes what Stacks may read')
  })

  test('is empty if nothing changes', async () => {
    const { setpoint } = await aPlace({ sets: REGION.replace('central', 'west') })
    const { code, stdout } = await setpoint('affected')
    expect([code, stdout.split('\n')[1]]).toEqual([0, 'No workspace and no Stack gets another value.'])
    expect(await setpoint('affected', '--format', 'ids')).toMatchObject({ code: 0, stdout: '' })
    expect(await setpoint('affected', '--format', 'matrix')).toEqual({
      code: 0,
      stdout: '{"include":[]}\n',
      stderr: '',
    })
  })
})

describe('formats for programs', () => {
  test('JSON matches the schema, and is the same for a saved plan', async () => {
    const { setpoint, local, cwd } = await aPlace()
    const { stdout } = await setpoint('affected', '--format', 'json')
    const schema = publishedSchema('affected')
    const validate = new Ajv2020({ strict: true }).compile(schema)
    expect(validate(JSON.parse(stdout)) || validate.errors).toBe(true)
    expect(schema.examples.every((example: unknown) => validate(example))).toBe(true)
    await setpoint('plan', '--out', 'plan.json', '--format', 'json')
    expect((await local('affected', 'plan.json', '--format', 'json')).stdout).toBe(stdout)
    expect((await run(['affected', 'plan.json', '--format', 'ids'], { cwd })).stdout).toBe(
      `${id('ws', 1)}\n${id('ws', 2)}\n${id('st', 1)}\n`,
    )
  })

  test('a matrix is one line, with a job for each workspace', async () => {
    const { setpoint } = await aPlace()
    const { code, stdout, stderr } = await setpoint('affected', '--format', 'matrix')
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `${JSON.stringify({
        include: [
          { id: id('ws', 1), project: 'payments', workspace: 'billing' },
          { id: id('ws', 2), project: 'payments', workspace: 'ledger' },
        ],
      })}\n`,
      stderr: `1 Stack not in the matrix: a matrix has workspaces only.\n`,
    })
  })

  test('more workspaces than GitHub runs jobs are an error, and the documented command makes several matrices', async () => {
    const many = Array.from({ length: 300 }, (_, at) => ({ id: id('ws', at + 1), name: `w-${at + 1}` }))
    const seed = { organizations: [{ name: 'acme' }], workspaces: many }
    const { setpoint } = await aPlace({
      seed,
      sets: 'variableSets:\n  wide: { global: true, env: { A: "1" } }\n',
    })
    expect(await setpoint('affected', '--format', 'matrix')).toEqual({
      code: 1,
      stdout: '',
      stderr: [
        'error bad-usage',
        '  300 workspaces do not fit into one matrix: GitHub runs at most 256 jobs for it.',
        '  Make several matrices from --format json: docs/workspaces.md#formats has the command.',
        '',
      ].join('\n'),
    })
    const { stdout: list } = await setpoint('affected', '--format', 'json')
    const page = readFileSync(join(import.meta.dirname, '../../../docs/workspaces.md'), 'utf8')
    const commands = [...page.matchAll(/^jq -c '([^']+)' affected\.json$/gm)].map(([, filter = '']) => filter)
    const jobs = commands.map(
      filter => JSON.parse(execFileSync('jq', ['-c', filter], { input: list, encoding: 'utf8' })).include,
    )
    expect(jobs.map(({ length }) => length)).toEqual([256, 44])
    expect(new Set(jobs.flat().map(({ id }) => id)).size).toBe(300)
    const [, enough = ''] = /`jq -e '([^']+)' affected\.json`/.exec(page) ?? []
    expect(execFileSync('jq', ['-e', enough], { input: list, encoding: 'utf8' })).toBe('true\n')
  })

  test('untrusted names stay inside their string', async () => {
    const name = '::error::x'
    const seed = { ...SEED, workspaces: [{ id: id('ws', 1), name, project: 'payments' }] }
    const { setpoint } = await aPlace({ seed })
    for (const format of ['text', 'json', 'ids', 'matrix'])
      expect((await setpoint('affected', '--verify', '--format', format)).stdout).not.toMatch(/^\s*::/m)
    const { stdout } = await setpoint('affected', '--verify', '--format', 'matrix')
    expect(JSON.parse(stdout).include).toEqual([{ id: id('ws', 1), project: 'payments', workspace: name }])
  })
})

describe('invalid combinations', () => {
  test('flags that change the plan cannot be combined with a plan file, and all of them are reported', async () => {
    const { setpoint, local } = await aPlace()
    await setpoint('plan', '--out', 'plan.json')
    const { code, stdout, stderr } = await local(
      'affected',
      'plan.json',
      '--verify',
      '--only',
      'x',
      '--base',
      'main',
    )
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr.match(/cannot be combined/g)).toHaveLength(3)
    expect(stderr).toContain('Run setpoint affected --verify before the apply.')
  })

  test('a file that is no plan is refused', async () => {
    const { local, cwd } = await aPlace()
    writeFileSync(join(cwd, 'no.json'), '{}')
    expect((await local('affected', 'no.json')).code).toBe(4)
    expect((await local('affected', 'nowhere.json')).code).toBe(1)
  })
})

describe('edge cases', () => {
  test('a workspace with more than 100 variables is read page by page', async () => {
    const own = Array.from({ length: 150 }, (_, at) => ({ key: `Z${at}`, value: 'x', category: 'env' }))
    const variables = [...own, { key: 'REGION', value: 'own', category: 'env' }]
    const workspaces = [{ id: id('ws', 1), name: 'billing', project: 'payments', variables }]
    const { setpoint, log } = await aPlace({ seed: { ...SEED, workspaces, stacks: [] } })
    const { stdout } = await setpoint('affected', '--verify', '--format', 'ids')
    expect(stdout).toBe('')
    expect(log.filter(line => /\/vars(\?|$)/.test(line))).toHaveLength(2)
  })

  test('a plan that a rule forbids has no list of workspaces', async () => {
    const { setpoint, cwd } = await aPlace()
    mkdirSync(join(cwd, 'rules'))
    writeFileSync(
      join(cwd, 'rules/no.yaml'),
      'rules:\n  no-region:\n    for: variable\n    level: error\n    require: variable.key != "REGION"\n    message: No regions.\n',
    )
    const { code, stdout, stderr } = await setpoint('affected')
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('No regions.')
  })

  test('a plan from a snapshot without unmanaged sets has no list, because workspaces may be missing', async () => {
    const { setpoint, local, write } = await aPlace({
      seed: { ...SEED, sets: [...(SEED.sets ?? []), { name: 'of others', workspaces: [id('ws', 1)] }] },
    })
    await setpoint('snapshot', '--out', 'snapshot.json')
    write(REGION.replace('central', 'north'))
    await local('plan', '--snapshot', 'snapshot.json', '--out', 'plan.json')
    for (const format of ['ids', 'text', 'json', 'matrix']) {
      const { code, stdout, stderr } = await local('affected', 'plan.json', '--format', format)
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain('error unknown-audience\n  "plan.json" was planned from a snapshot')
    }
  })

  test('a signal while variables are read ends the command, and nothing is printed', async () => {
    const { cwd, sandbox } = await aPlace()
    const stop = new AbortController()
    const transport: Transport = async (request, signal) => {
      if (request.path.includes('/vars?') || request.path.endsWith('/vars')) stop.abort()
      return await sandbox.transport(request, signal)
    }
    const { code, stdout } = await run(['affected', '--verify', '--sandbox'], {
      cwd,
      stop,
      io: { sandbox: { ...sandbox, transport } },
    })
    expect([code, stdout]).toEqual([130, ''])
  })
})
