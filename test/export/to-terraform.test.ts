import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { desiredSet, targetNames } from '../../src/export/desired-set.ts'
import { terraformExport } from '../../src/export/to-terraform.ts'
import { type ObservedSet, partlyKnown } from '../../src/model/variable-set.ts'
import { createSandbox, type SandboxSeed, type VariableSeed } from '../../src/sandbox/index.ts'
import { aDirectory, type Ran, run } from '../support/program.ts'

const FILE = 'back/variable-sets.tf'
const hasTerraform = spawnSync('terraform', ['version']).status === 0

const env = (key: string, value: string, more = {}): VariableSeed => ({
  key,
  value,
  category: 'env',
  ...more,
})
const code = (key: string, value: string, more = {}): VariableSeed => ({
  key,
  value,
  category: 'terraform',
  ...more,
})

/** Texts that a configuration could take for something else. */
const VALUES = [
  'plain',
  '',
  ' spaces ',
  'line 1\nline "2"\n  three\n',
  'a\r\nb\r\n',
  'tab\there',
  'C:\\dir\\new',
  '${var.x} $${y} $$${z} $ { $',
  '%{if a}b%{endif} %%{c} %',
  '<<EOT\nx\nEOT\n',
  '# no comment // /* */',
  '##[error]no command',
  '::error::no command',
  'ünïcode 🎉 \u200b\u2028\u202e',
  '"quoted" \\"',
]

const IDS = {
  pay: 'ws-AAAAAAAAAAAAAAA1',
  web: 'ws-AAAAAAAAAAAAAAA2',
  platform: 'prj-AAAAAAAAAAAAAAA1',
} as const

const SEED: SandboxSeed = {
  organizations: [{ name: 'acme' }],
  projects: [{ name: 'platform', id: IDS.platform }],
  workspaces: [
    { name: 'pay', id: IDS.pay },
    { name: 'web', id: IDS.web },
  ],
  sets: [
    {
      id: 'varset-AAAAAAAAAAAAAAA1',
      name: 'aws',
      description: 'Of the "role" ${x}.',
      workspaces: ['web'],
      projects: ['platform'],
      variables: [
        env('A', '1', { id: 'var-AAAAAAAAAAAAAAA1', description: 'First.' }),
        env('S', 'canary-of-export', { id: 'var-AAAAAAAAAAAAAAA2', sensitive: true }),
        code('h', '{ a = "$${b}" }', { id: 'var-AAAAAAAAAAAAAAA3', hcl: true }),
      ],
    },
    { id: 'varset-AAAAAAAAAAAAAAA2', name: '1/ünï', parent: 'platform', workspaces: ['pay'] },
    { id: 'varset-AAAAAAAAAAAAAAA3', name: 'all', global: true, priority: true },
    { name: 'theirs' },
  ],
}

const FILES = {
  'setpoint.yaml': 'organization: acme\nowner: net\n',
  'sets/a.yaml': `variableSets:
  aws:
    description: Of the "role" \${x}.
    workspaces: [web]
    projects: [platform]
    env: { A: { value: "1", description: First. }, S: { external: true } }
    terraform: { h: { hcl: '{ a = "$\${b}" }' } }
  1/ünï: { project: platform, workspaces: [pay] }
  all: { global: true, priority: true }
`,
}

async function aPlace(seed = SEED, files: Readonly<Record<string, string>> = FILES) {
  const sandbox = await createSandbox({ seed })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const cwd = aDirectory(files)
  const environment = { SETPOINT_ADDRESS: url, SETPOINT_TOKEN: sandbox.token }
  const setpoint = (...argv: string[]): Promise<Ran> => run(argv, { cwd, env: environment })
  return { cwd, sandbox, setpoint, written: () => readFileSync(join(cwd, FILE), 'utf8') }
}

const exportIn = ({ setpoint }: Awaited<ReturnType<typeof aPlace>>, ...more: string[]): Promise<Ran> =>
  setpoint('export', ...more, '--format', 'terraform', '--out', 'back')

test('an assignment to a workspace whose name the service does not tell cannot be imported', () => {
  const set: ObservedSet = partlyKnown({
    id: 'varset-AAAAAAAAAAAAAAA1',
    name: 'aws',
    description: '',
    global: false,
    priority: false,
    workspaces: [IDS.web],
  })
  const names = targetNames({})
  const desired = desiredSet(set, false, { names }, () => {})
  const request = { organization: 'acme', sets: [{ observed: set, desired }], all: [set], names }
  expect(terraformExport(request).diagnostics).toMatchObject([
    { severity: 'error', code: 'no-look-up', message: expect.stringContaining(`${IDS.web} of "aws"`) },
  ])
})

describe('followed to the end with Terraform', () => {
  test('every text is what the service has, in the layout of `terraform fmt`', {
    timeout: 60_000,
  }, async context => {
    if (!hasTerraform) context.skip('terraform is not installed')
    const variables = VALUES.flatMap((value, n) => [
      env(`E${n}`, value, { description: value.slice(0, 500) }),
      code(`T${n}`, value),
    ])
    const names = ['a "b" ${c}', 'a\\b', '%{if}', 'x/y']
    const sets = [{ name: 'values', variables }, ...names.map(name => ({ name, description: name }))]
    const place = await aPlace({ ...SEED, sets }, { 'setpoint.yaml': 'organization: acme\n' })
    expect((await exportIn(place, 'acme')).code).toBe(0)
    const text = place.written()
    const terraform = aTerraform({ 'main.tf': text })
    expect(terraform('fmt -check -diff')).toBe('')
    const seen = Object.values(evaluated(text))
    const service = place.sandbox.snapshot().sets ?? []
    const wanted = [
      ...service.map(({ name, description = '' }) => ({ name, description })),
      ...service.flatMap(({ variables: all = [] }) =>
        all.map(({ key, value, category, description = '' }) => ({ key, value, category, description })),
      ),
    ]
    const picked = seen.map(one =>
      'key' in one
        ? { key: one.key, value: one.value, category: one.category, description: one.description ?? '' }
        : { name: one.name, description: one.description ?? '' },
    )
    expect(picked).toEqual(expect.arrayContaining(wanted))
    expect(picked).toHaveLength(wanted.length)
  })

  test('the plan imports as many objects as the steps say, and release leaves everything else', {
    timeout: 60_000,
  }, async context => {
    const place = await aPlace()
    expect((await place.setpoint('apply', '--auto-approve')).stdout).toContain('The inventory now lists')
    const before = place.sandbox.snapshot({ sensitive: true }).sets ?? []
    const { stdout } = await exportIn(place)
    const steps = stdout.split(/^(?=\d+\. )/m)
    const [, demanded = '', imports = ''] = /must say `((\d+) to import, .*)`/.exec(steps[3] ?? '') ?? []
    expect(steps[3]).toContain('To change: 1 sensitive variable')
    const text = place.written()
    expect(text).not.toContain('canary')
    expect(text.match(/ignore_changes = \[value\]/g)).toHaveLength(1)
    if (!hasTerraform) context.skip('terraform is not installed')
    const terraform = aTerraform({ 'main.tf': standIns(text) })
    // The stand-ins have no values, so none of them is to be changed.
    expect(terraform('plan -no-color -input=false')).toContain(
      `Plan: ${demanded.replace('1 to change', '0 to change')}.`,
    )
    expect(terraform('apply -no-color -input=false -auto-approve')).toContain(
      `Resources: ${imports} imported, 0 added`,
    )
    writeFileSync(join(terraform.cwd, 'main.tf'), standIns(text).replace(/^import \{\n(?:.*\n)*?\}\n/gm, ''))
    expect(terraform('plan -no-color -input=false')).toContain('No changes.')
    expect(steps[1]).toContain('Switch off every pipeline')
    expect(steps[5]).toContain('Run setpoint release')
    expect((await place.setpoint('release', '--auto-approve')).code).toBe(0)
    const after = place.sandbox.snapshot({ sensitive: true }).sets ?? []
    expect(after).toEqual(before.filter(({ name }) => name !== 'setpoint-inventory-net'))
  })
})

/** `terraform_data` stands for every resource: it needs no provider, and can be imported. */
const standIns = (text: string): string =>
  text
    .replace(
      /^resource "(tfe_\w+)" "([\w-]+)" \{\n(?:.*\n)*?\}\n/gm,
      'resource "terraform_data" "$1_$2" {}\n',
    )
    .replace(/^( {2}to = )(tfe_\w+)\.([\w-]+)$/gm, '$1terraform_data.$2_$3')

/** The attributes of each set and variable, as Terraform reads them. */
function evaluated(text: string): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const blocks = [...text.matchAll(/^resource "(tfe_variable(?:_set)?)" "([\w-]+)" \{\n((?: {2}\w.*\n)*)/gm)]
  const outputs = blocks.map(
    ([, type, label, attributes = '']) =>
      `output "${type}_${label}" {\n  value = {\n${attributes.replace(/^ {2}variable_set_id .*\n/m, '')}  }\n}\n`,
  )
  const terraform = aTerraform({ 'main.tf': outputs.join('') })
  terraform('apply -no-color -input=false -auto-approve')
  const read: Readonly<Record<string, { value: Readonly<Record<string, string>> }>> = JSON.parse(
    terraform('output -json'),
  )
  return Object.fromEntries(Object.entries(read).map(([name, { value }]) => [name, value]))
}

function aTerraform(files: Readonly<Record<string, string>>) {
  const cwd = aDirectory(files)
  const environment = {
    PATH: process.env.PATH ?? '',
    HOME: cwd,
    CHECKPOINT_DISABLE: '1',
    TF_IN_AUTOMATION: '1',
  }
  const terraform = (words: string): string =>
    execFileSync('terraform', words.split(' '), { cwd, env: environment, encoding: 'utf8' })
  if (!files['main.tf']?.includes('"tfe_variable_set" "')) terraform('init -no-color -input=false')
  return Object.assign(terraform, { cwd })
}
