import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aDirectory } from '../support/program.ts'
import { aStage, type Stage } from './stage.ts'
import type { ForgeKind } from './stage-model.ts'

const FILES = {
  'setpoint.yaml': 'organization: acme\nowner: platform\n',
  'sets/a.yaml': 'variableSets: { region: { env: { AWS_REGION: eu-west-1 } } }\n',
}

/** A night: the check and what is said of it. */
async function night(stage: Stage, options: Parameters<Stage['job']>[2] = {}) {
  const pipeline = stage.start('schedule', stage.model.tip)
  const main = await stage.job(pipeline, 'main', options)
  const report = await stage.job(pipeline, 'report')
  return { pipeline, main, report }
}

const issuesOf = ({ model }: Stage): string[] =>
  model.issues.map(
    ({ title, isOpen, notes }) =>
      `${isOpen ? 'open' : 'closed'}: ${title}${notes.map(one => ` (${one})`).join('')}`,
  )

/** What a link of a commit leads to: a file of the runner that looks like a result. */
const PRIVATE = '{"setpoint":1,"code":0,"report":"PRIVATE"}'

const DRIFT = 'The service differs from the files'
const UNCHECKED = 'Drift could not be checked since 2026-01-01'

describe.each<ForgeKind>(['github', 'gitlab'])('on %s', kind => {
  test('a night opens one issue about drift, updates it, and closes it when it is over', async () => {
    const stage = await aStage(kind, FILES)
    // The forge fails: the job is red, and the next night makes up for it.
    stage.model.failures.push({ method: 'POST', path: /\/issues$/, status: 403 })
    const first = await night(stage)
    expect([first.main.code, first.report.code]).toEqual([0, 1])
    expect(issuesOf(stage)).toEqual([])
    const second = await night(stage)
    expect(second.report).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`Opened the issue: ${DRIFT}`),
    })
    expect(stage.model.issues[0]?.body).toContain('AWS_REGION')
    const third = await night(stage)
    expect(third.report.stdout).toContain(`The issue is up to date: ${DRIFT}`)
    await apply(stage)
    const fourth = await night(stage)
    expect(fourth.report.stdout).toContain(`Closed the issue: ${DRIFT}`)
    expect(issuesOf(stage)).toEqual([`closed: ${DRIFT} (The service matches the files.)`])
    const fifth = await night(stage)
    expect(fifth.report.stdout).toBe('')
  })

  test('a check that died or failed has an issue of its own, and leaves the one about drift open', async () => {
    const stage = await aStage(kind, FILES)
    await night(stage)
    const dead = await night(stage, { isDead: true })
    expect(dead.report.code).toBe(0)
    expect(issuesOf(stage)).toEqual([`open: ${DRIFT}`, `open: ${UNCHECKED}`])
    expect(stage.model.issues[1]?.body).toContain('The job "main" ended without a result. See its log.')
    const failed = await night(stage, { env: { TFE_TOKEN: 'wrong', TFE_TOKEN_READ: '' } })
    expect(failed.main.code).toBe(1)
    expect(stage.model.issues[1]?.body).toContain('The check for drift failed')
    await apply(stage)
    await night(stage)
    expect(issuesOf(stage)).toEqual([
      `closed: ${DRIFT} (The service matches the files.)`,
      `closed: ${UNCHECKED} (Drift is checked again.)`,
    ])
  })

  test('an issue of somebody else with the hidden line is left alone', async () => {
    const stage = await aStage(kind, FILES)
    stage.model.issues.push({
      number: 1,
      title: 'x',
      body: '<!-- setpoint:drift -->\nx',
      isOpen: true,
      author: 666,
      notes: [],
    })
    await night(stage)
    expect(stage.model.issues).toMatchObject([{ body: '<!-- setpoint:drift -->\nx' }, { title: DRIFT }])
  })

  test('an issue that may have been opened is looked for before it is opened again', async () => {
    const stage = await aStage(kind, FILES)
    stage.model.failures.push({ method: 'POST', path: /\/issues$/, status: 502, isDone: true })
    const { report } = await night(stage)
    expect(report.code).toBe(0)
    expect(issuesOf(stage)).toEqual([`open: ${DRIFT}`])
  })

  test('links of the repository with the names of results get nothing of the runner into an issue', async () => {
    const names = [
      'drift.md',
      'drift.code',
      'report.md',
      'handover.json',
      'code',
      'applied.md',
      'reviewed/numbers',
    ]
    for (const isDead of [false, true]) {
      const stage = await aStage(kind, FILES)
      stage.links(Object.fromEntries(names.map(name => [name, join(aDirectory({ a: PRIVATE }), 'a')])))
      await night(stage, { isDead })
      expect(stage.model.issues).toHaveLength(1)
      expect(JSON.stringify(stage.model.issues)).not.toContain('PRIVATE')
    }
  })

  test('only the token of the forge gets to the forge, and none of the service', async () => {
    const stage = await aStage(kind, FILES)
    await night(stage)
    expect([...new Set(stage.model.seen.map(({ token }) => token))]).toEqual([`${kind}-writes`])
  })

  test('groups that differ become one request, which is made up for if a part of it failed', async () => {
    const stage = await aStage(kind, {
      'setpoint.yaml': 'organization: acme\nowner: platform\n',
      'groups.yaml':
        'groups:\n  all:\n    select: { names: ["app-*"] }\n    allowEmpty: true\n    workspaces: {}\n',
      'sets/a.yaml': 'variableSets: { region: { env: { AWS_REGION: eu-west-1 } } }\n',
    })
    await stage.workspace('app-1')
    const nightly = async () => {
      const pipeline = stage.start('schedule', stage.model.tip)
      const main = await stage.job(pipeline, 'main')
      return { main, report: await stage.job(pipeline, 'report', { env: { SETPOINT_BOT_TOKEN: 'bot' } }) }
    }
    stage.model.failures.push({
      method: 'POST',
      path: kind === 'github' ? /\/pulls$/ : /\/merge_requests$/,
      status: 403,
    })
    const first = await nightly()
    expect([first.main.code, first.report.code]).toEqual([0, 1])
    expect(stage.model.branches.get('setpoint-groups')?.get('groups.yaml')).toContain('app-1')
    const second = await nightly()
    expect(second.report.stdout).toContain('Opened pull or merge request 200 for the groups that differ.')
    expect(stage.model.proposed[0]?.body).toContain('app-1')
    const pushes = stage.model.seen.filter(
      ({ method, path }) => method === 'POST' && /\/commits$/.test(path),
    ).length
    const third = await nightly()
    expect(third.report.stdout).toContain(
      'The pull or merge request 200 for the groups that differ is up to date.',
    )
    expect(
      stage.model.seen.filter(({ method, path }) => method === 'POST' && /\/commits$/.test(path)),
    ).toHaveLength(pushes)
    expect(stage.model.proposed).toHaveLength(1)
    const tokens = stage.model.seen.filter(({ path }) =>
      /merge_requests|pulls|contents|repository/.test(path),
    )
    expect([...new Set(tokens.map(({ token }) => token))]).toEqual(['bot'])
  })

  test('without a token for requests, it says so', async () => {
    const stage = await aStage(kind, {
      'setpoint.yaml': 'organization: acme\nowner: platform\n',
      'groups.yaml':
        'groups:\n  all:\n    select: { names: ["app-*"] }\n    allowEmpty: true\n    workspaces: {}\n',
      'sets/a.yaml': 'variableSets: { region: { env: { AWS_REGION: eu-west-1 } } }\n',
    })
    await stage.workspace('app-1')
    const { report } = await night(stage)
    expect(report.stdout).toContain(
      'With SETPOINT_BOT_TOKEN, this job opens a pull or merge request that updates them.',
    )
    expect(stage.model.proposed).toEqual([])
  })
})

describe('on gitlab', () => {
  test.each([
    ['a directory', '.setpoint-ci/main/handover.json'],
    ['other letters', '.Setpoint-CI/main/handover.json'],
    ['a file', '.setpoint-ci'],
  ])('a commit with the folder as %s is refused by every job', async (_, path) => {
    const stage = await aStage('gitlab', FILES)
    await night(stage)
    stage.push({ [path]: '{"setpoint":1,"job":"main","code":0,"report":"x"}' })
    for (const isDead of [false, true]) {
      const { main, report } = await night(stage, { isDead })
      if (!isDead)
        expect(main).toMatchObject({ code: 1, stderr: expect.stringContaining('The repository contains') })
      expect(report).toMatchObject({ code: 1, stderr: expect.stringContaining('The repository contains') })
      expect(issuesOf(stage)).toEqual([`open: ${DRIFT}`])
    }
  })

  test('what a runner left of another pipeline is no answer: the report says why, and ends with 1', async () => {
    const stage = await aStage('gitlab', FILES)
    const pipeline = stage.start('schedule', stage.model.tip)
    const handover = {
      setpoint: 1,
      job: 'main',
      pipeline: '1',
      commit: stage.model.tip,
      code: 0,
      report: 'x',
    }
    const report = await stage.job(pipeline, 'report', {
      leftover: { '.setpoint-ci/main/handover.json': JSON.stringify(handover) },
    })
    expect(report).toMatchObject({ code: 1, stderr: expect.stringContaining('is of another pipeline: "1"') })
    expect(issuesOf(stage)).toEqual([`open: ${UNCHECKED}`])
    expect(stage.model.issues[0]?.body).toContain('is of another pipeline')
  })

  test('without a token that reports, drift is the exit code', async () => {
    const stage = await aStage('gitlab', FILES)
    const pipeline = stage.start('schedule', stage.model.tip)
    expect((await stage.job(pipeline, 'main', { env: { SETPOINT_COMMENT_TOKEN: '' } })).code).toBe(2)
  })
})

/** From outside of the pipeline. */
async function apply(stage: Stage): Promise<void> {
  const { run } = await import('../support/program.ts')
  stage.git('checkout', '--quiet', 'main')
  const ran = await run(['apply', '--auto-approve'], {
    cwd: stage.origin,
    env: { TFE_ADDRESS: stage.url, TFE_TOKEN: stage.sandbox.token },
  })
  expect(ran.code).toBe(0)
}
