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
    return mistakes.map(({ part, message, hint = '' }) => `${part}: ${message} ${hint}`).join('\n')
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
    ['set', 'set.nam == ""', 'require: A Set has no field "nam", at `set.nam`. Did you mean "name"?'],
    [
      'set',
      'true && set.name.startWith("a")',
      'require: There is no function "startWith" of a string that takes string, at `set.name.startWith("a")`. docs/rules.md lists the functions.',
    ],
    [
      'set',
      'exposure.kind == "secret"',
      'require: "exposure" is not known in a rule `for: set`, at `exposure`. Known here: set, plan.',
    ],
    [
      'plan',
      'pan.changes == 1',
      'require: "pan" is not known in a rule `for: plan`, at `pan`. Did you mean "plan"?',
    ],
    [
      'set',
      'set.workspaces.exists(w, w.startsWith("a"))',
      'require: There is no function "startsWith" of a Workspace that takes string, at `w.startsWith("a")`.',
    ],
    ['set', 'set.name', 'require: The expression returns a string, but must return true or false.'],
    [
      'set',
      'set.name == 1',
      'require: No such overload: string == int. Compare values of one type: `int(text)` and `string(number)` convert.',
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
    ['set', 'set.name ==', 'require: Unexpected token: EOF.'],
    ['set', 'set.name.matches("[")', 'require: The pattern is not valid: missing closing ]: `[`, at `"["`.'],
    [
      'set',
      'set.name.matches("(?=a)")',
      'require: The pattern is not valid: invalid or unsupported Perl syntax: `(?=`, at `"(?=a)"`.',
    ],
    ['set', 'set.global.matches("a")', 'require: "matches" needs strings, not bool, at `set.global`.'],
    ['set', 'set.constructor == ""', 'require: A Set has no field "constructor", at `set.constructor`.'],
    ['set', 'has(set.nam)', 'require: A Set has no field "nam", at `set.nam`. Did you mean "name"?'],
    [
      'set',
      'has(set.before.gobal)',
      'require: A SetBefore has no field "gobal", at `set.before.gobal`. Did you mean "global"?',
    ],
    [
      'set',
      'set.workspaces.exists(w, has(w.projekt))',
      'A Workspace has no field "projekt", at `w.projekt`. Did you mean "project"?',
    ],
    ['set', 'has(plan.sets.x)', 'require: There is no "x" here, at `plan.sets.x`.'],
    ['set', 'set in plan.sets', 'require: A Set cannot be compared. Compare a field of it'],
    ['set', 'set.workspaces == plan.sets[0].workspaces', 'A Workspace cannot be compared.'],
    ['set', '"x".x(1)', 'require: There is no function "x" of a string that takes int.'],
  ])('%s: %s', (subject, require, expected) => {
    expect(hits(subject, require)).toContain(expected)
  })

  test.each<[RuleSubject, string, readonly string[]]>([
    ['set', 'set.nam == "" && set.name', ['the whole', 'set.nam']],
    ['set', 'set.name ? set.x : set.y', ['set.name', 'set.x', 'set.y']],
    ['set', 'set.name.matches("[") && set.name.matches("(")', ['"["', '"("']],
    ['set', 'has(set.x) && has(set.before.y) && set == set', ['set.x', 'set.before.y', 'set == set']],
    ['set', 'set.name == 1 && [1, "a"] == [] && foo(1)', ['set.name == 1', '"a"', 'foo(1)']],
    ['plan', `${nested('d.x')} && plan.y`, ['plan.sets.all(d, d.x)', 'd.x', 'plan.y']],
    ['set', 'set.name.startsWith("a")\n  && set\n  .globl\n  && set.priority', ['set .globl']],
    // The same mistake again is one, because it has the same place and words.
    ['plan', Array(15).fill('plan.x').join(' && '), ['plan.x']],
    [
      'plan',
      Array.from({ length: 15 }, (_, at) => `plan.x${at}`).join(' && '),
      Array.from({ length: 10 }, (_, at) => `plan.x${at}`),
    ],
    // What may only follow from another mistake is not reported.
    ['set', 'set.nam', ['the whole']],
    ['set', 'set.nam.x(set.nem) && !set.nam', ['set.nam', 'set.nem']],
    ['set', '[set.nam, "a"].size() == 1', ['set.nam']],
    ['set', 'set.workspacs.all(w, w.id.y(w.z))', ['set.workspacs']],
    ['set', 'cel.bind(n, set.nam, n.x && n.y(2) && set.q)', ['set.nam', 'set.q']],
    // After a syntax error, the rest of the expression cannot be checked.
    ['set', 'set.global && set.nam == "" && set.', ['set.nam == "" && set.']],
    ['set', 'set.global and set.priority', ['the whole']],
    [
      'set',
      'set.global && set.name = "x" && set.priority && true',
      ['set.global && set.name = "x" && set.priority'],
    ],
    ['set', `set.name == "${'a'.repeat(99)}" == 1 && true`, [`set.name == "${'a'.repeat(47)}…`]],
  ])(
    'every error of an expression is found, with the part that is wrong: %s: %s',
    (subject, require, parts) => {
      expect(
        checkRules([{ for: subject, require }]).map(
          ({ message }) => / at `(.*)`\.$/.exec(message)?.[1] ?? 'the whole',
        ),
      ).toEqual(parts)
    },
  )

  test.each<[what: string, RuleSubject, require: string, said: string]>([
    [
      'reading an absent field',
      'variable',
      'variable.secret == "A"',
      'This Variable has no "secret", at `variable.secret`.',
    ],
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
