import { afterAll, expect, test } from 'vitest'
import { evaluateRules } from '../../src/rules/engine/evaluate.ts'
import { Judge } from '../../src/rules/judge.ts'
import { anEffect, anExposure, aSet, aVariable, planned } from './facts.ts'

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
  const pieces = [{ offset: 0, line: 1, column: 1 }]
  const rule = {
    id: 'a',
    for: subject,
    require: { text: require, pieces },
    message: '',
    level: 'error',
    source: SOURCE,
  } as const
  const { hits, errors } = await JUDGE.judge([rule], PLANNED, () => undefined)
  const inOrder = (found: readonly { readonly item: unknown }[]) =>
    found.map(({ item }) => JSON.stringify(item)).toSorted()
  expect([inOrder(hits), errors]).toEqual([inOrder(direct.hits), []])
})

test.each([
  ['effect', 'effect.workspaces.all(w, w.project != "test")', 'This Workspace has no "project".'],
  ['effect', 'effect.workspaces.all(w, w.name != "test")', 'This Workspace has no "name".'],
  ['set', 'set.project != "test"', 'This Set has no "project".'],
  ['variable', 'dyn(variable).json == 1', 'There is no "json" here.'],
  ['variable', 'dyn(variable).facts == 1', 'There is no "facts" here.'],
  ['variable', 'dyn(variable)["constructor"] == 1', 'There is no "constructor" here.'],
] as const)('asking for what is not there is an error and no result: %s %s', (subject, require, said) => {
  const { hits, mistakes } = evaluateRules([{ for: subject, require }], PLANNED)
  expect([hits, mistakes.map(({ message }) => message)]).toEqual([[], [said]])
})
