import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aDirectory, run } from '../support/program.ts'
import {
  comment,
  comments,
  creation,
  LIST,
  lines,
  MARKER,
  ours,
  QUIET,
  REPORT,
  STRANGER,
  TOKEN,
  update,
  VIEWER,
} from './github.ts'
import { somePlans } from './merges.ts'
import type { Exchange } from './recorded.ts'
import { routes } from './routes.ts'

describe('one comment in a pull request', () => {
  test('is created if there is none', async () => {
    const exchanges = [comments({ id: 1, body: 'Looks good', user: STRANGER }), creation(REPORT)]
    const { code, stdout, seen } = await comment(exchanges)
    expect(seen).toEqual(lines(exchanges))
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Created the comment on pull request 7 of acme/sets.\n',
    })
  })

  test('is updated in place, found by its marker even if the forge changed line endings', async () => {
    const exchanges = [comments(ours(5, `${MARKER}\r\nold`)), VIEWER, update(5, REPORT)]
    const { code, stdout, seen } = await comment(exchanges)
    expect(seen).toEqual(lines(exchanges))
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Updated the comment on pull request 7 of acme/sets.\n',
    })
  })

  test('has a separate marker with --marker, for several reports of one run', async () => {
    const named = `<!-- setpoint:acme/platform shard%202%3E -->`
    const body = REPORT.replace(MARKER, named)
    const first = [comments(ours(5, REPORT)), creation(body)]
    expect((await comment(first, REPORT, { argv: ['--marker', 'shard 2>'] })).seen).toEqual(lines(first))
    const next = [comments(ours(5, REPORT), ours(6, `${named}\nold`)), VIEWER, update(6, body)]
    expect((await comment(next, REPORT, { argv: ['--marker', 'shard 2>'] })).seen).toEqual(lines(next))
  })

  test('is posted as it is, or refused with the limit to write it with', async () => {
    const longest = REPORT + 'x'.repeat(65_536 - REPORT.length)
    const posted = [comments(), creation(longest)]
    expect((await comment(posted, longest)).seen).toEqual(lines(posted))
    for (const [report, argv, limit] of [
      [`${longest}x`, [], 65_536],
      [longest, ['--marker', 'a'], 65_534],
    ] as const) {
      const { code, stderr, seen } = await comment([], report, { argv })
      expect([code, stderr.split('\n').slice(1, 3), seen]).toEqual([
        1,
        [
          `  The report has ${argv.length === 0 ? '65,537' : '65,538'} characters, and a comment can have 65,536.`,
          `  Write the report again with --markdown-limit ${limit}.`,
        ],
        [],
      ])
    }
  })

  test('is not updated if its text is the same', async () => {
    const exchanges = [comments(ours(5, REPORT.replaceAll('\n', '\r\n').trimEnd())), VIEWER]
    const { code, stdout, seen } = await comment(exchanges)
    expect(seen).toEqual(lines(exchanges))
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'The comment is up to date on pull request 7 of acme/sets.\n',
    })
  })

  test('is not created for a plan without changes', async () => {
    const { code, stdout, seen } = await comment([comments()], QUIET)
    expect(seen).toEqual([LIST])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'There are no changes, and there is no comment on pull request 7 of acme/sets.\n',
    })
  })

  test('of a saved plan says which parts the digest does not cover', async () => {
    const { plan } = await somePlans()
    const forge = await routes(TOKEN, () => ({
      'GET /repos/acme/sets/issues/7/comments': [],
      'POST /repos/acme/sets/issues/7/comments': { status: 201, body: {} },
    }))
    expect((await comment([], plan, { env: { GITHUB_API_URL: forge.url } })).code).toBe(0)
    expect(forge.comments()[0]).toContain(
      '**Digest** covers the operations; names of workspaces, effects, exposure and warnings are not verified',
    )
  })

  test('of a saved plan is written within the limit of its forge, less what a name adds', async () => {
    const sets = Array.from(
      { length: 900 },
      (_, at) => `  set-with-a-long-name-${at}: { env: { A: ${at} } }\n`,
    )
    const cwd = aDirectory({
      'setpoint.yaml': 'organization: acme\n',
      'sets/a.yaml': `variableSets:\n${sets.join('')}`,
    })
    await run(['plan', '--sandbox', '--out', 'plan.json'], { cwd })
    const plan = readFileSync(join(cwd, 'plan.json'), 'utf8')
    const posted = async (argv: readonly string[]) => {
      const forge = await routes(TOKEN, () => ({
        'GET /repos/acme/sets/issues/7/comments': [],
        'POST /repos/acme/sets/issues/7/comments': { status: 201, body: {} },
      }))
      expect((await comment([], plan, { argv, env: { GITHUB_API_URL: forge.url } })).code).toBe(0)
      return forge.comments()[0] ?? ''
    }
    const named = await posted(['--marker', 'n'.repeat(300)])
    expect(named).toContain(' left out here')
    expect([named.length <= 65_536, named.length > 50_000]).toEqual([true, true])
  })

  test('is updated if the plan no longer has changes', async () => {
    const exchanges = [comments(ours(5, REPORT)), VIEWER, update(5, QUIET)]
    expect((await comment(exchanges, QUIET)).seen).toEqual(lines(exchanges))
  })

  test('is not a comment of another user, one that quotes the marker, or one with another marker', async () => {
    const exchanges = [
      comments(
        { id: 1, body: `${MARKER}\nmine now`, user: STRANGER },
        { id: 2, body: `${MARKER}\n`, user: null },
        ours(3, `> ${MARKER}\nlook at this`),
        ours(4, REPORT.replace('platform', 'network')),
      ),
      VIEWER,
      creation(REPORT),
    ]
    expect((await comment(exchanges)).seen).toEqual(lines(exchanges))
  })

  test('is found after hundreds of others', async () => {
    const others = Array.from({ length: 100 }, (_, at) => ({ id: 1_000 + at, body: 'x', user: STRANGER }))
    const next = {
      link: '<https://elsewhere.example/?page=2>; rel="next", <https://elsewhere.example/?page=3>; rel="last"',
    }
    const page = (at: number, body: unknown, headers = {}): Exchange => ({
      expect: LIST.replace(/1$/, String(at)),
      answer: { status: 200, body, headers },
    })
    const exchanges = [
      page(1, others, next),
      // Shorter than a page, but not the last one.
      page(2, others.slice(1), next),
      page(3, [ours(5, MARKER)]),
      VIEWER,
      update(5, REPORT),
    ]
    expect((await comment(exchanges)).seen).toEqual(lines(exchanges))
  })

  test('belongs to the pull request of the event, or of --number', async () => {
    const events = {
      'event.json': JSON.stringify({ pull_request: { number: 7 } }),
      'run.json': JSON.stringify({ workflow_run: { pull_requests: [{ number: 7 }] } }),
      'note.json': JSON.stringify({ issue: { number: 7, pull_request: {} } }),
      'issue.json': JSON.stringify({ issue: { number: 7 } }),
    }
    const folder = aDirectory(events)
    const from = async (name: string, argv: string[] = []) =>
      (
        await comment([comments(), creation(REPORT)], REPORT, {
          env: { GITHUB_REF: 'refs/heads/main', GITHUB_EVENT_PATH: `${folder}/${name}` },
          argv,
        })
      ).code
    expect([await from('event.json'), await from('run.json'), await from('note.json')]).toEqual([0, 0, 0])
    expect([
      await from('issue.json'),
      await from('none.json'),
      await from('none.json', ['--number', '7']),
    ]).toEqual([1, 1, 0])
  })

  test('is requested under the base path of GitHub Enterprise', async () => {
    const exchanges: Exchange[] = [
      { ...comments(ours(5, MARKER)), expect: `GET /api/v3${LIST.slice(4)}` },
      { ...VIEWER, expect: 'POST /api/graphql' },
      { ...update(5, REPORT), expect: 'PATCH /api/v3/repos/acme/sets/issues/comments/5' },
    ]
    expect((await comment(exchanges, REPORT, { base: '/api/v3/' })).seen).toEqual(lines(exchanges))
  })
})

describe('a failed run that does not know its organization', () => {
  const FAILED = '<!-- setpoint:* -->\n### Setpoint: the plan failed\n'

  test('replaces the text of the existing comment and keeps its marker', async () => {
    const exchanges = [comments(ours(5, REPORT)), VIEWER, update(5, FAILED.replace(/^.*$/m, MARKER))]
    expect((await comment(exchanges, FAILED)).seen).toEqual(lines(exchanges))
  })

  test('creates a comment if there is none, which the next plan updates', async () => {
    const first = [comments(), creation(FAILED)]
    expect((await comment(first, FAILED)).seen).toEqual(lines(first))
    const next = [comments(ours(5, FAILED)), VIEWER, update(5, REPORT)]
    expect((await comment(next)).seen).toEqual(lines(next))
  })

  test('does not replace a comment with a separate marker', async () => {
    const named = REPORT.replace(MARKER, '<!-- setpoint:acme/platform shard -->')
    const exchanges = [comments(ours(5, named)), creation(FAILED)]
    expect((await comment(exchanges, FAILED)).seen).toEqual(lines(exchanges))
  })
})
