import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { recorded } from '../forge/recorded.ts'
import { routes } from '../forge/routes.ts'
import { gitlabPipeline } from '../support/forge-schemas.ts'
import { aDirectory } from '../support/program.ts'
import { SERVICE_TOKENS } from '../support/service-tokens.ts'
import { environmentNoted } from '../support/workflow.ts'
import { type IssueState, issueExchanges, jobIn, mergedOnGitlab, runScript } from './gitlab-jobs.ts'
import { aProject, GITLAB, ROOT } from './project.ts'

/** Checks the component against GitLab's schema, and runs its commands in a real shell. Needs a build. */
describe("the component for GitLab's CI/CD catalog", () => {
  const files = { templates: join(ROOT, 'templates') }
  const IMAGE = `node:24@sha256:${'a'.repeat(64)}`
  const including = (inputs: Readonly<Record<string, unknown>>): string =>
    `include: [{ local: templates/setpoint/template.yml, inputs: ${JSON.stringify(inputs)} }]\nstages: [test, deploy]\n`

  test("is valid for GitLab's schema, with its defaults and with inputs", async () => {
    const standard = gitlabPipeline(files, including({ image: IMAGE }))
    expect(jobIn(standard, 'setpoint-plan')).toMatchObject({ stage: 'test', image: { name: IMAGE } })
    expect(jobIn(standard, 'setpoint-issue')).toMatchObject({ stage: 'deploy', image: { name: IMAGE } })
    // No default: a tag would be an image that somebody else can change.
    expect(gitlabPipeline(files, including({}))).toContain('image')
    expect(typeof gitlabPipeline(files, including({}))).toBe('string')
    const own = gitlabPipeline(
      files,
      including({ image: IMAGE, directory: 'infra', 'plan-stage': 'deploy', comment: false }),
    )
    expect(jobIn(own, 'setpoint-plan')).toMatchObject({
      stage: 'deploy',
      variables: { SETPOINT_DIRECTORY: 'infra', SETPOINT_COMMENTS: 'false' },
    })
  })

  test.each([true, false])('plans a merge request alone, if the input says so: %s', async isAlone => {
    const { cwd, env } = await aProject(GITLAB)
    const found = jobIn(
      gitlabPipeline(files, including({ image: IMAGE, 'only-this-change': isAlone })),
      'setpoint-plan',
    )
    const variables: Record<string, string> = Object.assign({}, found.variables)
    const more = { CI_PROJECT_DIR: cwd, TFE_TOKEN_READ: 'reads' }
    expect((await runScript(found, cwd, { ...env, ...variables, ...more })).code).toBe(0)
    const plan = JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8'))
    expect([plan.onlyThisChange !== undefined, plan.steps.length]).toEqual([isAlone, isAlone ? 0 : 1])
  })

  test('plans, applies, and keeps one issue about drift up to date', async () => {
    const { sandbox, cwd, env } = await aProject(GITLAB)
    const component = gitlabPipeline(
      files,
      including({ image: IMAGE, comment: false, secrets: 'export SETPOINT_SECRET_DEPLOY_KEY=x' }),
    )
    const job = (name: string, more: Readonly<Record<string, string>> = {}) => {
      const found = jobIn(component, name)
      const variables: Record<string, string> = Object.assign({}, found.variables)
      return runScript(found, cwd, {
        ...{ ...env, ...variables, CI_PROJECT_DIR: cwd },
        ...{ TFE_TOKEN_READ: 'reads', TFE_TOKEN: sandbox.token },
        ...more,
      })
    }
    /** The exit code of the drift job of one night. What the other one sends about the issue is compared. */
    const night = async (issue: IssueState = {}, unchecked: IssueState = {}, token = 'reads') => {
      const { code } = await job('setpoint-drift', { TFE_TOKEN_READ: token })
      const exchanges = issueExchanges(issue, unchecked, readFileSync(join(cwd, 'drift.md'), 'utf8'))
      const forge = await recorded('t', exchanges)
      const more = { CI_PROJECT_ID: '42', CI_API_V4_URL: `${forge.url}/api/v4` }
      const kept = await job('setpoint-issue', { ...more, SETPOINT_COMMENT_TOKEN: 't' })
      expect([kept.code, forge.seen]).toEqual([0, exchanges.map(({ expect: line }) => line)])
      return code
    }
    expect((await job('setpoint-plan')).code).toBe(0)
    expect(await night({ change: 'create' })).toBe(2)
    expect(readFileSync(join(cwd, 'drift.md'), 'utf8')).toContain('DEPLOY_KEY')
    expect(await night({ open: 12, change: 'update' })).toBe(2)
    expect(await night({ open: 12 }, { change: 'create' }, 'wrong')).toBe(1)
    const commit = (ref: string): string =>
      execFileSync('git', ['rev-parse', ref], { cwd, encoding: 'utf8' }).trim()
    const [tip, base] = [commit('HEAD'), commit('HEAD^1')]
    const plan = readFileSync(join(cwd, 'plan.json'))
    const forge = await routes('forge', () => mergedOnGitlab({ tip, base, plan }, {}, 'setpoint-'))
    const onMain = {
      ...{ GITLAB_CI: 'true', CI_PROJECT_ID: '42', CI_API_V4_URL: `${forge.url}/api/v4` },
      ...{ CI_COMMIT_SHA: tip, CI_PIPELINE_SOURCE: 'push', SETPOINT_FORGE_TOKEN: 'forge' },
    }
    const { env: noting, noted } = environmentNoted(aDirectory())
    expect((await job('setpoint-reviewed', { ...onMain, ...SERVICE_TOKENS, ...noting })).code).toBe(0)
    const names =
      noted()
        .find(line => line.startsWith('reviewed'))
        ?.split(': ')[1]
        ?.split(' ') ?? []
    expect(names).toContain('SETPOINT_FORGE_TOKEN')
    expect(names.filter(name => name in SERVICE_TOKENS || name.startsWith('TFE_TOKEN'))).toEqual([])
    // An apply that differs from the reviewed plan is refused, planned again, and approved by its digest.
    writeFileSync(join(cwd, 'sets/other.yaml'), 'variableSets: { other: { env: { A: 1 } } }\n')
    expect((await job('setpoint-apply', onMain)).code).toBe(4)
    rmSync(join(cwd, 'sets/other.yaml'))
    expect((await job('setpoint-replan', onMain)).code).toBe(0)
    expect((await job('setpoint-approve', onMain)).code).toBe(0)
    expect(await night({ open: 12, change: 'close' }, { open: 13, change: 'close' })).toBe(0)
    expect((await job('setpoint-apply', onMain)).code).toBe(0)
    expect(JSON.parse(readFileSync(join(cwd, 'widget.json'), 'utf8'))).toEqual({
      create: 1,
      update: 0,
      delete: 0,
    })
  })
})
