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
const OTHER = 'varset-AAAAAAAAAAAAAAA2'
const REQUEST = { only: [], owns: [], known: new Redactor() }

function exported(text: string, request: object = {}): StateExport {
  const { value, diagnostics } = readState(text)
  if (value === undefined) throw new Error(JSON.stringify(diagnostics))
  return exportFromState(value, { ...REQUEST, ...request })
}

const yamlOf = (text: string): string => exportText(exported(text).sets, '').split('\n').slice(1).join('\n')
const reported = ({ diagnostics }: StateExport): string[] =>
  diagnostics.map(({ severity, code, message }) => `${severity} ${code} ${message}`)

test('a state file and the output of `show -json` give the same files and the same steps out of Terraform', () => {
  const raw = exported(readFileSync(EXAMPLE, 'utf8'))
  const shown = exported(readFileSync(SHOWN, 'utf8'))
  expect(exportText(shown.sets, '')).toBe(exportText(raw.sets, ''))
  expect(leavingTerraform(shown.leaving, shown.staying)).toEqual(leavingTerraform(raw.leaving, raw.staying))
  expect([raw.diagnostics, shown.diagnostics]).toEqual([[], []])
})

test('sets with the same name and different owners get different keys and keep their assignments', () => {
  const text = stateFile({
    type: 'tfe_variable_set',
    instances: [
      aSetObject({ workspace_ids: undefined }),
      aSetObject({ id: 'varset-AAAAAAAAAAAAAAA2', parent_project_id: 'prj-AAAAAAAAAAAAAAA1' }),
    ],
  })
  expect(yamlOf(text)).toBe(`variableSets:
  aws: {}
  aws-prj-AAAAAAAAAAAAAAA1:
    name: aws
    project: prj-AAAAAAAAAAAAAAA1
    workspaces: []
`)
})

describe('secrets', () => {
  const CANARY = 'canary-3b1f-in-clear-text'
  const sensitive = (key: string, value: string | null, n: number, set = SET_ID) =>
    aVariableObject({ key, value, sensitive: true, id: `var-AAAAAAAAAAAAAAA${n}`, variable_set_id: set })
  const other = 'varset-AAAAAAAAAAAAAAA2'
  const twoSets = [aSetObject({ name: 'prod' }), aSetObject({ name: 'staging', id: other })]

  test('are never copied, wherever the state has them', () => {
    const text = stateFile(
      { type: 'tfe_variable_set', instances: [aSetObject()] },
      {
        type: 'tfe_variable',
        instances: [
          aVariableObject({
            key: 'S',
            value: CANARY,
            value_wo: CANARY,
            readable_value: CANARY,
            sensitive: true,
          }),
          // Without an id it cannot be exported, which is reported.
          aVariableObject({ key: 'T', value: CANARY, sensitive: true, id: null }),
          aVariableObject({ key: 'U', value: CANARY, sensitive: true, variable_set_id: other }),
          aVariableObject({ key: 'V', value: CANARY, value_wo_version: 1, id: 'var-AAAAAAAAAAAAAAA4' }),
        ],
      },
    )
    const result = exported(text, { only: ['aws'] })
    const everything = JSON.stringify([
      exportText(result.sets, ''),
      result.sets,
      result.secrets,
      result.diagnostics,
      leavingTerraform(result.leaving, result.staying),
    ])
    expect(everything).not.toContain('canary')
    expect(result.secrets).toMatchObject([{ name: 'S', uses: [{ set: 'aws', key: 'env/S' }] }])
  })

  test.each([
    ['one name if all values are known to be equal', ['x', 'x'], ['DB_PASSWORD', 'DB_PASSWORD']],
    [
      'the name of the set as a prefix if they differ',
      ['x', 'y'],
      ['PROD_DB_PASSWORD', 'STAGING_DB_PASSWORD'],
    ],
    ['the same prefix if one value is unknown', ['x', null], ['PROD_DB_PASSWORD', 'STAGING_DB_PASSWORD']],
    [
      'the same prefix if the values are empty, as after an import',
      ['', ''],
      ['PROD_DB_PASSWORD', 'STAGING_DB_PASSWORD'],
    ],
  ])('get %s', (_, [first = null, second = null], names) => {
    const { sets } = exported(
      stateFile(
        { type: 'tfe_variable_set', instances: twoSets },
        {
          type: 'tfe_variable',
          instances: [sensitive('db-password', first, 1), sensitive('db_password', second, 2, other)],
        },
      ),
    )
    expect(sets.flatMap(set => set.variables.map(({ value }) => value))).toEqual(
      names.map(name => ({ secret: { name } })),
    )
  })

  test('of sensitive HCL get `hcl: true`, without which a plan would replace the variable', () => {
    const result = exported(
      stateFile(
        { type: 'tfe_variable_set', instances: [aSetObject()] },
        {
          type: 'tfe_variable',
          instances: [aVariableObject({ category: 'terraform', hcl: true, sensitive: true, value: '[1]' })],
        },
      ),
    )
    expect(exportText(result.sets, '')).toContain('A:\n        secret: A\n        hcl: true\n')
    expect(reported(result)).toEqual([])
  })
})

test('owners and assignments are read from all kinds of resources, and missing ones are not managed', () => {
  const ws = (n: number) => `ws-AAAAAAAAAAAAAAA${n}`
  const st = (n: number) => `st-AAAAAAAAAAAAAAA${n}`
  const other = 'varset-AAAAAAAAAAAAAAA2'
  expect(
    yamlOf(
      stateFile(
        {
          type: 'tfe_variable_set',
          instances: [
            aSetObject({ workspace_ids: [ws(2)], stack_ids: [st(2)] }),
            aSetObject({ name: 'b', id: other, parent_project_id: 'prj-AAAAAAAAAAAAAAA2' }),
          ],
        },
        {
          type: 'tfe_workspace_variable_set',
          instances: new Map([
            [0, { id: 'x', variable_set_id: SET_ID, workspace_id: ws(1) }],
            [1, { id: 'y', variable_set_id: SET_ID, workspace_id: ws(2) }],
          ]),
        },
        {
          type: 'tfe_project_variable_set',
          instances: [{ id: 'z', variable_set_id: SET_ID, project_id: 'prj-AAAAAAAAAAAAAAA1' }],
        },
        {
          type: 'tfe_stack_variable_set',
          instances: [{ id: 's', variable_set_id: SET_ID, stack_id: st(1) }],
        },
        { type: 'tfe_workspace', instances: [{ id: ws(1), name: 'web', organization: 'acme' }] },
        { type: 'tfe_stack', instances: [{ id: st(1), name: 'network' }] },
        { type: 'tfe_project', instances: [{ id: 'prj-AAAAAAAAAAAAAAA2', name: 'platform' }] },
      ),
    ),
  ).toBe(`variableSets:
  aws:
    workspaces:
      - web
      - ${ws(2)}
    projects:
      - prj-AAAAAAAAAAAAAAA1
    stacks:
      - network
      - ${st(2)}
  b:
    project: platform
    workspaces: []
`)
})

describe('a state that has only parts of a set', () => {
  const parts = [
    { type: 'tfe_variable_set', instances: [aSetObject()] },
    {
      type: 'tfe_variable',
      instances: new Map([['x', aVariableObject({ variable_set_id: OTHER })]]),
    },
    {
      type: 'tfe_workspace_variable_set',
      instances: [{ id: 'w', variable_set_id: OTHER, workspace_id: 'ws-AAAAAAAAAAAAAAA1' }],
    },
    {
      type: 'tfe_variable',
      name: 'own',
      instances: [aVariableObject({ variable_set_id: null, workspace_id: 'ws-1' })],
    },
  ]

  test('is an error that names each part, because Terraform would go on managing them', () => {
    const result = exported(stateFile(...parts))
    expect([result.sets, reported(result)]).toEqual([
      [],
      [
        `error half-owned-set This state has only parts of the set ${OTHER}: tfe_variable.this["x"], tfe_workspace_variable_set.this. Another state, or nobody, manages the set.`,
      ],
    ])
  })

  test('exports other sets that are selected, and says what stays', () => {
    const result = exported(stateFile(...parts), { only: ['aws'] })
    expect(reported(result)).toEqual([
      `warning state-incomplete tfe_variable.this["x"], tfe_workspace_variable_set.this: left out, because this state does not manage the set ${OTHER}.`,
    ])
    expect(leavingTerraform(result.leaving, result.staying)).toEqual({
      ...NO_PARTS,
      removed: 'removed {\n  from = tfe_variable_set.this\n\n  lifecycle {\n    destroy = false\n  }\n}\n',
      instead: "terraform state rm \\\n  'tfe_variable_set.this'\n",
    })
    expect(reported(exported(stateFile(...parts), { only: ['aws', OTHER] }))[0]).toMatch(
      /^error half-owned-set/,
    )
  })
})

const NO_PARTS = {
  first: '',
  mixed: [],
  counted: [],
  modules: [],
  isCounted: false,
  tool: 'terraform',
  data: 'data "tfe_variable_set" "this" {\n  name         = "aws"\n  organization = "acme"\n}\n',
}

describe('sets of two provider configurations in one state', () => {
  const two = [
    { type: 'tfe_variable_set', name: 'us', instances: [aSetObject({ name: 'us' })] },
    { type: 'tfe_variable_set', name: 'eu', instances: [aSetObject({ id: OTHER, name: 'eu' })] },
  ]
  const changed = (
    change: (resource: { name: string; provider: string; instances: object[] }) => void,
  ): string => {
    const state = JSON.parse(stateFile(...two))
    state.resources.forEach(change)
    return JSON.stringify(state)
  }
  const withAliases = changed(resource => {
    if (resource.name === 'eu') resource.provider += '.eu'
  })

  test('are an error that names the provider configurations and the addresses', () => {
    expect(reported(exported(withAliases))).toEqual([
      'error several-hosts The sets of this state have 2 provider configurations, and each may be another host: provider["registry.terraform.io/hashicorp/tfe"].eu (tfe_variable_set.eu), provider["registry.terraform.io/hashicorp/tfe"] (tfe_variable_set.us).',
    ])
  })

  test('are exported one configuration at a time, and only those leave', () => {
    const result = exported(withAliases, { only: ['eu'] })
    expect([result.sets.map(({ name }) => name), result.stayingSets, reported(result)]).toEqual([
      ['eu'],
      ['us'],
      [],
    ])
    expect(leavingTerraform(result.leaving, result.staying).instead).toBe(
      "terraform state rm \\\n  'tfe_variable_set.eu'\n",
    )
  })

  test('that have one name are no conflict to solve in the service', () => {
    const state = JSON.parse(
      stateFile(
        ...['us', 'eu'].map((name, n) => ({
          type: 'tfe_variable_set',
          name,
          instances: [aSetObject({ id: n === 0 ? SET_ID : OTHER })],
        })),
      ),
    )
    state.resources[1].provider += '.eu'
    const result = exported(JSON.stringify(state), { only: [OTHER] })
    expect([result.sets.map(({ name, id }) => [name, id]), reported(result)]).toEqual([
      [['aws', undefined]],
      [],
    ])
  })
})

test('a pattern that matches no set says that it looked in the state', () => {
  const text = stateFile({ type: 'tfe_variable_set', instances: [aSetObject()] })
  expect(reported(exported(text, { only: ['awz'] }))).toEqual([
    'error unmatched-selection --only "awz" matches no set in the state.',
  ])
})

test('a resource of which some instances stay gets no removed block, which would remove all of them', () => {
  const result = exported(
    stateFile(
      { type: 'tfe_variable_set', instances: [aSetObject()] },
      {
        type: 'tfe_variable',
        module: 'module.a["it\'s"].module.b[0]',
        instances: new Map([
          ['set', aVariableObject()],
          ['workspace', aVariableObject({ variable_set_id: null, workspace_id: 'ws-1' })],
        ]),
      },
    ),
  )
  expect(leavingTerraform(result.leaving, result.staying)).toEqual({
    ...NO_PARTS,
    removed: 'removed {\n  from = tfe_variable_set.this\n\n  lifecycle {\n    destroy = false\n  }\n}\n',
    first: `terraform state rm \\\n  'module.a["it'\\''s"].module.b[0].tfe_variable.this["set"]'\n`,
    instead: "terraform state rm \\\n  'tfe_variable_set.this'\n",
    mixed: ['module.a.module.b.tfe_variable.this'],
    modules: ['module.a.module.b'],
    isCounted: true,
  })
})

test('sets of several organizations are exported one organization at a time', () => {
  const text = stateFile({
    type: 'tfe_variable_set',
    instances: new Map([
      ['a', aSetObject()],
      ['b', aSetObject({ organization: 'other', name: 'b', id: 'varset-AAAAAAAAAAAAAAA2' })],
    ]),
  })
  expect(reported(exported(text))).toEqual([
    'error organization-mismatch The state has sets of 2 organizations: "acme", "other".',
  ])
  const one = exported(text, { organization: 'other' })
  expect([one.sets.map(({ name }) => name), reported(one)]).toEqual([
    ['b'],
    [expect.stringContaining('warning organization-mismatch 1 of the')],
  ])
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
