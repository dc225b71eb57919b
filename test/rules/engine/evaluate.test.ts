import { describe, expect, test } from 'vitest'
import type { RuleSubject } from '../../../src/model/rule.ts'
import { checkRules, evaluateRules } from '../../../src/rules/engine/evaluate.ts'
import { aSet, aVariable, planned } from '../facts.ts'

const SETS = [
  aSet({ name: 'prod-db', global: true, variables: [aVariable({ key: 'TOKEN', value: 'abc' })] }),
  aSet({ name: 'dev', workspaces: ['ws-1'] }),
]
const WORKSPACES = [{ name: 'one', id: 'ws-1', project: 'dev', groups: ['payments'] }]
const PLANNED = planned({ sets: SETS, workspaces: WORKSPACES, changes: 3 })

/** The items that violate a rule, or the error messages. */
function hits(subject: RuleSubject, require: string, when?: string): readonly string[] | string {
  const rule = { for: subject, require, when }
  const mistakes = checkRules([rule])
  if (mistakes.length > 0)
    return mistakes
      .map(({ part, offset, message, hint = '' }) => `${part} ${offset}: ${message} ${hint}`)
      .join('\n')
  const found = evaluateRules([rule], PLANNED)
  return found.mistakes.length > 0
    ? found.mistakes.map(({ message, hint = '' }) => `${message} ${hint}`).join('\n')
    : found.hits.map(({ item: { set, key } }) => key ?? set ?? 'plan')
}

describe('a rule is violated by items for which `when` is true and `require` is false', () => {
  test.each<[RuleSubject, string, string | undefined, readonly string[]]>([
    ['set', 'set.name == "dev"', undefined, ['prod-db']],
    ['set', 'set.name == "dev"', '!set.global', []],
    ['set', 'false', undefined, ['prod-db', 'dev']],
    ['plan', 'plan.changes <= 2', undefined, ['plan']],
    ['plan', 'plan.sets.size() == 2', undefined, []],
    ['plan', 'plan.sets.all(s, s.workspaces.all(w, w.project == "prod"))', undefined, ['plan']],
    ['variable', '!set.global', 'variable.key == "TOKEN"', ['env/TOKEN']],
    ['variable', 'has(variable.value) && variable.value.size() > 5', undefined, ['env/TOKEN']],
    ['variable', 'has(variable.secret)', undefined, ['env/TOKEN']],
    ['set', 'set.name.matches("^[a-z]+$")', undefined, ['prod-db']],
    ['set', '"dev" in set.workspaces.map(w, w.project)', undefined, ['prod-db']],
    ['set', 'cel.bind(n, set.name, n.startsWith("prod-") || n.startsWith("dev"))', undefined, []],
  ])('%s: %s when %s', (subject, require, when, expected) => {
    expect(hits(subject, require, when)).toEqual(expected)
  })
})

const nested = (inner: string): string =>
  `plan.sets.all(a, plan.sets.all(b, plan.sets.all(c, plan.sets.all(d, ${inner}))))`

describe('an error is found before evaluation, at its place', () => {
  test.each<[RuleSubject, string, string]>([
    ['set', 'set.nam == ""', 'require 4: A Set has no field "nam". Did you mean "name"?'],
    [
      'set',
      'true && set.name.startWith("a")',
      'require 8: There is no function "startWith" of a string that takes string. Did you mean "startsWith"?',
    ],
    [
      'set',
      'exposure.kind == "secret"',
      'require 0: "exposure" is not known in a rule `for: set`. Known here: set, plan.',
    ],
    ['plan', 'pan.changes == 1', 'require 0: "pan" is not known in a rule `for: plan`. Did you mean "plan"?'],
    [
      'set',
      'set.workspaces.exists(w, w.startsWith("a"))',
      'require 25: There is no function "startsWith" of a Workspace that takes string.',
    ],
    ['set', 'set.name', 'require 0: The expression returns a string, but must return true or false.'],
    [
      'set',
      'set.name == 1',
      'require 0: No such overload: string == int. Compare values of one type: `int(text)` and `string(number)` convert.',
    ],
    ['plan', 'plan.deletes = 1', 'Unexpected character: =. Compare with `==`'],
    ['plan', 'plan.deletes =< 1', 'Unexpected character: =. Compare with `==`'],
    ['set', 'not set.global', "Unexpected character: 't'. Write `&&`, `||` and `!` for and, or and not."],
    ['set', 'set.global and set.priority', '. Write `&&`, `||` and `!` for and, or and not.'],
    ['plan', 'plan.sets.length < 3', 'Its length is `size(list)`'],
    [
      'plan',
      `${'('.repeat(50)}true${')'.repeat(50)}`,
      'Make the expression shorter, or write several rules.',
    ],
    ['set', 'set.name ==', 'require 11: Unexpected token: EOF.'],
    ['set', 'set.name.matches("[")', 'require 17: The pattern is not valid: missing closing ]: `[`.'],
    [
      'set',
      'set.name.matches("(?=a)")',
      'require 17: The pattern is not valid: invalid or unsupported Perl syntax: `(?=`.',
    ],
    ['set', 'set.global.matches("a")', 'require 4: "matches" needs strings, not bool.'],
    ['set', 'set.constructor == ""', 'require 4: A Set has no field "constructor".'],
    ['set', 'has(set.nam)', 'require 8: A Set has no field "nam". Did you mean "name"?'],
    ['set', 'has(set.before.gobal)', 'require 15: A SetBefore has no field "gobal". Did you mean "global"?'],
    [
      'set',
      'set.workspaces.exists(w, has(w.projekt))',
      'A Workspace has no field "projekt". Did you mean "project"?',
    ],
    ['set', 'has(plan.sets.x)', 'require 14: There is no "x" here.'],
    ['set', 'set in plan.sets', 'require 0: A Set cannot be compared. Compare a field of it'],
    ['set', 'set.workspaces == plan.sets[0].workspaces', 'A Workspace cannot be compared.'],
    ['set', '"x".x(1)', 'require 0: There is no function "x" of a string that takes int.'],
  ])('%s: %s', (subject, require, expected) => {
    expect(hits(subject, require)).toContain(expected)
  })

  test.each<[RuleSubject, string, readonly number[]]>([
    ['set', 'set.nam == "" && set.name', [0, 4]],
    ['set', 'set.name ? set.x : set.y', [4, 15, 23]],
    ['set', 'set.name.matches("[") && set.name.matches("(")', [17, 42]],
    ['set', 'has(set.x) && has(set.before.y) && set == set', [8, 29, 35]],
    ['set', 'set.name == 1 && [1, "a"] == [] && foo(1)', [0, 21, 35]],
    ['plan', `${nested('d.x')} && plan.y`, [51, 70, 84]],
    ['plan', Array(15).fill('plan.x').join(' && '), [5, 15, 25, 35, 45, 55, 65, 75, 85, 95]],
    // What may only follow from another mistake is not reported.
    ['set', 'set.nam', [4]],
    ['set', 'set.nam.x(set.nem) && !set.nam', [4, 14, 27]],
    ['set', '[set.nam, "a"].size() == 1', [5]],
    ['set', 'set.workspacs.all(w, w.id.y(w.z))', [4]],
    ['set', 'cel.bind(n, set.nam, n.x && n.y(2) && set.q)', [16, 42]],
    // After a syntax error, the rest of the expression cannot be checked.
    ['set', 'set.nam == "" && set.', [21]],
  ])('every error of an expression is found: %s: %s', (subject, require, offsets) => {
    expect(checkRules([{ for: subject, require }]).map(({ offset }) => offset)).toEqual(offsets)
  })

  test.each<[what: string, RuleSubject, require: string, said: string]>([
    ['reading an absent field', 'variable', 'variable.secret == "A"', 'This Variable has no "secret".'],
    ['an integer overflow', 'plan', 'plan.changes + 9223372036854775807 > 0', 'Integer overflow: 922337203'],
    ['a result that is not bool', 'plan', 'dyn(plan.changes)', 'The expression returned neither true'],
  ])('%s is an error of the rule, not a violation', (_, subject, require, said) => {
    expect(hits(subject, require)).toContain(said)
  })
})

describe('a hostile expression', () => {
  test.each([
    ['nested macros', nested('true'), 'nested'],
    ['many nodes', Array(900).fill('1').join(' + ').concat(' > 0'), 'maxAstNodes'],
    ['deep parentheses', `${'('.repeat(900)}true${')'.repeat(900)}`, 'maxDepth'],
    ['many negations', `${'!'.repeat(3990)}true`, 'maxAstNodes'],
    ['a long list', `1 in [${Array(600).fill('1').join()}]`, 'maxListElements'],
    ['a pattern that is too large', 'set.name.matches("((a{100}){100}){100}")', 'repeat'],
    ['a pattern that is nested too deep', `set.name.matches("${'('.repeat(1200)}")`, '1000 characters'],
  ])('is refused: %s', (_, require, said) => {
    expect(hits('set', require)).toContain(said)
  })

  test('a pattern that is exponential in other engines takes linear time', () => {
    const long = planned({ sets: [aSet({ name: `${'a'.repeat(50_000)}!` })] })
    const rules = ['!set.name.matches("^(a+)+$")', '!dyn(set.name).matches("^(a" + "+)+$")'].map(require => ({
      for: 'set' as const,
      require,
    }))
    expect(evaluateRules(rules, long)).toMatchObject({ hits: [], mistakes: [] })
  })
})
