import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Rule } from '../../src/model/rule.ts'
import { evaluateRules } from '../../src/rules/engine/evaluate.ts'
import { Judge, rulesInForce } from '../../src/rules/judge.ts'
import { anEffect, anExposure, aSet, aVariable, planned } from './facts.ts'

const source = { path: 'rules/a.yaml', line: 2, column: 3 }

const aRule = (id: string, require: string): Rule => ({
  id,
  for: 'plan',
  require: { text: require, source: { path: 'rules/a.yaml', line: 4, column: 14 } },
  message: 'No.',
  level: 'block',
  source,
})

const placeOf = () => undefined

const MANY = planned({
  sets: Array.from({ length: 5000 }, (_, at) =>
    aSet({ name: `s${at}`, description: at === 0 ? ',a'.repeat(20_000) : '' }),
  ),
})
const FEW = planned({ sets: [aSet({ name: 'a' })] })

const ENDLESS =
  'plan.sets.all(a, plan.sets.all(b, plan.sets.all(c, a.name + b.name + c.name != "x" && a.name.matches("^(a|b|ab)*$") || true)))'
const HUGE = 'plan.sets.map(a, (a.name + plan.sets[0].description).split(",")).size() == 0'

function aJudge(budget?: number): Judge {
  const judge = new Judge(budget)
  onTestFinished(() => judge.close())
  return judge
}

describe('an endless rule', () => {
  test('is stopped and named, and the next plan is judged by a new thread', async () => {
    const judge = aJudge(1500)
    const rules = [aRule('fine', 'plan.changes == 0'), aRule('endless', ENDLESS)]
    expect(await judge.check(rules)).toEqual([])
    expect(await judge.judge(rules, MANY, placeOf)).toEqual({
      hits: [],
      errors: [
        {
          severity: 'error',
          code: 'rule-too-expensive',
          message: 'The rule "endless" takes too much time or memory.',
          hint: 'Check fewer objects at once: write `for: set` instead of a loop over `plan.sets`.',
          source,
        },
      ],
    })
    expect(await judge.judge(rules, FEW, placeOf)).toEqual({ hits: [], errors: [] })
  })

  test('is stopped if it uses too much memory', async () => {
    // The longest timer that Node has: only the memory can end this rule, however slow the machine is.
    const judge = aJudge(2 ** 31 - 1)
    const { errors } = await judge.judge([aRule('huge', HUGE)], MANY, placeOf)
    expect(errors.map(({ code, source: at }) => [code, at])).toEqual([['rule-too-expensive', source]])
  })
})

test('a plan for which no rule begins in time names no rule', async () => {
  const { hits, errors } = await aJudge(0).judge([aRule('fine', 'plan.changes == 0')], MANY, placeOf)
  expect([hits, errors]).toEqual([
    [],
    [
      {
        severity: 'error',
        code: 'rule-too-expensive',
        message: 'The plan is too large to be checked against rules, or this machine is too slow.',
        hint: 'Plan fewer sets at once with `--only`.',
        source,
      },
    ],
  ])
})

test('an error has the place of the expression, and the part that is wrong', async () => {
  const rules = [aRule('a', 'plan.changs == 0')]
  expect(await aJudge().check(rules)).toEqual([
    {
      severity: 'error',
      code: 'rule-expression',
      message: 'A Plan has no field "changs", at `plan.changs`.',
      hint: expect.stringContaining('Did you mean "changes"?'),
      source: { path: 'rules/a.yaml', line: 4, column: 14 },
    },
  ])
})

const PLANNED = planned({
  workspaces: [
    { id: 'ws-1', name: 'one', project: 'dev', groups: [] },
    { id: 'ws-2', name: 'two', project: 'prod', groups: [] },
    { id: 'ws-3', groups: [] },
  ],
  groups: [{ workspaces: ['ws-1'] }, { workspaces: ['ws-2', 'ws-3'] }],
  sets: [
    aSet({
      name: 'a',
      workspaces: ['ws-1', 'ws-2'],
      variables: [aVariable({ key: 'A', value: 'x' }), aVariable({ key: 'B', secret: 'B' })],
      deleted: [aVariable({ key: 'C', action: 'delete' })],
    }),
    aSet({ name: 'empty' }),
    aSet({
      name: 'b',
      global: true,
      workspaces: ['ws-2'],
      variables: [aVariable({ set: 'b', key: 'A', category: 'terraform', hcl: true })],
    }),
  ],
  exposures: [
    anExposure({ set: 'b', keys: ['A'], secrets: ['S'], workspaces: ['ws-2'], projects: ['prod'] }),
  ],
  effects: [anEffect({ from: 'a', to: 'b', workspaces: [0, 1], projects: ['dev'], stacks: [], count: 3 })],
})
const JUDGE = new Judge()
afterAll(() => JUDGE.close())
const SOURCE = { path: 'rules/a.yaml', line: 1, column: 1 }

const VARIABLES = ['a env/A', 'a env/B', 'a env/C', 'b terraform/A']
const SETS = ['a', 'empty', 'b']

/** The items that violate a rule. */
test.each([
  ['variable', 'variable.key == "A"', ['a env/B', 'a env/C']],
  ['variable', 'has(variable.value) || set.global', ['a env/B', 'a env/C']],
  ['variable', 'variable["action"] != "delete"', ['a env/C']],
  ['variable', 'dyn(variable).category == "env"', ['b terraform/A']],
  ['variable', 'variable["act" + "ion"] != "delete"', ['a env/C']],
  ['variable', 'variable.key in ["B", "C"] // a "', ['a env/A', 'b terraform/A']],
  ['variable', 'variable.key.matches(r"^[B]\\w*$")', ['a env/A', 'a env/C', 'b terraform/A']],
  ['variable', 'has(variable.value) && variable.category == "env" && set.name == "b"', VARIABLES],
  ['set', 'set.workspaces.all(w, w.project == "prod")', ['a']],
  ['set', 'set.variables.exists(v, v.hcl)', ['a', 'empty']],
  ['set', 'set.deleted.size() == 0', ['a']],
  ['plan', 'plan.sets.all(s, s.variables.size() == 0)', ['the plan']],
  ['plan', 'plan.sets.all(s, s.variables.all(v, v.key != "B"))', ['the plan']],
  ['set', 'set.variables.exists(set, set.key == "A" && set.hcl)', ['a', 'empty']],
  ['set', 'cel.bind(n, set, n.name != "b")', ['b']],
  ['set', '{"a": set}.a.name != "b"', ['b']],
  ['set', '[set][0].name == "b"', ['a', 'empty']],
  ['set', '(set.global ? set : plan.sets[0]).name == "b"', ['a', 'empty']],
  ['set', 'set. // a comment\n name == "b"', ['a', 'empty']],
  ['set', 'set.workspaces.map(w, {"p": w}).all(x, x.p.project == "prod") && set.name != "a"', ['a']],
  ['set', 'set.workspaces.filter(w, has(w.name)).map(w, w).exists(w, w.project == "dev")', ['empty', 'b']],
  ['set', 'size(plan.workspaces) == 2', SETS],
  [
    'variable',
    'dyn(variable)["s" + "ecret"] == "B" || true || false ? has(variable.value) : false',
    VARIABLES.slice(1),
  ],
  ['exposure', 'exposure.kind == "secret" && !set.global && exposure.secrets == ["S"]', ['b']],
  [
    'exposure',
    'exposure.secrets == ["S"] && exposure.workspaces.all(w, w.name == "two") && !set.global',
    ['b'],
  ],
  // A group stands for its workspaces.
  [
    'effect',
    'effect.workspaces.exists(w, w.id == "ws-1") && effect.workspaces.size() != effect.count',
    ['b env/A'],
  ],
  ['effect', 'effect.workspaces.filter(w, has(w.name)).size() == 3', ['b env/A']],
  ['effect', 'has(effect.from) && [effect].exists(e, e.count == 2)', ['b env/A']],
  ['effect', 'plan.groups[1].workspaces.size() == 1', ['b env/A']],
] as const)('a rule has the same hits in its thread: %s %s', async (subject, require, expected) => {
  const rules = [{ for: subject, require }]
  const direct = evaluateRules(rules, PLANNED)
  expect(direct.mistakes).toEqual([])
  const named = direct.hits.map(({ item: { set, key } }) =>
    [set ?? 'the plan', ...(key === undefined ? [] : [key])].join(' '),
  )
  expect(named).toEqual(expected)
  const rule = {
    id: 'a',
    for: subject,
    require: { text: require, source: SOURCE },
    message: '',
    level: 'error',
    source: SOURCE,
  } as const
  const { hits, errors } = await JUDGE.judge([rule], PLANNED, () => undefined)
  const inOrder = (found: readonly { readonly item: unknown }[]) =>
    found.map(({ item }) => JSON.stringify(item)).toSorted()
  expect([inOrder(hits), errors]).toEqual([inOrder(direct.hits), []])
})

test('hits are in the order of levels, rules, sets and keys, and one of the files and of the base counts once, as the stricter', async () => {
  const rule = (id: string, level: Rule['level'], require: string): Rule => ({
    ...aRule(id, require),
    for: 'variable',
    level,
  })
  const rules = [
    rule('z', 'warn', 'variable.key == "A"'),
    rule('b', 'warn', 'false'),
    rule('b', 'block', 'variable.key == "A"'),
    rule('b', 'warn', 'false'),
    rule('a', 'error', 'false'),
  ]
  const sets = ['b', 'a'].map(name =>
    aSet({ name, variables: ['B', 'A'].map(key => aVariable({ set: name, key })) }),
  )
  const { hits } = await JUDGE.judge(rules, planned({ sets }), placeOf)
  expect(hits.map(({ level, rule, item }) => `${level} ${rule} ${item.set} ${item.key}`)).toEqual([
    'error a a env/A',
    'error a a env/B',
    'error a b env/A',
    'error a b env/B',
    'block b a env/B',
    'block b b env/B',
    'warn b a env/A',
    'warn b b env/A',
    'warn z a env/B',
    'warn z b env/B',
  ])
})

test('a rule that the files weaken keeps the level of the base, and one that they remove or change stays in force', () => {
  const weak = { ...aRule('a', 'true'), level: 'warn' } as const
  const strict = { ...aRule('a', 'true'), level: 'block' } as const
  const levels = (head: readonly Rule[], base: readonly Rule[]) =>
    rulesInForce(head, base).map(({ id, level, require }) => `${id} ${level} ${require.text}`)
  expect(levels([weak], [strict])).toEqual(['a block true'])
  expect(levels([strict], [weak])).toEqual(['a block true'])
  expect(levels([], [strict])).toEqual(['a block true'])
  expect(levels([aRule('a', 'false')], [weak])).toEqual(['a block false', 'a warn true'])
})

test('an exposure is of the new set, if a deleted one has its name', () => {
  const sets = (['create', 'delete'] as const).map(action => aSet({ name: 'a', action }))
  const rules = [{ for: 'exposure', require: 'set.action == "create"' }] as const
  expect(evaluateRules(rules, planned({ sets, exposures: [anExposure({})] })).hits).toEqual([])
})

test.each([
  [
    'effect',
    'effect.workspaces.all(w, w.project != "test")',
    'This Workspace has no "project", at `w.project`.',
  ],
  ['effect', 'effect.workspaces.all(w, w.name != "test")', 'This Workspace has no "name", at `w.name`.'],
  ['set', 'set.project != "test"', 'This Set has no "project", at `set.project`.'],
  ['variable', 'dyn(variable).json == 1', 'There is no "json" here, at `dyn(variable).json`.'],
  ['variable', 'dyn(variable).facts == 1', 'There is no "facts" here, at `dyn(variable).facts`.'],
  [
    'variable',
    'dyn(variable)["constructor"] == 1',
    'There is no "constructor" here, at `dyn(variable)["constructor"]`.',
  ],
] as const)('asking for what is not there is an error and no result: %s %s', (subject, require, said) => {
  const { hits, mistakes } = evaluateRules([{ for: subject, require }], PLANNED)
  expect([hits, mistakes.map(({ message }) => message)]).toEqual([[], [said]])
})
