import { matchesPattern } from '../model/names.ts'

const NAMES = new Set([
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'pnpm-workspace.yaml',
  'bun.lock',
  '.npmrc',
  '.yarnrc.yml',
  '.pnpmfile.cjs',
  '.nvmrc',
  '.node-version',
  '.tool-versions',
  '.gitlab-ci.yml',
  'setpoint.yaml',
  'CODEOWNERS',
  'Dockerfile',
])

/**
 * Whether a change of a path needs an approval of its own: it decides which program a pipeline runs, or what that program lets
 * through. `named` adds paths and patterns, such as those of configurations, relative to the root of the repository.
 */
export const guardOf =
  (named: readonly string[]) =>
  (path: string): boolean => {
    const parts = path.split('/')
    const name = parts.at(-1) ?? ''
    return (
      NAMES.has(name) ||
      /\.tgz$|^action\.ya?ml$/.test(name) ||
      parts.some(part => part === '.github' || part === '.gitlab' || part === 'node_modules') ||
      (parts.at(-2) === 'rules' && /\.ya?ml$/.test(name)) ||
      // Here `*` also matches `/`: rather guard a file too many than one too few.
      named.some(one => matchesPattern(one.replaceAll('**/', '*'), path))
    )
  }
