import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { CONFIGURATIONS, pathInRepository, repositoryRoot } from '../../config/read.ts'
import { makeDirectory } from '../../disk/write-file.ts'
import {
  findReviewed,
  type MergedRequest,
  type Merges,
  NotReviewed,
  type Reviewed,
  short,
} from '../../forge/find-reviewed.ts'
import { githubMerges } from '../../forge/github-merges.ts'
import { gitlabMerges } from '../../forge/gitlab-merges.ts'
import { type ForgeProject, readForgeProject } from '../../forge/pull-request.ts'
import { type Diagnostic, mistake } from '../../model/diagnostic.ts'
import { matchesPattern } from '../../model/names.ts'
import { harmlessLines } from '../../report/neutralise.ts'
import { fail } from '../../run/commands/ending.ts'
import { parsePlan } from '../../run/commands/saved-plan.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { LARGEST, readUpTo } from '../../run/read-file.ts'
import { mayWriteTo, WriteError, writeWhole } from '../../run/write-files.ts'
import type { Transport } from '../../wire/transport.ts'
import type { Run } from '../command.ts'
import type { CommandContext, Io } from '../io.ts'
import { downloadFrom, withForge } from '../with-forge.ts'

/** Finds the plans that were reviewed before a merge. Contacts only the forge, and only reads. */
export const run: Run = async (io, argument) => {
  const project = readForgeProject(io.env, 'read')
  const ofPipeline = project.value?.forge === 'gitlab' ? io.env.CI_COMMIT_SHA : io.env.GITHUB_SHA
  const commit = argument ?? ofPipeline ?? ''
  const workflow = io.options.workflow ?? /^[^/]+\/[^/]+\/(.+?)@/.exec(io.env.GITHUB_WORKFLOW_REF ?? '')?.[1]
  const problems = [
    ...project.diagnostics,
    ...(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(commit) ? [] : [NO_COMMIT]),
    ...(project.value?.forge === 'github' && workflow === undefined ? [NO_WORKFLOW] : []),
    ...(io.options.tip ? [] : await problemsWith(io, io.options.out)),
  ]
  const { value: place } = project
  if (place === undefined || problems.length > 0) fail(io, ...problems)
  return await withForge(io, place, async transport => {
    const merges = mergesOf(io, place, transport, workflow ?? '')
    if (io.options.tip) return await onlyTip(io, merges, commit)
    const jobs = io.options.appliedBy.length > 0 ? io.options.appliedBy : ['apply', 'approve']
    try {
      const isGuarded = guardOf([...namedFiles(io), ...(await localPackages(io.cwd))])
      const found = await findReviewed(merges, { commit, jobs, isGuarded })
      return await handOut(io, found, commit)
    } catch (error) {
      // No plan, but the requests: a new plan is shown on each of them.
      if (error instanceof NotReviewed) await writeInto(io, [numbersOf(error.requests.toReversed())])
      throw error
    }
  })
}

/** Files that decide what runs under names of their own, relative to the root of the repository: patterns. */
const namedFiles = ({ cwd, env, options: { config, guard } }: CommandContext): string[] => [
  ...(config === undefined ? [] : [pathInRepository(cwd, config)]),
  ...guard,
  ...(env.CI_CONFIG_PATH ? [env.CI_CONFIG_PATH] : []),
]

/**
 * Whether a change of a path needs an approval of its own: it decides which program a pipeline runs, or what that program lets
 * through. `named` adds paths and patterns, such as those of configurations, relative to the root of the repository.
 */
const guardOf =
  (named: readonly string[]) =>
  (path: string): boolean => {
    const parts = path.split('/')
    const name = parts.at(-1) ?? ''
    return (
      GUARDED.has(name) ||
      GUARDED_NAMES.test(name) ||
      parts.some(part => GUARDED_DIRECTORIES.has(part)) ||
      // Rules, without their cases, and groups that rules ask for.
      (/\.ya?ml$/i.test(name) &&
        parts.some((part, at) => part === 'groups' || (part === 'rules' && parts[at + 1] !== 'tests'))) ||
      // Here `*` also matches `/`: rather guard a file too many than one too few.
      named.some(one => matchesPattern(one.replaceAll('**/', '*'), path))
    )
  }

const GUARDED_DIRECTORIES = new Set(['.github', '.gitlab', '.mise', '.yarn', 'mise', 'node_modules'])

/** Actions, archives that may be packages, Plug'n'Play of Yarn, and mise. */
const GUARDED_NAMES = /^action\.ya?ml$|\.(?:tgz|tar|tar\.\w+)$|^\.pnp\.|^\.?mise\.(?:.*\.)?toml$/

/** Files with these names list where packages come from. */
const LISTS_OF_PACKAGES = [
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'bun.lock',
]

const GUARDED = new Set([
  ...LISTS_OF_PACKAGES,
  'bun.lockb',
  'bunfig.toml',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  '.nvmrc',
  '.node-version',
  '.tool-versions',
  '.gitlab-ci.yml',
  ...CONFIGURATIONS,
  'groups.yaml',
  'groups.yml',
  'CODEOWNERS',
  'Dockerfile',
])

/**
 * Directories of the repository that an installation takes packages from: patterns, relative to the root of the repository. Lists of
 * packages name them after `file:` and similar, and the lock file of npm also as a path.
 */
async function localPackages(cwd: string): Promise<string[]> {
  const paths: string[] = []
  for (const directory of new Set([repositoryRoot(cwd), cwd]))
    for (const name of LISTS_OF_PACKAGES) {
      const { text = '' } = await readUpTo(LARGEST, join(directory, name))
      for (const [, one = '', path = one] of text.matchAll(LOCAL_PACKAGE))
        paths.push(pathInRepository(directory, path))
    }
  return paths.filter(path => path !== '.').flatMap(path => [path, `${path}/*`])
}

const LOCAL_PACKAGE = /(?:file|link|portal|workspace):([\w@./-]+)|"resolved":\s*"([\w@./-]+)"/g

/** Name of the saved plan in the artifact. */
const PLAN_FILE = 'plan.json'

export function mergesOf(
  io: CommandContext,
  place: ForgeProject,
  transport: Transport,
  workflow: string,
): Merges {
  const { planFrom } = io.options
  return place.forge === 'github'
    ? githubMerges(transport, place, {
        workflow,
        artifact: planFrom,
        file: PLAN_FILE,
        download: downloadFrom(io, place),
      })
    : gitlabMerges(transport, place, { job: planFrom, file: PLAN_FILE })
}

/** For the job with the token of the service: an old run that is started again ends here. */
async function onlyTip(io: Io, merges: Merges, commit: string): Promise<number> {
  const tip = await merges.tip()
  if (tip.commit !== commit)
    throw new NotReviewed(
      `${short(commit)} is not the newest commit of ${tip.branch}, which is ${short(tip.commit)}.`,
      'The pipeline of that commit applies both.',
    )
  io.stdout.write(harmlessLines(`${short(commit)} is the newest commit of ${tip.branch}.\n`))
  return EXIT.done
}

/** A plan that is already in the directory, perhaps as a file of the repository, would count as reviewed. */
async function problemsWith(io: Io, directory: string | undefined): Promise<Diagnostic[]> {
  if (directory === undefined) return [NO_DIRECTORY]
  const there = await readdir(resolve(io.cwd, directory)).catch(() => [])
  return there.length > 0 ? [notEmpty(directory)] : []
}

/** Everything is checked before the first file is written. */
async function handOut(io: CommandContext, found: Reviewed, commit: string): Promise<number> {
  const files: OutFile[] = [['state', `${found.state}\n`]]
  if (found.state === 'ready') {
    for (const [index, { request, text }] of found.plans.entries()) {
      const plan = await parsePlan(`the plan of ${request.name}`, text)
      const requests = found.plans.map(one => one.request).toReversed()
      if ('severity' in plan) throw new NotReviewed(plan.message, undefined, requests)
      if (plan.blocked)
        throw new NotReviewed(
          `The plan of ${request.name} was blocked when it was reviewed: ${plan.blocks[0]?.message ?? ''}`,
          undefined,
          requests,
        )
      files.push([`${String(index + 1).padStart(3, '0')}-${request.number}.json`, text])
    }
    files.push(['base', `${found.base}\n`])
    files.push(numbersOf(found.plans.map(({ request }) => request)))
  }
  await writeInto(io, files)
  io.stdout.write(harmlessLines(`${saidOf(found, commit)}\n`))
  return EXIT.done
}

type OutFile = readonly [name: string, text: string]

const numbersOf = (requests: readonly MergedRequest[]): OutFile => [
  'numbers',
  requests.map(({ number }) => `${number}\n`).join(''),
]

async function writeInto(io: CommandContext, files: readonly OutFile[]): Promise<void> {
  const directory = io.options.out ?? ''
  try {
    mayWriteTo(io.cwd, resolve(io.cwd, directory))
    makeDirectory(resolve(io.cwd, directory))
    for (const [name, text] of files) writeWhole(io.cwd, join(directory, name), text)
  } catch (error) {
    const reason = error instanceof WriteError ? error.message : `${directory} could not be created`
    fail(io, mistake('unwritable-file', `${reason}.`, 'Nothing was written.'))
  }
}

function saidOf(found: Reviewed, commit: string): string {
  if (found.state === 'superseded')
    return `${short(commit)} is not the newest commit of ${found.branch}: the pipeline of ${short(found.tip)} applies it.`
  if (found.state === 'applied') return `${short(commit)} is applied already.`
  const names = found.plans.map(({ request }) => request.name).join(', ')
  const base = found.isBaseApplied
    ? `Applied last: ${short(found.base)}.`
    : `No earlier apply is known, so the base is the commit before it: ${short(found.base)}.`
  return `Found the reviewed plan of ${names}. ${base}`
}

const notEmpty = (directory: string) =>
  mistake(
    'bad-usage',
    `${JSON.stringify(directory)} is not empty.`,
    'Nothing was written. Files in this directory would count as reviewed. Name another directory, or remove this one from the repository.',
  )
const NO_COMMIT = mistake(
  'bad-usage',
  'Missing argument: COMMIT.',
  'Pass the full commit id. In a pipeline, it is read from GITHUB_SHA or CI_COMMIT_SHA.',
)
const NO_WORKFLOW = mistake(
  'bad-usage',
  'GITHUB_WORKFLOW_REF does not name the workflow that plans.',
  'Name it: --workflow .github/workflows/setpoint.yml',
)
const NO_DIRECTORY = mistake(
  'bad-usage',
  'Missing flag: --out DIRECTORY.',
  'Run: setpoint reviewed --out reviewed',
)
