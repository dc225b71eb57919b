import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { pipelineOf } from '../src/export/new-files.ts'
import { createSandbox, type Sandbox } from '../src/sandbox/index.ts'
import type { ApiRequest } from '../src/wire/transport.ts'
import { github, WORKFLOW as PATH, type Pull, sha } from './forge/merges.ts'
import { recorded } from './forge/recorded.ts'
import { type Route, routes } from './forge/routes.ts'
import { workflowProblems } from './support/forge-schemas.ts'
import { aDirectory, run } from './support/program.ts'
import { expectDocument, replay } from './support/transcript.ts'
import {
  commitAsMerge,
  readWorkflow,
  runJob,
  type StepRun,
  stubs,
  type Workflow,
} from './support/workflow.ts'

/** The commands of the example for GitHub Actions, in a real shell with a listening sandbox. Needs a build. */
const FOLDER = resolve(import.meta.dirname, '../examples/06-github-actions')
const FILE = '.github/workflows/setpoint.yml'
const WORKFLOW = readWorkflow(join(FOLDER, FILE))
const READING = 'a-token-that-only-reads'
const LOCK = '{ "packages": { "node_modules/setpoint": {} } }\n'

test('the README shows the real comment on a pull request', async () => {
  const readme = join(FOLDER, 'README.md')
  expectDocument(readme, await replay(readFileSync(readme, 'utf8'), { cwd: aDirectory({ copyOf: FOLDER }) }))
})

test('every action is pinned by its commit, with its version in a comment', () => {
  const uses = readFileSync(join(FOLDER, FILE), 'utf8').match(/uses: .*/g) ?? []
  expect(uses.length).toBe(30)
  expect(uses.filter(line => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
})

test("the workflow is valid for GitHub's schema", () => {
  expect(workflowProblems(readFileSync(join(FOLDER, FILE), 'utf8'))).toEqual([])
  expect(workflowProblems('on: push\njobs: { a: { runson: x, steps: [] } }')).not.toEqual([])
})

test('jobs have minimal permissions, and no command contains an expression', () => {
  const rights = Object.entries(WORKFLOW.jobs).map(([name, { permissions }]) => [name, permissions])
  expect(Object.fromEntries(rights)).toEqual({
    plan: undefined,
    comment: { contents: 'read', 'pull-requests': 'write' },
    fork: { actions: 'read', contents: 'read' },
    checked: {},
    reviewed: { actions: 'read', contents: 'read', 'pull-requests': 'read' },
    apply: undefined,
    replan: { contents: 'read', 'pull-requests': 'write' },
    approve: undefined,
    report: { contents: 'read', 'pull-requests': 'write' },
    snapshot: undefined,
    drift: { contents: 'read', issues: 'write' },
  })
  expect(WORKFLOW.permissions).toEqual({ contents: 'read' })
  expect(Object.keys(WORKFLOW.on)).toEqual([
    'pull_request',
    'merge_group',
    'push',
    'schedule',
    'workflow_dispatch',
  ])
  const commands = Object.values(WORKFLOW.jobs).flatMap(({ steps }) => steps.map(({ run = '' }) => run))
  expect(commands.filter(command => command.includes('${{'))).toEqual([])
})

test('only jobs with an environment have the secrets of an apply, and pull requests have only the read token', () => {
  const withSecrets = Object.entries(WORKFLOW.jobs).flatMap(([name, { environment, steps }]) => {
    const secrets = steps.flatMap(
      ({ env = {} }) =>
        Object.values(env)
          .join()
          .match(/secrets\.\w+/g) ?? [],
    )
    return secrets.length === 0 ? [] : [[name, environment, [...new Set(secrets)].join()]]
  })
  expect(withSecrets).toEqual([
    ['plan', undefined, 'secrets.TFE_TOKEN_READ'],
    ['apply', 'setpoint-apply', 'secrets.TFE_TOKEN,secrets.DEPLOY_KEY'],
    ['replan', undefined, 'secrets.TFE_TOKEN_READ'],
    ['approve', 'setpoint-approve', 'secrets.TFE_TOKEN,secrets.DEPLOY_KEY'],
    ['snapshot', undefined, 'secrets.TFE_TOKEN_READ'],
    ['drift', undefined, 'secrets.TFE_TOKEN_READ'],
  ])
})

test('the workflow is the one that init writes, with the secret of the example', () => {
  const written = pipelineOf('github', {})?.text ?? ''
  const comment = '# Add the secrets that the files reference: setpoint secrets --format github'
  expect(readFileSync(join(FOLDER, FILE), 'utf8')).toBe(
    written.replaceAll(comment, 'SETPOINT_SECRET_DEPLOY_KEY: ${{ secrets.DEPLOY_KEY }}'),
  )
})

test('a pull request is planned with a read-only token, and the plan is its comment', async () => {
  const { sandbox, cwd, temp, job, calls, summary } = await aForge()
  expect(codes(await job('plan'))).toEqual(['install 0', 'plan 0'])
  expect(calls()).toEqual(['npm ci --ignore-scripts --no-bin-links'])
  const plan = readFileSync(join(cwd, 'plan.md'), 'utf8')
  expect(plan).toContain('DEPLOY_KEY')
  expect(plan).toContain('| 2 variables (1 secret), 1 workspace | different before this change |')
  expect(summary()).toBe(`before\n\n${plan}`)
  expect(sandbox.snapshot().sets ?? []).toEqual([])
  cpSync(join(cwd, 'plan.md'), join(temp, 'report/plan.md'))
  writeFileSync(join(cwd, 'package-lock.json'), LOCK)
  const exchanges = [
    {
      expect: 'GET /repos/acme/sets/issues/7/comments?per_page=100&page=1',
      answer: { status: 200, body: [] },
    },
    {
      expect: 'POST /repos/acme/sets/issues/7/comments',
      body: { body: plan },
      answer: { status: 201, body: {} },
    },
  ]
  const forge = await recorded('token-of-the-job', exchanges)
  expect(codes(await job('comment', {}, { GITHUB_API_URL: forge.url }))).toEqual(['install 0', 'comment 0'])
  expect(forge.seen).toEqual(exchanges.map(({ expect: line }) => line))
})

test('with PLAN_MODE, a pull request is planned alone, and its plan says so', async () => {
  expect(WORKFLOW.env).toEqual({ PLAN_MODE: '' })
  const { cwd, job } = await aForge()
  expect(codes(await job('plan', {}, { PLAN_MODE: '--only-this-change' }))).toEqual(['install 0', 'plan 0'])
  // The base of this pull request has the set already, and nobody applied it.
  expect(JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8'))).toMatchObject({
    steps: [],
    onlyThisChange: { drift: [{ set: 'region', what: 'missing', items: [] }] },
  })
})

test('a pull request from a fork is planned without a token, from the nightly snapshot', async () => {
  const { sandbox, cwd, job, calls, path, summary } = await aForge()
  expect(codes(await job('snapshot'))).toEqual(['install 0', 'snapshot 0'])
  expect(readFileSync(join(cwd, 'snapshot.json'), 'utf8')).not.toContain('only-for-this-test')
  await sandbox.close()
  writeFileSync(join(path, 'run'), '42\n')
  expect(codes(await job('fork'))).toEqual(['install 0', 'download 0', 'plan 0'])
  expect(calls().slice(-2)).toEqual([
    'gh run list --workflow setpoint.yml --event schedule --branch main --status success --limit 1 --json databaseId --jq .[].databaseId',
    'gh run download 42 --name snapshot',
  ])
  expect(summary()).toContain('1 set is created')
  const [download] = WORKFLOW.jobs.fork?.steps.filter(({ name }) => name === 'plan') ?? []
  expect(download?.env).toBeUndefined()
})

test('a pull request from a fork is not planned before there is a nightly snapshot', async () => {
  const { job, calls, path } = await aForge()
  writeFileSync(join(path, 'run'), '')
  const jobs = await job('fork')
  expect(codes(jobs)).toEqual(['install 0', 'download 1'])
  expect(jobs.at(-1)?.output).toContain('There is no snapshot yet')
  expect(calls().filter(call => call.startsWith('gh run download'))).toEqual([])
})

test.each([
  ['success skipped', 0],
  ['skipped success', 0],
  ['skipped skipped', 1],
  ['failure skipped', 1],
  ['skipped failure', 1],
  ['cancelled skipped', 1],
])('the required check of the results "%s" ends with %i', async (results, code) => {
  const { job } = await aForge()
  const [plan = '', fork = ''] = results.split(' ')
  const runs = await job('checked', { 'needs.plan.result': plan, 'needs.fork.result': fork })
  expect(codes(runs)).toEqual([`checked ${code}`])
  expect(WORKFLOW.jobs.checked?.if).toMatch(/^always\(\) &&/)
})

test('the first pull request succeeds, although its base has no Setpoint', async () => {
  const { cwd, job, git } = await aForge()
  // The base contains only other files.
  git('rm', '--quiet', '-r', '--cached', '.')
  git('commit', '--quiet', '--allow-empty', '--message=base')
  git('add', '--all')
  git('commit', '--quiet', '--message=introduce Setpoint')
  expect(codes(await job('plan'))).toEqual(['install 0', 'plan 0'])
  rmSync(join(cwd, 'node_modules'), { recursive: true })
  const comment = await job('comment')
  expect(codes(comment)).toEqual(['install 0', 'comment 0'])
  expect(comment.at(-1)?.output).toContain('The base has no Setpoint yet')
})

test('a failed plan is reported in the comment, with the reason', async () => {
  const { cwd, job } = await aForge()
  writeFileSync(join(cwd, 'sets/region.yaml'), 'variableSets: { region: { envv: {} } }\n')
  expect(codes(await job('plan'))).toEqual(['install 0', 'plan 1'])
  const report = readFileSync(join(cwd, 'plan.md'), 'utf8')
  expect(report).toContain('### Setpoint: the plan failed')
  expect(report).toContain('envv')
  const upload = WORKFLOW.jobs.plan?.steps.at(-1)
  expect(upload?.if).toBe('always()')
})

test('a merge applies the plan of its pull request, and comments there', async () => {
  const { cwd, temp, job, sandbox, merged } = await aForge()
  // A report file from the repository never becomes a comment.
  mkdirSync(join(cwd, 'report'))
  writeFileSync(join(cwd, 'report/approved.md'), '<!-- setpoint:acme/network -->\nAll is well.\n')
  await job('plan')
  const forge = await merged()
  const [, found] = await job('reviewed', {}, forge.env)
  expect(found?.outputs).toEqual({ state: 'ready', numbers: '7 ' })
  expect(codes(await job('apply', {}, forge.env))).toEqual(['install 0', 'newest 0', 'apply 0'])
  expect((sandbox.snapshot().sets ?? []).map(set => set.name)).toContain('region')
  cpSync(join(cwd, 'applied.md'), join(temp, 'report/applied.md'))
  const report = await job('report', { 'needs.reviewed.outputs.numbers': '7 ' }, forge.env)
  expect(report.at(-1)?.output).toBe('Created the comment on pull request 7 of acme/sets.\n')
  expect(forge.commented()).toEqual([readFileSync(join(cwd, 'applied.md'), 'utf8')])
})

test('every pull request gets the new plan as a comment, even if one of them is locked', async () => {
  const { job, merged } = await aForge()
  await job('plan')
  const forge = await merged({ files: ['setpoint.yaml'] })
  const [, found] = await job('reviewed', {}, forge.env)
  expect(found?.outputs).toEqual({ state: 'not-reviewed', numbers: '7 ' })
  // Pull request 6 was merged earlier, and its conversation is locked.
  const replan = await job('replan', { 'needs.reviewed.outputs.numbers': '6 7 ' }, forge.env)
  expect(codes(replan)).toEqual(['install 0', 'plan 0', 'comment 1'])
  expect(replan.at(-1)?.output).toContain('Created the comment on pull request 7 of acme/sets.')
  expect(WORKFLOW.jobs.replan?.steps.at(-1)?.['continue-on-error']).toBe(true)
})

test('if planning again fails, the pull request gets the reason, and there is nothing to approve', async () => {
  const { cwd, job, merged } = await aForge()
  await job('plan')
  const forge = await merged({ files: ['setpoint.yaml'] })
  await job('reviewed', {}, forge.env)
  writeFileSync(join(cwd, 'sets/other.yaml'), 'variableSets: { other: { envv: {} } }\n')
  const replan = await job('replan', { 'needs.reviewed.outputs.numbers': '7 ' }, forge.env)
  expect(codes(replan)).toEqual(['install 0', 'plan 1', 'comment 0'])
  expect(forge.commented()[0]).toContain('### Setpoint: the plan failed')
  expect(WORKFLOW.jobs.approve?.if).toContain("needs.replan.result == 'success'")
})

test('a killed program leaves no report file from the repository behind', async () => {
  const { cwd, job, path, merged } = await aForge()
  await job('plan')
  const forge = await merged()
  await job('reviewed', {}, forge.env)
  const names = ['applied.md', 'approved.md', 'replanned.md']
  for (const name of names) writeFileSync(join(cwd, name), '<!-- setpoint:acme/network -->\nAll is well.\n')
  const dying = "if (process.argv[2] !== 'reviewed') process.kill(process.pid, 'SIGKILL')\n"
  writeFileSync(join(path, 'setpoint.js'), dying)
  expect(codes(await job('apply', {}, forge.env)).at(-1)).toBe('apply 137')
  expect(codes(await job('replan', {}, forge.env)).slice(1)).toEqual(['plan 137', 'comment 137'])
  expect(codes(await job('approve', {}, forge.env)).at(-1)).toBe('apply 137')
  expect(names.filter(name => existsSync(join(cwd, name)))).toEqual([])
})

test('no job uses a cache', () => {
  const steps = Object.values(WORKFLOW.jobs).flatMap(job => job.steps)
  const nodes = steps.filter(({ uses = '' }) => uses.startsWith('actions/setup-node@'))
  expect(nodes.length).toBeGreaterThan(8)
  expect(nodes.filter(step => step.with?.['package-manager-cache'] !== false)).toEqual([])
  expect(steps.filter(({ uses = '' }) => uses.startsWith('actions/cache'))).toEqual([])
})

test('a restarted job of an older commit writes nothing', async () => {
  const { job, sandbox, merged } = await aForge()
  await job('plan')
  const forge = await merged()
  await job('reviewed', {}, forge.env)
  const newer = await merged({}, sha('d'))
  expect(codes(await job('apply', {}, { ...newer.env, GITHUB_SHA: forge.env.GITHUB_SHA }))).toEqual([
    'install 0',
    'newest 4',
  ])
  expect(sandbox.snapshot().sets ?? []).toEqual([])
})

test('changes since the review are planned again, posted on the pull request, and applied only by the new digest', async () => {
  const { cwd, temp, job, sandbox, merged } = await aForge()
  await job('plan')
  const forge = await merged()
  await job('reviewed', {}, forge.env)
  writeFileSync(join(cwd, 'sets/other.yaml'), 'variableSets: { other: { env: { A: 1 } } }\n')
  const refused = await job('apply', {}, forge.env)
  expect(codes(refused)).toEqual(['install 0', 'newest 0', 'apply 4'])
  expect([refused.at(-1)?.outputs, sandbox.snapshot().sets ?? []]).toEqual([{ code: '4' }, []])
  expect(readFileSync(join(cwd, 'applied.md'), 'utf8')).toContain('**Nothing was applied**')
  const replan = await job('replan', {}, forge.env)
  expect(codes(replan)).toEqual(['install 0', 'plan 0', 'comment 0'])
  expect(replan.at(-1)?.output).toBe('Created the comment on pull request 7 of acme/sets.\n')
  const digest = replan[1]?.outputs.digest ?? ''
  expect(digest).toMatch(/^[0-9a-f]{64}$/)
  cpSync(join(cwd, 'plan.json'), join(temp, 'replanned/plan.json'))
  const approve = (given: string) => job('approve', { 'needs.replan.outputs.digest': given }, forge.env)
  expect(codes(await approve(digest.slice(0, 12)))).toEqual(['install 0', 'newest 0', 'apply 4'])
  expect(codes(await approve(digest))).toEqual(['install 0', 'newest 0', 'apply 0'])
  expect((sandbox.snapshot().sets ?? []).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['region', 'other']),
  )
})

test('unreviewed changes go to the reviewers, and an unreachable forge fails the job', async () => {
  const { job, merged } = await aForge()
  await job('plan')
  const unapproved = await merged({ files: ['setpoint.yaml'] })
  const [, found] = await job('reviewed', {}, unapproved.env)
  expect([found?.code, found?.outputs]).toEqual([0, { state: 'not-reviewed', numbers: '7 ' }])
  const down = await job('reviewed', {}, { ...unapproved.env, GITHUB_API_URL: 'http://127.0.0.1:9' })
  expect(codes(down)).toEqual(['install 0', 'find 1'])
})

test('a change made outside since the last apply blocks the apply of a merge', async () => {
  const { cwd, job, sandbox, merged, apply } = await aForge()
  await apply()
  await changeByHand(sandbox)
  writeFileSync(join(cwd, 'sets/other.yaml'), 'variableSets: { other: { env: { A: 1 } } }\n')
  await job('plan')
  const forge = await merged()
  await job('reviewed', {}, forge.env)
  const refused = await job('apply', {}, forge.env)
  expect(codes(refused)).toEqual(['install 0', 'newest 0', 'apply 4'])
  expect(refused.at(-1)?.output).toContain('Changed outside since the last apply: "region"')
})

test('the nightly job reports no drift, and then a change made outside', async () => {
  const { sandbox, cwd, job, summary, apply } = await aForge()
  await apply()
  expect(codes(await job('drift'))).toEqual(['install 0', 'drift 0', 'issue 0'])
  const quiet = summary()
  await changeByHand(sandbox)
  expect(codes(await job('drift'))).toEqual(['install 0', 'drift 0', 'issue 0'])
  const loud = summary().slice(quiet.length)
  expect(quiet).toContain('No drift')
  expect(loud).toContain('AWS_REGION')
  expect(readFileSync(join(cwd, 'drift.md'), 'utf8')).toContain('AWS_REGION')
})

test('the drift job opens, updates and closes an issue about drift, and one about a check that failed', async () => {
  const { sandbox, job, calls, path, apply, cwd } = await aForge()
  await apply()
  const issueCalls = async (more: Readonly<Record<string, string>> = {}): Promise<string[]> => {
    const before = calls().length
    await job('drift', more)
    return calls()
      .slice(before)
      .filter(call => call.startsWith('gh') && !call.startsWith('gh issue list'))
      .map(call => call.replace(/\d{4}-\d\d-\d\d/, 'TODAY'))
  }
  expect(await issueCalls()).toEqual([])
  await changeByHand(sandbox)
  expect(await issueCalls()).toEqual([
    'gh label create setpoint-drift --force',
    'gh issue create --title The service differs from the files --label setpoint-drift --body-file drift.md',
  ])
  writeFileSync(join(path, 'open-setpoint-drift'), '12\n')
  expect(await issueCalls()).toEqual(['gh issue edit 12 --body-file drift.md'])
  const revoked = { 'secrets.TFE_TOKEN_READ': 'wrong' }
  expect(await issueCalls(revoked)).toEqual([
    'gh label create setpoint-unchecked --force',
    'gh issue create --title Drift could not be checked since TODAY --label setpoint-unchecked --body-file drift.md',
  ])
  expect(readFileSync(join(cwd, 'drift.md'), 'utf8')).toContain('401')
  writeFileSync(join(path, 'open-setpoint-unchecked'), '13\n')
  expect(await issueCalls(revoked)).toEqual(['gh issue edit 13 --body-file drift.md'])
  await apply()
  expect(await issueCalls()).toEqual([
    'gh issue close 12 --comment The service equals the files.',
    'gh issue close 13 --comment Drift is checked again.',
  ])
})

const FROM_SNAPSHOT = (pipelineOf('github', { snapshot: true })?.text ?? '').replaceAll(
  '# Add the secrets that the files reference: setpoint secrets --format github',
  'SETPOINT_SECRET_DEPLOY_KEY: ${{ secrets.DEPLOY_KEY }}',
)

test('with --snapshot, no job of a pull request has a token of the service, and every token has an environment', () => {
  expect(workflowProblems(FROM_SNAPSHOT)).toEqual([])
  const address = 'https://tfe.example.com'
  expect(workflowProblems(pipelineOf('github', { snapshot: true, address })?.text ?? '')).toEqual([])
  const workflow: Workflow = parse(FROM_SNAPSHOT)
  const tokens = Object.entries(workflow.jobs).flatMap(([name, job]) =>
    /TFE_TOKEN/.test(JSON.stringify(job)) ? [[name, job.environment]] : [],
  )
  expect(Object.fromEntries(tokens)).toEqual({
    apply: 'setpoint-apply',
    approve: 'setpoint-approve',
    replan: 'setpoint-read',
    snapshot: 'setpoint-read',
    drift: 'setpoint-read',
  })
  for (const name of ['apply', 'approve', 'replan', 'snapshot', 'drift'])
    expect(workflow.jobs[name]?.if).not.toMatch(/^github\.event_name == '(?:pull_request|merge_group)'/)
  expect(workflow.jobs.snapshot?.if).toBe(
    "always() && github.ref == 'refs/heads/main' && (github.event_name == 'push' || github.event_name == 'schedule')",
  )
  expect(FROM_SNAPSHOT).toContain('#   setpoint-read ')
  expect(FROM_SNAPSHOT).not.toContain('repository secret TFE_TOKEN_READ')
})

test('with --snapshot, a merge applies exactly the plan that was made from the snapshot', async () => {
  const { cwd, job, sandbox, merged, path, calls } = await aForge(parse(FROM_SNAPSHOT))
  writeFileSync(join(path, 'run'), '41\n42\n')
  // Before the first snapshot, also if the checkout has a file of that name.
  writeFileSync(join(cwd, 'snapshot.json'), '{}')
  const early = await job('plan')
  expect(codes(early)).toEqual(['install 0', 'download 1'])
  expect(early.at(-1)?.output).toContain('There is no snapshot yet')
  expect(codes(await job('snapshot'))).toEqual(['install 0', 'snapshot 0'])
  cpSync(join(cwd, 'snapshot.json'), join(path, 'snapshot.json'))
  const none = { 'secrets.TFE_TOKEN_READ': '', 'secrets.TFE_TOKEN': '' }
  expect(codes(await job('plan', none, { TFE_ADDRESS: '' }))).toEqual(['install 0', 'download 0', 'plan 0'])
  const list = 'gh run list --workflow setpoint.yml --event'
  expect(calls().slice(-3)).toEqual([
    `${list} push --branch main --limit 10 --json databaseId --jq .[].databaseId`,
    `${list} schedule --branch main --limit 10 --json databaseId --jq .[].databaseId`,
    'gh run download 42 --name snapshot',
  ])
  const forge = await merged()
  const [, found] = await job('reviewed', {}, forge.env)
  expect(found?.outputs).toEqual({ state: 'ready', numbers: '7 ' })
  expect(codes(await job('apply', {}, forge.env))).toEqual(['install 0', 'newest 0', 'apply 0'])
  expect((sandbox.snapshot().sets ?? []).map(set => set.name)).toContain('region')
  expect(codes(await job('fork', none))).toEqual(['install 0', 'download 0', 'plan 0'])
})

test('the files of the example are valid', async () => {
  expect((await run(['validate'], { cwd: FOLDER })).code).toBe(0)
})

const codes = (steps: readonly StepRun[]): string[] => steps.map(({ name, code }) => `${name} ${code}`)

/** A checkout, a listening sandbox, and a function that runs jobs. */
async function aForge(workflow = WORKFLOW) {
  const sandbox = await createSandbox({ tokens: [{ token: READING, permission: 'read-variables' }] })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const cwd = aDirectory({ copyOf: FOLDER })
  commitAsMerge(cwd)
  const { path, calls } = stubs(join(aDirectory(), 'bin'))
  const temp = aDirectory()
  const summaryFile = join(aDirectory({ summary: 'before\n' }), 'summary')
  const context = {
    'secrets.TFE_TOKEN_READ': READING,
    'secrets.TFE_TOKEN': sandbox.token,
    'secrets.DEPLOY_KEY': 'only-for-this-test',
    'github.token': 'token-of-the-job',
    'github.repository': 'acme/sets',
    'github.event.pull_request.number': '7',
    'github.sha': sha('c'),
    'needs.reviewed.outputs.numbers': '',
    'needs.replan.outputs.digest': '',
  }
  const env = {
    PATH: `${path}:${process.env.PATH ?? ''}`,
    HOME: cwd,
    TFE_ADDRESS: url,
    GITHUB_STEP_SUMMARY: summaryFile,
    RUNNER_TEMP: temp,
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: 'acme/sets',
    GITHUB_REF: 'refs/pull/7/merge',
  }
  const job = (
    name: string,
    more: Readonly<Record<string, string>> = {},
    moreEnv: Readonly<Record<string, string>> = {},
  ): Promise<StepRun[]> =>
    runJob(workflow, name, { cwd, env: { ...env, ...moreEnv }, context: { ...context, ...more } })
  /** Applies from outside the pipeline. */
  const apply = () =>
    run(['apply', '--auto-approve'], {
      cwd,
      env: { TFE_ADDRESS: url, TFE_TOKEN: sandbox.token, SETPOINT_SECRET_DEPLOY_KEY: 'only-for-this-test' },
    })
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.test', ...words], {
      cwd,
      encoding: 'utf8',
    }).trim()
  /** The responses of GitHub after the merge of pull request 7, with the plan of this directory. */
  const merged = async (pull: Partial<Pull> = {}, tip = git('rev-parse', 'HEAD')) => {
    const base = git('rev-parse', 'HEAD^1')
    const plan = readFileSync(join(cwd, 'plan.json'), 'utf8')
    const history: [string, string][] = [
      [tip, base],
      [base, sha('a')],
    ]
    const table: Record<string, Route> = await github(
      history,
      [{ number: 7, head: sha('1'), commits: [tip], plan, ...pull }],
      base,
    )
    table['GET /repos/acme/sets/issues/7/comments'] = []
    table['POST /repos/acme/sets/issues/7/comments'] = { status: 201, body: {} }
    const forge = await routes('token-of-the-job', () => table)
    const workflow = { GITHUB_WORKFLOW_REF: `acme/sets/${PATH}@refs/heads/main` }
    const env = { ...workflow, GITHUB_API_URL: forge.url, GITHUB_SHA: tip, GITHUB_REF: 'refs/heads/main' }
    return { env, commented: forge.comments }
  }
  return {
    sandbox,
    cwd,
    temp,
    job,
    calls,
    path,
    apply,
    git,
    merged,
    summary: () => readFileSync(summaryFile, 'utf8'),
  }
}

/** Changes the region outside of Setpoint. */
async function changeByHand(sandbox: Sandbox): Promise<void> {
  const headers = { authorization: `Bearer ${sandbox.token}`, 'content-type': 'application/vnd.api+json' }
  const send = (request: Pick<ApiRequest, 'method' | 'path' | 'body'>) =>
    sandbox.transport({ ...request, headers })
  const [set] = sandbox.snapshot().sets ?? []
  const variable = set?.variables?.find(({ key }) => key === 'AWS_REGION')
  const answer = await send({
    method: 'PATCH',
    path: `/api/v2/varsets/${set?.id}/relationships/vars/${variable?.id}`,
    body: JSON.stringify({
      data: { type: 'vars', attributes: { key: 'AWS_REGION', category: 'env', value: 'us-east-1' } },
    }),
  })
  expect(answer.status).toBe(200)
}
