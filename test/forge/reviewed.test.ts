import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aDirectory } from '../support/program.ts'
import { artifactOf, github, type Pull, reviewed, runOf, sha, somePlans, TOKEN } from './merges.ts'
import { zipOf } from './routes.ts'

/** A squash merge: one commit and one pull request, after an applied commit. */
const squash = (more: Partial<Pull> = {}) =>
  github(
    [
      [sha('c'), sha('b')],
      [sha('b'), sha('a')],
    ],
    [{ number: 7, head: sha('1'), commits: [sha('c')], ...more }],
    sha('b'),
  )

describe('the plan that was reviewed', () => {
  test('is found for a squash merge, with the commit that was applied last, by read requests only', async () => {
    const { plan } = await somePlans()
    const { code, stdout, files, seen } = await reviewed(await squash())
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'Found the reviewed plan of pull request 7. Applied last: bbbbbbbbbbbb.\n',
    })
    expect(files).toEqual({ '001-7.json': plan, base: `${sha('b')}\n`, numbers: '7\n', state: 'ready\n' })
    expect(
      seen.filter(line => !line.startsWith('GET /repos/acme/sets') || line.includes('another token')),
    ).toEqual([])
  })

  test('is found for a merge commit, even if its branch has older commits', async () => {
    const table = await github(
      [
        [sha('c'), sha('b'), sha('1')],
        [sha('1'), sha('2')],
        [sha('b'), sha('a')],
        [sha('2'), sha('a')],
      ],
      [{ number: 7, head: sha('1'), commits: [sha('c'), sha('1'), sha('2')] }],
      sha('b'),
    )
    const { code, files } = await reviewed(table)
    expect({ code, base: files.base, numbers: files.numbers }).toEqual({
      code: 0,
      base: `${sha('b')}\n`,
      numbers: '7\n',
    })
  })

  test('is found once for a rebase of several commits', async () => {
    const table = await github(
      [
        [sha('c'), sha('d')],
        [sha('d'), sha('b')],
        [sha('b'), sha('a')],
      ],
      [{ number: 7, head: sha('1'), commits: [sha('c'), sha('d')] }],
      sha('b'),
    )
    expect((await reviewed(table)).files.numbers).toBe('7\n')
  })

  test('is found for each merge since the last apply, in order, even if an apply was cancelled', async () => {
    const table = await github(
      [
        [sha('c'), sha('d')],
        [sha('d'), sha('e')],
        [sha('e'), sha('b')],
        [sha('b'), sha('a')],
      ],
      [
        { number: 9, head: sha('1'), commits: [sha('c')] },
        { number: 8, head: sha('2'), commits: [sha('d')] },
        { number: 7, head: sha('3'), commits: [sha('e')] },
      ],
      sha('b'),
    )
    const { code, files } = await reviewed(table)
    expect(code).toBe(0)
    expect(Object.keys(files)).toEqual(['001-7.json', '002-8.json', '003-9.json', 'base', 'numbers', 'state'])
    expect(files.base).toBe(`${sha('b')}\n`)
  })

  test('is the plan of the newest merge if no apply is known', async () => {
    const table = await github(
      [
        [sha('c'), sha('d')],
        [sha('d'), sha('b')],
        [sha('b'), sha('a')],
      ],
      [{ number: 7, head: sha('1'), commits: [sha('c'), sha('d')] }],
    )
    const { code, files } = await reviewed(table)
    expect({ code, base: files.base, numbers: files.numbers }).toEqual({
      code: 0,
      base: `${sha('b')}\n`,
      numbers: '7\n',
    })
  })

  test('is the plan of a merge queue, which planned the merged commit', async () => {
    const table = await squash({ runs: [] })
    const { plan } = await somePlans()
    const { blocked } = await somePlans()
    expect(plan).not.toBe(blocked)
    Object.assign(table, {
      [`GET /repos/acme/sets/actions/workflows/setpoint.yml/runs?head_sha=${sha('c')}`]: {
        workflow_runs: [
          runOf(1_007, sha('c'), { event: 'merge_group' }),
          runOf(1_008, sha('c'), { event: 'push' }),
        ],
      },
      'GET /repos/acme/sets/actions/runs/1007/artifacts?name=plan': {
        artifacts: [artifactOf(1_007, 1_007, sha('c'))],
      },
    })
    const { code, files } = await reviewed(table)
    expect({ code, plan: files['001-7.json'] === plan }).toEqual({ code: 0, plan: true })
  })

  test('is the newest plan of a run that was retried', async () => {
    const table = await squash({
      artifacts: [artifactOf(1, 1_007, sha('1')), artifactOf(1_007, 1_007, sha('1'))],
    })
    expect((await reviewed(table)).code).toBe(0)
  })

  test('is not needed for an old or an applied commit: no plan is returned, and the exit code is 0', async () => {
    const old = await reviewed(await squash(), { commit: sha('b') })
    expect([old.code, old.files, old.stdout]).toEqual([
      0,
      { state: 'superseded\n' },
      'bbbbbbbbbbbb is not the newest commit of main: the pipeline of cccccccccccc applies it.\n',
    ])
    const table = await github([[sha('b'), sha('a')]], [], sha('b'))
    const applied = await reviewed(table, { commit: sha('b') })
    expect([applied.code, applied.files]).toEqual([0, { state: 'applied\n' }])
  })

  test('is refused with --tip to a retried job of an old commit', async () => {
    const table = await squash()
    expect((await reviewed(table, { argv: ['--tip'] })).code).toBe(0)
    const old = await reviewed(table, { argv: ['--tip'], commit: sha('b') })
    expect([old.code, old.files]).toEqual([4, {}])
    expect(old.stderr).toContain('bbbbbbbbbbbb is not the newest commit of main')
  })
})

describe('no plan is returned', () => {
  const refusedFor = async (table: Parameters<typeof reviewed>[0]): Promise<string> => {
    const { code, stderr, files, stdout } = await reviewed(table)
    // Only the numbers of the requests, so that a pipeline can show a new plan there.
    expect({ code, files: Object.keys(files), stdout }).toEqual({ code: 4, files: ['numbers'], stdout: '' })
    expect(stderr).toContain('Nothing was written.')
    return stderr
  }

  test.each<[string, Partial<Pull>, string]>([
    [
      'a run that did not succeed',
      { runs: [runOf(1_007, sha('1'), { conclusion: 'failure' })] },
      'did not succeed',
    ],
    ['no run', { runs: [] }, 'There is no run of .github/workflows/setpoint.yml'],
    [
      'a run of another workflow',
      { runs: [runOf(1_007, sha('1'), { path: '.github/workflows/x.yml' })] },
      'no run',
    ],
    ['a run of a fork', { runs: [runOf(1_007, sha('1'), { head_repository: { id: 78 } })] }, 'no run'],
    ['a run of another head', { runs: [runOf(1_007, sha('2'))] }, 'no run'],
    ['a run that a push started', { runs: [runOf(1_007, sha('1'), { event: 'push' })] }, 'no run'],
    [
      'two runs of the same head',
      { runs: [runOf(1_007, sha('1')), runOf(1_006, sha('1'))] },
      'which of their plans',
    ],
    ['no artifact', { artifacts: [] }, 'has no artifact "plan"'],
    [
      'an artifact of another name',
      { artifacts: [artifactOf(1_007, 1_007, sha('1'), { name: 'plan2' })] },
      'has no artifact',
    ],
    [
      'an artifact that has expired',
      { artifacts: [artifactOf(1_007, 1_007, sha('1'), { expired: true })] },
      'has expired',
    ],
    ['an artifact of another run', { artifacts: [artifactOf(1_007, 1_006, sha('1'))] }, 'has no artifact'],
    ['an artifact of another head', { artifacts: [artifactOf(1_007, 1_007, sha('2'))] }, 'has no artifact'],
    [
      'an artifact of a fork',
      {
        artifacts: [
          artifactOf(1_007, 1_007, sha('1'), {
            workflow_run: { id: 1_007, head_sha: sha('1'), repository_id: 77, head_repository_id: 78 },
          }),
        ],
      },
      'has no artifact',
    ],
    ['a pull request of a fork', { fork: true }, 'is from a fork'],
    [
      'a pull request into another branch',
      { base: 'develop' },
      'No merged pull or merge request contains cccccccccccc',
    ],
    [
      'a changed workflow',
      { files: ['.github/workflows/other.yml'] },
      'changed ".github/workflows/other.yml"',
    ],
    ['a changed lock file', { files: ['infra/package-lock.json'] }, 'changed "infra/package-lock.json"'],
    ['a changed configuration', { files: ['sets/a.yaml', 'setpoint.yaml'] }, 'changed "setpoint.yaml"'],
    ['a plan that was edited', { plan: '{}' }, 'is not accepted'],
  ])('for %s', async (_, pull, message) => {
    expect(await refusedFor(await squash(pull))).toContain(message)
  })

  test('for a plan that was blocked when it was reviewed', async () => {
    expect(await refusedFor(await squash({ plan: (await somePlans()).blocked }))).toContain('was blocked')
  })

  test('for a renamed workflow file', async () => {
    const table = await squash()
    const path = 'GET /repos/acme/sets/pulls/7/files'
    const renamed = {
      ...table,
      [path]: [{ filename: 'x.yml', previous_filename: '.github/workflows/a.yml' }],
    }
    expect(await refusedFor(renamed)).toContain('.github/workflows/a.yml')
  })

  test('for a commit without a pull request, with two pull requests, or with one whose commits are not consecutive', async () => {
    const base: [string, string] = [sha('b'), sha('a')]
    const pull = { number: 7, head: sha('1'), commits: [sha('c')] }
    expect(await refusedFor(await github([[sha('c'), sha('b')], base], [], sha('b')))).toContain(
      'No merged pull or merge request contains cccccccccccc on main.',
    )
    const two = await github([[sha('c'), sha('b')], base], [pull, { ...pull, number: 8 }], sha('b'))
    expect(await refusedFor(two)).toContain(
      'belongs to more than one request: pull request 7, pull request 8',
    )
    const elsewhere = await github(
      [[sha('c'), sha('b')], base],
      [{ ...pull, commits: [sha('9'), sha('c')] }],
      sha('b'),
    )
    expect(await refusedFor(elsewhere)).toContain('No merged pull or merge request contains cccccccccccc')
    const pieces = await github(
      [[sha('c'), sha('d')], [sha('d'), sha('e')], [sha('e'), sha('b')], base],
      [
        { ...pull, commits: [sha('c'), sha('e')] },
        { ...pull, number: 8, commits: [sha('d')] },
      ],
      sha('b'),
    )
    expect(await refusedFor(pieces)).toContain('are not consecutive')
  })

  test('if a commit was pushed directly, or the last applied commit is not on the branch', async () => {
    const pull = { number: 7, head: sha('1'), commits: [sha('c')] }
    const pushed = await github([[sha('c'), sha('d')], [sha('d'), sha('b')], [sha('b')]], [pull], sha('b'))
    expect(await refusedFor(pushed)).toContain('contains dddddddddddd on main')
    const moved = await github(
      [[sha('c'), sha('b')], [sha('b')]],
      [pull, { ...pull, number: 6, commits: [sha('b')] }],
      sha('9'),
    )
    expect(await refusedFor(moved)).toContain('The last apply was of 999999999999')
  })

  test('for an invalid archive, or an archive without the plan', async () => {
    const table = await squash()
    const { plan } = await somePlans()
    for (const [body, message] of [
      [Buffer.from('<html>'), 'not a zip archive'],
      [zipOf([{ name: '../plan.json', text: plan }]), 'contains the path'],
      [zipOf([{ name: 'plan.md', text: plan }]), 'does not contain plan.json'],
    ] as const) {
      const changed = await withArchive(table, body)
      expect(await refusedFor(changed)).toContain(message)
    }
  })
})

describe('the plan of a change that needs approval is returned only if the change was approved', () => {
  const review = (more: object = {}) => ({
    user: { id: 6, type: 'User' },
    state: 'APPROVED',
    commit_id: sha('1'),
    submitted_at: '2026-11-22T09:30:00Z',
    author_association: 'MEMBER',
    ...more,
  })
  test.each<[string, readonly object[], number]>([
    ['by somebody else, at its last commit', [review()], 0],
    ['and commented on later', [review(), review({ state: 'COMMENTED' })], 0],
    ['not at all', [], 4],
    ['by its author', [review({ user: { id: 5, type: 'User' } })], 4],
    ['by the last committer', [review({ user: { id: 19_864_447, type: 'User' } })], 4],
    ['before the last push', [review({ commit_id: sha('2') })], 4],
    ['by an outside contributor', [review({ author_association: 'CONTRIBUTOR' })], 4],
    ['and changes were requested later', [review(), review({ state: 'CHANGES_REQUESTED' })], 4],
    ['and the approval was dismissed', [review({ state: 'DISMISSED' })], 4],
    ['by a bot, such as the token of a job', [review({ user: { id: 41_898_282, type: 'Bot' } })], 4],
    ['by a deleted account', [review({ user: null })], 4],
    ['at an unknown time', [review({ submitted_at: null })], 4],
  ])('%s', async (_, reviews, code) => {
    const table = await squash({ files: ['.github/workflows/setpoint.yml'], reviews })
    expect((await reviewed(table)).code).toBe(code)
  })

  test('by somebody who wrote none of its commits, if all of its commits are listed', async () => {
    const files = ['package-lock.json']
    const commit = (letter: string, id: number) => ({
      sha: sha(letter),
      author: { id },
      committer: { id: 19_864_447 },
    })
    const codeFor = async (written: readonly object[]) =>
      (await reviewed(await squash({ files, reviews: [review()], written }))).code
    expect(await codeFor([commit('2', 7), commit('1', 5)])).toBe(0)
    expect(await codeFor([commit('2', 6), commit('1', 5)])).toBe(4)
    expect(await codeFor([commit('2', 7)])).toBe(4)
    expect(await codeFor([])).toBe(4)
  })
})

describe('a plan that is made again', () => {
  const at = (time: string): string => `2026-11-22T${time}:00Z`
  const again = (more: object = {}) =>
    runOf(1_007, sha('1'), { run_attempt: 2, run_started_at: at('09:20'), ...more })
  const madeAt = (time: string | null) => ({
    artifacts: [artifactOf(1_007, 1_007, sha('1'), { created_at: time === null ? null : at(time) })],
  })
  const approved = (time: string) => ({
    reviews: [
      {
        user: { id: 6, type: 'User' },
        state: 'APPROVED',
        commit_id: sha('1'),
        submitted_at: at(time),
        author_association: 'MEMBER',
      },
    ],
  })

  test('after the merge is refused, because it was not reviewed', async () => {
    for (const more of [madeAt('10:01'), { ...madeAt('10:01'), ...approved('10:02') }, madeAt(null)]) {
      const { code, stderr, files } = await reviewed(await squash(more))
      expect([code, files]).toEqual([4, { numbers: '7\n' }])
      expect(stderr).toContain('The plan of pull request 7 was made after the merge, so nobody reviewed it.')
    }
    expect((await reviewed(await squash(madeAt('10:00')))).code).toBe(0)
  })

  test('is accepted only if somebody else approved it later', async () => {
    const runs = [again()]
    const { code, stderr } = await reviewed(await squash({ runs, ...madeAt('09:25') }))
    expect([code, stderr.includes('was made again for the same commit')]).toEqual([4, true])
    expect((await reviewed(await squash({ runs, ...madeAt('09:25'), ...approved('09:24') }))).code).toBe(4)
    expect((await reviewed(await squash({ runs, ...madeAt('09:25'), ...approved('09:26') }))).code).toBe(0)
  })

  test('is not assumed if only other jobs were retried', async () => {
    expect((await reviewed(await squash({ runs: [again()], ...madeAt('09:05') }))).code).toBe(0)
    const untold = [again({ run_started_at: null })]
    expect((await reviewed(await squash({ runs: untold, ...madeAt('09:05') }))).code).toBe(4)
  })
})

describe('a file whose change needs approval', () => {
  const codeFor = async (file: string, argv: readonly string[] = [], env = {}): Promise<number> =>
    (await reviewed(await squash({ files: [file] }), { argv, env })).code

  test.each([
    'setpoint.yaml',
    'orgs/acme/setpoint.yaml',
    'rules/secrets.yaml',
    'infra/rules/secrets.yml',
    'yarn.lock',
    'pnpm-lock.yaml',
    '.npmrc',
    'tools/action.yml',
    'setpoint-0.1.0.tgz',
    'docs/CODEOWNERS',
  ])('is %s, in any directory', async file => {
    expect(await codeFor(file)).toBe(4)
  })

  test.each(['sets/rules.yaml', 'rules/notes.md', 'docs/package.md', 'sets/a.yaml'])(
    'is not %s',
    async file => {
      expect(await codeFor(file)).toBe(0)
    },
  )

  test('is a file that --config, --guard or CI_CONFIG_PATH names', async () => {
    expect(await codeFor('infra/prod.yaml')).toBe(0)
    expect(await codeFor('infra/prod.yaml', ['--config', 'infra/prod.yaml'])).toBe(4)
    expect(await codeFor('orgs/eu/acme/main.yaml', ['--config', 'orgs/**/main.yaml'])).toBe(4)
    expect(await codeFor('orgs/main.yaml', ['--config', './orgs/**/main.yaml'])).toBe(4)
    expect(await codeFor('orgs/main.yml', ['--config', 'orgs/**/main.yaml'])).toBe(0)
    expect(await codeFor('ci/deploy.sh', ['--guard', 'x', '--guard', 'ci/*'])).toBe(4)
    expect(await codeFor('ci/pipeline.yml', [], { CI_CONFIG_PATH: 'ci/pipeline.yml' })).toBe(4)
  })

  test('is resolved relative to the directory of the run', async () => {
    const cwd = aDirectory({
      '.git/HEAD': 'ref: refs/heads/main\n',
      'infra/prod.yaml': 'organization: acme\n',
    })
    const table = await squash({ files: ['infra/prod.yaml'] })
    const flags = ['--config', 'prod.yaml']
    expect((await reviewed(table, { argv: ['-C', join(cwd, 'infra'), ...flags] })).code).toBe(4)
    expect((await reviewed(table, { argv: ['-C', cwd, ...flags] })).code).toBe(0)
  })
})

test('without a plan, the numbers of the requests that need a new plan are written', async () => {
  const base: [string, string] = [sha('b'), sha('a')]
  const history: [string, string][] = [[sha('c'), sha('d')], [sha('d'), sha('b')], base]
  const [newer, older] = [
    { number: 8, head: sha('1'), commits: [sha('c')] },
    { number: 7, head: sha('2'), commits: [sha('d')], files: ['setpoint.yaml'] },
  ]
  const both = await reviewed(await github(history, [newer, older], sha('b')))
  expect([both.code, both.files]).toEqual([4, { numbers: '7\n8\n' }])
  const blocked = await github(
    history,
    [
      { ...newer, plan: (await somePlans()).blocked },
      { ...older, files: [] },
    ],
    sha('b'),
  )
  expect((await reviewed(blocked)).files).toEqual({ numbers: '7\n8\n' })
  // If the last apply is not on the branch, it is unknown which requests are concerned.
  const oldest = { number: 6, head: sha('3'), commits: [sha('b')] }
  const unknown = await reviewed(await github(history, [newer, older, oldest], sha('9')))
  expect(unknown.files).toEqual({ numbers: '8\n' })
})

describe('the forge', () => {
  test('being down, or returning something else, is one error, and nothing is written', async () => {
    for (const answer of [
      { status: 500, body: {} },
      { status: 200, body: [] },
    ]) {
      const { code, files, stderr } = await reviewed({ ...(await squash()), 'GET /repos/acme/sets': answer })
      expect({ code, files }).toEqual({ code: 1, files: {} })
      expect(stderr.match(/^error /gm)).toHaveLength(1)
    }
    const down = await reviewed({}, { env: { GITHUB_API_URL: 'http://127.0.0.1:9' } })
    expect([down.code, down.files]).toEqual([1, {}])
  })

  test('refusing a token is an error that names the missing permissions', async () => {
    const path = 'GET /repos/acme/sets/pulls/7/files'
    const { code, files, stderr } = await reviewed({
      ...(await squash()),
      [path]: { status: 403, body: { message: 'Resource not accessible by integration' } },
    })
    expect({ code, files }).toEqual({ code: 1, files: {} })
    expect(stderr).toContain('permissions: { contents: read, pull-requests: read, actions: read }')
    expect(stderr).not.toContain(TOKEN)
  })

  test('redirecting the download to an address without https is not followed', async () => {
    for (const location of [
      'http://store.example/x.zip',
      'ftp://127.0.0.1/x',
      'http://a:b@127.0.0.1:9/',
      'x',
    ]) {
      const { code, files } = await reviewed({
        ...(await squash()),
        'GET /repos/acme/sets/actions/artifacts/1007/zip': { status: 302, headers: { location } },
      })
      expect({ code, files }).toEqual({ code: 1, files: {} })
    }
  })
})

test('an output folder that is not empty is refused, because its files would count as reviewed', async () => {
  const { code, stderr, seen, files } = await reviewed(await squash(), {
    argv: ['-C', aDirectory({ 'reviewed/evil.json': '{}' })],
  })
  expect([code, seen, files]).toEqual([1, [], {}])
  expect(stderr).toContain('"reviewed" is not empty.')
})

test('missing settings are reported before any request', async () => {
  const missing = async (env: Record<string, string>) => {
    const { code, stderr, seen } = await reviewed({}, { env })
    expect([code, seen]).toEqual([1, []])
    return stderr
  }
  expect(await missing({ GITHUB_TOKEN: '' })).toContain('There is no token for the forge.')
  expect(await missing({ GITHUB_SHA: 'main' })).toContain('Missing argument: COMMIT')
  expect(await missing({ GITHUB_WORKFLOW_REF: '' })).toContain('--workflow')
})

/** The same forge, whose store holds another archive. */
async function withArchive(table: Awaited<ReturnType<typeof squash>>, body: Buffer) {
  const { routes } = await import('./routes.ts')
  const store = await routes(undefined, () => ({ 'GET /x.zip': { status: 200, body } }))
  return {
    ...table,
    'GET /repos/acme/sets/actions/artifacts/1007/zip': {
      status: 302,
      headers: { location: `${store.url}/x.zip` },
    },
  }
}
