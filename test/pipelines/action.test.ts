import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { github, WORKFLOW } from '../forge/merges.ts'
import { recorded } from '../forge/recorded.ts'
import { routes } from '../forge/routes.ts'
import { makeCertificates } from '../support/certificates.ts'
import { actionProblems, workflowProblems } from '../support/forge-schemas.ts'
import { aDirectory, run } from '../support/program.ts'
import { SERVICE_TOKENS } from '../support/service-tokens.ts'
import { titled } from '../support/skipped.ts'
import {
  environmentNoted,
  readWorkflow,
  runSteps,
  type StepRun,
  type WorkflowStep,
} from '../support/workflow.ts'
import { aProject, GITLAB, ROOT } from './project.ts'

/** Checks the GitHub action against GitHub's schema, and runs its commands in a real shell. Needs a build. */
const TEXT = readFileSync(join(ROOT, 'action.yml'), 'utf8')
const certificates = makeCertificates()

type Inputs = Readonly<Record<string, string>>

interface Action {
  readonly runs: { readonly steps: readonly WorkflowStep[] }
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
}

describe('the action for GitHub', () => {
  const action: Action = parse(TEXT)

  test("is valid for GitHub's schema, and no command contains an input", () => {
    expect(actionProblems(TEXT)).toEqual([])
    expect(actionProblems('name: x\nruns: { using: composite, steps: [{ run: x }] }')).not.toEqual([])
    expect(action.runs.steps.filter(({ run: command = '' }) => command.includes('${{'))).toEqual([])
  })

  const defaults = Object.entries(action.inputs).map(([name, { default: text = '' }]) => [name, text])

  /** The job of a pull request, with the steps of the action. */
  async function aJob() {
    const { sandbox, cwd, env, path } = await aProject(GITLAB)
    const temp = aDirectory({ summary: '' })
    const job = {
      ...{ ...env, GITHUB_ACTION_PATH: ROOT, RUNNER_TEMP: temp, GITHUB_STEP_SUMMARY: join(temp, 'summary') },
      SETPOINT_SECRET_DEPLOY_KEY: 'x',
    }
    const use = (inputs: Inputs, more: Inputs = {}, steps = 2): Promise<StepRun[]> => {
      const all: Inputs = { ...Object.fromEntries(defaults), ...inputs }
      const context = Object.fromEntries(
        Object.entries(all).map(([name, value]) => [`inputs.${name}`, value]),
      )
      return runSteps(action.runs.steps.slice(0, steps), { cwd, context, env: { ...job, ...more } })
    }
    const codes = async (inputs: Inputs, more?: Inputs): Promise<string> =>
      (await use(inputs, more)).map(({ name, code }) => `${name} ${code}`).join()
    return {
      sandbox,
      cwd,
      path,
      use,
      codes,
      address: env.TFE_ADDRESS,
      summary: () => readFileSync(join(temp, 'summary'), 'utf8'),
    }
  }

  test('plans, drifts and applies, takes extra arguments line by line, and writes the job summary', async () => {
    const { sandbox, cwd, codes, summary } = await aJob()
    expect(await codes({ token: 'reads' })).toBe('check 0,run 0')
    expect(summary()).toContain('1 set is created')
    expect(await codes({ command: 'plan', token: 'reads', arguments: '--only\n$(touch broken) `x`' })).toBe(
      'check 0,run 1',
    )
    expect(await codes({ command: 'plan; touch broken', token: 'reads' })).toBe('check 0,run 1')
    expect(await codes({ command: 'drift', token: 'reads' })).toBe('check 0,run 0')
    expect(await codes({ command: 'drift', token: 'reads', base: 'HEAD^1' })).toBe('check 0,run 1')
    expect(await codes({ command: 'apply', token: 'reads' })).toBe('check 0,run 1')
    expect(await codes({ command: 'apply', token: sandbox.token })).toBe('check 0,run 0')
    expect((sandbox.snapshot().sets ?? []).map(({ name }) => name)).toContain('region')
    expect(readdirSync(cwd)).not.toContain('broken')
  })

  test('plans and applies a change alone, if the input says so', async () => {
    const { sandbox, codes, summary } = await aJob()
    const alone = { token: sandbox.token, base: 'HEAD^1', 'only-this-change': 'true' }
    expect(await codes({ ...alone, command: 'plan' })).toBe('check 0,run 0')
    expect(summary()).toContain('is not in the service, and not created')
    expect(await codes({ ...alone, command: 'apply' })).toBe('check 0,run 0')
    expect(sandbox.snapshot().sets ?? []).toEqual([])
    expect(await codes({ ...alone, base: '', command: 'plan' })).toBe('check 0,run 1')
  })

  test('applies what is left of a blocked plan file, with its digest', async () => {
    const { sandbox, cwd, codes } = await aJob()
    const all = { token: sandbox.token }
    expect(await codes({ ...all, command: 'apply' })).toBe('check 0,run 0')
    writeFileSync(join(cwd, 'sets/region.yaml'), 'removed: [region]\n')
    expect(await codes({ ...all, command: 'plan', arguments: '--out=plan.json' })).toBe('check 0,run 0')
    const { digest: approve } = JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8'))
    const apply = { ...all, command: 'apply', arguments: 'plan.json' }
    expect(await codes(apply)).toBe('check 0,run 1')
    expect(await codes({ ...apply, approve })).toBe('check 0,run 0')
  })

  test('finds the reviewed plan and applies only that plan', async () => {
    const { sandbox, cwd, codes, address } = await aJob()
    expect(
      (await run(['plan', '--out', 'plan.json'], { cwd, env: { TFE_ADDRESS: address, TFE_TOKEN: 'reads' } }))
        .code,
    ).toBe(0)
    const commit = (ref: string): string =>
      execFileSync('git', ['rev-parse', ref], { cwd, encoding: 'utf8' }).trim()
    const [tip, base] = [commit('HEAD'), commit('HEAD^1')]
    const plan = readFileSync(join(cwd, 'plan.json'), 'utf8')
    const pull = { number: 7, head: '1'.repeat(40), commits: [tip], plan }
    const table = await github(
      [
        [tip, base],
        [base, 'a'.repeat(40)],
      ],
      [pull],
      base,
    )
    const forge = await routes('of-the-job', () => table)
    const env = {
      GITHUB_API_URL: forge.url,
      GITHUB_REPOSITORY: 'acme/sets',
      GITHUB_WORKFLOW_REF: `acme/sets/${WORKFLOW}@refs/heads/main`,
      GITHUB_SHA: tip,
    }
    const find = { command: 'reviewed', reviewed: 'found', 'github-token': 'of-the-job' }
    expect(await codes({ command: 'reviewed', 'github-token': 'of-the-job' }, env)).toBe('check 0,run 1')
    expect(await codes(find, env)).toBe('check 0,run 0')
    writeFileSync(join(cwd, 'sets/other.yaml'), 'variableSets: { other: { env: { A: 1 } } }\n')
    const apply = { command: 'apply', reviewed: 'found', token: sandbox.token }
    expect(await codes(apply)).toBe('check 0,run 1')
    expect(sandbox.snapshot().sets ?? []).toEqual([])
    rmSync(join(cwd, 'sets/other.yaml'))
    expect(await codes(apply)).toBe('check 0,run 0')
    expect((sandbox.snapshot().sets ?? []).map(({ name }) => name)).toContain('region')
    expect(await codes(find, env)).toBe('check 0,run 1')
    expect(await codes({ ...find, reviewed: 'old' }, { ...env, GITHUB_SHA: base })).toBe('check 0,run 0')
    expect(await codes({ ...apply, reviewed: 'old' })).toBe('check 0,run 1')
  })

  test('gives the command reviewed no token of the service and no secret, and no command the inputs', async () => {
    const { codes } = await aJob()
    const { env, noted } = environmentNoted(aDirectory())
    const secret = {
      ...SERVICE_TOKENS,
      SETPOINT_SECRET_A: 'x',
    }
    const inputs = { token: 'reads', 'github-token': 'of-the-job' }
    await codes({ ...inputs, command: 'reviewed', reviewed: 'found' }, { ...secret, ...env })
    await codes({ ...inputs, command: 'validate' }, { ...secret, ...env })
    const namesFor = (command: string): string[] =>
      noted()
        .filter(line => line.startsWith(command))
        .flatMap(line => line.split(': ')[1]?.split(' ') ?? [])
    const found = namesFor('reviewed')
    expect(found).toContain('SETPOINT_FORGE_TOKEN')
    expect(found.filter(name => name in secret || /^INPUT_.*TOKEN$/.test(name))).toEqual([])
    const kept = namesFor('validate')
    expect(kept).toEqual(expect.arrayContaining(Object.keys(secret)))
    expect(kept.filter(name => /^INPUT_.*TOKEN$/.test(name))).toEqual([])
  })

  test('separates this change from what differed before its base', async () => {
    const { codes, summary } = await aJob()
    expect(await codes({ token: 'reads', base: 'HEAD^1' })).toBe('check 0,run 0')
    expect(summary()).toContain('different before this change')
    expect(await codes({ token: 'reads', base: 'nowhere' })).toBe('check 0,run 1')
    expect(await codes({ token: 'reads', base: '--sandbox' })).toBe('check 0,run 1')
    expect(await codes({ command: 'validate', base: 'HEAD^1' })).toBe('check 0,run 1')
  })

  test('runs nothing without its bundle or with another version than requested, and never compiles', async () => {
    const { path, use, codes } = await aJob()
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    expect(await codes({ token: 'reads', version })).toBe('check 0,run 0')
    expect(await codes({ token: 'reads', version: '0.0.1' })).toBe('check 1')
    const [check, ...more] = await use(
      { token: 'reads' },
      { GITHUB_ACTION_PATH: aDirectory({ 'action.yml': TEXT }) },
    )
    expect([check?.code, check?.output, more]).toEqual([1, expect.stringContaining('has no bundle'), []])
    expect(existsSync(join(path, 'calls'))).toBe(false)
    expect(action.runs.steps.map(({ run }) => run).join('\n')).not.toMatch(/\b(?:npm|npx|curl|gh)\b/)
  })

  test.skipIf(certificates === undefined)(
    titled(
      'trusts the certificate authority of the input "ca"',
      certificates === undefined,
      'no openssl on the path',
    ),
    async () => {
      if (certificates === undefined) return
      const { cwd, use, codes } = await aJob()
      const service = createServer(certificates.own, (_, response) => response.writeHead(401).end('{}'))
      await new Promise<void>(done => service.listen(0, '127.0.0.1', done))
      onTestFinished(() => void service.close())
      const address = `https://127.0.0.1:${(service.address() as AddressInfo).port}`
      writeFileSync(join(cwd, 'authority.pem'), certificates.own.cert)
      const said = async (inputs: Inputs) =>
        (await use({ token: 'reads', address, ...inputs })).at(-1)?.output
      expect(await said({})).toContain('NODE_EXTRA_CA_CERTS')
      expect(await said({ ca: 'authority.pem' })).toContain('(401)')
      expect(await said({ ca: 'nowhere.pem' })).toBe('ca: cannot read this file\n')
      expect(await codes({ ca: 'nowhere.pem' })).toBe('check 0,run 1')
    },
  )

  test('keeps the plan in one comment on the pull request', async () => {
    const { use } = await aJob()
    const comments = '/repos/acme/sets/issues/7/comments'
    const exchanges = [
      { expect: `GET ${comments}?per_page=100&page=1`, answer: { status: 200, body: [] } },
      { expect: `POST ${comments}`, answer: { status: 201, body: {} } },
    ]
    const forge = await recorded('token-of-the-job', exchanges)
    const github = {
      GITHUB_API_URL: forge.url,
      GITHUB_REPOSITORY: 'acme/sets',
      GITHUB_REF: 'refs/pull/7/merge',
    }
    const runs = await use(
      { token: 'reads', 'github-token': 'token-of-the-job' },
      { ...github, GITHUB_ACTIONS: 'true' },
      3,
    )
    expect(runs.map(({ name, code }) => `${name} ${code}`)).toEqual(['check 0', 'run 0', 'comment 0'])
    expect(forge.seen).toEqual(exchanges.map(({ expect: line }) => line))
  })
})

/** The first major version of each action that runs on Node 24; runners drop older versions of Node. */
const FIRST_MAJORS: Readonly<Record<string, number>> = {
  checkout: 5,
  'setup-node': 5,
  'upload-artifact': 6,
  'download-artifact': 7,
  attest: 3,
}

test.each([
  '.github/workflows/release.yml',
  'examples/06-github-actions/.github/workflows/setpoint.yml',
  'examples/13-run-what-changed/.github/workflows/setpoint.yml',
  'examples/many-organizations/matrix.yml',
  'pipelines/github.yml',
])('%s pins actions by commit, in versions that run on Node 24', path => {
  const uses = readFileSync(join(ROOT, path), 'utf8').match(/uses: .*/g) ?? []
  expect(uses.length).toBeGreaterThan(1)
  const isGood = (line: string): boolean => {
    const [, name = '', major] = /^uses: actions\/([\w-]+)@[0-9a-f]{40} # v(\d+)\.\d+\.\d+$/.exec(line) ?? []
    return Number(major) >= (FIRST_MAJORS[name] ?? Number.NaN)
  }
  expect(uses.filter(line => !isGood(line))).toEqual([])
})

test.each([
  ['pipelines/gitlab.yml', 1],
  ['templates/setpoint/template.yml', 2],
  ['examples/08-gitlab-ci/.gitlab-ci.yml', 1],
  ['examples/09-kubernetes/Dockerfile', 1],
  ['examples/09-kubernetes/cronjob.yaml', 1],
  ['examples/13-run-what-changed/.gitlab-ci.yml', 1],
  ['examples/13-run-what-changed/run.yml', 1],
  ['examples/many-organizations/Dockerfile', 1],
  ['examples/many-organizations/gitlab-ci.yml', 1],
  ['examples/many-organizations/job.yaml', 1],
  ['docs/ci.md', 2],
])('%s pins images by digest, and uses none but Node and ours', (path, count) => {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const images = [...text.matchAll(/^ *(?:FROM|image:|inputs: \{ image:) "?([^"\n]+?)"?(?: \})?$/gm)].map(
    ([, image = '']) => image,
  )
  expect(images).toHaveLength(count)
  const pinned =
    /^(?:node:24(?:-alpine)?|registry\.example\.com\/\S+:main)@sha256:<digest>$|^\$\[\[ inputs\.image \]\]$/
  expect(images.filter(image => !pinned.test(image))).toEqual([])
  // Each include of docs/ci.md is followed by a commit.
  expect([
    ...text.matchAll(/^ +- component: .*(?<!@<commit>)$|^ +- project: .*\n(?! +ref: <commit>$)/gm),
  ]).toEqual([])
})

/** The proof runs the commands of this workflow, in `test/proof/delivery`. */
describe('the release workflow', () => {
  const path = join(ROOT, '.github/workflows/release.yml')
  const text = readFileSync(path, 'utf8')
  const { jobs, permissions } = readWorkflow(path)

  test("is valid for GitHub's schema, and no command contains an expression", () => {
    expect(workflowProblems(text)).toEqual([])
    const commands = Object.values(jobs).flatMap(({ steps }) => steps.map(({ run = '' }) => run))
    expect(commands.filter(command => command.includes('${{'))).toEqual([])
  })

  test('runs code of packages only in jobs without write access and without an identity', () => {
    expect(permissions).toEqual({ contents: 'read' })
    const rights = Object.entries(jobs).map(([name, job]) => [name, job.permissions])
    expect(Object.fromEntries(rights)).toEqual({
      build: undefined,
      binary: undefined,
      release: { contents: 'write', 'id-token': 'write', attestations: 'write' },
      action: { contents: 'write' },
      npm: { 'id-token': 'write' },
    })
    for (const { permissions, steps } of Object.values(jobs))
      if (permissions !== undefined)
        expect(steps.map(({ run = '' }) => run).join('\n')).not.toMatch(
          /\bnpm (?:ci|install|run|exec)|\bnode\b/,
        )
  })
})
