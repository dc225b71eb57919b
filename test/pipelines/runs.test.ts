import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSandbox, type SandboxSeed } from '../../src/sandbox/index.ts'
import { recorded } from '../forge/recorded.ts'
import { routes } from '../forge/routes.ts'
import { gitlabPipeline, workflowProblems } from '../support/forge-schemas.ts'
import { aDirectory } from '../support/program.ts'
import { titled } from '../support/skipped.ts'
import { expectDocument, replay } from '../support/transcript.ts'
import { readWorkflow, runJob, stubs } from '../support/workflow.ts'
import { jobIn, runScript } from './gitlab-jobs.ts'

/** The commands of the example that starts runs, in a real shell. Needs a build. */
const FOLDER = resolve(import.meta.dirname, '../../examples/13-run-what-changed')
const FILE = '.github/workflows/setpoint.yml'
const WORKFLOW = readWorkflow(join(FOLDER, FILE))
const TEXT = readFileSync(join(FOLDER, FILE), 'utf8')

const COMMIT = 'c'.repeat(40)
const id = (number: number) => `ws-${String(number).padStart(16, '0')}`
const region = (value: string) => [{ key: 'AWS_REGION', value, category: 'env' }]
const SEED: SandboxSeed = {
  organizations: [{ name: 'acme' }],
  projects: [
    { id: 'prj-0000000000000001', name: 'payments' },
    { id: 'prj-0000000000000002', name: 'web' },
  ],
  workspaces: [
    { id: id(1), name: 'billing-prod', project: 'payments' },
    { id: id(2), name: 'ledger-prod', project: 'payments', variables: region('its own') },
    { id: id(3), name: 'web-prod', project: 'web' },
    { id: id(4), name: 'refunds-prod', project: 'payments' },
  ],
  sets: [{ name: 'region', projects: ['payments'], variables: region('eu-west-1') }],
}

/** A checkout of the example, and a listening service. */
async function aRunner() {
  const sandbox = await createSandbox({ seed: SEED })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const cwd = aDirectory({ copyOf: FOLDER })
  const temp = aDirectory()
  const { path } = stubs(join(temp, 'bin'))
  mkdirSync(join(cwd, '.git'), { recursive: true })
  const newest = { commit: COMMIT }
  const forge = await routes('of-the-job', () => ({
    'GET /repos/acme/sets': { id: 77, default_branch: 'main' },
    'GET /repos/acme/sets/branches/main': { commit: { sha: newest.commit } },
  }))
  const env = {
    PATH: `${path}:${process.env.PATH}`,
    HOME: temp,
    TFE_ADDRESS: url,
    GITHUB_SHA: COMMIT,
    GITHUB_REPOSITORY: 'acme/sets',
    GITHUB_WORKFLOW_REF: `acme/sets/${FILE}@refs/heads/main`,
    GITHUB_API_URL: forge.url,
    GITHUB_STEP_SUMMARY: join(temp, 'summary'),
  }
  const apply = async () => {
    const runs = await runJob(WORKFLOW, 'apply', {
      cwd,
      env,
      context: { 'secrets.TFE_TOKEN': sandbox.token, 'github.token': 'of-the-job' },
    })
    const outputs = Object.assign({}, ...runs.map(one => one.outputs))
    return { steps: runs.map(({ name, code }) => `${name} ${code}`), outputs, runs }
  }
  return { sandbox, cwd, env, apply, newest }
}

test('the README shows the real output of the command', async () => {
  const readme = join(FOLDER, 'README.md')
  expectDocument(readme, await replay(readFileSync(readme, 'utf8'), { cwd: aDirectory({ copyOf: FOLDER }) }))
})

test("the workflow is valid for GitHub's schema, and no command contains an expression", () => {
  expect(workflowProblems(TEXT)).toEqual([])
  const commands = Object.values(WORKFLOW.jobs).flatMap(({ steps }) => steps.map(({ run = '' }) => run))
  expect(commands.filter(command => command.includes('${{'))).toEqual([])
})

const noCurl = spawnSync('curl', ['--version']).status !== 0
const started = titled(
  'a run is started for exactly the workspaces that get another value',
  noCurl,
  'no curl on the path',
)

test.skipIf(noCurl)(started, async () => {
  const { sandbox, cwd, env, apply } = await aRunner()
  const { steps, outputs } = await apply()
  expect(steps).toEqual(['install 0', 'newest 0', 'plan 0', 'affected 0', 'apply 0'])
  expect(outputs.code).toBe('0')
  expect(sandbox.snapshot().sets?.[0]?.variables?.[0]?.value).toBe('eu-central-1')
  const { include } = JSON.parse(outputs.matrix)
  expect(include).toEqual([
    { id: id(1), project: 'payments', workspace: 'billing-prod' },
    { id: id(4), project: 'payments', workspace: 'refunds-prod' },
  ])
  const exchanges = include.map((job: { id: string }) => ({
    expect: 'POST /api/v2/runs',
    body: {
      data: {
        type: 'runs',
        attributes: { message: `Variable sets changed in ${COMMIT}` },
        relationships: { workspace: { data: { type: 'workspaces', id: job.id } } },
      },
    },
    answer: { status: 201, body: {} },
  }))
  const service = await recorded('for-runs', exchanges)
  for (const job of include) {
    const context = { 'matrix.id': job.id, 'secrets.TFE_TOKEN_RUNS': 'for-runs' }
    const started = await runJob(WORKFLOW, 'runs', {
      cwd,
      env: { ...env, TFE_ADDRESS: service.url },
      context,
    })
    expect(started.map(({ code }) => code)).toEqual([0])
  }
  expect(service.seen).toEqual(['POST /api/v2/runs', 'POST /api/v2/runs'])
  const refusing = await recorded('for-runs', [{ expect: 'POST /api/v2/runs', answer: { status: 404 } }])
  const refused = await runJob(WORKFLOW, 'runs', {
    cwd,
    env: { ...env, TFE_ADDRESS: refusing.url },
    context: { 'matrix.id': id(1), 'secrets.TFE_TOKEN_RUNS': 'for-runs' },
  })
  expect(refused.map(({ code }) => code)).toEqual([22])
})

test('a restarted job of an older commit applies nothing', async () => {
  const { sandbox, apply, newest } = await aRunner()
  newest.commit = 'd'.repeat(40)
  expect((await apply()).steps).toEqual(['install 0', 'newest 4'])
  expect(sandbox.snapshot().sets?.[0]?.variables?.[0]?.value).toBe('eu-west-1')
})

test("no run is started if nothing changes: the job's condition matches exactly the empty matrix", async () => {
  const { cwd, apply } = await aRunner()
  writeFileSync(
    join(cwd, 'sets/region.yaml'),
    readFileSync(join(cwd, 'sets/region.yaml'), 'utf8').replace('central', 'west'),
  )
  const { steps, outputs } = await apply()
  expect([steps.at(-1), outputs.code]).toEqual(['apply 0', '0'])
  expect(outputs.matrix).toBe('{"include":[]}')
  expect(TEXT).toContain(`needs.apply.outputs.matrix != '${outputs.matrix}'`)
})

describe('for GitLab', () => {
  const pipeline = gitlabPipeline(FOLDER)

  /** The state after the apply job, whose artifact is the child pipeline. */
  async function applied() {
    const { sandbox, cwd, env } = await aRunner()
    const forge = await routes('forge', () => ({
      'GET /api/v4/projects/42': { id: 42, default_branch: 'main' },
      'GET /api/v4/projects/42/repository/branches/main': { commit: { id: COMMIT } },
    }))
    const variables = {
      PATH: env.PATH,
      HOME: env.HOME,
      TFE_ADDRESS: env.TFE_ADDRESS,
      TFE_TOKEN: sandbox.token,
      GITLAB_CI: 'true',
      CI_PROJECT_ID: '42',
      CI_API_V4_URL: `${forge.url}/api/v4`,
      CI_COMMIT_SHA: COMMIT,
      SETPOINT_FORGE_TOKEN: 'forge',
    }
    const run = () => runScript(jobIn(pipeline, 'apply'), cwd, variables)
    const { code, output } = await run()
    return { code, output, run, cwd, variables, sandbox }
  }

  const childIn = (cwd: string) => gitlabPipeline(FOLDER, readFileSync(join(cwd, 'runs.yml'), 'utf8'))

  test('a run is started for exactly the workspaces that get another value', async () => {
    const { code, output, cwd, variables, sandbox } = await applied()
    expect(code, output).toBe(0)
    expect(sandbox.snapshot().sets?.[0]?.variables?.[0]?.value).toBe('eu-central-1')
    const child = childIn(cwd)
    const jobs = typeof child === 'string' ? child : Object.keys(child).filter(name => name.startsWith('ws-'))
    expect(jobs).toEqual([id(1), id(4)])
    const job = jobIn(child, id(4))
    const service = await recorded('for-runs', [
      {
        expect: 'POST /api/v2/runs',
        body: {
          data: {
            type: 'runs',
            attributes: { message: `Variable sets changed in ${COMMIT}` },
            relationships: { workspace: { data: { type: 'workspaces', id: id(4) } } },
          },
        },
        answer: { status: 201, body: {} },
      },
    ])
    const { WORKSPACE_ID = '' } = job.variables as Record<string, string>
    const ran = await runScript(job, cwd, {
      ...variables,
      TFE_ADDRESS: service.url,
      TFE_TOKEN_RUNS: 'for-runs',
      WORKSPACE_ID,
    })
    expect([ran.code, service.seen, ran.output]).toEqual([0, ['POST /api/v2/runs'], ''])
    const refusing = await recorded('for-runs', [{ expect: 'POST /api/v2/runs', answer: { status: 404 } }])
    const more = { TFE_ADDRESS: refusing.url, TFE_TOKEN_RUNS: 'for-runs', WORKSPACE_ID }
    const refused = await runScript(job, cwd, { ...variables, ...more })
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining(`${WORKSPACE_ID}: 404`)])
  })

  test('a child pipeline without runs has one empty job, because GitLab refuses an empty pipeline', async () => {
    const { run, cwd } = await applied()
    expect((await run()).code).toBe(0)
    expect(jobIn(childIn(cwd), 'nothing').script).toEqual(['true'])
  })
})
