import { readdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
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
import { harmlessLines } from '../../report/neutralise.ts'
import { fail } from '../../run/commands/ending.ts'
import { parsePlan } from '../../run/commands/saved-plan.ts'
import { EXIT } from '../../run/exit-codes.ts'
import { mayWriteTo, WriteError, writeWhole } from '../../run/write-files.ts'
import type { Transport } from '../../wire/transport.ts'
import type { Run } from '../command.ts'
import { guardIn } from '../files-that-decide.ts'
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
    const merges = mergesFor(io, place, transport, workflow ?? '')
    if (io.options.tip) return await onlyTip(io, merges, commit)
    const jobs = io.options.appliedBy.length > 0 ? io.options.appliedBy : ['apply', 'approve']
    try {
      const isGuarded = await guardIn(io)
      const found = await findReviewed(merges, { commit, jobs, isGuarded })
      return await handOut(io, found, commit)
    } catch (error) {
      // No plan, but the requests: a new plan is shown on each of them.
      if (error instanceof NotReviewed) await writeInto(io, [numbersOf(error.requests.toReversed())])
      throw error
    }
  })
}

const PLAN_FILE = 'plan.json'

function mergesFor(io: CommandContext, place: ForgeProject, transport: Transport, workflow: string): Merges {
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
