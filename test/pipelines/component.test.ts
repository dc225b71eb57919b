import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { gitlabPipeline } from '../support/forge-schemas.ts'
import { jobIn, runScript } from './gitlab-jobs.ts'
import { aProject, GITLAB, ROOT } from './project.ts'

/** The component: its forge's schema, and its commands in a real shell. Needs a build. */
describe("the component for GitLab's catalog", () => {
  const files = { templates: join(ROOT, 'templates') }
  const including = (inputs: string): string =>
    `include: [{ local: templates/setpoint/template.yml, inputs: ${inputs} }]\nstages: [test, deploy]\n`

  test('is taken by the schema of the forge, with its defaults and with inputs', async () => {
    const standard = gitlabPipeline(files, including('{}'))
    expect(jobIn(standard, 'setpoint-plan')).toMatchObject({ stage: 'test', image: { name: 'node:24' } })
    const own = gitlabPipeline(files, including('{ directory: infra, plan-stage: deploy, comment: false }'))
    expect(jobIn(own, 'setpoint-plan')).toMatchObject({
      stage: 'deploy',
      variables: { SETPOINT_DIRECTORY: 'infra', SETPOINT_COMMENTS: 'false' },
    })
  })

  test('plans, applies and watches', async () => {
    const { sandbox, cwd, env } = await aProject(GITLAB)
    const component = gitlabPipeline(
      files,
      including("{ comment: false, secrets: 'export SETPOINT_SECRET_DEPLOY_KEY=x' }"),
    )
    const job = (name: string) => {
      const found = jobIn(component, name)
      const variables: Record<string, string> = Object.assign({}, found.variables)
      return runScript(found, cwd, {
        ...{ ...env, ...variables, CI_PROJECT_DIR: cwd },
        ...{ TFE_TOKEN_READ: 'reads', TFE_TOKEN: sandbox.token },
      })
    }
    const codes = [
      (await job('setpoint-plan')).code,
      (await job('setpoint-drift')).code,
      (await job('setpoint-apply')).code,
      (await job('setpoint-drift')).code,
    ]
    expect(codes).toEqual([0, 2, 0, 0])
    expect(JSON.parse(readFileSync(join(cwd, 'setpoint-widget.json'), 'utf8'))).toEqual({
      create: 1,
      update: 0,
      delete: 0,
    })
  })
})
