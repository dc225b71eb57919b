import { afterAll, expect, onTestFinished, test } from 'vitest'
import { evaluateRules } from '../../src/rules/engine/evaluate.ts'
import { RuleSession } from '../../src/rules/judge.ts'
import type { Facts } from '../../src/rules/table.ts'
import { aSet, aVariable, factsWith } from './facts.ts'

const ONE = { name: 'one', id: 'ws-1', project: 'dev' }
const TWO = { name: 'two', id: 'ws-2', project: 'prod' }

const GIVEN = {
  sets: [
    aSet({
      name: 'a',
      workspaces: [ONE, TWO],
      variables: [aVariable({ key: 'A', value: 'x' }), aVariable({ key: 'B', secret: 'B' })],
      deleted: [aVariable({ key: 'C', action: 'delete' })],
    }),
    aSet({ name: 'empty' }),
    aSet({
      name: 'b',
      global: true,
      workspaces: [TWO],
      variables: [aVariable({ set: 'b', key: 'A', category: 'terraform', hcl: true })],
    }),
  ],
  exposures: [
    {
      kind: 'secret',
      set: 'b',
      keys: ['A'],
      everywhere: false,
      workspaces: [TWO],
      projects: ['prod'],
      stacks: [],
    },
  ],
  effects: [
    {
      kind: 'changed',
      key: 'A',
      category: 'env',
      from: 'a',
      to: 'b',
      workspaces: [ONE],
      projects: ['dev'],
      stacks: [],
      count: 1,
      everywhere: false,
    },
  ],
}
const FACTS = factsWith(GIVEN)
const SESSION = new RuleSession()
afterAll(() => SESSION.close())

test.each([
  ['variable', 'variable.key == "A"'],
  ['variable', 'has(variable.value) || set.global'],
  ['variable', 'variable["action"] != "delete"'],
  ['variable', 'dyn(variable).category == "env"'],
  ['variable', 'variable["act" + "ion"] != "delete"'],
  ['variable', 'variable.key in ["B", "C"] // a "'],
  ['variable', 'variable.key.matches(r"^[B]\\w*$") || has(variable.value) && variable.value == "x[1]"'],
  ['variable', 'has(variable.value) && variable.category == "env" && set.name == "b"'],
  ['variable', 'variable.key == "A" && variable.category == "env"'],
  ['set', 'set.workspaces.all(w, w.project == "prod")'],
  ['set', 'set.variables.exists(v, v.hcl)'],
  ['set', 'set.deleted.size() == 0'],
  ['plan', 'plan.sets.all(s, s.variables.size() == 0)'],
  ['effect', 'effect.workspaces.exists(w, w.name == "two")'],
  ['effect', 'effect.from == "a" && effect.count == 2'],
  ['plan', 'plan.sets.all(s, s.variables.all(v, v.key != "B"))'],
  ['set', 'set.variables.exists(set, set.key == "A" && set.hcl)'],
  ['set', 'cel.bind(n, set, n.name != "b")'],
  ['set', '{"a": set}.a.name != "b"'],
  ['set', '[set][0].name == "b"'],
  ['set', '(set.global ? set : plan.sets[0]).name == "b"'],
  ['set', 'set. // a comment\n name == "b"'],
  ['set', 'set.workspaces.map(w, {"p": w}).all(x, x.p.project == "prod") && set.name != "a"'],
  ['set', 'set.workspaces.filter(w, has(w.name)).map(w, w).exists(w, w.project == "dev")'],
  ['variable', 'has(variable.secret) && r"x[1]" != "\\x5b" && """ " """ != \'\'\'"\'\'\' && variable.hcl'],
  ['variable', 'dyn(variable)["s" + "ecret"] == "B" || true || false ? has(variable.value) : false'],
  ['exposure', 'exposure.kind == "secret" && !set.global'],
  ['effect', 'has(effect.from) && [effect].exists(e, e.count == 2)'],
] as const)(
  'a rule gives the same result in its thread, which fetches columns: %s %s',
  async (subject, require) => {
    const rules = [{ for: subject, require }]
    const direct = evaluateRules(rules, FACTS)
    expect(direct.mistakes).toEqual([])
    expect(direct.hits.length).toBeGreaterThan(0)
    expect(await SESSION.evaluate(rules, FACTS)).toEqual(direct)
  },
)

test('only the columns that rules read are fetched, and each once', async () => {
  const fetched: string[] = []
  const facts: Facts = name => ({
    size: FACTS(name).size,
    column: field => {
      fetched.push(`${name}.${field}`)
      return FACTS(name).column(field)
    },
  })
  await SESSION.evaluate(
    [
      { for: 'variable', when: 'variable.key == "A"', require: 'variable.category == "env"' },
      { for: 'variable', when: 'variable.key == "Z"', require: 'variable.hcl' },
      { for: 'exposure', require: 'exposure.kind == "secret" && !set.global' },
    ],
    facts,
  )
  expect(fetched).toEqual([
    'Variable.key',
    'Variable.category',
    'Exposure.kind',
    'Set.name',
    'Exposure.set',
    'Set.global',
  ])
})

test('an evaluation ends if its facts cannot be read', async () => {
  const session = new RuleSession()
  onTestFinished(() => session.close())
  const facts: Facts = () => {
    throw new Error('no facts')
  }
  await expect(session.evaluate([{ for: 'set', require: 'set.global' }], facts)).rejects.toThrow('no facts')
})

test.each([
  ['variable.key == "A" && variable.category == "env"', undefined, [1, 2, 3]],
  ['variable.key != "A"', 'variable.action != "delete"', [0, 3]],
  ['variable.category == "env" && set.name == "b"', undefined, [0, 1, 2, 3]],
  ['set.name == "a"', 'variable.key == "A"', [3]],
] as const)(
  'results are shared only by items that are equal in the fields that a rule reads: %s',
  (require, when, expected) => {
    const { hits } = evaluateRules([{ for: 'variable', when, require }], FACTS)
    expect(hits.map(({ item }) => item)).toEqual(expected)
  },
)
