import { resolve } from 'node:path'
import { credentialsFiles } from '../api/credentials.ts'
import { type LoadOptions, loadDesired } from '../config/load.ts'
import { hasErrors } from '../model/diagnostic.ts'
import type { DesiredState } from '../model/variable-set.ts'
import type { Io } from './io.ts'
import type { Options } from './options.ts'
import { sayDiagnostics } from './say.ts'

/** The files, or `undefined` after every mistake in them was said. Warnings are said and do not stop. */
export async function loadFiles(
  io: Io,
  options: Options,
  onOrganization: (organization: string) => void = () => {},
): Promise<DesiredState | undefined> {
  const { value, diagnostics } = await loadDesired({ ...loadOptions(io, options), onOrganization })
  sayDiagnostics(io, options, diagnostics)
  return hasErrors(diagnostics) ? undefined : value
}

export const loadOptions = (io: Io, options: Options): LoadOptions => ({
  directory: resolve(io.cwd, options.directory),
  ...(options.config === undefined ? {} : { config: options.config }),
  ...(io.env.SETPOINT_ORGANIZATION ? { organization: io.env.SETPOINT_ORGANIZATION } : {}),
  limits: options.limits,
  environment: io.env,
  secretPlaces: secretPlaces(io, options),
  ...(io.env.SETPOINT_PARSER === 'whole' ? { parser: 'whole' } : {}),
})

/** What `--secrets` names, and the files that a token may come from. */
const secretPlaces = ({ cwd, env, home }: Io, { secrets = '-' }: Options): string[] => [
  ...(secrets === '-' ? [] : [resolve(cwd, secrets)]),
  ...credentialsFiles(env, home),
]
