import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSandbox, type Sandbox } from '../src/sandbox/index.ts'
import type { ApiRequest } from '../src/wire/transport.ts'
import { recorded } from './forge/recorded.ts'
import { workflowProblems } from './support/forge-schemas.ts'
import { aDirectory, run } from './support/program.ts'
import { expectDocument, replay } from './support/transcript.ts'
import { commitAsMerge, readWorkflow, runJob, type StepRun, stubs } from './support/workflow.ts'

/** The example for GitHub Actions, its commands in a real shell against a sandbox that listens. Needs a build. */
const FOLDER = resolve(import.meta.dirname, '../examples/06-github-actions')
const FILE = '.github/workflows/setpoint.yml'
const WORKFLOW = readWorkflow(join(FOLDER, FILE))
const READING = 'a-token-that-only-reads'

test('the README shows the comment that a pull request gets', async () => {
  const readme = join(FOLDER, 'README.md')
  expectDocument(readme, await replay(readFileSync(readme, 'utf8'), { cwd: aDirectory({ copyOf: FOLDER }) }))
})

test('every action is pinned by its commit, with the version beside it', () => {
  const uses = readFileSync(join(FOLDER, FILE), 'utf8').match(/uses: .*/g) ?? []
  expect(uses.length).toBe(15)
  expect(uses.filter(line => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
})

test('the forge would take it: its own schema finds nothing', () => {
  expect(workflowProblems(readFileSync(join(FOLDER, FILE), 'utf8'))).toEqual([])
  expect(workflowProblems('on: push\njobs: { a: { runson: x, steps: [] } }')).not.toEqual([])
})

test('no job may do more than it has to, and no text of others is part of a command', () => {
  const rights = Object.entries(WORKFLOW.jobs).map(([name, { permissions }]) => [name, permissions])
  expect(Object.fromEntries(rights)).toEqual({
    plan: undefined,
    comment: { contents: 'read', 'pull-requests': 'write' },
    fork: { actions: 'read', contents: 'read' },
    apply: undefined,
    snapshot: undefined,
    drift: { contents: 'read', issues: 'write' },
  })
  expect(WORKFLOW.permissions).toEqual({ contents: 'read' })
  expect(Object.keys(WORKFLOW.on)).toEqual(['pull_request', 'push', 'schedule', 'workflow_dispatch'])
  const commands = Object.values(WORKFLOW.jobs).flatMap(({ steps }) => steps.map(({ run = '' }) => run))
  expect(commands.filter(command => command.includes('${{'))).toEqual([])
})

test('a pull request is planned with a token that cannot write, and the plan becomes its comment', async () => {
  const { sandbox, cwd, job, calls, summary } = await aForge()
  expect(codes(await job('plan'))).toEqual(['install 0', 'validate 0', 'plan 0'])
  expect(calls()).toEqual(['npm ci --ignore-scripts'])
  const plan = readFileSync(join(cwd, 'plan.md'), 'utf8')
  expect(plan).toContain('DEPLOY_KEY')
  expect(plan).toContain('| 2 variables (1 secret), 1 workspace | different before this change |')
  expect(summary()).toBe(`before\n\n${plan}`)
  expect(sandbox.snapshot().sets ?? []).toEqual([])
  cpSync(join(cwd, 'plan.md'), join(cwd, 'report/plan.md'))
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

test('a pull request of a fork is planned without a token, from what the night wrote down', async () => {
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

test('a merge is applied, the night finds nothing, and then what somebody changed by hand', async () => {
  const { sandbox, cwd, job, summary } = await aForge()
  expect(codes(await job('apply'))).toEqual(['install 0', 'apply 0'])
  expect((sandbox.snapshot().sets ?? []).map(set => set.name)).toEqual(['region'])
  expect(codes(await job('drift'))).toEqual(['install 0', 'drift 0', 'issue 0'])
  const quiet = summary()
  await changeByHand(sandbox)
  expect(codes(await job('drift'))).toEqual(['install 0', 'drift 0', 'issue 0'])
  const loud = summary().slice(quiet.length)
  expect(quiet).toContain('No drift')
  expect(loud).toContain('AWS_REGION')
  expect(readFileSync(join(cwd, 'drift.md'), 'utf8')).toContain('AWS_REGION')
})

test('drift has one issue: opened, kept up to date, closed; and left alone where it could not be told', async () => {
  const { sandbox, job, calls, path } = await aForge()
  await job('apply')
  const issueCalls = async (more: Readonly<Record<string, string>> = {}): Promise<string[]> => {
    const before = calls().length
    await job('drift', more)
    return calls()
      .slice(before)
      .filter(call => call.startsWith('gh') && !call.startsWith('gh issue list'))
  }
  expect(await issueCalls()).toEqual([])
  await changeByHand(sandbox)
  expect(await issueCalls()).toEqual([
    'gh label create setpoint-drift --force',
    'gh issue create --title The service differs from the files --label setpoint-drift --body-file drift.md',
  ])
  writeFileSync(join(path, 'open'), '12\n')
  expect(await issueCalls()).toEqual(['gh issue edit 12 --body-file drift.md'])
  expect(await issueCalls({ 'secrets.TFE_TOKEN_READ': 'wrong' })).toEqual([])
  await job('apply')
  expect(await issueCalls()).toEqual(['gh issue close 12 --comment The service is as the files say.'])
})

test('a deletion that a guard blocks is applied by hand with its digest, and only with that', async () => {
  const { cwd, job, sandbox } = await aForge()
  await job('apply')
  writeFileSync(join(cwd, 'sets/region.yaml'), 'removed: [region]\n')
  const blocked = await job('apply')
  expect(codes(blocked)).toEqual(['install 0', 'apply 4'])
  const digest = /--approve ([0-9a-f]{64})/.exec(blocked.at(-1)?.output ?? '')?.[1] ?? ''
  expect(codes(await job('apply', { 'inputs.digest': '3f9a1c2b7d4e' }))).toEqual(['install 0', 'apply 4'])
  expect(codes(await job('apply', { 'inputs.digest': digest }))).toEqual(['install 0', 'apply 0'])
  expect(sandbox.snapshot().sets ?? []).toEqual([])
})

test('the files of the example are valid', async () => {
  expect((await run(['validate'], { cwd: FOLDER })).code).toBe(0)
})

const codes = (steps: readonly StepRun[]): string[] => steps.map(({ name, code }) => `${name} ${code}`)

/** A checkout, a service, and a runner between them. */
async function aForge() {
  const sandbox = await createSandbox({ tokens: [{ token: READING, permission: 'read-variables' }] })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const cwd = aDirectory({ copyOf: FOLDER })
  commitAsMerge(cwd)
  const { path, calls } = stubs(join(aDirectory(), 'bin'))
  const summaryFile = join(aDirectory({ summary: 'before\n' }), 'summary')
  const context = {
    'secrets.TFE_TOKEN_READ': READING,
    'secrets.TFE_TOKEN': sandbox.token,
    'secrets.DEPLOY_KEY': 'only-for-this-test',
    'github.token': 'token-of-the-job',
    'github.repository': 'acme/sets',
    'github.event.pull_request.number': '7',
    'inputs.digest': '',
  }
  const env = {
    PATH: `${path}:${process.env.PATH ?? ''}`,
    HOME: cwd,
    TFE_ADDRESS: url,
    GITHUB_STEP_SUMMARY: summaryFile,
    GITHUB_ACTIONS: 'true',
    GITHUB_REPOSITORY: 'acme/sets',
    GITHUB_REF: 'refs/pull/7/merge',
  }
  const job = (
    name: string,
    more: Readonly<Record<string, string>> = {},
    moreEnv: Readonly<Record<string, string>> = {},
  ): Promise<StepRun[]> =>
    runJob(WORKFLOW, name, { cwd, env: { ...env, ...moreEnv }, context: { ...context, ...more } })
  return { sandbox, cwd, job, calls, path, summary: () => readFileSync(summaryFile, 'utf8') }
}

/** Somebody sets another region in the browser. */
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
