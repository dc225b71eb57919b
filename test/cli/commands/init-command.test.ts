import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { pipelineOf } from '../../../src/export/new-files.ts'
import { createSandbox, type SandboxSeed } from '../../../src/sandbox/index.ts'
import { aDirectory, type Ran, run } from '../../support/program.ts'

const init = (cwd: string, ...argv: readonly string[]): Promise<Ran> =>
  run(['init', 'acme', '--sandbox', '--owner', 'me', ...argv], { cwd })

describe('other files beside those of init', () => {
  test('the state of the sandbox and node_modules are ignored by Git', async () => {
    const cwd = aDirectory()
    expect((await init(cwd)).stdout).toBe(
      'setpoint.yaml\n.gitignore\n.setpoint-schemas/ (5 files)\nsets/first-set.yaml\nOwner: me. No other repository may use it.\n1 set, 1 change\n',
    )
    expect(readFileSync(join(cwd, '.gitignore'), 'utf8')).toBe('.setpoint/\nnode_modules/\n')
    expect((await run(['apply', '--sandbox', '--auto-approve'], { cwd })).code).toBe(0)
  })

  test.each([
    ['dist/\n', 'Add .setpoint/ to .gitignore: the embedded sandbox keeps its state there.\n'],
    ['dist/\r\n/.setpoint\r\n', ''],
  ])('an existing .gitignore, %j, is not changed, and missing lines are reported', async (text, printed) => {
    const cwd = aDirectory({ '.gitignore': text })
    const ran = await init(cwd)
    expect([ran.code, ran.stderr, readFileSync(join(cwd, '.gitignore'), 'utf8')]).toEqual([0, printed, text])
  })

  test('a path that is not a directory is an error', async () => {
    const cwd = aDirectory({ file: 'x' })
    expect(await init(cwd, '-C', 'file')).toEqual({
      code: 1,
      stdout: '',
      stderr: `error unwritable-file\n  ${join(cwd, 'file/setpoint.yaml')} could not be written (ENOTDIR).\n  Check that the directory exists and is writable, and that the disk is not full.\n`,
    })
  })

  test('an organization that was copied from the browser is an error that shows its name', async () => {
    const cwd = aDirectory()
    expect(await run(['init', 'https://app.terraform.io/app/acme', '--sandbox'], { cwd })).toEqual({
      code: 1,
      stdout: '',
      stderr:
        'error bad-usage\n  The name of the organization is not valid.\n  Use the name alone: acme in https://app.terraform.io/app/acme. It has no spaces and none of / ? # %, and does not begin with a dot.\n',
    })
  })

  test('a dangling link counts as an existing file', async () => {
    const cwd = aDirectory()
    symlinkSync('nowhere', join(cwd, '.gitignore'))
    const ran = await init(cwd)
    expect([ran.code, existsSync(join(cwd, 'setpoint.yaml'))]).toEqual([1, false])
    expect(ran.stderr).toContain('error file-exists')
  })

  test('the report says how to add Setpoint to package-lock.json if the pipeline cannot install it', async () => {
    const printed = (await init(aDirectory(), '--pipeline', 'gitlab')).stderr
    expect(printed).toMatch(
      /^The pipeline installs Setpoint with npm ci, from a file in this repository:\n {2}1\. /,
    )
    expect(printed).toContain('Here, run: npm install --save-dev ./setpoint-0.0.0-test.tgz\n')
    expect((await init(aDirectory(), '--pipeline', 'gitlab', '--quiet')).stderr).toBe('')
    const lock = JSON.stringify({ packages: { '': { devDependencies: { setpoint: '1' } } } })
    const installed = aDirectory({ 'package-lock.json': lock })
    expect((await init(installed, '--pipeline', 'gitlab')).stderr).toBe(
      'In .gitlab-ci.yml, replace <digest> by the digest that this prints: docker buildx imagetools inspect node:24\n',
    )
  })
})

describe('init --pipeline in a repository with a setpoint.yaml', () => {
  const FILES = { 'setpoint.yaml': 'organization: acme\n', 'package-lock.json': '{ "setpoint": 1 }' }
  const pipelineIn = (cwd: string, ...argv: readonly string[]): Promise<Ran> =>
    run(['init', '--pipeline', 'github', ...argv], { cwd })

  test('writes the pipeline alone, without a connection', async () => {
    const cwd = aDirectory({ ...FILES, '.gitignore': '.setpoint/\n' })
    const path = '.github/workflows/setpoint.yml'
    expect(await pipelineIn(cwd)).toEqual({ code: 0, stdout: `${path}\n`, stderr: '' })
    expect(readFileSync(join(cwd, path), 'utf8')).toBe(pipelineOf('github', {})?.text)
    expect(readFileSync(join(cwd, 'setpoint.yaml'), 'utf8')).toBe(FILES['setpoint.yaml'])
    const again = await pipelineIn(cwd)
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('file-exists')])
  })

  test('exports nothing if more is asked for, and says how to write the pipeline', async () => {
    for (const argv of [['acme'], ['acme', '--owner', 'me']]) {
      const { code, stderr } = await pipelineIn(aDirectory(FILES), ...argv)
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('To write the pipeline alone, run: setpoint init --pipeline github\n'),
      ])
    }
    const both = { ...FILES, '.github/workflows/setpoint.yml': '' }
    expect((await pipelineIn(aDirectory(both), 'acme')).stderr).toContain(
      'To write the pipeline alone, move .github/workflows/setpoint.yml, and run: setpoint init --pipeline github\n',
    )
    const { stderr } = await pipelineIn(aDirectory(FILES), '--owner', 'me')
    expect(stderr).toContain('Missing argument: ORGANIZATION.\n  Run: setpoint init ORGANIZATION\n')
    expect((await run(['init'], { cwd: aDirectory(FILES) })).stderr).toContain(
      'This directory has a configuration already. To add a pipeline: setpoint init --pipeline github\n',
    )
    expect((await run(['init'], { cwd: aDirectory() })).stderr).toContain('Run: setpoint init ORGANIZATION\n')
  })
})

test('init --snapshot writes the pipeline whose pull requests hold no token, and needs --pipeline', async () => {
  const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n' })
  const alone = await run(['init', '--snapshot'], { cwd })
  expect([alone.code, alone.stderr]).toEqual([
    1,
    'error bad-usage\n  --snapshot requires --pipeline.\n  Pass --pipeline github or --pipeline gitlab, too.\n',
  ])
  for (const [forge, path] of [
    ['github', '.github/workflows/setpoint.yml'],
    ['gitlab', '.gitlab-ci.yml'],
  ] as const) {
    expect((await run(['init', '--snapshot', '--pipeline', forge], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, path), 'utf8')).toBe(pipelineOf(forge, { snapshot: true })?.text)
  }
})

/** `init` in an organization that others use as well: it must not take over or invent sets. */
async function anOrganization(seed: SandboxSeed = {}) {
  const sandbox = await createSandbox({ seed: { organizations: [{ name: 'acme' }], ...seed } })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const env = { SETPOINT_ADDRESS: url, SETPOINT_TOKEN: sandbox.token }
  /** A clone in a directory with this name. */
  const aClone = (name: string) => {
    const cwd = join(aDirectory(), name)
    mkdirSync(cwd)
    return { cwd, setpoint: (...argv: string[]): Promise<Ran> => run(argv, { cwd, env }) }
  }
  return { sandbox, aClone, names: () => (sandbox.snapshot().sets ?? []).map(({ name }) => name) }
}

const set = (name: string) => ({ name, variables: [{ key: 'A', value: '1', category: 'env' }] })
const APPLY = ['apply', '--auto-approve']

describe('the owner', () => {
  test('is printed, with its source', async () => {
    const { aClone } = await anOrganization({ sets: [set('a')] })
    expect((await aClone('repo').setpoint('init', 'acme')).stdout).toContain(
      '\nOwner: repo (the name of this directory). No other repository may use it. To choose another, edit owner in setpoint.yaml.\n',
    )
    expect((await aClone('repo').setpoint('init', 'acme', '--owner', 'net')).stdout).toContain(
      '\nOwner: net. No other repository may use it.\n',
    )
  })

  test('of another repository is refused, because a prune there would delete the sets of this one', async () => {
    const { aClone, names } = await anOrganization({ sets: [set('net-a'), set('net-b'), set('web-a')] })
    const first = aClone('repo')
    expect((await first.setpoint('init', 'acme', '--only', 'net-*')).code).toBe(0)
    expect((await first.setpoint(...APPLY)).code).toBe(0)
    const second = aClone('repo')
    const ran = await second.setpoint('init', 'acme', '--only', 'web-*')
    expect(ran).toEqual({
      code: 1,
      stdout: '',
      stderr: `error owner-in-use
  The owner "repo" already has an inventory, with 2 sets that would not be written here: "net-a", "net-b".
  Nothing was written. Choose another owner with --owner NAME. If this is the same repository, write all of its sets.
`,
    })
    expect(readdirSync(second.cwd)).toEqual([])
    // Follows the hint.
    expect((await second.setpoint('init', 'acme', '--only', 'web-*', '--owner', 'web')).code).toBe(0)
    expect((await second.setpoint(...APPLY)).code).toBe(0)
    writeFileSync(join(first.cwd, 'setpoint.yaml'), 'organization: acme\nowner: repo\nprune: true\n')
    expect((await first.setpoint(...APPLY)).code).toBe(0)
    expect(names()).toEqual(expect.arrayContaining(['net-a', 'net-b', 'web-a']))
  })

  test('with an inventory is a warning if all sets of the inventory are written', async () => {
    const { aClone } = await anOrganization({ sets: [set('a'), set('b')] })
    const first = aClone('repo')
    await first.setpoint('init', 'acme')
    expect((await first.setpoint(...APPLY)).code).toBe(0)
    const ran = await aClone('repo').setpoint('init', 'acme')
    expect([ran.code, ran.stderr]).toEqual([
      0,
      `warning owner-in-use
  The owner "repo" has an inventory already. It lists 2 sets, which are all written here.
  If another repository has this owner, delete the written files and choose another owner with --owner NAME.
`,
    ])
    expect(ran.stdout).toContain('2 sets, 0 changes\n')
  })
})

describe('without a set for this repository', () => {
  test.each([
    ['an empty organization', {}, [], 'first-set'],
    ['an empty organization with a pattern', {}, ['--only', 'net-?-*'], 'net-x-first'],
  ])('%s: no set is written, and the printed instructions work', async (_, seed, argv, name) => {
    const { aClone, names } = await anOrganization(seed)
    const { cwd, setpoint } = aClone('repo')
    const ran = await setpoint('init', 'acme', ...argv)
    expect([ran.code, ran.stderr, readdirSync(cwd)]).toEqual([
      0,
      '',
      ['.gitignore', '.setpoint-schemas', 'setpoint.yaml'],
    ])
    const [before = '', file = ''] = ran.stdout.split('such as:\n\n')
    expect(before).toContain(
      'acme has no set for this repository, so no set was written. Create sets/first.yaml, ',
    )
    const [text = '', then] = file.split('\nThen run: ')
    expect(then).toBe('setpoint plan\n')
    mkdirSync(join(cwd, 'sets'))
    writeFileSync(join(cwd, 'sets/first.yaml'), text)
    expect((await setpoint('plan')).stdout).toContain(`+ ${name} `)
    expect(names()).toEqual([])
  })

  test('all sets in the inventory of another owner: no set is written', async () => {
    const { aClone } = await anOrganization({ sets: [set('a')] })
    const first = aClone('one')
    await first.setpoint('init', 'acme')
    await first.setpoint(...APPLY)
    const second = aClone('two')
    const ran = await second.setpoint('init', 'acme')
    expect([ran.code, ran.stderr.split('\n')[0], readdirSync(second.cwd)]).toEqual([
      0,
      'warning owned-by-another',
      ['.gitignore', '.setpoint-schemas', 'setpoint.yaml'],
    ])
  })

  test('--first-set writes one', async () => {
    const { aClone } = await anOrganization()
    const { cwd, setpoint } = aClone('repo')
    expect((await setpoint('init', 'acme', '--first-set')).stdout).toContain('sets/first-set.yaml\n')
    expect(readFileSync(join(cwd, 'sets/first-set.yaml'), 'utf8')).toContain('  first-set:\n')
  })
})

describe('--secrets references', () => {
  const sensitive = (name: string, key: string, more = {}) => ({
    name,
    variables: [{ key, value: 'x', category: 'terraform', sensitive: true, ...more }],
  })
  const SETS = [
    sensitive('a', 'db-password'),
    sensitive('b', 'networks', { hcl: true }),
    sensitive('c', 'db_password'),
  ]
  const LIST = `3 secrets to provide, for an apply that sends one (setpoint secrets --format github, gitlab or dotenv):
  SETPOINT_SECRET_A_DB_PASSWORD  a terraform/db-password
  SETPOINT_SECRET_C_DB_PASSWORD  c terraform/db_password
  SETPOINT_SECRET_NETWORKS  b terraform/networks
`

  test('init writes each sensitive variable as a reference, lists the names, and its plan is empty', async () => {
    const { aClone } = await anOrganization({ sets: SETS })
    const { cwd, setpoint } = aClone('repo')
    const { stdout, code } = await setpoint('init', 'acme', '--secrets', 'references')
    expect([code, stdout.slice(stdout.indexOf('3 secrets'))]).toEqual([0, `${LIST}3 sets, 0 changes\n`])
    expect(readFileSync(join(cwd, 'sets/b.yaml'), 'utf8')).toContain(
      '      networks:\n        secret: NETWORKS\n        hcl: true\n',
    )
    const listed = await setpoint('secrets', '--format', 'github')
    expect(listed.stdout.match(/^ {2}SETPOINT_SECRET_\w+/gm)).toEqual(
      LIST.match(/^ {2}SETPOINT_SECRET_\w+/gm),
    )
    expect((await setpoint('plan', '--detailed-exitcode')).code).toBe(0)
  })

  test('export does as well: with --out it prints the list on stdout, and otherwise on stderr', async () => {
    const { aClone } = await anOrganization({ sets: SETS })
    const { cwd, setpoint } = aClone('repo')
    const printed = await setpoint('export', 'acme', '--secrets', 'references')
    expect([printed.stdout.match(/secret: \w+/g), printed.stderr]).toEqual([
      ['secret: A_DB_PASSWORD', 'secret: NETWORKS', 'secret: C_DB_PASSWORD'],
      LIST,
    ])
    const written = await setpoint('export', 'acme', '--secrets', 'references', '--out', 'sets')
    expect(written).toEqual({
      code: 0,
      stdout: `sets: 3 sets, 3 variables (3 secret) in 3 new files.\n.setpoint-schemas: 5 schemas for editors.\n${LIST}`,
      stderr: '',
    })
    // A part of the sets has the same names, so that a name never means two secrets.
    const { stdout } = await setpoint('export', 'acme', '--secrets', 'references', '--only', 'c')
    expect([stdout.includes('secret: C_DB_PASSWORD'), readdirSync(cwd)]).toEqual([
      true,
      ['.setpoint-schemas', 'sets'],
    ])
  })

  test('by default secrets are external, and any other argument is refused', async () => {
    const { aClone } = await anOrganization({ sets: SETS })
    const { setpoint } = aClone('repo')
    expect((await setpoint('export', 'acme')).stdout.match(/secret: |external: true/g)).toEqual(
      Array.from({ length: 3 }, () => 'external: true'),
    )
    expect((await setpoint('export', 'acme', '--secrets', 'file.env')).code).toBe(1)
    expect((await setpoint('export', '--update', 'a', '--secrets', 'references')).code).toBe(1)
  })
})
