import { join } from 'node:path'
import { CONFIGURATIONS, pathInRepository, repositoryRoot } from '../config/read.ts'
import { matchesPattern } from '../model/names.ts'
import { LARGEST, readUpTo } from '../run/read-file.ts'
import type { CommandContext } from './io.ts'

/** Whether a change of a path needs an approval of its own, for the files of this run. */
export const guardIn = async (io: CommandContext): Promise<(path: string) => boolean> =>
  guardOf([...namedFiles(io), ...(await localPackages(io.cwd))])

/** Files that decide what runs under names of their own, relative to the root of the repository: patterns. */
const namedFiles = ({ cwd, env, options: { config, guard } }: CommandContext): string[] => [
  ...(config === undefined ? [] : [pathInRepository(cwd, config)]),
  ...guard,
  ...(env.CI_CONFIG_PATH ? [env.CI_CONFIG_PATH] : []),
]

/**
 * Whether a change of a path needs an approval of its own: it decides which program a pipeline runs, or what that program lets
 * through. `named` adds paths and patterns, such as those of configurations, relative to the root of the repository.
 */
const guardOf =
  (named: readonly string[]) =>
  (path: string): boolean => {
    const parts = path.split('/')
    const name = parts.at(-1) ?? ''
    return (
      GUARDED.has(name) ||
      GUARDED_NAMES.test(name) ||
      parts.some(part => GUARDED_DIRECTORIES.has(part)) ||
      // Rules, without their cases, and groups that rules ask for.
      (/\.ya?ml$/i.test(name) &&
        parts.some((part, at) => part === 'groups' || (part === 'rules' && parts[at + 1] !== 'tests'))) ||
      // Here `*` also matches `/`: rather guard a file too many than one too few.
      named.some(one => matchesPattern(one.replaceAll('**/', '*'), path))
    )
  }

const GUARDED_DIRECTORIES = new Set(['.github', '.gitlab', '.mise', '.yarn', 'mise', 'node_modules'])

/** Actions, archives that may be packages, Plug'n'Play of Yarn, and mise. */
const GUARDED_NAMES = /^action\.ya?ml$|\.(?:tgz|tar|tar\.\w+)$|^\.pnp\.|^\.?mise\.(?:.*\.)?toml$/

/** Files with these names list where packages come from. */
const LISTS_OF_PACKAGES = [
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'bun.lock',
]

const GUARDED = new Set([
  ...LISTS_OF_PACKAGES,
  'bun.lockb',
  'bunfig.toml',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  '.nvmrc',
  '.node-version',
  '.tool-versions',
  '.gitlab-ci.yml',
  ...CONFIGURATIONS,
  'groups.yaml',
  'groups.yml',
  'CODEOWNERS',
  'Dockerfile',
])

/**
 * Directories of the repository that an installation takes packages from: patterns, relative to the root of the repository. Lists of
 * packages name them after `file:` and similar, and the lock file of npm also as a path.
 */
async function localPackages(cwd: string): Promise<string[]> {
  const paths: string[] = []
  for (const directory of new Set([repositoryRoot(cwd), cwd]))
    for (const name of LISTS_OF_PACKAGES) {
      const { text = '' } = await readUpTo(LARGEST, join(directory, name))
      for (const [, one = '', path = one] of text.matchAll(LOCAL_PACKAGE))
        paths.push(pathInRepository(directory, path))
    }
  return paths.filter(path => path !== '.').flatMap(path => [path, `${path}/*`])
}

const LOCAL_PACKAGE = /(?:file|link|portal|workspace):([\w@./-]+)|"resolved":\s*"([\w@./-]+)"/g
