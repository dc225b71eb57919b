import { parse } from 'yaml'
import type { Fault, FaultSchedule } from './faults.ts'
import { isObject } from './request.ts'
import {
  among,
  type Check,
  checkSeed,
  listOf,
  mapOf,
  members,
  numberFrom,
  type SandboxSeed,
  SeedError,
  text,
} from './seed.ts'

export { type Commit, type Fault, type FaultSchedule, withFaults, withLatency } from './faults.ts'
export type { Listening, ListenOptions } from './listen.ts'
export { LockedError } from './lock.ts'
export { type Profile, profileOf } from './profile.ts'
export type { Permission, ProjectPermission } from './records.ts'
export { createSandbox, type MadePlaces, type Sandbox, type SandboxOptions } from './sandbox.ts'
export {
  DEFAULT_SEED,
  type OrganizationSeed,
  type ProjectSeed,
  type SandboxSeed,
  SeedError,
  type SetSeed,
  type SnapshotOptions,
  type StackSeed,
  type TokenSeed,
  type VariableSeed,
  type WorkspaceSeed,
} from './seed.ts'
export { BEHAVIOURS, SERVERS, type ServerName, type Traits } from './servers.ts'
export { SandboxFileError } from './state-file.ts'
export { type RateLimitOptions, type WaitHint, withRateLimit } from './too-many-requests.ts'

/** Reads a seed from YAML or JSON text. Throws SeedError, also for errors of the YAML. */
export const parseSeed = (source: string): SandboxSeed => checkSeed(read(source))

const commit = among('before', 'after')

/** Each kind of fault, with its members. */
const KINDS: Readonly<Record<Fault['kind'], Check>> = {
  close: fault({ commit }),
  'too-many': fault({ hint: among('seconds', 'date', 'reset', 'silent'), wait: numberFrom(0) }),
  error: fault({ status: among(500, 502, 503, 504), commit }),
  html: fault({ commit }),
  truncated: fault({}),
  cut: fault({}),
  stalled: fault({}),
  empty: fault({}),
}

function fault(checks: Readonly<Record<string, Check>>): Check {
  return members({ kind: text, ...checks }, Object.keys(checks))
}

const checkFault: Check = (value, at) => {
  const kind = isObject(value) ? value.kind : undefined
  const known = Object.entries(KINDS).find(([name]) => name === kind)
  return known === undefined ? among(...Object.keys(KINDS))(kind, `${at}.kind`) : known[1](value, at)
}

const checkNumbered: Check = (value, at) => [
  ...Object.keys(isObject(value) ? value : {}).flatMap(index =>
    /^\d+$/.test(index) ? [] : [`${at}.${index}: must be the number of a request, the first one is 0`],
  ),
  ...mapOf(checkFault)(value, at),
]

const SCHEDULE = members(
  {
    at: checkNumbered,
    probability: numberFrom(0, 1),
    faults: listOf(checkFault),
    seed: numberFrom(0),
    methods: listOf(text),
  },
  [],
  'the schedule',
)

/**
 * Reads a schedule from YAML or JSON text: `at` (a map from request number to fault), `probability` with `faults`, `seed`, and
 * `methods` (other methods are not counted). Throws SeedError with every mistake.
 */
export function parseFaults(source: string): FaultSchedule {
  const value = read(source, 'The fault schedule')
  const problems = SCHEDULE(value, '')
  if (problems.length > 0) throw new SeedError(problems, 'The fault schedule')
  const { methods, ...schedule } = value as Omit<FaultSchedule, 'matches'> & { methods?: readonly string[] }
  return { ...schedule, ...(methods && { matches: ({ method }) => methods.includes(method) }) }
}

function read(source: string, what?: string): unknown {
  try {
    return parse(source, { schema: 'core', maxAliasCount: 0 }) ?? {}
  } catch (error) {
    throw new SeedError([error instanceof Error ? error.message : 'not YAML'], what)
  }
}
