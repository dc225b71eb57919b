import { resolve } from 'node:path'
import { statusOf } from '../config/read.ts'
import { isTrackedHere } from '../git/git.ts'
import { type Diagnostic, mistake } from '../model/diagnostic.ts'
import { quotedPath } from '../model/names.ts'
import { type DesiredState, wantedSecrets } from '../model/variable-set.ts'
import { shellWord } from '../report/neutralise.ts'
import { openSecrets, type RunSecrets, secretsFromEnvironment } from '../secrets/open.ts'
import { endIfStopped, fail, required } from './commands/ending.ts'
import type { Run } from './run.ts'

/** The secrets of `--secrets` and the environment. */
export async function openRunSecrets(run: Run): Promise<RunSecrets> {
  const tracked = trackedSource(run)
  if (tracked !== undefined) fail(run, tracked)
  const opened = await openSecrets(run.options.secrets, run)
  endIfStopped(run)
  return required(run, opened)
}

/** An error if the source of secrets is in the repository: everyone who reads it has them, and whoever changes it chooses them. */
function trackedSource({ cwd, env, options: { secrets = '-' } }: Run): Diagnostic | undefined {
  const tracked = secrets === '-' ? false : isTrackedHere(cwd, secrets, env)
  if (tracked === false) return undefined
  const isDirectory = statusOf(resolve(cwd, secrets))?.isDirectory() === true
  const reason =
    tracked === true
      ? 'Git tracks it in this repository: everyone who reads the repository has these secrets'
      : `it is unknown whether Git tracks it: ${tracked}`
  return mistake(
    'secret-file',
    `--secrets ${quotedPath(secrets)}: ${reason}.`,
    tracked === true
      ? `Replace these secrets, which the history has, and ${isDirectory ? 'keep them out of the repository.' : `run: git rm --cached -- ${shellWord(secrets)}`}`
      : 'Install git, keep the file out of the repository, or pass the secrets on standard input: --secrets -',
  )
}

/** As `hideSecrets`, for a command that sends none: those of the environment. */
export const hideEnvironment = (run: Run, desired: DesiredState | undefined): void =>
  hideSecrets(run, desired, secretsFromEnvironment(run.env))

/** Redacts these secrets in all output from here on: the service knows them from this run or an earlier one. */
export function hideSecrets(
  run: Run,
  desired: DesiredState | undefined,
  secrets: Pick<RunSecrets, 'all'>,
): void {
  const wanted = wantedSecrets(desired?.sets ?? []).map(({ name }) => name)
  for (const [name, secret] of secrets.all(wanted)) secret.tell(run.redactor, `[secret ${name}]`)
  run.redactor.spare(desired)
}
