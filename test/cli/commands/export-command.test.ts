import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSandbox, type SandboxSeed } from '../../../src/sandbox/index.ts'
import { aDirectory, type Ran, run } from '../../support/program.ts'

const SETPOINT = { 'setpoint.yaml': 'organization: acme\n' }

/** A directory with a connection to its own service. */
async function aPlace(seed: SandboxSeed, files: Readonly<Record<string, string>> = SETPOINT) {
  const sandbox = await createSandbox({ seed: { organizations: [{ name: 'acme' }], ...seed } })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen()
  const cwd = aDirectory(files)
  const env = { SETPOINT_ADDRESS: url, SETPOINT_TOKEN: sandbox.token }
  const setpoint = (...argv: string[]): Promise<Ran> => run(argv, { cwd, env })
  return { cwd, env, setpoint, sandbox }
}

const set = (name: string, value = '1', more = {}) => ({
  name,
  variables: [{ key: 'A', value, category: 'env' }],
  ...more,
})

const codes = ({ stderr }: Ran): string[] =>
  [...stderr.matchAll(/^(?:error|warning) ([\w-]+)/gm)].map(([all]) => all)

describe('export', () => {
  test('writes a set of a project, as a plan says of one that no file has', async () => {
    const { setpoint } = await aPlace({
      projects: [{ name: 'platform' }],
      sets: [set('a'), set('b', '1', { parent: 'platform' })],
    })
    await setpoint('export', '--only', 'a', '--out', 'sets')
    const { stdout } = await setpoint('plan', '--verbose')
    const [, command = ''] = /b: owned by a project, .* \(to manage: setpoint (.*)\)/.exec(stdout) ?? []
    expect(stdout).not.toContain('does not manage')
    expect((await setpoint(...command.replace('NAME', 'b').split(' '))).code).toBe(0)
    expect((await setpoint('plan')).stdout).toContain('No changes. 2 sets equal.')
  })

  test('refers to the schema relative to the written file, wherever it is run', async () => {
    const { cwd, setpoint } = await aPlace(
      { sets: [set('a')] },
      { ...SETPOINT, 'infra/setpoint.yaml': 'organization: acme\n', 'elsewhere/.git/HEAD': '' },
    )
    const schemaOf = async (out: string, ...argv: string[]): Promise<string | undefined> => {
      expect((await setpoint('export', '--out', out, ...argv)).code).toBe(0)
      const [line = ''] = readFileSync(
        join(cwd, argv.includes('-C') ? 'infra' : '', out, 'a.yaml'),
        'utf8',
      ).split('\n')
      const [, named = ''] = line.split('$schema=')
      const file = join(cwd, argv.includes('-C') ? 'infra' : '', out, named)
      expect(readFileSync(file, 'utf8')).toContain('urn:setpoint:schema:sets:1')
      return named.replace('.setpoint-schemas/sets.schema.json', 'HERE')
    }
    expect(await schemaOf('sets')).toBe('../HERE')
    expect(await schemaOf('deep/er')).toBe('../../HERE')
    expect(await schemaOf('infra/sets')).toBe('../HERE')
    expect(await schemaOf('more', '-C', 'infra')).toBe('../HERE')
    expect(await schemaOf('../elsewhere/sets/x', '-C', 'infra')).toBe('../../HERE')
  })

  test('leaves equal files unchanged, and if a file differs writes nothing and lists all such files', async () => {
    const { cwd, setpoint } = await aPlace({ sets: [set('a'), set('b'), set('c')] })
    await setpoint('export', '--out', 'sets', '--only', 'a')
    expect((await setpoint('export', '--out', 'sets', '--only', 'a')).stdout).toContain('1 file as before')
    writeFileSync(join(cwd, 'sets/b.yaml'), 'mine')
    symlinkSync('/nowhere', join(cwd, 'sets/c.yaml'))
    const refused = await setpoint('export', '--out', 'sets')
    expect({ code: refused.code, codes: codes(refused) }).toEqual({ code: 1, codes: ['error file-exists'] })
    for (const path of ['sets/b.yaml', 'sets/c.yaml']) expect(refused.stderr).toContain(join(cwd, path))
    expect(readFileSync(join(cwd, 'sets/b.yaml'), 'utf8')).toBe('mine')
  })

  test.each([
    [['export', '--only', 'zz*'], 'unmatched-selection'],
    [['export', 'nope'], 'service-failure'],
    [['export', '--one-file'], 'bad-usage'],
    [['export', '--out', ''], 'bad-usage'],
    [['export', '--out', '-'], 'bad-usage'],
    [['export', '--update', 'a', '--out', 'x'], 'bad-usage'],
    [['export', '--out', 'setpoint.yaml'], 'unwritable-file'],
    [['export', '--terraform-state', 'missing.tfstate'], 'unreadable-file'],
    [['export', '--terraform-state', 'setpoint.yaml'], 'state-format'],
    [['export', '--terraform-state', '-'], 'bad-usage'],
  ])('%j is refused with %s', async (argv, code) => {
    const { cwd, setpoint } = await aPlace({ sets: [set('a')] })
    const ran = await setpoint(...argv)
    expect({ code: ran.code, codes: codes(ran), stdout: ran.stdout }).toEqual({
      code: 1,
      codes: [`error ${code}`],
      stdout: '',
    })
    expect(readdirSync(cwd)).toEqual(['setpoint.yaml'])
  })
})

describe('init', () => {
  test('writes the sets of an organization, and the first plan has no changes', async () => {
    const { cwd, setpoint } = await aPlace(
      { workspaces: [{ name: 'web' }], sets: [set('a', '1', { workspaces: ['web'] }), set('b')] },
      {},
    )
    const ran = await setpoint('init', 'acme', '--owner', 'net', '--pipeline', 'github')
    expect(ran).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^The pipeline installs Setpoint with npm ci, from a file in this repository:\n(?: {2}\d\. .*\n){4}$/,
      ),
      stdout:
        'setpoint.yaml\n.github/workflows/setpoint.yml\n.gitignore\n.setpoint-schemas/ (5 files)\nsets/ (2 files)\nOwner: net. No other repository may use it.\n2 sets, 0 changes\n',
    })
    expect(readFileSync(join(cwd, 'setpoint.yaml'), 'utf8')).toBe(
      '# yaml-language-server: $schema=.setpoint-schemas/setpoint.schema.json\norganization: acme\nowner: net\n',
    )
    expect((await setpoint('plan', '--detailed-exitcode')).code).toBe(0)
  })

  test.each([
    [['init'], 'bad-usage'],
    [['init', 'a b'], 'bad-usage'],
    [['init', 'acme', '--owner', '-x'], 'bad-usage'],
    [['init', 'nope'], 'service-failure'],
  ])('%j is refused with %s, and nothing is written', async (argv, code) => {
    const { cwd, setpoint } = await aPlace({ sets: [set('a')] }, {})
    const ran = await setpoint(...argv)
    expect({ code: ran.code, codes: codes(ran), files: readdirSync(cwd) }).toEqual({
      code: 1,
      codes: [`error ${code}`],
      files: [],
    })
  })
})

test('init writes the address of its service into the pipeline, but none of this machine', async () => {
  const written = async (address: string): Promise<string> => {
    const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n' })
    const { code } = await run(['init', '--pipeline', 'github'], { cwd, env: { TFE_ADDRESS: address } })
    expect(code).toBe(0)
    return readFileSync(join(cwd, '.github/workflows/setpoint.yml'), 'utf8')
  }
  expect(await written('https://tfe.example.com/')).toContain(
    '\nenv: { SETPOINT_ADDRESS: "https://tfe.example.com" }\n',
  )
  for (const address of ['', 'http://127.0.0.1:8080'])
    expect(await written(address)).not.toContain('SETPOINT_ADDRESS')
})
