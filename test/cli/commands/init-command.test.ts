import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { pipelineOf } from '../../../src/export/new-files.ts'
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
    expect(readFileSync(join(cwd, path), 'utf8')).toBe(readFileSync('pipelines/github.yml', 'utf8'))
    expect(readFileSync(join(cwd, 'setpoint.yaml'), 'utf8')).toBe(FILES['setpoint.yaml'])
    const again = await pipelineIn(cwd)
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('file-exists')])
  })

  test('exports nothing if more is asked for, and says how to write the pipeline', async () => {
    for (const argv of [['acme'], ['acme', '--owner', 'me']]) {
      const { code, stderr } = await pipelineIn(aDirectory(FILES), ...argv)
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining(
          'To write the pipeline alone, move the existing one, and run: setpoint init --pipeline github\n',
        ),
      ])
    }
    const { stderr } = await pipelineIn(aDirectory(FILES), '--owner', 'me')
    expect(stderr).toContain('Missing argument: ORGANIZATION.')
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
