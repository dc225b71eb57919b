import type { Diagnostic, SourceRange } from './diagnostic.ts'
import type { RuleHit } from './rule.ts'
import type { DesiredState } from './variable-set.ts'

/** A change, and the rules that it is expected to violate. */
export interface RuleCase {
  readonly name: string
  readonly source: SourceRange
  /** What the service has before. */
  readonly before: DesiredState
  readonly after: DesiredState
  readonly expected: readonly ExpectedHit[]
}

/** Hits of a rule: all of them, or those of a set or a variable. */
export interface ExpectedHit {
  readonly rule: string
  readonly set?: string
  /** `env/TOKEN`. */
  readonly key?: string
}

/** The result of a case. */
export interface CaseResult {
  readonly name: string
  readonly source: SourceRange
  readonly passed: boolean
  readonly hits: readonly RuleHit[]
  /** Expected, and not among the hits. */
  readonly missing: readonly ExpectedHit[]
  readonly unexpected: readonly RuleHit[]
  /** Why there is no plan, or why a rule could not be evaluated. */
  readonly problems: readonly Diagnostic[]
}

/** The results of all cases. */
export interface RuleTestResult {
  readonly cases: readonly CaseResult[]
  readonly rules: number
  /** Rules that no case triggers. */
  readonly untested: readonly { readonly rule: string; readonly source: SourceRange }[]
}

/** Compares the hits of a plan with those that a case expects. */
export function resultOf(
  { name, source, expected }: Pick<RuleCase, 'name' | 'source' | 'expected'>,
  hits: readonly RuleHit[],
  problems: readonly Diagnostic[],
): CaseResult {
  const missing = expected.filter(one => !hits.some(hit => isExpected(one, hit)))
  const unexpected = hits.filter(hit => !expected.some(one => isExpected(one, hit)))
  const passed = missing.length + unexpected.length + problems.length === 0
  return { name, source, passed, hits, missing, unexpected, problems }
}

const isExpected = ({ rule, set, key }: ExpectedHit, hit: RuleHit): boolean =>
  rule === hit.rule &&
  (set === undefined || set === hit.item.set) &&
  (key === undefined || key === hit.item.key)
