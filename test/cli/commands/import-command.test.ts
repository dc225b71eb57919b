import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type HclLiteral, parseAssignments, parseLiteral } from '../../../src/config/hcl-literal.ts'
import { loadDesired } from '../../../src/config/load.ts'
import { nameOf } from '../../../src/model/ids.ts'
import { inDirectory } from '../../config/load-text.ts'
import { aDirectory, run } from '../../support/program.ts'

const VALUES = resolve(import.meta.dirname, '../../export/values')
const SECRETS: Readonly<Record<string, readonly string[]>> = {
  'cluster.tfvars': ['DATADOG', 'GRAFANA_ADMIN_PASSWORD'],
  'landing-zone.tfvars': ['CONNECTION_STRING'],
  'network.tfvars': [],
}
/** Every text of these that is secret. */
const HIDDEN = /Autumn-leaves-7|9f86d081884c7d659a2feaa0c55ad015/

const imports = (argv: readonly string[], files: Readonly<Record<string, string>>) => {
  const cwd = aDirectory(files)
  return { cwd, ran: run(['import', ...argv], { cwd, env: {} }) }
}

/** What Terraform takes a literal for, without places. */
function plain(literal: HclLiteral): unknown {
  switch (literal.kind) {
    case 'string':
    case 'number':
      return literal.text
    case 'boolean':
      return String(literal.value)
    case 'null':
      return null
    case 'list':
      return literal.items.map(plain)
    case 'map':
      return Object.fromEntries(literal.entries.map(({ key, value }) => [key, plain(value)]))
  }
}

describe.each(readdirSync(VALUES))('%s, as people write it', name => {
  const text = readFileSync(join(VALUES, name), 'utf8')

  test('becomes a set that loads, with every value as it was, and the secrets as references', async () => {
    const { ran } = imports([name], { [name]: text })
    const { code, stdout, stderr } = await ran
    expect([code, stderr.match(/SETPOINT_SECRET_\w+/g) ?? []]).toEqual([
      0,
      (SECRETS[name] ?? []).map(secret => `SETPOINT_SECRET_${secret}`),
    ])
    expect(stdout + stderr).not.toMatch(HIDDEN)
    await inDirectory({ 'sets/a.yaml': stdout, 'setpoint.yaml': 'organization: acme\n' }, async directory => {
      const { value, diagnostics } = await loadDesired({ directory })
      expect(diagnostics).toEqual([])
      const [set] = value?.sets ?? []
      expect(set?.name).toBe(name.replace('.tfvars', ''))
      const { assignments } = parseAssignments(text)
      const names = assignments.map(one => one.name)
      expect(set?.variables.map(({ key }) => nameOf(key))).toEqual(names.toSorted())
      for (const variable of set?.variables ?? []) {
        const { value: content, hcl } = variable
        const written = assignments.find(one => one.name === nameOf(variable.key))?.value
        if (!('text' in content) || written === undefined) continue
        // Code is the text of the file, to the letter.
        if (hcl) expect(content.text).toBe(text.slice(written.at, written.end))
        const parsed = hcl ? parseLiteral(content.text) : undefined
        const is = parsed === undefined ? content.text : 'value' in parsed ? plain(parsed.value) : undefined
        expect([variable.key, is]).toEqual([variable.key, plain(written)])
      }
    })
  })
})

test('several files become a set each, named after the file or its directory', async () => {
  const { ran } = imports(
    ['prod.auto.tfvars', 'shop/terraform.tfvars', 'api/.env', '.env.dev', 'b.tfvars.json', 'c.env'],
    {
      'prod.auto.tfvars': 'a = 1\n',
      'shop/terraform.tfvars': 'a = "x"\n',
      'api/.env': 'A=1\n',
      '.env.dev': "A='x y'\n",
      'b.tfvars.json': '{ "a": "${x}", "n": 1.50, "on": true, "list": [1.0, "${x}"], "nil": null }',
      'c.env': 'export B=2\n',
    },
  )
  expect((await ran).stdout).toBe(`variableSets:
  api:
    env:
      A: "1"
  b:
    terraform:
      a: "\${x}"
      "n": "1.50"
      "on": "true"
      list:
        hcl: '[1.0,"$\${x}"]'
      nil:
        hcl: "null"
  c:
    env:
      B: "2"
  dev:
    env:
      A: x y
  prod:
    terraform:
      a: "1"
  shop:
    terraform:
      a: x
`)
})

test('equal secrets share a name, others do not, and names in use are left alone', async () => {
  const { ran, cwd } = imports(['a.tfvars', 'b.env', 'c.env', '--out', 'sets'], {
    'setpoint.yaml': 'organization: acme\n',
    'sets/old.yaml': 'variableSets: { old: { env: { X: { secret: TOKEN } } } }\n',
    'a.tfvars': 'db_password = "Autumn-leaves-7"\n',
    'b.env': 'DB_PASSWORD=Autumn-leaves-7\nTOKEN=9f86d081884c7d659a2feaa0c55ad015\n',
    'c.env': 'DB_PASSWORD=Winter-leaves-8\n',
  })
  const { code, stdout, stderr } = await ran
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout.match(/SETPOINT_SECRET_\w+/g)).toEqual([
    'SETPOINT_SECRET_A_DB_PASSWORD',
    'SETPOINT_SECRET_B_DB_PASSWORD',
    'SETPOINT_SECRET_B_TOKEN',
    'SETPOINT_SECRET_C_DB_PASSWORD',
  ])
  expect(stdout).not.toMatch(HIDDEN)
  expect((await run(['validate'], { cwd, env: {} })).code).toBe(0)
})

test('--out never writes over a file, and then writes nothing', async () => {
  const { cwd, ran } = imports(['a.tfvars', 'b.tfvars', '--out', 'sets'], {
    'a.tfvars': 'x = 1\n',
    'b.tfvars': 'x = 1\n',
    'sets/b.yaml': '# mine\n',
  })
  const { code, stderr } = await ran
  expect([code, stderr]).toEqual([1, expect.stringContaining('error file-exists')])
  expect(readdirSync(join(cwd, 'sets'))).toEqual(['b.yaml'])
  expect(readFileSync(join(cwd, 'sets/b.yaml'), 'utf8')).toBe('# mine\n')
})

describe('mistakes have their places in the file, all at once, and nothing is written', () => {
  test.each([
    [
      'a.tfvars',
      'a = var.x\nb = "ok"\nc = file("x")\nd = word\nb = 2\n',
      ['1:5 invalid-hcl', '3:5 invalid-hcl', '4:5 invalid-hcl', '5:1 invalid-hcl'],
    ],
    ['a.tfvars', 'a = "x ${y}"\n', ['1:8 invalid-hcl']],
    ['a.tfvars', 'a = [1,\n', ['1:5 invalid-hcl']],
    ['a.tfvars', '# nothing\n', ['1:1 missing-key']],
    ['a.tfvars', '<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> x\n', ['1:1 yaml-syntax']],
    ['a.tfvars.json', '{ "a": 1,\n  "a": 2 }', ['2:3 duplicate-key']],
    ['a.tfvars.json', '[1]', ['1:1 wrong-type']],
    ['a.tfvars.json', '{ a: 1 }', ['1:1 wrong-type']],
    [
      '.env',
      'A=1\nnonsense\nB="x\\n"\nA=2\n',
      ['2:1 secret-syntax', '3:5 secret-syntax', '4:1 duplicate-key'],
    ],
  ])('%s %j', async (name, text, wanted) => {
    const { cwd, ran } = imports([name, '--out', 'sets'], { [name]: text })
    const { code, stdout, stderr } = await ran
    const found = [...stderr.matchAll(/^(\S+?):(\d+:\d+)\s+error (\S+)/gm)]
    expect([code, stdout, found.map(([, path]) => path)]).toEqual([1, '', wanted.map(() => name)])
    expect(found.map(([, , place, what]) => `${place} ${what}`)).toEqual(wanted)
    expect(readdirSync(cwd)).not.toContain('sets')
  })

  test('and what a set would warn of is a warning there', async () => {
    const { ran } = imports(['.env'], { '.env': 'URL=http://${HOST}/\n' })
    const { code, stderr } = await ran
    expect([code, stderr]).toEqual([0, expect.stringContaining('.env:1:1  warning literal-reference')])
  })
})

test.each([
  [[], 'Run: setpoint import FILE'],
  [['a.txt'], 'It reads .tfvars, .tfvars.json and .env.'],
  [['terraform.tfstate'], 'setpoint export --terraform-state terraform.tfstate'],
  [['none.tfvars'], 'Write the path of an existing file'],
  [['sets.tfvars'], 'Write the path of an existing file'],
  [['a/x.tfvars', 'b/x.tfvars'], 'give one set another name'],
  [['a/x.tfvars', '--out', '-'], '--out requires a directory, and without it the sets are printed.'],
])('a wrong use says what to do: %j', async (argv, hint) => {
  const { ran } = imports(argv, {
    'a.txt': '',
    'terraform.tfstate': '{}',
    'sets.tfvars/x': '',
    'a/x.tfvars': 'a = 1\n',
    'b/x.tfvars': 'a = 1\n',
  })
  const { code, stdout, stderr } = await ran
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(hint)])
})
