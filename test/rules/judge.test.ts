import { describe, expect, onTestFinished, test } from 'vitest'
import type { Rule } from '../../src/model/rule.ts'
import { Judge } from '../../src/rules/judge.ts'
import { aSet, planned } from './facts.ts'

const source = { path: 'rules/a.yaml', line: 2, column: 3 }

const aRule = (id: string, require: string): Rule => ({
  id,
  for: 'plan',
  require: { text: require, pieces: [{ offset: 0, line: 4, column: 14 }] },
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

test('an error has its place in the expression', async () => {
  const rules = [aRule('a', 'plan.changs == 0')]
  expect(await aJudge().check(rules)).toEqual([
    {
      severity: 'error',
      code: 'rule-expression',
      message: 'A Plan has no field "changs".',
      hint: expect.stringContaining('Did you mean "changes"?'),
      source: { path: 'rules/a.yaml', line: 4, column: 19 },
    },
  ])
})
