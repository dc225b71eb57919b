import { basename, dirname, join, resolve } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { GitEnvironment } from '../git/git.ts'
import { type Checked, compareText, type Diagnostic, hasErrors, none, startOf } from '../model/diagnostic.ts'
import { Findings } from '../model/findings.ts'
import { quotedPath } from '../model/names.ts'
import type { Rule } from '../model/rule.ts'
import type { DesiredState, Group } from '../model/variable-set.ts'
import { labelled, withAssigned } from './assigned.ts'
import { checkSets } from './check.ts'
import { indexBases, withBases, withLabels } from './combine.ts'
import { DEFAULT_GROUPS, listGroupFiles, listSetFiles, matchesPath, RULES } from './find-set-files.ts'
import { readGroups } from './groups.ts'
import { Budget, DEFAULT_LIMITS, type Limits } from './loader-limits.ts'
import { GroupsOfFiles } from './named-groups.ts'
import {
  CONFIGURATIONS,
  configurationIn,
  fileExists,
  ReadRule,
  realPath,
  repositoryRoot,
  shownPath,
} from './read.ts'
import { loadRules, type RulesDirectory } from './rules.ts'
import { readSetFile, type SetFile, setNamesIn } from './set-file.ts'
import { readSetpointFile, type SetpointFile } from './setpoint-file.ts'
import { setpointForm } from './setpoint-valid.gen.ts'
import { setsForm } from './sets-valid.gen.ts'
import { Documents, type LoadContext } from './yaml-documents.ts'

export interface LoadOptions {
  /** The directory of `setpoint.yaml`: `-C`. */
  readonly directory: string
  /**
   * The root of the files of a commit, written to a directory of their own: all of them count as tracked. Without it, the root
   * is the repository around the directory.
   */
  readonly root?: string
  /** The configuration file, relative to `directory`, if it is not `setpoint.yaml` or `setpoint.yml`. */
  readonly config?: string
  /** The organization that the environment expects: the file must have the same. */
  readonly organization?: string
  /** Never taken from the repository: they protect the machine from it. */
  readonly limits?: Partial<Limits>
  /** Files and directories that this run takes secrets from: `file:` cannot read them. */
  readonly secretPlaces?: readonly string[]
  /** Its `PATH` finds git, which says which files it tracks when `file:` reads one. */
  readonly environment?: GitEnvironment
  /** For a plan: code that is no valid value is no error here, because only a plan knows whether the service holds exactly it. */
  readonly leavesCode?: boolean
  /** Directories with rules of the pipeline, which may be outside the repository. */
  readonly rules?: readonly RulesDirectory[]
}

/**
 * The desired state that the files describe, or every mistake in them. Reads nothing outside the Git repository (without one,
 * outside the directory of the configuration), and yields to the event loop between files.
 */
export async function loadDesired(options: LoadOptions): Promise<Loaded> {
  const findings = new Findings()
  const opened = open(options, findings)
  const before = findings.diagnostics.length
  const rules = opened && loadRules(opened.run, options.rules ?? [])
  const ruleErrors = findings.diagnostics.slice(before)
  const state = opened && (await load(opened))
  const diagnostics = findings.sorted()
  const { accepted } = findings
  const found = rules !== undefined && rules.length > 0 && { rules }
  const value = hasErrors(diagnostics) || state === undefined ? undefined : { ...state, ...found }
  return { value, diagnostics, ruleErrors, ...(accepted > 0 && { accepted }), ...found }
}

interface Loaded extends Checked<DesiredState> {
  /** How many findings the files accept. They are not among the diagnostics. */
  readonly accepted?: number
  /** Those of the diagnostics that are about rule files. */
  readonly ruleErrors: readonly Diagnostic[]
  /** The rules that could be read, also beside errors. Their expressions are not checked. */
  readonly rules?: readonly Rule[]
}

/** The configuration of a repository: what it is for, and which sets it owns. */
export interface RepositoryContext
  extends Pick<SetpointFile, 'organization' | 'organizationSource' | 'owner' | 'owns'> {
  /** Absolute path of the configuration. */
  readonly configFile: string
  /** Real path of the repository, to which the places of groups are relative. */
  readonly root: string
}

/** The configuration. The set files are not read. */
export function loadRepositoryContext(options: LoadOptions): Checked<RepositoryContext> {
  const findings = new Findings()
  return contextOf(open(options, findings), findings.sorted())
}

function contextOf(opened: Opened, diagnostics: readonly Diagnostic[]): Checked<RepositoryContext> {
  if (opened?.document === undefined || hasErrors(diagnostics)) return none(...diagnostics)
  const { organization, organizationSource, owner, owns } = opened.settings
  const { config: configFile, root } = opened.run
  return { value: { organization, organizationSource, owner, owns, configFile, root }, diagnostics }
}

/** The groups, also those without workspaces: `setpoint groups --update` lists them. The set files are not read. */
export function loadGroups(
  options: LoadOptions,
): Checked<RepositoryContext & { readonly groups: readonly Group[] }> {
  const findings = new Findings()
  const opened = open(options, findings)
  const { groups = [] } = opened ? readGroups(listGroupFiles(opened.run, opened.settings), opened.run) : {}
  const { value, diagnostics } = contextOf(
    opened,
    findings.sorted().filter(({ code }) => code !== 'empty-group'),
  )
  return { value: value && { ...value, groups }, diagnostics }
}

/**
 * The names of the sets in the files, and the keys of those that share a name: what can be read, in any order. Mistakes are not
 * reported, and files past a limit are left out.
 */
export function loadSetNames(options: LoadOptions): readonly string[] {
  const opened = open(options, new Findings())
  if (opened === undefined) return []
  const { run, settings } = opened
  const paths = listSetFiles(run, settings, true, listGroupFiles(run, settings))
  const sets = paths.flatMap(path => {
    const document = run.documents.read(path, setsForm)
    return document === undefined ? [] : setNamesIn(document.tree)
  })
  return [...labelled(sets).keys()]
}

/**
 * Tells what of the configuration a file would be, by its path alone: `setpoint.yaml`, or the pattern that matches it; `undefined` if
 * nothing. The directory of the path is real. Of a configuration with mistakes, defaults count.
 */
export function partOfConfiguration(options: LoadOptions): (path: string) => string | undefined {
  const written = resolve(options.directory, options.config ?? configurationIn(options.directory))
  const base = realPath(dirname(written))
  if (base === undefined) return () => undefined
  const findings = new Findings()
  const settings =
    open(options, findings)?.settings ?? readSetpointFile(undefined, undefined, undefined, findings)
  const { sets, groups = [DEFAULT_GROUPS] } = settings
  const patterns = [...[...sets, ...groups].map(({ text }) => text), RULES]
  const names = [basename(written), ...CONFIGURATIONS].map(name => join(base, name).toLowerCase())
  return path => {
    if (names.includes(path.toLowerCase())) return basename(path)
    const own = patterns.find(pattern => matchesPath(base, pattern, path))
    const isRule = ({ path: at }: RulesDirectory): boolean =>
      matchesPath(realPath(at) ?? at, '**/*.yaml', path)
    return own ?? options.rules?.find(isRule)?.shown
  }
}

function open(options: LoadOptions, findings: Findings) {
  const written = resolve(options.directory, options.config ?? configurationIn(options.directory))
  const base = realPath(dirname(written))
  const config = join(base ?? '', basename(written))
  if (options.config === undefined && realPath(options.directory) === undefined) {
    findings.error(
      'no-configuration',
      `There is no directory ${options.directory}.`,
      'Pass the directory of setpoint.yaml: -C DIRECTORY.',
    )
    return undefined
  }
  if (base === undefined || !fileExists(config)) {
    findings.error(
      'no-configuration',
      options.config === undefined
        ? `There is no setpoint.yaml in ${options.directory}.`
        : `There is no file ${quotedPath(options.config)} in ${options.directory}.`,
      'Run setpoint in the directory of the file (in a Git repository, also below it), or pass -C DIRECTORY or --config FILE. To create the file, run `setpoint init ORGANIZATION`, or write one line: `organization: NAME`.',
    )
    return undefined
  }
  const run = loadContext(options.root ?? repositoryRoot(base), config, options, findings)
  const [first, second] = CONFIGURATIONS.filter(name => fileExists(join(base, name)))
  if (first !== undefined && second !== undefined)
    findings.error(
      'no-configuration',
      `This directory has two configurations, ${first} and ${second}.`,
      'Remove one of the two.',
      startOf(shownPath(run.root, join(base, second))),
    )
  const document = run.documents.read(config, setpointForm)
  const settings = readSetpointFile(document?.tree, document?.file, options.organization, findings)
  return { run, document, settings }
}

type Opened = ReturnType<typeof open>

/** Of the files of a commit, all count as tracked. */
export function loadContext(
  root: string,
  config: string,
  { limits: raised, secretPlaces, root: commit, environment = {}, leavesCode = false }: LoadOptions,
  findings: Findings,
): LoadContext {
  const rule = new ReadRule(root, {
    secretPlaces,
    environment: commit === undefined ? environment : undefined,
  })
  const limits = { ...DEFAULT_LIMITS, ...raised }
  const context = { root, rule, limits, budget: new Budget(limits, findings), findings, leavesCode }
  return { ...context, config, documents: new Documents(context) }
}

async function load(opened: NonNullable<Opened>): Promise<DesiredState | undefined> {
  const { run, document, settings } = opened
  const { findings, budget } = run
  const errors = findings.count
  const paths = listGroupFiles(run, settings)
  const areListed = findings.count === errors
  const { groups, complete } = readGroups(paths, run)
  const named = new GroupsOfFiles(groups, areListed && complete, budget)
  const files = await loadSetFiles(opened, paths, named)
  // Rules across files depend on the configuration.
  return document && { ...stateOf(files, settings, run), ...(groups.length > 0 && { groups }) }
}

/** The state that sets and settings describe. Reports the mistakes across sets. */
export function stateOf(
  file: SetFile,
  settings: SetpointFile,
  { documents, budget, findings }: LoadContext,
): DesiredState {
  const { bases, removed, complete } = file
  const index = indexBases(bases, findings)
  const sets = withBases(withAssigned(file, findings), { bases: index, complete, budget, findings })
  // In the order of the files: of two sets that clash, the second is reported.
  checkSets(sets, removed, settings, findings)
  const { organization, owner, owns, prune, guards } = settings
  const sorted = withLabels(sets).sort((a, b) => compareText(a.name, b.name))
  const files = documents.count
  return { organization, owner, owns, prune, guards, sets: sorted, removed, files }
}

/** The content of all set files. It is complete if every file could be read. */
async function loadSetFiles(
  { run, settings, document: configuration }: NonNullable<Opened>,
  groupFiles: readonly string[],
  groups: GroupsOfFiles,
): Promise<SetFile> {
  const { documents, findings } = run
  const errors = findings.count
  const paths = listSetFiles(run, settings, configuration !== undefined, groupFiles)
  const isComplete = findings.count === errors
  const files: SetFile[] = []
  let turn = 0
  for (const [index, path] of paths.entries()) {
    if (index % 10 === 9 || documents.bytes - turn > BYTES_AT_A_TIME) {
      turn = documents.bytes
      await setImmediate()
    }
    const document = documents.read(path, setsForm)
    if (document === undefined) continue
    files.push(readSetFile(document.tree, { ...documents.reading(path, document.file), groups }))
  }
  return {
    sets: files.flatMap(file => file.sets),
    bases: files.flatMap(file => file.bases),
    removed: files.flatMap(file => file.removed),
    assigned: files.flatMap(file => file.assigned),
    complete: documents.failures === 0 && isComplete && files.every(file => file.complete),
  }
}

/** A few milliseconds of work, after which other tasks get a turn. */
const BYTES_AT_A_TIME = 256 * 1024
