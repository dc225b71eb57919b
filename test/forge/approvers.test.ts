import { describe, expect, test } from 'vitest'
import { approverOf } from '../../src/forge/approvers.ts'
import { answering, GITHUB, GITLAB } from './answers.ts'

const RUN = { run: '31', environment: 'setpoint-approve', job: '32', isAlone: false }

describe('who approved a run of GitHub', () => {
  const approval = (more: object = {}) => ({
    state: 'approved',
    user: { login: 'ada', type: 'User' },
    environments: [{ name: 'other' }, { name: 'setpoint-approve' }],
    ...more,
  })
  test.each<[string, object, string | undefined]>([
    ['a person', approval(), 'ada'],
    ['nobody, because it was rejected', approval({ state: 'rejected' }), undefined],
    ['nobody but a bot', approval({ user: { login: 'bot', type: 'Bot' } }), undefined],
    ['nobody for this environment', approval({ environments: [{ name: 'other' }] }), undefined],
  ])('%s', async (_, one, name) => {
    const { transport } = answering({ 'GET /repos/acme/sets/actions/runs/31/approvals': [one] })
    expect(await approverOf(transport, GITHUB, RUN)).toBe(name)
  })
})

describe('who approved a pipeline of GitLab', () => {
  const by = (id: number | null, username: string | null) => ({ user: { id, username } })
  const ADA = by(1, 'ada')
  const GRACE = by(2, 'grace')
  test.each<[string, object, object, boolean, string | undefined]>([
    ['whoever started the job, if that is not who merged', ADA, GRACE, false, 'ada'],
    ['nobody, if both are one', ADA, ADA, false, undefined],
    ['whoever started the job, if one alone may', ADA, ADA, true, 'ada'],
    ['nobody, if it is unknown who merged', ADA, by(null, 'grace'), false, undefined],
    ['nobody, if it is unknown who merged, also if one alone may', ADA, {}, true, undefined],
    ['nobody, if it is unknown who started the job', by(null, 'ada'), GRACE, false, undefined],
    ['nobody, if who started the job has no name', by(1, null), GRACE, false, undefined],
    ['nobody but a bot', by(1, 'project_7_bot_0a'), GRACE, false, undefined],
  ])('%s', async (_, started, merged, isAlone, name) => {
    const { transport } = answering({
      'GET /api/v4/projects/7/jobs/32': started,
      'GET /api/v4/projects/7/pipelines/31': merged,
    })
    expect(await approverOf(transport, GITLAB, { ...RUN, isAlone })).toBe(name)
  })
})
