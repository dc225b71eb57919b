import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { FORMATS } from '../../src/report/formats.ts'
import { routes } from '../forge/routes.ts'
import { foreignIn } from '../report/parsers.ts'
import { aPlace, ONE } from '../support/place.ts'
import { aDirectory, run } from '../support/program.ts'
import { publishedSchema } from '../support/published.ts'

/** What is wrong with a document, by a published schema. */
function problemsOf(name: string, document: unknown): unknown {
  const [schema, ...others] = [
    name,
    ...['report', 'failure', 'validation'].filter(other => other !== name),
  ].map(publishedSchema)
  const validate = new Ajv2020({ strict: true }).addSchema(others).compile(schema ?? {})
  validate(document)
  return validate.errors ?? null
}

const OWNED = 'organization: acme\nowner: "network" # who we are\n'

test('a plan that fails writes the error to its report, with the marker of the comment', async () => {
  const cwd = aDirectory({ 'setpoint.yaml': OWNED, 'sets/a.yaml': 'variableSets: { a: { envv: {} } }\n' })
  const { code } = await run(['plan', '--sandbox', '--report', 'markdown=plan.md'], { cwd })
  expect(code).toBe(1)
  expect(readFileSync(join(cwd, 'plan.md'), 'utf8')).toMatch(
    new RegExp(
      [
        '^<!-- setpoint:acme/network -->',
        '### Setpoint plan acme/network: The plan failed',
        '',
        '> \\[!CAUTION\\]',
        '> - \\*\\*error\\*\\* `sets/a\\.yaml:1:22` unknown-key',
        '> {3}- `"envv" is not a known key here\\.`',
        '> {3}- `Did you mean "env"\\?.*`',
        '',
        'exit 1',
        '$',
      ].join('\n'),
    ),
  )
})

const PIPELINE = {
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/sets',
  GITHUB_SHA: 'b'.repeat(40),
}

test('the report links to each mistake if repository and commit are known', async () => {
  const cwd = aDirectory({
    'setpoint.yaml': OWNED,
    'sets/[a](b).yaml': 'variableSets: { a: { envv: {}, envw: {} } }\n',
  })
  const env = PIPELINE
  expect((await run(['plan', '--sandbox', '--report', 'markdown=plan.md'], { cwd, env })).code).toBe(1)
  const links = readFileSync(join(cwd, 'plan.md'), 'utf8').match(/\[`.*\)/g)
  const at = `https://github.com/acme/sets/blob/${PIPELINE.GITHUB_SHA}/sets`
  expect(links).toEqual([
    `[\`sets/[a](b).yaml:1:22\`](${at}/%5Ba%5D%28b%29.yaml#L1)`,
    `[\`sets/[a](b).yaml:1:32\`](${at}/%5Ba%5D%28b%29.yaml#L1)`,
  ])
})

test('the comment of a saved plan has links to the files', async () => {
  const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n', ...ONE })
  await run(['plan', '--sandbox', '--out', 'plan.json'], { cwd })
  const forge = await routes('t', () => ({
    'GET /repos/acme/sets/issues/7/comments': [],
    'POST /repos/acme/sets/issues/7/comments': { status: 201, body: {} },
  }))
  const env = { ...PIPELINE, GITHUB_API_URL: forge.url, GITHUB_TOKEN: 't' }
  expect((await run(['comment', 'plan.json', '--number', '7'], { cwd, env })).code).toBe(0)
  expect(forge.comments()[0]).toContain(
    `](https://github.com/acme/sets/blob/${PIPELINE.GITHUB_SHA}/sets/a.yaml#L1)`,
  )
})

test('the report on an unreadable configuration has the marker of any organization', async () => {
  const cwd = aDirectory({ 'setpoint.yaml': 'organisation: [\n' })
  expect((await run(['plan', '--sandbox', '--report', 'markdown=plan.md'], { cwd })).code).toBe(1)
  expect(readFileSync(join(cwd, 'plan.md'), 'utf8')).toMatch(
    /^<!-- setpoint:\* -->\n### Setpoint plan: The plan failed\n/,
  )
})

test('a failed plan is appended to the step summary', async () => {
  const cwd = aDirectory({ 'setpoint.yaml': OWNED, 'sets/a.yaml': 'variableSets: []\n', summary: 'before\n' })
  const env = { GITHUB_STEP_SUMMARY: join(cwd, 'summary') }
  const argv = ['plan', '--sandbox', '--report', `markdown=${cwd}/summary`]
  expect((await run(argv, { cwd, env })).code).toBe(1)
  expect(readFileSync(join(cwd, 'summary'), 'utf8')).toMatch(
    /^before\n\n<!-- setpoint:acme\/network -->\n### Setpoint plan acme\/network: The plan failed/,
  )
})

test('the report of a refused apply shows the plan, and why nothing was applied', async () => {
  const place = await aPlace(ONE)
  const { code, stderr } = await place.setpoint([
    'apply',
    '--approve',
    'f'.repeat(64),
    '--report',
    'markdown=applied.md',
  ])
  expect(code).toBe(4)
  const report = readFileSync(join(place.cwd, 'applied.md'), 'utf8')
  expect(report).toContain(
    '### Setpoint plan acme: Nothing was applied; planned: 1 set is created: 1 request\n',
  )
  expect(report).toContain('> - **error** refused\n')
  for (const line of stderr.trimEnd().split('\n').slice(1)) expect(report).toContain(line.trim())
  expect(report).toContain('| + | `a` |')
})

test('untrusted text in an error message stays code', async () => {
  const cwd = aDirectory({ 'setpoint.yaml': OWNED, 'sets/a.yaml': '"```\\n@everyone <img>": 1\n' })
  expect((await run(['plan', '--sandbox', '--report', 'markdown=plan.md'], { cwd })).code).toBe(1)
  const report = readFileSync(join(cwd, 'plan.md'), 'utf8')
  expect(report).toContain('@everyone')
  expect(foreignIn(report)).toEqual([])
})

const REPORTS = FORMATS.flatMap(kind => ['--report', `${kind}=report.${kind}`])
const reportsIn = (cwd: string) =>
  Object.fromEntries(FORMATS.map(kind => [kind, readFileSync(join(cwd, `report.${kind}`), 'utf8')]))

test.each([
  ['plan', 'The plan failed'],
  ['apply', 'Nothing was applied'],
  ['drift', 'The check for drift failed'],
] as const)(
  'a %s that fails has a report of every kind, with code, place and hint',
  async (command, headline) => {
    const place = await aPlace({ ...ONE, 'sets/b.yaml': 'variableSets: { b: { envv: {} } }\n' })
    const { code, stdout } = await place.setpoint([command, ...REPORTS, '--format', 'json'])
    expect(code).toBe(1)
    expect(problemsOf('failure', JSON.parse(stdout))).toBeNull()
    const { run: made, ...document } = JSON.parse(stdout)
    expect(made.version).toBe('0.0.0-test')
    expect(document).toEqual({
      format: '1.0',
      kind: 'failure',
      command,
      exitCode: 1,
      organization: 'acme',
      diagnostics: [
        {
          severity: 'error',
          code: 'unknown-key',
          message: expect.stringContaining('envv'),
          hint: expect.any(String),
          source: { path: 'sets/b.yaml', line: 1, column: 22 },
        },
      ],
    })
    const { text = '', markdown = '', html = '', json, gitlab } = reportsIn(place.cwd)
    expect(json).toBe(stdout)
    for (const words of [headline, 'unknown-key', 'sets/b.yaml:1', 'envv'])
      for (const shown of [text, markdown, html]) expect(shown).toContain(words)
    expect(
      text.startsWith(`setpoint ${command}   acme\n${headline}\n  error  sets/b.yaml:1:22  unknown-key\n`),
    ).toBe(true)
    expect(text.endsWith('exit 1\n')).toBe(true)
    // GitLab requires these numbers, and its widget says that the report failed.
    expect(JSON.parse(gitlab ?? '')).toEqual({ errors: ['unknown-key'] })
  },
)

test('a refused token is reported, without the token', async () => {
  const place = await aPlace(ONE)
  const { code } = await place.setpoint(['drift', ...REPORTS], { env: { SETPOINT_TOKEN: 'canary-token-x' } })
  expect(code).toBe(1)
  const { json = '', ...others } = reportsIn(place.cwd)
  expect(JSON.parse(json).diagnostics).toMatchObject([
    { code: 'service-failure', message: expect.stringContaining('(401)'), hint: expect.any(String) },
  ])
  expect(json + Object.values(others).join('')).not.toContain('canary')
})

test('an interrupted run has a report of every kind', async () => {
  const place = await aPlace(ONE)
  const stop = new AbortController()
  stop.abort()
  const { code } = await place.setpoint(['plan', ...REPORTS], { stop })
  expect(code).toBe(130)
  const { json = '', text, markdown, html } = reportsIn(place.cwd)
  expect(JSON.parse(json)).toMatchObject({ kind: 'failure', exitCode: 130, diagnostics: [] })
  for (const report of [text, markdown, html]) expect(report).toContain('exit 130: interrupted')
})

test('a refused apply reports its plan with the exit code and the reason, in every kind', async () => {
  const place = await aPlace(ONE)
  const { code } = await place.setpoint(['apply', ...REPORTS])
  expect(code).toBe(4)
  const { json = '', text, markdown, html, gitlab } = reportsIn(place.cwd)
  expect(JSON.parse(json)).toMatchObject({ kind: 'plan', exitCode: 4, diagnostics: [{ code: 'refused' }] })
  for (const report of [text, markdown, html]) expect(report).toContain('refused')
  expect(html).toContain('Nothing was applied')
  expect(JSON.parse(gitlab ?? '')).toEqual({ create: 1, update: 0, delete: 0 })
})

test('a report never replaces a reviewed plan, and nothing is written where two flags name one file', async () => {
  const place = await aPlace(ONE)
  await place.setpoint(['plan', '--out', 'plan.json'])
  const plan = readFileSync(join(place.cwd, 'plan.json'), 'utf8')
  const argv = ['apply', 'plan.json', '--report', 'json=plan.json', '--report', 'markdown=other.md']
  expect((await place.setpoint(argv)).code).toBe(1)
  expect(readFileSync(join(place.cwd, 'plan.json'), 'utf8')).toBe(plan)
})

test('of several organizations, each failure is in the one report', async () => {
  const cwd = aDirectory({
    'orgs/a/setpoint.yaml': 'organization: a\n',
    'orgs/a/sets/a.yaml': 'variableSets: { a: { envv: {} } }\n',
    'orgs/b/setpoint.yaml': 'organization: b\n',
    'orgs/b/sets/b.yaml': 'variableSets: { b: { env: { B: 1 } } }\n',
  })
  const argv = ['plan', '--sandbox', '--config', 'orgs/*/setpoint.yaml', ...REPORTS]
  expect((await run(argv, { cwd })).code).toBe(1)
  const { json = '', text, markdown, html, gitlab } = reportsIn(cwd)
  const document = JSON.parse(json)
  expect(problemsOf('several', document)).toBeNull()
  expect(document.parts).toMatchObject([
    { exitCode: 1, report: { kind: 'failure', organization: 'a', diagnostics: [{ code: 'unknown-key' }] } },
    { exitCode: 0, report: { kind: 'plan' } },
  ])
  for (const report of [text, markdown, html]) expect(report).toContain('unknown-key')
  expect(JSON.parse(gitlab ?? '')).toEqual({ create: 1, update: 0, delete: 0 })
})

test.each([
  ['refused', ['--approve', ['1', '2'].map(one => one.repeat(64)).join()], 4],
  ['without changes', ['--auto-approve'], 0],
])('an apply of several organizations is called so if each is %s', async (_, consent, code) => {
  const orgs = ['a', 'b'].flatMap(org => [
    [`orgs/${org}/setpoint.yaml`, `organization: ${org}\n`],
    [`orgs/${org}/sets/a.yaml`, 'variableSets: { a: { env: { A: 1 } } }\n'],
  ])
  const cwd = aDirectory(Object.fromEntries(orgs))
  const where = ['--sandbox', '--config', 'orgs/*/setpoint.yaml']
  if (code === 0) expect((await run(['apply', ...where, '--auto-approve'], { cwd })).code).toBe(0)
  const applied = await run(['apply', ...where, ...consent, ...REPORTS], { cwd })
  expect(applied.code).toBe(code)
  expect(applied.stdout).toContain('\nsetpoint apply   2 organizations\n')
  const { text, markdown } = reportsIn(cwd)
  expect(text).toMatch(/^setpoint apply {3}2 organizations\n/m)
  expect(text ?? '').not.toMatch(/planned: .*planned: /)
  expect(markdown).toContain('### Setpoint apply 2 organizations')
})
