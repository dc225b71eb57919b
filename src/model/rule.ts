import type { Diagnostic, SourceRange } from './diagnostic.ts'

/** What a rule can be about. It is evaluated once for each such item of a plan. */
export const RULE_SUBJECTS = ['set', 'variable', 'exposure', 'effect', 'plan'] as const
export type RuleSubject = (typeof RULE_SUBJECTS)[number]

/** From the weakest to the strongest. */
export const RULE_LEVELS = ['warn', 'block', 'error'] as const
export type RuleLevel = (typeof RULE_LEVELS)[number]

/** A CEL expression as a file has it. */
export interface RuleExpression {
  readonly text: string
  readonly source: SourceRange
}

/** A rule as its file declares it. Its expressions are not checked yet. */
export interface Rule {
  readonly id: string
  readonly for: RuleSubject
  /** Absent: the rule is about every item. */
  readonly when?: RuleExpression
  readonly require: RuleExpression
  readonly message: string
  readonly level: RuleLevel
  /** The line of its id. */
  readonly source: SourceRange
}

/** What violates a rule, or what a guard blocks. Without a set, it is the whole plan. */
export interface RuleItem {
  readonly kind: RuleSubject
  readonly set?: string
  /** `env/AWS_REGION`. */
  readonly key?: string
  /** Distinguishes items of one set and key, such as the kind of an exposure. */
  readonly detail?: string
}

/** A violated rule. */
export interface RuleHit {
  readonly rule: string
  readonly level: RuleLevel
  readonly message: string
  readonly item: RuleItem
  /** The line of the rule. */
  readonly source?: SourceRange
  /** The line of the item, if it is in the files. */
  readonly at?: SourceRange
}

/** Whether two rules ask the same of the same items. Their messages, levels and places may differ. */
export const isSameRule = (a: Rule, b: Rule): boolean =>
  a.for === b.for && a.when?.text === b.when?.text && a.require.text === b.require.text

export const levelRank = (level: RuleLevel): number => RULE_LEVELS.indexOf(level)

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
