import { expect, test } from 'vitest'
import { at, reviewed, sha, somePlans, TOKEN } from './merges.ts'
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
const aPlan = (id: number, time = '09:05', user = 5) => ({
  id,
  name: 'plan',
  status: 'success',
  finished_at: at(time),
  user: { id: user },
})
const pipeline = (id: number, commit: string, more: object = {}) => ({
  id,
  project_id: 42,
  ref: 'refs/merge-requests/3/head',
  sha: commit,
  source: 'merge_request_event',
  ...more,
})
const onMain = (id: number, commit: string, more: object = {}) =>
  pipeline(id, commit, { ref: 'main', source: 'push', ...more })
/** The key of the list of pipelines for a commit of the branch. */
const pipelinesOf = (commit: string, source: string) =>
  `${AT}/pipelines?ref=main&sha=${commit}&source=${source}`

const aCommit = (id: string, name = 'Alice', more: object = {}) => ({
  id,
  author_name: name,
  author_email: `${name.toLowerCase()}@corp.example`,
  committer_name: name,
  committer_email: `${name.toLowerCase()}@corp.example`,
  ...more,
})
/** Approvals of the last commit, which was pushed at 09:00. */
const approvedBy = (...approved: readonly object[]): Record<string, Route> => ({
  [`${REQUEST}/versions`]: [
    { head_commit_sha: sha('1'), created_at: at('09:00') },
    { head_commit_sha: sha('2'), created_at: at('08:00') },
  ],
  [`${REQUEST}/approvals`]: { approved_by: approved },
})
const bob = { id: 6, username: 'bob', name: 'Bob Builder' }
const by = (user: object, time: string) => ({ user, approved_at: at(time) })
const GUARDED = { [`${REQUEST}/diffs`]: [{ old_path: 'x', new_path: 'setpoint.yaml' }] }

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
    [pipelinesOf(sha('c'), 'push')]: [
      // Only the last one counts, and its apply failed.
      onMain(90, sha('c'), { project_id: 43 }),
      onMain(90, sha('c'), { source: 'schedule' }),
      onMain(90, sha('c'), { ref: 'other' }),
      onMain(90, sha('9')),
      onMain(91, sha('c')),
    ],
    [pipelinesOf(sha('c'), 'web')]: [],
    [pipelinesOf(sha('b'), 'push')]: [onMain(90, sha('b'))],
    [`${AT}/pipelines/91/jobs?include_retried=true`]: [
      { id: 1, name: 'apply', status: 'failed' },
      { id: 2, name: 'plan', status: 'success' },
    ],
    [`${AT}/pipelines/90/jobs?include_retried=true`]: [{ id: 3, name: 'apply', status: 'success' }],
    [REQUEST]: merged,
    [`${REQUEST}/diffs`]: [{ old_path: 'sets/a.yaml', new_path: 'sets/a.yaml' }],
    [`${REQUEST}/commits`]: [aCommit(merged.sha)],
    ...approvedBy(),
    [`${REQUEST}/pipelines`]: [
      pipeline(80, sha('1')),
      pipeline(79, sha('2')),
      pipeline(99, sha('1'), { ref: 'feature' }),
    ],
    [`${AT}/pipelines/80/jobs?include_retried=true`]: [
      aPlan(800),
      { id: 799, name: 'plan', status: 'failed', user: { id: 5 } },
    ],
    [`${AT}/jobs/800/artifacts/.setpoint-ci/plan/plan.json`]: { status: 200, body: Buffer.from(plan) },
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

test('accepts a pipeline of the merged result if it contains the last commit', async () => {
  const tried = (parents: readonly string[], ref: string) => ({
    [`${REQUEST}/pipelines`]: [pipeline(80, sha('8'), { ref })],
    [`${AT}/repository/commits/${sha('8')}`]: { parent_ids: parents },
  })
  const codes = []
  for (const [parents, ref] of [
    [[sha('b'), sha('1')], 'refs/merge-requests/3/merge'],
    [[sha('b'), sha('2')], 'refs/merge-requests/3/merge'],
    [[sha('b'), sha('1')], 'feature'],
    [[sha('b'), sha('1')], 'refs/merge-requests/4/merge'],
    // A merge train plans after every approval.
    [[sha('b'), sha('1')], 'refs/merge-requests/3/train'],
  ] as const)
    codes.push((await ask(await gitlab(tried(parents, ref)))).code)
  expect(codes).toEqual([0, 4, 4, 4, 4])
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
  const { code, files, stderr } = await ask(await gitlab(more, request(merged)))
  expect({ code, files: Object.keys(files) }).toEqual({ code: 4, files: ['numbers'] })
  expect(stderr).toContain(message)
})

test('returns no plan if the artifact has expired, and an error if the token lacks a permission', async () => {
  const { [`${AT}/jobs/800/artifacts/.setpoint-ci/plan/plan.json`]: _, ...gone } = await gitlab()
  const { code, stderr } = await ask(gone)
  expect([code, stderr.includes('has no .setpoint-ci/plan/plan.json, or it has expired')]).toEqual([4, true])
  const forbidden = await ask(await gitlab({ [AT]: { status: 403, body: { error: 'insufficient_scope' } } }))
  expect([forbidden.code, forbidden.stderr.includes('read_api')]).toEqual([1, true])
  const none = await ask(await gitlab(), { env: { SETPOINT_FORGE_TOKEN: '' } })
  expect([none.code, none.stderr.includes('CI_JOB_TOKEN cannot read merge requests')]).toEqual([1, true])
})

test('returns the plan of a request that changes the pipeline if somebody else approved it after the last push', async () => {
  const codeFor = async (approved: readonly object[], more: Record<string, Route> = {}) =>
    (await ask(await gitlab({ ...GUARDED, ...approvedBy(...approved), ...more }))).code
  expect(await codeFor([by(bob, '09:10')])).toBe(0)
  expect(await codeFor([])).toBe(4)
  expect(await codeFor([by({ id: 5, username: 'alice', name: 'Alice' }, '09:10')])).toBe(4)
  expect(await codeFor([by(bob, '08:59')])).toBe(4)
  expect(await codeFor([{ user: bob }])).toBe(4)
  expect(await codeFor([by({ id: 6, username: 'project_42_bot_0a1b' }, '09:10')])).toBe(4)
  const moved = { [`${REQUEST}/versions`]: [{ head_commit_sha: sha('2'), created_at: at('09:00') }] }
  expect(await codeFor([by(bob, '09:10')], moved)).toBe(4)
})

test('names a file that was not renamed once', async () => {
  const diffs = { [`${REQUEST}/diffs`]: [{ old_path: '.gitlab-ci.yml', new_path: '.gitlab-ci.yml' }] }
  expect((await ask(await gitlab(diffs))).stderr).toContain(
    'merge request 3 changed ".gitlab-ci.yml". These files',
  )
})

test.each<[string, object, number]>([
  ['of another person', aCommit(sha('2'), 'Carol'), 0],
  ['with the name of the approver', aCommit(sha('2'), 'Bob Builder'), 4],
  ['with that name in another form', aCommit(sha('2'), ' bob BUILDER'), 4],
  ['with the user name of the approver', aCommit(sha('2'), 'bob'), 4],
  ['committed by the approver', aCommit(sha('2'), 'Alice', { committer_name: 'Bob Builder' }), 4],
  ['with an address of the approver', aCommit(sha('2'), 'B.', { author_email: 'bob@home.example' }), 4],
  [
    'with the private address of the approver',
    aCommit(sha('2'), 'B.', { author_email: '6-old-name@users.noreply.gitlab.com' }),
    4,
  ],
])('an approval counts beside a commit %s: exit %#', async (_, commit, code) => {
  const commits = { [`${REQUEST}/commits`]: [aCommit(sha('1')), commit] }
  expect((await ask(await gitlab({ ...GUARDED, ...approvedBy(by(bob, '09:10')), ...commits }))).code).toBe(
    code,
  )
})

test('the approval of who pushed the last commit does not count, whatever name the commit has', async () => {
  const jobs = (id: number) => `${AT}/pipelines/${id}/jobs?include_retried=true`
  const table = { ...GUARDED, ...approvedBy(by(bob, '09:10')) }
  const pushed = { ...table, [jobs(80)]: [aPlan(800, '09:05', 6)] }
  const { code, stderr } = await ask(await gitlab(pushed))
  expect([code, stderr.includes('nobody else approved the last commit')]).toEqual([4, true])
  // Somebody else who plans again does not change who pushed. Whoever plans again did not push.
  const retried = { ...table, [jobs(80)]: [aPlan(800), aPlan(799, '09:01', 6)] }
  expect((await ask(await gitlab(retried))).code).toBe(4)
  const twice = {
    ...table,
    [`${REQUEST}/pipelines`]: [pipeline(80, sha('1')), pipeline(79, sha('1'))],
    [jobs(79)]: [aPlan(790, '09:01', 6)],
  }
  expect((await ask(await gitlab(twice))).code).toBe(4)
  expect((await ask(await gitlab({ ...table, [jobs(80)]: [aPlan(800, '09:05', 6), aPlan(799)] }))).code).toBe(
    0,
  )
})

test('no approval counts if the commits are not all listed', async () => {
  const table = { ...GUARDED, ...approvedBy(by(bob, '09:10')), [`${REQUEST}/commits`]: [aCommit(sha('2'))] }
  expect((await ask(await gitlab(table))).code).toBe(4)
})

test('returns no plan that was made after the merge, or after the approval', async () => {
  const jobs = `${AT}/pipelines/80/jobs?include_retried=true`
  const codeFor = async (plans: readonly object[], approved?: string, more: Record<string, Route> = {}) =>
    (
      await ask(
        await gitlab({
          [jobs]: plans,
          ...(approved === undefined ? {} : approvedBy(by(bob, approved))),
          ...more,
        }),
      )
    ).code
  expect(await codeFor([aPlan(800, '10:01')], '10:02')).toBe(4)
  expect(await codeFor([{ ...aPlan(800), finished_at: null }])).toBe(4)
  const again = [aPlan(800, '09:20'), aPlan(799)]
  expect(await codeFor(again)).toBe(4)
  expect(await codeFor(again, '09:10')).toBe(4)
  expect(await codeFor(again, '09:20')).toBe(4)
  expect(await codeFor(again, '09:21')).toBe(0)
  // The first job or pipeline may have been deleted.
  expect(await codeFor([aPlan(800, '09:20')], '09:10')).toBe(4)
  const twice = {
    [`${REQUEST}/pipelines`]: [pipeline(80, sha('1')), pipeline(79, sha('1'))],
    [`${AT}/pipelines/79/jobs?include_retried=true`]: [aPlan(790, '09:01')],
  }
  expect(await codeFor([aPlan(800)], undefined, twice)).toBe(4)
  expect(await codeFor([aPlan(800)], '09:01', twice)).toBe(4)
  expect(await codeFor([aPlan(800)], '09:06', twice)).toBe(0)
  // The plan of the request counts, not the later one of a merge train.
  const train = {
    [`${REQUEST}/pipelines`]: [
      pipeline(81, sha('8'), { ref: 'refs/merge-requests/3/train' }),
      pipeline(80, sha('1')),
    ],
  }
  expect(await codeFor([aPlan(800)], undefined, train)).toBe(0)
  expect(await codeFor([aPlan(800)], '09:06', train)).toBe(0)
})

test('finds the last apply whoever started it, and not in a pipeline of a tag with the name of the branch', async () => {
  const web = {
    [pipelinesOf(sha('b'), 'push')]: [],
    [pipelinesOf(sha('b'), 'web')]: [onMain(90, sha('b'), { source: 'web' })],
  }
  expect((await ask(await gitlab(web))).stdout).toContain('Applied last: bbbbbbbbbbbb.')
  const job = { id: 3, name: 'apply', status: 'success' }
  const jobs = `${AT}/pipelines/91/jobs?include_retried=true`
  const applied = await ask(await gitlab({ [jobs]: [{ ...job, tag: false }] }))
  expect(applied.files).toEqual({ state: 'applied\n' })
  const ofTag = await ask(await gitlab({ [jobs]: [{ ...job, tag: true }] }))
  expect([ofTag.code, ofTag.files.state]).toEqual([0, 'ready\n'])
  const none = {
    [pipelinesOf(sha('b'), 'push')]: [],
    [pipelinesOf(sha('b'), 'web')]: [],
    [`${AT}/repository/commits/${sha('b')}/merge_requests`]: [],
  }
  const unknown = await ask(await gitlab(none))
  expect([unknown.code, unknown.stdout]).toEqual([
    0,
    'Found the reviewed plan of merge request 3. No earlier apply is known, so the base is the commit before it: bbbbbbbbbbbb.\n',
  ])
})

test('a change of the pipeline file needs approval, whatever the name of the file', async () => {
  const diffs = { [`${REQUEST}/diffs`]: [{ old_path: 'ci/main.yml', new_path: 'ci/main.yml' }] }
  const table = await gitlab(diffs)
  expect((await ask(table)).code).toBe(0)
  expect((await ask(table, { env: { CI_CONFIG_PATH: 'ci/main.yml' } })).code).toBe(4)
})
