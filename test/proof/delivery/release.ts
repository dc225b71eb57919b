import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { readWorkflow, runSteps } from '../../support/workflow.ts'
import { ROOT } from '../place.ts'
import { inFolder, pathOf, start, write, wrongWith } from './program.ts'
import { aRegistry, type Registry } from './registry.ts'

/** The promises about a release, and what broke them. */
export type Rehearsed = Readonly<Record<keyof typeof PROMISES, readonly string[]>>

export const PROMISES = {
  workflow: 'the commands of the release workflow release a pushed tag, with the notes of the changelog',
  binary:
    'the single executable has the documented exit codes, and runs the first guide of the README and the demo without Node on the PATH',
  package:
    'the package, published to a registry and installed from there alone, does the same, and prints the output of the examples in docs/library.md',
  sums: 'the checksums match the files, and the bills of materials list what the package and the executable contain',
  action: 'the tag of the action contains a bundle that runs without an installation',
  global: 'the command of the README installs a copy of the checkout, and not a link to it',
} as const

const { version }: { version: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const TOKEN = 'token-of-the-rehearsal'

/** Steps that are skipped: packages are installed already, the tests run this rehearsal, and the demo runs below. */
const LEFT_OUT = ['install', 'test', 'try']

/** A release of the working tree, as if it were committed and tagged, with its own registry and remote. */
export async function rehearse(): Promise<Rehearsed> {
  return await inFolder(async folder => {
    const [repository, remote, home] = ['repository', 'remote.git', 'home'].map(name =>
      join(folder, name),
    ) as [string, string, string]
    mkdirSync(home)
    const registry = await aRegistry(TOKEN)
    // Like a runner, without the settings of this machine.
    const env = {
      PATH: `${pathOf(join(folder, 'stubs'), [])}:${process.env.PATH}`,
      HOME: home,
      GIT_CONFIG_GLOBAL: '/dev/null',
      npm_config_registry: registry.url,
      npm_config_update_notifier: 'false',
      npm_config_cache: join(folder, 'cache'),
      npm_config_userconfig: join(home, 'npmrc'),
    }
    writeFileSync(join(home, 'npmrc'), `//${new URL(registry.url).host}/:_authToken=${TOKEN}\n`)
    writeFileSync(join(folder, 'stubs/gh'), `#!/bin/sh\nprintf '%s\\n' "$@" > '${folder}/gh-called'\n`, {
      mode: 0o755,
    })
    const git = async (...args: readonly string[]): Promise<void> => {
      const named = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test']
      const { code, output } = await start('git', [...named, ...args], { cwd: repository, env })
      if (code !== 0) throw new Error(`git ${args.join(' ')}: ${output}`)
    }
    try {
      await copyTracked(repository)
      await git('init', '--quiet', '--bare', remote)
      await git('init', '--quiet')
      await git('add', '--all')
      await git('commit', '--quiet', '--message=release')
      await git('remote', 'add', 'origin', remote)
      symlinkSync(join(ROOT, 'node_modules'), join(repository, 'node_modules'))
      const workflow = await runWorkflow(repository, env)
      if (workflow.length > 0) return { workflow, binary: [], package: [], sums: [], action: [], global: [] }
      const called = readFileSync(join(folder, 'gh-called'), 'utf8').split('\n')
      if (!called.includes('--verify-tag') || !called.includes(`release/setpoint-${version}.tgz`))
        workflow.push(`gh was called with ${called.join(' ')}`)
      const notes = readFileSync(join(repository, 'release/notes.md'), 'utf8').trim()
      if (notes !== NOTES) workflow.push(`the notes are ${notes}`)
      await git('clone', '--quiet', '--branch', `action-v${version}`, remote, join(folder, 'action'))
      return {
        workflow,
        binary: await checkBinary(folder, repository),
        package: await checkPackage(folder, registry, env),
        sums: await checkSums(folder, repository),
        action: await checkAction(folder),
        global: await checkGlobal(folder, repository, env),
      }
    } finally {
      registry.close()
    }
  })
}

const NOTES = '### Added\n- What the rehearsal says.'

/** The tracked files of the repository, with the changelog of a release. */
async function copyTracked(to: string): Promise<void> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { output } = await start('git', args, { cwd: ROOT, env: process.env })
  mkdirSync(to)
  for (const path of output.split('\0').filter(path => path !== '' && existsSync(join(ROOT, path)))) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    copyFileSync(join(ROOT, path), join(to, path))
  }
  write(to, {
    'CHANGELOG.md': `# Changelog\n\n## ${version} - 2026-01-01\n\n${NOTES}\n\n## 0.0.1\n\n- Older.\n`,
  })
}

/** Runs every job in order, in one directory that stands for the artifacts between them. */
async function runWorkflow(cwd: string, env: Readonly<Record<string, string>>): Promise<string[]> {
  const workflow = readWorkflow(join(ROOT, '.github/workflows/release.yml'))
  const context = { 'matrix.platform': 'here', 'github.token': 'x', 'github.repository': 'owner/setpoint' }
  for (const { steps } of Object.values(workflow.jobs)) {
    const kept = steps.filter(({ name = '' }) => !LEFT_OUT.includes(name))
    const runs = await runSteps(kept, { cwd, context, env: { ...env, GITHUB_REF_NAME: `v${version}` } })
    const failed = runs.find(({ code }) => code !== 0)
    if (failed !== undefined) return [`${failed.name} exits with ${failed.code}: ${failed.output}`]
  }
  return []
}

async function checkBinary(folder: string, repository: string): Promise<string[]> {
  const unpacked = join(folder, 'binary')
  mkdirSync(unpacked)
  const file = join(repository, `release/setpoint-${version}-here.tar.gz`)
  await start('tar', ['-xzf', file], { cwd: unpacked, env: process.env })
  if (!readdirSync(unpacked).includes('THIRD-PARTY.txt')) return ['no THIRD-PARTY.txt beside the executable']
  const program = join(unpacked, 'setpoint')
  return [
    ...(process.platform === 'linux' ? await wrongLibraries(program) : []),
    ...(await wrongWith({ file: program, path: pathOf(join(folder, 'only-git'), ['git']) }, version)),
  ]
}

/** Libraries that the executable needs beside those of glibc, and that docs/start.md does not name; or the other way round. */
async function wrongLibraries(program: string): Promise<string[]> {
  const { output } = await start('ldd', [program], { cwd: dirname(program), env: process.env })
  const needed = [...output.matchAll(/^\s*(lib\S+\.so\.\d+) =>/gm)].map(([, name = '']) => name)
  const more = needed.filter(name => !/^lib(?:c|m|dl|pthread|rt)\.so/.test(name)).toSorted()
  const page = readFileSync(join(ROOT, 'docs/start.md'), 'utf8')
  const named = [...page.matchAll(/`(lib\S+\.so\.\d+)`/g)].map(([, name = '']) => name).toSorted()
  return more.join() === named.join() && named.length > 0
    ? []
    : [`it needs ${more.join(', ')}, and docs/start.md names ${named.join(', ')}`]
}

async function checkPackage(
  folder: string,
  registry: Registry,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const project = join(folder, 'project')
  mkdirSync(project)
  // With its own cache, because publishing left the package in the other.
  const own = { ...env, npm_config_cache: join(folder, 'cache-of-project') }
  const before = registry.log.length
  const args = ['install', 'setpoint', '--no-bin-links']
  const { code, output } = await start('npm', args, { cwd: project, env: own })
  if (code !== 0) return [`npm install exits with ${code}: ${output}`]
  const asked = registry.log.slice(before).join(', ')
  const program = join(project, 'node_modules/setpoint/dist/bundle/setpoint.js')
  const path = pathOf(join(folder, 'node-and-git'), ['node', 'git'])
  return [
    ...(asked === `GET setpoint, GET setpoint/-/setpoint-${version}.tgz` ? [] : [`npm asked for ${asked}`]),
    ...(await wrongWith({ file: 'node', first: [program], path }, version)),
    ...(await examples(project, path)),
  ]
}

/** Runs the examples of docs/library.md as scripts of a project that has installed the package. */
async function examples(project: string, path: string): Promise<string[]> {
  const page = readFileSync(join(ROOT, 'docs/library.md'), 'utf8')
  const found: string[] = []
  for (const [, file = '', body = ''] of page.matchAll(/^```yaml\n(# (\S+)\n[\s\S]*?)^```$/gm))
    write(project, { [body]: file })
  const blocks = [...page.matchAll(/^```js\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm)]
  for (const [, code = '', printed] of blocks) {
    write(project, { 'example.mjs': code })
    const { output } = await start('node', ['example.mjs'], {
      cwd: project,
      env: { PATH: path, HOME: project },
    })
    if (withoutGaps(output) !== withoutGaps(printed))
      found.push(`an example of docs/library.md prints ${output}`)
  }
  return blocks.length < 3 ? [...found, 'docs/library.md has lost its examples'] : found
}

/** The page omits the empty line at the end of logged texts. */
const withoutGaps = (text = ''): string => text.replace(/\n\s*\n/g, '\n').trimEnd()

async function checkSums(folder: string, repository: string): Promise<string[]> {
  const release = join(repository, 'release')
  const found: string[] = []
  const lines = readFileSync(join(release, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')
  const named = lines.map(line => line.slice(66))
  const files = readdirSync(release).filter(name => name !== 'SHA256SUMS' && name !== 'notes.md')
  if (named.join() !== files.toSorted().join())
    found.push(`sums of ${named.join(', ')}, files ${files.join(', ')}`)
  for (const [at, name] of named.entries()) {
    const sum = createHash('sha256')
      .update(readFileSync(join(release, name)))
      .digest('hex')
    if (!lines[at]?.startsWith(`${sum}  `)) found.push(`the checksum of ${name} does not match`)
  }
  // As SECURITY.md says, for one downloaded file.
  const check = join(folder, 'check')
  mkdirSync(check)
  const downloaded = `setpoint-${version}.tgz`
  for (const name of [downloaded, 'SHA256SUMS']) copyFileSync(join(release, name), join(check, name))
  const verify = () =>
    start('sha256sum', ['--check', '--ignore-missing', 'SHA256SUMS'], { cwd: check, env: process.env })
  const good = await verify()
  if (good.code !== 0) found.push(`sha256sum exits with ${good.code}: ${good.output}`)
  writeFileSync(join(check, downloaded), 'another')
  if ((await verify()).code === 0) found.push('sha256sum accepts a changed file')
  return [...found, ...wrongBills(repository)]
}

/** What is wrong with the bills of materials of the package and of the executable. */
function wrongBills(repository: string): string[] {
  const terms = readFileSync(join(repository, 'dist/bundle/THIRD-PARTY.txt'), 'utf8')
  const inside = [...terms.matchAll(/^(@?[\w./-]+) (\d\S*) \(/gm)].map(([, name, of]) => `${name}@${of}`)
  const wanted = {
    'setpoint.cdx.json': inside,
    'setpoint-here.cdx.json': [...inside, `node@${process.versions.node}`],
  }
  const sum = createHash('sha256').update(readFileSync(process.execPath)).digest('hex')
  return Object.entries(wanted).flatMap(([file, names]) => {
    const { metadata, components }: Bill = JSON.parse(readFileSync(join(repository, 'release', file), 'utf8'))
    const has = components.map(({ name, version }) => `${name}@${version}`)
    const node = components.find(({ name }) => name === 'node')
    return [
      metadata.component.name === 'setpoint' ? [] : [`${file} is of ${metadata.component.name}`],
      has.toSorted().join() === names.toSorted().join()
        ? []
        : [`${file} lists ${has.join(', ')} instead of ${names.join(', ')}`],
      components.every(({ hashes }) => hashes.length === 1)
        ? []
        : [`${file} has a component without a checksum`],
      node === undefined || node.hashes[0]?.content === sum ? [] : [`${file} has another checksum of Node`],
    ].flat()
  })
}

interface Bill {
  readonly metadata: { readonly component: { readonly name: string } }
  readonly components: readonly {
    readonly name: string
    readonly version: string
    readonly hashes: readonly { readonly content: string }[]
  }[]
}

/** Runs the README's command in a checkout, which is gone when the program runs. */
async function checkGlobal(
  folder: string,
  repository: string,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const [, command = 'false'] = /^(npm install --global .*)$/m.exec(readme) ?? []
  const prefix = join(folder, 'prefix')
  const own = { ...env, npm_config_prefix: prefix, npm_config_registry: 'http://127.0.0.1:9' }
  const installed = await start('bash', ['-c', command], { cwd: repository, env: own })
  if (installed.code !== 0) return [`${command} exits with ${installed.code}: ${installed.output}`]
  renameSync(repository, `${repository}-moved`)
  const { output } = await start(join(prefix, 'bin/setpoint'), ['--version'], { cwd: folder, env: own })
  return output === `${version}\n` ? [] : [`the installed command prints ${output}`]
}

/** Like a runner, with the tagged commit and Node. */
async function checkAction(folder: string): Promise<string[]> {
  const program = join(folder, 'action/dist/bundle/setpoint.js')
  const path = pathOf(join(folder, 'only-node'), ['node'])
  const setting = { cwd: folder, env: { PATH: path, HOME: folder } }
  const calls = [
    ['demo', join(folder, 'action-demo')],
    ['schema', 'sets'],
  ]
  const ended = await Promise.all(calls.map(args => start('node', [program, ...args], setting)))
  return ended.flatMap(({ code, output }) => (code === 0 ? [] : [`its bundle exits with ${code}: ${output}`]))
}
