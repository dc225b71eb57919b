import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { pipelineOf } from '../../src/export/new-files.ts'
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts'
import { github, WORKFLOW } from '../forge/merges.ts'
import { routes } from '../forge/routes.ts'
import { gitlabPipeline } from '../support/forge-schemas.ts'
import { aDirectory, run } from '../support/program.ts'
import { runJob, stubs, type Workflow } from '../support/workflow.ts'
import { jobIn, mergedOnGitlab, runScript } from './gitlab-jobs.ts'
import { ROOT } from './project.ts'

/**
 * Walks the jobs `replan` and `approve` of both forges and of the component, each in a checkout of its own, with a merge whose change
 * loosens what blocks it. Needs a build.
 */
type Files = Readonly<Record<string, string>>

const SETTINGS = 'organization: acme\nowner: network\n'
const RULE = (most: number): string =>
  `rules:\n  few:\n    for: plan\n    require: plan.deletes <= ${most}\n    message: Few.\n    level: block\n`
const SETS = 'variableSets:\n  a: {}\n  b: {}\n  c: {}\n'
const WITHOUT = 'variableSets:\n  a: {}\nremoved: [b, c]\n'

const CHANGES: readonly { readonly what: string; readonly before: Files; readonly after: Files }[] = [
  {
    what: 'a rule',
    before: { 'setpoint.yaml': SETTINGS, 'rules/few.yaml': RULE(1), 'sets/a.yaml': SETS },
    after: { 'rules/few.yaml': RULE(5), 'sets/a.yaml': WITHOUT },
  },
  {
    what: 'a guard',
    before: { 'setpoint.yaml': `${SETTINGS}guards: { protect: [b, c] }\n`, 'sets/a.yaml': SETS },
    after: { 'setpoint.yaml': SETTINGS, 'sets/a.yaml': WITHOUT },
  },
]

/** A merge on the default branch, and a service where the commit before was applied. */
interface Merge {
  readonly origin: string
  readonly tip: string
  readonly base: string
  readonly sandbox: Sandbox
  readonly env: Readonly<Record<string, string>>
  /** From now on the service refuses the second write; `false` ends that. */
  readonly refuse: (isRefusing: boolean) => void
}

function write(cwd: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(cwd, path, '..'), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
}

async function aMerge({ before, after }: { before: Files; after: Files }): Promise<Merge> {
  let isRefusing = false
  let writes = 0
  const sandbox = await createSandbox({
    seed: { organizations: [{ name: 'acme' }] },
    tokens: [{ token: 'reads', permission: 'read-variables' }],
  })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen({
    faults: {
      matches: ({ method }) => isRefusing && method !== 'GET' && ++writes > 1,
      probability: 1,
      faults: [{ kind: 'error', status: 500, commit: 'before' }],
    },
  })
  const origin = aDirectory({
    'package.json': '{}\n',
    'package-lock.json': '{}\n',
    '.gitignore': 'node_modules\n',
  })
  const git = (...words: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.test', ...words], {
      cwd: origin,
      encoding: 'utf8',
    }).trim()
  git('init', '-q', '-b', 'main')
  write(origin, before)
  git('add', '.')
  git('commit', '-qm', 'Before')
  const service = { TFE_ADDRESS: url, TFE_TOKEN: sandbox.token }
  expect((await run(['apply', '--auto-approve'], { cwd: origin, env: service })).code).toBe(0)
  write(origin, after)
  git('add', '.')
  git('commit', '-qm', 'Loosen')
  const { path } = stubs(join(aDirectory(), 'bin'))
  return {
    origin,
    tip: git('rev-parse', 'HEAD'),
    base: git('rev-parse', 'HEAD^1'),
    sandbox,
    env: { PATH: `${path}:${process.env.PATH ?? ''}`, TFE_ADDRESS: url },
    refuse: refusing => {
      isRefusing = refusing
      writes = 0
    },
  }
}

/** What a job of the forge is given: a new clone of this depth. */
function checkout({ origin }: Merge, depth: number): string {
  const cwd = join(aDirectory(), 'clone')
  execFileSync('git', ['clone', '-q', `--depth=${depth}`, `file://${origin}`, cwd])
  return cwd
}

interface Ended {
  readonly code: number
  readonly output: string
}

/** The jobs of a forge. `replan` returns what it passes on, and `approve` gets that. */
interface Walk {
  readonly replan: (
    prepare?: (cwd: string) => void,
    source?: 'push' | 'web',
  ) => Promise<Ended & { readonly passed: string }>
  readonly approve: (passed: string, prepare?: (cwd: string) => void) => Promise<Ended>
}

async function onGithub(merge: Merge): Promise<Walk> {
  const workflow: Workflow = parse(pipelineOf('github', {})?.text ?? '')
  const { tip, base, sandbox } = merge
  const table = await github([[tip, base]], [], base)
  const forge = await routes('token-of-the-job', () => table)
  const job = async (name: string, cwd: string, temp: string, digest: string) => {
    const runs = await runJob(workflow, name, {
      cwd,
      context: {
        'secrets.TFE_TOKEN_READ': 'reads',
        'secrets.TFE_TOKEN': sandbox.token,
        'github.token': 'token-of-the-job',
        'needs.reviewed.outputs.numbers': '',
        'needs.replan.outputs.digest': digest,
      },
      env: {
        ...merge.env,
        HOME: cwd,
        RUNNER_TEMP: temp,
        GITHUB_STEP_SUMMARY: join(temp, 'summary'),
        GITHUB_ACTIONS: 'true',
        GITHUB_REPOSITORY: 'acme/sets',
        GITHUB_REF: 'refs/heads/main',
        GITHUB_SHA: tip,
        GITHUB_API_URL: forge.url,
        GITHUB_WORKFLOW_REF: `acme/sets/${WORKFLOW}@refs/heads/main`,
      },
    })
    return runs.filter(one => one.name !== 'comment')
  }
  let digest = ''
  return {
    replan: async () => {
      const cwd = checkout(merge, 2)
      const runs = await job('replan', cwd, aDirectory(), '')
      digest = runs.at(-1)?.outputs.digest ?? ''
      const { code = -1, output = '' } = runs.at(-1) ?? {}
      return { code, output, passed: cwd }
    },
    approve: async passed => {
      const temp = aDirectory()
      mkdirSync(join(temp, 'replanned'))
      copyFileSync(join(passed, 'plan.json'), join(temp, 'replanned/plan.json'))
      const { code = -1, output = '' } = (await job('approve', checkout(merge, 1), temp, digest)).at(-1) ?? {}
      return { code, output }
    },
  }
}

/** On GitLab, artifacts are unpacked into the checkout: a file takes the place of whatever is there. */
function unpack(from: string, to: string, paths: readonly string[] = []): void {
  for (const path of paths) {
    if (!existsSync(join(from, path))) continue
    rmSync(join(to, path), { force: true })
    copyFileSync(join(from, path), join(to, path))
  }
}

async function onGitlab(merge: Merge, prefix = ''): Promise<Walk> {
  const templates = join(ROOT, 'templates')
  const component = `include: [{ local: templates/setpoint/template.yml, inputs: { image: "node@sha256:${'a'.repeat(64)}" } }]\nstages: [test, deploy]\n`
  const pipeline =
    prefix === ''
      ? gitlabPipeline(aDirectory(), pipelineOf('gitlab', {})?.text ?? '')
      : gitlabPipeline({ templates }, component)
  const { tip, base, sandbox } = merge
  const forge = await routes('forge', () => mergedOnGitlab({ tip, base, plan: Buffer.from('') }, {}, prefix))
  const job = async (name: string, cwd: string, source = 'web'): Promise<Ended> => {
    const found = jobIn(pipeline, `${prefix}${name}`)
    const variables: Record<string, string> = Object.assign({}, found.variables)
    return await runScript(found, cwd, {
      ...merge.env,
      ...variables,
      HOME: cwd,
      GITLAB_CI: 'true',
      CI_PROJECT_DIR: cwd,
      CI_PROJECT_ID: '42',
      CI_API_V4_URL: `${forge.url}/api/v4`,
      CI_COMMIT_SHA: tip,
      CI_PIPELINE_SOURCE: source,
      SETPOINT_FORGE_TOKEN: 'forge',
      TFE_TOKEN_READ: 'reads',
      TFE_TOKEN: sandbox.token,
    })
  }
  const artifacts = jobIn(pipeline, `${prefix}replan`).artifacts?.paths
  return {
    replan: async (prepare = () => {}, source = 'web') => {
      const cwd = checkout(merge, 2)
      prepare(cwd)
      return { ...(await job('replan', cwd, source)), passed: cwd }
    },
    approve: async (passed, prepare = () => {}) => {
      const cwd = checkout(merge, 1)
      unpack(passed, cwd, artifacts)
      prepare(cwd)
      return await job('approve', cwd)
    },
  }
}

const WALKS = [
  ['GitHub', onGithub],
  ['GitLab', (merge: Merge) => onGitlab(merge)],
  ['the component', (merge: Merge) => onGitlab(merge, 'setpoint-')],
] as const

const namesIn = (sandbox: Sandbox): string[] =>
  (sandbox.snapshot().sets ?? []).map(({ name }) => name).filter(name => !name.startsWith('setpoint-'))

/** The pipelines do not know what blocks a plan, so one forge has both changes. */
describe.each(CHANGES)('a merge that loosens $what which blocks it', change => {
  test.each(change === CHANGES[0] ? WALKS : WALKS.slice(0, 1))(
    'on %s: approve applies what replan shows and nothing else, and finishes it if it stopped halfway',
    async (_, walkOn) => {
      const merge = await aMerge(change)
      const { sandbox } = merge
      const walk = await walkOn(merge)
      const { code, output, passed } = await walk.replan()
      expect([code, output]).toEqual([0, expect.stringMatching(/^BLOCKED/m)])

      const seed = sandbox.snapshot({ sensitive: true })
      const changed = (seed.sets ?? []).map(set => (set.name === 'a' ? { ...set, priority: true } : set))
      sandbox.restore({ ...seed, sets: changed })
      const refused = await walk.approve(passed)
      expect([refused.code, refused.output]).toEqual([
        4,
        expect.stringContaining('update-set a\n    reviewed: nothing'),
      ])
      sandbox.restore(seed)
      expect(namesIn(sandbox)).toEqual(['a', 'b', 'c'])

      merge.refuse(true)
      const stopped = await walk.approve(passed)
      expect([stopped.code, stopped.output]).toEqual([
        3,
        expect.stringMatching(/^Next: run the same apply again$/m),
      ])
      merge.refuse(false)
      expect((await walk.approve(passed)).code).toBe(0)
      expect(namesIn(sandbox)).toEqual(['a'])
    },
  )
})

describe.each(WALKS.slice(1))('on %s, no file of the repository stands in for an approval:', (_, walkOn) => {
  const [change] = CHANGES
  const digest = 'a'.repeat(64)

  test('links with the names of results', async () => {
    if (change === undefined) throw new Error('there is no change')
    const merge = await aMerge({
      ...change,
      after: { ...change.after, 'notes.txt': `${digest}\n`, 'notes.json': '{}\n' },
    })
    const linked = (cwd: string): void => {
      for (const [name, to] of [
        ['digest', 'notes.txt'],
        ['plan.json', 'notes.json'],
      ] as const) {
        rmSync(join(cwd, name), { force: true })
        symlinkSync(to, join(cwd, name))
      }
    }
    const walk = await walkOn(merge)
    const { code, passed } = await walk.replan(linked)
    expect([code, readFileSync(join(passed, 'notes.txt'), 'utf8')]).toEqual([0, `${digest}\n`])
    expect(readFileSync(join(passed, 'digest'), 'utf8')).not.toContain(digest)
    const refused = await walk.approve(passed, linked)
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('contains links')])
    expect(namesIn(merge.sandbox)).toEqual(['a', 'b', 'c'])
    expect((await walk.approve(passed)).code).toBe(0)
  })

  test('a committed digest and plan, where replan has nothing to approve', async () => {
    if (change === undefined) throw new Error('there is no change')
    const merge = await aMerge(change)
    const service = { TFE_ADDRESS: merge.env.TFE_ADDRESS ?? '', TFE_TOKEN: merge.sandbox.token }
    await run(['plan', '--out', 'plan.json'], { cwd: merge.origin, env: service })
    const plan = JSON.parse(readFileSync(join(merge.origin, 'plan.json'), 'utf8'))
    writeFileSync(join(merge.origin, 'digest'), plan.digest)
    const commit = ['add', '.', '-f'] as const
    execFileSync('git', commit, { cwd: merge.origin })
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@x.test', 'commit', '-qm', 'Plant'], {
      cwd: merge.origin,
    })
    const walk = await walkOn(merge)
    // After an apply that succeeded, nothing has to be approved.
    const { passed } = await walk.replan(undefined, 'push')
    expect(readFileSync(join(passed, 'digest'), 'utf8')).toBe('')
    const { code, output } = await walk.approve(passed)
    expect([code, output]).toEqual([4, expect.stringContaining('There is nothing to approve.')])
    expect(namesIn(merge.sandbox)).toEqual(['a', 'b', 'c'])
  })
})
