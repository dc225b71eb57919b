import { expect, test } from 'vitest'
import { evaluateRules } from '../../src/rules/engine/evaluate.ts'
import { askedFields, packed, unpacked } from '../../src/rules/pack.ts'
import { aSet, aVariable, factsWith } from './facts.ts'

const ONE = { name: 'one', id: 'ws-1', project: 'dev' }
const TWO = { name: 'two', id: 'ws-2', project: 'prod' }

const FACTS = factsWith({
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
})

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
  ['effect', 'effect.workspaces.exists(w, w.name == "two")'],
  ['effect', 'effect.from == "a" && effect.count == 2'],
  ['plan', 'plan.sets.all(s, s.variables.all(v, v.key != "B"))'],
] as const)('what travels is what the rule asks for: %s %s', (subject, require) => {
  const rules = [{ for: subject, require }]
  const direct = evaluateRules(rules, FACTS)
  expect(direct.mistakes).toEqual([])
  expect(direct.hits.length).toBeGreaterThan(0)
  const travelled = structuredClone(packed(FACTS, askedFields(rules)))
  expect(evaluateRules(rules, unpacked(travelled))).toEqual(direct)
})

test('a field that nobody asks for stays', () => {
  const { columns, workspaces, sets } = packed(
    FACTS,
    askedFields([{ for: 'variable', require: 'variable.hcl' }]),
  )
  expect([[...columns.keys()], workspaces, sets[0]]).toEqual([['hcl'], [], { name: 'a' }])
})

test('a pattern or a list does not ask for every field, and equal variables travel once', () => {
  const { columns, rows } = packed(
    FACTS,
    askedFields([
      {
        for: 'variable',
        when: 'variable.category in ["env"]',
        require: '!variable.category.matches("a[a-z]")',
      },
      { for: 'effect', require: 'effect.key == "A" && effect.after != "dyn(x)"' },
    ]),
  )
  expect([[...columns], [...rows]]).toEqual([[['category', ['env', 'terraform']]], [0, 0, 0, 1]])
})

test.each([
  ['variable.key == "A" && variable.category == "env"', undefined, [1, 2, 3]],
  ['variable.key != "A"', 'variable.action != "delete"', [0, 3]],
  ['variable.category == "env" && set.name == "b"', undefined, [0, 1, 2, 3]],
  ['set.name == "a"', 'variable.key == "A"', [3]],
] as const)(
  'a result counts only for items that are equal in what it reads: %s',
  (require, when, expected) => {
    const { hits } = evaluateRules([{ for: 'variable', when, require }], FACTS)
    expect(hits.map(({ item }) => item)).toEqual(expected)
  },
)
