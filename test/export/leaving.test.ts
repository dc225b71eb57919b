import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aDirectory, run } from '../support/program.ts'
import { aSetObject, aVariableObject, type Resource, SET_ID, stateFile, stateFileOf } from './state.ts'

/**
 * Follows the printed steps out of Terraform with the real program. `terraform_data` stands for the objects of the service: it
 * needs no provider, and Terraform treats every resource alike.
 */
const PROJECTS_SET = 'varset-AAAAAAAAAAAAAAA2'
const OWNER = 'prj-AAAAAAAAAAAAAAA1'
const OTHER_SET = 'varset-AAAAAAAAAAAAAAA3'

const orgAndProject = new Map([
  ['org', aSetObject({ name: 'org' })],
  // No file can express it, so it stays.
  ['project', aSetObject({ name: 'project', id: PROJECTS_SET, parent_project_id: OWNER, global: true })],
])
const secretsOfBoth = new Map([
  ['org', aVariableObject({ key: 'S', sensitive: true })],
  ['project', aVariableObject({ key: 'S', id: 'var-AAAAAAAAAAAAAAA2', variable_set_id: PROJECTS_SET })],
])
const ofWorkspace = (n: number) =>
  aVariableObject({
    id: `var-AAAAAAAAAAAAAAA${n}`,
    variable_set_id: null,
    workspace_id: 'ws-AAAAAAAAAAAAAAA1',
  })
const counted = new Map([
  [0, ofWorkspace(5)],
  [1, aVariableObject({ key: 'C', id: 'var-AAAAAAAAAAAAAAA6' })],
  [2, ofWorkspace(7)],
  [3, aVariableObject({ key: 'D', id: 'var-AAAAAAAAAAAAAAA8' })],
  [4, ofWorkspace(9)],
])

interface Way {
  readonly state: readonly Resource[]
  /** The configuration that belongs to the state, and the rest of it after the steps. */
  readonly before: string
  readonly after: string
  readonly stays: readonly string[]
  readonly module?: string
}

const eachOf = (name: string, keys: string): string =>
  `resource "terraform_data" "${name}" {\n  for_each = toset([${keys}])\n  input = each.key\n}\n`
const one = (name: string): string => `resource "terraform_data" "${name}" {\n  input = 1\n}\n`
const countedBy = (list: string): string =>
  `resource "terraform_data" "tfe_variable_counted" {\n  count = length(${list})\n  input = ${list}[count.index]\n}\n`

const WAYS: Readonly<Record<string, Way>> = {
  'resources that leave completely': {
    state: [
      { type: 'tfe_variable_set', name: 'whole', instances: [aSetObject({ id: OTHER_SET, name: 'whole' })] },
      {
        type: 'tfe_variable',
        name: 'whole',
        instances: new Map([['a', aVariableObject({ key: 'W', variable_set_id: OTHER_SET })]]),
      },
    ],
    before: one('tfe_variable_set_whole') + eachOf('tfe_variable_whole', '"a"'),
    after: '',
    stays: [],
  },
  'for_each over a set of the organization and one of a project, count over variables of sets and workspaces':
    {
      state: [
        { type: 'tfe_variable_set', name: 'all', instances: orgAndProject },
        { type: 'tfe_variable', name: 'secret', instances: secretsOfBoth },
        { type: 'tfe_variable', name: 'counted', instances: counted },
        {
          type: 'tfe_variable_set',
          name: 'whole',
          instances: [aSetObject({ id: OTHER_SET, name: 'whole' })],
        },
      ],
      before:
        eachOf('tfe_variable_set_all', '"org", "project"') +
        eachOf('tfe_variable_secret', '"org", "project"') +
        countedBy('["w0", "s1", "w2", "s3", "w4"]') +
        one('tfe_variable_set_whole'),
      after:
        eachOf('tfe_variable_set_all', '"project"') +
        eachOf('tfe_variable_secret', '"project"') +
        countedBy('["w0", "w2", "w4"]'),
      stays: [
        'terraform_data.tfe_variable_counted[0]',
        'terraform_data.tfe_variable_counted[1]',
        'terraform_data.tfe_variable_counted[2]',
        'terraform_data.tfe_variable_secret["project"]',
        'terraform_data.tfe_variable_set_all["project"]',
      ],
    },
  'only resources that leave in part': {
    state: [{ type: 'tfe_variable_set', name: 'all', instances: orgAndProject }],
    before: eachOf('tfe_variable_set_all', '"org", "project"'),
    after: eachOf('tfe_variable_set_all', '"project"'),
    stays: ['terraform_data.tfe_variable_set_all["project"]'],
  },
  'a module for each team, of which one belongs to a project': {
    state: [...orgAndProject].map(([key, set]) => ({
      type: 'tfe_variable_set',
      module: `module.team["${key}"]`,
      instances: [set],
    })),
    before: 'module "team" {\n  for_each = toset(["org", "project"])\n  source = "./team"\n}\n',
    after: 'module "team" {\n  for_each = toset(["project"])\n  source = "./team"\n}\n',
    module: one('tfe_variable_set_this'),
    stays: ['module.team["project"].terraform_data.tfe_variable_set_this'],
  },
}

const hasTerraform = spawnSync('terraform', ['version']).status === 0

describe('following the steps out of Terraform destroys and creates nothing', () => {
  for (const [name, way] of Object.entries(WAYS))
    test.for(['with blocks', 'with commands'])(`${name}, %s`, { timeout: 120_000 }, async (kind, context) => {
      const steps = await printed(stateFile(...way.state))
      expect(steps.slice(0, 2).join('')).not.toMatch(/terraform (?:plan|apply|state)/)
      if (!hasTerraform) context.skip('terraform is not installed')
      const terraform = aConfiguration(way)
      const before = terraform.ids()
      for (const step of steps) {
        const [main = '', instead = ''] = step.split('Or, instead of the blocks')
        for (const command of commandsIn(main)) terraform.shell(command)
        if (!main.includes('`terraform apply`')) continue
        if (kind === 'with commands') for (const command of commandsIn(instead)) terraform.shell(command)
        terraform.change(way.after + (kind === 'with blocks' ? blocksIn(main) : ''))
        expect(terraform.plan()).toMatch(/^(?:No changes\.|Plan: 0 to add, 0 to change, 0 to destroy\.)/m)
        expect(terraform.apply()).toContain('Resources: 0 added, 0 changed, 0 destroyed.')
      }
      const after = terraform.ids()
      expect(Object.keys(after)).toEqual(way.stays)
      // The same objects, although `count` gave some of them other addresses.
      expect(Object.values(before)).toEqual(expect.arrayContaining(Object.values(after)))
    })
})

test('the steps for a state of OpenTofu use its commands', async () => {
  const resources: readonly Resource[] = [
    { type: 'tfe_variable_set', name: 'all', instances: orgAndProject },
    { type: 'tfe_variable', instances: [aVariableObject({ variable_set_id: SET_ID })] },
  ]
  const text = (await printed(stateFileOf('registry.opentofu.org', ...resources))).join('')
  expect(text.match(/\bt\w+ state rm/g)).toEqual(['tofu state rm', 'tofu state rm'])
  expect(text).toContain('`tofu plan`')
  expect(text).not.toMatch(/terraform (?:state|plan|apply)|Terraform/)
})

/** The numbered steps that an export prints. */
async function printed(state: string): Promise<string[]> {
  const cwd = aDirectory({ 'terraform.tfstate': state })
  const { code, stdout } = await run(['export', '--terraform-state', 'terraform.tfstate', '--out', 'sets'], {
    cwd,
  })
  expect(code).toBe(0)
  return stdout.split(/^(?=\d+\. )/m).slice(1)
}

/** `tfe_variable_set.all["x"]` is `terraform_data.tfe_variable_set_all["x"]` here. */
const translated = (text: string): string => text.replace(/\b(tfe_\w+)\.(\w+)/g, 'terraform_data.$1_$2')

const commandsIn = (step: string): string[] =>
  (step.match(/^terraform (?:.*\\\n)*.*$/gm) ?? []).map(translated)

const blocksIn = (step: string): string =>
  translated((step.match(/^removed \{\n(?:.*\n)*?\}\n/gm) ?? []).join(''))

function aConfiguration({ before, module }: Way) {
  const cwd = aDirectory({ 'main.tf': before, ...(module === undefined ? {} : { 'team/main.tf': module }) })
  const env = { PATH: process.env.PATH ?? '', HOME: cwd, CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1' }
  const shell = (command: string): string =>
    execFileSync('sh', ['-c', command], { cwd, env, encoding: 'utf8' })
  const apply = (): string => shell('terraform apply -no-color -input=false -auto-approve')
  shell('terraform init -no-color -input=false')
  apply()
  return {
    shell,
    apply,
    plan: (): string => shell('terraform plan -no-color -input=false'),
    change: (text: string): void => writeFileSync(join(cwd, 'main.tf'), text),
    /** By address. */
    ids: (): Readonly<Record<string, string>> => {
      const { values } = JSON.parse(shell('terraform show -json'))
      const modules = [values?.root_module ?? {}]
      for (const one of modules) modules.push(...(one.child_modules ?? []))
      const resources = modules.flatMap(one => one.resources ?? [])
      return Object.fromEntries(resources.map(({ address, values: { id } }) => [address, id]).toSorted())
    },
  }
}
