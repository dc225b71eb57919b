import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aDirectory, run } from '../support/program.ts'

/** The output for a job of GitHub Actions, in addition to the usual one. */
const JOB = { GITHUB_ACTIONS: 'true' }
const FILES = {
  'setpoint.yaml': 'organization: acme\n',
  'sets/a.yaml': 'variableSets:\n  a: { env: { A: x } }\n',
}

test('a mistake in a file is an annotation beside its line, after its text, on stderr', async () => {
  const cwd = aDirectory({ ...FILES, 'sets/a.yaml': 'variableSets:\n  a:\n    env:\n      A: ~\n' })
  const { stdout, stderr } = await run(['validate'], { cwd, env: JOB })
  const plain = (await run(['validate'], { cwd })).stderr
  expect(stdout).toBe('')
  expect(stderr).toBe(
    `${plain}::error file=sets/a.yaml,line=4,col=7,title=null-value::"A" has no value.%0A${plain.split('\n')[2]?.trim()}\n`,
  )
})

test('a plan annotates why it is blocked, once, and leaves stdout unchanged', async () => {
  const cwd = aDirectory(FILES)
  await run(['apply', '--sandbox', '--auto-approve'], { cwd })
  writeFileSync(join(cwd, 'sets/a.yaml'), 'removed: [a]\n')
  const plain = await run(['plan', '--sandbox'], { cwd })
  const { stdout, stderr } = await run(['plan', '--sandbox'], { cwd, env: JOB })
  expect(stdout).toBe(plain.stdout)
  expect(stderr.match(/^::.*$/gm)).toEqual([
    '::warning title=refused::The files declare no set, but this plan deletes.',
  ])
})

test('nothing is annotated if there is nothing to say, or no job of GitHub', async () => {
  const cwd = aDirectory(FILES)
  for (const env of [JOB, { GITHUB_ACTIONS: 'false' }, {}])
    expect((await run(['plan', '--sandbox'], { cwd, env })).stderr).not.toContain('::')
})

test('the step summary grows by each report, and any other report replaces its file', async () => {
  const cwd = aDirectory({ ...FILES, summary: 'of another step\n', 'plan.md': 'old\n' })
  const env = { ...JOB, GITHUB_STEP_SUMMARY: join(cwd, 'summary') }
  const flags = ['--sandbox', '--report', 'markdown=summary', '--report', 'markdown=plan.md']
  expect((await run(['plan', ...flags], { cwd, env })).code).toBe(0)
  const plan = readFileSync(join(cwd, 'plan.md'), 'utf8')
  expect(plan).toContain('1 set is created')
  expect(readFileSync(join(cwd, 'summary'), 'utf8')).toBe(`of another step\n\n${plan}`)
  expect((await run(['apply', '--auto-approve', ...flags], { cwd, env })).code).toBe(0)
  const applied = readFileSync(join(cwd, 'plan.md'), 'utf8')
  expect(readFileSync(join(cwd, 'summary'), 'utf8')).toBe(`of another step\n\n${plan}\n${applied}`)
})

test('a summary that cannot be written is an error, as any report is', async () => {
  const cwd = aDirectory(FILES)
  const env = { ...JOB, GITHUB_STEP_SUMMARY: join(cwd, 'none/summary') }
  const { code, stderr } = await run(['plan', '--sandbox', '--report', 'markdown=none/summary'], { cwd, env })
  expect(code).toBe(1)
  expect(stderr).toContain('its directory does not exist')
})

test('places in a report are links to the commit of the pull request', async () => {
  const sha = 'a'.repeat(40)
  const event = JSON.stringify({ pull_request: { head: { sha } } })
  const cwd = aDirectory({ ...FILES, 'event.json': event })
  const env = {
    ...JOB,
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'acme/sets',
    GITHUB_SHA: 'b'.repeat(40),
    GITHUB_EVENT_PATH: join(cwd, 'event.json'),
  }
  const link = `https://github.com/acme/sets/blob/${sha}/sets/a.yaml#L2`
  const flags = ['--sandbox', '--format', 'markdown', '--report', 'html=plan.html']
  expect((await run(['plan', ...flags], { cwd, env })).stdout).toContain(`[\`sets/a.yaml:2\`](${link})`)
  expect(readFileSync(join(cwd, 'plan.html'), 'utf8')).toContain(`href="${link}"`)
})
