import { describe, expect, test } from 'vitest'
import { lastSnapshot } from '../../src/forge/last-snapshot.ts'
import { answering, GITHUB, GITLAB } from './answers.ts'
import { zipOf } from './routes.ts'

const handover = (snapshot: string): string => JSON.stringify({ snapshot })

describe('the last snapshot on GitHub', () => {
  const HOME = '/repos/acme/sets'
  const run = (id: number, more: object = {}) => ({
    id,
    path: '.github/workflows/setpoint.yml@main',
    event: 'push',
    head_branch: 'main',
    repository: { id: 77 },
    head_repository: { id: 77 },
    ...more,
  })
  const artifact = (id: number, name: string, more: object = {}) => ({
    id,
    name,
    expired: false,
    size_in_bytes: 400,
    ...more,
  })

  /** The artifact that was downloaded, whose snapshot is its number. */
  async function found(
    runs: readonly object[],
    artifacts: Readonly<Record<number, readonly object[]>>,
    texts: Readonly<Record<number, string>> = {},
  ) {
    const redirects = Object.values(artifacts)
      .flat()
      .map(one => ('id' in one ? Number(one.id) : 0))
      .map(id => [
        `GET ${HOME}/actions/artifacts/${id}/zip`,
        { status: 302, headers: { location: `${id}` }, body: '' },
      ])
    const { transport } = answering({
      [`GET ${HOME}`]: { id: 77, default_branch: 'main' },
      [`GET ${HOME}/actions/workflows/setpoint.yml/runs`]: { workflow_runs: runs },
      ...Object.fromEntries(
        Object.entries(artifacts).map(([id, all]) => [
          `GET ${HOME}/actions/runs/${id}/artifacts`,
          { artifacts: all },
        ]),
      ),
      ...Object.fromEntries(redirects),
    })
    const download = async (id: string) =>
      zipOf([{ name: 'handover.json', text: texts[Number(id)] ?? handover(id) }])
    const workflow = '.github/workflows/setpoint.yml'
    return await lastSnapshot(transport, GITHUB, { jobs: [], branch: 'main', workflow, download })
  }

  test('is that of the newest run, which an apply handed over after its plan', async () => {
    const artifacts = { 1: [artifact(11, 'apply')], 2: [artifact(22, 'plan'), artifact(21, 'apply')] }
    expect(await found([run(1), run(2)], artifacts)).toBe('21')
  })

  test('is that of the plan, if the apply handed over none', async () => {
    const artifacts = { 1: [artifact(12, 'plan'), artifact(11, 'apply')] }
    expect(await found([run(1)], artifacts, { 11: '{}' })).toBe('12')
  })

  test.each<[string, object, object]>([
    ['of a pull request', { event: 'pull_request' }, {}],
    ['of another branch', { head_branch: 'other' }, {}],
    ['of a fork', { head_repository: { id: 78 } }, {}],
    ['of another repository', { repository: { id: 78 } }, {}],
    ['of another workflow', { path: '.github/workflows/other.yml' }, {}],
    ['that has expired', {}, { expired: true }],
    ['that is too large', {}, { size_in_bytes: 64 * 1024 * 1024 + 1 }],
    ['of another job', {}, { name: 'report' }],
  ])('is none %s', async (_, ofRun, ofArtifact) => {
    const artifacts = { 1: [artifact(11, 'plan')], 2: [artifact(21, 'plan', ofArtifact)] }
    expect(await found([run(1), run(2, ofRun)], artifacts)).toBe('11')
  })
})

describe('the last snapshot on GitLab', () => {
  const of = (job: string) =>
    `GET /api/v4/projects/7/jobs/artifacts/main/raw/.setpoint-ci/${job}/handover.json`
  const found = (table: Readonly<Record<string, object>>) =>
    lastSnapshot(answering(table).transport, GITLAB, {
      jobs: ['apply', 'main'],
      branch: 'main',
      workflow: '',
      download: () => Promise.reject(new Error('nothing is downloaded')),
    })
  const told = (body: string, status = 200) => ({ status, body })

  test('is that of the first job that has one', async () => {
    expect(await found({ [of('apply')]: told(handover('a')), [of('main')]: told(handover('m')) })).toBe('a')
    expect(await found({ [of('apply')]: told('{}'), [of('main')]: told(handover('m')) })).toBe('m')
    expect(await found({ [of('main')]: told(handover('m')) })).toBe('m')
    expect(await found({})).toBeUndefined()
  })

  test('is unknown if the forge does not say', async () => {
    await expect(
      found({ [of('apply')]: told('{}', 403), [of('main')]: told(handover('m')) }),
    ).rejects.toThrow('GitLab responded with 403')
  })
})
