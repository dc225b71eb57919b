import { expect, test } from 'vitest'
import { reviewed, sha, somePlans, TOKEN } from './merges.ts'
import type { Route } from './routes.ts'

const AT = 'GET /api/v4/projects/42'
const REQUEST = `${AT}/merge_requests/3`

const request = (more: object = {}) => ({
  iid: 3,
  state: 'merged',
  target_branch: 'main',
  target_project_id: 42,
  source_project_id: 42,
  sha: sha('1'),
  merge_commit_sha: sha('c'),
  squash_commit_sha: null,
  author: { id: 5 },
  merged_at: '2026-11-22T10:00:00Z',
  changes_count: '1',
  ...more,
})
const aPlan = (id: number, at = '09:05') => ({
  id,
  name: 'plan',
  status: 'success',
  finished_at: `2026-11-22T${at}:00Z`,
})
const pipeline = (id: number, commit: string, more: object = {}) => ({
  id,
  project_id: 42,
  ref: 'refs/merge-requests/3/head',
  sha: commit,
  ...more,
})

async function gitlab(more: Record<string, Route> = {}, merged = request()): Promise<Record<string, Route>> {
  const { plan } = await somePlans()
  return {
    [AT]: { id: 42, default_branch: 'main' },
    [`${AT}/repository/branches/main`]: { commit: { id: sha('c') } },
    [`${AT}/repository/commits?ref_name=${sha('c')}&first_parent=true`]: [
      { id: sha('c'), parent_ids: [sha('b'), sha('1')] },
      { id: sha('b'), parent_ids: [sha('a')] },
    ],
    [`${AT}/repository/commits/${sha('c')}/merge_requests`]: [merged],
    [`${AT}/pipelines?ref=main&order_by=id&sort=desc`]: [
      pipeline(92, sha('f'), { project_id: 43, ref: 'main' }),
      pipeline(91, sha('e'), { ref: 'main' }),
      pipeline(90, sha('b'), { ref: 'main' }),
    ],
    [`${AT}/pipelines/91/jobs?include_retried=true`]: [
      { id: 1, name: 'apply', status: 'failed' },
      { id: 2, name: 'plan', status: 'success' },
    ],
    [`${AT}/pipelines/90/jobs?include_retried=true`]: [{ id: 3, name: 'apply', status: 'success' }],
    [REQUEST]: merged,
    [`${REQUEST}/diffs`]: [{ old_path: 'sets/a.yaml', new_path: 'sets/a.yaml' }],
    [`${REQUEST}/pipelines`]: [
      pipeline(80, sha('1')),
      pipeline(79, sha('2')),
      pipeline(99, sha('1'), { ref: 'feature' }),
    ],
    [`${AT}/pipelines/80/jobs?include_retried=true`]: [
      aPlan(800),
      { id: 799, name: 'plan', status: 'failed' },
    ],
    [`${AT}/jobs/800/artifacts/plan.json`]: { status: 200, body: Buffer.from(plan) },
    ...more,
  }
}

const ask = (table: Record<string, Route>, more: Parameters<typeof reviewed>[1] = {}) =>
  reviewed(table, {
    ...more,
    env: {
      GITLAB_CI: 'true',
      GITHUB_ACTIONS: '',
      CI_PROJECT_ID: '42',
      CI_COMMIT_SHA: sha('c'),
      GITHUB_SHA: '',
      GITHUB_TOKEN: '',
      SETPOINT_FORGE_TOKEN: TOKEN,
      CI_JOB_TOKEN: 'not-for-this',
      ...more.env,
    },
  })

test('finds the saved plan of the merge request that a merge commit belongs to', async () => {
  const { code, stdout, stderr, files, seen } = await ask(await gitlab())
  expect({ code, stderr, stdout }).toEqual({
    code: 0,
    stderr: '',
    stdout: 'Found the reviewed plan of merge request 3. Applied last: bbbbbbbbbbbb.\n',
  })
  expect(Object.keys(files)).toEqual(['001-3.json', 'base', 'numbers', 'state'])
  expect(seen.filter(line => !line.startsWith('GET ') || line.includes('another token'))).toEqual([])
})

test('finds the plan after a squash and after a fast-forward', async () => {
  for (const merged of [
    request({ merge_commit_sha: null, squash_commit_sha: sha('c') }),
    request({ merge_commit_sha: null, sha: sha('c') }),
  ]) {
    const more = { [`${REQUEST}/pipelines`]: [pipeline(80, merged.sha)] }
    expect((await ask(await gitlab(more, merged))).code).toBe(0)
  }
})

test('accepts a pipeline of the merged result or of a merge train if it contains the last commit', async () => {
  const tried = (parents: readonly string[], ref: string) => ({
    [`${REQUEST}/pipelines`]: [pipeline(80, sha('8'), { ref })],
    [`${AT}/repository/commits/${sha('8')}`]: { parent_ids: parents },
  })
  const codes = []
  for (const [parents, ref] of [
    [[sha('b'), sha('1')], 'refs/merge-requests/3/merge'],
    [[sha('b'), sha('1')], 'refs/merge-requests/3/train'],
    [[sha('b'), sha('2')], 'refs/merge-requests/3/merge'],
    [[sha('b'), sha('1')], 'feature'],
    [[sha('b'), sha('1')], 'refs/merge-requests/4/merge'],
  ] as const)
    codes.push((await ask(await gitlab(tried(parents, ref)))).code)
  expect(codes).toEqual([0, 0, 4, 4, 4])
})

test.each<[string, Record<string, Route>, object, string]>([
  [
    'no merge request',
    { [`${AT}/repository/commits/${sha('c')}/merge_requests`]: [] },
    {},
    'No merged pull or merge',
  ],
  [
    'two merge requests',
    { [`${AT}/repository/commits/${sha('c')}/merge_requests`]: [request(), request({ iid: 4 })] },
    {},
    'more than one',
  ],
  ['an open merge request', {}, { state: 'opened' }, 'No merged pull or merge'],
  ['a merge request into another branch', {}, { target_branch: 'x' }, 'No merged pull or merge'],
  ['a merge request of a fork', {}, { source_project_id: 43 }, 'is from a fork'],
  [
    'a pipeline of a fork',
    { [`${REQUEST}/pipelines`]: [pipeline(80, sha('1'), { project_id: 43 })] },
    {},
    'no pipeline',
  ],
  ['a pipeline of another head', { [`${REQUEST}/pipelines`]: [pipeline(79, sha('2'))] }, {}, 'no pipeline'],
  ['no job', { [`${AT}/pipelines/80/jobs?include_retried=true`]: [] }, {}, 'has no job "plan"'],
  [
    'a job that failed',
    { [`${AT}/pipelines/80/jobs?include_retried=true`]: [{ id: 801, name: 'plan', status: 'failed' }] },
    {},
    'did not succeed',
  ],
  [
    'a job that was retried and failed',
    {
      [`${AT}/pipelines/80/jobs?include_retried=true`]: [
        aPlan(800),
        { id: 801, name: 'plan', status: 'failed' },
      ],
    },
    {},
    'did not succeed',
  ],
  [
    'a changed pipeline',
    { [`${REQUEST}/diffs`]: [{ old_path: '.gitlab-ci.yml', new_path: '.gitlab-ci.yml' }] },
    {},
    '.gitlab-ci.yml',
  ],
  ['more files than the forge lists', {}, { changes_count: '1000+' }, 'more files than the forge lists'],
])('returns no plan for %s', async (_, more, merged, message) => {
  const approvals = { [`${REQUEST}/versions`]: [], [`${REQUEST}/approvals`]: { approved_by: [] } }
  const { code, files, stderr } = await ask(await gitlab({ ...approvals, ...more }, request(merged)))
  expect({ code, files: Object.keys(files) }).toEqual({ code: 4, files: ['numbers'] })
  expect(stderr).toContain(message)
})

test('returns no plan if the artifact has expired, and an error if the token lacks a permission', async () => {
  const { [`${AT}/jobs/800/artifacts/plan.json`]: _, ...gone } = await gitlab()
  const { code, stderr } = await ask(gone)
  expect([code, stderr.includes('has no plan.json, or it has expired')]).toEqual([4, true])
  const forbidden = await ask(await gitlab({ [AT]: { status: 403, body: { error: 'insufficient_scope' } } }))
  expect([forbidden.code, forbidden.stderr.includes('read_api')]).toEqual([1, true])
  const none = await ask(await gitlab(), { env: { SETPOINT_FORGE_TOKEN: '' } })
  expect([none.code, none.stderr.includes('CI_JOB_TOKEN cannot read merge requests')]).toEqual([1, true])
})

test('returns the plan of a request that changes the pipeline if somebody else approved it after the last push', async () => {
  const codeFor = async (approved: readonly object[], head = sha('1')) =>
    (
      await ask(
        await gitlab({
          [`${REQUEST}/diffs`]: [{ old_path: 'x', new_path: 'setpoint.yaml' }],
          [`${REQUEST}/versions`]: [
            { head_commit_sha: head, created_at: '2026-11-22T10:00:00Z' },
            { head_commit_sha: sha('2'), created_at: '2026-11-22T09:00:00Z' },
          ],
          [`${REQUEST}/approvals`]: { approved_by: approved },
        }),
      )
    ).code
  const by = (id: number, at: string) => ({ user: { id }, approved_at: `2026-11-22T${at}:00Z` })
  expect(await codeFor([by(6, '10:01')])).toBe(0)
  expect(await codeFor([])).toBe(4)
  expect(await codeFor([by(5, '10:01')])).toBe(4)
  expect(await codeFor([by(6, '09:59')])).toBe(4)
  expect(await codeFor([{ user: { id: 6 } }])).toBe(4)
  const bot = { id: 6, username: 'project_42_bot_0a1b' }
  expect(await codeFor([{ ...by(6, '10:01'), user: bot }])).toBe(4)
  expect(await codeFor([by(6, '10:01')], sha('2'))).toBe(4)
})

test('returns no plan that was made after the merge, or again after the approval', async () => {
  const jobs = `${AT}/pipelines/80/jobs?include_retried=true`
  const changed = (at: string | undefined) => ({
    [`${REQUEST}/versions`]: [{ head_commit_sha: sha('1'), created_at: '2026-11-22T09:00:00Z' }],
    [`${REQUEST}/approvals`]: {
      approved_by: at === undefined ? [] : [{ user: { id: 6 }, approved_at: `2026-11-22T${at}:00Z` }],
    },
  })
  const codeFor = async (more: Record<string, Route>) => (await ask(await gitlab(more))).code
  expect(await codeFor({ [jobs]: [aPlan(800, '10:01')], ...changed('10:02') })).toBe(4)
  expect(await codeFor({ [jobs]: [{ ...aPlan(800), finished_at: null }] })).toBe(4)
  const retried = [aPlan(800, '09:20'), aPlan(799)]
  expect(await codeFor({ [jobs]: retried, ...changed(undefined) })).toBe(4)
  expect(await codeFor({ [jobs]: retried, ...changed('09:10') })).toBe(4)
  expect(await codeFor({ [jobs]: retried, ...changed('09:21') })).toBe(0)
  const twice = { [`${REQUEST}/pipelines`]: [pipeline(80, sha('1')), pipeline(79, sha('1'))] }
  expect(await codeFor({ ...twice, ...changed('09:01') })).toBe(4)
  expect(await codeFor({ ...twice, ...changed('09:06') })).toBe(0)
  const train = {
    [`${REQUEST}/pipelines`]: [
      pipeline(80, sha('8'), { ref: 'refs/merge-requests/3/train' }),
      pipeline(79, sha('1')),
    ],
    [`${AT}/repository/commits/${sha('8')}`]: { parent_ids: [sha('b'), sha('1')] },
  }
  expect(await codeFor({ ...train, ...changed(undefined) })).toBe(0)
})

test('a change of the pipeline file needs approval, whatever the name of the file', async () => {
  const diffs = { [`${REQUEST}/diffs`]: [{ old_path: 'ci/main.yml', new_path: 'ci/main.yml' }] }
  const approvals = { [`${REQUEST}/versions`]: [], [`${REQUEST}/approvals`]: { approved_by: [] } }
  const table = await gitlab({ ...diffs, ...approvals })
  expect((await ask(table)).code).toBe(0)
  expect((await ask(table, { env: { CI_CONFIG_PATH: 'ci/main.yml' } })).code).toBe(4)
})
