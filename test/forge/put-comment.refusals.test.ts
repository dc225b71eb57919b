import { describe, expect, test } from 'vitest'
import {
  comment,
  comments,
  creation,
  LIST,
  lines,
  MARKER,
  ours,
  REPORT,
  TOKEN,
  update,
  VIEWER,
} from './github.ts'
import type { Exchange } from './recorded.ts'

describe('if the forge', () => {
  test('hangs up after it creates the comment, the comment is found and not created again', async () => {
    const exchanges = [comments(), creation(REPORT, 'hang up'), comments(ours(9, REPORT)), VIEWER]
    const { code, seen } = await comment(exchanges)
    expect({ code, seen }).toEqual({ code: 0, seen: lines(exchanges) })
  })

  test('hangs up before it creates the comment, it is created again', async () => {
    const exchanges = [comments(), creation(REPORT, 'hang up'), comments(), creation(REPORT)]
    const { code, seen } = await comment(exchanges)
    expect({ code, seen }).toEqual({ code: 0, seen: lines(exchanges) })
  })

  test('never says whether the comment was created, the exit code is 3', async () => {
    const exchanges = [
      comments(),
      creation(REPORT, { status: 500 }),
      comments(),
      creation(REPORT, { status: 502 }),
    ]
    const { code, stderr, seen } = await comment(exchanges)
    expect({ code, seen }).toEqual({ code: 3, seen: lines(exchanges) })
    expect(stderr).toContain('It may have been written anyway.')
  })

  test('fails once, reads and updates are retried', async () => {
    const exchanges: Exchange[] = [
      { expect: LIST, answer: { status: 503 } },
      comments(ours(5, MARKER)),
      { ...VIEWER, answer: 'hang up' },
      VIEWER,
      { ...update(5, REPORT), answer: { status: 500 } },
      update(5, REPORT),
    ]
    const { code, seen } = await comment(exchanges)
    expect({ code, seen }).toEqual({ code: 0, seen: lines(exchanges) })
  })

  test.each([
    [401, 'Bad credentials', 'The token is wrong or expired'],
    [403, 'Resource not accessible by integration', 'pull-requests: write'],
    [403, 'You have exceeded a secondary rate limit', 'too many requests'],
    [404, 'Not Found', 'whether the token can read the repository'],
    [302, 'Moved', 'Redirects are not followed'],
  ])('returns %i %s, the error has a hint, after one request', async (status, message, hint) => {
    const answer = { status, body: { message }, headers: { location: 'http://127.0.0.1:1/' } }
    const { code, stdout, stderr, seen } = await comment([{ expect: LIST, answer }])
    expect({ code, stdout, seen }).toEqual({ code: 1, stdout: '', seen: [LIST] })
    expect(stderr).toContain(
      `GitHub responded with ${status} to GET /repos/acme/sets/issues/7/comments: ${message}.`,
    )
    expect(stderr).toContain(hint)
  })

  test('returns 429 to every request, the command fails after a quarter of an hour', async () => {
    const answer = { status: 429, body: { message: 'slow down' }, headers: { 'retry-after': '60' } }
    const { code, stderr, seen } = await comment(Array.from({ length: 16 }, () => ({ expect: LIST, answer })))
    expect({ code, seen }).toEqual({ code: 1, seen: Array(16).fill(LIST) })
    expect(stderr).toContain('not sent: the service asked to wait for more than 15 minutes in total\n')
    expect(stderr).toContain('This token made too many requests. Run the job again later.')
  })

  test.each([
    ['HTML', { status: 200, body: '<html>' }],
    ['an object', { status: 200, body: { message: 'hello' } }],
    ['a list of other objects', { status: 200, body: [{ name: 'x' }] }],
  ])('returns %s, it is an error, and nothing is posted', async (_, answer) => {
    const { code, stderr, seen } = await comment([{ expect: LIST, answer }])
    expect({ code, seen }).toEqual({ code: 1, seen: [LIST] })
    expect(stderr).toContain('not a list of comments')
  })

  test('returns control characters, workflow commands or the token, they are not printed', async () => {
    const message = `\u001b[31m\n::error::x ##[group]y ${TOKEN}`
    const { stderr } = await comment([{ expect: LIST, answer: { status: 403, body: { message } } }])
    expect(stderr).toContain('\\u{1b}[31m')
    expect(stderr).not.toContain('\u001b')
    expect(stderr).not.toContain('##[')
    expect(stderr.match(/^\s*::/gm)).toEqual(['::'])
  })
})

describe('an invalid call', () => {
  test.each([
    ['no Markdown report', '# A plan\n', {}, 'is not a Markdown report of Setpoint'],
    ['no token', REPORT, { GITHUB_TOKEN: '' }, 'There is no token for comments.'],
    [
      'no pull request',
      REPORT,
      { GITHUB_REF: 'refs/heads/main' },
      'does not belong to a pull or merge request',
    ],
    [
      'a bad token',
      REPORT,
      { GITHUB_TOKEN: 'a b' },
      'GITHUB_TOKEN contains a character that is not allowed in a token',
    ],
    [
      'a bad address',
      REPORT,
      { GITHUB_API_URL: 'http://forge.example' },
      'uses plain http, which would send the token unencrypted.',
    ],
    [
      'no pipeline',
      REPORT,
      { GITHUB_ACTIONS: '', GITHUB_REPOSITORY: '' },
      'This is not a pipeline of GitHub or GitLab.',
    ],
  ])('%s: exit 1, without a request', async (_, report, env, message) => {
    const { code, stderr, seen } = await comment([], report, { env })
    expect({ code, seen }).toEqual({ code: 1, seen: [] })
    expect(stderr).toContain(message)
  })
})
