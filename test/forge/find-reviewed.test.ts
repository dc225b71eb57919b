import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aDirectory } from '../support/program.ts'
import {
  artifactOf,
  at,
  github,
  mainRunOf,
  type Pull,
  RUNS,
  reviewed,
  runOf,
  runsOf,
  sha,
  somePlans,
  TOKEN,
} from './merges.ts'
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

  test('is the plan of the newest merge if no apply is known, which it says', async () => {
    const table = await github(
      [
        [sha('c'), sha('d')],
        [sha('d'), sha('b')],
        [sha('b'), sha('a')],
      ],
      [{ number: 7, head: sha('1'), commits: [sha('c'), sha('d')] }],
      // This commit is not on the branch any more.
      sha('9'),
    )
    const { code, stdout, files } = await reviewed(table)
    expect({ code, base: files.base, numbers: files.numbers }).toEqual({
      code: 0,
      base: `${sha('b')}\n`,
      numbers: '7\n',
    })
    expect(stdout).toBe(
      'Found the reviewed plan of pull request 7. No earlier apply is known, so the base is the commit before it: bbbbbbbbbbbb.\n',
    )
  })

  test('is the plan of the pull request, not that of a merge queue, which nobody reviewed', async () => {
    const table = await squash()
    table[runsOf(sha('c'), 'merge_group')] = {
      workflow_runs: [runOf(1_008, sha('c'), { event: 'merge_group' })],
    }
    const { plan } = await somePlans()
    const { code, files } = await reviewed(table)
    expect({ code, plan: files['001-7.json'] === plan }).toEqual({ code: 0, plan: true })
  })

  test('is not needed for an old or an applied commit: no plan is returned, and the exit code is 0', async () => {
    const old = await reviewed(await squash(), { commit: sha('b') })
    expect([old.code, old.files, old.stdout]).toEqual([
      0,
      { state: 'superseded\n' },
      'superseded by cccccccccccc on main\n',
    ])
    const table = await github([[sha('b'), sha('a')]], [], sha('b'))
    const applied = await reviewed(table, { commit: sha('b') })
    expect([applied.code, applied.files]).toEqual([0, { state: 'applied\n' }])
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
      'may have been made more than once',
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
    [
      'as many files as GitHub lists at most',
      { files: Array.from({ length: 3_000 }, (_, at) => `sets/${at}.yaml`) },
      'changed more files than the forge lists',
    ],
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
      'belongs to more than one pull or merge request: pull request 7, pull request 8',
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

  test('if a commit was pushed directly', async () => {
    const pull = { number: 7, head: sha('1'), commits: [sha('c')] }
    const pushed = await github([[sha('c'), sha('d')], [sha('d'), sha('b')], [sha('b')]], [pull], sha('b'))
    expect(await refusedFor(pushed)).toContain('contains dddddddddddd on main')
  })

  test('if there is no commit before the only merge, and no apply is known', async () => {
    const pull = { number: 7, head: sha('1'), commits: [sha('c')] }
    expect(await refusedFor(await github([[sha('c')]], [pull]))).toContain(
      'No apply is known among the last 1 commits of main, and no commit before pull request 7.',
    )
  })

  test('if the last apply is not among the last hundred commits', async () => {
    const commits = Array.from({ length: 102 }, (_, at) => String(at).padStart(40, '0'))
    const history = commits.map((commit, at): [string, ...string[]] => [
      commit,
      ...commits.slice(at + 1, at + 2),
    ])
    const pull = { number: 7, head: sha('1'), commits: commits.slice(0, 101) }
    const [commit = ''] = commits
    const applied = async (at: number) =>
      await reviewed(await github(history, [pull], commits[at]), { commit })
    expect((await applied(99)).code).toBe(0)
    const { code, stderr } = await applied(100)
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('No apply is known among the last 100 commits of main'),
    ])
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
    ['and another review was begun later', [review(), review({ state: 'PENDING' })], 0],
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

const approval = (time: string, user = 6) => ({
  user: { id: user, type: 'User' },
  state: 'APPROVED',
  commit_id: sha('1'),
  submitted_at: at(time),
  author_association: 'MEMBER',
})

const madeAt = (time: string | null, id = 1_007) =>
  artifactOf(id, 1_007, sha('1'), { created_at: time === null ? null : at(time) })

test('a plan that was made after the merge is refused, because it was not reviewed', async () => {
  for (const more of [
    { artifacts: [madeAt('10:01')] },
    { artifacts: [madeAt('10:01')], reviews: [approval('10:02')] },
    { artifacts: [madeAt(null)] },
  ]) {
    const { code, stderr, files } = await reviewed(await squash(more))
    expect([code, files]).toEqual([4, { numbers: '7\n' }])
    expect(stderr).toContain('The plan of pull request 7 was made after the merge, so nobody reviewed it.')
  }
  expect((await reviewed(await squash({ artifacts: [madeAt('10:00')] }))).code).toBe(0)
})

describe('if another person approved the last commit, the plan is older than the approval', () => {
  const planJob = (id: number, time: string) => ({
    id,
    name: 'plan',
    conclusion: 'success',
    started_at: at(time),
  })
  const attempt = (run_attempt: number, time: string) => [
    runOf(1_007, sha('1'), { run_attempt, run_started_at: at(time) }),
  ]
  const twice = [planJob(1, '09:08'), planJob(2, '09:48')]
  const closedAndReopened = [
    { event: 'closed', created_at: at('09:30') },
    { event: 'reopened', created_at: at('09:40') },
  ]
  const reviews = [approval('09:20')]

  test.each<[string, Partial<Pull>]>([
    ['by a second attempt', { runs: attempt(2, '09:45'), jobs: twice, artifacts: [madeAt('09:50')] }],
    [
      'by a second attempt, before a third one of another job',
      { runs: attempt(3, '09:55'), jobs: twice, artifacts: [madeAt('09:10', 1_006), madeAt('09:50')] },
    ],
    [
      'by a second attempt, before a third one, and the first artifact was deleted',
      { runs: attempt(3, '09:55'), jobs: twice, artifacts: [madeAt('09:50')] },
    ],
    [
      'by a second run',
      {
        runs: [runOf(1_007, sha('1'), { created_at: at('09:40') }), runOf(1_006, sha('1'))],
        artifacts: [madeAt('09:50')],
        events: closedAndReopened,
      },
    ],
    [
      'by a second run, and the first one was deleted',
      {
        runs: [runOf(1_007, sha('1'), { created_at: at('09:40') })],
        artifacts: [madeAt('09:50')],
        events: closedAndReopened,
      },
    ],
    ['in a run of which nothing else is known', { artifacts: [madeAt('09:50')] }],
    ['in the same second', { artifacts: [madeAt('09:20')] }],
  ])('and is refused if it was made again %s', async (_, pull) => {
    const late = await reviewed(await squash({ ...pull, reviews }))
    expect([late.code, late.files]).toEqual([4, { numbers: '7\n' }])
    expect(late.stderr).toContain(
      'The plan of pull request 7 was made after its approval, so nobody reviewed it.',
    )
    // A person who looks again is enough, and one approval of several.
    const again = { ...pull, reviews: [...reviews, approval('09:51', 8)] }
    expect((await reviewed(await squash(again))).code).toBe(0)
  })

  test('and is accepted whatever was run again before', async () => {
    const pull = {
      runs: attempt(2, '09:08'),
      jobs: twice,
      artifacts: [madeAt('09:05', 1_006), madeAt('09:10')],
    }
    expect((await reviewed(await squash({ ...pull, reviews }))).code).toBe(0)
    expect((await reviewed(await squash(pull))).code).toBe(4)
  })

  test('and the approval of who pushed the last commit does not count, whatever name the commit has', async () => {
    const files = ['setpoint.yaml']
    expect((await reviewed(await squash({ files, reviews }))).code).toBe(0)
    const pushed = { runs: [runOf(1_007, sha('1'), { actor: { id: 6 } })], reviews }
    const { code, stderr } = await reviewed(await squash({ files, ...pushed }))
    expect([code, stderr.includes('nobody else approved the last commit')]).toEqual([4, true])
    // A new run by somebody else does not change who pushed.
    const runs = [runOf(1_007, sha('1')), runOf(1_006, sha('1'), { actor: { id: 6 } })]
    expect((await reviewed(await squash({ files, runs, reviews }))).code).toBe(4)
  })
})

describe('if nobody else approved the last commit, the plan was made once', () => {
  const again = [runOf(1_007, sha('1'), { run_attempt: 2 })]
  const planJob = (id: number, time: string | null) => ({
    id,
    name: 'plan',
    conclusion: 'success',
    started_at: time === null ? null : at(time),
  })

  test.each<[string, Partial<Pull>]>([
    ['by a second attempt', { runs: again, jobs: [planJob(1, '09:01'), planJob(2, '09:20')] }],
    [
      'by a second attempt whose times are unknown',
      { runs: again, jobs: [planJob(1, null), planJob(2, null)] },
    ],
    ['by jobs of another name', { runs: again, jobs: [{ ...planJob(1, '09:01'), name: 'other' }] }],
    ['into two artifacts', { artifacts: [madeAt('09:05', 1_006), madeAt('09:06')] }],
    ['by two runs', { runs: [runOf(1_007, sha('1')), runOf(1_006, sha('1'))] }],
    ['after it was reopened', { events: [{ event: 'reopened', created_at: at('09:00') }] }],
    [
      'by two runs of the only one who approved',
      {
        runs: [1_007, 1_006].map(id => runOf(id, sha('1'), { actor: { id: 6 } })),
        reviews: [approval('09:20')],
      },
    ],
  ])('and is refused if it may have been made again %s', async (_, pull) => {
    const { code, stderr } = await reviewed(await squash(pull))
    expect([code, stderr.includes('The plan of pull request 7 may have been made more than once')]).toEqual([
      4,
      true,
    ])
  })

  test('and is accepted if only other jobs ran again', async () => {
    const jobs = [planJob(1, '09:01'), planJob(2, '09:01'), { ...planJob(3, '09:20'), name: 'comment' }]
    expect((await reviewed(await squash({ runs: again, jobs }))).code).toBe(0)
  })

  test('and is refused if the forge lists fewer runs than it counts, approved or not', async () => {
    for (const reviews of [[], [approval('09:20')]]) {
      const table = await squash({ reviews })
      table[runsOf(sha('1'))] = { total_count: 2, workflow_runs: [runOf(1_007, sha('1'))] }
      const { code, stderr } = await reviewed(table)
      expect([code, stderr.includes('GitHub lists only 1 of 2 entries of')]).toEqual([4, true])
    }
  })

  test('and all pages of runs are read', async () => {
    const others = Array.from({ length: 100 }, (_, index) => runOf(2_000 + index, sha('2')))
    const table = await squash()
    const page = (number: number) => `${runsOf(sha('1'))}&page=${number}`
    table[page(1)] = { total_count: 102, workflow_runs: [runOf(1_007, sha('1')), ...others.slice(1)] }
    table[page(2)] = { total_count: 102, workflow_runs: [runOf(1_006, sha('1')), ...others.slice(0, 1)] }
    const { code, stderr } = await reviewed(table)
    expect([code, stderr.includes('may have been made more than once')]).toEqual([4, true])
  })
})

describe('a run may have had another base, whose workflow it ran', () => {
  const other = (more: object = {}) => ({
    number: 8,
    head: { ref: 'change' },
    created_at: at('08:00'),
    closed_at: null,
    ...more,
  })
  test.each<[string, Partial<Pull>, number]>([
    ['a pull request of the same branch was open', { others: [other()] }, 4],
    [
      'a pull request of the same branch was closed later',
      { others: [other({ closed_at: at('09:01') })] },
      4,
    ],
    [
      'a pull request of the same branch was closed before',
      { others: [other({ closed_at: at('08:59') })] },
      0,
    ],
    [
      'a pull request of the same branch was opened later',
      { others: [other({ created_at: at('09:01') })] },
      0,
    ],
    ['a pull request of another branch was open', { others: [other({ head: { ref: 'other' } })] }, 0],
    ['the run is of another branch', { runs: [runOf(1_007, sha('1'), { head_branch: 'other' })] }, 4],
    ['the base was changed', { events: [{ event: 'base_ref_changed', created_at: at('09:06') }] }, 4],
    [
      'the base was changed by the forge',
      { events: [{ event: 'automatic_base_change_succeeded', created_at: at('09:06') }] },
      4,
    ],
    ['the base was changed before', { events: [{ event: 'base_ref_changed', created_at: at('08:59') }] }, 0],
    ['the base was changed at an unknown time', { events: [{ event: 'base_ref_changed' }] }, 4],
  ])('%s', async (_, pull, code) => {
    expect((await reviewed(await squash(pull))).code).toBe(code)
    expect((await reviewed(await squash({ ...pull, reviews: [approval('09:20')] }))).code).toBe(code)
  })
})

describe('what was applied last', () => {
  test('is found behind any number of scheduled runs', async () => {
    const table = await github(
      [
        [sha('c'), sha('d')],
        [sha('d'), sha('b')],
        [sha('b'), sha('a')],
      ],
      [
        { number: 8, head: sha('1'), commits: [sha('c')] },
        { number: 7, head: sha('2'), commits: [sha('d')] },
      ],
      sha('b'),
    )
    // What the forge answers without a search: the runs of three months.
    table[`${RUNS}?branch=main`] = {
      workflow_runs: Array.from({ length: 100 }, (_, index) =>
        mainRunOf(index, sha('d'), { event: 'schedule' }),
      ),
    }
    const { code, stdout, files } = await reviewed(table)
    expect({ code, stdout, base: files.base }).toEqual({
      code: 0,
      stdout: 'Found the reviewed plan of pull request 7, pull request 8. Applied last: bbbbbbbbbbbb.\n',
      base: `${sha('b')}\n`,
    })
  })

  test('may have been applied by hand', async () => {
    const table = await squash()
    table[runsOf(sha('b'), 'push')] = { workflow_runs: [] }
    table[runsOf(sha('b'), 'workflow_dispatch')] = {
      workflow_runs: [mainRunOf(900, sha('b'), { event: 'workflow_dispatch' })],
    }
    expect((await reviewed(table)).stdout).toContain('Applied last: bbbbbbbbbbbb.')
  })

  test('is unknown if a tag has the name of the branch, because its runs look like those of the branch', async () => {
    const table = await github(
      [[sha('c'), sha('b')]],
      [{ number: 7, head: sha('1'), commits: [sha('c')] }],
      sha('c'),
    )
    expect((await reviewed(table)).files).toEqual({ state: 'applied\n' })
    table['GET /repos/acme/sets/git/ref/tags/main'] = { ref: 'refs/tags/main' }
    const { code, stderr, files } = await reviewed(table)
    expect([code, files]).toEqual([4, { numbers: '' }])
    expect(stderr).toContain('There is a tag "main", so it is unknown what was applied.')
  })
})

describe('a file whose change needs approval', () => {
  const codeFor = async (file: string, argv: readonly string[] = [], env = {}): Promise<number> =>
    (await reviewed(await squash({ files: [file] }), { argv, env })).code

  test.each([
    'setpoint.yaml',
    'orgs/acme/setpoint.yaml',
    'rules/secrets.yaml',
    'orgs/acme/setpoint.yml',
    'groups.yaml',
    'groups.yml',
    'orgs/acme/groups/payments.yaml',
    'infra/rules/secrets.yml',
    'rules/team/secrets.yaml',
    'rules/team/tests/secrets.yaml',
    'yarn.lock',
    'pnpm-lock.yaml',
    '.npmrc',
    'tools/action.yml',
    'setpoint-0.3.0.tgz',
    'vendor/setpoint.tar.gz',
    'vendor/setpoint.tar',
    'docs/CODEOWNERS',
    '.yarn/releases/yarn-4.5.0.cjs',
    '.pnp.cjs',
    '.pnp.loader.mjs',
    '.yarnrc',
    'bun.lockb',
    'bunfig.toml',
    'mise.toml',
    '.mise.local.toml',
    '.mise/config.toml',
    '.config/mise/config.toml',
  ])('is %s, in any directory', async file => {
    expect(await codeFor(file)).toBe(4)
  })

  test.each([
    'sets/rules.yaml',
    'infra/rules/tests/a.yaml',
    'rules/notes.md',
    'docs/package.md',
    'sets/a.yaml',
    'sets/promise.toml',
  ])('is not %s', async file => {
    expect(await codeFor(file)).toBe(0)
  })

  test('is a file that --config, --guard or CI_CONFIG_PATH names', async () => {
    expect(await codeFor('infra/prod.yaml')).toBe(0)
    expect(await codeFor('infra/prod.yaml', ['--config', 'infra/prod.yaml'])).toBe(4)
    expect(await codeFor('orgs/eu/acme/main.yaml', ['--config', 'orgs/**/main.yaml'])).toBe(4)
    expect(await codeFor('orgs/main.yaml', ['--config', './orgs/**/main.yaml'])).toBe(4)
    expect(await codeFor('orgs/main.yml', ['--config', 'orgs/**/main.yaml'])).toBe(0)
    expect(await codeFor('ci/deploy.sh', ['--guard', 'x', '--guard', 'ci/*'])).toBe(4)
    expect(await codeFor('ci/pipeline.yml', [], { CI_CONFIG_PATH: 'ci/pipeline.yml' })).toBe(4)
  })

  test('is a file of a package in the repository that the lists of packages name', async () => {
    const lock = {
      packages: {
        'node_modules/linked': { resolved: 'vendor/linked', link: true },
        'node_modules/hosted': { resolved: 'https://registry.example/hosted/-/hosted-1.0.0.tgz' },
      },
    }
    const cwd = aDirectory({
      '.git/HEAD': 'ref: refs/heads/main\n',
      'package.json': '{ "dependencies": { "ours": "file:vendor/ours", "root": "workspace:^" } }',
      'package-lock.json': JSON.stringify(lock, undefined, 2),
      'infra/package.json': '{ "dependencies": { "x": "link:../tools/x" } }',
    })
    const codeIn = async (file: string, directory = cwd): Promise<number> =>
      (await reviewed(await squash({ files: [file] }), { argv: ['-C', directory, '--out', `of/${file}`] }))
        .code
    expect(await codeIn('vendor/ours/lib/index.js')).toBe(4)
    expect(await codeIn('vendor/linked/index.js')).toBe(4)
    expect(await codeIn('vendor/other/index.js')).toBe(0)
    expect(await codeIn('tools/x/run.js')).toBe(0)
    expect(await codeIn('tools/x/run.js', join(cwd, 'infra'))).toBe(4)
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
  // If no apply is known, it is unknown which other requests are concerned.
  const unknown = await reviewed(await github(history, [{ ...newer, files: ['setpoint.yaml'] }, older]))
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

test('a missing token is reported before any request', async () => {
  const { code, stderr, seen } = await reviewed({}, { env: { GITHUB_TOKEN: '' } })
  expect([code, seen]).toEqual([1, []])
  expect(stderr).toContain('There is no token for the forge.')
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
