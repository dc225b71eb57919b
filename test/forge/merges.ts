import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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

/** Runs `setpoint reviewed` against a forge, and returns the files that it wrote. */
export async function reviewed(
  table: Readonly<Record<string, Route>>,
  more: {
    readonly argv?: readonly string[]
    readonly env?: Readonly<Record<string, string>>
    readonly commit?: string
  } = {},
): Promise<ReviewedRun> {
  const forge = await routes(TOKEN, () => table)
  const cwd = aDirectory()
  const ran = await run(['reviewed', '--out', 'reviewed', ...(more.argv ?? [])], {
    cwd,
    env: {
      GITHUB_ACTIONS: 'true',
      GITHUB_API_URL: forge.url,
      CI_API_V4_URL: `${forge.url}/api/v4`,
      GITHUB_REPOSITORY: 'acme/sets',
      GITHUB_WORKFLOW_REF: `acme/sets/${WORKFLOW}@refs/heads/main`,
      GITHUB_SHA: more.commit ?? sha('c'),
      GITHUB_TOKEN: TOKEN,
      ...more.env,
    },
    io: { sleep: async () => {} },
  })
  const out = join(cwd, 'reviewed')
  const names = existsSync(out) ? readdirSync(out).toSorted() : []
  const files = Object.fromEntries(names.map(name => [name, readFileSync(join(out, name), 'utf8')]))
  return { ...ran, files, seen: forge.seen }
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
}

const REPOSITORY = { id: 77, default_branch: 'main' }
const repo = (id: number) => ({ repo: { id } })

export const runOf = (id: number, head: string, more: object = {}) => ({
  id,
  event: 'pull_request',
  head_sha: head,
  path: WORKFLOW,
  run_attempt: 1,
  run_started_at: '2026-11-22T09:00:00Z',
  status: 'completed',
  conclusion: 'success',
  repository: { id: 77 },
  head_repository: { id: 77 },
  ...more,
})

export const artifactOf = (id: number, run: number, head: string, more: object = {}) => ({
  id,
  name: 'plan',
  expired: false,
  created_at: '2026-11-22T09:05:00Z',
  workflow_run: { id: run, head_sha: head, repository_id: 77, head_repository_id: 77 },
  ...more,
})

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
  const at = '/repos/acme/sets'
  const workflow = `${at}/actions/workflows/setpoint.yml/runs`
  const table: Record<string, Route> = {
    [`GET ${at}`]: REPOSITORY,
    [`GET ${at}/branches/main`]: { commit: { sha: history[0]?.[0] } },
    [`GET ${at}/commits?sha=${history[0]?.[0]}`]: history.map(([commit, ...parents]) => ({
      sha: commit,
      parents: parents.map(parent => ({ sha: parent })),
    })),
    [`GET ${workflow}?branch=main`]: {
      workflow_runs:
        applied === undefined
          ? []
          : [
              runOf(904, sha('f'), { event: 'pull_request' }),
              runOf(903, sha('f'), { event: 'push', head_repository: { id: 78 } }),
              runOf(902, sha('f'), { event: 'push', path: '.github/workflows/other.yml' }),
              runOf(901, sha('e'), { event: 'push', conclusion: 'failure' }),
              runOf(900, applied, { event: 'push' }),
            ],
    },
    [`GET ${at}/actions/runs/901/jobs?filter=all`]: {
      jobs: [
        { name: 'apply', conclusion: 'failure' },
        { name: 'approve', conclusion: 'skipped' },
        { name: 'plan', conclusion: 'success' },
      ],
    },
    [`GET ${at}/actions/runs/900/jobs?filter=all`]: { jobs: [{ name: 'apply', conclusion: 'success' }] },
  }
  for (const [commit] of history) {
    const own = pulls.filter(({ commits }) => commits.includes(commit))
    table[`GET ${at}/commits/${commit}/pulls`] = own.map(
      ({ number, head, commits, fork, base = 'main' }) => ({
        number,
        merged_at: '2026-11-22T10:00:00Z',
        merge_commit_sha: commits[0],
        head: { sha: head, ...repo(fork === true ? 78 : 77) },
        base: { ref: base, ...repo(77) },
      }),
    )
    table[`GET ${workflow}?head_sha=${commit}`] ??= { workflow_runs: [] }
  }
  for (const pull of pulls) {
    const { number, head, files = ['sets/a.yaml'], reviews = [] } = pull
    const run = 1_000 + number
    table[`GET ${at}/pulls/${number}`] = { user: { id: 5 } }
    table[`GET ${at}/pulls/${number}/files`] = files.map(filename => ({ filename }))
    table[`GET ${at}/pulls/${number}/reviews`] = reviews
    table[`GET ${at}/pulls/${number}/commits`] = pull.written ?? [
      { sha: head, author: { id: 5 }, committer: { id: 19_864_447 } },
    ]
    table[`GET ${workflow}?head_sha=${head}`] = { workflow_runs: pull.runs ?? [runOf(run, head)] }
    table[`GET ${at}/actions/runs/${run}/artifacts?name=plan`] = {
      artifacts: pull.artifacts ?? [artifactOf(run, run, head)],
    }
    table[`GET ${at}/actions/artifacts/${run}/zip`] = {
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
