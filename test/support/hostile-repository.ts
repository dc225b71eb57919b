import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { aDirectory, type Ran, run } from './program.ts'

/** Git with the identity of a test author, and without the settings of this machine. */
export function git(cwd: string, ...args: readonly string[]): string {
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.test']
  const env = { PATH: process.env.PATH, GIT_CONFIG_NOSYSTEM: '1', HOME: cwd }
  return execFileSync('git', [...identity, ...args], { cwd, env, stdio: 'pipe', encoding: 'utf8' })
}

export function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
}

export const set = (region: string): string => `variableSets:\n  aws:\n    env: { AWS_REGION: ${region} }\n`
export const FILES = { 'infra/setpoint.yaml': 'organization: acme\n', 'infra/sets/a.yaml': set('eu-west-1') }

/** A repository with a commit on `main`, and a change that is not committed. */
export function aRepository(files: Readonly<Record<string, string>> = FILES): string {
  const root = aDirectory(files)
  git(root, 'init', '-q', '-b', 'main')
  git(root, 'add', '.')
  git(root, 'commit', '-qm', 'Begin')
  write(root, { 'infra/sets/a.yaml': set('eu-north-1') })
  return root
}

/** The program in a directory, with git and with this home. */
export const runIn = (
  cwd: string,
  argv: readonly string[],
  { HOME = '/nowhere', ...env }: Readonly<Record<string, string>> = {},
): Promise<Ran> => run(argv, { cwd, env: { PATH: process.env.PATH ?? '', ...env }, io: { home: HOME } })

/** A program outside of the repository that records that it ran, and what it saw. */
export function aTrap(): { readonly command: string; readonly sprung: () => boolean } {
  const place = aDirectory()
  const command = join(place, 'trap')
  writeFileSync(command, `#!/bin/sh\nenv > ${place}/sprung\ncat 2>/dev/null\n`)
  chmodSync(command, 0o755)
  return { command, sprung: () => existsSync(join(place, 'sprung')) }
}

/** Every setting by which a repository makes git run a program while files are listed, read or written. */
export const traps = (command: string): string => `
[core]
  fsmonitor = ${command}
  hooksPath = ${dirname(command)}
  sshCommand = ${command}
  pager = ${command}
  editor = ${command}
  gitProxy = ${command}
  alternateRefsCommand = ${command}
[alias]
  rev-parse = !${command}
  ls-files = !${command}
  cat-file = !${command}
[filter "trap"]
  smudge = ${command}
  clean = ${command}
  process = ${command}
  required = true
[diff]
  external = ${command}
[diff "trap"]
  textconv = ${command}
[pager]
  ls-files = ${command}
  cat-file = ${command}
[credential]
  helper = ${command}
[extensions]
  partialClone = origin
[remote "origin"]
  url = ext::${command}
  promisor = true
  partialclonefilter = blob:none
  uploadpack = ${command}
[protocol]
  allow = always
`
