import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSandbox } from '../../src/sandbox/index.ts'
import { aDirectory, run } from '../support/program.ts'

/** A checkout of two commits, a service, and a scheduler that is neither GitHub nor GitLab. */
async function aScheduler() {
  const sandbox = await createSandbox({ seed: { organizations: [{ name: 'acme' }] } })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\nowner: platform\n' })
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...words], {
      cwd,
      encoding: 'utf8',
    }).trim()
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  git('commit', '--quiet', '--message=first')
  const base = git('rev-parse', 'HEAD')
  mkdirSync(join(cwd, 'sets'))
  writeFileSync(join(cwd, 'sets/a.yaml'), 'variableSets: { region: { env: { AWS_REGION: eu-west-1 } } }\n')
  git('add', '--all')
  git('commit', '--quiet', '--message=second')
  const directory = aDirectory()
  const ci = (event: string, step: string, more: Readonly<Record<string, string>> = {}) =>
    run(['ci', step], {
      cwd,
      env: {
        PATH: process.env.PATH ?? '',
        TFE_ADDRESS: url,
        TFE_TOKEN: sandbox.token,
        SETPOINT_CI_EVENT: event,
        SETPOINT_CI_DIR: directory,
        SETPOINT_CI_BASE: base,
        ...more,
      },
    })
  const handed = (step: string) => JSON.parse(readFileSync(join(directory, step, 'handover.json'), 'utf8'))
  return { sandbox, cwd, git, directory, ci, handed }
}

test('three variables are a pipeline: a plan, a person with its digest, an apply', async () => {
  const { sandbox, ci, handed } = await aScheduler()
  expect((await ci('pull', 'plan')).code).toBe(0)
  expect(handed('plan')).toMatchObject({ code: 0, report: expect.stringContaining('AWS_REGION') })
  expect((await ci('main', 'plan')).code).toBe(0)
  expect(handed('plan')).toMatchObject({
    next: 'approve',
    reason: 'Outside GitHub and GitLab, no reviewed plans are kept.',
  })
  const { digest } = JSON.parse(handed('plan').plan)
  const refused = await ci('main', 'apply')
  expect([refused.code, refused.stderr]).toEqual([
    4,
    expect.stringContaining(`Set SETPOINT_APPROVE to ${digest}`),
  ])
  expect((await ci('main', 'apply', { SETPOINT_APPROVE: 'a'.repeat(64) })).code).toBe(4)
  expect((await ci('main', 'apply', { SETPOINT_APPROVE: digest })).code).toBe(0)
  expect((sandbox.snapshot().sets ?? []).map(({ name }) => name)).toContain('region')
  expect(handed('apply')).toMatchObject({ code: 0, job: 'apply' })
  // Nobody reports, so drift is the exit code.
  expect((await ci('schedule', 'plan')).code).toBe(0)
  const [set] = sandbox.snapshot().sets ?? []
  expect(set).toBeDefined()
})

test('what another commit handed over is refused', async () => {
  const { ci, git } = await aScheduler()
  await ci('main', 'plan')
  git('commit', '--quiet', '--allow-empty', '--message=third')
  const refused = await ci('main', 'apply', { SETPOINT_APPROVE: 'a'.repeat(64) })
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('is of another pipeline')])
})

test('the directory is outside of the repository, also behind a link', async () => {
  const { ci, cwd } = await aScheduler()
  const link = join(aDirectory(), 'link')
  symlinkSync(cwd, link)
  for (const SETPOINT_CI_DIR of ['', 'results', join(cwd, 'results'), link]) {
    const { code, stderr } = await ci('main', 'plan', { SETPOINT_CI_DIR })
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('SETPOINT_CI_DIR must be an absolute path outside'),
    ])
  }
})

test.each([
  ['push', 'SETPOINT_CI_EVENT must be pull, main or schedule.', {}],
  ['main', 'SETPOINT_CI_BASE is not set.', { SETPOINT_CI_BASE: '' }],
])('what is missing is an error, and no default: %s', async (event, message, more) => {
  const { ci } = await aScheduler()
  const { code, stderr } = await ci(event, 'plan', more)
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
})

test.each([
  [{}, 'This is not a job of GitHub or GitLab.'],
  [{ GITHUB_ACTIONS: 'true' }, 'RUNNER_TEMP is not set.'],
  [{ GITLAB_CI: 'true' }, 'CI_PROJECT_DIR is not set.'],
  [
    {
      GITHUB_ACTIONS: 'true',
      RUNNER_TEMP: '/tmp',
      GITHUB_RUN_ID: '1',
      GITHUB_JOB: 'main',
      GITHUB_SHA: 'a'.repeat(40),
      GITHUB_REF: 'refs/tags/main',
      GITHUB_EVENT_NAME: 'push',
    },
    `GitHub's event "push" on refs/tags/main is neither a pull request, nor the default branch, nor its schedule.`,
  ],
])('an environment that is not whole is refused: %o', async (env, message) => {
  const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n' })
  const { code, stderr } = await run(['ci', 'plan'], { cwd, env })
  expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
})

test('a step that is none says which there are', async () => {
  const { code, stderr } = await run(['ci', 'write'], { cwd: aDirectory() })
  expect([code, stderr]).toEqual([1, expect.stringContaining('The step must be plan, apply, report or tip.')])
})

test('a report without a forge is told the variables that it needs, and no option that ci does not have', async () => {
  const { ci } = await aScheduler()
  await ci('pull', 'plan')
  const { code, stderr } = await ci('pull', 'report')
  expect(code).toBe(1)
  expect(stderr).toContain(
    'set GITHUB_REPOSITORY or CI_PROJECT_ID, a token, and the request in GITHUB_REF or CI_MERGE_REQUEST_IID (setpoint comment: --number)',
  )
  const found = await ci('pull', 'report', { CI_PROJECT_ID: '1', GITLAB_TOKEN: 'glpat' })
  expect(found.stderr).toContain('name one in GITHUB_REF or CI_MERGE_REQUEST_IID')
})
