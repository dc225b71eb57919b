import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createSandbox, type Sandbox } from '../src/sandbox/index.ts'
import type { ApiRequest } from '../src/wire/transport.ts'
import { aDirectory, run } from './support/program.ts'
import { expectDocument, replay } from './support/transcript.ts'
import { readWorkflow, runJob, type StepRun, stubs } from './support/workflow.ts'

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
  expect(uses.length).toBe(6)
  expect(uses.filter(line => !/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([])
})

test('a pull request is planned with a token that cannot write, and the plan becomes its comment', async () => {
  const { sandbox, cwd, job, calls } = await aForge()
  expect(codes(await job('plan'))).toEqual(['install 0', 'validate 0', 'plan 0', 'comment 0'])
  expect(calls()).toEqual([
    'npm ci --ignore-scripts',
    'gh pr comment 7 --body-file plan.md --edit-last --create-if-none',
  ])
  const comment = readFileSync(join(cwd, 'plan.md'), 'utf8')
  expect(comment).toContain('DEPLOY_KEY')
  expect(sandbox.snapshot().sets ?? []).toEqual([])
})

test('a merge is applied, the night finds nothing, and then what somebody changed by hand', async () => {
  const { sandbox, job, summary } = await aForge()
  expect(codes(await job('apply'))).toEqual(['install 0', 'apply 0'])
  expect((sandbox.snapshot().sets ?? []).map(set => set.name)).toEqual(['region'])
  expect(codes(await job('drift'))).toEqual(['install 0', 'drift 0'])
  const quiet = summary()
  await changeByHand(sandbox)
  expect(codes(await job('drift'))).toEqual(['install 0', 'drift 2'])
  const loud = summary().slice(quiet.length)
  expect(quiet).toContain('No drift')
  expect(loud).toContain('AWS_REGION')
})

test('a deletion that a guard blocks is applied by hand with its digest, and only with that', async () => {
  const { cwd, job, sandbox } = await aForge()
  await job('apply')
  writeFileSync(join(cwd, 'sets/region.yaml'), 'removed: [region]\n')
  const blocked = await job('apply')
  expect(codes(blocked)).toEqual(['install 0', 'apply 4'])
  const digest = /--approve ([0-9a-f]{12})/.exec(blocked.at(-1)?.output ?? '')?.[1] ?? ''
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
  const { path, calls } = stubs(join(aDirectory(), 'bin'))
  const summaryFile = join(aDirectory({ summary: '' }), 'summary')
  const context = {
    'secrets.TFE_TOKEN_READ': READING,
    'secrets.TFE_TOKEN': sandbox.token,
    'secrets.DEPLOY_KEY': 'only-for-this-test',
    'github.token': 'none',
    'github.repository': 'acme/sets',
    'github.event.pull_request.number': '7',
    'inputs.digest': '',
  }
  const env = {
    PATH: `${path}:${process.env.PATH ?? ''}`,
    HOME: cwd,
    TFE_ADDRESS: url,
    GITHUB_STEP_SUMMARY: summaryFile,
  }
  const job = (name: string, more: Readonly<Record<string, string>> = {}): Promise<StepRun[]> =>
    runJob(WORKFLOW, name, { cwd, env, context: { ...context, ...more } })
  return { sandbox, cwd, job, calls, summary: () => readFileSync(summaryFile, 'utf8') }
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
