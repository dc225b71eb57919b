import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { routes } from '../forge/routes.ts'
import { aDirectory, run } from '../support/program.ts'
import { aPlace, ONE } from './place.ts'

const OWNED = 'organization: acme\nowner: "network" # who we are\n'

test('a plan that fails writes the error to its report, with the marker of the comment', async () => {
  const cwd = aDirectory({ 'setpoint.yaml': OWNED, 'sets/a.yaml': 'variableSets: { a: { envv: {} } }\n' })
  const { code, stderr } = await run(['plan', '--sandbox', '--report', 'markdown=plan.md'], { cwd })
  expect(code).toBe(1)
  const report = readFileSync(join(cwd, 'plan.md'), 'utf8')
  expect(report).toBe(
    `<!-- setpoint:acme/network -->\n### Setpoint: the plan failed\n\n\`\`\`text\n${stderr.trimEnd()}\n\`\`\`\n`,
  )
  expect(report).toContain('envv')
})

const PIPELINE = {
  GITHUB_SERVER_URL: 'https://github.com',
  GITHUB_REPOSITORY: 'acme/sets',
  GITHUB_SHA: 'b'.repeat(40),
}

test('the report links to each mistake once, up to twenty, if repository and commit are known', async () => {
  const many = Array.from({ length: 25 }, (_, at) => `  s${at}: { envv: {} }\n`).join('')
  const cwd = aDirectory({
    'setpoint.yaml': OWNED,
    'sets/[a](b).yaml': 'variableSets: { a: { envv: {}, envw: {} } }\n',
    'sets/b.yaml': `variableSets:\n${many}`,
  })
  const env = PIPELINE
  expect((await run(['plan', '--sandbox', '--report', 'markdown=plan.md'], { cwd, env })).code).toBe(1)
  const links = readFileSync(join(cwd, 'plan.md'), 'utf8').trimEnd().split('\n').at(-1)?.split(' · ') ?? []
  const at = `https://github.com/acme/sets/blob/${PIPELINE.GITHUB_SHA}/sets`
  expect(links.slice(0, 2)).toEqual([
    `[\`sets/[a](b).yaml:1\`](${at}/%5Ba%5D%28b%29.yaml#L1)`,
    `[\`sets/b.yaml:2\`](${at}/b.yaml#L2)`,
  ])
  expect([links.length, links.at(-1)]).toEqual([21, 'and 6 more'])
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
    /^<!-- setpoint:\* -->\n### Setpoint: the plan failed\n/,
  )
})

test('a failed plan is appended to the step summary and not written in other formats', async () => {
  const cwd = aDirectory({ 'setpoint.yaml': OWNED, 'sets/a.yaml': 'variableSets: []\n', summary: 'before\n' })
  const env = { GITHUB_STEP_SUMMARY: join(cwd, 'summary') }
  const argv = ['plan', '--sandbox', '--report', `markdown=${cwd}/summary`, '--report', 'html=plan.html']
  expect((await run(argv, { cwd, env })).code).toBe(1)
  expect(readFileSync(join(cwd, 'summary'), 'utf8')).toMatch(
    /^before\n\n<!-- setpoint:acme\/network -->\n### Setpoint: the plan failed/,
  )
  expect(existsSync(join(cwd, 'plan.html'))).toBe(false)
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
    `1 set is created\n\n**Nothing was applied**\n\n\`\`\`text\n${stderr.trimEnd()}\n\`\`\``,
  )
  expect(report).toContain('| + | `a` |')
})

test('untrusted text in an error message stays inside its code block', async () => {
  const cwd = aDirectory({ 'setpoint.yaml': OWNED, 'sets/a.yaml': '"```\\n@everyone <img>": 1\n' })
  expect((await run(['plan', '--sandbox', '--report', 'markdown=plan.md'], { cwd })).code).toBe(1)
  const report = readFileSync(join(cwd, 'plan.md'), 'utf8')
  const fence = /^(`{3,})text$/m.exec(report)?.[1] ?? ''
  expect(report.trimEnd().endsWith(`\n${fence}`)).toBe(true)
  expect(report.split('\n').filter(line => line.startsWith(fence))).toHaveLength(2)
})
