import { Ajv2020, type AnySchemaObject, type ValidateFunction } from 'ajv/dist/2020.js'
import standaloneCode from 'ajv/dist/standalone/index.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { looksLikeSecret } from '../../src/config/lint.ts'
import { toJson } from '../../src/model/json.ts'
import { createPlan } from '../../src/plan/create.ts'
import { matchStates } from '../../src/plan/match-states.ts'
import type { Plan } from '../../src/plan/plan-data.ts'
import { plannedOf } from '../../src/plan/planned.ts'
import { savedPlan } from '../../src/plan/reviewed-plan.ts'
import { snapshotOf } from '../../src/plan/snapshot.ts'
import { validationOf } from '../../src/report/diagnostics.ts'
import { renderers } from '../../src/report/index.ts'
import { REPORT_FORMAT } from '../../src/report/json-report.ts'
import { pairOfStates } from '../support/arbitrary.ts'
import { OPTIONS } from '../support/plans.ts'
import { publishedSchema } from '../support/published.ts'
import { aPlan, aResult } from './build.ts'
import { hostileTexts, planWith, resultWith } from './hostile.ts'
import { RICH } from './rich.ts'

const PLAN = publishedSchema('plan')
const REPORT = publishedSchema('report')

/** The schema of reports allows additional members. Here it does not, so that it must name all members of our reports. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== 'object' || schema === null) return schema
  const members = Object.entries(schema).map(([key, member]) => [
    key,
    key === 'examples' ? member : closed(member),
  ])
  return {
    ...('properties' in schema ? { additionalProperties: false } : {}),
    ...Object.fromEntries(members),
  }
}

const compiled = (schema: AnySchemaObject): ValidateFunction => new Ajv2020({ strict: true }).compile(schema)
const isPlan = compiled(PLAN)
const SEVERAL = publishedSchema('several')
const isReport = compiled(REPORT)
const isSeveral = new Ajv2020({ strict: true })
  .addSchema([REPORT, publishedSchema('failure'), publishedSchema('validation')])
  .compile(SEVERAL)
const isSnapshot = compiled(publishedSchema('snapshot'))
const isExactReport = compiled(closed(REPORT) as AnySchemaObject)

const problems = (validate: ValidateFunction, text: string): unknown => {
  validate(JSON.parse(text))
  return validate.errors
}

const RESULTS = [
  aResult(RICH, {}),
  aResult(
    RICH,
    {
      'update-set proxy': { status: 'failed', message: '422' },
      'create-set aws-dev': { status: 'unknown', message: 'lost' },
      'delete-set legacy-x': { status: 'skipped', because: 'stopped' },
      'update-set platform-common': { status: 'succeeded', note: 'found' },
    },
    {
      exitCode: 3,
      stopped: 'it was',
      closing: { state: 'differs', remaining: aPlan(RICH.steps.slice(0, 9)) },
    },
  ),
  aResult(RICH, {}, { exitCode: 3, closing: { state: 'unread', message: 'timeout' } }),
  aResult(aPlan([]), {}, { closing: { state: 'not-needed' } }),
]

describe('the schema of saved plans', () => {
  test('accepts every saved plan', () => {
    for (const plan of [RICH, aPlan([]), withoutOwner(RICH)])
      expect(problems(isPlan, savedPlan(plan))).toBeNull()
    fc.assert(
      fc.property(hostileTexts, texts => {
        expect(problems(isPlan, savedPlan(planWith(texts)))).toBeNull()
      }),
      { seed: 20_251, numRuns: 50 },
    )
  })

  test('rejects a plan with a missing or unknown member', () => {
    const whole: Record<string, unknown> = JSON.parse(savedPlan(withoutOwner(RICH)))
    for (const key of Object.keys(whole)) {
      const { [key]: _, ...rest } = whole
      expect([key, isPlan(rest)]).toEqual([key, false])
    }
    expect(isPlan({ ...whole, token: 'x' })).toBe(false)
  })

  test('rejects the text of a secret, and malformed ids', () => {
    const text = savedPlan(RICH)
    expect(isPlan(JSON.parse(text.replace('"name": "AWS_SECRET_ACCESS_KEY"', '"text": "x"')))).toBe(false)
    expect(isPlan(JSON.parse(text.replace('"varset-', '"../varset-')))).toBe(false)
    expect(isPlan(JSON.parse(text.replace('"ws-', '"; rm ws-')))).toBe(false)
    expect(isPlan(JSON.parse(text.replace('"st-', '"; rm st-')))).toBe(false)
  })
})

describe('the schema of reports', () => {
  test('names every member of every report', () => {
    const reports = [
      renderers.json({ kind: 'plan', plan: RICH }),
      renderers.json({ kind: 'drift', plan: RICH }),
      renderers.json({ kind: 'plan', plan: withoutOwner(RICH) }),
      ...RESULTS.map(result => renderers.json({ kind: 'apply', result })),
    ]
    for (const report of reports) {
      expect(problems(isReport, report)).toBeNull()
      expect(problems(isExactReport, report)).toBeNull()
    }
    fc.assert(
      fc.property(hostileTexts, texts => {
        expect(problems(isExactReport, renderers.json({ kind: 'plan', plan: planWith(texts) }))).toBeNull()
        expect(
          problems(isExactReport, renderers.json({ kind: 'apply', result: resultWith(texts) })),
        ).toBeNull()
      }),
      { seed: 20_251, numRuns: 50 },
    )
  })
})

/** A new operation, or a new member of a set, must be in each schema. */
test('random plans, their reports and snapshots of the service match their schemas', () => {
  fc.assert(
    fc.property(pairOfStates, ({ desired, observed }) => {
      const options = { ...OPTIONS, looksSecret: looksLikeSecret }
      const { value: plan, secrecy } = createPlan(desired, observed, options)
      fc.pre(plan !== undefined && secrecy !== undefined)
      expect(problems(isPlan, savedPlan(plan))).toBeNull()
      const { match } = matchStates(desired, observed, [])
      const planned = () => plannedOf(plan, match, { names: {}, projectOf: {} }, secrecy)
      expect(problems(isExactReport, renderers.json({ kind: 'plan', plan, planned }))).toBeNull()
      const taken = { address: plan.address, takenAt: '2026-11-22T12:00:00Z', directory: desired.directory }
      expect(problems(isSnapshot, toJson(snapshotOf(desired, observed, match, taken)))).toBeNull()
    }),
    { seed: 20_251, numRuns: 200 },
  )
})

describe.each([
  ['plan', PLAN],
  ['report', REPORT],
])('%s.schema.json', (_, schema) => {
  test('accepts its examples', () => {
    const validate = compiled(schema)
    const examples: readonly unknown[] = schema.examples
    expect(examples.length).toBeGreaterThan(0)
    for (const example of examples) expect([validate(example), validate.errors]).toEqual([true, null])
  })

  test('compiles to code that imports no package', () => {
    const ajv = new Ajv2020({ strict: true, allErrors: true, code: { source: true, esm: true } })
    const code = standaloneCode.default(ajv, ajv.compile(schema))
    expect(code).not.toMatch(/\brequire\(|^import /m)
  })
})

function withoutOwner(plan: Plan): Plan {
  const { owner: _, ...rest } = plan
  return rest
}

test('reports of several organizations match their schema', () => {
  const parts = [
    { configuration: 'a', code: 2, report: { kind: 'drift', plan: RICH } },
    { configuration: 'b', code: 3, report: { kind: 'apply', result: aResult(RICH, {}) } },
    { configuration: 'c', code: 1 },
    { configuration: 'd' },
    { configuration: 'e', code: 1, validation: validationOf(undefined, []) },
  ] as const
  const text = renderers.json({ kind: 'several', parts })
  expect(problems(isSeveral, text)).toBeNull()
  const { parts: told } = JSON.parse(text)
  expect(told[0].report).toEqual(JSON.parse(renderers.json({ kind: 'drift', plan: RICH })))
  expect(told.slice(2, 4)).toEqual([{ configuration: 'c', exitCode: 1 }, { configuration: 'd' }])
  expect(told[4].validation).toEqual({ format: '1.0', kind: 'validation', valid: false, diagnostics: [] })
  // The report of each part is validated too.
  expect(problems(isSeveral, text.replace('"kind": "drift"', '"kind": "other"'))).not.toBeNull()
})

/** Members that readers of version 1 rely on. You may add lines; to remove or change one means version 2. */
const PROMISED = {
  report: {
    required: [
      'format',
      'kind',
      'organization',
      'address',
      'only',
      'steps',
      'summary',
      'requests',
      'blocks',
      'blocked',
      'diagnostics',
      'facts',
      'names',
    ],
    optional: ['owner', 'digest', 'results', 'closing', 'inventory', 'stopped', 'exitCode'],
  },
} as const

describe.each([['report', REPORT_FORMAT]] as const)('the format of the %s', (name, format) => {
  const schema = publishedSchema(name)
  const major = format.split('.')[0]

  test('has one major version, in its data, its schema and the id of the schema', () => {
    expect(schema.$id).toBe(`urn:setpoint:schema:${name}:${major}`)
    expect(schema.properties.format?.pattern).toBe(`^${major}\\.[0-9]+$`)
    expect(format).toMatch(new RegExp(schema.properties.format?.pattern ?? '(?!)'))
  })

  test('keeps the members of this major version, and allows new ones', () => {
    expect(schema.required).toEqual(expect.arrayContaining([...PROMISED[name].required]))
    expect(Object.keys(schema.properties)).toEqual(
      expect.arrayContaining([...PROMISED[name].required, ...PROMISED[name].optional]),
    )
    expect(schema.additionalProperties).not.toBe(false)
  })
})

test('a report carries its version', () => {
  expect(JSON.parse(renderers.json({ kind: 'plan', plan: RICH }))).toMatchObject({ format: REPORT_FORMAT })
})
