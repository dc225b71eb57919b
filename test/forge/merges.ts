import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contextOf } from '../../src/cli/call.ts'
import { acceptedPlans } from '../../src/cli/ci-plan.ts'
import { runCommand } from '../../src/cli/command.ts'
import { guardIn } from '../../src/cli/files-that-decide.ts'
import { mergesOf } from '../../src/cli/find-merges.ts'
import { withForge } from '../../src/cli/with-forge.ts'
import { findReviewed, NotReviewed, type Reviewed, short } from '../../src/forge/find-reviewed.ts'
import { readForgeProject } from '../../src/forge/pull-request.ts'
import { Redactor } from '../../src/model/secret.ts'
import { required } from '../../src/run/commands/ending.ts'
import { withDefaults } from '../../src/run/options.ts'
import { aDirectory, type Ran, run } from '../support/program.ts'
import { type Route, routes, zipOf } from './routes.ts'

export const TOKEN = 'ghs_ReadsOnly0123456789'
export const WORKFLOW = '.github/workflows/setpoint.yml'

/** A commit or id that is easy to recognise: `sha('c')` is forty times c. */
export const sha = (letter: string): string => letter.repeat(40)

let plans: Promise<{ plan: string; blocked: string }> | undefined

/** A saved plan, and one that a guard blocks. */
export const somePlans = (): Promise<{ plan: string; blocked: string }> => {
  plans ??= (async () => {
    const cwd = aDirectory({
      'setpoint.yaml': 'organization: acme\n',
      'sets/a.yaml': 'variableSets: { region: { env: { AWS_REGION: eu-west-1 } } }\n',
    })
    const planned = async (name: string, argv: readonly string[] = []): Promise<string> => {
      await run(['plan', '--sandbox', '--out', name, ...argv], { cwd })
      return readFileSync(join(cwd, name), 'utf8')
    }
    const plan = await planned('plan.json')
    await run(['apply', '--sandbox', '--auto-approve'], { cwd })
    const { writeFileSync } = await import('node:fs')
    writeFileSync(join(cwd, 'sets/a.yaml'), 'removed: [region]\n')
    return { plan, blocked: await planned('blocked.json') }
  })()
  return plans
}

export interface ReviewedRun extends Ran {
  readonly files: Readonly<Record<string, string>>
  readonly seen: readonly string[]
}

/** Finds the reviewed plans as `setpoint ci plan` does after a merge, and returns what it found as texts. */
export async function reviewed(
  table: Readonly<Record<string, Route>>,
  more: {
    readonly argv?: readonly string[]
    readonly env?: Readonly<Record<string, string>>
    readonly commit?: string
  } = {},
): Promise<ReviewedRun> {
  const forge = await routes(TOKEN, () => table)
  const { argv = [] } = more
  const flag = (name: string): string[] => argv.filter((_, at) => argv[at - 1] === name)
  const cwd = flag('-C')[0] ?? aDirectory()
  const env = {
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: forge.url,
    CI_API_V4_URL: `${forge.url}/api/v4`,
    GITHUB_REPOSITORY: 'acme/sets',
    GITHUB_WORKFLOW_REF: `acme/sets/${WORKFLOW}@refs/heads/main`,
    GITHUB_TOKEN: TOKEN,
    ...more.env,
  }
  const files: Record<string, string> = {}
  const errors: string[] = []
  let stdout = ''
  const sink = { write: (text: string) => void errors.push(text), terminal: false, columns: 120 }
  const [config] = flag('--config')
  const options = withDefaults({ guard: flag('--guard'), config })
  const io = contextOf(
    {
      stdout: sink,
      stderr: sink,
      env,
      cwd,
      home: undefined,
      version: '0.0.0-test',
      redactor: new Redactor(),
      input: () => ({}),
      stop: new AbortController().signal,
      abandon: new AbortController().signal,
      stoppedBy: () => undefined,
      now: () => new Date(),
      elapsed: () => performance.now(),
      random: () => 0.5,
      sleep: () => Promise.resolve(),
    },
    options,
  )
  const { code } = await runCommand(
    async () => {
      const place = required(io, readForgeProject(io.env, 'read'))
      const isGuarded = await guardIn(io)
      return await withForge(io, place, async transport => {
        const numbers = (requests: readonly { number: number }[]) =>
          requests.map(({ number }) => `${number}\n`).join('')
        try {
          const found = await findReviewed(mergesOf(io, place, transport), {
            commit: more.commit ?? sha('c'),
            jobs: ['apply'],
            isGuarded,
          })
          if (found.state === 'ready') {
            const requests = found.plans.map(({ request }) => request)
            const plans = await acceptedPlans(found.plans)
            if (plans instanceof NotReviewed)
              throw new NotReviewed(plans.message, undefined, requests.toReversed(), found.base)
            for (const [at, text] of plans.entries())
              files[`${String(at + 1).padStart(3, '0')}-${requests[at]?.number}.json`] = text
            files.base = `${found.base}\n`
            files.numbers = numbers(requests)
          }
          files.state = `${found.state}\n`
          stdout = saidOf(found)
          return 0
        } catch (error) {
          if (error instanceof NotReviewed) files.numbers = numbers(error.requests.toReversed())
          throw error
        }
      })
    },
    io,
    undefined,
    () => Promise.resolve(0),
  )
  return { code, stdout, stderr: errors.join(''), files, seen: forge.seen }
}

/** What was found, for the assertions. */
function saidOf(found: Reviewed): string {
  if (found.state === 'superseded') return `superseded by ${short(found.tip)} on ${found.branch}\n`
  if (found.state === 'applied') return 'applied\n'
  const names = found.plans.map(({ request }) => request.name).join(', ')
  const base = found.isBaseApplied
    ? 'Applied last'
    : 'No earlier apply is known, so the base is the commit before it'
  return `Found the reviewed plan of ${names}. ${base}: ${short(found.base)}.\n`
}

export interface Pull {
  readonly number: number
  readonly head: string
  /** Its commits on the branch, the newest first. */
  readonly commits: readonly string[]
  readonly files?: readonly string[]
  readonly reviews?: readonly object[]
  /** The commits of its branch, the oldest first. */
  readonly written?: readonly object[]
  readonly fork?: boolean
  readonly plan?: string
  readonly base?: string
  readonly runs?: readonly object[]
  readonly artifacts?: readonly object[]
  /** The jobs `plan` of its run, of all attempts. */
  readonly jobs?: readonly object[]
  /** What happened to it: `reopened`, … */
  readonly events?: readonly object[]
  /** Other pull requests of its branch. */
  readonly others?: readonly object[]
}

const REPOSITORY = { id: 77, default_branch: 'main' }
const repo = (id: number) => ({ repo: { id } })

/** The branch of every pull request. */
const BRANCH = 'change'

export const at = (time: string): string => `2026-11-22T${time}:00Z`

export const runOf = (id: number, head: string, more: object = {}) => ({
  id,
  event: 'pull_request',
  head_sha: head,
  head_branch: BRANCH,
  path: WORKFLOW,
  run_attempt: 1,
  actor: { id: 5 },
  created_at: at('09:00'),
  status: 'completed',
  conclusion: 'success',
  repository: { id: 77 },
  head_repository: { id: 77 },
  ...more,
})

export const mainRunOf = (id: number, head: string, more: object = {}) =>
  runOf(id, head, { event: 'push', head_branch: 'main', ...more })

export const artifactOf = (id: number, run: number, head: string, more: object = {}) => ({
  id,
  name: 'plan',
  size_in_bytes: 4_000,
  expired: false,
  created_at: at('09:05'),
  workflow_run: { id: run, head_sha: head, repository_id: 77, head_repository_id: 77 },
  ...more,
})

export const RUNS = 'GET /repos/acme/sets/actions/workflows/setpoint.yml/runs'

/** The key of the list of runs for a commit. */
export const runsOf = (
  commit: string,
  event = 'pull_request',
  branch = event === 'pull_request' ? BRANCH : 'main',
) => `${RUNS}?branch=${branch}&head_sha=${commit}&event=${event}`

/**
 * * GitHub's responses for a branch `main`. `history`: the newest commit first, each with its parents. `applied`: the commit whose run
 * * has a successful job `apply`. The artifacts are at another address, which must not get the token.
 */
export async function github(
  history: readonly (readonly [commit: string, ...parents: string[]])[],
  pulls: readonly Pull[],
  applied?: string,
): Promise<Record<string, Route>> {
  const { plan } = await somePlans()
  const archives: Record<string, Route> = {}
  const store = await routes(undefined, () => archives)
  const home = 'GET /repos/acme/sets'
  const table: Record<string, Route> = {
    [home]: REPOSITORY,
    [`${home}/branches/main`]: { commit: { sha: history[0]?.[0] } },
    [`${home}/commits?sha=${history[0]?.[0]}`]: history.map(([commit, ...parents]) => ({
      sha: commit,
      parents: parents.map(parent => ({ sha: parent })),
    })),
    [`${home}/pulls?state=all&head=acme%3A${BRANCH}`]: [
      ...pulls.map(({ number }) => ({ number, head: { ref: BRANCH }, created_at: at('09:30') })),
      ...pulls.flatMap(({ others = [] }) => others),
    ],
    [`${home}/actions/runs/901/jobs?filter=all`]: {
      jobs: [
        { name: 'apply', conclusion: 'failure' },
        { name: 'approve', conclusion: 'skipped' },
        { name: 'plan', conclusion: 'success' },
      ],
    },
    [`${home}/actions/runs/900/jobs?filter=all`]: { jobs: [{ name: 'apply', conclusion: 'success' }] },
  }
  for (const [commit] of history) {
    const own = pulls.filter(({ commits }) => commits.includes(commit))
    table[`${home}/commits/${commit}/pulls`] = own.map(({ number, head, commits, fork, base = 'main' }) => ({
      number,
      merged_at: at('10:00'),
      merge_commit_sha: commits[0],
      head: { sha: head, ...repo(fork === true ? 78 : 77) },
      base: { ref: base, ...repo(77) },
    }))
    table[runsOf(commit, 'push')] = {
      workflow_runs: [
        // Only the last one counts.
        mainRunOf(900, commit, { event: 'schedule' }),
        mainRunOf(900, commit, { head_repository: { id: 78 } }),
        mainRunOf(900, commit, { path: '.github/workflows/other.yml' }),
        mainRunOf(900, commit, { head_branch: 'other' }),
        mainRunOf(900, sha('9')),
        mainRunOf(901, commit, { conclusion: 'failure' }),
        ...(commit === applied ? [mainRunOf(900, commit)] : []),
      ],
    }
    table[runsOf(commit, 'workflow_dispatch')] = { workflow_runs: [] }
  }
  for (const pull of pulls) {
    const { number, head, files = ['sets/a.yaml'], reviews = [], events = [] } = pull
    const run = 1_000 + number
    table[`${home}/pulls/${number}`] = { user: { id: 5 }, head: { ref: BRANCH } }
    table[`${home}/pulls/${number}/files`] = files.map(filename => ({ filename }))
    table[`${home}/pulls/${number}/reviews`] = reviews
    table[`${home}/pulls/${number}/commits`] = pull.written ?? [
      { sha: head, author: { id: 5 }, committer: { id: 19_864_447 } },
    ]
    table[`${home}/issues/${number}/events`] = events
    table[runsOf(head)] = { workflow_runs: pull.runs ?? [runOf(run, head)] }
    table[`${home}/actions/runs/${run}/artifacts`] = {
      artifacts: pull.artifacts ?? [artifactOf(run, run, head)],
    }
    table[`${home}/actions/runs/${run}/jobs?filter=all`] = {
      jobs: pull.jobs ?? [{ id: 1, name: 'plan', conclusion: 'success', started_at: at('09:01') }],
    }
    table[`${home}/actions/artifacts/${run}/zip`] = {
      status: 302,
      headers: { location: `${store.url}/signed/${run}.zip?sig=a%2Bb` },
    }
    archives[`GET /signed/${run}.zip?sig=a%2Bb`] = {
      status: 200,
      body: zipOf([
        { name: 'plan.html', text: '<html>' },
        { name: 'plan.json', text: pull.plan ?? plan },
      ]),
    }
  }
  return table
}
