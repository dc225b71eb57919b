import { expect, test } from 'vitest'
import { aDirectory, run } from '../support/program.ts'
import { type Exchange, recorded } from './recorded.ts'

const TOKEN = 'glpat-ThisTokenIsOfNobody01'
const MARKER = '<!-- setpoint:acme -->'
const REPORT = `${MARKER}\n### Setpoint acme: 1 set changes\n`
const NOTES = '/api/v4/projects/42/merge_requests/3/notes'
const page = (at: number): string => `GET ${NOTES}?per_page=100&page=${at}&order_by=created_at&sort=asc`
const USER: Exchange = {
  expect: 'GET /api/v4/user',
  answer: { status: 200, body: { id: 11, username: 'project_42_bot' } },
}
const note = (id: number, author: number, body: string, system = false) => ({
  id,
  body,
  system,
  author: { id: author },
})

async function comment(exchanges: readonly Exchange[], env: Readonly<Record<string, string>> = {}) {
  const forge = await recorded(TOKEN, exchanges)
  const ran = await run(['comment', 'plan.md'], {
    cwd: aDirectory({ 'plan.md': REPORT }),
    env: {
      GITLAB_CI: 'true',
      CI_API_V4_URL: `${forge.url}/api/v4`,
      CI_PROJECT_ID: '42',
      CI_MERGE_REQUEST_IID: '3',
      SETPOINT_COMMENT_TOKEN: TOKEN,
      CI_JOB_TOKEN: 'not-for-this',
      ...env,
    },
  })
  return { ...ran, seen: forge.seen }
}

const lines = (exchanges: readonly Exchange[]): string[] => exchanges.map(({ expect: line }) => line)

test('a note is created if no page has a note of this user with the marker', async () => {
  const exchanges: Exchange[] = [
    {
      expect: page(1),
      answer: { status: 200, body: [note(1, 5, `${MARKER}\nmine`)], headers: { 'x-next-page': '2' } },
    },
    {
      expect: page(2),
      answer: { status: 200, body: [note(2, 11, MARKER, true)], headers: { 'x-next-page': '' } },
    },
    USER,
    { expect: `POST ${NOTES}`, body: { body: REPORT }, answer: { status: 201, body: { id: 8 } } },
  ]
  const { code, stdout, seen } = await comment(exchanges)
  expect(seen).toEqual(lines(exchanges))
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'Created the comment on merge request 3 of project 42.\n',
  })
})

test('the note of an earlier run is updated', async () => {
  const exchanges: Exchange[] = [
    { expect: page(1), answer: { status: 200, body: [note(1, 11, MARKER)], headers: { 'x-next-page': '' } } },
    USER,
    { expect: `PUT ${NOTES}/1`, body: { body: REPORT }, answer: { status: 200, body: { id: 1 } } },
  ]
  const { code, seen } = await comment(exchanges)
  expect({ code, seen }).toEqual({ code: 0, seen: lines(exchanges) })
})

test('the project can be given by its path, and the address by that of the server', async () => {
  const path = '/api/v4/projects/acme%2Finfra%2Fsets/merge_requests/3/notes'
  const exchanges: Exchange[] = [
    {
      expect: `GET ${path}?per_page=100&page=1&order_by=created_at&sort=asc`,
      answer: { status: 200, body: [] },
    },
    { expect: `POST ${path}`, body: { body: REPORT }, answer: { status: 201, body: { id: 8 } } },
  ]
  const forge = await recorded(TOKEN, exchanges)
  const { code } = await run(['comment', 'plan.md', '--number', '3'], {
    cwd: aDirectory({ 'plan.md': REPORT }),
    env: {
      GITLAB_CI: 'true',
      CI_SERVER_URL: forge.url,
      CI_PROJECT_PATH: 'acme/infra/sets',
      GITLAB_TOKEN: TOKEN,
    },
  })
  expect({ code, seen: forge.seen }).toEqual({ code: 0, seen: lines(exchanges) })
})

test('CI_JOB_TOKEN is never used, because it cannot comment', async () => {
  const { code, stderr, seen } = await comment([], { SETPOINT_COMMENT_TOKEN: '' })
  expect({ code, seen }).toEqual({ code: 1, seen: [] })
  expect(stderr).toContain('CI_JOB_TOKEN cannot write comments.')
})

test('the error names the scope that the token lacks', async () => {
  const { code, stderr } = await comment([
    { expect: page(1), answer: { status: 403, body: { error: 'insufficient_scope' } } },
  ])
  expect(code).toBe(1)
  expect(stderr).toContain('insufficient_scope')
  expect(stderr).toContain('the scope "api"')
})
