import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { freshDirectory, replaceFile } from '../disk/write-file.ts'
import { Git, type GitEnvironment } from '../git/git.ts'
import { isObject, listOf, parseJson, toJson } from '../model/json.ts'
import { FOLDER, type PipelineJob } from './pipeline-job.ts'

/** What a job hands over to later ones: everything that they read of it. */
export interface Handover {
  readonly code: number
  /** Markdown. Empty: there is nothing to say. */
  readonly report: string
  /** What comes next on the default branch: an apply, or a person who approves one. */
  readonly next?: 'apply' | 'approve'
  /** Why a person has to approve, or why nothing comes next. */
  readonly reason?: string
  /** The base of the plan, which is that of its apply. */
  readonly base?: string
  /** The numbers of the requests whose merges are applied, in their order. */
  readonly requests?: readonly number[]
  /** The text of the saved plan. */
  readonly plan?: string
  /** The texts of the plans that were reviewed, in the order of their merges. */
  readonly reviewed?: readonly string[]
  readonly snapshot?: string
  /** Files of groups as they should be: paths relative to the root of the repository. */
  readonly groups?: readonly GroupFile[]
  /** How the groups differ, for people. */
  readonly groupsText?: string
}

export interface GroupFile {
  readonly path: string
  readonly text: string
}

/** What another job handed over is not accepted, or this one cannot hand over. */
export class DoorError extends Error {
  override readonly name = 'DoorError'
  readonly hint: string

  constructor(message: string, hint = 'Nothing was read from it. Start the whole pipeline again.') {
    super(message)
    this.hint = hint
  }
}

const FILE = 'handover.json'

/** Bytes. Far above any plan and its reports. */
const LARGEST = 64 * 1024 * 1024

/**
 * The first line of every job: checks that no file of the commit can stand in for what a job hands over, and empties the directory of this
 * one. Rejects with a `DoorError`.
 */
export async function openDoor(job: PipelineJob, env: GitEnvironment): Promise<void> {
  if (job.checkout !== undefined) await checkCommit(job.checkout, env)
  try {
    freshDirectory(job.own)
    checkPlace(job, job.own)
  } catch (error) {
    if (error instanceof DoorError) throw error
    throw new DoorError(
      `${job.own} could not be created (${codeOf(error)}).`,
      'Check the disk space and the file permissions of the runner.',
    )
  }
}

/** No name in the root of the commit is that of the folder, in any case of its letters: some systems have them as one name. */
async function checkCommit(checkout: string, env: GitEnvironment): Promise<void> {
  const git = Git.around(checkout, env)
  const listed = await git?.run(['ls-tree', '-z', '--name-only', '--full-tree', 'HEAD'])
  if (listed?.status !== 0)
    throw new DoorError(
      `Git cannot list the files of this commit${listed?.error ? `: ${listed.error}` : '.'}`,
      'The image needs git, and the job a checkout.',
    )
  const found = listed.output.split('\0').find(name => plain(name) === FOLDER)
  if (found !== undefined)
    throw new DoorError(
      `The repository contains ${JSON.stringify(found)}, where jobs pass on their results.`,
      'Remove it from the repository.',
    )
}

const plain = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()

/** No part of the path below the home is a link. */
function checkPlace({ home }: PipelineJob, path: string): void {
  const expected = join(realpathSync(home), relative(home, path))
  if (realpathSync(path) !== expected) throw new DoorError(`${path} is a link, or leads through one.`)
}

/** Writes what this job hands over: whole, or not at all. Throws a `DoorError`. */
export function handOver(job: PipelineJob, handover: Handover): void {
  const text = toJson({ setpoint: 1, job: job.name, pipeline: job.id, commit: job.commit, ...handover })
  try {
    checkPlace(job, job.own)
    replaceFile(join(job.own, FILE), text, 0o644)
  } catch (error) {
    if (error instanceof DoorError) throw error
    throw new DoorError(
      `The result of this job could not be saved (${codeOf(error)}).`,
      'Check the disk space and the file permissions of the runner.',
    )
  }
}

/**
 * What the job `from` of this pipeline handed over. `undefined` if there is nothing: it ended before its result was known. Throws a
 * `DoorError`.
 */
export function receive(job: PipelineJob, from: string): Handover | undefined {
  const path = join(job.from(from), FILE)
  const text = textOf(job, path)
  if (text === undefined) return undefined
  const value = parseJson(text)
  if (!isObject(value) || value.setpoint !== 1) throw new DoorError(`${path} is not a result of Setpoint.`)
  for (const [name, expected] of [
    ['job', from],
    ['pipeline', job.id],
    ['commit', job.commit],
  ] as const)
    if (value[name] !== expected)
      throw new DoorError(
        `${path} is of another ${name}: ${JSON.stringify(value[name])}, not ${JSON.stringify(expected)}.`,
      )
  return handoverIn(value, path)
}

function textOf(job: PipelineJob, path: string): string | undefined {
  let handle: number
  try {
    if (lstatSync(dirname(path), { throwIfNoEntry: false }) === undefined) return undefined
    checkPlace(job, dirname(path))
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return undefined
    handle = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  } catch (error) {
    if (error instanceof DoorError) throw error
    throw new DoorError(`${path} is not a plain file (${codeOf(error)}).`)
  }
  try {
    const status = fstatSync(handle)
    if (!status.isFile() || status.nlink !== 1)
      throw new DoorError(`${path} is not a plain file, or has several hard links.`)
    if (status.size > LARGEST) throw new DoorError(`${path} has more than ${LARGEST} bytes.`)
    return readFileSync(handle, 'utf8')
  } finally {
    closeSync(handle)
  }
}

/** Each member by its type: a member of another type is no result of this version. */
function handoverIn(value: Readonly<Record<string, unknown>>, path: string): Handover {
  const other = (name: string) => new DoorError(`${path} has another "${name}" than Setpoint writes.`)
  const text = (name: string): string | undefined => {
    const found = value[name]
    if (found !== undefined && typeof found !== 'string') throw other(name)
    return found
  }
  const list = <T>(name: string, is: (one: unknown) => one is T): readonly T[] | undefined => {
    const found = value[name]
    if (found === undefined) return undefined
    const entries = listOf(found)
    if (!Array.isArray(found) || !entries.every(is)) throw other(name)
    return entries
  }
  const { code } = value
  const next = text('next')
  const base = text('base')
  if (typeof code !== 'number' || !Number.isInteger(code) || code < 0 || code > 255) throw other('code')
  if (next !== undefined && next !== 'apply' && next !== 'approve') throw other('next')
  if (base !== undefined && !BASE.test(base)) throw other('base')
  return {
    code,
    report: text('report') ?? '',
    next,
    reason: text('reason'),
    base,
    requests: list('requests', isNumber),
    plan: text('plan'),
    reviewed: list('reviewed', isText),
    snapshot: text('snapshot'),
    groups: list('groups', isGroupFile),
    groupsText: text('groupsText'),
  }
}

/** A commit, or a name of one: no option of git. */
const BASE = /^(?!-)[\w./^~-]{1,200}$/

const isText = (one: unknown): one is string => typeof one === 'string'
const isNumber = (one: unknown): one is number => typeof one === 'number' && Number.isInteger(one) && one > 0
const isGroupFile = (one: unknown): one is GroupFile =>
  isObject(one) && isText(one.text) && isText(one.path) && isPath(one.path)

/** A path that stays below its root. */
const isPath = (path: string): boolean =>
  path !== '' &&
  path.split(/[/\\]/).every(part => part !== '' && part !== '.' && part !== '..') &&
  !path.includes('\0')

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
