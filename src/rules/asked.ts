import type { Rule, RuleSubject } from '../model/rule.ts'

/** What the rules ask about: the rest is left out, for a plan may have many variables. */
export interface Asked {
  readonly subjects: ReadonlySet<RuleSubject>
  /** Any variable. */
  readonly variables: boolean
  /** What was before the plan. */
  readonly before: boolean
  /** Values of variables. */
  readonly values: boolean
}

/** What these rules can ask about, by the words of their expressions. An index may be any field. */
export function askedBy(rules: readonly Rule[]): Asked {
  const subjects = new Set(rules.map(rule => rule.for))
  const text = rules.map(({ when, require }) => `${when?.text ?? ''} ${require.text}`).join('\n')
  const asks = (words: RegExp): boolean => words.test(text) || /\[|\bdyn\b/.test(text)
  const values = asks(/\b(?:value|before|after)\b/)
  return {
    subjects,
    variables: values || subjects.has('variable') || asks(/\b(?:variables|deleted)\b/),
    before: asks(/\bbefore\b/),
    values,
  }
}
