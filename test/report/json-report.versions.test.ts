import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { renderers } from '../../src/report/index.ts'
import { REPORT_FORMAT } from '../../src/report/json-report.ts'
import { EVENT_FORMAT } from '../../src/run/commands/apply-approved.ts'
import { RICH } from './rich.ts'

interface Schema {
  readonly $id: string
  readonly required: readonly string[]
  readonly properties: Readonly<Record<string, { readonly type?: string; readonly pattern?: string }>>
  readonly additionalProperties?: boolean
}
const read = (name: string): Schema =>
  JSON.parse(readFileSync(join(import.meta.dirname, `../../schemas/${name}.schema.json`), 'utf8'))

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
  event: {
    required: ['format', 'time', 'event', 'requests'],
    optional: [
      'organization',
      'address',
      'owner',
      'digest',
      'steps',
      'step',
      'outcome',
      'exitCode',
      'closing',
      'outcomes',
    ],
  },
} as const

describe.each([
  ['report', REPORT_FORMAT],
  ['event', EVENT_FORMAT],
] as const)('the format of the %s', (name, format) => {
  const schema = read(name)
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
