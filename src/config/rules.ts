import { dirname, join, relative } from 'node:path'
import { isInside } from '../git/work-tree.ts'
import { startOf } from '../model/diagnostic.ts'
import type { Findings } from '../model/findings.ts'
import { holderOf } from '../model/lists.ts'
import { RULE_LEVELS, RULE_SUBJECTS, type Rule, type RuleExpression } from '../model/rule.ts'
import { findSetFiles, type MatchedFiles, RULES, RULES_DIRECTORY } from './find-set-files.ts'
import { realPath, shownPath, whyUnreadable } from './read.ts'
import { rulesForm } from './rules-valid.gen.ts'
import type { SourceFile } from './source-file.ts'
import { childOf, entriesOf, type Node, textOf } from './tree.ts'
import type { Documents, LoadContext } from './yaml-documents.ts'

/** A directory of rules that the repository does not choose: `--rules`. */
export interface RulesDirectory {
  readonly path: string
  /** As the user wrote it. */
  readonly shown: string
}

/**
 * The rules of the pipeline, then those of the repository. Of two with one id, the second one is the mistake. Expressions are
 * not checked here.
 */
export function loadRules(run: LoadContext, directories: readonly RulesDirectory[]): Rule[] {
  const { root, config, findings } = run
  const found = directories.map(directory => ({ directory, files: ruleFilesIn(directory, run) }))
  const { paths, refused } = findSetFiles(root, dirname(config), RULES) ?? NONE
  const shownOf = (path: string): string => shownPath(root, path)
  reportRefused(refused, shownOf, findings)
  const beside = join(dirname(config), RULES_DIRECTORY)
  const own = withoutCases(beside, paths).map(path => ({
    documents: run.documents,
    path,
    shown: shownOf(path),
  }))
  const before = findings.count
  const rules = readRuleFiles([...found.flatMap(({ files }) => files), ...own], findings)
  const isRight = findings.count === before
  const hasRule = ({ files }: (typeof found)[number]): boolean =>
    rules.some(({ source }) => files.some(({ shown }) => shown === source.path))
  // Without a mistake in a file: of `rules: {}`.
  for (const one of isRight ? found : [])
    if (one.files.length > 0 && !hasRule(one))
      findings.error(
        'no-rules',
        `There is no rule in the files of ${JSON.stringify(one.directory.shown)}.`,
        'Pass a directory with rules, or remove --rules.',
      )
  return rules
}

/** A protection is not in force if its file is not read. */
function reportRefused(
  refused: ReadonlyMap<string, string>,
  shownOf: (path: string) => string,
  findings: Findings,
): void {
  for (const [path, why] of refused)
    findings.error(
      'no-rules',
      `No rules are read: "${shownOf(path)}" ${why}.`,
      'Make it a directory with the rule files, or remove it. To use rules from elsewhere, pass --rules DIRECTORY.',
      startOf(shownOf(path)),
    )
}

const TESTS = 'tests'

/** Where the cases of a directory of rules are. Everything else in it is a rule. */
const casesBelow = ({ path, shown }: RulesDirectory): RulesDirectory => ({
  path: join(path, TESTS),
  shown: join(shown, TESTS),
})

const withoutCases = (directory: string, paths: readonly string[]): readonly string[] =>
  paths.filter(path => !isInside(join(directory, TESTS), path))

/** The rules in these files, the first of each id. */
export function readRuleFiles(files: readonly RuleDocument[], findings: Findings): Rule[] {
  const rules = new Map<string, Rule>()
  for (const { documents, path, shown } of files) {
    const document = documents.read(path, rulesForm, undefined, shown)
    for (const rule of document === undefined ? [] : rulesIn(document.tree, document.file)) {
      const first = holderOf(rules, rule.id, rule)
      if (first !== undefined)
        findings.error(
          'duplicate-set',
          `The rule "${rule.id}" is also in ${first.source.path}:${first.source.line}.`,
          'Rename one of the two.',
          rule.source,
        )
    }
  }
  return [...rules.values()]
}

const NONE: MatchedFiles = { paths: [], refused: new Map() }

/** A file to read, and the rule that decides whether it may be read. */
interface RuleDocument {
  readonly documents: Documents
  readonly path: string
  readonly shown: string
}

/** A directory without a rule would be a missing protection, so it is an error. */
export function ruleFilesIn(directory: RulesDirectory, run: LoadContext): readonly RuleDocument[] {
  const files = yamlFilesIn(directory, run, withoutCases)
  const problem = whyUnreadable(directory.path)
  if (files.length === 0)
    run.findings.error(
      'no-rules',
      problem === undefined
        ? `There is no rule file in ${JSON.stringify(directory.shown)}.`
        : `${JSON.stringify(directory.shown)} ${problem}.`,
      'Pass a directory with files whose names end in .yaml or .yml.',
    )
  return files
}

/** The files with cases of a directory of rules. */
export const caseFilesIn = (directory: RulesDirectory, run: LoadContext): readonly RuleDocument[] =>
  yamlFilesIn(casesBelow(directory), run)

/** The YAML files of a directory and below, inside or outside the repository. Empty if it does not exist. */
function yamlFilesIn(
  { path, shown }: RulesDirectory,
  run: LoadContext,
  select = (_: string, paths: readonly string[]) => paths,
): readonly RuleDocument[] {
  const real = realPath(path)
  if (real === undefined) return []
  const isOwn = isInside(run.root, real)
  const documents = isOwn ? run.documents : run.documents.elsewhere(real)
  const { paths, refused } = findSetFiles(isOwn ? run.root : real, real, '**/*.yaml') ?? NONE
  const shownOf = (at: string): string => (isOwn ? shownPath(run.root, at) : join(shown, relative(real, at)))
  // Of the directory itself, `ruleFilesIn` says what is wrong.
  reportRefused(new Map([...refused].filter(([at]) => at !== real)), shownOf, run.findings)
  return select(real, paths).map(at => ({ documents, path: at, shown: shownOf(at) }))
}

/** Missing or wrong parts were reported before. A rule without a message or a level is here so that its expressions are checked as well. */
function rulesIn(tree: Node, file: SourceFile): Rule[] {
  return entriesOf(childOf(tree, 'rules')).flatMap(({ key: id, at, value }) => {
    const requires = expressionOf(childOf(value, 'require'), file)
    const message = textOf(childOf(value, 'message'))?.trim() ?? ''
    const subject = RULE_SUBJECTS.find(one => one === textOf(childOf(value, 'for')))
    const level = RULE_LEVELS.find(one => one === textOf(childOf(value, 'level'))) ?? 'error'
    if (requires === undefined || subject === undefined) return []
    const when = expressionOf(childOf(value, 'when'), file)
    return { id, for: subject, when, require: requires, message, level, source: file.at(at) }
  })
}

function expressionOf(node: Node | undefined, file: SourceFile): RuleExpression | undefined {
  const text = textOf(node)
  return node === undefined || text === undefined ? undefined : { text, source: file.at(node.at) }
}
