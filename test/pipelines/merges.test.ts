import { describe, expect, test } from 'vitest'
import type { Transport } from '../../src/wire/transport.ts'
import { aStage, COLLEAGUE, type JobRun, type Stage, setsOf } from './stage.ts'
import type { ForgeKind, PipelineModel } from './stage-model.ts'

const CONFIGURATION = 'organization: acme\nowner: platform\n'
const FILES = { 'setpoint.yaml': CONFIGURATION }
const set = (name: string, value = 'eu-west-1'): string =>
  `variableSets: { ${name}: { env: { AWS_REGION: ${value} } } }\n`

/** The first apply: nobody reviewed the first commit, so a person approves it. */
async function started(kind: ForgeKind, files: Readonly<Record<string, string>> = FILES): Promise<Stage> {
  const stage = await aStage(kind, { ...files, 'sets/first.yaml': set('first') })
  const pipeline = stage.push({ 'README.md': 'sets\n' })
  await stage.job(pipeline, 'main')
  expect((await approved(stage, pipeline)).code).toBe(0)
  expect(setsOf(stage.sandbox)).toEqual(['first'])
  return stage
}

/** A person approves, and the job that then runs. */
async function approved(
  stage: Stage,
  pipeline: PipelineModel,
  user = COLLEAGUE,
  options: Parameters<Stage['job']>[2] = {},
): Promise<JobRun> {
  if (stage.kind === 'gitlab') return await stage.job(pipeline, 'approve', { ...options, user })
  pipeline.approvals.push({ user, type: 'User', environment: 'setpoint-approve' })
  return await stage.job(pipeline, 'apply', options)
}

/** A request that was planned and reported. */
async function planned(
  stage: Stage,
  changes: Readonly<Record<string, string | undefined>>,
  options: Parameters<Stage['job']>[2] = {},
) {
  const made = stage.propose(changes)
  const plan = await stage.job(made.pipeline, 'plan', options)
  const report = await stage.job(made.pipeline, 'report')
  return { ...made, plan, report }
}

const nextOf = ({ files }: JobRun): unknown => JSON.parse(files['handover.json'] ?? '{}').next

const commentsOf = ({ model }: Stage, number: number): string[] =>
  model.comments.filter(({ request }) => request === number).map(({ body }) => body)

const reportedOf = (stage: Stage, pipeline: PipelineModel): Promise<JobRun> =>
  stage.job(
    pipeline,
    stage.kind === 'gitlab' && pipeline.jobs.some(({ name }) => name === 'approve')
      ? 'reported-approved'
      : 'reported',
  )

describe.each<ForgeKind>(['github', 'gitlab'])('on %s', kind => {
  test('a request is planned and reported, merged, and exactly its plan is applied', async () => {
    const stage = await started(kind)
    const { request, plan, report } = await planned(stage, { 'sets/a.yaml': set('region') })
    expect([plan.code, report.code]).toEqual([0, 0])
    expect(Object.keys(plan.files).toSorted()).toEqual(
      ['handover.json', 'plan.html', 'plan.json', ...(kind === 'gitlab' ? ['widget.json'] : [])].toSorted(),
    )
    expect(commentsOf(stage, request.number)).toEqual([expect.stringContaining('region')])
    const pipeline = stage.merge(request)
    const main = await stage.job(pipeline, 'main')
    expect([main.code, nextOf(main), main.outputs]).toEqual([
      0,
      'apply',
      kind === 'github' ? 'next=apply\n' : '',
    ])
    expect((await stage.job(pipeline, 'report')).stdout).toBe('There is nothing to report.\n')
    expect((await stage.job(pipeline, 'apply')).code).toBe(0)
    expect(setsOf(stage.sandbox)).toEqual(['first', 'region'])
    await stage.job(pipeline, 'reported')
    expect(commentsOf(stage, request.number)).toEqual([expect.stringContaining('pplied')])
    // Started again: the commit is applied already.
    expect(nextOf(await stage.job(pipeline, 'main'))).toBeUndefined()
    expect((await stage.job(pipeline, 'apply')).code).toBe(4)
  })

  test('the first commit of a repository, which has none before it, waits for a person', async () => {
    const stage = await aStage(kind, { ...FILES, 'sets/first.yaml': set('first') })
    const pipeline = stage.start('push', stage.model.tip)
    expect(nextOf(await stage.job(pipeline, 'main'))).toBe('approve')
    expect((await approved(stage, pipeline)).code).toBe(0)
    expect(setsOf(stage.sandbox)).toEqual(['first'])
  })

  test('several merges are applied together, each with its comment', async () => {
    const stage = await started(kind)
    const one = await planned(stage, { 'sets/a.yaml': set('one') })
    const two = await planned(stage, { 'sets/b.yaml': set('two') })
    // The pipeline of the first one is replaced in the queue.
    const before = stage.merge(one.request)
    const pipeline = stage.merge(two.request)
    expect((await stage.job(before, 'main')).stdout).toContain('is not the newest commit of main')
    expect(nextOf(await stage.job(pipeline, 'main'))).toBe('apply')
    expect((await stage.job(pipeline, 'apply')).code).toBe(0)
    expect(setsOf(stage.sandbox)).toEqual(['first', 'one', 'two'])
    await stage.job(pipeline, 'reported')
    expect([7, 8].map(number => commentsOf(stage, number).at(-1))).toEqual([
      expect.stringContaining('pplied'),
      expect.stringContaining('pplied'),
    ])
  })

  test('what differs from the reviewed plan waits for a person, and the comment says so at once', async () => {
    const stage = await started(kind)
    const { request } = await planned(stage, { 'sets/first.yaml': set('first', 'us-east-1') })
    // Somebody changes the value by hand after the review.
    await stage.change('first', 'ap-south-1')
    const pipeline = stage.merge(request)
    const main = await stage.job(pipeline, 'main')
    expect([main.code, nextOf(main)]).toEqual([0, 'approve'])
    expect((await stage.job(pipeline, 'report')).code).toBe(0)
    const [comment] = commentsOf(stage, request.number)
    expect(comment).toContain('**Not applied: a second person has to approve this plan.**')
    expect(comment).toContain('The reviewed plan is out of date.')
    expect(comment).toContain(`[Approve or reject](https://`)
    // Nobody has approved it.
    const early = await stage.job(pipeline, 'apply')
    expect(early.code).toBe(4)
    expect(stage.valueOf('first')).toBe('ap-south-1')
    expect((await approved(stage, pipeline)).code).toBe(0)
    expect(stage.valueOf('first')).toBe('us-east-1')
    await reportedOf(stage, pipeline)
    expect(commentsOf(stage, request.number)).toEqual([expect.stringContaining('pplied')])
  })

  test('a file that decides needs an approval, and a push without a request a person', async () => {
    const stage = await started(kind)
    const { request } = await planned(stage, { 'sets/a.yaml': set('a'), 'package.json': '{}' })
    const pipeline = stage.merge(request)
    const main = await stage.job(pipeline, 'main')
    expect(nextOf(main)).toBe('approve')
    expect(main.stdout).toContain('"package.json". These files decide what runs')
    const second = await planned(stage, { 'sets/b.yaml': set('b'), 'package.json': '{"private":true}' })
    second.request.approvals.push({ user: COLLEAGUE, at: stage.model.now() })
    request.approvals.push({ user: COLLEAGUE, at: stage.model.now() })
    const later = stage.merge(second.request)
    // The first request was approved after its plan, too: both are applied.
    expect(nextOf(await stage.job(later, 'main'))).toBe('apply')
    const pushed = stage.push({ 'sets/c.yaml': set('c') })
    const last = await stage.job(pushed, 'main')
    expect(nextOf(last)).toBe('approve')
    expect(last.stdout).toContain('No merged pull or merge request contains')
    // The base is the last applied commit, so what was merged before it is of this change too.
    expect((await approved(stage, pushed)).code).toBe(0)
    expect(setsOf(stage.sandbox)).toEqual(['a', 'b', 'c', 'first'])
  })

  test('who approved is asked of the forge: not the person who merged, and no bot', async () => {
    const stage = await started(kind)
    const pipeline = stage.push({ 'sets/c.yaml': set('c') })
    await stage.job(pipeline, 'main')
    if (kind === 'github') {
      for (const approval of [
        { user: 9, type: 'Bot', environment: 'setpoint-approve' },
        { user: 9, type: 'User', environment: 'other' },
        { user: 9, type: 'User', environment: 'setpoint-approve', state: 'rejected' },
      ]) {
        pipeline.approvals.splice(0, 9, approval)
        const refused = await stage.job(pipeline, 'apply')
        expect([refused.code, refused.stderr]).toEqual([
          4,
          expect.stringContaining('Nobody approved this run.'),
        ])
      }
      pipeline.approvals.splice(0)
    } else {
      for (const user of [5, 66]) {
        const refused = await stage.job(pipeline, 'approve', { user })
        expect([refused.code, refused.stderr]).toEqual([
          4,
          expect.stringContaining('Nobody else approved this pipeline'),
        ])
      }
      // Variables of the job are not asked.
      const lying = await stage.job(pipeline, 'approve', {
        env: { GITLAB_USER_ID: '6', GITLAB_USER_LOGIN: 'user-6' },
      })
      expect(lying.code).toBe(4)
      const alone = await stage.job(pipeline, 'approve', { env: { SETPOINT_ALONE: 'true' } })
      expect(alone.code).toBe(0)
      return
    }
    expect(setsOf(stage.sandbox)).toEqual(['first'])
    expect((await approved(stage, pipeline)).code).toBe(0)
  })

  test('what changes after the person looked is not applied', async () => {
    const stage = await started(kind)
    const pipeline = stage.push({ 'sets/first.yaml': set('first', 'us-east-1') })
    await stage.job(pipeline, 'main')
    await stage.change('first', 'ap-south-1')
    const refused = await approved(stage, pipeline)
    expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining('out of date')])
    expect(stage.valueOf('first')).toBe('ap-south-1')
  })

  test('what changes between the plan of main and its apply is not applied, and the comment says what to do', async () => {
    const stage = await started(kind)
    const { request } = await planned(stage, { 'sets/a.yaml': set('one') })
    const pipeline = stage.merge(request)
    expect(nextOf(await stage.job(pipeline, 'main'))).toBe('apply')
    await stage.change('first', 'ap-south-1')
    expect((await stage.job(pipeline, 'apply')).code).toBe(4)
    expect([setsOf(stage.sandbox), stage.valueOf('first')]).toEqual([['first'], 'ap-south-1'])
    await stage.job(pipeline, 'reported')
    expect(commentsOf(stage, request.number)).toEqual([
      expect.stringContaining('Start the whole pipeline again'),
    ])
  })

  test('an old run that waited writes nothing', async () => {
    const stage = await started(kind)
    const pipeline = stage.push({ 'sets/c.yaml': set('c') })
    await stage.job(pipeline, 'main')
    stage.push({ 'README.md': 'newer\n' })
    const refused = await approved(stage, pipeline)
    expect([refused.code, refused.stderr]).toEqual([
      4,
      expect.stringContaining('is not the newest commit of main'),
    ])
  })

  test('a job that died before or in the middle of its writes is started again, and does what is left', async () => {
    const stage = await started(kind)
    const { request } = await planned(stage, { 'sets/a.yaml': set('one'), 'sets/b.yaml': set('two') })
    const pipeline = stage.merge(request)
    await stage.job(pipeline, 'main')
    await stage.job(pipeline, 'apply', { isDead: true })
    await stage.job(pipeline, 'reported')
    expect(commentsOf(stage, request.number)[0]).toContain(
      'The job "apply" ended without a result. See its log.',
    )
    await stage.job(pipeline, 'apply', { io: { transport: dyingAfter(stage, 3) } })
    await stage.job(pipeline, 'reported')
    expect(commentsOf(stage, request.number)).toEqual([
      expect.stringContaining('Started again, this apply does what is left.'),
    ])
    const again = await stage.job(pipeline, 'apply')
    expect([again.code, setsOf(stage.sandbox)]).toEqual([0, ['first', 'one', 'two']])
    await stage.job(pipeline, 'reported')
    expect(commentsOf(stage, request.number)).toEqual([expect.not.stringContaining('the result is unknown')])
  })

  test('a job that was cancelled says so, and does what is left when it is started again', async () => {
    const stage = await started(kind)
    const { request } = await planned(stage, { 'sets/a.yaml': set('one') })
    const pipeline = stage.merge(request)
    await stage.job(pipeline, 'main')
    const stoppedBy = (): 'SIGTERM' => 'SIGTERM'
    const stopped = { stop: AbortSignal.abort(), stoppedBy }
    const cancelled = await stage.job(pipeline, 'apply', { io: stopped })
    expect([cancelled.code, setsOf(stage.sandbox)]).toEqual([143, ['first']])
    await stage.job(pipeline, 'reported')
    expect(commentsOf(stage, request.number)).toEqual([expect.stringContaining('The job was cancelled.')])
    expect((await stage.job(pipeline, 'apply')).code).toBe(0)
    expect(setsOf(stage.sandbox)).toEqual(['first', 'one'])
  })

  test('jobs that died hand over nothing, and each one can be started again', async () => {
    const stage = await started(kind)
    const made = stage.propose({ 'sets/a.yaml': set('one') })
    await stage.job(made.pipeline, 'plan', { isDead: true })
    await stage.job(made.pipeline, 'report')
    expect(commentsOf(stage, 7)).toEqual([expect.stringContaining('The job "plan" ended without a result.')])
    made.pipeline.jobs.splice(0)
    await stage.job(made.pipeline, 'plan')
    await stage.job(made.pipeline, 'report')
    await stage.job(made.pipeline, 'report')
    expect(commentsOf(stage, 7)).toEqual([expect.stringContaining('AWS_REGION')])
    const pipeline = stage.merge(made.request)
    await stage.job(pipeline, 'main', { isDead: true })
    const early = await stage.job(pipeline, 'apply')
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining('The job "main" left no result.')])
    await stage.job(pipeline, 'report')
    expect(commentsOf(stage, 7)).toEqual([expect.stringContaining('The job "main" ended without a result.')])
    pipeline.jobs.splice(0)
    expect(nextOf(await stage.job(pipeline, 'main'))).toBe('apply')
    expect((await stage.job(pipeline, 'apply')).code).toBe(0)
  })

  test('a forge that fails makes the job red, and nothing is concluded', async () => {
    const stage = await started(kind)
    const { request } = await planned(stage, { 'sets/a.yaml': set('one') })
    const pipeline = stage.merge(request)
    for (let times = 0; times < 20; times++)
      stage.model.failures.push({ method: 'GET', path: /branches\/main$/, status: 403 })
    const main = await stage.job(pipeline, 'main')
    expect([main.code, nextOf(main)]).toEqual([1, undefined])
    stage.model.failures.splice(0)
    await stage.job(pipeline, 'report')
    expect(commentsOf(stage, request.number)).toEqual([
      expect.stringContaining('Start the whole pipeline again.'),
    ])
  })

  test('one request that is locked does not keep the others from being told', async () => {
    const stage = await started(kind)
    const one = await planned(stage, { 'sets/a.yaml': set('one') })
    const two = await planned(stage, { 'sets/b.yaml': set('two') })
    stage.merge(one.request)
    const pipeline = stage.merge(two.request)
    await stage.job(pipeline, 'main')
    await stage.job(pipeline, 'apply')
    stage.model.failures.push({
      method: kind === 'github' ? 'PATCH' : 'PUT',
      path: /comments|notes/,
      status: 403,
    })
    expect((await stage.job(pipeline, 'reported')).code).toBe(1)
    expect(commentsOf(stage, 8)).toEqual([expect.stringContaining('pplied')])
  })

  test('a change alone is planned, reviewed and applied alone', async () => {
    const stage = await started(kind)
    await stage.change('first', 'ap-south-1')
    const { request } = await planned(stage, { 'sets/a.yaml': set('one') }, { argv: ['--only-this-change'] })
    const pipeline = stage.merge(request)
    expect(nextOf(await stage.job(pipeline, 'main'))).toBe('apply')
    expect((await stage.job(pipeline, 'apply')).code).toBe(0)
    expect([setsOf(stage.sandbox), stage.valueOf('first')]).toEqual([['first', 'one'], 'ap-south-1'])
  })

  test('without that mode, a change by hand waits for a person; so do plans of both modes', async () => {
    const stage = await started(kind)
    await stage.change('first', 'ap-south-1')
    const one = await planned(stage, { 'sets/a.yaml': set('one') })
    const first = stage.merge(one.request)
    expect(nextOf(await stage.job(first, 'main'))).toBe('approve')
    const two = await planned(stage, { 'sets/b.yaml': set('two') }, { argv: ['--only-this-change'] })
    const pipeline = stage.merge(two.request)
    const main = await stage.job(pipeline, 'main')
    expect([nextOf(main), main.stdout]).toEqual(['approve', expect.stringContaining('--only-this-change')])
    expect((await approved(stage, pipeline)).code).toBe(0)
    expect([setsOf(stage.sandbox), stage.valueOf('first')]).toEqual([['first', 'one', 'two'], 'eu-west-1'])
  })

  test('a plan that is blocked when it is reviewed waits for a person, who approves its blocks', async () => {
    const stage = await started(kind, {
      'setpoint.yaml': `${CONFIGURATION}guards: { protect: [first] }\n`,
    })
    const { request, plan } = await planned(stage, { 'sets/first.yaml': 'removed: [first]\n' })
    expect(plan.code).toBe(0)
    const pipeline = stage.merge(request)
    const main = await stage.job(pipeline, 'main')
    expect([nextOf(main), main.stdout]).toEqual([
      'approve',
      expect.stringContaining('was blocked when it was reviewed'),
    ])
    expect((await approved(stage, pipeline)).code).toBe(0)
    expect(setsOf(stage.sandbox)).toEqual([])
  })

  test('a merge that loosens a guard for itself waits for a person, also if it was approved', async () => {
    const stage = await started(kind, { 'setpoint.yaml': `${CONFIGURATION}guards: { protect: [first] }\n` })
    const { request } = await planned(stage, {
      'setpoint.yaml': CONFIGURATION,
      'sets/first.yaml': 'removed: [first]\n',
    })
    request.approvals.push({ user: COLLEAGUE, at: stage.model.now() })
    const pipeline = stage.merge(request)
    expect(nextOf(await stage.job(pipeline, 'main'))).toBe('approve')
    expect(setsOf(stage.sandbox)).toEqual(['first'])
    // And in two steps: the base is the last applied commit, however many merges there were since.
    const later = stage.push({ 'README.md': 'later\n' })
    const main = await stage.job(later, 'main')
    expect(nextOf(main)).toBe('approve')
    expect(JSON.parse(JSON.parse(main.files['handover.json'] ?? '{}').plan).blocked).toBe(true)
  })

  test('started by hand, what differs from an applied commit waits for a person', async () => {
    const stage = await started(kind)
    await stage.change('first', 'ap-south-1')
    const again = stage.start('web', stage.model.tip)
    const main = await stage.job(again, 'main')
    expect([nextOf(main), main.stdout]).toEqual([
      'approve',
      expect.stringContaining('this run was started by hand'),
    ])
    expect((await approved(stage, again)).code).toBe(0)
    expect(stage.valueOf('first')).toBe('eu-west-1')
  })

  test('without a token of the service, a request is planned from the snapshot of the default branch', async () => {
    const stage = await started(kind)
    const none = { TFE_TOKEN: '', TFE_TOKEN_READ: '' }
    const early = await planned(stage, { 'sets/a.yaml': set('one') }, { env: none })
    expect([early.plan.code, early.plan.stderr]).toEqual([
      1,
      expect.stringContaining('no snapshot to plan from'),
    ])
    const night = stage.start('schedule', stage.model.tip)
    expect((await stage.job(night, 'main', { argv: ['--snapshot'] })).code).toBe(0)
    const { request, plan } = await planned(stage, { 'sets/b.yaml': set('two') }, { env: none })
    expect([plan.code, commentsOf(stage, request.number)]).toEqual([0, [expect.stringContaining('two')]])
    const pipeline = stage.merge(request)
    expect(nextOf(await stage.job(pipeline, 'main', { argv: ['--snapshot'] }))).toBe('apply')
    const applied = await stage.job(pipeline, 'apply')
    expect([applied.code, JSON.parse(applied.files['handover.json'] ?? '{}').snapshot]).toEqual([
      0,
      expect.stringContaining('two'),
    ])
    // The next one starts from what was applied.
    const next = await planned(stage, { 'sets/c.yaml': set('three') }, { env: none })
    expect(commentsOf(stage, next.request.number)[0]).not.toContain('**two**')
  })

  test('each job has the tokens of its row alone', async () => {
    const stage = await started(kind)
    const { request } = await planned(stage, { 'sets/a.yaml': set('one') })
    stage.model.seen.splice(0)
    const pipeline = stage.merge(request)
    await stage.job(pipeline, 'main')
    await stage.job(pipeline, 'apply')
    expect([...new Set(stage.model.seen.map(({ token }) => token))]).toEqual([
      `${kind}-reads`,
      ...(kind === 'github' ? [''] : []),
    ])
    expect(stage.model.seen.filter(({ method }) => method !== 'GET')).toEqual([])
    stage.model.seen.splice(0)
    await stage.job(pipeline, 'reported')
    expect([...new Set(stage.model.seen.map(({ token }) => token))]).toEqual([`${kind}-writes`])
  })

  test('an apply belongs to the default branch, and a report to a job that reports', async () => {
    const stage = await started(kind)
    const made = stage.propose({ 'sets/a.yaml': set('one') })
    const refused = await stage.job(made.pipeline, 'apply')
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('An apply runs on the default branch only'),
    ])
    const other = await stage.job(made.pipeline, 'reported')
    expect([other.code, other.stderr]).toEqual([1, expect.stringContaining('has nothing to report')])
  })
})

test('a pull request from a fork of GitHub is planned without a token, and its plan is in the summary', async () => {
  const stage = await started('github')
  await stage.job(stage.start('schedule', stage.model.tip), 'main', { argv: ['--snapshot'] })
  const made = stage.propose({ 'sets/a.yaml': set('one') }, { isFork: true })
  const plan = await stage.job(made.pipeline, 'plan')
  expect([plan.code, plan.summary]).toEqual([0, expect.stringContaining('AWS_REGION')])
  const report = await stage.job(made.pipeline, 'report')
  expect([report.code, report.stdout]).toEqual([0, expect.stringContaining('A pull request from a fork')])
  expect(commentsOf(stage, made.request.number)).toEqual([])
  // Its own run can hand over what it likes: only runs of main count.
  stage.model.pipelines.splice(0, stage.model.pipelines.length - 1)
  expect((await stage.job(made.pipeline, 'plan')).code).toBe(1)
})

test('on GitLab, the job apply leaves to approve what waits for it, and the other way round', async () => {
  const stage = await started('gitlab')
  const { request } = await planned(stage, { 'sets/a.yaml': set('one') })
  const pipeline = stage.merge(request)
  await stage.job(pipeline, 'main')
  const nothing = await stage.job(pipeline, 'approve', { user: COLLEAGUE })
  expect([nothing.code, nothing.stdout]).toEqual([4, expect.stringContaining('There is nothing to approve')])
  expect((await stage.job(pipeline, 'reported-approved')).stdout).toBe('There is nothing to report.\n')
  const pushed = stage.push({ 'sets/b.yaml': set('two') })
  await stage.job(pushed, 'main')
  const waits = await stage.job(pushed, 'apply')
  expect([waits.code, waits.stdout]).toEqual([4, expect.stringContaining('it waits for the job "approve"')])
})

test('a merge queue of GitHub plans once more, and its plan is only a check', async () => {
  const stage = await started('github')
  const { request, pipeline } = await planned(stage, { 'sets/a.yaml': set('one') })
  const queue = { GITHUB_EVENT_NAME: 'merge_group', GITHUB_REF: 'refs/heads/gh-readonly-queue/main/pr-7' }
  const queued = stage.start('web', pipeline.commit)
  expect((await stage.job(queued, 'plan', { env: queue })).code).toBe(0)
  expect(nextOf(await stage.job(stage.merge(request), 'main'))).toBe('apply')
})

test('several organizations on GitLab have jobs with a name of their own before them', async () => {
  const stage = await aStage('gitlab', {
    'orgs/acme/setpoint.yaml': CONFIGURATION,
    'orgs/acme/sets/a.yaml': set('first'),
  })
  const argv = ['-C', 'orgs/acme']
  const pipeline = stage.push({ 'README.md': 'sets\n' })
  await stage.job(pipeline, 'acme-main', { argv })
  expect((await stage.job(pipeline, 'acme-approve', { argv, user: COLLEAGUE })).code).toBe(0)
  const { request, pipeline: tested } = stage.propose({ 'orgs/acme/sets/b.yaml': set('region') })
  await stage.job(tested, 'acme-plan', { argv })
  await stage.job(tested, 'acme-report', { argv })
  const merged = stage.merge(request)
  expect(nextOf(await stage.job(merged, 'acme-main', { argv }))).toBe('apply')
  expect((await stage.job(merged, 'acme-apply', { argv })).code).toBe(0)
  await stage.job(merged, 'acme-reported', { argv })
  expect(commentsOf(stage, request.number)).toEqual([expect.stringContaining('pplied')])
  await stage.change('first', 'ap-south-1')
  const night = stage.start('schedule', stage.model.tip)
  await stage.job(night, 'acme-main', { argv })
  await stage.job(night, 'acme-report', { argv })
  expect(stage.model.issues.map(({ title }) => title)).toEqual([
    'The service differs from the files (orgs/acme)',
  ])
})

/** A process that is killed after some requests that write. */
function dyingAfter(stage: Stage, writes: number): Transport {
  let left = writes
  return async (request, signal) => {
    if (request.method !== 'GET' && left-- === 0) throw new Error('killed')
    return await stage.transport(request, signal)
  }
}
