import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type CredentialSources,
  hasOrganizationTokens,
  ownVariable,
  type TokenDirectory,
  type TokenPlaces,
} from '../../api/tokens.ts'
import { listDirectory, type ReadProblem, readInside, realPath } from '../../config/read.ts'
import { linkInTheWay } from '../../git/work-tree.ts'
import { type Checked, mistake } from '../../model/diagnostic.ts'
import type { Run } from '../run.ts'

/** Where this run may take tokens from: the only function that makes places of options and environment. */
export const tokenPlaces = ({ cwd, env, home, options: { tokens } }: Run): TokenPlaces => ({
  environment: env,
  home,
  directory: tokens === undefined ? undefined : { path: resolve(cwd, tokens) },
})

/** The same, to be read. */
export function credentialSources(run: Run): Checked<CredentialSources> {
  const { value: directory, diagnostics } = tokenDirectory(run)
  if (diagnostics.length > 0) return { value: undefined, diagnostics }
  return { value: { ...tokenPlaces(run), readFile: readIfThere, directory }, diagnostics }
}

/** Where the token of an organization belongs, if organizations have tokens of their own: for hints. */
export function ownTokenName({ env, options }: Run, organization: string): string | undefined {
  if (options.sandbox) return undefined
  if (options.tokens !== undefined) return `${options.tokens}/${organization}`
  return hasOrganizationTokens(env) ? ownVariable(organization) : undefined
}

/**
 * The directory of `--tokens`, as a secret is mounted into a container: each file is a link to `..data/NAME`, so links are followed inside
 * the directory. It is not reached through a link of the repository, because a pull request could redirect it.
 */
function tokenDirectory({ cwd, options: { tokens: written } }: Run): Checked<TokenDirectory> {
  if (written === undefined) return { value: undefined, diagnostics: [] }
  const path = resolve(cwd, written)
  const link = linkInTheWay(cwd, path)
  const entries = link === undefined ? listDirectory(path) : `cannot be used: ${link}`
  const root = realPath(path)
  if (typeof entries === 'string' || root === undefined) {
    // What there is not may be a token itself.
    const named = root === undefined ? 'The directory' : JSON.stringify(written)
    const message = `--tokens: ${named} ${typeof entries === 'string' ? entries : 'cannot be read'}.`
    return { value: undefined, diagnostics: [mistake('unreadable-file', message, NAMES)] }
  }
  // Exactly these names, also where the system ignores case.
  const names = new Set(entries.map(({ name }) => name))
  return {
    value: {
      path: written,
      tokenOf: organization => {
        if (organization.startsWith('.') || !names.has(organization)) return undefined
        const result = readInside(root, join(root, organization), LARGEST_TOKEN)
        return 'problem' in result
          ? { problem: PROBLEMS[result.problem] }
          : Buffer.from(result.bytes).toString()
      },
    },
    diagnostics: [],
  }
}

const NAMES = 'It is a directory with a file for each organization, whose name is that of the organization.'

/** Characters. Far more than a token has. */
const LARGEST_TOKEN = 64 * 1024

const PROBLEMS: Readonly<Record<ReadProblem, string>> = {
  missing: 'is in a file that is a link to nothing',
  outside: 'is in a file that is a link out of the directory',
  'not-a-file': 'is not in a regular file',
  'too-large': `is in a file of more than ${LARGEST_TOKEN} bytes`,
  unreadable: 'cannot be read',
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
