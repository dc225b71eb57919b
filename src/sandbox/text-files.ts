import { parse } from 'yaml'
import type { Fault, FaultSchedule } from './faults.ts'
import { isObject } from './request.ts'
import { type SandboxSeed, SeedError } from './seed.ts'
import { checkSeed } from './seed-shape.ts'

/** Reads a seed from YAML or JSON text. Throws SeedError, also for errors of the YAML. */
export function parseSeed(source: string): SandboxSeed {
  try {
    return checkSeed(parse(source, { schema: 'core', maxAliasCount: 0 }) ?? {})
  } catch (error) {
    if (error instanceof SeedError) throw error
    throw new SeedError([error instanceof Error ? error.message : 'not YAML'])
  }
}

type Member = readonly (string | number)[] | 'number'

/** Each kind of fault, with its members and their allowed values. */
const KINDS: Readonly<Record<Fault['kind'], Readonly<Record<string, Member>>>> = {
  close: { commit: ['before', 'after'] },
  'too-many': { hint: ['seconds', 'date', 'reset', 'silent'], wait: 'number' },
  error: { status: [500, 502, 503, 504], commit: ['before', 'after'] },
  html: { commit: ['before', 'after'] },
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
  const problems: string[] = []
  const value = read(source)
  const {
    at = {},
    probability = 0,
    faults = [],
    seed = 1,
    methods,
    ...unknown
  } = isObject(value) ? value : {}
  if (!isObject(value)) problems.push('must be a map')
  for (const name of Object.keys(unknown)) problems.push(`${name}: is not known`)
  if (typeof probability !== 'number' || !(probability >= 0 && probability <= 1)) {
    problems.push('probability: must be a number from 0 to 1')
  }
  if (typeof seed !== 'number') problems.push('seed: must be a number')
  if (!isObject(at)) problems.push('at: must be a map')
  for (const [index, fault] of Object.entries(isObject(at) ? at : {})) {
    if (!/^\d+$/.test(index))
      problems.push(`at.${index}: must be the number of a request, the first one is 0`)
    checkFault(fault, `at.${index}`, problems)
  }
  if (!Array.isArray(faults)) problems.push('faults: must be a list')
  for (const [index, fault] of (Array.isArray(faults) ? faults : []).entries()) {
    checkFault(fault, `faults[${index}]`, problems)
  }
  if (methods !== undefined && !(Array.isArray(methods) && methods.every(one => typeof one === 'string'))) {
    problems.push('methods: must be a list of texts')
  }
  if (problems.length > 0) throw new SeedError(problems, 'The fault schedule')
  return {
    at: at as Readonly<Record<number, Fault>>,
    probability: Number(probability),
    faults: faults as readonly Fault[],
    seed: Number(seed),
    ...(methods === undefined ? {} : { matches: request => (methods as string[]).includes(request.method) }),
  }
}

function read(source: string): unknown {
  try {
    return parse(source, { schema: 'core', maxAliasCount: 0 }) ?? {}
  } catch (error) {
    throw new SeedError([error instanceof Error ? error.message : 'not YAML'], 'The fault schedule')
  }
}

function checkFault(fault: unknown, at: string, problems: string[]): void {
  const { kind, ...members } = isObject(fault) ? fault : {}
  if (typeof kind !== 'string' || !Object.hasOwn(KINDS, kind)) {
    problems.push(`${at}.kind: must be one of ${Object.keys(KINDS).join(', ')}`)
    return
  }
  const shape = KINDS[kind as Fault['kind']]
  for (const name of Object.keys(members)) {
    if (!Object.hasOwn(shape, name)) problems.push(`${at}.${name}: is not known for ${kind}`)
  }
  for (const [name, allowed] of Object.entries(shape)) {
    const member = members[name]
    if (allowed === 'number') {
      if (typeof member !== 'number' || member < 0) problems.push(`${at}.${name}: must be a number from 0 up`)
    } else if (!allowed.some(one => one === member)) {
      problems.push(`${at}.${name}: must be one of ${allowed.join(', ')}`)
    }
  }
}
