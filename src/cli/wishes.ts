import { fingerprintsFrom, LEAST_KEY } from '../apply/fingerprints.ts'
import type { SecretSource } from '../apply/secrets.ts'
import { Git } from '../git/git.ts'
import { wasEverWritten } from '../git/history.ts'
import { type Checked, hasErrors } from '../model/diagnostic.ts'
import type { PlanRequest } from '../run/prepare.ts'
import { loadBase } from './base.ts'
import type { Io } from './io.ts'
import type { Options } from './options.ts'

/** Environment variables with keys for fingerprints: the current one, and the one before it while it is changed. */
const KEYS = ['SETPOINT_FINGERPRINT_KEY', 'SETPOINT_FINGERPRINT_KEY_PREVIOUS'] as const

/** What flags and environment ask of a plan beside the files. */
export async function wishesFrom(
  io: Io,
  options: Options,
  organization: string,
  source: SecretSource,
): Promise<Checked<PlanRequest>> {
  const given = KEYS.flatMap(name => {
    const key = io.env[name]
    return key === undefined || key === '' ? [] : [{ name, key }]
  })
  const weak = given.filter(({ key }) => key.length < LEAST_KEY)
  if (weak.length > 0)
    return {
      value: undefined,
      diagnostics: weak.map(({ name }) => ({
        severity: 'error',
        code: 'bad-usage',
        message: `${name} has fewer than ${LEAST_KEY} characters.`,
        hint: 'A key that can be guessed gives away every secret that it fingerprints. Make one: openssl rand -hex 32',
      })),
    }
  const keys = given.map(({ key }) => key)
  const base = await loadBase(io, options)
  if (hasErrors(base.diagnostics)) return { value: undefined, diagnostics: base.diagnostics }
  return {
    value: {
      tool: io.version,
      adopt: options.adopt,
      rewrite: options.rewrite,
      wasDeclared: name => wasDeclared(io, options, name),
      fingerprintOf: fingerprintsFrom(source, organization, keys),
      ...(base.value === undefined ? {} : { base: base.value }),
    },
    diagnostics: base.diagnostics,
  }
}

/** As a key of a set file below the directory of the run, in any commit. */
async function wasDeclared({ env }: Io, { directory }: Options, name: string): Promise<boolean | undefined> {
  const git = Git.around(directory, env)
  const literal = name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
  return git === undefined
    ? undefined
    : await wasEverWritten(git, directory, `(^|[[:space:]{,"'])${literal}["']?[[:space:]]*:`)
}
