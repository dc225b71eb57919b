import { expect, test } from 'vitest'
import { keepIssues, type Matter } from '../../src/forge/issues.ts'
import { answering, GITHUB, GITLAB } from './answers.ts'

const MATTER: Matter = { name: 'drift', title: 'Drift', state: 'so', body: 'A set.', closing: 'It is over.' }
const TEXT = '<!-- setpoint:drift -->\nA set.'
const noPause = () => Promise.resolve()

test('a pull request of GitHub is no issue, although it is listed as one', async () => {
  const issues = 'GET /repos/acme/sets/issues'
  const viewer = { data: { viewer: { databaseId: 5 } } }
  const own = { number: 1, body: TEXT, user: { id: 5 } }
  const kept = async (listed: object) => {
    const table = { [issues]: [listed], 'POST /graphql': viewer, 'POST /repos/acme/sets/issues': {} }
    return await keepIssues(answering(table).transport, GITHUB, [MATTER], noPause)
  }
  expect(await kept(own)).toEqual(['unchanged'])
  expect(await kept({ ...own, pull_request: {} })).toEqual(['opened'])
  expect(await kept({ ...own, user: { id: 6 } })).toEqual(['opened'])
})

test('the issues of GitLab are asked for whoever opened them: its list has only those of the token otherwise', async () => {
  const { transport, seen } = answering({
    'GET /api/v4/projects/7/issues': [{ iid: 1, description: TEXT, author: { id: 5 } }],
    'GET /api/v4/user': { id: 5 },
  })
  expect(await keepIssues(transport, GITLAB, [MATTER], noPause)).toEqual(['unchanged'])
  expect(seen).toEqual([
    'GET /api/v4/projects/7/issues?per_page=100&page=1&state=opened&scope=all',
    'GET /api/v4/user',
  ])
})

test('nothing is asked about what is unknown', async () => {
  const { transport, seen } = answering({})
  expect(await keepIssues(transport, GITHUB, [{ ...MATTER, state: 'unknown' }], noPause)).toEqual(['nothing'])
  expect(seen).toEqual([])
})
