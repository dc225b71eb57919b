import { execFile, execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCHEMA_NAMES, WRITTEN_SCHEMAS } from '../src/run/schema-names.gen.ts'
import { aDirectory } from './support/program.ts'
import { publishedSchema, schemaFile } from './support/published.ts'

/** The packed package in an empty directory, without a registry: what a user and a pipeline install. Needs a build. */
const ROOT = resolve(import.meta.dirname, '..')
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const PROGRAM = 'node_modules/setpoint/dist/bundle/setpoint.js'
const FILES = {
  'setpoint.yaml': 'organization: acme\n',
  'sets/a.yaml': 'variableSets:\n  aws: { env: { AWS_REGION: eu-west-1 } }\n',
}
const packages = { setpoint: '', other: '' }

/** No registry answers on this port, and no cache has a package. */
const environment = (home: string): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: home,
  npm_config_registry: 'http://127.0.0.1:9',
  npm_config_cache: join(home, 'cache'),
  npm_config_fetch_retries: '0',
  npm_config_update_notifier: 'false',
})

function pack(folder: string, to: string): string {
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', to, folder]
  return join(to, execFileSync('npm', args, { cwd: folder, env: environment(to), encoding: 'utf8' }).trim())
}

const shellIn = (cwd: string, command: string) => {
  const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', command], {
    cwd,
    env: environment(cwd),
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

/** The output of a script beside the installation. */
const script = async (cwd: string, name: string, code: string): Promise<string> => {
  writeFileSync(join(cwd, name), code)
  return (await promisify(execFile)(process.execPath, [name], { cwd, env: environment(cwd) })).stdout
}

/** As docs/start.md#install says, with another package where the test wants one. */
function anInstallation(...more: readonly string[]): string {
  const cwd = aDirectory(FILES)
  const ran = shellIn(
    cwd,
    `npm install --save-dev '${packages.setpoint}' ${more.map(path => `'${path}'`).join(' ')}`,
  )
  expect([ran.status, ran.stderr]).toEqual([0, ''])
  return cwd
}

const installedIn = (cwd: string): string[] =>
  readdirSync(join(cwd, 'node_modules')).filter(name => !name.startsWith('.'))

const folder = mkdtempSync(join(tmpdir(), 'setpoint-packed-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeAll(() => {
  packages.setpoint = pack(ROOT, folder)
  const other = join(folder, 'other')
  mkdirSync(other)
  const manifest = { name: 'aaa-lint-helper', version: '1.0.0', bin: { setpoint: 'x.js' } }
  writeFileSync(join(other, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(other, 'x.js'), '#!/usr/bin/env node\nconsole.log("This is not our program.")\n')
  packages.other = pack(other, folder)
})

describe('the package', () => {
  test('has no dependencies: an installation without a registry is complete, and the command works', () => {
    const cwd = anInstallation()
    expect(installedIn(cwd)).toEqual(['setpoint'])
    const ran = shellIn(
      cwd,
      `node ${PROGRAM} --version; node ${PROGRAM} apply --sandbox --auto-approve; node ${PROGRAM} schema sets`,
    )
    expect([ran.status, ran.stderr]).toEqual([0, ''])
    expect(ran.stdout).toContain(`${version}\n`)
    expect(ran.stdout).toContain('Applied: 1 created. Verified by reading the service back.')
    expect(ran.stdout).toContain('"variableSets"')
  })

  test('has a library, as an ES module and as CommonJS', async () => {
    const cwd = anInstallation()
    const use = 'plan({ sandbox: true }).then(({ report }) => console.log(report.steps.map(step => step.id)))'
    expect(await script(cwd, 'a.mjs', `import { plan } from 'setpoint'\n${use}`)).toBe(
      "[ 'create-set aws' ]\n",
    )
    expect(await script(cwd, 'b.cjs', `const { plan } = require('setpoint')\n${use}`)).toBe(
      "[ 'create-set aws' ]\n",
    )
    const all = await script(
      cwd,
      'c.mjs',
      "import * as all from 'setpoint'\nconsole.log(Object.keys(all).join())",
    )
    expect(all).toContain('TransportError,affected,apply')
  })

  test('has a sandbox, which shares its classes with the library', async () => {
    const cwd = anInstallation()
    const code = `import { apply, TransportError } from 'setpoint'
import { createSandbox, parseSeed, SeedError, withFaults } from 'setpoint/sandbox'
const sandbox = await createSandbox({ seed: parseSeed('organizations: [{ name: acme }]') })
const { exitCode } = await apply({ sandbox, autoApprove: true })
console.log(exitCode, sandbox.snapshot().sets.map(({ name }) => name))
const closing = withFaults(sandbox.transport, { at: { 0: { kind: 'close', commit: 'before' } } })
await closing({ method: 'GET', path: '/api/v2/ping', headers: {} }).catch(error => console.log(error instanceof TransportError))
try { parseSeed('[') } catch (error) { console.log(error instanceof SeedError) }
await sandbox.close()
`
    expect(await script(cwd, 'a.mjs', code)).toBe("0 [ 'aws' ]\ntrue\ntrue\n")
  })

  test('has type declarations that need no other package', () => {
    const cwd = anInstallation()
    const code = `import { type ApplyOutput, apply, TransportError } from 'setpoint'
import { createSandbox, type Sandbox } from 'setpoint/sandbox'
export async function use(): Promise<ApplyOutput> {
  const sandbox: Sandbox = await createSandbox({})
  const transport = new TransportError('x', { sent: 'no', code: 'ECONNRESET' })
  const done = await apply({ sandbox, autoApprove: true, env: {}, format: 'json' })
  const code: number = done.exitCode
  const first: string | undefined = done.diagnostics[0]?.code
  return code === 0 && first === undefined && transport.sent === 'no' ? done : done
}
`
    const wrong = "import { apply } from 'setpoint'\nexport const done = apply({ autoApprov: true })\n"
    for (const [name, text] of Object.entries({ 'a.mts': code, 'b.cts': code, 'c.mts': wrong }))
      writeFileSync(join(cwd, name), text)
    const compile = (...files: readonly string[]): string => {
      const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--lib', 'es2023,dom', '--ignoreConfig']
      const compiler = join(ROOT, 'node_modules/.bin/tsc')
      return spawnSync(compiler, [...flags, ...files], { cwd, encoding: 'utf8' }).stdout
    }
    expect(compile('a.mts', 'b.cts')).toBe('')
    expect(compile('c.mts')).toContain("'autoApprov' does not exist")
  })

  test('has every schema: its command prints them, programs import them, and editors get copies', async () => {
    const cwd = anInstallation()
    const run = (...commands: readonly string[]) =>
      shellIn(cwd, commands.map(command => `node ${PROGRAM} ${command}`).join('; '))
    expect(run('schema').stdout).toBe(SCHEMA_NAMES.map(name => `${name}\n`).join(''))
    const code = `const texts = ${JSON.stringify(SCHEMA_NAMES)}.map(name => require('setpoint/schemas/' + name + '.schema.json'))
console.log(JSON.stringify(texts))\n`
    const imported: unknown[] = JSON.parse(await script(cwd, 'a.cjs', code))
    expect(imported).toEqual(SCHEMA_NAMES.map(publishedSchema))
    const texts = SCHEMA_NAMES.map(name => readFileSync(schemaFile(name), 'utf8'))
    expect(run(...SCHEMA_NAMES.map(name => `schema ${name}`)).stdout).toBe(texts.join(''))
    expect(run('validate --fix-schema').stderr).toContain('.setpoint-schemas/sets.schema.json')
    for (const name of WRITTEN_SCHEMAS)
      expect(readFileSync(join(cwd, `.setpoint-schemas/${name}.schema.json`), 'utf8')).toBe(
        readFileSync(schemaFile(name), 'utf8'),
      )
  })

  test('contains nothing but the bundle, the schemas and pages', () => {
    const paths = readdirSync(join(anInstallation(), 'node_modules/setpoint'), {
      recursive: true,
      encoding: 'utf8',
    })
    const folders = new Set(
      paths.map(path => path.split('/').slice(0, 2).join('/')).filter(path => !/^docs\//.test(path)),
    )
    expect([...folders].toSorted()).toEqual([
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'dist',
      'dist/bundle',
      'dist/schemas',
      'docs',
      'package.json',
    ])
    const code = paths.filter(path => /\.[cm]?[jt]s$/.test(path) && !path.endsWith('.d.ts'))
    expect(code.filter(path => !/^dist\/bundle\/[\w.-]+\.js$/.test(path))).toEqual([])
    expect(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).dependencies).toBeUndefined()
  })
})

describe('a fresh clone', () => {
  test('has every schema after its build, and the first lines of its examples name files that are in Git', () => {
    const root = aDirectory({})
    const tracked = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], { cwd: ROOT })
    const paths = tracked
      .toString()
      .split('\0')
      .filter(path => existsSync(join(ROOT, path)) && path !== '')
    for (const path of paths) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      cpSync(join(ROOT, path), join(root, path))
    }
    symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'))
    const lines = paths
      .filter(path => path.startsWith('examples/') && path.endsWith('.yaml'))
      .flatMap(path => {
        const [, named] =
          /^# yaml-language-server: \$schema=(.*)$/m.exec(readFileSync(join(root, path), 'utf8')) ?? []
        return named === undefined ? [] : [relative(root, join(root, dirname(path), named))]
      })
    expect(lines.length).toBeGreaterThan(0)
    expect(lines.filter(path => !paths.includes(path))).toEqual([])
    const built = shellIn(root, 'npm run --silent build')
    expect([built.status, built.stderr]).toEqual([0, ''])
    const calls = SCHEMA_NAMES.map(name => `node dist/bundle/setpoint.js schema ${name}`)
    const texts = SCHEMA_NAMES.map(name => readFileSync(schemaFile(name), 'utf8'))
    expect(shellIn(root, calls.join('; ')).stdout).toBe(texts.join(''))
  })
})

describe('a dependency with a bin that is called setpoint', () => {
  const INSTALL = 'npm ci --ignore-scripts --no-bin-links'
  /** What installs and runs in jobs. */
  const PIPELINES = [
    'pipelines/github.yml',
    'pipelines/gitlab.yml',
    'templates/setpoint/template.yml',
    'examples/06-github-actions/.github/workflows/setpoint.yml',
    'examples/08-gitlab-ci/.gitlab-ci.yml',
    'examples/13-run-what-changed/.github/workflows/setpoint.yml',
    'examples/13-run-what-changed/.gitlab-ci.yml',
    'examples/many-organizations/matrix.yml',
    'examples/many-organizations/gitlab-ci.yml',
  ]

  /** Each call runs the command of Setpoint that it names. */
  function expectOurs(cwd: string, calls: readonly string[]): void {
    for (const call of new Set(calls)) {
      const { status, stdout } = shellIn(cwd, `${call} --help`)
      const [first] = stdout.split('\n')
      expect([call, status, first?.startsWith(`Usage: setpoint ${call.split(' ').at(-1)}`)]).toEqual([
        call,
        0,
        true,
      ])
    }
  }

  test('takes the name where packages are linked, so it is a real attack', () => {
    const cwd = anInstallation(packages.other)
    expect(shellIn(cwd, 'npm ci --ignore-scripts > /dev/null; node_modules/.bin/setpoint').stdout).toBe(
      'This is not our program.\n',
    )
  })

  test('does not run in any job of a pipeline', () => {
    const cwd = anInstallation(packages.other)
    const texts = PIPELINES.map(path => readFileSync(join(ROOT, path), 'utf8'))
    const found = (pattern: RegExp): string[][] =>
      texts.map(text => [...text.matchAll(pattern)].map(([line]) => line))
    const calls = found(/node node_modules\/\S+ \w+/g)
    expect(calls.filter(one => one.length === 0)).toEqual([])
    const installs = found(/npm ci[^;\]\n]*/g)
    expect(new Set(installs.map(one => [...new Set(one)].join()))).toEqual(new Set([INSTALL]))
    expect(shellIn(cwd, INSTALL)).toMatchObject({ status: 0, stderr: '' })
    expect(readdirSync(join(cwd, 'node_modules')).toSorted()).toEqual([
      '.package-lock.json',
      'aaa-lint-helper',
      'setpoint',
    ])
    expectOurs(cwd, calls.flat())
  })

  test.each([
    // As pnpm 10 and Yarn 4 with `nodeLinker: node-modules` leave it.
    ['pnpm', 'mkdir .pnpm && mv setpoint .pnpm/setpoint@file && ln -s .pnpm/setpoint@file setpoint'],
    ['Yarn 4', 'ln -sf ../aaa-lint-helper/x.js .bin/setpoint'],
  ])('does not run in the layout of %s, which links bins', (_, layout) => {
    const cwd = anInstallation(packages.other)
    expect(shellIn(cwd, `cd node_modules && ${layout}`)).toMatchObject({ status: 0, stderr: '' })
    expect(readdirSync(join(cwd, 'node_modules/.bin'))).toEqual(['setpoint'])
    const install = readFileSync(join(ROOT, 'docs/start.md'), 'utf8')
    const [call = ''] = /^node node_modules\S+ plan$/m.exec(install) ?? []
    expectOurs(cwd, [call])
  })
})
