import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { recorded } from '../forge/recorded.ts'
import { gitlabPipeline } from '../support/forge-schemas.ts'
import { aDirectory, run } from '../support/program.ts'
import { expectDocument, replay } from '../support/transcript.ts'
import { jobIn, runScript } from './gitlab-jobs.ts'
import { aProject, GITLAB } from './project.ts'

/** The example for GitLab: its forge's schema, and its commands in a real shell against a sandbox that listens. Needs a build. */
test('the README shows what the widget of a merge request reads', async () => {
  const readme = join(GITLAB, 'README.md')
  expectDocument(readme, await replay(readFileSync(readme, 'utf8'), { cwd: aDirectory({ copyOf: GITLAB }) }))
})

describe('the pipeline for GitLab', () => {
  const pipeline = gitlabPipeline(GITLAB)

  test('is taken by the schema of the forge, which finds what is wrong', () => {
    expect(typeof pipeline === 'string' ? pipeline : Object.keys(pipeline)).toEqual(
      expect.arrayContaining(['plan', 'comment', 'apply', 'drift', 'issue']),
    )
    expect(gitlabPipeline(GITLAB, 'a: { script: [x], artifcts: {} }')).toContain(
      "'artifcts' property is not expected",
    )
  })

  test('plans with a token that reads, comments, applies, and approves by a digest', async () => {
    const { sandbox, cwd, env } = await aProject(GITLAB)
    const variables = { ...env, TFE_TOKEN_READ: 'reads', GITLAB_CI: 'true' }
    const plan = jobIn(pipeline, 'plan')
    expect((await runScript(plan, cwd, variables)).code).toBe(0)
    for (const path of plan.artifacts?.paths ?? []) expect(readFileSync(join(cwd, path), 'utf8')).not.toBe('')
    expect(plan.artifacts?.reports).toEqual({ terraform: 'widget.json' })
    expect(JSON.parse(readFileSync(join(cwd, 'widget.json'), 'utf8'))).toEqual({
      create: 1,
      update: 0,
      delete: 0,
    })

    const notes = '/api/v4/projects/42/merge_requests/3/notes'
    const body = readFileSync(join(cwd, 'plan.md'), 'utf8')
    const forge = await recorded('comments', [
      {
        expect: `GET ${notes}?per_page=100&page=1&order_by=created_at&sort=asc`,
        answer: { status: 200, body: [] },
      },
      { expect: `POST ${notes}`, body: { body }, answer: { status: 201, body: {} } },
    ])
    const comment = await runScript(jobIn(pipeline, 'comment'), cwd, {
      ...variables,
      CI_API_V4_URL: `${forge.url}/api/v4`,
      CI_PROJECT_ID: '42',
      CI_MERGE_REQUEST_IID: '3',
      SETPOINT_COMMENT_TOKEN: 'comments',
    })
    expect({ code: comment.code, requests: forge.seen.length }).toEqual({ code: 0, requests: 2 })

    const apply = (more = {}) =>
      runScript(jobIn(pipeline, 'apply'), cwd, { ...env, TFE_TOKEN: sandbox.token, DEPLOY_KEY: 'x', ...more })
    expect((await apply({ SETPOINT_APPROVE: '' })).code).toBe(0)
    expect((sandbox.snapshot().sets ?? []).map(({ name }) => name)).toEqual(['region'])
    writeFileSync(join(cwd, 'sets/region.yaml'), 'removed: [region]\n')
    const blocked = await apply()
    const digest = /--approve ([0-9a-f]{64})/.exec(blocked.output)?.[1] ?? ''
    expect([blocked.code, (await apply({ SETPOINT_APPROVE: digest })).code]).toEqual([4, 0])
    expect(sandbox.snapshot().sets ?? []).toEqual([])
  })

  test('has one issue for drift: opened, kept up to date, closed; and left alone where it could not be told', async () => {
    const { sandbox, cwd, env, calls, path } = await aProject(GITLAB)
    const variables = {
      ...env,
      CI_PROJECT_ID: '42',
      CI_SERVER_URL: 'https://gitlab.example',
      SETPOINT_COMMENT_TOKEN: 't',
    }
    const night = async (token = 'reads'): Promise<string[]> => {
      const before = calls().length
      const drift = await runScript(jobIn(pipeline, 'drift'), cwd, { ...variables, TFE_TOKEN_READ: token })
      // The forge starts no job whose needs failed.
      if (drift.code !== 0) return [`exit ${drift.code}`]
      expect((await runScript(jobIn(pipeline, 'issue'), cwd, variables)).code).toBe(0)
      return calls().slice(before + 2)
    }
    const apply = () =>
      run(['apply', '--auto-approve'], {
        cwd,
        env: { TFE_ADDRESS: env.TFE_ADDRESS, TFE_TOKEN: sandbox.token, SETPOINT_SECRET_DEPLOY_KEY: 'x' },
      })
    await runScript({ script: ['npm ci'] }, cwd, env)
    expect(await night()).toEqual([
      'glab api --method POST projects/42/issues --raw-field title=The service differs from the files --raw-field labels=setpoint-drift --field description=@drift.md',
    ])
    writeFileSync(
      join(path, 'open'),
      '[{"id":9000,"iid":12,"project_id":42,"milestone":{"id":1,"iid":77}}]\n',
    )
    expect(await night()).toEqual([
      'glab api --method PUT projects/42/issues/12 --field description=@drift.md',
    ])
    expect(await night('wrong')).toEqual(['exit 1'])
    expect((await apply()).code).toBe(0)
    expect(await night()).toEqual([
      'glab api --method PUT projects/42/issues/12 --raw-field state_event=close',
    ])
    writeFileSync(join(path, 'open'), '[]\n')
    expect(await night()).toEqual([])
  })
})
