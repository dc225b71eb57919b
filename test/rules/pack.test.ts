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
