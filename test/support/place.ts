import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  createSandbox,
  type ListenOptions,
  type Sandbox,
  type SandboxOptions,
  type SandboxSeed,
  type SetSeed,
} from '../../src/sandbox/index.ts'
import { printedSets } from './printed-sets.ts'
import { aDirectory, type Ran, run, type Surroundings } from './program.ts'

type Files = Readonly<Record<string, string>>

/** A repository, and a service over HTTP. */
export interface Place {
  readonly cwd: string
  readonly sandbox: Sandbox
  readonly url: string
  /** The environment that a run needs. */
  readonly env: Readonly<Record<string, string>>
  /** Runs the program against this service. */
  readonly setpoint: (argv: readonly string[], other?: Partial<Surroundings>) => Promise<Ran>
  readonly write: (files: Files) => void
  /** Replaces the sets of the service, as another client would. */
  readonly change: (sets: readonly SetSeed[]) => void
  /** The sets of the service, one line each, with the values of secrets. */
  readonly live: () => string[]
}

export const SEED: SandboxSeed = {
  organizations: [{ name: 'acme' }],
  workspaces: [{ name: 'w' }, { name: 'x' }],
  projects: [{ name: 'p' }],
}

/** Stacks for assignments of tests. */
const STACKS = [...'abc'].map(letter => ({
  id: `st-${letter.repeat(16)}`,
  name: `stack-${letter}`,
  project: 'p',
}))

/** `sets` are added to the service; `files` are those of the repository, in addition to a plain `setpoint.yaml`. */
export async function aPlace(
  files: Files,
  {
    sets = [],
    profile = {},
    traits = {},
    now = () => new Date(),
    ...listen
  }: ListenOptions & Pick<SandboxSeed, 'sets'> & Pick<SandboxOptions, 'profile' | 'traits' | 'now'> = {},
): Promise<Place> {
  const sandbox = await createSandbox({ seed: { ...SEED, stacks: STACKS, sets }, profile, traits, now })
  onTestFinished(() => sandbox.close())
  const { url } = await sandbox.listen(listen)
  const cwd = aDirectory({ 'setpoint.yaml': 'organization: acme\n', ...files })
  const env = { SETPOINT_ADDRESS: url, SETPOINT_TOKEN: sandbox.token }
  return {
    cwd,
    sandbox,
    url,
    env,
    setpoint: (argv, other = {}) => run(argv, { cwd, ...other, env: { ...env, ...other.env } }),
    write: written => writeFiles(cwd, written),
    change: changed => sandbox.restore({ ...SEED, stacks: STACKS, sets: changed }),
    live: () => printedSets(sandbox.snapshot({ sensitive: true })),
  }
}

export function writeFiles(cwd: string, files: Files): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, path)), { recursive: true })
    writeFileSync(join(cwd, path), text)
  }
}

/** One set with one variable. */
export const ONE = { 'sets/a.yaml': 'variableSets: { a: { env: { A: 1 } } }\n' }

/** A service with `SILENT` refuses the set `a`, but a look-up does not show that the workspace is missing. */
export const REFUSED = 'a: { workspaces: [ws-ZZZZZZZZZZZZZZZ9] }'
export const SILENT = { traits: { lookUps: 'no' } } as const

/** What an apply by the digest alone prints before its first write. */
export const TO_FINISH = /^If this apply stops halfway, the rest needs a new review: setpoint plan.*\n/m
