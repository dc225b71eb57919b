import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { aPlace, ONE, type Place, REFUSED, SILENT } from '../support/place.ts'
import { aDirectory, run } from '../support/program.ts'
import { publishedSchema, SCHEMAS, schemaFile } from '../support/published.ts'

const formOf = (name: string): ValidateFunction =>
  new Ajv2020({ allErrors: true, strict: false }).compile(publishedSchema(name))

function expectForm(form: ValidateFunction, value: unknown): void {
  form(value)
  expect(form.errors).toBeNull()
}

const MANY = `variableSets:
  new:
    global: true
    priority: true
    description: New.
    env: { A: 1, S: { secret: S } }
    terraform: { L: { data: [1, two] } }
  changed:
    workspaces: [w]
    projects: [p]
    env: { A: 2, S: { secret: S }, R: { secret: R }, X: { external: true } }
removed: [gone]
`
const BEFORE = [
  { name: 'gone', projects: ['p'], variables: [{ key: 'T', category: 'env', value: 't', sensitive: true }] },
  {
    name: 'changed',
    workspaces: ['x'],
    variables: [
      { key: 'A', category: 'env', value: '1' },
      { key: 'R', category: 'env', value: 'readable' },
      { key: 'OLD', category: 'env', value: 'o' },
    ],
  },
  { name: 'theirs', variables: [] },
]
const SECRETS = { SETPOINT_SECRET_S: 's1', SETPOINT_SECRET_R: 'r1' }

const rich = (): Promise<Place> =>
  aPlace(
    { 'setpoint.yaml': 'organization: acme\nguards: { protect: [gone] }\n', 'sets/many.yaml': MANY },
    { sets: BEFORE },
  )
const approval = async (place: Place): Promise<string> =>
  JSON.parse((await place.setpoint(['plan', '--format', 'json'])).stdout).digest

describe('json', () => {
  const report = formOf('report')

  test('of plan and drift matches the schema of reports', async () => {
    const place = await rich()
    for (const command of ['plan', 'drift']) {
      const value = JSON.parse((await place.setpoint([command, '--format', 'json'])).stdout)
      expectForm(report, value)
      expect(value).toMatchObject({ kind: command, organization: 'acme', blocked: true })
    }
  })

  test('of a successful apply matches it as well', async () => {
    const place = await rich()
    const argv = ['apply', '--approve', await approval(place), '--format', 'json']
    const { code, stdout } = await place.setpoint(argv, { env: SECRETS })
    const value = JSON.parse(stdout)
    expectForm(report, value)
    expect(value).toMatchObject({ kind: 'apply', exitCode: code, closing: { state: 'equal' } })
    expect(code).toBe(0)
  })

  test('of a partly failed apply matches it as well', async () => {
    const place = await aPlace(
      {
        'sets/a.yaml': `variableSets: { ${REFUSED}, b: {} }\n`,
      },
      SILENT,
    )
    const { code, stdout } = await place.setpoint(['apply', '--auto-approve', '--format', 'json'])
    const value = JSON.parse(stdout)
    expectForm(report, value)
    expect(value).toMatchObject({
      kind: 'apply',
      exitCode: code,
      closing: { state: 'differs' },
      results: [
        { id: 'create-set a', status: 'failed' },
        { id: 'create-set b', status: 'succeeded' },
      ],
    })
    expect(code).toBe(3)
  })

  test('contains the plan if the apply is refused', async () => {
    const place = await aPlace(ONE)
    const { stdout, stderr } = await place.setpoint(['apply', '--format', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'plan', requests: { reads: 2, writes: 1 } })
    expect(stderr).toContain('There is no terminal to ask for confirmation.')
  })

  test('with a digest of the wrong type does not match the schema', async () => {
    const place = await aPlace(ONE)
    const value = JSON.parse((await place.setpoint(['plan', '--format', 'json'])).stdout)
    expect(report({ ...value, digest: 7 })).toBe(false)
  })
})

describe('a saved plan', () => {
  test('matches its schema', async () => {
    const place = await rich()
    await place.setpoint(['plan', '--out', 'plan.json'])
    const value = JSON.parse(readFileSync(join(place.cwd, 'plan.json'), 'utf8'))
    const plan = formOf('plan')
    expectForm(plan, value)
    expect(plan({ ...value, force: true })).toBe(false)
  })
})

describe('text and markdown', () => {
  test('text is the default, without colour if stdout is no terminal', async () => {
    const place = await rich()
    const { stdout } = await place.setpoint(['plan'])
    expect(stdout).toMatch(/^setpoint plan [0-9a-f]{12} {3}acme {3}http:\/\/127\.0\.0\.1:\d+ {3}4 reads\n/)
    expect(stdout).not.toContain('\u001b')
    expect((await place.setpoint(['plan', '--format', 'text'])).stdout).toBe(stdout)
  })

  test('--color and --no-color take precedence over the terminal and the environment', async () => {
    const place = await aPlace(ONE)
    const colored = await place.setpoint(['plan', '--color'], { env: { NO_COLOR: '1' } })
    const plain = await place.setpoint(['plan', '--no-color'], { env: { FORCE_COLOR: '1' } })
    const forced = await place.setpoint(['plan'], { env: { FORCE_COLOR: '1' } })
    expect(colored.stdout).toContain('\u001b[')
    expect(plain.stdout).not.toContain('\u001b')
    expect(forced.stdout).toBe(colored.stdout)
  })

  test('markdown begins with the marker by which a comment is found', async () => {
    const place = await rich()
    const { stdout } = await place.setpoint(['plan', '--format', 'markdown'])
    expect(stdout).toMatch(/^<!-- setpoint:acme -->\n### Setpoint plan acme: /)
    expect(stdout).toContain(' · blocked: approval needed\n')
  })
})

describe('validate', () => {
  const form = formOf('validation')
  const setpoint = 'organization: acme\n'
  const wrong = { 'setpoint.yaml': setpoint, 'sets/a.yaml': 'variableSets:\n  a:\n    enviroment: {}\n' }
  const doubtful = {
    'setpoint.yaml': setpoint,
    'sets/a.yaml': 'variableSets:\n  a:\n    global: true\n    workspaces: [w]\n    env: { A: 1 }\n',
  }

  test('--format json prints one document, for valid and invalid files', async () => {
    const bad = await run(['validate', '--format', 'json'], { cwd: aDirectory(wrong) })
    expect({ ...bad, stdout: JSON.parse(bad.stdout) }).toMatchObject({
      code: 1,
      stderr: '',
      stdout: {
        valid: false,
        diagnostics: [{ code: 'unknown-key', source: { path: 'sets/a.yaml', line: 3 } }],
      },
    })
    expectForm(form, JSON.parse(bad.stdout))
    const good = await run(['validate', '--format', 'json'], { cwd: aDirectory(doubtful) })
    expect({ ...good, stdout: JSON.parse(good.stdout) }).toMatchObject({
      code: 0,
      stderr: '',
      stdout: {
        valid: true,
        organization: 'acme',
        sets: 1,
        variables: 1,
        files: 2,
        accepted: 0,
        diagnostics: [{ severity: 'warning', code: 'global-with-assignments' }],
      },
    })
    expectForm(form, JSON.parse(good.stdout))
  })

  test('--quiet prints only errors', async () => {
    expect(await run(['validate', '--quiet'], { cwd: aDirectory(doubtful) })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
    const bad = await run(['validate', '--quiet'], { cwd: aDirectory(wrong) })
    expect([bad.code, bad.stdout]).toEqual([1, ''])
    expect(bad.stderr).toMatch(/^sets\/a.yaml:3:5 {2}error unknown-key\n/)
  })

  test('both work with several configurations', async () => {
    const under = (name: string, files: Readonly<Record<string, string>>) =>
      Object.entries(files).map(([path, text]) => [`orgs/${name}/${path}`, text])
    const cwd = aDirectory(Object.fromEntries([...under('a', doubtful), ...under('b', wrong)]))
    const all = ['validate', '--config', 'orgs/*/setpoint.yaml']
    const { code, stdout } = await run([...all, '--format', 'json'], { cwd })
    expect([code, JSON.parse(stdout).parts]).toMatchObject([
      1,
      [{ validation: { valid: true } }, { validation: { valid: false } }],
    ])
    for (const { validation } of JSON.parse(stdout).parts) expectForm(form, validation)
    expect((await run([...all, '--quiet'], { cwd })).stdout).toBe('')
    expect(await run(['validate', '--config', 'orgs/a*/setpoint.yaml', '--quiet'], { cwd })).toEqual({
      code: 0,
      stdout: '',
      stderr: '',
    })
  })

  test('accepted warnings are counted and not printed, also for the output of --resolved', async () => {
    const accepting = doubtful['sets/a.yaml'].replace(
      'global: true',
      'global: true\n    accept: [global-with-assignments]',
    )
    const cwd = aDirectory({ ...doubtful, 'sets/a.yaml': accepting })
    expect(await run(['validate'], { cwd })).toEqual({
      code: 0,
      stdout: 'Valid: 1 set, 1 variable in 2 files. 1 warning accepted.\n',
      stderr: '',
    })
    const { stdout } = await run(['validate', '--resolved'], { cwd })
    writeFileSync(join(cwd, 'sets/a.yaml'), stdout)
    const again = await run(['validate', '--format', 'json'], { cwd })
    expect(JSON.parse(again.stdout)).toMatchObject({ accepted: 1, diagnostics: [] })
    const plan = await run(['plan', '--sandbox', '--quiet', '--format', 'json'], { cwd })
    // Rules see it; no step and no digest has it.
    const { planned: _, ...rest } = JSON.parse(plan.stdout)
    expect([plan.code, plan.stderr, JSON.stringify(rest).includes('"accept"')]).toEqual([0, '', false])
  })

  test('--resolved cannot be combined with --format json', async () => {
    const { code, stderr } = await run(['validate', '--resolved', '--format', 'json'], {
      cwd: aDirectory(doubtful),
    })
    expect([code, stderr]).toEqual([1, expect.stringContaining('bad-usage')])
  })
})

describe('schema', () => {
  const names = readdirSync(SCHEMAS)
    .map(name => name.replace('.schema.json', ''))
    .toSorted()

  test('lists every published schema', async () => {
    const { stdout } = await run(['schema'], { cwd: SCHEMAS })
    expect(stdout).toBe(`${names.join('\n')}\n`)
    expect(names).toEqual([
      'affected',
      'cases',
      'explanation',
      'failure',
      'groups',
      'key-explanation',
      'plan',
      'report',
      'rules',
      'setpoint',
      'sets',
      'several',
      'snapshot',
      'tests',
      'validation',
    ])
  })

  test.each(names)('prints the published schema %s', async name => {
    const { stdout } = await run(['schema', name], { cwd: SCHEMAS })
    expect(stdout).toBe(readFileSync(schemaFile(name), 'utf8'))
  })
})
