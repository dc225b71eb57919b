import { describe, expect, test } from 'vitest'
import type { ListenOptions, SetSeed } from '../../src/sandbox/index.ts'
import { aPlace, ONE, type Place, REFUSED, SILENT } from '../support/place.ts'
import type { Surroundings } from '../support/program.ts'

const REFUSED_SET = `variableSets: { ${REFUSED} }\n`
const ASSIGNED: SetSeed = { name: 'a', workspaces: ['w'] }

interface Case {
  readonly when: string
  readonly argv: readonly string[]
  readonly code: number
  readonly files?: Readonly<Record<string, string>>
  readonly sets?: readonly SetSeed[]
  readonly with?: Partial<Surroundings>
  /** In stdout or stderr. */
  readonly output: string | RegExp
  readonly live?: readonly string[]
  readonly service?: typeof SILENT
  /** A signal at the service's first request with this method. */
  readonly first?: { readonly method: string; readonly signal: 'SIGINT' | 'SIGTERM' }
}

const INVALID = { 'sets/a.yaml': 'variableSets: { a: { evn: {} } }\n' }
const SECRET = { 'sets/a.yaml': 'variableSets: { a: { env: { S: { secret: S } } } }\n' }
const REMOVED = { 'sets/a.yaml': 'removed: [a]\n' }
const UNREACHABLE = { env: { SETPOINT_ADDRESS: 'http://127.0.0.1:1' } }

const CASES: readonly Case[] = [
  {
    when: 'the files are valid',
    argv: ['validate'],
    code: 0,
    output: 'Valid: 1 set, 1 variable in 2 files.',
  },
  { when: 'a file is invalid', argv: ['validate'], code: 1, files: INVALID, output: 'Did you mean "env"' },

  { when: 'there are no changes', argv: ['plan'], code: 0, files: REMOVED, output: 'No changes.' },
  { when: 'there are changes', argv: ['plan'], code: 0, output: '1 set is created: 1 request' },
  { when: 'there are changes', argv: ['plan', '--detailed-exitcode'], code: 2, output: '1 request' },
  {
    when: 'there are no changes',
    argv: ['plan', '--detailed-exitcode'],
    code: 0,
    files: REMOVED,
    output: 'No changes.',
  },
  {
    when: 'a guard blocks',
    argv: ['plan', '--detailed-exitcode'],
    code: 4,
    files: REMOVED,
    sets: [ASSIGNED],
    output: 'BLOCKED',
    live: ['a  -> w'],
  },
  { when: 'a guard blocks', argv: ['plan'], code: 0, files: REMOVED, sets: [ASSIGNED], output: 'BLOCKED' },
  { when: 'a file is invalid', argv: ['plan'], code: 1, files: INVALID, output: 'unknown-key' },
  { when: 'the service is unreachable', argv: ['plan'], code: 1, with: UNREACHABLE, output: 'ECONNREFUSED' },
  {
    when: 'SIGINT arrives during a read',
    argv: ['plan'],
    code: 130,
    output: 'Interrupted. Nothing was written.',
    first: { method: 'GET', signal: 'SIGINT' },
  },
  {
    when: 'SIGTERM arrives during a read',
    argv: ['plan'],
    code: 143,
    output: 'Interrupted. Nothing was written.',
    first: { method: 'GET', signal: 'SIGTERM' },
  },

  { when: 'there are no changes', argv: ['apply'], code: 0, files: REMOVED, output: 'No changes.' },
  {
    when: 'all changes are applied',
    argv: ['apply', '--auto-approve'],
    code: 0,
    output: 'Applied: 1 created. Verified by reading the service back.',
    live: ['a  env/A=1'],
  },
  {
    when: 'a file is invalid',
    argv: ['apply', '--auto-approve'],
    code: 1,
    files: INVALID,
    output: 'unknown-key',
  },
  {
    when: 'a secret is missing',
    argv: ['apply', '--auto-approve'],
    code: 1,
    files: SECRET,
    output: 'export',
  },
  {
    when: 'the service is unreachable',
    argv: ['apply', '--auto-approve'],
    code: 1,
    with: UNREACHABLE,
    output: 'ECONNREFUSED',
  },
  {
    when: 'the only write is refused by the service',
    argv: ['apply', '--auto-approve'],
    code: 1,
    files: { 'sets/a.yaml': REFUSED_SET },
    service: SILENT,
    output:
      /422.*No workspace with the id[\s\S]*Next: correct sets\/a\.yaml:\d+, then review what is left, then apply it: setpoint plan/,
  },
  {
    when: 'a write with a secret is refused by the service',
    argv: ['apply', '--auto-approve'],
    code: 1,
    files: {
      'sets/a.yaml':
        'variableSets: { a: { workspaces: [ws-ZZZZZZZZZZZZZZZ9], env: { S: { secret: NAME }, T: { secret: NAME } } } }\n',
    },
    with: { env: { SETPOINT_SECRET_NAME: 'a-long-value' } },
    service: SILENT,
    output:
      /Next: correct sets\/a\.yaml:\d+ or the value of secret NAME, then review what is left, then apply it: setpoint plan/,
  },
  {
    when: 'one of two writes is refused by the service',
    argv: ['apply', '--auto-approve'],
    code: 3,
    files: { 'sets/a.yaml': REFUSED_SET, 'sets/b.yaml': 'variableSets: { b: {} }\n' },
    service: SILENT,
    output: '1 done, 1 failed, 0 skipped, 0 unknown.',
    live: ['b'],
  },
  {
    when: 'there is no terminal',
    argv: ['apply'],
    code: 4,
    output: 'There is no terminal to ask for confirmation.',
  },
  {
    when: 'the answer is no',
    argv: ['apply'],
    code: 4,
    with: { answers: ['no'] },
    output: 'The plan was not confirmed.',
  },
  {
    when: 'a guard blocks',
    argv: ['apply', '--auto-approve'],
    code: 4,
    files: REMOVED,
    sets: [ASSIGNED],
    output: 'The plan is blocked: The files declare no set, but this plan deletes something.',
    live: ['a  -> w'],
  },
  {
    when: 'SIGINT arrives during a read',
    argv: ['apply', '--auto-approve'],
    code: 130,
    output: 'Interrupted. Nothing was written.',
    first: { method: 'GET', signal: 'SIGINT' },
  },
  {
    when: 'SIGINT arrives during a write',
    argv: ['apply', '--auto-approve', '--concurrency', '1'],
    code: 130,
    files: { 'sets/a.yaml': 'variableSets: { a: {}, b: {}, c: {} }\n' },
    output: '1 done, 0 failed, 2 skipped, 0 unknown.',
    first: { method: 'POST', signal: 'SIGINT' },
    live: ['a'],
  },
  {
    when: 'SIGTERM arrives during a write',
    argv: ['apply', '--auto-approve', '--concurrency', '1'],
    code: 143,
    files: { 'sets/a.yaml': 'variableSets: { a: {}, b: {}, c: {} }\n' },
    output: '1 done, 0 failed, 2 skipped, 0 unknown.',
    first: { method: 'POST', signal: 'SIGTERM' },
    live: ['a'],
  },

  { when: 'nothing differs', argv: ['drift'], code: 0, files: REMOVED, output: 'No drift.' },
  { when: 'something differs', argv: ['drift'], code: 2, output: '1 set differs from the files' },
  { when: 'a file is invalid', argv: ['drift'], code: 1, files: INVALID, output: 'unknown-key' },
  { when: 'the service is unreachable', argv: ['drift'], code: 1, with: UNREACHABLE, output: 'ECONNREFUSED' },
  {
    when: 'SIGTERM arrives during a read',
    argv: ['drift'],
    code: 143,
    output: 'Interrupted. Nothing was written.',
    first: { method: 'GET', signal: 'SIGTERM' },
  },

  { when: 'no plan file is given', argv: ['show'], code: 1, output: 'setpoint show PLANFILE' },
  {
    when: 'the plan file does not exist',
    argv: ['show', 'no.json'],
    code: 1,
    output: 'There is no file "no.json".',
  },
  { when: 'the file is not a plan', argv: ['show', 'setpoint.yaml'], code: 4, output: 'not valid JSON' },
  { when: 'no name is given', argv: ['schema'], code: 0, output: 'setpoint\nsets\n' },
  { when: 'a name is given', argv: ['schema', 'sets'], code: 0, output: '"$schema"' },
  { when: 'the schema does not exist', argv: ['schema', 'stes'], code: 1, output: 'Did you mean sets?' },
]

describe('exit codes', () => {
  test.each(
    CASES.map(one => [`${one.code}: setpoint ${one.argv.join(' ')}, when ${one.when}`, one] as const),
  )('%s', { tags: ['F-26', 'I-10', 'exit-1', 'exit-2', 'exit-3', 'exit-4', 'exit-143'] }, async (_, one) => {
    const signals = signalAt(one.first)
    const place = await aPlace(one.files ?? ONE, { sets: one.sets ?? [], ...one.service, ...signals.listen })
    const before = place.live()
    const { code, stdout, stderr } = await place.setpoint(one.argv, { ...one.with, io: signals.io })
    expect(stdout + stderr).toMatch(one.output)
    expect(code).toBe(one.code)
    expect(place.live()).toEqual(one.live ?? before)
  })
})

/** A signal when the service has received the first request with a method. */
function signalAt(first: Case['first']): { listen: ListenOptions; io: Partial<Surroundings['io']> & object } {
  if (first === undefined) return { listen: {}, io: {} }
  const stop = new AbortController()
  return {
    listen: {
      latency: 20,
      faults: {
        matches: ({ method }) => {
          if (method === first.method) stop.abort()
          return false
        },
      },
    },
    io: { stop: stop.signal, stoppedBy: () => (stop.signal.aborted ? first.signal : undefined) },
  }
}

test('3: an apply whose response was lost and whose effect cannot be read back', {
  tags: ['8.3'],
}, async () => {
  let wrote = false
  const place: Place = await aPlace(ONE, {
    faults: {
      // From the write on, no request gets a response.
      matches: ({ method }) => {
        wrote ||= method === 'POST'
        return wrote
      },
      probability: 1,
      faults: [{ kind: 'close', commit: 'after' }],
    },
  })
  const { code, stdout } = await place.setpoint(['apply', '--auto-approve'])
  expect({ code, live: place.live() }).toEqual({ code: 3, live: ['a  env/A=1'] })
  expect(stdout).toContain('1 unknown')
})
