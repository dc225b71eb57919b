import { type Diagnostic, mistake } from '../model/diagnostic.ts'
import { toJson } from '../model/json.ts'
import type { CaseResult, ExpectedHit, RuleTestResult } from '../model/rule.ts'
import { diagnosticLines } from './diagnostics.ts'
import { aligned, type Line, painted, span, spansOf } from './layout.ts'
import { counted, message, name, type Phrase, place, say } from './phrase.ts'
import type { TextOptions } from './text.ts'

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

/** A line for each case, what was expected of those that failed, and the rules that no case triggers. */
export function ruleTestsText({ cases, rules, untested }: RuleTestResult, { color }: TextOptions): string {
  const where = aligned(cases, ({ source }) => spansOf([place(source)], 'dim'))
  const lines = cases.flatMap((one): Line[] => [
    [
      one.passed ? span('pass', 'green') : span('FAIL', 'red'),
      span('  '),
      ...where(one),
      span('  '),
      ...spansOf([message(one.name)]),
    ],
    ...(one.passed ? [] : detailsOf(one)),
  ])
  const failed = cases.filter(({ passed }) => !passed).length
  const total = `${counted(cases.length, 'case')}: ${cases.length - failed} passed, ${failed} failed. ${counted(rules, 'rule')}.`
  return painted([...lines, [span(total, 'bold')], ...untestedLines(untested)], color)
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

const INDENT = span('        ')

function detailsOf({ hits, missing, unexpected, problems }: CaseResult): Line[] {
  const described = (label: string, phrase: Phrase): Line => [INDENT, span(label), ...spansOf(phrase)]
  return [
    ...missing.map(one => described('missing     ', hitPhrase(one))),
    ...unexpected.map(({ rule, item, message: said }) =>
      described('unexpected  ', say`${hitPhrase({ rule, ...item })}: ${message(said)}`),
    ),
    ...(hits.length === 0 && problems.length === 0 ? [described('', ['The change violates no rule.'])] : []),
    ...diagnosticLines(problems).map((line): Line => [INDENT, ...line]),
  ]
}

const hitPhrase = ({ rule, set, key }: ExpectedHit): Phrase =>
  say`${rule}${set !== undefined && say` at ${name(set)}`}${key !== undefined && say` ${name(key)}`}`

function untestedLines(untested: RuleTestResult['untested']): Line[] {
  if (untested.length === 0) return []
  const label = aligned(untested, ({ rule }) => [span(`  ${rule}`)])
  return [
    [span(`No case triggers ${untested.length === 1 ? 'this rule' : 'these rules'}:`)],
    ...untested.map((one): Line => [...label(one), span('  '), ...spansOf([place(one.source)], 'dim')]),
  ]
}
