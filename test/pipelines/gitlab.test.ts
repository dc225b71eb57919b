import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { pipelineOf } from '../../src/export/new-files.ts'
import { recorded } from '../forge/recorded.ts'
import { routes } from '../forge/routes.ts'
import { gitlabPipeline } from '../support/forge-schemas.ts'
import { aDirectory, run } from '../support/program.ts'
import { SERVICE_TOKENS } from '../support/service-tokens.ts'
import { expectDocument, replay } from '../support/transcript.ts'
import { environmentNoted } from '../support/workflow.ts'
import { type IssueState, issueExchanges, jobIn, mergedOnGitlab, runScript } from './gitlab-jobs.ts'
import { aProject, GITLAB, ROOT } from './project.ts'

/**
 * Checks the example for GitLab against GitLab's schema, and runs its commands in a real shell with a listening sandbox. Needs a build.
 */
test('the README shows what the merge request widget reads', async () => {
  const readme = join(GITLAB, 'README.md')
  expectDocument(readme, await replay(readFileSync(readme, 'utf8'), { cwd: aDirectory({ copyOf: GITLAB }) }))
})

const COMPONENT = gitlabPipeline(
  { templates: join(ROOT, 'templates') },
  `include: [{ local: templates/setpoint/template.yml, inputs: { image: "node@sha256:${'a'.repeat(64)}" } }]\nstages: [test, deploy]\n`,
)

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
    const written = pipelineOf('gitlab', {})?.text ?? ''
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

  describe('with --snapshot', () => {
    const text = pipelineOf('gitlab', { snapshot: true })?.text ?? ''
    const own = gitlabPipeline(
      GITLAB,
      text.replaceAll(
        '# Before the apply, export the secrets that the files reference: setpoint secrets --format gitlab',
        '- export SETPOINT_SECRET_DEPLOY_KEY="$DEPLOY_KEY"',
      ),
    )

    test('only jobs of the default branch name a token of the service', () => {
      if (typeof own === 'string') throw new Error(own)
      const holding = Object.entries(own).filter(([, job]) => JSON.stringify(job).includes('TFE_TOKEN_READ'))
      expect(holding.map(([name]) => name).toSorted()).toEqual(['drift', 'replan', 'snapshot'])
      expect(JSON.stringify(own.plan)).not.toContain('TFE_TOKEN')
      expect(own.snapshot).toMatchObject({
        rules: [
          {
            if: '$CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH && ($CI_PIPELINE_SOURCE == "push" || $CI_PIPELINE_SOURCE == "schedule")',
            when: 'always',
          },
        ],
        needs: [{ job: 'apply', optional: true }],
      })
      expect(text).toContain('#   TFE_TOKEN_READ          only reads variables; protected\n')
    })

    test('a merge applies exactly the plan that was made from the snapshot', async () => {
      const { sandbox, cwd, env } = await aProject(GITLAB)
      const job = (name: string, more: Readonly<Record<string, string>>) =>
        runScript(jobIn(own, name), cwd, { ...env, GITLAB_CI: 'true', CI_PROJECT_ID: '42', ...more })
      expect((await job('snapshot', { TFE_TOKEN_READ: 'reads' })).code).toBe(0)
      const body = readFileSync(join(cwd, 'snapshot.json'))
      rmSync(join(cwd, 'snapshot.json'))
      const artifact = '/api/v4/projects/42/jobs/artifacts/main/raw/snapshot.json?job=snapshot'
      const server = createServer(({ url, headers }, response) => {
        const isKnown = url === artifact && headers['job-token'] === 'job'
        response.writeHead(isKnown ? 200 : 404).end(isKnown ? body : '{}')
      })
      await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
      onTestFinished(() => void server.close())
      const address = server.address()
      if (address === null || typeof address === 'string') throw new Error('the server has no port')
      const api = `http://127.0.0.1:${address.port}/api/v4`
      const planning = { CI_DEFAULT_BRANCH: 'main', CI_API_V4_URL: api, TFE_ADDRESS: '' }
      const missing = await job('plan', { ...planning, CI_JOB_TOKEN: 'job', CI_PROJECT_ID: '43' })
      expect([missing.code === 0, missing.output]).toEqual([
        false,
        expect.stringContaining('There is no snapshot (404): the next pipeline of main makes one.'),
      ])
      expect((await job('plan', { ...planning, CI_JOB_TOKEN: 'job' })).code).toBe(0)
      const commit = (ref: string): string =>
        execFileSync('git', ['rev-parse', ref], { cwd, encoding: 'utf8' }).trim()
      const [tip, base] = [commit('HEAD'), commit('HEAD^1')]
      const table = mergedOnGitlab({ tip, base, plan: readFileSync(join(cwd, 'plan.json')) }, {})
      const forge = await routes('forge', () => table)
      const onMain = {
        TFE_TOKEN: sandbox.token,
        DEPLOY_KEY: 'x',
        CI_API_V4_URL: `${forge.url}/api/v4`,
        CI_COMMIT_SHA: tip,
        CI_PIPELINE_SOURCE: 'push',
        SETPOINT_FORGE_TOKEN: 'forge',
      }
      expect((await job('reviewed', onMain)).code).toBe(0)
      expect((await job('apply', onMain)).code).toBe(0)
      expect((sandbox.snapshot().sets ?? []).map(set => set.name)).toContain('region')
    })
  })

  test('with PLAN_MODE, plans a merge request alone', async () => {
    expect(pipeline).toMatchObject({ variables: { PLAN_MODE: '' } })
    const { cwd, variables } = await aMerge()
    const alone = { ...variables, PLAN_MODE: '--only-this-change' }
    expect((await runScript(jobIn(pipeline, 'plan'), cwd, alone)).code).toBe(0)
    expect(JSON.parse(readFileSync(join(cwd, 'plan.json'), 'utf8')).onlyThisChange).toMatchObject({
      drift: [{ what: 'missing' }],
    })
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

  test('takes no file of the repository for a reviewed plan', async () => {
    const { cwd, job } = await aMerge()
    const allowed = jobIn(pipeline, 'reviewed').allow_failure
    expect(allowed).toEqual({ exit_codes: [4] })
    // GitLab does not start a job if a job that it needs failed with another code.
    mkdirSync(join(cwd, 'reviewed'))
    writeFileSync(join(cwd, 'reviewed/state'), 'ready\n')
    writeFileSync(join(cwd, 'reviewed/001-3.json'), readFileSync(join(cwd, 'plan.json')))
    expect((await job('reviewed')).code).toBe(1)
    rmSync(join(cwd, 'reviewed'), { recursive: true })
    for (const target of ['sets', 'nowhere', '/tmp']) {
      symlinkSync(target, join(cwd, 'reviewed'))
      expect((await job('reviewed')).code).toBe(1)
      rmSync(join(cwd, 'reviewed'))
    }
    expect((await job('reviewed')).code).toBe(0)
  })

  test('replaces links of the repository with the names of results', async () => {
    const { cwd, job } = await aMerge()
    expect((await job('reviewed')).code).toBe(0)
    for (const name of ['applied.md', 'code']) {
      writeFileSync(join(cwd, `${name}.txt`), '4\n')
      symlinkSync(`${name}.txt`, join(cwd, name))
    }
    expect((await job('apply')).code).toBe(0)
    for (const name of ['applied.md', 'code']) {
      expect(lstatSync(join(cwd, name)).isSymbolicLink()).toBe(false)
      expect(readFileSync(join(cwd, `${name}.txt`), 'utf8')).toBe('4\n')
    }
    expect(readFileSync(join(cwd, 'code'), 'utf8')).toBe('0\n')
  })

  test('comments on no merge request that only a file of the repository names', async () => {
    const { cwd, job } = await aMerge()
    mkdirSync(join(cwd, 'reviewed'))
    writeFileSync(join(cwd, 'reviewed/numbers'), '1\n2\n')
    const { code, output } = await job('replan', { CI_PIPELINE_SOURCE: 'web' })
    expect([code, existsSync(join(cwd, 'reviewed'))]).toEqual([0, false])
    expect(output).toContain('Created the comment on merge request 3 of project 42.')
    expect(output).not.toMatch(/merge_requests\/[12]\b/)
  })

  test('gives the job that reads the forge no token of the service', async () => {
    const { job } = await aMerge()
    const { env, noted } = environmentNoted(aDirectory())
    const tokens = {
      ...SERVICE_TOKENS,
      TFE_TOKEN_READ: 'x',
    }
    expect((await job('reviewed', { ...tokens, ...env })).code).toBe(0)
    const [line = ''] = noted().filter(one => one.startsWith('reviewed'))
    const names = line.split(': ')[1]?.split(' ') ?? []
    expect(names).toContain('SETPOINT_FORGE_TOKEN')
    expect(names.filter(name => name in tokens)).toEqual([])
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

  test('without a token for the issue, drift fails its job, and there is no job for the issue', async () => {
    const { cwd, env } = await aProject(GITLAB)
    const drift = jobIn(pipeline, 'drift')
    const variables = { ...env, TFE_TOKEN_READ: 'reads' }
    expect((await runScript(drift, cwd, variables)).code).toBe(1)
    expect((await runScript(drift, cwd, { ...variables, SETPOINT_COMMENT_TOKEN: 't' })).code).toBe(0)
    expect(jobIn(pipeline, 'issue').rules).toEqual([
      { if: '$SETPOINT_COMMENT_TOKEN && $CI_PIPELINE_SOURCE == "schedule"', when: 'always' },
    ])
  })

  test.each([
    ['this pipeline', pipeline, 'drift'],
    ['the component', COMPONENT, 'setpoint-drift'],
  ])('%s writes no result of drift through a link of the repository', async (_, jobs, name) => {
    const { cwd, env } = await aProject(GITLAB)
    writeFileSync(join(cwd, 'notes.txt'), '0\n')
    for (const result of ['drift.code', 'drift.md']) symlinkSync('notes.txt', join(cwd, result))
    const variables = { ...env, SETPOINT_DIRECTORY: '.', CI_PROJECT_DIR: cwd, TFE_TOKEN_READ: 'reads' }
    await runScript(jobIn(jobs, name), cwd, variables)
    const results = ['notes.txt', 'drift.code'].map(file => readFileSync(join(cwd, file), 'utf8'))
    expect(results).toEqual(['0\n', '2\n'])
    expect(lstatSync(join(cwd, 'drift.md')).isFile()).toBe(true)
  })

  test('opens, updates and closes an issue about drift, and one about a check that failed', async () => {
    const { sandbox, cwd, env } = await aProject(GITLAB)
    const night = async (issue: IssueState = {}, unchecked: IssueState = {}, token = 'reads') => {
      const own = { ...env, TFE_TOKEN_READ: token, SETPOINT_COMMENT_TOKEN: 't' }
      const drift = await runScript(jobIn(pipeline, 'drift'), cwd, own)
      const exchanges = issueExchanges(issue, unchecked, readFileSync(join(cwd, 'drift.md'), 'utf8'))
      const forge = await recorded('t', exchanges)
      const variables = {
        ...own,
        CI_PROJECT_ID: '42',
        CI_API_V4_URL: `${forge.url}/api/v4`,
      }
      const { code, output } = await runScript(jobIn(pipeline, 'issue'), cwd, variables)
      expect([code, forge.seen, output]).toEqual([0, exchanges.map(({ expect: line }) => line), ''])
      return drift.code
    }
    const apply = () =>
      run(['apply', '--auto-approve'], {
        cwd,
        env: { TFE_ADDRESS: env.TFE_ADDRESS, TFE_TOKEN: sandbox.token, SETPOINT_SECRET_DEPLOY_KEY: 'x' },
      })
    await runScript({ script: ['npm ci'] }, cwd, env)
    expect(await night({ change: 'create' })).toBe(0)
    expect(await night({ open: 12, change: 'update' })).toBe(0)
    expect(await night({ open: 12 }, { change: 'create' }, 'wrong')).toBe(1)
    expect(readFileSync(join(cwd, 'drift.md'), 'utf8')).toContain('401')
    expect(await night({ open: 12 }, { open: 13, change: 'update' }, 'wrong')).toBe(1)
    expect((await apply()).code).toBe(0)
    expect(await night({ open: 12, change: 'close' }, { open: 13, change: 'close' })).toBe(0)
    expect(await night()).toBe(0)
  })

  test('says that the check did not begin if there is no result', async () => {
    const { cwd, env } = await aProject(GITLAB)
    const exchanges = issueExchanges(
      { open: 12 },
      { change: 'create' },
      'The job ended before the check: see its log.',
    )
    const forge = await recorded('t', exchanges)
    const variables = {
      ...env,
      CI_PROJECT_ID: '42',
      CI_API_V4_URL: `${forge.url}/api/v4`,
      SETPOINT_COMMENT_TOKEN: 't',
    }
    const { code, output } = await runScript(jobIn(pipeline, 'issue'), cwd, variables)
    expect([code, output, forge.seen]).toEqual([0, '', exchanges.map(({ expect: line }) => line)])
  })

  test('fails the job of the issue if GitLab refuses', async () => {
    const { cwd, env } = await aProject(GITLAB)
    for (const [name, text] of [
      ['drift.code', '2\n'],
      ['drift.md', 'drift'],
    ] as const)
      writeFileSync(join(cwd, name), text)
    const [asked] = issueExchanges({})
    const forge = await recorded('t', [{ expect: asked?.expect ?? '', answer: { status: 403, body: {} } }])
    const variables = {
      ...env,
      CI_PROJECT_ID: '42',
      CI_API_V4_URL: `${forge.url}/api/v4`,
      SETPOINT_COMMENT_TOKEN: 't',
    }
    const { code, output } = await runScript(jobIn(pipeline, 'issue'), cwd, variables)
    expect([code, output]).toEqual([1, expect.stringContaining(': 403')])
  })
})
