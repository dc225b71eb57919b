import { type Diagnostic, mistake } from '../model/diagnostic.ts'
import { toJson } from '../model/json.ts'
import type { CaseResult, ExpectedHit, RuleTestResult } from '../model/rule.ts'
import { type Doc, type Row, title } from './doc.ts'
import { counted, figure, message, name, type Phrase, place, say } from './phrase.ts'

/** Version of `schemas/parts/tests.json`: new members raise the second number, breaking changes the first. */
const TESTS_FORMAT = '1.0'

/** schemas/parts/tests.json. */
export interface RuleTestsDocument extends RuleTestResult {
  readonly format: string
  readonly kind: 'rule-tests'
  /** Numbers of cases. */
  readonly passed: number
  readonly failed: number
}

export function ruleTestsJson({ cases, rules, untested }: RuleTestResult): string {
  const failed = cases.filter(({ passed }) => !passed).length
  return toJson<RuleTestsDocument>({
    format: TESTS_FORMAT,
    kind: 'rule-tests',
    passed: cases.length - failed,
    failed,
    rules,
    cases,
    untested,
  })
}

/** A row for each case, with what was expected of those that failed, and the rules that no case triggers. */
export function ruleTestsDoc({ cases, rules, untested }: RuleTestResult): Doc {
  const failed = cases.filter(({ passed }) => !passed)
  const passed = cases.filter(one => one.passed)
  return {
    command: 'test',
    about: [[counted(rules, 'rule')]],
    headline: [
      `${counted(cases.length, 'case')}: ${figure(passed.length)} passed, ${figure(failed.length)} failed.`,
    ],
    tone: failed.length > 0 ? 'bad' : 'good',
    sections: [
      {
        form: 'list',
        rows: passed.map(one => ({
          mark: 'pass',
          tone: 'good',
          cells: [[place(one.source)], [message(one.name)]],
        })),
      },
      {
        title:
          untested.length === 1 ? title`No case triggers this rule` : title`No case triggers these rules`,
        form: 'list',
        rows: untested.map(({ rule, source }) => ({ cells: [[rule]], source })),
      },
      // Last, where a terminal ends.
      { form: 'list', rows: failed.map(failedRow) },
    ],
  }
}

function failedRow({ name: called, source, hits, missing, unexpected, problems }: CaseResult): Row {
  const isEmpty = hits.length === 0 && problems.length === 0
  return {
    mark: 'FAIL',
    tone: 'bad',
    cells: [[place(source)], [message(called)]],
    rows: [
      ...missing.map(one => ({ mark: 'missing', cells: [hitPhrase(one)] })),
      ...unexpected.map(({ rule, item, message: said }) => ({
        mark: 'unexpected',
        cells: [say`${hitPhrase({ rule, ...item })}: ${message(said)}`],
      })),
      ...(isEmpty ? [{ cells: [['The change violates no rule.']] }] : []),
      ...problems.map(problem => ({
        mark: problem.severity,
        cells: [[problem.code], [message(problem.message)]],
        source: problem.source,
        rows: problem.hint === undefined ? [] : [{ cells: [[message(problem.hint)]] }],
      })),
    ],
  }
}

/** Each failed case as an error at its line. */
export const failedCases = ({ cases }: RuleTestResult): Diagnostic[] =>
  cases.flatMap(({ name: called, source, passed, missing, unexpected, problems }) => {
    const rulesOf = (label: string, hits: readonly { readonly rule: string }[]): string[] =>
      hits.length === 0 ? [] : [`${label}: ${[...new Set(hits.map(({ rule }) => rule))].join(', ')}.`]
    const said = [
      ...rulesOf('Not violated', missing),
      ...rulesOf('Unexpectedly violated', unexpected),
      ...problems.map(problem => problem.message),
    ]
    const text = `The case ${JSON.stringify(called)} fails. ${said.join(' ')}`
    return passed ? [] : [mistake('case-failed', text, undefined, source)]
  })

const hitPhrase = ({ rule, set, key }: ExpectedHit): Phrase =>
  say`${rule}${set !== undefined && say` at ${name(set)}`}${key !== undefined && say` ${name(key)}`}`
