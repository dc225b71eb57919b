import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { makeCertificates } from '../support/certificates.ts'
import { actionProblems, workflowProblems } from '../support/forge-schemas.ts'
import { aDirectory } from '../support/program.ts'
import { titled } from '../support/skipped.ts'
import { readWorkflow, runSteps, type StepRun, type WorkflowStep } from '../support/workflow.ts'
import { aProject, GITLAB, ROOT } from './project.ts'

/** Checks the GitHub action against GitHub's schema, and runs its commands in a real shell. Needs a build. */
const TEXT = readFileSync(join(ROOT, 'action.yml'), 'utf8')
const certificates = makeCertificates()

type Inputs = Readonly<Record<string, string>>

interface Action {
  readonly runs: { readonly steps: readonly WorkflowStep[] }
  readonly inputs: Readonly<Record<string, { readonly default?: string }>>
  readonly outputs: Readonly<Record<string, { readonly value: string }>>
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
    const use = (inputs: Inputs, more: Inputs = {}): Promise<StepRun[]> => {
      const all: Inputs = { ...Object.fromEntries(defaults), ...inputs }
      const given = (name: string, other: string): readonly [string, string] => [
        `inputs.${name} || env.${other}`,
        all[name] || '',
      ]
      const context = {
        ...Object.fromEntries(Object.entries(all).map(([name, value]) => [`inputs.${name}`, value])),
        ...Object.fromEntries([
          given('token', 'SETPOINT_TOKEN'),
          given('address', 'SETPOINT_ADDRESS'),
          given('ca', 'NODE_EXTRA_CA_CERTS'),
        ]),
      }
      return runSteps(action.runs.steps, { cwd, context, env: { ...job, ...more } })
    }
    const codes = async (inputs: Inputs, more?: Inputs): Promise<string> =>
      (await use(inputs, more)).map(({ code }) => `${code}`).join()
    return {
      sandbox,
      cwd,
      path,
      use,
      codes,
      temp,
    }
  }

  test('runs a command with its flags, in the directory and with the token of its inputs', async () => {
    const { cwd, codes, use } = await aJob()
    expect(await codes({ command: 'validate' })).toBe('0')
    expect(await codes({ command: 'plan --detailed-exitcode --out plan.json', token: 'reads' })).toBe('2')
    expect(JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8')).steps.length).toBeGreaterThan(0)
    // A word of the command is a word: no pattern and no second command.
    expect((await use({ command: 'validate *' })).at(-1)?.output).toContain('but got 1')
    expect(await codes({ command: 'validate; touch made' })).toBe('1')
    expect(existsSync(join(cwd, 'made'))).toBe(false)
    expect(await codes({ command: 'validate', directory: 'nowhere' })).toBe('1')
  })

  test('hands over what ci plan found, and says what comes next', async () => {
    const { use, temp } = await aJob()
    const event = join(aDirectory({ 'event.json': '{"repository":{"default_branch":"main"}}' }), 'event.json')
    const job = {
      GITHUB_ACTIONS: 'true',
      GITHUB_EVENT_NAME: 'schedule',
      GITHUB_EVENT_PATH: event,
      GITHUB_REF: 'refs/heads/main',
      GITHUB_SHA: 'c'.repeat(40),
      GITHUB_JOB: 'main',
      GITHUB_RUN_ID: '7',
    }
    const [ran] = await use({ token: 'reads' }, job)
    expect(ran?.code, ran?.output).toBe(0)
    const found = JSON.parse(readFileSync(join(temp, 'setpoint/out/handover.json'), 'utf8'))
    expect(found).toMatchObject({ setpoint: 1, job: 'main', pipeline: '7', code: 2 })
    expect(action.outputs.next?.value).toBe('${{ steps.run.outputs.next }}')
  })

  test('fails without its bundle, and never compiles', async () => {
    const { path, use } = await aJob()
    const [ran] = await use({}, { GITHUB_ACTION_PATH: aDirectory({ 'action.yml': TEXT }) })
    expect([ran?.code, ran?.output]).toEqual([1, expect.stringContaining('Cannot find module')])
    expect(existsSync(join(path, 'calls'))).toBe(false)
  })

  test.skipIf(certificates === undefined)(
    titled(
      'trusts the certificate authority of the input "ca"',
      certificates === undefined,
      'no openssl on the path',
    ),
    async () => {
      if (certificates === undefined) return
      const { cwd, use } = await aJob()
      const service = createServer(certificates.own, (_, response) => response.writeHead(401).end('{}'))
      await new Promise<void>(done => service.listen(0, '127.0.0.1', done))
      onTestFinished(() => void service.close())
      const address = `https://127.0.0.1:${(service.address() as AddressInfo).port}`
      writeFileSync(join(cwd, 'authority.pem'), certificates.own.cert)
      const said = async (inputs: Inputs) =>
        (await use({ command: 'plan', token: 'reads', address, ...inputs })).at(-1)?.output
      expect(await said({})).toContain('NODE_EXTRA_CA_CERTS')
      expect(await said({ ca: 'authority.pem' })).toContain('(401)')
    },
  )
})

test.each([
  ['pipelines/gitlab.yml', 1],
  ['templates/setpoint/template.yml', 1],
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
