import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exportFromState, type StateExport } from '../../src/export/from-state.ts'
import { exportText } from '../../src/export/new-files.ts'
import { readState } from '../../src/export/state-json.ts'
import { leavingTerraform } from '../../src/export/state-leaving.ts'
import { Redactor } from '../../src/model/secret.ts'
import { aSetObject, aVariableObject, SET_ID, stateFile } from './state.ts'

const EXAMPLE = resolve(import.meta.dirname, '../../examples/07-from-terraform/terraform.tfstate')
const SHOWN = resolve(import.meta.dirname, 'fixtures/show.json')
const REQUEST = { only: [], owns: [], known: new Redactor() }

function exported(text: string): StateExport {
  const { value, diagnostics } = readState(text)
  if (value === undefined) throw new Error(JSON.stringify(diagnostics))
  return exportFromState(value, REQUEST)
}

test('a state file and the output of `show -json` give the same files and the same steps out of Terraform', () => {
  const raw = exported(readFileSync(EXAMPLE, 'utf8'))
  const shown = exported(readFileSync(SHOWN, 'utf8'))
  expect(exportText(shown.sets, '')).toBe(exportText(raw.sets, ''))
  expect(leavingTerraform(shown.leaving, shown.staying)).toEqual(leavingTerraform(raw.leaving, raw.staying))
  expect([raw.diagnostics, shown.diagnostics]).toEqual([[], []])
})

describe('a file that is not a readable state is an error that says what it is', () => {
  test.each([
    [
      'truncated',
      stateFile({ type: 'tfe_variable_set', instances: [aSetObject()] }).slice(0, -20),
      'not JSON',
    ],
    ['empty', '', 'not JSON'],
    [
      'encrypted',
      '{"serial":1,"lineage":"x","meta":{},"encrypted_data":"x","encryption_version":"v0"}',
      'encrypted',
    ],
    ['a plan', '{"format_version":"1.2","planned_values":{},"resource_changes":[]}', 'a plan'],
    ['of version 3', '{"version":3,"modules":[]}', 'version 3'],
    ['of a later format', '{"format_version":"2.0","values":{}}', 'unknown version'],
    ['another document', '{"hello":1}', 'not a Terraform state'],
    ['a list', '[1]', 'not JSON'],
  ])('%s', (_, text, words) => {
    const { value, diagnostics } = readState(text)
    expect(value).toBeUndefined()
    expect(diagnostics).toEqual([
      expect.objectContaining({
        severity: 'error',
        code: 'state-format',
        message: expect.stringContaining(words),
      }),
    ])
  })

  test('except for an empty state, which has no objects', () => {
    expect(readState('{"format_version":"1.0"}')).toEqual({ value: [], diagnostics: [] })
    expect(readState(stateFile())).toEqual({ value: [], diagnostics: [] })
  })
})

test('unexpected JSON inside a state never throws, and no address injects text into the printed commands', () => {
  const hostile = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('__proto__', 'module.a\n}', "x' y", 'tfe_variable', '{"a":1}', SET_ID),
  )
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          module: hostile,
          mode: fc.oneof(fc.constant('managed'), hostile),
          type: fc.constantFrom(
            'tfe_variable_set',
            'tfe_variable',
            'tfe_workspace_variable_set',
            'tfe_x; rm',
          ),
          name: fc.oneof(fc.constant('this'), hostile),
          instances: fc.array(
            fc.record({
              index_key: hostile,
              attributes: fc.oneof(
                hostile,
                fc.record({
                  id: hostile,
                  name: hostile,
                  key: hostile,
                  variable_set_id: hostile,
                  workspace_ids: hostile,
                }),
                fc.constant(aSetObject()),
                fc.constant(aVariableObject()),
              ),
            }),
          ),
        }),
      ),
      resources => {
        const { value = [] } = readState(JSON.stringify({ version: 4, resources }))
        const result = exportFromState(value, REQUEST)
        const { removed, first, instead, data } = leavingTerraform(result.leaving, result.staying)
        expect(
          data.replace(
            /^data "tfe_variable_set" "[\w-]+" \{\n(?: {2}\w+ += "(?:[^"\\\n]|\\.)*"\n)*\}\n$/,
            '',
          ),
        ).toBe('')
        expect(
          removed.replace(
            /removed \{\n {2}from = [\w.-]+\n\n {2}lifecycle \{\n {4}destroy = false\n {2}\}\n\}\n\n?/g,
            '',
          ),
        ).toBe('')
        const rest = `${first}${instead}`
          .replace(/^terraform state mv (?:'[^'\n]*'|\\')+ (?:'[^'\n]*'|\\')+\n/gm, '')
          .replace(/^terraform state rm \\\n|^ {2}(?:'[^'\n]*'|\\')+(?: \\)?\n/gm, '')
        expect(rest).toBe('')
      },
    ),
    { numRuns: 200, seed: 5 },
  )
})
