import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aDirectory, run } from '../support/program.ts'

/** The environment of a job of GitHub Actions, which gets annotations as well. */
const JOB = { GITHUB_ACTIONS: 'true' }
const FILES = {
  'setpoint.yaml': 'organization: acme\n',
  'sets/a.yaml': 'variableSets:\n  a: { env: { A: x } }\n',
}

test('a mistake in a file is also printed as an annotation of its line, on stderr', async () => {
  const cwd = aDirectory({ ...FILES, 'sets/a.yaml': 'variableSets:\n  a:\n    env:\n      A: ~\n' })
  const { stdout, stderr } = await run(['validate'], { cwd, env: JOB })
  const plain = (await run(['validate'], { cwd })).stderr
  expect(stdout).toBe('')
  expect(stderr).toBe(
    `${plain}::error file=sets/a.yaml,line=4,col=7,title=null-value::"A" has no value.%0A${plain.split('\n')[2]?.trim()}\n`,
  )
})

test('a blocked plan is annotated once with its reason, and stdout is unchanged', async () => {
  const cwd = aDirectory(FILES)
  await run(['apply', '--sandbox', '--auto-approve'], { cwd })
  writeFileSync(join(cwd, 'sets/a.yaml'), 'removed: [a]\n')
  const plain = await run(['plan', '--sandbox'], { cwd })
  const { stdout, stderr } = await run(['plan', '--sandbox'], { cwd, env: JOB })
  expect(stdout).toBe(plain.stdout)
  expect(stderr.match(/^::.*$/gm)).toEqual([
    '::warning title=refused::The files declare no set, but this plan deletes something.',
  ])
})

test('nothing is annotated without a finding, or outside of GitHub Actions', async () => {
  const cwd = aDirectory(FILES)
  for (const env of [JOB, { GITHUB_ACTIONS: 'false' }, {}])
    expect((await run(['plan', '--sandbox'], { cwd, env })).stderr).not.toContain('::')
})

test('reports are appended to the step summary; any other report replaces its file', async () => {
  const cwd = aDirectory({
    ...FILES,
    summary: 'of another step\n',
    'plan.md': '<!-- setpoint:acme -->\nold\n',
  })
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

test('a step summary that cannot be written is an error, like any report', async () => {
  const cwd = aDirectory(FILES)
  const env = { ...JOB, GITHUB_STEP_SUMMARY: join(cwd, 'none/summary') }
  const { code, stderr } = await run(['plan', '--sandbox', '--report', 'markdown=none/summary'], { cwd, env })
  expect(code).toBe(1)
  expect(stderr).toContain('its directory does not exist')
})

test('lines of files in a report are links to the head commit of the pull request', async () => {
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
