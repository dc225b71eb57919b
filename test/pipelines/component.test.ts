import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { routes } from '../forge/routes.ts'
import { gitlabPipeline } from '../support/forge-schemas.ts'
import { jobIn, mergedOnGitlab, runScript } from './gitlab-jobs.ts'
import { aProject, GITLAB, ROOT } from './project.ts'

/** Checks the component against GitLab's schema, and runs its commands in a real shell. Needs a build. */
describe("the component for GitLab's CI/CD catalog", () => {
  const files = { templates: join(ROOT, 'templates') }
  const including = (inputs: string): string =>
    `include: [{ local: templates/setpoint/template.yml, inputs: ${inputs} }]\nstages: [test, deploy]\n`

  test("is valid for GitLab's schema, with its defaults and with inputs", async () => {
    const standard = gitlabPipeline(files, including('{}'))
    expect(jobIn(standard, 'setpoint-plan')).toMatchObject({ stage: 'test', image: { name: 'node:24' } })
    const own = gitlabPipeline(files, including('{ directory: infra, plan-stage: deploy, comment: false }'))
    expect(jobIn(own, 'setpoint-plan')).toMatchObject({
      stage: 'deploy',
      variables: { SETPOINT_DIRECTORY: 'infra', SETPOINT_COMMENTS: 'false' },
    })
  })

  test('plans, applies, and keeps one issue about drift up to date', async () => {
    const { sandbox, cwd, env, calls, path } = await aProject(GITLAB)
    const component = gitlabPipeline(
      files,
      including("{ comment: false, secrets: 'export SETPOINT_SECRET_DEPLOY_KEY=x' }"),
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
    /** The drift jobs of one night, with their requests about the issue. */
    const night = async (token = 'reads'): Promise<(number | string)[]> => {
      const { code } = await job('setpoint-drift', { TFE_TOKEN_READ: token })
      const before = calls().length
      const more = { CI_PROJECT_ID: '42', CI_SERVER_URL: 'https://gitlab.example' }
      expect((await job('setpoint-issue', { ...more, SETPOINT_COMMENT_TOKEN: 't' })).code).toBe(0)
      return [code, ...calls().slice(before + 1)]
    }
    expect((await job('setpoint-plan')).code).toBe(0)
    expect(await night()).toEqual([
      2,
      'glab api --method POST projects/42/issues --raw-field title=The service differs from the files --raw-field labels=setpoint-drift --field description=@drift.md',
    ])
    expect(readFileSync(join(cwd, 'drift.md'), 'utf8')).toContain('DEPLOY_KEY')
    writeFileSync(join(path, 'open'), '[{"id":9000,"iid":12,"project_id":42}]\n')
    expect(await night()).toEqual([
      2,
      'glab api --method PUT projects/42/issues/12 --field description=@drift.md',
    ])
    expect(await night('wrong')).toEqual([1])
    const commit = (ref: string): string =>
      execFileSync('git', ['rev-parse', ref], { cwd, encoding: 'utf8' }).trim()
    const [tip, base] = [commit('HEAD'), commit('HEAD^1')]
    const plan = readFileSync(join(cwd, 'plan.json'))
    const forge = await routes('forge', () => mergedOnGitlab({ tip, base, plan }, {}, 'setpoint-'))
    const onMain = {
      ...{ GITLAB_CI: 'true', CI_PROJECT_ID: '42', CI_API_V4_URL: `${forge.url}/api/v4` },
      ...{ CI_COMMIT_SHA: tip, CI_PIPELINE_SOURCE: 'push', SETPOINT_FORGE_TOKEN: 'forge' },
    }
    expect((await job('setpoint-reviewed', onMain)).code).toBe(0)
    // An apply that differs from the reviewed plan is refused, planned again, and approved by its digest.
    writeFileSync(join(cwd, 'sets/other.yaml'), 'variableSets: { other: { env: { A: 1 } } }\n')
    expect((await job('setpoint-apply', onMain)).code).toBe(4)
    rmSync(join(cwd, 'sets/other.yaml'))
    expect((await job('setpoint-replan', onMain)).code).toBe(0)
    expect((await job('setpoint-approve', onMain)).code).toBe(0)
    expect(await night()).toEqual([
      0,
      'glab api --method PUT projects/42/issues/12 --raw-field state_event=close',
    ])
    expect((await job('setpoint-apply', onMain)).code).toBe(0)
    expect(JSON.parse(readFileSync(join(cwd, 'widget.json'), 'utf8'))).toEqual({
      create: 1,
      update: 0,
      delete: 0,
    })
  })
})
