import { type Checked, hasErrors, type SourceRange } from '../model/diagnostic.ts'
import { Findings } from '../model/findings.ts'
import { type ProjectId, TARGET_KINDS, TARGETS, type TargetKind, type WorkspaceId } from '../model/ids.ts'
import { didYouMean } from '../model/names.ts'
import type { ExpectedHit, Rule } from '../model/rule.ts'
import type { DesiredState, Directory, DirectoryEntry, Group, TargetRef } from '../model/variable-set.ts'
import { casesForm } from './cases-valid.gen.ts'
import { checkForm } from './form.ts'
import { type LoadOptions, loadContext, stateOf } from './load.ts'
import { GroupsOfFiles } from './named-groups.ts'
import { realPath, repositoryRoot } from './read.ts'
import { caseFilesIn, type RulesDirectory, readRuleFiles, ruleFilesIn } from './rules.ts'
import { readSetFile, type SetFile } from './set-file.ts'
import { readSetpointFile, type SetpointFile } from './setpoint-file.ts'
import { setpointForm } from './setpoint-valid.gen.ts'
import { setsForm } from './sets-valid.gen.ts'
import { childOf, entriesOf, itemsOf, type Node, textOf, textsIn } from './tree.ts'
import type { Reading } from './variables.ts'
import type { LoadContext } from './yaml-documents.ts'

interface TestedRules {
  readonly rules: readonly Rule[]
  readonly cases: readonly RuleCase[]
}

/**
 * The rules in these directories, and the cases in `tests` below each; or every mistake in them, except in the expressions of
 * rules. Warnings about sets are left out, because the values of cases are made up.
 */
export function loadCases(
  options: LoadOptions,
  directories: readonly RulesDirectory[],
): Checked<TestedRules> {
  const findings = new Findings()
  const root = repositoryRoot(realPath(options.directory) ?? options.directory)
  const run = loadContext(root, '', options, findings)
  const rules = readRuleFiles(
    directories.flatMap(one => ruleFilesIn(one, run)),
    findings,
  )
  const cases = readCases(
    directories,
    rules.map(({ id }) => id),
    run,
  )
  const diagnostics = findings.sorted().filter(({ severity }) => severity === 'error')
  return { value: hasErrors(diagnostics) ? undefined : { rules, cases }, diagnostics }
}

function readCases(
  directories: readonly RulesDirectory[],
  rules: readonly string[],
  run: LoadContext,
): RuleCase[] {
  const files = directories.flatMap(one => caseFilesIn(one, run))
  if (files.length === 0) return []
  const cases: RuleCase[] = []
  for (const { documents, path, shown } of files) {
    const document = documents.read(path, casesForm, undefined, shown)
    if (document === undefined) continue
    const outside = documents.reading(path, document.file)
    for (const { key, at, value } of entriesOf(childOf(document.tree, 'cases'))) {
      const source = document.file.at(at)
      const projectOf = new Map(
        entriesOf(childOf(value, 'workspaces')).map(({ key, value }) => [key, textOf(value) ?? '']),
      )
      const named = entriesOf(childOf(value, 'groups')).map(one => ({
        name: one.key,
        workspaces: textsIn(one.value),
      }))
      const listed = [...new Set([...projectOf.keys(), ...named.flatMap(({ workspaces }) => workspaces)])]
      const groups = named.map(({ name: group, workspaces }): Group => {
        const members = workspaces.map(name => ({
          group,
          name,
          id: idAt<WorkspaceId>('workspaces', listed.indexOf(name)),
          source,
        }))
        return { name: group, source, except: [], allowEmpty: true, members }
      })
      const reading = { ...outside, groups: new GroupsOfFiles(groups, true, run.budget) }
      const before = contentOf(childOf(value, 'before'), reading)
      const after = contentOf(childOf(value, 'after'), reading)
      const settings = settingsOf(childOf(value, 'setpoint'), reading)
      const states = {
        before: { ...stateOf(before, settings, run), groups },
        after: { ...stateOf(after, settings, run), groups },
      }
      cases.push({
        name: key,
        source,
        ...states,
        directory: directoryOf(listed, projectOf, [states.before, states.after]),
        expected: itemsOf(childOf(value, 'expect')).flatMap(item => expectedOf(item, rules, reading)),
      })
    }
  }
  return cases
}

/** The sets of a case, which are written like a set file. */
function contentOf(tree: Node | undefined, reading: Reading): SetFile {
  if (tree === undefined || entriesOf(tree).length === 0)
    return { sets: [], bases: [], removed: [], assigned: [], complete: true }
  checkForm(tree, setsForm, reading.file, reading.findings)
  return readSetFile(tree, reading)
}

/** Without `setpoint`, the settings of a repository with an owner, so that secrets may have versions. */
function settingsOf(tree: Node | undefined, { file, findings }: Reading): SetpointFile {
  if (tree !== undefined) checkForm(tree, setpointForm, file, findings)
  const settings = readSetpointFile(tree, tree && file, undefined, findings)
  return tree === undefined ? { ...settings, organization: CASES, owner: CASES } : settings
}

const CASES = 'cases'

/** Everything that a case names, with made-up ids. */
function directoryOf(
  listed: readonly string[],
  projectOf: ReadonlyMap<string, string>,
  states: readonly DesiredState[],
): Directory {
  const sets = states.flatMap(state => state.sets)
  const nameIn = (target: TargetRef<string>): string | [] =>
    'name' in target ? target.name : target.mayBeName === true ? target.id : []
  const named = (kind: TargetKind): string[] =>
    sets.flatMap(set => (set[kind] ?? []).flatMap((target: TargetRef<string>) => nameIn(target)))
  const owners = sets.flatMap(({ project }) => (project ? nameIn(project) : []))
  const names: Readonly<Record<TargetKind, readonly string[]>> = {
    workspaces: [...listed, ...named('workspaces')],
    projects: [...projectOf.values(), ...named('projects'), ...owners],
    stacks: named('stacks'),
  }
  const entries = <Id extends string>(kind: TargetKind): DirectoryEntry<Id>[] =>
    [...new Set(names[kind])].map((name, at) => ({ name, id: idAt<Id>(kind, at) }))
  const projects = entries<ProjectId>('projects')
  const idOf = new Map(projects.map(({ name, id }) => [name, id]))
  const workspaces = entries<WorkspaceId>('workspaces').map(one => {
    const project = idOf.get(projectOf.get(one.name) ?? '')
    return project === undefined ? one : { ...one, project }
  })
  return { workspaces, projects, stacks: entries('stacks'), whole: TARGET_KINDS }
}

const idAt = <Id extends string>(kind: TargetKind, at: number): Id =>
  `${TARGETS[kind].prefix}-${String(at + 1).padStart(16, '0')}` as Id

function expectedOf(node: Node, rules: readonly string[], { file, findings }: Reading): ExpectedHit[] {
  const named = childOf(node, 'rule') ?? node
  const rule = textOf(named)
  if (rule === undefined) return []
  if (!rules.includes(rule))
    findings.error(
      'unknown-rule',
      `There is no rule ${JSON.stringify(rule)}.`,
      () => didYouMean(rule, rules) ?? 'Write the id of a rule in this directory.',
      file.at(named.at),
    )
  return [{ rule, set: textOf(childOf(node, 'set')), key: textOf(childOf(node, 'key')) }]
}

/** A change, and the rules that it is expected to violate. */
export interface RuleCase {
  readonly name: string
  readonly source: SourceRange
  /** What the service has before. */
  readonly before: DesiredState
  readonly after: DesiredState
  /** What the service tells of workspaces, projects and Stacks. */
  readonly directory: Directory
  readonly expected: readonly ExpectedHit[]
}
