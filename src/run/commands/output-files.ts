import { access, constants, lstat, readFile, rm } from 'node:fs/promises'
import { dirname, relative, resolve } from 'node:path'
import { findSetFiles, patternMistake } from '../../config/find-set-files.ts'
import { partOfConfiguration } from '../../config/load.ts'
import { realPath, repositoryRoot } from '../../config/read.ts'
import { appendToFile, replaceFile, streamOf } from '../../disk/write-file.ts'
import { isTracked } from '../../git/git.ts'
import { isInside, statusOf } from '../../git/work-tree.ts'
import { type Diagnostic, mistake } from '../../model/diagnostic.ts'
import { isObject, parseJson } from '../../model/json.ts'
import type { Plan } from '../../plan/plan-data.ts'
import { savedPlan } from '../../plan/reviewed-plan.ts'
import type { FileKind } from '../../report/formats.ts'
import { isReportOf } from '../../report/marks.ts'
import { shellWord } from '../../report/neutralise.ts'
import { stateFile } from '../options.ts'
import { LARGEST } from '../read-file.ts'
import type { Run, World } from '../run.ts'
import { realPlace, WriteError, whyNotWritable } from '../write-files.ts'
import { fail } from './ending.ts'
import { loadOptions } from './load-files.ts'

/** What a file that a run writes contains. */
export type OutputKind = FileKind | 'plan' | 'snapshot' | 'sandbox' | 'terraform-rc'

/** A file that a run writes. */
export interface Output {
  /** What names it, such as `--out`. */
  readonly flag: string
  readonly path: string
  readonly kind: OutputKind
}

/** How each kind is called, how its earlier files are known, and a name for a new one. Without a test, its reader decides. */
const KINDS: Readonly<
  Record<OutputKind, { name: string; isEarlier?: (text: string) => boolean; fresh: string }>
> = {
  plan: { name: 'a saved plan', isEarlier: isPlanFile, fresh: 'setpoint-plan.json' },
  snapshot: { name: 'a snapshot', isEarlier: isSnapshotFile, fresh: 'setpoint-snapshot.json' },
  text: { name: 'a report in text', isEarlier: isReportOf.text, fresh: 'setpoint-report.txt' },
  markdown: { name: 'a report in Markdown', isEarlier: isReportOf.markdown, fresh: 'setpoint-report.md' },
  html: { name: 'a report as a page', isEarlier: isReportOf.html, fresh: 'setpoint-report.html' },
  json: { name: 'a report in JSON', isEarlier: isReportOf.json, fresh: 'setpoint-report.json' },
  gitlab: { name: 'a report for GitLab', isEarlier: isReportOf.gitlab, fresh: 'setpoint-gitlab.json' },
  metrics: { name: 'metrics', isEarlier: isReportOf.metrics, fresh: 'setpoint.prom' },
  sandbox: { name: 'the state of a sandbox', fresh: 'setpoint-sandbox' },
  'terraform-rc': {
    name: 'a file of `setpoint sandbox --terraform-rc`',
    isEarlier: text => text.startsWith(TERRAFORM_RC),
    fresh: 'setpoint.tfrc',
  },
}

/** The first line of the configuration that the sandbox writes for Terraform. */
export const TERRAFORM_RC = '# Written by `setpoint sandbox --terraform-rc`, anew at each start.'

function isPlanFile(text: string): boolean {
  const plan = parseJson(text)
  return isObject(plan) && typeof plan.checksum === 'string' && typeof plan.digest === 'string'
}

function isSnapshotFile(text: string): boolean {
  const snapshot = parseJson(text)
  return isObject(snapshot) && typeof snapshot.takenAt === 'string' && isObject(snapshot.directory)
}

/**
 * Checks the files that this run is to write, before it does anything else, and removes the reports of an earlier run, so that none is
 * taken for one of this run. `inputs` are files that the run reads; `outKind` is what `--out` saves.
 */
export async function prepareOutputs(
  run: Run,
  inputs: readonly string[] = [],
  outKind: OutputKind = 'plan',
): Promise<void> {
  const { out } = run.options
  const reports = reportsOf(run)
  const outputs = [...(out === undefined ? [] : [{ flag: '--out', path: out, kind: outKind }]), ...reports]
  // The state of the sandbox is checked when it is opened.
  const state = run.options.sandbox && run.given === undefined ? [sandboxOutput(run)] : []
  await checkOutputs(run, outputs, [...inputs.map(path => ({ flag: 'the reviewed plan', path })), ...state])
  for (const output of reports) {
    // Metrics keep the time of the last success.
    if (output.kind === 'metrics' || isStepSummary(run, output.path)) continue
    const path = resolve(run.cwd, output.path)
    if (!(await isInPlace(path))) await rm(path, { force: true })
  }
}

/** Where `--sandbox` keeps its state: beside the configuration, or in the file of `SETPOINT_SANDBOX_FILE`. */
export const sandboxOutput = ({ env, options }: Run): Output => ({
  flag: env.SETPOINT_SANDBOX_FILE ? 'SETPOINT_SANDBOX_FILE' : '--sandbox',
  path: env.SETPOINT_SANDBOX_FILE || stateFile(options, 'sandbox'),
  kind: 'sandbox',
})

const reportsOf = ({ options: { reports } }: Run): Output[] =>
  reports.map(({ format, path }) => ({ flag: `--report ${format}`, path, kind: format }))

/**
 * No output replaces the configuration, what its patterns match, a file that Git tracks, or an existing file that is not an earlier output
 * of its kind; and no two are one file. Every mistake is reported, and ends the command.
 */
export async function checkOutputs(
  run: Run,
  outputs: readonly Output[],
  inputs: readonly Omit<Output, 'kind'>[] = [],
): Promise<void> {
  const places = new Map<string, string>()
  for (const { flag, path } of inputs)
    for (const place of await placesOf(resolve(run.cwd, path))) places.set(place, flag)
  const diagnostics: Diagnostic[] = []
  const whyInput = outputs.length === 0 ? undefined : inputsOf(run)
  for (const output of outputs) {
    const why = await whyRefused(run, output, whyInput)
    const own = await placesOf(resolve(run.cwd, output.path))
    const first = own.map(place => places.get(place)).find(flag => flag !== undefined)
    const found = first === undefined ? why : `it is also the file of ${first}`
    if (found !== undefined) diagnostics.push(await refusal(run, output, found))
    for (const place of own) places.set(place, output.flag)
  }
  if (diagnostics.length > 0) fail(run, ...diagnostics)
}

/** What identifies a file: its path without links, in one case as some systems have it, and its number, which its other names share. */
async function placesOf(path: string): Promise<string[]> {
  const found = await lstat(path).catch(() => undefined)
  const place = realPlace(path).normalize('NFC').toLowerCase()
  return found?.isFile() ? [place, `${found.dev}:${found.ino}`] : [place]
}

/** Why a run must not write an output, as a text after its name; `undefined` if it may. */
export async function whyRefused(
  run: Run,
  output: Output,
  whyInput = inputsOf(run),
): Promise<string | undefined> {
  if (output.path === '-') return 'it does not mean stdout here'
  const path = resolve(run.cwd, output.path)
  if (streamOf(path) !== undefined) return undefined
  const place = realPlace(path)
  return (
    whyNotWritable(run.cwd, path) ??
    (await whyNoPlace(path, output.kind)) ??
    whyInput(place, output.kind) ??
    (isTracked(realPath(path) ?? place, run.env) === true ? TRACKED : undefined) ??
    (isStepSummary(run, output.path) ? undefined : await whyNotEarlier(path, output.kind))
  )
}

async function whyNoPlace(path: string, kind: OutputKind): Promise<string | undefined> {
  if (await isOther(path)) return NO_FILE
  // Its directory is made.
  if (kind === 'sandbox' || (await isInPlace(path))) return undefined
  const directory = realPath(dirname(path))
  if (directory === undefined || statusOf(directory)?.isDirectory() !== true)
    return 'its directory does not exist'
  return await access(directory, constants.W_OK).then(
    () => undefined,
    () => 'its directory is not writable',
  )
}

/** Tells why a file would be read again, as a text after its name. */
function inputsOf(run: Run): (place: string, kind: OutputKind) => string | undefined {
  const options = loadOptions(run)
  const secrets = (options.secretPlaces ?? []).map(realPlace)
  const parts = configurationsIn(run).map(config => partOfConfiguration({ ...options, config }))
  return (place, kind) => {
    // That one is a file with a token.
    if (kind !== 'terraform-rc' && secrets.some(one => isInside(one, place)))
      return 'this run takes secrets or tokens from there'
    const part = parts.map(partOf => partOf(place)).find(found => found !== undefined)
    return part === undefined ? undefined : `it would be part of the configuration (${part})`
  }
}

/** All configurations of the run: `--config` may be a pattern. */
function configurationsIn({ cwd, options: { config } }: Run): readonly (string | undefined)[] {
  const base = realPath(cwd)
  if (config === undefined || base === undefined || patternMistake(config) !== undefined) return [config]
  const found = findSetFiles(repositoryRoot(base), base, config)?.paths ?? []
  return found.length === 0 ? [config] : found.map(path => relative(cwd, path))
}

const NO_FILE = 'it exists and is not a file'

/** Whether there is something that nothing can be written to, such as a directory or a disk. */
async function isOther(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined)
  return found !== undefined && !found.isFile() && !found.isFIFO() && !found.isCharacterDevice()
}

async function whyNotEarlier(path: string, kind: OutputKind): Promise<string | undefined> {
  if (streamOf(path) !== undefined) return undefined
  if (await isOther(path)) return NO_FILE
  const found = await lstat(path).catch(() => undefined)
  const { name, isEarlier } = KINDS[kind]
  if (!found?.isFile() || found.size === 0 || isEarlier === undefined) return undefined
  const text = found.size > LARGEST ? '' : await readFile(path, 'utf8').catch(() => '')
  return isEarlier(text) ? undefined : `it exists, and is not ${name} that Setpoint wrote`
}

/** Whether writing must not replace what is there: an empty file that somebody prepared, a pipe or a device. */
async function isInPlace(path: string): Promise<boolean> {
  if (streamOf(path) !== undefined) return true
  const found = await lstat(path).catch(() => undefined)
  if (found?.isFile()) return found.size === 0 && found.nlink === 1
  return found?.isFIFO() === true || found?.isCharacterDevice() === true
}

const TRACKED = 'Git tracks it'

async function refusal(run: Run, output: Output, why: string): Promise<Diagnostic> {
  const { flag, path } = output
  const other = await otherFile(run, output)
  const remedies = {
    // Beside the configuration it was committed by accident, and the next commit would take another file as well.
    tracked: `Take it out of Git, and write .setpoint/ into .gitignore: git rm --cached ${shellWord(path)}`,
    elsewhere: other === undefined ? 'Write to another file.' : `Write to another file, such as: ${other}`,
  }
  const remedy = remedies[flag === '--sandbox' && why === TRACKED ? 'tracked' : 'elsewhere']
  return mistake(
    'bad-usage',
    `${flag} ${JSON.stringify(path)}: ${why}.`,
    `Nothing was read or written. ${remedy}`,
  )
}

/** The words for a file of this kind that may be written, in the directory of the run. */
async function otherFile(run: Run, { flag, kind }: Output): Promise<string | undefined> {
  const [, name = '', ending = ''] = /^(.*?)(\.\w+)?$/.exec(KINDS[kind].fresh) ?? []
  for (const number of ['', '-2', '-3']) {
    const path = `${name}${number}${ending}`
    if ((await whyRefused(run, { flag, path, kind })) !== undefined) continue
    return kind === 'sandbox' && flag !== '--data'
      ? `export SETPOINT_SANDBOX_FILE=${path}`
      : `${flag}${flag.includes(' ') ? '=' : ' '}${path}`
  }
  return undefined
}

/** The Markdown file that GitHub Actions shows on the page of the run. Others write to it too, so it is only appended to. */
export const isStepSummary = ({ env, cwd }: World, path: string): boolean =>
  env.GITHUB_STEP_SUMMARY ? resolve(cwd, path) === resolve(env.GITHUB_STEP_SUMMARY) : false

/**
 * Writes an output that was checked before the run. What may have come there since is checked again. Readable by its owner only, unless
 * `mode` allows more. Rejects with a `WriteError`.
 */
export async function writeOutput(
  world: World,
  { path: name, kind }: Pick<Output, 'path' | 'kind'>,
  text: string,
  mode = 0o600,
): Promise<void> {
  const path = resolve(world.cwd, name)
  const isShared = isStepSummary(world, name)
  const why = whyNotWritable(world.cwd, path) ?? (isShared ? undefined : await whyNotEarlier(path, kind))
  if (why !== undefined) throw new WriteError(path, why)
  try {
    if (isShared && (await lstat(path).catch(() => undefined)) !== undefined)
      await appendToFile(path, `\n${text}`)
    else if (await isInPlace(path)) await appendToFile(path, text)
    else replaceFile(path, text, mode)
  } catch (error) {
    throw new WriteError(path, error)
  }
}

export const writePlanFile = (world: World, path: string, plan: Plan): Promise<void> =>
  writeOutput(world, { path, kind: 'plan' }, savedPlan(plan))
