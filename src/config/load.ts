import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { GitEnvironment } from '../git/git.ts'
import { isInside, isOfGit } from '../git/work-tree.ts'
import { type Checked, compareText, type Diagnostic, hasErrors } from '../model/diagnostic.ts'
import { Findings } from '../model/findings.ts'
import type { Rule } from '../model/rule.ts'
import type { DesiredState, Directory } from '../model/variable-set.ts'
import { checkSets } from './check.ts'
import { indexBases, withBases, withLabels } from './combine.ts'
import { NO_DIRECTORY, readDirectoryFile } from './directory-file.ts'
import { Documents, type LoadContext, type Parser } from './documents.ts'
import { listSetFiles, reportUnread } from './find-set-files.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import { fileExists, ReadRule, realPath, repositoryRoot, shownPath } from './read.ts'
import { loadRules, type RulesDirectory } from './rules.ts'
import { checkSameKeys } from './same-keys.ts'
import { readSetFile, type SetFile } from './set-file.ts'
import { readSetpointFile, type SetpointFile } from './setpoint-file.ts'
import { setpointForm } from './setpoint-valid.gen.ts'
import { setsForm } from './sets-valid.gen.ts'

export interface LoadOptions {
  /** The directory of `setpoint.yaml`: `-C`. */
  readonly directory: string
  /**
   * The root of the files of a commit, written to a directory of their own: all of them count as tracked. Without it, the root
   * is the repository around the directory.
   */
  readonly root?: string
  /** The configuration file, relative to `directory`, if it is not `setpoint.yaml`. */
  readonly config?: string
  /** The organization that the environment expects: the file must have the same. */
  readonly organization?: string
  /** Never taken from the repository: they protect the machine from it. */
  readonly limits?: Partial<Limits>
  /** Files and directories that this run takes secrets from: `file:` cannot read them. */
  readonly secretPlaces?: readonly string[]
  /** Its `PATH` finds git, which says which files it tracks when `file:` reads one. */
  readonly environment?: GitEnvironment
  /** `whole` disables the quick reader of plain files. */
  readonly parser?: Parser
  /** Directories with rules of the pipeline, which may be outside the repository. */
  readonly rules?: readonly RulesDirectory[]
  /** Called when the configuration is read and valid, before any set file is read: work that waits for it can begin. */
  readonly onOrganization?: (organization: string) => void
}

/**
 * The desired state that the files describe, or every mistake in them. Reads nothing outside the Git repository (without one,
 * outside the directory of the configuration), and yields to the event loop between files.
 */
export async function loadDesired(options: LoadOptions): Promise<Loaded> {
  const findings = new Findings()
  const opened = await open(options, findings)
  const before = findings.diagnostics.length
  const rules = opened && (await loadRules(opened.run, options.rules ?? []))
  const ruleErrors = findings.diagnostics.slice(before)
  const state = opened && (await load(opened, options))
  // After an error, not everything was checked.
  if (!hasErrors(findings.diagnostics))
    for (const source of findings.unused())
      findings.warning(
        'unused-accept',
        source,
        'This warning no longer occurs here.',
        'Remove its code from `accept`.',
      )
  const diagnostics = findings.sorted()
  const { accepted } = findings
  const found = rules !== undefined && rules.length > 0 && { rules }
  const value = hasErrors(diagnostics) || state === undefined ? undefined : { ...state, ...found }
  return { value, diagnostics, ruleErrors, ...(accepted > 0 && { accepted }), ...found }
}

export interface Loaded extends Checked<DesiredState> {
  /** How many warnings the files accept. They are not among the diagnostics. */
  readonly accepted?: number
  /** Those of the diagnostics that are about rule files. */
  readonly ruleErrors: readonly Diagnostic[]
  /** The rules that could be read, also beside errors. Their expressions are not checked. */
  readonly rules?: readonly Rule[]
}

/** What must be known from `setpoint.yaml` before a set file can be read. */
export interface Configuration {
  readonly organization: string
  /** Absolute path of the directory file, which may not exist. */
  readonly directoryFile: string
}

/** What an export needs to know of a repository: which sets it owns, and which names it knows. */
export interface RepositoryContext extends Configuration {
  /** Absolute path of the configuration. */
  readonly configFile: string
  readonly owner?: string
  readonly owns: readonly string[]
  readonly directory: Directory
}

/** The configuration and the directory file. The set files are not read. */
export async function loadRepositoryContext(options: LoadOptions): Promise<Checked<RepositoryContext>> {
  const findings = new Findings()
  const opened = await open(options, findings)
  const directory = opened === undefined ? NO_DIRECTORY : await loadDirectory(opened)
  const diagnostics = findings.sorted()
  if (opened?.document === undefined || hasErrors(diagnostics)) return { value: undefined, diagnostics }
  const { run, settings, directoryFile } = opened
  const { organization, owner, owns } = settings
  return {
    value: { organization, directoryFile, configFile: run.config, owner, owns, directory },
    diagnostics,
  }
}

/** The configuration alone, for the command that writes the directory file, which must be inside the repository. */
export async function loadConfiguration(options: LoadOptions): Promise<Checked<Configuration>> {
  const findings = new Findings()
  const opened = await open(options, findings)
  if (opened?.document === undefined) return { value: undefined, diagnostics: findings.sorted() }
  const { run, settings, directoryFile } = opened
  const { path, source } = settings.directory
  if (!isInside(run.root, directoryFile) || isOfGit(run.root, directoryFile))
    findings.error(
      'outside-repository',
      source,
      `The directory file "${path}" is outside the repository.`,
      'Name a file beside or below setpoint.yaml.',
    )
  const diagnostics = findings.sorted()
  const value = { organization: settings.organization, directoryFile }
  return { value: hasErrors(diagnostics) ? undefined : value, diagnostics }
}

async function open(options: LoadOptions, findings: Findings) {
  const written = resolve(options.directory, options.config ?? 'setpoint.yaml')
  const base = realPath(dirname(written))
  const config = join(base ?? '', basename(written))
  if (base === undefined || !fileExists(config)) {
    findings.error(
      'no-configuration',
      undefined,
      `There is no ${options.config ?? 'setpoint.yaml'} in ${options.directory}.`,
      'Run setpoint in the directory of the file (in a Git repository, also below it), or pass -C DIRECTORY or --config FILE. To create the file, run `setpoint init ORGANIZATION`, or write one line: `organization: NAME`.',
    )
    return undefined
  }
  const run = loadContext(options.root ?? repositoryRoot(base), config, options, findings)
  const document = await run.documents.read(config, setpointForm)
  const settings = readSetpointFile(document?.trees[0], document?.file, options.organization, findings)
  return { run, document, settings, directoryFile: resolve(base, settings.directory.path) }
}

type Opened = NonNullable<Awaited<ReturnType<typeof open>>>

/** Of the files of a commit, all count as tracked. */
export function loadContext(
  root: string,
  config: string,
  { limits, parser, secretPlaces, root: commit, environment = {} }: LoadOptions,
  findings: Findings,
): LoadContext {
  const rule = new ReadRule(root, {
    secretPlaces,
    environment: commit === undefined ? environment : undefined,
  })
  const context = { root, rule, limits: { ...DEFAULT_LIMITS, ...limits }, findings, parser }
  return { ...context, config, documents: new Documents(context) }
}

async function load(opened: Opened, options: LoadOptions): Promise<DesiredState | undefined> {
  const { run, document, settings } = opened
  const directory = await loadDirectory(opened)
  if (!hasErrors(run.findings.diagnostics)) options.onOrganization?.(settings.organization)
  const files = await loadSetFiles(opened)
  // Rules across files depend on the configuration.
  return document && stateOf(files, settings, directory, run)
}

/** The state that sets and settings describe. Reports the mistakes across sets. */
export function stateOf(
  { sets: written, bases, removed, complete }: SetFile,
  settings: SetpointFile,
  directory: Directory,
  { documents, limits, findings }: LoadContext,
): DesiredState {
  const index = indexBases(bases, findings)
  const { sets, open } = withBases(written, { bases: index, complete, limits, findings })
  // In the order of the files: of two sets that clash, the second is reported.
  const isMatched = checkSets(sets, removed, settings, findings)
  if (complete && isMatched) checkSameKeys(settings.sameKeys, sets, limits.variables, findings, open)
  const { organization, owner, owns, prune, guards } = settings
  const sorted = withLabels(sets).sort((a, b) => compareText(a.name, b.name))
  const files = documents.count
  return { organization, owner, owns, prune, guards, sets: sorted, removed, directory, files }
}

/** The default file may be missing, but a file that the configuration names may not. */
async function loadDirectory({ run, settings, directoryFile }: Opened): Promise<Directory> {
  const { source } = settings.directory
  if (source === undefined && !fileExists(directoryFile)) return NO_DIRECTORY
  const { directoryForm } = await import('./directory-valid.gen.ts')
  const document = await run.documents.read(directoryFile, directoryForm, source)
  if (document === undefined) return NO_DIRECTORY
  return readDirectoryFile(document.trees[0], document.file, settings.organization, run.findings)
}

/** The content of all set files. It is complete if every file could be read. */
async function loadSetFiles({ run, settings, document: configuration }: Opened): Promise<SetFile> {
  const { documents, findings } = run
  const errors = findings.count
  const { paths, almost } = listSetFiles(run, settings, configuration !== undefined)
  const isComplete = findings.count === errors
  const files: SetFile[] = []
  let turn = 0
  for (const [index, path] of paths.entries()) {
    if (index % 10 === 9 || documents.bytes - turn > BYTES_AT_A_TIME) {
      turn = documents.bytes
      await setImmediate()
    }
    const document = await documents.read(path, setsForm)
    if (document === undefined) continue
    const reading = documents.reading(path, document.file)
    for (const tree of document.trees) files.push(readSetFile(tree, reading))
  }
  for (const [path, pattern] of almost)
    if (!documents.isValue(path)) reportUnread(shownPath(run.root, path), pattern, findings)
  return {
    sets: files.flatMap(file => file.sets),
    bases: files.flatMap(file => file.bases),
    removed: files.flatMap(file => file.removed),
    complete: documents.failures === 0 && isComplete && files.every(file => file.complete),
  }
}

/** A few milliseconds of work, after which other tasks get a turn. */
const BYTES_AT_A_TIME = 256 * 1024
