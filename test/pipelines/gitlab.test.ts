import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { recorded } from '../forge/recorded.ts'
import { routes } from '../forge/routes.ts'
import { gitlabPipeline } from '../support/forge-schemas.ts'
import { aDirectory, run } from '../support/program.ts'
import { expectDocument, replay } from '../support/transcript.ts'
import { jobIn, mergedOnGitlab, runScript } from './gitlab-jobs.ts'
import { aProject, GITLAB, ROOT } from './project.ts'

/**
 * Checks the example for GitLab against GitLab's schema, and runs its commands in a real shell with a listening sandbox. Needs a build.
 */
test('the README shows what the merge request widget reads', async () => {
  const readme = join(GITLAB, 'README.md')
  expectDocument(readme, await replay(readFileSync(readme, 'utf8'), { cwd: aDirectory({ copyOf: GITLAB }) }))
})

describe('the pipeline for GitLab', () => {
  const pipeline = gitlabPipeline(GITLAB)

  test("is valid for GitLab's schema, and the schema check finds mistakes", () => {
    expect(typeof pipeline === 'string' ? pipeline : Object.keys(pipeline)).toEqual(
      expect.arrayContaining([
        'plan',
        'comment',
        'reviewed',
        'apply',
        'replan',
        'approve',
        'report',
        'drift',
        'issue',
      ]),
    )
    expect(gitlabPipeline(GITLAB, 'a: { script: [x], artifcts: {} }')).toContain(
      "'artifcts' property is not expected",
    )
  })

  test('is the pipeline that init writes, plus the secret of the example', () => {
    const written = readFileSync(join(ROOT, 'pipelines/gitlab.yml'), 'utf8')
    const comment =
      '# Before the apply, export the secrets that the files reference: setpoint secrets --format gitlab'
    expect(readFileSync(join(GITLAB, '.gitlab-ci.yml'), 'utf8')).toBe(
      written.replaceAll(comment, '- export SETPOINT_SECRET_DEPLOY_KEY="$DEPLOY_KEY"'),
    )
  })

  /** A merge request with its plan, and the responses of GitLab after the merge. */
  async function aMerge(request: object = {}) {
    const { sandbox, cwd, env } = await aProject(GITLAB)
    const variables = { ...env, TFE_TOKEN_READ: 'reads', GITLAB_CI: 'true', CI_PROJECT_ID: '42' }
    const plan = jobIn(pipeline, 'plan')
    expect((await runScript(plan, cwd, variables)).code).toBe(0)
    for (const path of plan.artifacts?.paths ?? []) expect(readFileSync(join(cwd, path), 'utf8')).not.toBe('')
    const commit = (ref: string): string =>
      execFileSync('git', ['rev-parse', ref], { cwd, encoding: 'utf8' }).trim()
    const [tip, base] = [commit('HEAD'), commit('HEAD^1')]
    const table = mergedOnGitlab({ tip, base, plan: readFileSync(join(cwd, 'plan.json')) }, request)
    const forge = await routes('forge', () => table)
    const onMain = {
      ...variables,
      TFE_TOKEN: sandbox.token,
      DEPLOY_KEY: 'x',
      CI_API_V4_URL: `${forge.url}/api/v4`,
      CI_COMMIT_SHA: tip,
      CI_PIPELINE_SOURCE: 'push',
      SETPOINT_FORGE_TOKEN: 'forge',
      SETPOINT_COMMENT_TOKEN: 'forge',
    }
    const job = (name: string, more: Readonly<Record<string, string>> = {}) =>
      runScript(jobIn(pipeline, name), cwd, { ...onMain, ...more })
    return { sandbox, cwd, job, plan, variables, table }
  }

  test('plans with a read-only token, and comments on the merge request', async () => {
    const { cwd, plan, variables } = await aMerge()
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
      CI_MERGE_REQUEST_IID: '3',
      SETPOINT_COMMENT_TOKEN: 'comments',
    })
    expect({ code: comment.code, requests: forge.seen.length }).toEqual({ code: 0, requests: 2 })
  })

  test('applies the reviewed plan, and comments the result on the merge request', async () => {
    const { sandbox, cwd, job } = await aMerge()
    expect([(await job('reviewed')).code, (await job('apply')).code]).toEqual([0, 0])
    expect((sandbox.snapshot().sets ?? []).map(({ name }) => name)).toContain('region')
    const report = await job('report')
    expect([
      report.code,
      report.output.includes('Created the comment on merge request 3 of project 42.'),
    ]).toEqual([0, true])
    // Files of the repository cannot pass a digest to the reviewer.
    writeFileSync(join(cwd, 'digest'), `${'a'.repeat(64)}\n`)
    expect((await job('replan')).code).toBe(0)
    expect(readFileSync(join(cwd, 'digest'), 'utf8')).toBe('')
    expect((await job('approve')).code).toBe(4)
  })

  test('never posts a report file from the repository on a merge request', async () => {
    const { cwd, job, table } = await aMerge()
    for (const name of ['applied.md', 'approved.md', 'code'])
      writeFileSync(join(cwd, name), '<!-- setpoint:acme/network -->\nAll is well.\n')
    Object.assign(table, {
      'GET /api/v4/projects/42/repository/branches/main': { commit: { id: 'f'.repeat(40) } },
    })
    expect([(await job('reviewed')).code, (await job('apply')).code, (await job('approve')).code]).toEqual([
      0, 4, 4,
    ])
    for (const name of ['report', 'report-approved']) {
      const { code, output } = await job(name)
      expect([code, output.includes('comment on')]).toEqual([0, false])
    }
  })

  test('leaves unreviewed changes to a reviewer, and accepts only the digest of the plan that is shown', async () => {
    const { sandbox, cwd, job } = await aMerge({ source_project_id: 43 })
    expect([(await job('reviewed')).code, (await job('apply')).code]).toEqual([4, 4])
    expect(readFileSync(join(cwd, 'reviewed/numbers'), 'utf8')).toBe('3\n')
    // Merge request 2 was merged earlier and cannot be commented on.
    writeFileSync(join(cwd, 'reviewed/numbers'), '2\n3\n')
    const replan = await job('replan')
    expect(replan.code).toBe(0)
    expect(replan.output).toContain('Created the comment on merge request 3 of project 42.')
    writeFileSync(join(cwd, 'reviewed/numbers'), '3\n')
    writeFileSync(join(cwd, 'sets/other.yaml'), 'variableSets: { other: { env: { A: 1 } } }\n')
    expect((await job('approve')).code).toBe(4)
    expect(sandbox.snapshot().sets ?? []).toEqual([])
    rmSync(join(cwd, 'sets/other.yaml'))
    expect((await job('approve')).code).toBe(0)
    expect((sandbox.snapshot().sets ?? []).map(({ name }) => name)).toContain('region')
    expect((await job('report-approved')).code).toBe(0)
    expect(jobIn(pipeline, 'apply').allow_failure).toEqual({ exit_codes: [4] })
  })

  test('comments why planning again failed, and leaves nothing to approve', async () => {
    const { cwd, job } = await aMerge({ source_project_id: 43 })
    expect([(await job('reviewed')).code, (await job('apply')).code]).toEqual([4, 4])
    writeFileSync(join(cwd, 'sets/other.yaml'), 'variableSets: { other: { envv: {} } }\n')
    const replan = await job('replan')
    expect(replan.code).toBe(1)
    expect(replan.output).toContain('Created the comment on merge request 3 of project 42.')
    expect(readFileSync(join(cwd, 'replanned.md'), 'utf8')).toContain('### Setpoint: the plan failed')
    expect((await job('approve')).code).toBe(4)
  })

  test('applies nothing if a job of an older commit is restarted', async () => {
    const { sandbox, cwd, job, table } = await aMerge()
    expect((await job('reviewed')).code).toBe(0)
    Object.assign(table, {
      'GET /api/v4/projects/42/repository/branches/main': { commit: { id: 'f'.repeat(40) } },
    })
    expect((await job('apply')).code).toBe(4)
    rmSync(join(cwd, 'reviewed'), { recursive: true })
    expect((await job('reviewed')).code).toBe(0)
    expect((await job('apply')).code).toBe(4)
    expect(sandbox.snapshot().sets ?? []).toEqual([])
  })

  test('gives the write token only to the two environments', () => {
    const environments = Object.entries(pipeline).flatMap(([name, job]) =>
      typeof job === 'object' && job !== null && 'environment' in job ? [[name, job.environment]] : [],
    )
    expect(environments).toEqual([
      ['apply', expect.objectContaining({ name: 'setpoint-apply' })],
      ['approve', expect.objectContaining({ name: 'setpoint-approve' })],
    ])
  })

  test('opens, updates and closes one issue about drift, and leaves it alone if the check fails', async () => {
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
      // GitLab does not start a job if a job that it needs failed.
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
