import { parse } from 'yaml'
import type { Fault, FaultSchedule } from './faults.ts'
import { isObject } from './request.ts'
import {
  among,
  type Check,
  checkSeed,
  listOf,
  map,
  numberFrom,
  type SandboxSeed,
  SeedError,
  text,
} from './seed.ts'

export { type Commit, type Fault, type FaultSchedule, withFaults, withLatency } from './faults.ts'
export type { Listening, ListenOptions } from './listen.ts'
export { LockedError } from './lock.ts'
export {
  AXES,
  type Axis,
  type AxisValue,
  DEFAULT_PROFILE,
  type Expectation,
  type Profile,
  profileOf,
} from './profile.ts'
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
export { SandboxFileError } from './state-file.ts'
export { type RateLimitOptions, type WaitHint, withRateLimit } from './too-many-requests.ts'

/** Reads a seed from YAML or JSON text. Throws SeedError, also for errors of the YAML. */
export const parseSeed = (source: string): SandboxSeed => checkSeed(read(source))

const commit = among('before', 'after')

/** Each kind of fault, with its members. */
const KINDS: Readonly<Record<Fault['kind'], Readonly<Record<string, Check>>>> = {
  close: { commit },
  'too-many': { hint: among('seconds', 'date', 'reset', 'silent'), wait: numberFrom(0) },
  error: { status: among(500, 502, 503, 504), commit },
  html: { commit },
  truncated: {},
  cut: {},
  stalled: {},
  empty: {},
}

/**
 * Reads a schedule from YAML or JSON text: `at` (a map from request number to fault), `probability` with `faults`, `seed`, and
 * `methods` (other methods are not counted). Throws SeedError with every mistake.
 */
export function parseFaults(source: string): FaultSchedule {
  const value = read(source, 'The fault schedule')
  const {
    at = {},
    probability = 0,
    faults = [],
    seed = 1,
    methods,
    ...unknown
  } = isObject(value) ? value : {}
  const planned = Object.entries(isObject(at) ? at : {})
  const problems = [
    ...(isObject(value) ? [] : ['must be a map']),
    ...Object.keys(unknown).map(name => `${name}: is not known`),
    ...numberFrom(0, 1)(probability, 'probability'),
    ...(typeof seed === 'number' ? [] : ['seed: must be a number']),
    ...map(at, 'at'),
    ...planned.flatMap(([index, fault]) => [
      ...(/^\d+$/.test(index) ? [] : [`at.${index}: must be the number of a request, the first one is 0`]),
      ...checkFault(fault, `at.${index}`),
    ]),
    ...listOf(checkFault)(faults, 'faults'),
    ...(listOf(text)(methods ?? [], '').length === 0 ? [] : ['methods: must be a list of strings']),
  ]
  if (problems.length > 0) throw new SeedError(problems, 'The fault schedule')
  return {
    at: at as FaultSchedule['at'],
    probability: Number(probability),
    faults: faults as readonly Fault[],
    seed: Number(seed),
    matches: methods === undefined ? undefined : ({ method }) => (methods as string[]).includes(method),
  }
}

function read(source: string, what?: string): unknown {
  try {
    return parse(source, { schema: 'core', maxAliasCount: 0 }) ?? {}
  } catch (error) {
    throw new SeedError([error instanceof Error ? error.message : 'not YAML'], what)
  }
}

const checkFault: Check = (fault, at) => {
  const { kind, ...given } = isObject(fault) ? fault : {}
  if (typeof kind !== 'string' || !Object.hasOwn(KINDS, kind))
    return among(...Object.keys(KINDS))(kind, `${at}.kind`)
  const members = KINDS[kind as Fault['kind']]
  const unknown = Object.keys(given).filter(name => !Object.hasOwn(members, name))
  return [
    ...unknown.map(name => `${at}.${name}: is not known for ${kind}`),
    ...Object.entries(members).flatMap(([name, check]) => check(given[name], `${at}.${name}`)),
  ]
}
