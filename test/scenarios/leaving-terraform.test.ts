import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { aSetObject, aVariableObject, type Resource, SET_ID, stateFile } from '../export/state.ts'
import { aDirectory, run } from '../support/program.ts'

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
  /** The configuration that belongs to the state, and the rest of it after the steps; absent: only what the steps say of `count`. */
  readonly before: string
  readonly after?: string
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
  'a count whose instances are made from count.index': {
    state: [
      { type: 'tfe_variable_set', instances: [aSetObject()] },
      {
        type: 'tfe_variable',
        name: 'counted',
        instances: new Map(
          [...counted].map(([index, one]) => [index, index === 0 ? aVariableObject() : one]),
        ),
      },
    ],
    before: `${one('tfe_variable_set_this')}resource "terraform_data" "tfe_variable_counted" {
  count = 5
  input = "NUMBER_\${count.index} of \${count.index % 2 == 0 ? "even" : "odd"}"
}
`,
    stays: ['terraform_data.tfe_variable_counted[0]', 'terraform_data.tfe_variable_counted[1]'],
  },
  'a count whose last instances leave': {
    state: [
      { type: 'tfe_variable_set', instances: [aSetObject()] },
      {
        type: 'tfe_variable',
        name: 'counted',
        instances: new Map([
          [0, ofWorkspace(5)],
          [1, ofWorkspace(7)],
          [2, aVariableObject()],
        ]),
      },
    ],
    before: `${one('tfe_variable_set_this')}resource "terraform_data" "tfe_variable_counted" {
  count = 3
  input = count.index
}
`,
    stays: ['terraform_data.tfe_variable_counted[0]', 'terraform_data.tfe_variable_counted[1]'],
  },
  'a module that cannot be edited, whose call is deleted': {
    state: [{ type: 'tfe_variable_set', module: 'module.team', instances: [aSetObject()] }],
    before: 'module "team" {\n  source = "./team"\n}\n',
    after: '',
    module: one('tfe_variable_set_this'),
    stays: [],
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
        if (main.includes('Delete the blocks')) {
          terraform.change(afterOf(way, steps))
          expect(terraform.plan()).toContain('No changes.')
        }
        if (!main.includes('`terraform apply`')) continue
        if (kind === 'with commands') for (const command of commandsIn(instead)) terraform.shell(command)
        terraform.change(afterOf(way, steps) + (kind === 'with blocks' ? blocksIn(main) : ''))
        expect(terraform.plan()).toMatch(demanded(main))
        expect(terraform.apply()).toContain('Resources: 0 added, 0 changed, 0 destroyed.')
      }
      const after = terraform.ids()
      expect(Object.keys(after)).toEqual(way.stays)
      // The same objects, although `count` gave some of them other addresses.
      expect(Object.values(before)).toEqual(expect.arrayContaining(Object.values(after)))
    })
})

/**
 * A state that Terraform wrote, in which `terraform_data.tfe_variable_x` becomes `tfe_variable.x` with these attributes, and so do its
 * dependencies.
 */
function asOfProvider(text: string, attributes: Readonly<Record<string, object>>): string {
  const renamed = text.replaceAll(
    /terraform_data\.(tfe_(?:variable_set|variable))_(\w+)/g,
    (_, type, name) => `${type}.${name}`,
  )
  const state = JSON.parse(renamed)
  for (const resource of state.resources) {
    const [, type, name] = /^(tfe_(?:variable_set|variable))_(\w+)$/.exec(resource.name) ?? []
    if (type === undefined || name === undefined) continue
    Object.assign(resource, { type, name, provider: 'provider["registry.terraform.io/hashicorp/tfe"]' })
    for (const instance of resource.instances) {
      const key = instance.index_key === undefined ? name : `${name}.${instance.index_key}`
      instance.attributes = attributes[key]
    }
  }
  return JSON.stringify(state)
}

const COMPUTING = `resource "terraform_data" "owner" { input = "a project" }
resource "terraform_data" "role" { input = "arn" }
resource "terraform_data" "rotation" { input = 1 }
resource "terraform_data" "password" { input = terraform_data.rotation.output }
data "terraform_remote_state" "network" {
  backend = "local"
  config  = { path = "network.tfstate" }
}
module "team" { source = "./team" }
resource "terraform_data" "tfe_variable_set_aws" { input = terraform_data.owner.output }
resource "terraform_data" "tfe_variable_plain" { input = [terraform_data.tfe_variable_set_aws.id, "eu-west-1"] }
resource "terraform_data" "tfe_variable_role" { input = [terraform_data.tfe_variable_set_aws.id, terraform_data.role.output] }
resource "terraform_data" "tfe_variable_password" {
  input = [terraform_data.tfe_variable_set_aws.id, terraform_data.password.output]
}
resource "terraform_data" "tfe_variable_subnet" {
  input = [terraform_data.tfe_variable_set_aws.id, data.terraform_remote_state.network.outputs.subnet]
}
resource "terraform_data" "tfe_variable_each" {
  for_each = toset(["a", "b"])
  input    = [terraform_data.tfe_variable_set_aws.id, module.team.token]
}
`
const TEAM =
  'resource "terraform_data" "token" { input = "t" }\noutput "token" { value = terraform_data.token.output }\n'
const NETWORK =
  '{"version":4,"terraform_version":"1.5.0","serial":1,"lineage":"n","outputs":{"subnet":{"value":"s","type":"string"}},"resources":[]}'

test('the steps list values that are made of other resources, with what they are made of', {
  timeout: 120_000,
}, async context => {
  if (!hasTerraform) context.skip('terraform is not installed')
  const terraform = aConfiguration({ before: COMPUTING, module: TEAM, state: [], stays: [] }, [], {
    'network.tfstate': NETWORK,
  })
  const variable = (key: string, n: number, more: object = {}) =>
    aVariableObject({ key, id: `var-AAAAAAAAAAAAAAA${n}`, ...more })
  const attributes = {
    aws: aSetObject(),
    plain: variable('AWS_REGION', 1),
    role: variable('ROLE_ARN', 2),
    password: variable('PASSWORD', 3, { sensitive: true }),
    subnet: variable('subnet', 4, { category: 'terraform' }),
    'each.a': variable('TOKEN_A', 5, { sensitive: true }),
    'each.b': variable('TOKEN_B', 6),
  }
  const listed = `- These values may be made of other resources, and the files have what they were. Nothing changes a file when its resource
  changes, such as a role that is made again or a password that is rotated:
    aws env/PASSWORD (tfe_variable.password) from terraform_data.password, terraform_data.rotation
    aws env/ROLE_ARN (tfe_variable.role) from terraform_data.role
    aws env/TOKEN_A (tfe_variable.each["a"]) from module.team.terraform_data.token
    aws env/TOKEN_B (tfe_variable.each["b"]) from module.team.terraform_data.token
    aws terraform/subnet (tfe_variable.subnet) from data.terraform_remote_state.network
  For each of them there are two ways. Leave its set with Terraform: export again, into an empty directory, with --only
  NAME for each set that leaves. Or write \`external: true\` in the file, and let whatever makes the value set it in the
  service, or \`secret: NAME\`, and let it pass the value to the apply. What is only copied has to be changed by hand.
`
  const raw = asOfProvider(terraform.shell('cat terraform.tfstate'), attributes)
  const { stdout } = await exportOf(raw)
  expect(stdout).toContain(listed)
  expect(stdout.indexOf('- These values')).toBeLessThan(stdout.indexOf('1. Review and merge'))
  const left = (await exportOf(raw.replaceAll('"aws"', '"web"'), '--only', 'web')).stdout
  expect(left).toContain('web env/ROLE_ARN')
  expect(
    (await exportOf(stateFile({ type: 'tfe_variable_set', instances: [aSetObject()] }))).stdout,
  ).not.toContain('These values')
})

test('the steps name tainted and deposed objects, which Terraform forgets with the others', {
  timeout: 120_000,
}, async context => {
  if (!hasTerraform) context.skip('terraform is not installed')
  const before = one('tfe_variable_set_this') + one('tfe_variable_this') + one('tfe_variable_old')
  const terraform = aConfiguration({ before, state: [], stays: [] })
  terraform.shell('terraform taint -no-color terraform_data.tfe_variable_this')
  const state = JSON.parse(terraform.shell('cat terraform.tfstate'))
  const old = state.resources.find((resource: { name: string }) => resource.name === 'tfe_variable_old')
  old.instances.push({ ...old.instances[0], deposed: 'a1b2c3d4' })
  state.serial++
  terraform.write('terraform.tfstate', JSON.stringify(state))
  const attributes = {
    this: aSetObject(),
    old: aVariableObject({ key: 'OLD', id: 'var-AAAAAAAAAAAAAAA7' }),
  }
  const text = asOfProvider(JSON.stringify(state), { ...attributes })
    // Both resources are called `this`.
    .replace(
      /("type":"tfe_variable","name":"this".*?"attributes":)\{[^}]*\}/,
      (_, head) => `${head}${JSON.stringify(aVariableObject())}`,
    )
  const { stdout } = await exportOf(text)
  expect(
    stdout,
  ).toContain(`- These objects are tainted: Terraform would replace them with its next apply, and after these steps nobody does. Run
  \`terraform apply\` before you begin, or check in step 2 that they are complete:
    tfe_variable.this
- These objects are deposed: Terraform made others in their place and has not destroyed them, and after these steps nobody
  does. They are in no file. Run \`terraform apply\` before you begin, which destroys them, or delete them in the service:
    tfe_variable.old (deposed a1b2c3d4): var-AAAAAAAAAAAAAAA7
`)
  // What the steps warn of: nobody destroys it any more.
  terraform.change(
    ['set_this', 'this', 'old'].map(name => removedOf(`terraform_data.tfe_variable_${name}`)).join(''),
  )
  expect(terraform.plan()).toContain('Plan: 0 to add, 0 to change, 0 to destroy.')
  expect(terraform.plan().match(/^ - terraform_data\.tfe_variable_old$/gm)).toHaveLength(2)
})

const removedOf = (address: string): string =>
  `removed {\n  from = ${address}\n  lifecycle {\n    destroy = false\n  }\n}\n`

test('an import block of what leaves has to go in the same change, as the steps say', {
  timeout: 60_000,
}, async context => {
  const steps = await printed(stateFile({ type: 'tfe_variable_set', instances: [aSetObject()] }))
  const change = steps.find(step => step.includes('Change the configuration'))
  expect(change).toContain(
    'Delete the `import` blocks of what leaves in the same change: they would be an error.',
  )
  if (!hasTerraform) context.skip('terraform is not installed')
  const terraform = aConfiguration({ before: one('tfe_variable_set_this'), state: [], stays: [] })
  const [id = ''] = Object.values(terraform.ids())
  const imported = `import {\n  to = terraform_data.tfe_variable_set_this\n  id = "${id}"\n}\n`
  terraform.change(blocksIn(change ?? '') + imported)
  expect(terraform.shell('terraform plan -no-color -input=false 2>&1 || true')).toMatch(
    /Error: (?:Resource has no configuration|Configuration for import target does not exist)/,
  )
  terraform.change(blocksIn(change ?? ''))
  expect(terraform.plan()).toContain('Plan: 0 to add, 0 to change, 0 to destroy.')
})

/** Plans that the step accepts: what it quotes, and nothing else. */
function demanded(step: string): RegExp {
  const [, change = 'nothing', none = 'nothing'] =
    /It must say `([^`]+)`, or `([^`]+)`,\s+and change no output/.exec(step) ?? []
  return new RegExp(`^(?:Plan: ${change}\\.|${none}\\.)(?![sS]*Changes to Outputs)`, 'm')
}

/** The configuration after the steps. What they say of `count` is done literally, and resources that leave completely are deleted. */
function afterOf({ before, after }: Way, steps: readonly string[]): string {
  if (after !== undefined) return after
  const said = [
    ...steps
      .join('')
      .matchAll(/^ +- \S+: set count to (\d+)(?:, and replace count\.index by (\[.*\]))?\.$/gm),
  ]
  expect(said).toHaveLength(1)
  const [, count = '', instead] = said[0] ?? []
  return before
    .slice(before.indexOf('resource "terraform_data" "tfe_variable_counted"'))
    .replace(/count = \d+/, `count = ${count}`)
    .replaceAll('count.index', instead ?? 'count.index')
}

describe('a configuration with several states', () => {
  test.for(['with blocks', 'with commands'])(
    'keeps the objects of each, followed literally %s',
    { timeout: 120_000 },
    async (kind, context) => {
      const before = ['tfe_variable_set_this', 'tfe_variable_this']
        .map(name => `resource "terraform_data" "${name}" {\n  input = terraform.workspace\n}\n`)
        .join('')
      const states = ['prod', 'dev']
      const stepsOf = new Map<string, readonly string[]>()
      for (const name of states) {
        const state = stateFile(
          { type: 'tfe_variable_set', instances: [aSetObject({ name })] },
          { type: 'tfe_variable', instances: [aVariableObject()] },
        )
        stepsOf.set(name, await printed(state))
      }
      if (!hasTerraform) context.skip('terraform is not installed')
      const terraform = aConfiguration({ before, state: [], stays: [] }, states)
      const destroyed = (name: string): string => terraform.in(name).plan()
      for (const [at, step] of (stepsOf.get('prod') ?? []).entries()) {
        // Whoever follows the steps does in other states only what a step says of them.
        const named = (text = ''): string[] => (/every (?:other )?state/i.test(text) ? states : ['prod'])
        const [main, instead] = step.split('Or, instead of the blocks')
        const ofState = (name: string): string[] =>
          (stepsOf.get(name)?.[at] ?? '').split('Or, instead of the blocks')
        if (kind === 'with commands')
          for (const name of named(instead))
            for (const command of commandsIn(ofState(name)[1] ?? '')) terraform.in(name).shell(command)
        if (step.includes('`terraform apply`')) {
          terraform.change(kind === 'with blocks' ? blocksIn(step) : '')
          for (const name of named(main)) {
            expect(terraform.in(name).plan()).toMatch(demanded(step))
            terraform.in(name).apply()
          }
        }
        if (!step.includes('Delete the blocks')) continue
        terraform.change('')
        for (const name of named(main)) expect(terraform.in(name).plan()).toContain('No changes.')
      }
      expect(states.map(destroyed)).toEqual(states.map(() => expect.stringContaining('No changes.')))
    },
  )

  const PROD = 'variableSets:\n  aws-prod:\n    env:\n      KEY: { secret: KEY }\n'
  const CONFIG = 'organization: acme\n'
  const EMPTY_GIT = { 'there/.git/HEAD': '' }

  /** Two states, one after the other, from a third folder: `out` is where both are written. */
  test.each<[layout: string, files: Readonly<Record<string, string>>, out: string, first: string]>([
    ['a configuration beside the folder', { 'there/setpoint.yaml': CONFIG }, '../there/sets', 'KEY'],
    ['a configuration in the folder', { 'there/setpoint.yaml': CONFIG }, '../there', 'KEY'],
    [
      'a configuration above another folder of a repository',
      { ...EMPTY_GIT, 'there/setpoint.yaml': CONFIG },
      '../there/more/dev',
      'KEY',
    ],
    ['a configuration here', { 'here/setpoint.yaml': CONFIG }, 'sets', 'KEY'],
    ['no configuration', {}, '../there/sets', 'KEY'],
    [
      'another configuration here',
      { 'here/setpoint.yaml': 'organization: other\n', 'there/setpoint.yaml': CONFIG },
      '../there/sets',
      'KEY',
    ],
    [
      'the file of the first one moved in a repository',
      { ...EMPTY_GIT, 'there/old/a.yaml': PROD },
      '../there/sets',
      'AWS_PROD_KEY',
    ],
    [
      'a file with mistakes',
      { 'there/setpoint.yaml': CONFIG, 'there/sets/a.yaml': `${PROD}      OTHER: {}\n  x: { evn: {} }\n` },
      '../there/sets',
      'KEY',
    ],
    [
      'the same set in another folder',
      { 'there/setpoint.yaml': CONFIG, 'there/prod/a.yaml': PROD.replace('aws-prod', 'aws-dev') },
      '../there/dev',
      'AWS_PROD_KEY',
    ],
  ])('never shares a secret with what is there: %s', async (_, files, out, first) => {
    const root = aDirectory({ ...files, 'here/note': '' })
    const cwd = join(root, 'here')
    const exported = async (name: string, id: string): Promise<string | undefined> => {
      const state = stateFile(
        { type: 'tfe_variable_set', instances: [aSetObject({ name, id })] },
        {
          type: 'tfe_variable',
          instances: [aVariableObject({ key: 'KEY', value: name, sensitive: true, variable_set_id: id })],
        },
      )
      writeFileSync(join(cwd, 'state.json'), state)
      const { code, stdout, stderr } = await run(
        ['export', '--terraform-state', 'state.json', '--out', out],
        { cwd },
      )
      expect([code, stderr]).toEqual([0, ''])
      return /SETPOINT_SECRET_(\w+)/.exec(stdout)?.[1]
    }
    expect(await exported('aws-prod', SET_ID)).toBe(first)
    expect(await exported('aws-dev', OTHER_SET)).toBe('AWS_DEV_KEY')
    // Again, with its own file there.
    expect(await exported('aws-prod', SET_ID)).toBe(first)
  })
})

test('Terraform writes the files that the last lines name, with the values of secrets', {
  timeout: 60_000,
}, context => {
  if (!hasTerraform) context.skip('terraform is not installed')
  const before = 'resource "terraform_data" "tfe_variable_this" {\n  input = "s3cret"\n}\n'
  const terraform = aConfiguration({ before, state: [], stays: [] })
  terraform.shell('terraform state rm terraform_data.tfe_variable_this')
  const copies = terraform.shell('grep -l s3cret terraform.tfstate.*.backup')
  expect(copies).toMatch(/^terraform\.tfstate\.\d+\.backup\n$/)
})

test('Terraform, unlike OpenTofu, destroys with a block without `lifecycle`, so only the steps for OpenTofu omit it', {
  timeout: 60_000,
}, async context => {
  const steps = await printed(stateFile({ type: 'tfe_variable_set', instances: [aSetObject()] }))
  expect(steps.join('')).not.toContain('omit `lifecycle`')
  const page = readFileSync(join(import.meta.dirname, '../../docs/migrate.md'), 'utf8')
  expect(page.replaceAll(/\s+/g, ' ')).toContain('Never omit it with Terraform')
  if (!hasTerraform) context.skip('terraform is not installed')
  const terraform = aConfiguration({ before: one('tfe_variable_set_this'), state: [], stays: [] })
  terraform.change('removed {\n  from = terraform_data.tfe_variable_set_this\n}\n')
  expect(terraform.plan()).toContain('Plan: 0 to add, 0 to change, 1 to destroy.')
})

async function exportOf(state: string, ...flags: readonly string[]) {
  const cwd = aDirectory({ 'terraform.tfstate': state })
  const args = ['export', '--terraform-state', 'terraform.tfstate', '--out', 'sets', ...flags]
  const ran = await run(args, { cwd })
  expect(ran.code).toBe(0)
  return { ...ran, cwd }
}

/** The numbered steps that an export prints. */
const printed = async (state: string): Promise<string[]> =>
  (await exportOf(state)).stdout.split(/^(?=\d+\. )/m).slice(1)

/** `tfe_variable_set.all["x"]` is `terraform_data.tfe_variable_set_all["x"]` here. */
const translated = (text: string): string => text.replace(/\b(tfe_\w+)\.(\w+)/g, 'terraform_data.$1_$2')

const commandsIn = (step: string): string[] =>
  (step.match(/^terraform (?:.*\\\n)*.*$/gm) ?? []).map(translated)

const blocksIn = (step: string): string =>
  translated((step.match(/^removed \{\n(?:.*\n)*?\}\n/gm) ?? []).join(''))

function aConfiguration(
  { before, module }: Way,
  workspaces: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
) {
  const team: Readonly<Record<string, string>> = module === undefined ? {} : { 'team/main.tf': module }
  const cwd = aDirectory({ 'main.tf': before, ...team, ...files })
  const env = { PATH: process.env.PATH ?? '', HOME: cwd, CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1' }
  const shellIn =
    (workspace?: string) =>
    (command: string): string =>
      execFileSync('sh', ['-c', command], {
        cwd,
        env: { ...env, ...(workspace !== undefined && { TF_WORKSPACE: workspace }) },
        encoding: 'utf8',
      })
  const commands = (workspace?: string) => {
    const shell = shellIn(workspace)
    return {
      shell,
      apply: (): string => shell('terraform apply -no-color -input=false -auto-approve'),
      plan: (): string => shell('terraform plan -no-color -input=false'),
    }
  }
  const { shell, apply, plan } = commands()
  shell('terraform init -no-color -input=false')
  if (workspaces.length === 0) apply()
  for (const workspace of workspaces) {
    shell(`terraform workspace new -no-color ${workspace}`)
    commands(workspace).apply()
  }
  return {
    shell,
    apply,
    plan,
    /** The same commands with the state of a CLI workspace. */
    in: commands,
    change: (text: string): void => writeFileSync(join(cwd, 'main.tf'), text),
    write: (path: string, text: string): void => writeFileSync(join(cwd, path), text),
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
