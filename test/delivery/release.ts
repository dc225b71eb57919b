import { createHash } from 'node:crypto'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from '../proof/place.ts'
import { readWorkflow, runSteps } from '../support/workflow.ts'
import { inFolder, pathOf, start, write, wrongWith } from './program.ts'
import { aRegistry, type Registry } from './registry.ts'

/** The promises about a release, and what broke them. */
export type Rehearsed = Readonly<Record<keyof typeof PROMISES, readonly string[]>>

export const PROMISES = {
  workflow: 'the commands of the release workflow release a pushed tag, with the notes of the changelog',
  binary:
    'the single executable has the documented exit codes, and runs the first guide of the README and the demo without Node on the PATH',
  package:
    'the package, published to a registry and installed from there, does the same, and prints the output of the examples in docs/library.md',
  sums: 'the checksums match the files, and the bill of materials lists what an installation contains',
  action: 'the tag of the action contains a bundle that runs without an installation',
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
      if (workflow.length > 0) return { workflow, binary: [], package: [], sums: [], action: [] }
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
  if (!readdirSync(unpacked).includes('LICENSES.txt')) return ['no LICENSES.txt beside the executable']
  return await wrongWith(
    { file: join(unpacked, 'setpoint'), path: pathOf(join(folder, 'only-git'), ['git']) },
    version,
  )
}

async function checkPackage(
  folder: string,
  registry: Registry,
  env: Readonly<Record<string, string>>,
): Promise<string[]> {
  const project = join(folder, 'project')
  mkdirSync(project)
  await addDependencies(folder, registry, env)
  // With its own cache, because publishing left the package in the other.
  const own = { ...env, npm_config_cache: join(folder, 'cache-of-project') }
  const { code, output } = await start('npm', ['install', 'setpoint'], { cwd: project, env: own })
  if (code !== 0) return [`npm install exits with ${code}: ${output}`]
  const isFromRegistry = registry.log.some(line => line.startsWith(`GET setpoint/-/setpoint-${version}.tgz`))
  const file = join(project, 'node_modules/.bin/setpoint')
  const path = pathOf(join(folder, 'node-and-git'), ['node', 'git'])
  return [
    ...(isFromRegistry ? [] : ['the package did not come from the registry']),
    ...(await wrongWith({ file, path }, version)),
    ...(await examples(project, path)),
  ]
}

/** Adds the dependencies of the package, as they are installed here. */
async function addDependencies(
  folder: string,
  registry: Registry,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const to = join(folder, 'dependencies')
  mkdirSync(to)
  const folders = runtimePackages().map(({ path }) => join(ROOT, path))
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', to, ...folders]
  const { code, output } = await start('npm', args, { cwd: folder, env })
  if (code !== 0) throw new Error(`npm pack: ${output}`)
  for (const path of folders) {
    const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
    // As npm pack names it: `@scope/name` becomes `scope-name`.
    const name = manifest.name.replace('@', '').replace('/', '-')
    registry.add(manifest, readFileSync(join(to, `${name}-${manifest.version}.tgz`)))
  }
}

/** The packages of an installation, from the lock file. */
function runtimePackages(): { path: string; named: string }[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'))
  return Object.entries<{ dev?: boolean; version: string }>(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true)
    .map(([path, { version }]) => ({ path, named: `${path.replace(/^.*node_modules\//, '')}@${version}` }))
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
  const bill = JSON.parse(readFileSync(join(release, 'setpoint.cdx.json'), 'utf8'))
  const components: { name: string; version: string }[] = bill.components
  const has = components.map(({ name, version }) => `${name}@${version}`).toSorted()
  const wanted = runtimePackages()
    .map(({ named }) => named)
    .toSorted()
  if (has.join() !== wanted.join())
    found.push(`the bill of materials lists ${has.join(', ')}, but an installation has ${wanted.join(', ')}`)
  return found
}

/** Like a runner, with the tagged commit and Node. */
async function checkAction(folder: string): Promise<string[]> {
  const program = join(folder, 'action/dist/bundle/setpoint.js')
  const path = pathOf(join(folder, 'only-node'), ['node'])
  const args = [program, 'demo', join(folder, 'action-demo')]
  const { code, output } = await start('node', args, { cwd: folder, env: { PATH: path, HOME: folder } })
  return code === 0 ? [] : [`its bundle exits with ${code}: ${output}`]
}
