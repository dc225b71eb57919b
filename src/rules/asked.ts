import type { Rule, RuleSubject } from '../model/rule.ts'
import type { EngineRule } from './engine/check.ts'

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
  const words = wordsOf(
    rules.map(rule => ({ for: rule.for, when: rule.when?.text, require: rule.require.text })),
  )
  const asks = (...any: string[]): boolean => words === undefined || any.some(word => words.has(word))
  const values = asks('value', 'before', 'after')
  return {
    subjects,
    variables: values || subjects.has('variable') || asks('variables', 'deleted'),
    before: asks('before'),
    values,
  }
}

/** Every field that these rules can mention. `undefined`: with an index, or what has no type, any field. */
export function wordsOf(rules: readonly EngineRule[]): ReadonlySet<string> | undefined {
  const code = rules.map(({ when = '', require }) => `${when}\n${require}`.replace(UNREAD, ' "" ')).join('\n')
  return isOpen(code)
    ? undefined
    : new Set(Array.from(code.matchAll(/\.[\s?`]*(\w+)/g), ([, word]) => word ?? ''))
}

/** Strings and comments, in the order in which CEL recognizes them. */
const UNREAD =
  /\/\/[^\n]*|[rR][bB]?(?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*')|"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g

/** A list or pattern such as `in ["a"]` or "[a-z]" is not an index. */
const isOpen = (code: string): boolean =>
  /[\w)\]}"]\s*\[|\bdyn\b/.test(code.replaceAll(/\bin\s*(?=\[)/g, ','))
